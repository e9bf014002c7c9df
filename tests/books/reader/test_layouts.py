"""Layouts as they are read: pay rows, odds, and the felt beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.books import Shelf, read_book
from taisai.books.reader.layouts import RowFault, pay_row_faults
from taisai.core.bets import parse_bets
from taisai.core.boxes import BoxName
from taisai.core.dice import parse_roll
from taisai.core.money import PAYS_MAX
from taisai.core.predicates import parse_predicate
from taisai.core.rulebook import PayRow
from taisai.core.settlement import settle
from tests.books.helpers import change, faults_of, write_book
from tests.core.samples import parse_boxes


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


# What is no pay table


def row(
    boxes: str, pays: int = 1, dice: int | None = None, totals: set[int] | None = None, when: str | None = None
) -> PayRow:
    """A row of a pay table."""
    named = parse_boxes(boxes)
    predicate = None if when is None else parse_predicate(when, named[0].values)
    return PayRow("a bet", named, pays, ("4.1",), dice, None if totals is None else frozenset(totals), when=predicate)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [row("small"), row("big"), row("odd"), row("even")],
        [row("single: 1 2 3 4 5 6", 1, 1), row("single: 1 2 3 4 5 6", 2, 2), row("single: 1 2 3 4 5 6", 12, 3)],
        [row("double: 4", 11, 2), row("double: 4", 30, 3)],
        [row("field", 1, totals={5, 6, 7, 8, 13, 14, 15}), row("field", 2, totals={16})],
        [row("small", 1, totals={4, 5, 6, 7}), row("small", 2, totals={8, 9, 10})],
        [row("double:{a}", 8, when="n(a) == 2"), row("double:{a}", 20, when="n(a) == 3")],
        [row("small", when="total in 4..9")],
        [row("total: 4 17", 62), row("three: 221 126", 50), row("four: 1234", 7), row("pair: 12", 6)],
    ],
)
def test_a_pay_table_without_faults(rows: list[PayRow]) -> None:
    """Rows that pay each box one way wherever it wins are a pay table, also where the odds depend on the dice."""
    assert pay_row_faults(rows) == []


@pytest.mark.parametrize(
    ("rows", "faults"),
    [
        ([row("total: 4 4", 62)], [(0, "duplicate box total:4")]),
        ([row("small"), row("big"), row("small")], [(2, "duplicate box small (also row 1)")]),
        ([row("small"), row("small", 2)], [(1, "duplicate box small (also row 1)")]),
        ([row("single: 1", 1), row("single: 1", 12, 3)], [(1, "single:1 pays two ways on 1,1,1 (also row 1)")]),
        ([row("field", 1), row("field", 2, totals={16})], [(1, "field pays two ways on 4,6,6 (also row 1)")]),
        ([row("single: 1", 1, 1), row("single: 1", 2, 2)], [(1, "single:1 wins on 1,1,1 but no row pays it")]),
        ([row("double: 3", 11, 2)], [(0, "double:3 wins on 3,3,3 but no row pays it")]),
        ([row("field", 1, totals={5, 6, 7, 8})], [(0, "field wins on 1,6,6 but no row pays it")]),
        (
            [row("double: 1 2", 11, 1)],
            [
                (0, "never pays double:1: no roll fits its dice"),
                (0, "double:1 wins on 1,1,1 but no row pays it"),
                (0, "double:2 wins on 1,2,2 but no row pays it"),
            ],
        ),
        (
            [row("small"), row("small", 2, totals={18})],
            [(1, "never pays small: no roll fits its totals")],
        ),
        ([row("small", when="total == 4 and triple")], [(0, "never pays small: no roll fits `total == 4 and triple`")]),
        (
            [row("small", when="total in 4..9"), row("small", 2, when="total in 9..10")],
            [(1, "small pays two ways on 1,2,6 (also row 1)")],
        ),
    ],
)
def test_what_keeps_rows_from_being_a_pay_table(rows: list[PayRow], faults: list[RowFault]) -> None:
    """Two rows that both apply, none that does and rows that never pay are found and placed."""
    assert pay_row_faults(rows) == faults


def test_the_own_books_have_no_faults(shelf: Shelf) -> None:
    """The rows of every layout of the package are a pay table."""
    assert all(pay_row_faults(layout.rows) == [] for book in shelf.books() for layout in book.layouts.values())
