"""Predicates over the dice: what they hold on, and that a wrong one says where it goes wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.core.dice import ALL_COMBINATIONS, Roll
from taisai.core.faults import InputFault
from taisai.core.predicates import EVERY, TEXT_MAX, Predicate, first_of, parse_predicate, showing, totalling
from tests.core.samples import MANY, hostile_text, value_or_fault


def rolls_of(text: str, **values: int) -> list[Roll]:
    """The combinations on which a predicate holds."""
    found = parse_predicate(text, values).holds(values)
    return [roll for place, roll in enumerate(ALL_COMBINATIONS) if found >> place & 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("triple", lambda roll: roll.is_triple),
        ("not triple", lambda roll: not roll.is_triple),
        ("total == 9", lambda roll: roll.total == 9),
        ("total != 9", lambda roll: roll.total != 9),
        ("9 < total", lambda roll: roll.total > 9),
        ("total <= 9 and low >= 2", lambda roll: roll.total <= 9 and min(roll.faces) >= 2),
        ("high > 4 or distinct == 1", lambda roll: max(roll.faces) > 4 or roll.is_triple),
        ("low == high", lambda roll: roll.is_triple),
        ("n(3) == 2", lambda roll: roll.count(3) == 2),
        ("n({1, 6}) == 1", lambda roll: roll.count(1) + roll.count(6) == 1),
        ("n({1..3, 5}) < 2", lambda roll: sum(roll.count(face) for face in (1, 2, 3, 5)) < 2),
        ("total in 4..10", lambda roll: 4 <= roll.total <= 10),
        ("total in {5..8, 13, 14..16}", lambda roll: roll.total in {5, 6, 7, 8, 13, 14, 15, 16}),
        ("total not in {3, 18}", lambda roll: roll.total not in {3, 18}),
        ("not (triple or total in 3..10)", lambda roll: not (roll.is_triple or roll.total <= 10)),
        ("triple or total == 4 and low == 9", lambda roll: roll.is_triple),
        ("n(a) == 2 and n(b) == 1", lambda roll: roll.count(4) == 2 and roll.count(2) == 1),
        ("n({a, b}) >= 1 and total == t", lambda roll: roll.count(4) + roll.count(2) >= 1 and roll.total == 11),
        ("total in b..t", lambda roll: 2 <= roll.total <= 11),
        ("low in 5..2", lambda _: False),
        ("((((triple))))", lambda roll: roll.is_triple),
    ],
)
def test_a_predicate_holds_where_it_says(text: str, expected: object) -> None:
    """Each form of the grammar, against the same in Python."""
    assert callable(expected)
    assert rolls_of(text, a=4, b=2, t=11) == [roll for roll in ALL_COMBINATIONS if expected(roll)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "character 1: needs a test of the dice"),
        ("total", "character 6: needs a comparison: == != <= >= < > or in, and it ends there"),
        ("total = 4", "character 7: needs a comparison: == != <= >= < > or in, got '='; write =="),
        ("total ≥ 4", "got '≥'; write >="),
        ("total in 9-12", "character 11: needs .., got '-'; a range is written 4..10"),
        ("total in 9…12", "got '…'; a range is written 4..10"),
        ("total in 5", "character 11: needs .., and it ends there"),
        ("total in", "needs a set {...} or a range such as 4..10"),
        ("total in {4, 17", "character 16: needs }, and it ends there"),
        ("total in {4, }", "character 14: needs a number, got '}'"),
        ("total not 5", "character 11: needs in, got '5'"),
        ("total == 19", "needs a number up to 18, got '19'"),
        ("total == 999999999999", "needs a number up to 18"),
        ("n(0) == 1", "needs a face from 1 to 6, got '0'"),
        ("n(7) == 1", "needs a face from 1 to 6, got '7'"),
        ("n({1..7}) == 1", "needs a face from 1 to 6, got '7'"),
        ("n 4 == 1", "character 3: needs (, got '4'"),
        ("n(4 == 1", "character 5: needs ), got '=='"),
        ("n(b) == 1", "character 3: needs a face or a set of faces, got 'b'; the boxes' name has no {b}"),
        ("n(total) == 1", "needs a face or a set of faces, got 'total'"),
        ("triple & low == 1", "character 8: needs and, or or the end, got '&'; write and"),
        ("triple triple", "needs and, or or the end, got 'triple'"),
        ("(triple", "character 8: needs ), and it ends there"),
        ("total == 4)", "got ')'"),
        ("Total == 4", "needs a test of the dice"),
        ("die1 == 4", "needs a test of the dice"),
        ("total == ４", "got '４'"),
        ("not " * 30 + "triple", "brackets and nots at most 20 deep"),
        ("(" * 100, "brackets and nots at most 20 deep"),
        ("x" * (TEXT_MAX + 1), f"is longer than {TEXT_MAX} characters"),
    ],
)
def test_a_wrong_predicate_says_where(text: str, reason: str) -> None:
    """The fault has the character, what is needed there, and what was probably meant."""
    with pytest.raises(InputFault, match=r"^row: ") as caught:
        parse_predicate(text, "a", "row")
    assert reason in caught.value.reason


@MANY
@given(hostile_text(["n(a) >= 2", "total in {4..10, 17} and not triple", "(low == 1 or high == 6) and n({1, 2}) < 2"]))
def test_hostile_text_gives_a_predicate_or_a_fault(text: str) -> None:
    """Whatever the text is, it is a predicate or a fault in one line."""
    found = value_or_fault(lambda: parse_predicate(text, "a"))
    assert isinstance(found, InputFault) or 0 <= found.holds({"a": 3}) <= EVERY


@given(st.integers(1, 6), st.integers(0, 3), st.sets(st.integers(3, 18)))
def test_short_cuts_agree_with_predicates(face: int, dice: int, totals: set[int]) -> None:
    """`dice` and `totals` of a pay row are predicates too."""
    assert showing(face, dice) == parse_predicate(f"n({face}) == {dice}").holds({})
    if totals:
        listed = ", ".join(map(str, totals))
        assert totalling(totals) == parse_predicate(f"total in {{{listed}}}").holds({})
        assert first_of(totalling(totals)).total == min(totals, key=first_place)


def first_place(total: int) -> int:
    """Where the first combination of a total stands."""
    return next(place for place, roll in enumerate(ALL_COMBINATIONS) if roll.total == total)


def test_a_predicate_knows_its_terms() -> None:
    """What of the dice it asks is known, for explanations."""
    found = parse_predicate("n(1) == 1 and (total in 4..9 or not triple)")
    assert isinstance(found, Predicate)
    assert found.terms == {"n", "total", "triple"}
    assert found.text.startswith("n(1)")
