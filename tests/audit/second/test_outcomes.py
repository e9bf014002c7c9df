"""The second reading of pay rows agrees with the first over all rolls, on the package's books and on random ones."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from taisai.audit import recount
from taisai.audit.second import opinion as second
from taisai.audit.second.outcomes import COMBINATIONS, Row, holds, odds_of, outcomes, postfix, values_of
from taisai.books import Shelf, open_shelf, read_book
from taisai.core.dice import ALL_COMBINATIONS, roll_of
from taisai.core.money import Odds, parse_odds
from taisai.core.names import result_call
from taisai.core.predicates import parse_predicate
from taisai.core.rulebook import Layout
from taisai.core.settlement import settle
from taisai.table import events as e
from tests import ROOT
from tests.audit.forged import altered, dealt, found_in
from tests.books.helpers import HOUSE, change, write_book
from tests.core.samples import LAYOUT_NAMES, bet

VALUES = {"a": 3, "b": 5, "t": 9}


def _numbers() -> st.SearchStrategy[str]:
    sets = st.lists(
        st.one_of(st.integers(1, 6).map(str), st.sampled_from(["1..3", "2..5", "a", "b", "a..6"])), min_size=1
    )
    counted = st.one_of(
        st.integers(1, 6).map(str), st.sampled_from("ab"), sets.map(lambda parts: f"{{{', '.join(parts)}}}")
    )
    fixed = st.one_of(st.integers(0, 18).map(str), st.sampled_from("abt"))
    return st.one_of(
        fixed, st.sampled_from(["total", "low", "high", "distinct"]), counted.map(lambda each: f"n({each})")
    )


def _tests() -> st.SearchStrategy[str]:
    numbers = _numbers()
    ranges = st.one_of(
        st.sampled_from(["4..10", "3..t", "a..b", "18..3"]),
        st.lists(st.sampled_from(["4..6", "9", "t", "13..16", "1"]), min_size=1).map(
            lambda all_: f"{{{','.join(all_)}}}"
        ),
    )
    compared = st.tuples(numbers, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), numbers).map(" ".join)
    members = st.tuples(numbers, st.sampled_from(["in", "not in"]), ranges).map(" ".join)
    return st.one_of(st.just("triple"), compared, members)


predicates = st.recursive(
    _tests(),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(" ".join),
        inner.map(lambda each: f"not ({each})"),
        inner.map(lambda each: f"({each})"),
        _tests().map(lambda each: f"not {each}"),
    ),
    max_leaves=6,
).filter(lambda text: len(text) < 400)


@settings(max_examples=300, deadline=None)
@given(predicates)
def test_two_evaluators_agree_on_random_predicates(text: str) -> None:
    """On every combination of the dice both say the same of any predicate that the grammar allows."""
    first = parse_predicate(text, VALUES).holds(VALUES)
    program = postfix(text)
    for place, roll in enumerate(ALL_COMBINATIONS):
        assert holds(program, VALUES, roll.faces) == bool(first >> place & 1), (text, roll)


def second_table(layout: Layout) -> list[dict[str, Odds]]:
    """By combination: what the second reading has boxes pay, whether or not the recount has the layout too."""
    table = outcomes([second._plain(row) for row in layout.rows])
    return [dict(table[dice]) for dice in COMBINATIONS]


@pytest.mark.parametrize("name", LAYOUT_NAMES)
def test_it_agrees_on_the_packages_books(name: str) -> None:
    """All 56 combinations and all boxes of every layout of the package: three readings, one table."""
    shelf = open_shelf(environment={})
    layout = shelf.layout(name)
    found = second_table(layout)
    for place, roll in enumerate(ALL_COMBINATIONS):
        assert found[place] == {box: row.pays for box, row in layout.winners[roll.index].items()}
        assert found[place] == second.winners(name, roll.faces)


pays = st.sampled_from([1, 8, "8 to 1", "60 for 1", "6 to 5", "0.95 to 1", "push", "2 to 3"])


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.tuples(predicates, pays), min_size=1, max_size=4), way=st.sampled_from(["down", "up", "nearest"])
)
def test_two_settlements_agree_on_random_books(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, object]], way: str
) -> None:
    """A book of random bets, families of two faces and fractions: what is paid is the same in both, roll by roll."""
    kept = []
    for number, (text, odds) in enumerate(rows):
        faces = [{"a": a, "b": b} for a in range(1, 7) for b in range(a + 1, 7)]
        # A row must apply to each of its boxes, and a family of two faces has no total.
        if not re.search(r"\bt\b", text) and all(parse_predicate(text, "ab").holds(each) for each in faces):
            said = f'"{odds}"' if isinstance(odds, str) else str(odds)
            kept.append(
                f'{{ bet = "Bet", boxes = "x{number}:{{a}}{{b}}", when = "{text}", pays = {said}, clause = "5" }}'
            )
    kept.append('{ bet = "Lo", boxes = "lo", when = "total in 3..10", pays = "0.95 to 1", clause = "5" }')
    layout_toml = (
        f'title = "A"\nclause = "5"\nplayer_edge = true\nrounding = {{ way = "{way}", clause = "5" }}\n'
        f"pay = [{', '.join(kept)}]\n"
    )
    book = read_book(write_book(tmp_path_factory.mktemp("books") / "random", {"layout-A.toml": layout_toml}))
    layout, key = book.layouts["A"], second.learn(book, "A")
    bets = [bet(box, 7) for box in layout.boxes]
    stakes = {("ann", str(box)): 7 for box in layout.boxes}
    limits = {"default": {"min": 0, "max": 10**9}, "kinds": {}, "differential": {}}
    for roll in ALL_COMBINATIONS:
        mine = settle(layout, roll, bets)
        theirs = second.settled(key, roll.faces, stakes, limits)
        assert [outcome[1:] for outcome in mine.outcomes] == [line[3:] for line in theirs.values()]
        assert set(layout.lit(roll)) == second.lit(key, roll.faces)


def test_what_a_row_is_made_of() -> None:
    """Variables come from the name, odds from the words, and two rows that pay one box are an error."""
    assert values_of("three:221", "three:{a}{a}{b}") == {"a": 2, "b": 1}
    assert values_of("total:11", "total:{t}") == {"t": 11}
    assert values_of("alley:123", "alley:123") == {}
    for said in (8, "8 to 1", "60 for 1", "6 to 5", "0.95 to 1", "push"):
        assert odds_of(said) == parse_odds(said)
    row = Row([("red", "red")], ["n({1, 4}) == 1"], None, None, 1)
    with pytest.raises(ValueError, match="two rows pay red"):
        outcomes([row, row])


@pytest.fixture(scope="module")
def harbour() -> Shelf:
    """The package's books and one of a casino."""
    return open_shelf([HOUSE], environment={})


EXAMPLES = open_shelf([ROOT / "examples" / "books"], environment={})
OUTSIDE = [
    f"{folder.name}/{layout}"
    for folder in sorted((ROOT / "examples" / "books").iterdir())
    for layout in EXAMPLES.book(folder.name).layouts
]


@pytest.mark.parametrize("layout", [*OUTSIDE, "harbour-sic-bo/club"])
def test_a_falsified_journal_of_an_outside_book_is_found(harbour: Shelf, layout: str) -> None:
    """Odds, lights and calls that another house's own book does not say are findings; the true journal has none."""
    shelf = harbour if layout.startswith("harbour") else EXAMPLES
    events = dealt(shelf, layout, commands=200)
    assert found_in(shelf, events) == []
    tenfold = altered(events, e.BetPaid, lambda what: replace(what, pays=10 * Fraction(str(what.pays or 1)).numerator))
    assert "settled-wrong" in {finding.code for finding in found_in(shelf, tenfold)}
    called = altered(events, e.ResultAnnounced, lambda what: replace(what, call="snake eyes"))
    assert "call-wrong" in {finding.code for finding in found_in(shelf, called)}


@pytest.mark.parametrize("dice", ["1,2,4", "2,2,4", "1,4,4", "3,3,3"])
def test_calls_are_those_of_the_book(harbour: Shelf, dice: str) -> None:
    """The second reading calls a roll in the words of the casino's book."""
    book = harbour.book("harbour-sic-bo")
    roll = roll_of([int(face) for face in dice.split(",")])
    assert second.call(second.learn(book, next(iter(book.layouts))), roll.faces) == result_call(
        book.procedure.calls, roll
    )
    assert second.call(recount.LAYOUTS[0], roll.faces) == recount.call(roll.faces)


def test_a_fraction_is_settled_and_audited(tmp_path: Path) -> None:
    """Fractions and their rounding are recounted too."""
    folder = change(write_book(tmp_path / "mini"), "layout-A.toml", "pays = 1,", 'pays = "0.95 to 1",')
    book = read_book(folder)
    key = second.learn(book, "A")
    assert second.winnings(key, 30, Fraction(19, 20)) == 28
    assert second.learn(book, "A") is not None
    assert second.learn(book, "Z") == "mini/Z"
    assert not second.knows("mini/Z")
