"""Books, odds and clauses as JSON: exact figures, and every clause with what stands behind it."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import pytest

from taisai.books import open_shelf
from taisai.core.bets import parse_bets
from taisai.core.odds import bets_odds, compare
from taisai.core.rulebook import Clause, Interpretation, RuleBook
from taisai.protocol.books import (
    BetsSheet,
    BookSheet,
    EntrySheet,
    LayoutOddsSheet,
    bets_sheet,
    book_card,
    book_sheet,
    compared_box,
    entry_sheet,
    exact,
    layout_odds_sheet,
    whole_book,
)

SHELF = open_shelf(environment={})
BOOKS = tuple(SHELF.books())


def test_a_fraction_is_exact_and_readable() -> None:
    """Programs that count read the fraction, people the number."""
    assert msgspec.to_builtins(exact(Fraction(7, 216))) == {"exact": "7/216", "value": 7 / 216}


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.id)
def test_a_book_is_told_whole(book: RuleBook) -> None:
    """The short form counts the clauses, the long one writes them out; the rest is the same."""
    short, whole = book_sheet(book), whole_book(book, SHELF.duties(book.id))
    assert short.clauses == len(whole.clauses) == len(book.clauses)
    assert list(short.interpretations) == [each.id for each in whole.interpretations]
    assert short.procedure == whole.procedure
    assert [layout.name for layout in short.layouts] == [each.name for each in book.layouts.values()]
    assert book_card(book).layouts == tuple(book.layouts)
    assert msgspec.json.decode(msgspec.json.encode(short), type=BookSheet) == short


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.id)
def test_an_entry_has_the_fields_of_its_kind(book: RuleBook) -> None:
    """A clause has a summary and duties, an interpretation a question and a reading: never both."""
    entries: list[Clause | Interpretation] = [*book.clauses.values(), *book.interpretations.values()]
    for each in entries:
        sheet = entry_sheet(book, SHELF.duties(book.id), each)
        keys = set(msgspec.to_builtins(sheet))
        of_a_reading = {"question", "reading", "house_choice", "clauses"}
        of_a_clause = {"summary", "document", "duties", "room", "effective", "interpretations"}
        wanted, others = (
            (of_a_reading, of_a_clause) if isinstance(each, Interpretation) else (of_a_clause, of_a_reading)
        )
        assert wanted <= keys
        assert not others & keys
        assert msgspec.json.decode(msgspec.json.encode(sheet), type=EntrySheet) == sheet


def test_a_layout_comes_with_the_odds_of_every_box() -> None:
    """Each box once, in the order of the layout; the return stands under the key `return`."""
    book = SHELF.book("rws-tai-sai-v6")
    layout = book.layouts["C"]
    sheet = layout_odds_sheet(book, layout, book.names)
    assert [each.box for each in sheet.odds] == list(sheet.boxes) == list(layout.boxes)
    assert {"return", "edge", "probability"} <= set(msgspec.to_builtins(sheet.odds[0]))
    assert msgspec.json.decode(msgspec.json.encode(sheet), type=LayoutOddsSheet) == sheet


def test_bets_are_told_over_all_rolls() -> None:
    """216 rolls, and a distribution over all of them."""
    layout = SHELF.layout("rws-tai-sai-v6/C")
    sheet = bets_sheet(layout, bets_odds(layout, parse_bets(layout, "small=100 total:9=50")))
    assert (sheet.staked, len(sheet.rolls), sum(each.ways for each in sheet.distribution)) == (150, 216, 216)
    assert sheet.house_worst.player_net == max(each.net for each in sheet.rolls) == sheet.exposure
    assert msgspec.json.decode(msgspec.json.encode(sheet), type=BetsSheet) == sheet


def test_a_box_that_one_layout_lacks_is_null_there() -> None:
    """Two layouts side by side: what only one has is null for the other, and differs."""
    found = [
        compared_box(each) for each in compare(SHELF.layout("rws-tai-sai-v6/A"), SHELF.layout("rws-mini-dice-v3/A"))
    ]
    lonely = [each for each in found if each.one is None or each.two is None]
    assert lonely
    assert all(each.differs for each in lonely)
