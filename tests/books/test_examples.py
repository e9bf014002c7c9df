"""The books of `examples/books`: other houses' games, without a line of code, with the edges that are published."""

from __future__ import annotations

from fractions import Fraction

import pytest

from taisai.books import Shelf, open_shelf
from taisai.core.bets import parse_bets
from taisai.core.boxes import BoxName
from taisai.core.faults import InputFault
from taisai.core.odds import bets_odds, box_odds, layout_odds
from taisai.felt import draw
from tests import ROOT

EXAMPLES = ROOT / "examples" / "books"
IDS = sorted(folder.name for folder in EXAMPLES.iterdir())
SHELF = open_shelf([EXAMPLES], environment={})

TOTALS = {4: 3, 5: 6, 6: 10, 7: 15, 8: 21, 9: 25, 10: 27}
"""On how many of the 216 rolls each total comes; 21 less a total comes as often."""
MACAU = {
    "small": "2.78",
    "double:1": "33.33",
    "triple:1": "30.09",
    "any-triple": "30.56",
    "pair:12": "16.67",
    "single:1": "7.87",
    "total:4": "29.17",
    "total:5": "47.22",
    "total:6": "30.56",
    "total:7": "9.72",
    "total:8": "12.50",
    "total:9": "18.98",
    "total:10": "12.50",
}
AUSTRALIA = {
    "double:1": "11.11",
    "triple:1": "16.20",
    "any-triple": "11.11",
    "pair:12": "2.78",
    "single:1": "3.70",
    "total:4": "12.50",
    "total:5": "11.11",
    "total:6": "12.04",
    "total:9": "7.41",
}
ATLANTIC_CITY = {
    "small": "2.78",
    "double:1": "18.52",
    "triple:1": "16.20",
    "any-triple": "13.89",
    "pair:12": "16.67",
    "total:4": "15.28",
    "total:5": "13.89",
    "total:6": "16.67",
    "total:9": "18.98",
}
PUBLISHED: dict[str, dict[str, str]] = {
    "macau-cussec/1": {**MACAU, "four:1234": "11.11"},
    "hoiana-sic-bo/1": MACAU,
    "macau-fish-prawn-crab/1": {
        **{f"{colour}-{times}": "11.11" for colour in ("red", "green", "blue") for times in ("once", "twice")},
        "one-colour": "11.11",
        "pair:12": "16.67",
        "total:4": "29.17",
    },
    "daegu-tai-sai/1": {"double:1": "33.33", "any-triple": "30.56", "total:5": "13.89", "total:6": "12.04"},
    "atlantic-city-sic-bo/1": ATLANTIC_CITY,
    "pennsylvania-sic-bo/at-least-two": ATLANTIC_CITY,
    "pennsylvania-sic-bo/exactly-two": {"two-exactly:1": "23.61", "triple:1": "16.20"},
    "chuck-a-luck/1": {"single:1": "4.63", "field": "3.70"},
    "crown-and-anchor/1": {"single:1": "7.87"},
    "thai-hilo/1": {"pair:12": "16.67"},
    "multiplier-sic-bo/1": {
        "small": "2.78",
        "pair:12": "16.67",
        "single:1": "7.87",
        "total:7": "9.72",
        "total:9": "18.98",
    },
    "grand-hazard/1": {
        "small": "2.78",
        "odd": "2.78",
        "single:1": "7.87",
        "any-triple": "16.67",
        "total:4": "16.67",
        "total:5": "16.67",
        "total:6": "16.67",
        "total:7": "16.67",
        "total:8": "22.22",
        "total:9": "30.56",
        "total:10": "25.00",
    },
    "australia-sic-bo/1": AUSTRALIA,
    "nz-tai-sai-1998/1": AUSTRALIA,
    "nz-tai-sai-1999/1": AUSTRALIA,
    "nz-tai-sai-2001/2": {**AUSTRALIA, "three:112": "15.28", "three:123": "13.89", "four:1234": "11.11"},
}
"""House edges in percent, rounded as they are published (each book's SOURCE.md says where)."""


def edges_of(shelf: Shelf, name: str) -> dict[BoxName, Fraction]:
    """The house edge of every box of a layout."""
    return {odds.box.name: odds.edge for odds in layout_odds(shelf.layout(name))}


@pytest.mark.parametrize("name", PUBLISHED)
def test_edges_are_those_that_are_published(name: str) -> None:
    """Each box that has a published edge has that edge to the last printed digit."""
    found = edges_of(SHELF, name)
    assert {box: f"{float(found[BoxName(box)]) * 100:.2f}" for box in PUBLISHED[name]} == PUBLISHED[name]


def test_every_example_has_a_published_edge_and_a_source() -> None:
    """No book is without its source, none without an edge to check it by, and there are fifteen of them."""
    assert {name.partition("/")[0] for name in PUBLISHED} == set(IDS)
    assert len(IDS) == 15
    assert all((EXAMPLES / book_id / "SOURCE.md").read_text(encoding="utf-8").strip() for book_id in IDS)


@pytest.mark.parametrize("book_id", IDS)
def test_every_example_is_drawn(book_id: str) -> None:
    """A felt of every layout shows every box."""
    for layout in SHELF.book(book_id).layouts.values():
        svg = draw(layout)
        assert all(f'data-box="{name}"' in svg for name in layout.boxes)


def test_the_two_readings_of_two_of_a_kind() -> None:
    """Pennsylvania's wager has an edge of 17/72 on exactly two dice and of 5/27 on two or three."""
    assert edges_of(SHELF, "pennsylvania-sic-bo/exactly-two")[BoxName("two-exactly:4")] == Fraction(17, 72)
    assert edges_of(SHELF, "pennsylvania-sic-bo/at-least-two")[BoxName("double:4")] == Fraction(5, 27)


def test_editions_follow_each_other() -> None:
    """New Zealand's editions replace one another, and the last one alone has odd and even."""
    editions = [SHELF.book(f"nz-tai-sai-{year}") for year in (1998, 1999, 2001)]
    assert [book.replaces for book in editions] == ["", "nz-tai-sai-1998", "nz-tai-sai-1999"]
    assert [SHELF.edition_faults(book) for book in editions] == [[], [], []]
    assert ["odd" in layout.boxes for book in editions for layout in book.layouts.values()] == [False] * 3 + [True]


def test_totals_cost_what_their_rolls_say() -> None:
    """Each total of every example has the edge that follows from its odds and its number of rolls."""
    for name in PUBLISHED:
        layout = SHELF.layout(name)
        for odds in layout_odds(layout):
            kind, _, total = odds.box.name.partition(":")
            if kind == "total":
                low = min(int(total), 21 - int(total))
                if odds.out_of != 216:
                    continue  # a draw may raise it
                (paid,) = odds.pay_ways
                assert odds.edge == 1 - Fraction(TOTALS[low], 216) * (Fraction(paid.pays) + 1)


def test_hilo_costs_what_its_odds_say() -> None:
    """No page prints the edges of HiLo: they are those that its odds give over 216 rolls, worked out by hand."""
    found = edges_of(SHELF, "thai-hilo/1")
    assert {box: found[BoxName(box)] for box in ("hi", "lo", "eleven", "single:4", "low-three", "high-three")} == {
        "hi": 1 - Fraction(81 * 21, 216 * 10),
        "lo": 1 - Fraction(108 * 39, 216 * 20),
        "eleven": Fraction(1, 8),
        "single:4": Fraction(5, 72),
        "low-three": Fraction(1, 6),
        "high-three": Fraction(1, 6),
    }
    assert SHELF.layout("thai-hilo/1").unit == 20


def test_what_is_drawn_costs_what_its_weight_says() -> None:
    """Odds that a draw may raise have the edge, variance and ways that follow over 216 rolls times the draw table."""
    layout = SHELF.layout("multiplier-sic-bo/1")
    found = {odds.box.name: odds for odds in layout_odds(layout)}
    assert {box: found[BoxName(box)].edge for box in ("total:4", "total:5", "total:6", "double:2", "triple:6")} == {
        "total:4": 1 - Fraction(3 * (85 * 51 + 15 * 101), 21600),
        "total:5": 1 - Fraction(6 * (85 * 19 + 15 * 89), 21600),
        "total:6": 1 - Fraction(10 * (85 * 15 + 15 * 29), 21600),
        "double:2": 1 - Fraction(16 * (85 * 9 + 15 * 19), 21600),
        "triple:6": 1 - Fraction(80 * 151 + 20 * 301, 21600),
    }
    triple = found[BoxName("any-triple")]
    assert [(each.pays, each.ways) for each in triple.pay_ways] == [(24, 6 * 80), (50, 6 * 20)]
    square = Fraction(480 * 24**2 + 120 * 50**2 + 21000, 21600)
    assert triple.variance == square - (triple.returned - 1) ** 2
    assert (triple.ways, triple.out_of, triple.of_rolls, found[BoxName("small")].of_rolls) == (
        600,
        21600,
        " of 21600",
        "",
    )


def test_one_pay_table_is_not_asked_of_a_layout_that_draws() -> None:
    """What rests on one pay table refuses a layout whose odds are drawn; bets together are exact over all draws."""
    layout = SHELF.layout("multiplier-sic-bo/1")
    with pytest.raises(InputFault, match="draws odds after the close"):
        _ = layout.pay_table
    together = bets_odds(layout, parse_bets(layout, "double:2=100"))
    assert (together.out_of, len(together.results)) == (21600, 6 * 216)
    assert together.edge == box_odds(layout, BoxName("double:2")).edge
    assert dict(together.distribution) == {-100: 200 * 100, 800: 16 * 85, 1800: 16 * 15}
    assert together.house_worst.draw == "doubles"
