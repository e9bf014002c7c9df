"""How wide words are, and where they break."""

from __future__ import annotations

import pytest

from taisai.felt.lettering import balanced, shortened, width_of, wrapped


@pytest.mark.parametrize(
    ("words", "broad"),
    [
        ("LOSE IF ANY TRIPLE APPEARS", 16.738),
        ("1 WINS 180", 6.512),
        ("ON EACH 2 DICE COMBINATION 1 WINS 6", 22.956),
        ("Double Numbers With Single Dice Combination Bet", 28.766),
        ("围骰通吃", 4.0),
        ("18.98 %", 4.513),
        ("6543", 2.783),
    ],
)
def test_widths_are_not_underestimated(words: str, broad: float) -> None:
    """The estimate is at least the width in DejaVu Sans Bold, and not absurdly more."""
    assert broad <= width_of(words) <= broad * 1.06


def test_words_break_at_spaces() -> None:
    """Lines are as even as can be, and what is too long ends in an ellipsis."""
    assert balanced("Specific Straight Triple Bet", 2) == ("Specific Straight", "Triple Bet")
    assert balanced("Big", 3) == ("Big",)
    assert wrapped("Four Number Combination Bet", 9, 6) == ("Four Number", "Combination", "Bet")
    assert wrapped("one two three", 5, 1) == ("one t…",)
    assert shortened("x" * 9, 0.1) == "…"
    assert shortened("Big", width_of("Big") + 0.001) == "Big"
