"""Money: whole numbers and nothing like them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.core.bets import parse_bets
from taisai.core.boxes import BoxName
from taisai.core.dice import parse_roll
from taisai.core.explain import why
from taisai.core.faults import InputFault
from taisai.core.money import (
    CHIPS_MAX,
    Rounding,
    RoundingRule,
    chips_of,
    odds_number,
    odds_words,
    parse_chips,
    parse_odds,
    unit_needed,
    winnings_of,
    written,
)
from taisai.core.odds import bets_odds, box_odds
from taisai.core.predicates import parse_predicate
from taisai.core.rulebook import Layout, PayRow, make_layout
from taisai.core.settlement import settle
from tests.core.samples import ANYTHING, MANY, bet, hostile_text, parse_boxes, value_or_fault


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


@pytest.mark.parametrize(
    ("amount", "currency", "words"),
    [
        (6667, "SGD", "SGD 66.67"),
        (5000, "NZD", "NZD 50"),
        (5, "NZD", "NZD 0.05"),
        (-5, "NZD", "NZD -0.05"),
        (5000, "JPY", "JPY 5000"),
        (5001, "KWD", "KWD 5.001"),
        (5000, "XXX", "5000"),
        (5000, "", "5000"),
    ],
)
def test_an_amount_in_a_sentence(amount: int, currency: str, words: str) -> None:
    """With the currency's own digits after the point, and none where there are no cents."""
    assert written(amount, currency) == words


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


@pytest.mark.parametrize(
    ("raw", "odds", "number", "words"),
    [
        (8, 8, 8, "8 to 1"),
        ("8 to 1", 8, 8, "8 to 1"),
        ("60 for 1", 59, 59, "59 to 1"),
        ("6 to 5", Fraction(6, 5), "1.2", "1.2 to 1"),
        ("7.5 to 1", Fraction(15, 2), "7.5", "7.5 to 1"),
        ("0.95 to 1", Fraction(19, 20), "0.95", "0.95 to 1"),
        ("2 to 3", Fraction(2, 3), "2/3", "2 to 3"),
        ("3 for 2", Fraction(1, 2), "0.5", "0.5 to 1"),
        ("push", 0, 0, "push"),
    ],
)
def test_odds_are_read_exactly(raw: object, odds: object, number: object, words: str) -> None:
    """Each way of writing odds gives exact odds to 1, one figure and words."""
    found = parse_odds(raw)
    assert (found, odds_number(found), odds_words(found)) == (odds, number, words)
    assert type(found) is type(odds)


@pytest.mark.parametrize(
    ("raw", "remedy"),
    [
        (0, 'write "push" where the stake goes back'),
        ("1 for 1", 'write "push" where the stake goes back'),
        (1.5, 'write "1.5 to 1"'),
        ("8:1", 'write "8 to 1"'),
        ("6/5", 'write "6 to 5"'),
        ("eight", "such as 8, "),
        (True, "got True"),
        (-1, "got -1"),
        ("1 to 0", "got '1 to 0'"),
        ("0.5 for 1", "got '0.5 for 1'"),
        ("1000001 to 1", "up to 1000000 to 1"),
        (None, "got None"),
    ],
)
def test_what_is_no_odds_is_told_what_to_write(raw: object, remedy: str) -> None:
    """Anything else is a fault with the remedy."""
    with pytest.raises(InputFault, match=r"^pays: `pays` is odds") as caught:
        parse_odds(raw)
    assert remedy in caught.value.reason


@given(st.integers(1, 10**9), st.fractions(min_value=0, max_value=100, max_denominator=50), st.sampled_from(Rounding))
def test_money_is_whole_however_odds_are(stake: int, odds: Fraction, way: Rounding) -> None:
    """Rounding moves winnings by less than one minor unit, in its direction; a stake in the unit needs none."""
    won, exact = winnings_of(stake, odds, RoundingRule(way, ("1",))), stake * odds
    twice = {Rounding.DOWN: (0, 2), Rounding.UP: (-2, 0), Rounding.NEAREST: (-1, 1)}[way]
    assert twice[0] <= 2 * (exact - won) <= twice[1]
    unit = unit_needed([odds])
    assert winnings_of(stake * unit, odds, None) == stake * unit * odds


def thai() -> Layout:
    """Hi pays 1.1, Lo 0.95, and on 11 both push; a number pays 1, 2 or 5."""

    def row(boxes: str, pays: object, when: str) -> PayRow:
        return PayRow("bet", parse_boxes(boxes), parse_odds(pays), ("1",), when=parse_predicate(when, "a"))

    rows = (
        row("big", "1.1 to 1", "total in 12..18"),
        row("big", "push", "total == 11"),
        row("small", "0.95 to 1", "total in 3..10"),
        row("single:{a}", 1, "n(a) == 1"),
        row("single:{a}", 2, "n(a) == 2"),
        row("single:{a}", 5, "n(a) == 3"),
    )
    return make_layout(
        book_id="thai", layout_id="A", title="HiLo", clauses=("1",), triple_clauses=(), rows=rows, felt=None
    )


def test_fractions_and_pushes_are_settled() -> None:
    """A fraction pays exactly, a push gives the stake back, lights nothing and is no win; losers lose."""
    layout = thai()
    bets = [bet("big", 100), bet("small", 100), bet("single:4", 20)]
    found = settle(layout, parse_roll("4,4,4"), bets)
    assert found.outcomes == [("1.1", 110, 210), (None, 0, 0), (5, 100, 120)]
    eleven = parse_roll("1,4,6")
    pushed = settle(layout, eleven, bets)
    assert pushed.outcomes == [(0, 0, 100), (None, 0, 0), (1, 20, 40)]
    assert "big" not in layout.lit(eleven)
    words = why(layout, eleven, pushed.rulings[0])
    assert words.startswith("Big pushes: ")
    assert words.endswith("The stake of 100 goes back to the player.")
    part = settle(layout, eleven, bets[:1], [bets[0].stake])
    assert part.outcomes == pushed.outcomes[:1]
    with pytest.raises(InputFault, match="layout thai/A has no box 'odd'"):
        settle(layout, eleven, [bet("odd", 20)])


def test_odds_of_fractions_are_exact() -> None:
    """Ways, return and edge count pushes as returned and not as won."""
    layout = thai()
    big = box_odds(layout, BoxName("big"))
    assert (big.ways, big.returned) == (81, Fraction(81 * Fraction(21, 10) + 27, 216))
    assert layout.back(BoxName("big"), parse_roll("1,4,6")) == 1
    assert layout.back(BoxName("big"), parse_roll("1,1,6")) == 0
    assert bets_odds(layout, [bet("small", 100)]).edge == box_odds(layout, BoxName("small")).edge
    with pytest.raises(InputFault, match="no whole numbers to 1, or pushes"):
        _ = layout.pay_table


def test_stakes_are_multiples_of_what_pays_exactly() -> None:
    """The unit that makes all winnings whole is known, and stakes off it are refused with it."""
    assert thai().unit == 20
    assert parse_bets(thai(), "small=40")
    with pytest.raises(InputFault, match="stakes are multiples of 20, so that all odds win whole amounts, got 30"):
        parse_bets(thai(), "small=30")
