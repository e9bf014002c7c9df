"""Cards: what they say is what the book and the mathematics say, on one page."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from taisai.books import open_shelf
from taisai.core.boxes import BoxName
from taisai.core.faults import InputFault
from taisai.core.odds import box_odds, percent
from taisai.core.rulebook import Layout
from taisai.printing.cards import Card, crib_card, odds_card, print_card, rules_card
from tests import ROOT

AT = datetime(2026, 1, 2, tzinfo=UTC)
SHELF = open_shelf([ROOT / "examples" / "books"])
LAYOUTS = [layout for book in SHELF.books() for layout in book.layouts.values()]
CARDS = (odds_card, crib_card, rules_card)


def rows_of(card: Card, title: str) -> list[tuple[str, ...]]:
    """The rows of a part."""
    return [row for part in card.parts if part.title.startswith(title) and part.table for row in part.table.rows]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
@pytest.mark.slow
def test_every_card_of_every_book_fits_a_page(layout: Layout) -> None:
    """Three cards of each layout, the examples' included, are one page each."""
    book = SHELF.book(layout.book_id)
    for make in CARDS:
        document = print_card(make(book, layout), AT, packed=False)
        assert document.count(b"/Type /Page\n") == 1


@pytest.mark.clause("rws-tai-sai-v6 §4.1.2")
def test_the_odds_card_says_what_the_mathematics_says() -> None:
    """Every bet stands on it once, with odds, ways, chance and edge of its boxes."""
    layout = SHELF.layout("rws-tai-sai-v6/C")
    rows = {row[0]: row[1:] for row in rows_of(odds_card(SHELF.book(layout.book_id), layout), "")}
    assert rows["Small"] == ("1 to 1", "105 of 216", "48.61 %", "2.78 %")
    assert rows["Single Dice Bet"][0] == "1, 2 or 12 to 1"
    total = box_odds(layout, BoxName("total:4"))
    assert rows["Total Sum Combination: 4, 17"] == (
        "62 to 1", f"{total.ways} of 216", percent(total.probability), percent(total.edge),
    )  # fmt: skip


@pytest.mark.clause("rws-tai-sai-v6 §3.2", "rws-tai-sai-v6 §3.6", "rws-tai-sai-v6 §3.9")
def test_the_crib_has_the_calls_and_the_payouts() -> None:
    """The dealer's words come in the order of a round, each with its clause; payouts are odds times stake."""
    layout = SHELF.layout("rws-tai-sai-v6/C")
    card = crib_card(SHELF.book(layout.book_id), layout)
    assert rows_of(card, "A round")[:2] == [
        ("1. Open bets", '"Place your Bets, please"', "§3.2"),
        ("2. Close bets", '"No more Bets"', "§3.6"),
    ]
    assert ("3, 3, 4", '"double 3, 4, total 10"', "I15") in rows_of(card, "The result")
    paid = {row[0]: row[1:] for row in rows_of(card, "Payouts")}
    assert paid["Specific Straight Triple Bet"] == (
        "180 to 1", "180", "900", "1800", "3600", "4500", "9000", "18000", "90000",
    )  # fmt: skip
    assert ("A die does not lie flat", "Void round", "§5.5.2") in rows_of(card, "Irregularities")


@pytest.mark.clause("rws-tai-sai-v6 §3.9", "rws-tai-sai-v6 §5.12")
def test_the_rules_cite_their_clauses_once() -> None:
    """What a player should know stands there once, with its number; every row of the pay table too."""
    layout = SHELF.layout("rws-tai-sai-v6/C")
    card = rules_card(SHELF.book(layout.book_id), layout)
    lines = [line for part in card.parts for line in part.lines]
    assert "A void round returns every bet made in it. §5.12" in lines
    assert len(set(lines)) == len(lines)
    assert len(rows_of(card, "What the bets pay")) == len(layout.rows)


def test_what_fits_no_page_is_refused() -> None:
    """Words that not even the smallest letters bring onto a page ask for larger paper; so does an unknown paper."""
    layout = SHELF.layout("rws-mini-dice-v3/A")
    card = rules_card(SHELF.book(layout.book_id), layout)
    long = Card(card.title, card.under, card.parts * 9, card.foot)
    with pytest.raises(InputFault, match="larger"):
        print_card(long, AT)
    with pytest.raises(InputFault, match="A4"):
        print_card(card, AT, paper="B5")
