"""Layouts as they are read: pay rows, odds, and the felt beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.books import read_book
from taisai.core.bets import parse_bets
from taisai.core.boxes import BoxName
from taisai.core.dice import parse_roll
from taisai.core.money import PAYS_MAX
from taisai.core.settlement import settle
from tests.books.helpers import change, faults_of, write_book


def test_spaces_between_boxes_do_not_matter(tmp_path: Path) -> None:
    """Boxes are read alike in the pay table and on the felt, however they are spaced."""
    folder = write_book(tmp_path / "mini")
    plain = read_book(folder).layouts["A"]
    change(folder, "layout-A.toml", '"double: 1 - 2"', '" double :1  -  2 "')
    change(folder, "layout-A.toml", 'boxes = "small" }', 'boxes = " small " }')
    change(folder, "layout-A.toml", 'boxes = "small", pays', 'boxes = " small ", pays')
    assert read_book(folder).layouts["A"] == plain


def test_a_layout_is_what_its_rows_say(tmp_path: Path) -> None:
    """Boxes, odds and clauses of the small book come out as written, the narrowed rows apart."""
    layout = read_book(write_book(tmp_path / "mini")).layouts["A"]
    assert list(layout.boxes) == ["small", "double:1", "double:2", "four:1234"]
    paid = {dice: layout.pays(BoxName("double:1"), parse_roll(dice)) for dice in ("112", "111", "123")}
    assert paid == {"112": 8, "111": 9, "123": None}
    assert [layout.pays(BoxName("four:1234"), parse_roll(dice)) for dice in ("123", "124", "134")] == [8, 6, 6]
    assert layout.clauses == layout.triple_clauses == ("5",)


@pytest.mark.parametrize("pays", [1, PAYS_MAX])
def test_odds_may_be_as_high_as_they_may(tmp_path: Path, pays: int) -> None:
    """The lowest and the highest odds are read."""
    folder = change(write_book(tmp_path / "mini"), "layout-A.toml", "pays = 1,", f"pays = {pays},")
    change(folder, "layout-A.toml", "pay = [", "player_edge = true\npay = [")
    assert read_book(folder).layouts["A"].pays(BoxName("small"), parse_roll("123")) == pays


def test_a_felt_is_not_judged_by_rows_that_cannot_be_read(tmp_path: Path) -> None:
    """While a pay row is refused, nobody knows which boxes the felt must hold."""
    folder = change(write_book(tmp_path / "mini"), "layout-A.toml", 'boxes = "small", pays', 'boxes = "tiny", pays')
    assert [fault.row for fault in faults_of(folder)] == ["pay row 1"]


@pytest.mark.parametrize(("key", "value"), [("ways", "105"), ("edge", '"2.8 %"'), ("edge", '"3%"'), ("edge", '"1/36"')])
def test_what_a_row_states_of_itself_is_proven(tmp_path: Path, key: str, value: str) -> None:
    """Ways and edge may be stated, the edge to any number of places or as a fraction."""
    folder = write_book(tmp_path / "mini")
    change(folder, "layout-A.toml", 'boxes = "small", pays', f'boxes = "small", {key} = {value}, pays')
    assert read_book(folder).layouts["A"].boxes


def test_a_layout_rounds_by_its_clause(tmp_path: Path) -> None:
    """A clause that rounds makes any stake payable; without it the unit that pays exactly is known."""
    folder = change(write_book(tmp_path / "mini"), "layout-A.toml", "pays = 1,", 'pays = "0.95 to 1",')
    assert read_book(folder).layouts["A"].unit == 20
    change(folder, "layout-A.toml", "pay = [", 'rounding = { way = "nearest", clause = "5" }\npay = [')
    layout = read_book(folder).layouts["A"]
    assert layout.rounding == ("nearest", ("5",))
    assert settle(layout, parse_roll("123"), parse_bets(layout, "small=10")).outcomes == [("0.95", 10, 20)]
