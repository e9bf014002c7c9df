"""Money: whole numbers and nothing like them."""

from __future__ import annotations

import pytest
from hypothesis import given

from taisai.core.faults import InputFault
from taisai.core.money import CHIPS_MAX, chips_of, parse_chips
from tests.core.samples import ANYTHING, MANY, hostile_text, value_or_fault


@pytest.mark.parametrize("amount", [0, 1, 100, CHIPS_MAX])
def test_an_amount_is_taken_as_it_is(amount: int) -> None:
    """A whole number from nothing to the largest amount is chips, given as a number or as text."""
    assert chips_of(amount, "stake") == amount
    assert parse_chips(str(amount), "stake") == amount
    assert parse_chips(f"000{amount}", "stake") == amount


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (1.0, "whole number"),
        (1.5, "whole number"),
        (True, "whole number"),
        (False, "whole number"),
        (None, "whole number"),
        ("100", "whole number"),
        ([100], "whole number"),
        (-1, "at least 0, got -1"),
        (CHIPS_MAX + 1, "at most 1000000000000000, got 1000000000000001"),
    ],
)
def test_what_is_no_amount_is_refused(amount: object, words: str) -> None:
    """A fraction, a truth value, a text, a negative and an absurd number are faults that name the field."""
    with pytest.raises(InputFault, match=r"^bets\[3\]\.stake: ") as caught:
        chips_of(amount, "bets[3].stake")
    assert words in caught.value.reason


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "whole number"),
        ("-1", "whole number"),
        ("+1", "whole number"),
        (" 1", "whole number"),
        ("1_000", "whole number"),
        ("1.00", "whole number"),
        ("1e3", "whole number"),
        ("٣", "whole number"),
        ("³", "whole number"),
        ("1000000000000001", "at most 1000000000000000"),
        pytest.param("9" * 5000, "at most 1000000000000000", id="5000 digits"),
    ],
)
def test_what_is_written_as_no_amount_is_refused(text: str, words: str) -> None:
    """Only plain digits are read, and a number too long for Python is a fault like any other."""
    with pytest.raises(InputFault, match=r"^stake: ") as caught:
        parse_chips(text, "stake")
    assert words in caught.value.reason
    assert len(str(caught.value)) < 150


def test_a_number_too_long_to_write_is_refused() -> None:
    """A number that Python cannot even quote is refused like any other that is too large or too small."""
    for amount, words in ((10**5000, "at most 1000000000000000"), (-(10**5000), "at least 0")):
        with pytest.raises(InputFault, match=f"^stake: an amount is {words}, got a number too long to write out$"):
            chips_of(amount, "stake")


def test_a_smallest_amount_can_be_asked_for() -> None:
    """A stake is at least one, a limit may be nothing."""
    assert chips_of(1, "stake", at_least=1) == 1
    with pytest.raises(InputFault, match=r"^stake: an amount is at least 1, got 0$"):
        chips_of(0, "stake", at_least=1)
    with pytest.raises(InputFault, match=r"^stake: an amount is at least 1, got 0$"):
        parse_chips("000", "stake", at_least=1)


def test_the_largest_winnings_fit_64_bits() -> None:
    """The largest stake at the highest odds of the books, with the stake, is still a number of 63 bits."""
    assert CHIPS_MAX * 181 < 2**63


@MANY
@given(ANYTHING)
def test_hostile_amounts_give_chips_or_a_fault(amount: object) -> None:
    """Whatever the value is, it is the very amount or a fault in one line."""
    found = value_or_fault(lambda: chips_of(amount, "stake"))
    valid = type(amount) is int and 0 <= amount <= CHIPS_MAX
    assert isinstance(found, InputFault) != valid
    assert isinstance(found, InputFault) or found == amount


@MANY
@given(hostile_text(["0", "100", str(CHIPS_MAX), "9" * 4301]))
def test_hostile_text_gives_chips_or_a_fault(text: str) -> None:
    """Whatever the text is, it is an amount in plain digits or a fault in one line."""
    found = value_or_fault(lambda: parse_chips(text, "stake"))
    if not isinstance(found, InputFault):
        assert str(found) == (text.lstrip("0") or "0")
        assert 0 <= found <= CHIPS_MAX
