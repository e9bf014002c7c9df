"""The settings of a table at home."""

from __future__ import annotations

import pytest

from taisai.books import open_shelf
from taisai.core.faults import InputFault
from taisai.settings.forms import Listen
from taisai.settings.night import night_settings
from taisai.settings.reading import check_settings
from tests import ROOT

SHELF = open_shelf((ROOT / "examples" / "books",), environment={})


@pytest.mark.parametrize("book_id", SHELF.ids)
def test_every_layout_makes_a_table(book_id: str) -> None:
    """Any layout of the package and of the examples can be played at home, with play chips and no other purpose."""
    for layout in SHELF.book(book_id).layouts.values():
        for dealer in ("automatic", "human"):
            chosen = night_settings(SHELF, layout.name, dealer=dealer, seconds=30, listen=Listen(port=9000))
            check_settings(chosen, SHELF)
            [table] = chosen.tables
            assert (table.book, table.layout, table.timing.betting_ms) == (book_id, layout.id, 30_000)
            assert (chosen.demo.enabled, chosen.house.purpose) == (True, "demo")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"seconds": 4}, "--seconds: from 5 to 600, got 4"),
        ({"chips": 150}, "--chips: up to 1000000, in steps of 100, got 150"),
        ({"layout": "rws-tai-sai-v6/Z"}, "layout: "),
    ],
)
def test_what_cannot_be_played_is_refused(wrong: dict[str, object], words: str) -> None:
    """A period too short, chips that no chip makes, and an unknown layout name their option."""
    given: dict[str, object] = {"layout": "rws-tai-sai-v6/C"} | wrong
    with pytest.raises(InputFault, match=f"^{words}"):
        night_settings(SHELF, **given)  # type: ignore[arg-type] # wrong on purpose
