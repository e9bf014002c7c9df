"""Clauses found by number, and the rows that stand on them."""

from __future__ import annotations

import pytest
from hypothesis import given

from taisai.books import Shelf, open_shelf
from taisai.books.citations import citations_of, find_clause
from taisai.books.duties import Duty
from taisai.core.faults import InputFault
from taisai.core.rulebook import Clause, Interpretation, RuleBook
from tests import ROOT
from tests.core.samples import MANY, hostile_text, value_or_fault

BOOKS = ("nz-division-9", "rws-open-cover-v3", "rws-tai-sai-v6", "rws-mini-dice-v3")


@pytest.mark.parametrize("book_id", BOOKS)
def test_every_clause_is_found_by_its_number(shelf: Shelf, book_id: str) -> None:
    """Each clause and each entry of the register is found by its number, however people type it."""
    book = shelf.book(book_id)
    entries: list[Clause | Interpretation] = [*book.clauses.values(), *book.interpretations.values()]
    for entry in entries:
        for text in (entry.id, f"§{entry.id}", f" § {entry.id.upper()}  ", entry.id.lower()):
            assert find_clause(book, text) == [entry]


@pytest.mark.parametrize(
    ("book_id", "number", "found"),
    [
        ("rws-tai-sai-v6", "5.1", ["5.1"]),
        ("rws-tai-sai-v6", "4.1", ["4.1.1", "4.1.2", "4.1.3"]),
        ("rws-tai-sai-v6", "2", ["2.1.1", "2.2.1"]),
        ("nz-division-9", "4.1(d)", ["4.1(d)"]),
        ("nz-division-9", "5", ["5.0", "5.0(a)", "5.0(b)", "5.0(c)", "5.0(d)"]),
        ("nz-division-9", "3.3", ["3.3(a)", "3.3(b)"]),
        ("nz-division-9", "app", ["App. 1", "App. 2"]),
        ("rws-mini-dice-v3", "1", ["1 Colour Chips", "1 Field Bet", "1 Single Dice Bet", "1 Spin"]),
    ],
)
def test_the_beginning_of_a_number_finds_those_below_it(
    shelf: Shelf, book_id: str, number: str, found: list[str]
) -> None:
    """A whole number finds its clause alone, and one that only begins others finds them; 4.1 does not find 4.10."""
    assert [entry.id for entry in find_clause(shelf.book(book_id), number)] == found


@pytest.mark.parametrize("number", ["", " ", "§", "9", "4.", "3.1.1", "I", "I1", "5.1.1.1", "x" * 10_000])
def test_an_unknown_number_is_refused(tai_sai: RuleBook, number: str) -> None:
    """A number that no clause has is a fault that says where to look, in one short line."""
    with pytest.raises(InputFault, match=r"^clause: rule book rws-tai-sai-v6 has no clause ") as caught:
        find_clause(tai_sai, number)
    assert "`taisai clause rws-tai-sai-v6` lists them" in caught.value.reason
    assert len(str(caught.value)) < 200


@MANY
@given(hostile_text(["5.1.1", "3.10", "App. A", "I6", "§ 4.1"]))
def test_hostile_numbers_give_clauses_or_a_fault(tai_sai: RuleBook, number: str) -> None:
    """Whatever the text is, it finds clauses of the book or is a fault in one line."""
    found = value_or_fault(lambda: find_clause(tai_sai, number))
    assert isinstance(found, InputFault) or found


@pytest.mark.parametrize("book_id", BOOKS)
def test_every_clause_is_held_by_a_row(shelf: Shelf, book_id: str) -> None:
    """Each clause that is not people's work alone is cited by some row, and no row is told twice."""
    book, duties = shelf.book(book_id), shelf.duties(book_id)
    for clause in book.clauses.values():
        rows = citations_of(book, clause.id)
        assert rows or duties[clause.id].duties == (Duty.PEOPLE,)
        assert len(set(rows)) == len(rows)


def test_rows_are_told_in_words(shelf: Shelf) -> None:
    """Terms, rules, steps, opening checks, facts, calls, layouts and pay rows are told as what they are."""
    tai_sai, nz = shelf.book("rws-tai-sai-v6"), shelf.book("nz-division-9")
    assert citations_of(tai_sai, "1.3") == ("term: differential", "rule: differential")
    assert citations_of(tai_sai, "5.5.2") == (
        "rule: dice-flat",
        "fact: not-flat, then void-round",
        "fact: dice-stacked, then void-round",
    )
    assert citations_of(tai_sai, "3.10.3") == (
        "rule: triple-wins",
        "layout rws-tai-sai-v6/A: Double Dice Bet pays 11 to 1",
        "layout rws-tai-sai-v6/C: Double Dice Bet pays 11 to 1",
    )
    assert [f"layout rws-tai-sai-v6/{layout}, on a triple" for layout in "ACE"] == list(
        citations_of(tai_sai, "3.10")[1:]
    )
    assert citations_of(nz, "6.3") == (
        "rule: dice-flat",
        "step of a round: uncover",
        "step of a round: announce",
        "forms of call",
    )
    assert citations_of(nz, "5.0(c)") == ("rule: opening-check", "opening check: tumbler")
    assert citations_of(nz, "App. 1") == ("rule: layout-marked", "layout nz-division-9/1")
    # Five rows of the pay table read alike; they are told once for each layout.
    assert citations_of(nz, "4.1(g)") == (
        "layout nz-division-9/1: Dice Combinations pays 6 to 1",
        "layout nz-division-9/2: Dice Combinations pays 6 to 1",
    )
    assert citations_of(nz, "no such clause") == ()


def test_a_draw_cites_its_clause() -> None:
    """Odds that are drawn stand on a clause as those of the pay table do."""
    book = open_shelf([ROOT / "examples" / "books"], environment={}).book("multiplier-sic-bo")
    drawn = {f"layout {layout.name}: draw {draw.name}" for layout in book.layouts.values() for draw in layout.draws}
    assert drawn
    assert drawn <= set(citations_of(book, "7"))
    assert drawn.isdisjoint(citations_of(book, "1"))
