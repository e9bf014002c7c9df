"""What the dealer calls."""

from __future__ import annotations

from string import Formatter

import pytest

from taisai.audit import recount
from taisai.books import Shelf
from taisai.core.calls import CALL_WORDS, result_call
from taisai.core.dice import ALL_ROLLS, parse_roll

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
