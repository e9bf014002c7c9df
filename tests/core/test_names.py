"""What a book calls its bets and boxes, in its own words and in translations; what the dealer calls."""

from __future__ import annotations

from dataclasses import replace
from string import Formatter

import pytest

from taisai.audit import recount
from taisai.books import Shelf
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_ROLLS, parse_roll
from taisai.core.names import CALL_WORDS, OWN, Names, Part, result_call
from tests.core.samples import ALL_BOXES

FISH = Names("en", ("Fish", "Prawn", "Gourd", "Coin", "Crab", "Rooster"))


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("small", "Small"),
        ("any-triple", "Any triple"),
        ("double:4", "Double 4"),
        ("total:17", "Total 17"),
        ("pair:25", "Combination 2-5"),
        ("three:221", "Three dice 2-2-1"),
        ("four:3456", "Four numbers 3-4-5-6"),
    ],
)
def test_boxes_as_screens_call_them(name: str, title: str) -> None:
    """A screen has little room: a box goes by the name of its family and its faces."""
    assert OWN.box(ALL_BOXES[BoxName(name)]) == title


def test_names_and_needs_tell_boxes_apart() -> None:
    """No two boxes have one name, and none needs what another needs."""
    assert len({OWN.box(box) for box in ALL_BOXES.values()}) == len(ALL_BOXES)
    assert len({OWN.needs(box) for box in ALL_BOXES.values()}) == len(ALL_BOXES)


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("small", "a total from 4 to 10 without a triple"),
        ("total:9", "a total of 9"),
        ("pair:25", "both 2 and 5"),
        ("three:221", "exactly 2, 2, 1"),
        ("four:3456", "three different faces out of 3, 4, 5, 6"),
    ],
)
def test_needs(name: str, needs: str) -> None:
    """What a box needs is said as the end of a sentence."""
    assert OWN.needs(ALL_BOXES[BoxName(name)]) == needs


@pytest.mark.parametrize(
    ("layout", "box", "title"),
    [
        ("rws-tai-sai-v6/C", "pair:25", "Domino Combination Bet 2-5"),
        ("rws-tai-sai-v6/C", "small", "Small"),
        ("rws-tai-sai-v6/C", "three:113", "Double Numbers With Single Dice Combination Bet 1-1-3"),
        ("nz-division-9/2", "single:4", "Individual Die Face Value 4"),
    ],
)
def test_bets_as_the_book_calls_them(shelf: Shelf, layout: str, box: str, title: str) -> None:
    """A sentence calls a bet by the name that the pay table of the book has for it."""
    assert shelf.layout(layout).bet_name(BoxName(box)) == title


def test_faces_have_the_names_of_the_book() -> None:
    """Where faces are pictures, boxes, needs and rolls name the pictures; a total stays a number."""
    assert FISH.box(ALL_BOXES[BoxName("pair:25")]) == "Combination Prawn-Crab"
    assert FISH.needs(ALL_BOXES[BoxName("pair:25")]) == "both Prawn and Crab"
    assert FISH.bet(ALL_BOXES[BoxName("single:1")], "Picture") == "Picture Fish"
    assert FISH.needs(ALL_BOXES[BoxName("total:4")]) == "a total of 4"
    assert FISH.roll(parse_roll("5-1-5")) == "Fish, Crab, Crab"


def test_a_translation_keeps_what_it_lacks() -> None:
    """Words that a translation has stand in the place of the book's; it may say where the faces go."""
    words = {Part.BETS: {"Total": "總和{n}點", "Small": "小"}, Part.KINDS: {"total": "總和"}}
    names = Names("zh-Hant", words=words)
    nine = ALL_BOXES[BoxName("total:9")]
    assert names.bet(nine, "Total") == "總和9點"
    assert names.bet(ALL_BOXES[BoxName("small")], "Small") == "小"
    assert names.bet(nine, "Sum") == "Total 9", "better the box's name in this language than the bet's in another"
    assert (names.kind(nine), OWN.kind(nine), names.box(nine)) == ("總和", "Totals", "Total 9")
    assert names.of(Part.CLAUSES, "4.1", "Bets are placed.") == "Bets are placed."


# --- The dealer's calls -------------------------------------------------------------------------------------------

BOOKS = ("nz-division-9", "rws-open-cover-v3", "rws-tai-sai-v6", "rws-mini-dice-v3")


@pytest.mark.clause("nz-division-9 §6.3")
@pytest.mark.parametrize(
    ("dice", "call"),
    [
        ("1,3,6", "1, 3, 6, total 10"),  # the three examples of the clause itself
        ("3,3,4", "double 3, 4, total 10"),
        ("5,5,5", "triple 5, total 15"),
        ("6,1,3", "1, 3, 6, total 10"),
        ("4,3,3", "double 3, 4, total 10"),
        ("3,4,4", "3, double 4, total 11"),
        ("4,4,3", "3, double 4, total 11"),
        ("6,5,6", "5, double 6, total 17"),
        ("1,1,2", "double 1, 2, total 4"),
        ("1,1,1", "triple 1, total 3"),
        ("6,6,6", "triple 6, total 18"),
    ],
)
def test_the_result_is_called_in_the_forms_of_the_clause(shelf: Shelf, dice: str, call: str) -> None:
    """Faces from low to high and the total, a double or a triple called as such, to the letter."""
    calls = shelf.book("nz-division-9").procedure.calls
    assert result_call(calls, parse_roll(dice)) == call


@pytest.mark.clause("nz-division-9 §6.3")
@pytest.mark.parametrize("book_id", BOOKS)
def test_both_counts_call_alike(shelf: Shelf, book_id: str) -> None:
    """Every roll is called as the second count calls it; the other books borrow the form (I15)."""
    calls = shelf.book(book_id).procedure.calls
    for roll in ALL_ROLLS:
        assert result_call(calls, roll) == recount.call(roll.faces)


def test_a_call_tells_the_dice_apart(shelf: Shelf) -> None:
    """The 56 combinations have 56 calls: whoever hears the call knows the dice."""
    calls = shelf.book("nz-division-9").procedure.calls
    assert len({result_call(calls, roll) for roll in ALL_ROLLS}) == 56


@pytest.mark.parametrize("book_id", BOOKS)
def test_each_form_says_all_its_words(shelf: Shelf, book_id: str) -> None:
    """A form of call fills in exactly the words that are listed for it."""
    calls = shelf.book(book_id).procedure.calls
    for form, words in CALL_WORDS.items():
        template: str = getattr(calls, form)
        assert {name for _, name, _, _ in Formatter().parse(template) if name} == words


def test_the_dealer_calls_faces_by_their_names(shelf: Shelf) -> None:
    """Where dice have pictures, the pictures are called."""
    calls = replace(shelf.book("nz-division-9").procedure.calls, faces=FISH.faces)
    assert result_call(calls, parse_roll("1-2-5")) == "Fish, Prawn, Crab, total 8"
    assert result_call(calls, parse_roll("5-1-5")) == "Fish, double Crab, total 11"
