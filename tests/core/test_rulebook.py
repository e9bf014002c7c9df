"""Rule books as values: layouts proven over all rolls, and what a book says of itself."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import FrozenInstanceError, replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import cast

import pytest

from taisai.books import Shelf
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_ROLLS, parse_roll, roll_of
from taisai.core.predicates import parse_predicate
from taisai.core.rulebook import Device, Layout, PayRow, Rule, RuleBook, make_layout
from tests.core.samples import ALL_BOXES, parse_boxes

EIGHT = datetime.fromisoformat("2026-03-01T08:00")
"""Eight in the morning, by the clock of a house wherever it is."""


def row(
    boxes: str, pays: int = 1, dice: int | None = None, totals: set[int] | None = None, when: str | None = None
) -> PayRow:
    """A row of a pay table."""
    named = parse_boxes(boxes)
    predicate = None if when is None else parse_predicate(when, named[0].values)
    return PayRow("a bet", named, pays, ("4.1",), dice, None if totals is None else frozenset(totals), when=predicate)


def laid_out(*rows: PayRow) -> Layout:
    """A layout of some rows."""
    return make_layout(
        book_id="house", layout_id="X", title="Layout X", clauses=("1",), triple_clauses=("2",), rows=rows, felt=None
    )


# --- Layouts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "count", "absent"),
    [
        ("nz-division-9/1", 50, ["odd", "three:123", "four:1234", "field"]),
        ("nz-division-9/2", 106, ["four:1256", "field"]),
        ("rws-open-cover-v3/A", 50, ["odd", "three:123", "four:1234"]),
        ("rws-open-cover-v3/B", 104, ["three:112", "three:665", "four:1256"]),
        ("rws-tai-sai-v6/A", 50, ["odd", "three:123", "four:1234"]),
        ("rws-tai-sai-v6/C", 104, ["three:112", "three:665", "four:1256"]),
        ("rws-tai-sai-v6/E", 107, ["three:112", "three:665", "odd", "even", "double:1"]),
        ("rws-mini-dice-v3/A", 7, ["small", "total:9", "triple:1"]),
    ],
)
def test_layouts_have_their_boxes(shelf: Shelf, name: str, count: int, absent: list[str]) -> None:
    """Each layout has as many boxes as its book gives it, and not those it leaves out (I3)."""
    layout = shelf.layout(name)
    assert layout.name == name
    assert len(layout.boxes) == count
    assert not {*absent} & {*layout.boxes}
    assert layout.kinds == tuple(dict.fromkeys(ALL_BOXES[box].kind for box in layout.boxes))


def test_a_layout_looks_up_the_same_everywhere(layout: Layout) -> None:
    """Winners, pay table, odds and lights agree on every roll."""
    for roll in ALL_ROLLS:
        winners = layout.winners[roll.index]
        assert layout.pay_table[roll.index] == {box: winners[box].pays if box in winners else 0 for box in layout.boxes}
        assert set(layout.lit(roll)) == set(winners)
        assert {box: layout.pays(box, roll) for box in winners} == {box: row.pays for box, row in winners.items()}
        assert all(layout.pays(box, roll) is None for box in layout.boxes if box not in winners)


def test_lights_come_in_the_order_of_the_layout() -> None:
    """The lit boxes stand in the order in which the layout has them."""
    layout = laid_out(row("total: 9 6"), row("any-triple"), row("single: 3 2 1"), row("small"))
    assert layout.lit(roll_of([2, 2, 2])) == ("total:6", "any-triple", "single:2")
    assert layout.lit(roll_of([3, 1, 2])) == ("total:6", "single:3", "single:2", "single:1", "small")
    assert layout.kinds == ("total", "any-triple", "single", "small")


def test_rows_and_clauses_of_a_box() -> None:
    """A box with odds by the number of dice has several rows; each clause behind it is named once."""
    one = PayRow("Single", parse_boxes("single: 4"), 1, ("4.1", "4.2"), dice=1)
    two = PayRow("Single", parse_boxes("single: 4"), 2, ("4.1", "4.3"), dice=2)
    three = PayRow("Single", parse_boxes("single: 4"), 12, ("4.1",), dice=3, triple_clauses=("5",))
    layout = laid_out(one, two, three, row("small"))
    box = BoxName("single:4")
    assert layout.rows_of(box) == (one, two, three)
    assert layout.clauses_of(box, roll_of([4, 1, 2])) == ("4.1", "4.2")
    assert layout.clauses_of(box, roll_of([4, 4, 2])) == ("4.1", "4.3")
    assert layout.clauses_of(box, roll_of([4, 4, 4])) == ("4.1", "5")
    assert layout.clauses_of(box, roll_of([1, 1, 2])) == ("4.1", "4.2", "4.3")
    assert layout.clauses_of(box, roll_of([1, 1, 1])) == ("4.1", "4.2", "4.3", "2")


@pytest.mark.parametrize(
    ("layout", "box", "name"),
    [
        ("rws-tai-sai-v6/E", "pair:25", "Domino Combination Bet 2-5"),
        ("rws-tai-sai-v6/E", "any-triple", "Any Triple Bet"),
        ("rws-tai-sai-v6/E", "four:3456", "Four Number Combination Bet 3-4-5-6"),
        ("nz-division-9/2", "single:4", "Individual Die Face Value 4"),
        ("nz-division-9/2", "total:9", "3 Dice Total 9"),
        ("nz-division-9/1", "double:2", "Double 2"),
        ("rws-mini-dice-v3/A", "field", "Field Bet"),
    ],
)
def test_a_bet_has_the_name_that_the_book_gives_it(shelf: Shelf, layout: str, box: str, name: str) -> None:
    """The pay table's own name, of one bet, with the figures of the box."""
    assert shelf.layout(layout).bet_name(BoxName(box)) == name


def test_the_name_of_a_bet_whose_row_names_its_figures() -> None:
    """Where the row's name cannot stand for one box alone, the box has its own title."""
    both = parse_boxes("small") + parse_boxes("big")
    named = [
        PayRow("Total 4 or 17", parse_boxes("total: 4 17"), 60, ("4.1",)),
        PayRow("Four Numbers", parse_boxes("four: 1234"), 7, ("4.1",)),
        PayRow("Even chances", both, 1, ("4.1",)),
    ]
    layout = laid_out(*named)
    assert layout.bet_name(BoxName("total:4")) == "Total 4"
    assert layout.bet_name(BoxName("four:1234")) == "Four Numbers 1-2-3-4"
    assert layout.bet_name(BoxName("small")) == "Small"


def test_a_layout_cannot_be_changed(layout: Layout) -> None:
    """Whoever holds a layout cannot change its boxes or its rows: not by assignment, nor through its tables."""
    with pytest.raises(FrozenInstanceError):
        layout.title = "mine"  # type: ignore[misc]
    for table in (layout.boxes, layout.winners[0]):
        with pytest.raises(TypeError):
            cast(MutableMapping[object, object], table)["small"] = None


# --- Books --------------------------------------------------------------------------------------------------------


def test_a_book_cites_its_clauses(tai_sai: RuleBook, shelf: Shelf) -> None:
    """A book knows a rule by the clauses behind it, or does not know it."""
    assert tai_sai.has(Rule.DIFFERENTIAL)
    assert tai_sai.clauses_for(Rule.DIFFERENTIAL) == ("1.3", "3.3", "3.4")
    other = shelf.book("nz-division-9")
    assert not other.has(Rule.DIFFERENTIAL)
    assert other.clauses_for(Rule.DIFFERENTIAL) == ()


def test_a_book_has_a_register_by_clause(tai_sai: RuleBook) -> None:
    """The entries on a clause are found under it, and a clear clause has none."""
    assert [entry.id for entry in tai_sai.interpretations_of("5.1.1")] == ["I6"]
    assert [entry.id for entry in tai_sai.interpretations_of("4.1.2")] == ["I3", "I13"]
    assert tai_sai.interpretations_of("3.2") == ()


def test_a_bet_that_no_triple_wins_may_say_so_by_its_own_clause() -> None:
    """A row's triple clause is cited where its bet loses on a triple; all others cite the layout's."""
    small = PayRow("Small", parse_boxes("small"), 1, ("4.1",), triple_clauses=("4.2",))
    layout = laid_out(small, row("big"), row("total: 4", 60))
    triple = parse_roll("2,2,2")
    assert layout.clauses_of(BoxName("small"), triple) == ("4.1", "4.2")
    assert layout.clauses_of(BoxName("big"), triple) == ("4.1", "2")
    assert layout.clauses_of(BoxName("small"), parse_roll("6,6,5")) == ("4.1",)


def test_a_book_reads_boxes_by_their_terms() -> None:
    """What of the dice decides a box is known from its predicates."""
    layout = laid_out(row("small"), row("double:{a}", 8, when="n(a) == 2"))
    assert layout.terms_of(BoxName("small")) == {"total", "triple"}
    assert layout.terms_of(BoxName("double:4")) == {"n"}


@pytest.mark.parametrize(
    ("since", "moment", "expected"),
    [
        (None, datetime(1900, 1, 1, tzinfo=UTC), True),
        (date(2026, 3, 1), datetime(2026, 2, 28, 23, 59, tzinfo=UTC), False),
        (date(2026, 3, 1), datetime(2026, 3, 1, tzinfo=UTC), True),
        (EIGHT, datetime(2026, 3, 1, 7, 59, tzinfo=UTC), False),
        (EIGHT, datetime(2026, 3, 1, 8, tzinfo=timezone(timedelta(hours=8))), True),
        (datetime(2026, 3, 1, 8, tzinfo=UTC), datetime(2026, 3, 1, 15, 59, tzinfo=timezone(timedelta(hours=8))), False),
        (datetime(2026, 3, 1, 8, tzinfo=UTC), datetime(2026, 3, 1, 16, tzinfo=timezone(timedelta(hours=8))), True),
    ],
)
def test_a_book_is_in_force_from_its_date_on(
    tai_sai: RuleBook, since: date | datetime | None, moment: datetime, expected: bool
) -> None:
    """A date or a time without a zone is the house's own; a time with a zone is the same moment everywhere."""
    assert replace(tai_sai, effective=since).in_force(moment) is expected


def test_a_book_admits_its_own_device_and_no_other(tai_sai: RuleBook) -> None:
    """Without a word of the book or a reading, games are played with the book's own device."""
    own = tai_sai.procedure.device
    assert [device for device in Device if tai_sai.admits(device)] == [own]
    other = next(device for device in Device if device is not own)
    wider = replace(tai_sai, procedure=replace(tai_sai.procedure, admits=frozenset((other,))))
    assert {device for device in Device if wider.admits(device)} == {own, other}
