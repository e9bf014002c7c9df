"""A fifth rule book, from outside the package, plays by its own odds without any code."""

from __future__ import annotations

import os
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from taisai.books import open_shelf
from taisai.books.duties import Duty
from taisai.core.bets import Bet, PlayerId, parse_bets
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_ROLLS, parse_roll
from taisai.core.limits import make_limits
from taisai.core.money import Chips
from taisai.core.names import result_call
from taisai.core.prorata import fix_stakes
from taisai.core.rulebook import Device, Fact, Layout, Rule, RuleBook, Then
from taisai.core.settlement import settle
from tests.books.helpers import HOUSE, OWN_IDS, citations_of

ID = "harbour-sic-bo"


@pytest.fixture(scope="module")
def book() -> RuleBook:
    """The book of Harbour House."""
    return open_shelf([HOUSE], environment={}).book(ID)


def paid(layout: Layout, bets: str, roll: str) -> list[int | str | None]:
    """What each bet pays to 1 on a roll, None for a lost one."""
    settlement = settle(layout, parse_roll(roll), parse_bets(layout, bets))
    return [ruling.pays for ruling in settlement.rulings]


def test_it_stands_beside_the_own_books() -> None:
    """A folder of books that is given adds its books to the own ones."""
    assert open_shelf([str(HOUSE)], environment={}).ids == (*OWN_IDS, ID)


def test_it_is_found_by_the_environment() -> None:
    """The variable TAISAI_BOOKS names folders of books as well."""
    shelf = open_shelf(environment={"TAISAI_BOOKS": str(HOUSE)})
    assert shelf.layout(f"{ID}/club").title == "Club layout"


def test_the_folder_may_be_the_book_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is itself a book adds that book, even when it is the current one."""
    assert open_shelf([HOUSE / ID], environment={}).book(ID).operator == "Harbour House"
    monkeypatch.chdir(HOUSE / ID)
    assert open_shelf(["."], environment={}).book(ID).operator == "Harbour House"


def test_several_folders_are_joined(tmp_path: Path, book: RuleBook) -> None:
    """TAISAI_BOOKS holds several folders, and empty parts of it are nothing."""
    shutil.copytree(HOUSE / ID, tmp_path / "other-house")
    joined = os.pathsep.join([str(HOUSE), "", str(tmp_path)])
    shelf = open_shelf(environment={"TAISAI_BOOKS": joined})
    assert shelf.ids == (*OWN_IDS, ID, "other-house")
    assert shelf.book("other-house").digest != book.digest


def test_it_is_a_whole_book(book: RuleBook) -> None:
    """Its head, its procedure and its register are what its files say."""
    assert (book.title, book.version, book.jurisdiction) == ("Sic Bo", "Edition 2", "Port Example")
    assert str(book.effective) == "2024-03-01 10:00:00"
    assert str(book.clauses["6.4"].effective) == "2025-01-01"
    assert book.clauses["6.3"].effective == book.effective
    assert (book.procedure.device, book.procedure.tumbles_min) == (Device.CAGE, 4)
    assert book.procedure.then(Fact.DAMAGED_DICE) == (Then.VOID_ROUNDS_OF_SET,)
    assert book.procedure.voids["no-game"].fact is Fact.TOO_FEW_TUMBLES
    assert [item.item for item in book.procedure.opening] == ["cage", "dice"]
    assert list(book.interpretations) == ["H1", "H2", "H3", "H4"]
    duties = open_shelf([HOUSE], environment={}).duties(ID)
    people = {clause for clause, owed in duties.items() if owed.duties == (Duty.PEOPLE,)}
    assert people == {"2.4", "3.7"} == book.clauses.keys() - citations_of(book)


def test_its_calls_are_its_own(book: RuleBook) -> None:
    """The dealer of Harbour House calls the total first."""
    calls = [result_call(book.procedure.calls, parse_roll(roll)) for roll in ("631", "433", "344", "555")]
    assert calls == ["10: 1, 3 and 6", "10: a pair of 3 and 4", "11: 3 and a pair of 4", "15: three times 5"]


def test_its_layouts_have_their_boxes(book: RuleBook) -> None:
    """Two layouts, one drawn and one not; on the drawn one any triple lies twice and is one box."""
    club, grand = book.layouts["club"], book.layouts["grand"]
    assert (len(club.boxes), len(grand.boxes)) == (52, 28)
    assert grand.felt is None
    assert club.felt is not None
    placed = [box.name for block in club.felt.blocks for box in block.boxes if box is not None]
    assert len(placed) == 53
    assert placed.count(BoxName("any-triple")) == 2
    assert sum(block.boxes.count(None) for block in club.felt.blocks) == 1
    assert (club.felt.width, club.felt.height) == (30, 14)


@pytest.mark.parametrize(
    ("bets", "roll", "pays"),
    [
        ("small=10 big=10 odd=10 even=10", "1,2,6", [1, None, 1, None]),
        ("small=10 big=10 odd=10 even=10", "3,3,3", [None, None, None, None]),
        ("single:2=10 double:2=10 triple:2=10 any-triple=10", "2,3,4", [1, None, None, None]),
        ("single:2=10 double:2=10 triple:2=10 any-triple=10", "2,2,4", [2, 8, None, None]),
        ("single:2=10 double:2=10 triple:2=10 any-triple=10", "2,2,2", [3, 8, 150, 24]),
        ("total:4=10 total:17=10 pair:12=10 pair:56=10", "1,1,2", [50, None, 5, None]),
        ("total:4=10 total:17=10 pair:12=10 pair:56=10", "6,6,5", [None, 50, None, 5]),
    ],
)
def test_the_club_pays_by_its_own_odds(book: RuleBook, bets: str, roll: str, pays: list[int | None]) -> None:
    """Bets of the club layout are settled at the odds of Harbour House."""
    assert paid(book.layouts["club"], bets, roll) == pays


def test_the_club_pays_its_totals(book: RuleBook) -> None:
    """Totals pay 50, 18, 14, 12, 8, 6 and 6 from the outermost inwards, triples included."""
    odds = dict(zip(range(4, 11), (50, 18, 14, 12, 8, 6, 6), strict=True))
    for roll in ALL_ROLLS:
        for total in range(4, 18):
            expected = odds[min(total, 21 - total)] if roll.total == total else None
            assert book.layouts["club"].pays(BoxName(f"total:{total}"), roll) == expected


def test_rows_narrowed_by_totals_pay_differently(book: RuleBook) -> None:
    """On the grand layout the field and two of the four number boxes pay by the total."""
    grand = book.layouts["grand"]
    field = {roll.total: grand.pays(BoxName("field"), roll) for roll in ALL_ROLLS}
    paying = {5: 2, 6: 1, 7: 1, 8: 1, 13: 1, 14: 1, 15: 1, 16: 1}
    assert field == {total: paying.get(total) for total in range(3, 19)}
    assert paid(grand, "four:1234=10 three:123=10", "3,1,2") == [8, 28]
    assert paid(grand, "four:1234=10 three:123=10", "4,1,2") == [6, None]
    assert paid(grand, "four:3456=10 four:2356=10", "3,5,6") == [6, 7]
    assert paid(grand, "four:3456=10 three:334=10", "3,4,3") == [None, 48]


def test_money_follows_the_odds(book: RuleBook) -> None:
    """A winning stake comes back with its winnings; a losing one does not."""
    club = book.layouts["club"]
    settlement = settle(club, parse_roll("4,4,4"), parse_bets(club, "triple:4=25 big=100 total:12=10"))
    assert [(ruling.winnings, ruling.returned) for ruling in settlement.rulings] == [(3750, 3775), (0, 0), (60, 70)]


@pytest.mark.parametrize("layout", ["club", "grand"])
def test_the_house_keeps_an_edge(book: RuleBook, layout: str) -> None:
    """No box of the example gives the player the edge: who copies it begins with sound odds."""
    table = book.layouts[layout]
    for box in table.boxes:
        returned = Fraction(sum(odds[box] + 1 for odds in table.pay_table if odds[box]), len(ALL_ROLLS))
        assert Fraction(1, 2) < returned < 1, box


def test_its_limits_are_kept(book: RuleBook) -> None:
    """Pro rata and differential hold because the book has these rules, with its own clauses."""
    assert book.clauses_for(Rule.PRO_RATA) == ("5.4", "H2")
    assert book.has(Rule.DIFFERENTIAL)
    limits = make_limits(default={"min": 10, "max": 300}, differential={"big-small": 100})
    bets = [
        Bet(PlayerId(player), BoxName(box), Chips(stake))
        for player, box, stake in (("a", "total:9", 300), ("b", "total:9", 300), ("a", "big", 200))
    ]
    fixed = fix_stakes(book, limits, bets)
    assert fixed.at_risk == (150, 150, 100)
    assert {flag.clauses for flag in fixed.flags} == {("5.4", "H2")}
