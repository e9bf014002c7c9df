"""Drills: the same for a seed, of the level that was asked for."""

from __future__ import annotations

import msgspec
import pytest

from taisai.core.faults import InputFault
from taisai.core.rulebook import Rule
from taisai.training.drills import LEVELS, make_drill
from tests.training.solving import LAYOUTS, SEEDS, book_and_layout, solved


def test_a_drill_does_not_contain_its_answers() -> None:
    """A drill has no field for winners, payments or right choices; the right call and choice are among the others."""
    book, layout = book_and_layout("rws-tai-sai-v6/C")
    for seed in SEEDS:
        drill = make_drill(book, layout, 4, seed)
        right = solved(book, drill)
        assert set(msgspec.to_builtins(drill)) == {
            "book", "layout", "digest", "level", "seed", "currency", "denominations", "limits", "players", "bets",
            "dice", "calls", "situations", "par_s",
        }  # fmt: skip
        assert right.call in drill.calls
        assert len(set(drill.calls)) == len(drill.calls) == 4
        for each in drill.situations:
            ids = [choice.id for choice in each.choices]
            assert right.situations[each.id] in ids
            assert len(set(ids)) == 4


def test_a_seed_is_a_drill() -> None:
    """One seed gives one drill; other seeds, levels and layouts give others; the first never changes."""
    book, layout = book_and_layout("rws-tai-sai-v6/A")
    drill = make_drill(book, layout, 2, "monday")
    assert drill == make_drill(book, layout, 2, "monday")
    others = [make_drill(book, layout, 2, seed).bets for seed in SEEDS]
    assert len(set(others)) == len(SEEDS)
    assert drill.bets != make_drill(book, layout, 3, "monday").bets
    assert drill.dice == (4, 3, 3)


def test_levels_ask_what_they_say() -> None:
    """Level 1 plays even money, level 2 singles and totals too; level 4 has colours, or limits that are broken."""
    even = {"small", "big", "odd", "even"}
    for name in LAYOUTS:
        book, layout = book_and_layout(name)
        kinds: dict[int, set[str]] = {level: set() for level in LEVELS}
        for level in LEVELS:
            for seed in SEEDS:
                drill = make_drill(book, layout, level, seed)
                kinds[level] |= {bet.box.partition(":")[0] for bet in drill.bets}
                assert (drill.limits is not None) == (level == 4 and book.has(Rule.PRO_RATA))
                coloured = level == 4 and book.has(Rule.COLOUR_CHIPS)
                assert all(bool(player.colour) == coloured for player in drill.players)
                worth = {player.name: player.value for player in drill.players}
                assert all(bet.stake == bet.chips * worth[bet.player] for bet in drill.bets if coloured)
        if book.id != "rws-mini-dice-v3":
            assert kinds[1] <= even
            assert kinds[2] <= even | {"single", "total"}
            assert kinds[2] >= {"single", "total"}
        assert kinds[3] == {str(kind) for kind in layout.kinds}


@pytest.mark.parametrize(
    ("level", "seed", "field"),
    [(0, "a", "level"), (5, "a", "level"), (1, " ", "seed"), (1, "a" * 41, "seed"), (1, "a\n", "seed")],
)
def test_a_drill_that_cannot_be_made_names_the_field(level: int, seed: str, field: str) -> None:
    """A level or seed out of bounds is refused with its field."""
    book, layout = book_and_layout("rws-tai-sai-v6/A")
    with pytest.raises(InputFault) as caught:
        make_drill(book, layout, level, seed)
    assert caught.value.field == field
