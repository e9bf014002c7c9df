"""Faults of input: one line that names the field, in plain words for every message of the decoder."""

from __future__ import annotations

import copy
import pickle
from enum import StrEnum
from typing import Annotated

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct

from taisai.core.faults import InputFault, decoding_fault, one_line, shown
from tests.core.samples import ANYTHING, MANY


def test_a_fault_reads_as_field_and_reason() -> None:
    """The text is `field: reason`, or the reason alone when no field holds it."""
    assert str(InputFault("dice", "needs three faces")) == "dice: needs three faces"
    assert str(InputFault("", "not a case")) == "not a case"
    assert isinstance(InputFault("dice", "needs three faces"), ValueError)


def test_a_fault_seen_from_outside() -> None:
    """The document that holds a field puts its name before it."""
    assert str(InputFault("unit", "too small").under("limits")) == "limits.unit: too small"
    assert str(InputFault("", "too small").under("limits")) == "limits: too small"
    assert InputFault("unit", "too small").under("limits").under("case").field == "case.limits.unit"


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda fault: pickle.loads(pickle.dumps(fault))])
def test_a_fault_comes_through_whole(again: object) -> None:
    """A fault that is copied, or comes from another process, is the same fault."""
    assert callable(again)
    fault = again(InputFault("dice[1]", "no face"))
    assert (type(fault), fault.field, fault.reason, str(fault)) == (
        InputFault,
        "dice[1]",
        "no face",
        "dice[1]: no face",
    )


def test_values_are_quoted() -> None:
    """A value is quoted as Python writes it, and a long one is cut."""
    assert shown("small") == "'small'"
    assert shown(7) == "7"
    assert shown("x" * 38) == "'" + "x" * 38 + "'"
    assert shown("x" * 39) == "'" + "x" * 38 + "…"
    assert shown("a\nb\x1b[31m\u202e") == r"'a\nb\x1b[31m\u202e'"
    assert shown("a" * 9, limit=5) == "'aaa…"


def test_a_number_too_long_to_write_is_still_quoted() -> None:
    """Python refuses to write such a number out, which must not hide the fault."""
    for number in (10**4300, -(10**5000), [10**5000]):
        assert shown(number) == "a number too long to write out"


@MANY
@given(ANYTHING | st.text())
def test_whatever_is_quoted_stays_on_one_short_line(value: object) -> None:
    """No value brings a line end, a control character or a page of text into a message."""
    text = shown(value)
    assert text.isprintable()
    assert len(text) <= 40


class Colour(StrEnum):
    """An enumeration."""

    RED = "red"


class Form(Struct, forbid_unknown_fields=True):
    """A form with every kind of field that ours have."""

    name: Annotated[str, Meta(min_length=1, max_length=3, pattern=r"^[a-z]*$(?!\n)")] = "a"
    count: dict[Annotated[int, Meta(ge=1)], int] = {}
    dice: tuple[Annotated[int, Meta(le=6)], int] = (1, 1)
    colour: Colour = Colour.RED
    inner: Form | None = None
    either: int | str | None = None
    ratio: float = 0.0


@pytest.mark.parametrize(
    ("text", "field", "reason"),
    [
        ("[]", "", "must be an object, got a list"),
        ('{"x": 1}', "x", "unknown key"),
        ('{"inner": {"inner": {"x": 1}}}', "inner.inner.x", "unknown key"),
        ('{"inner": 1}', "inner", "must be an object or null, got a whole number"),
        ('{"name": true}', "name", "must be a text, got true or false"),
        ('{"name": ""}', "name", "must be a text of length >= 1"),
        ('{"name": "abcd"}', "name", "must be a text of length <= 3"),
        ('{"name": "A"}', "name", "must be a text of the form [a-z]*"),
        ('{"count": {"x": 1}}', "count", "must be a whole number, got a text"),
        ('{"count": {"0": 1}}', "count", "must be a whole number >= 1"),
        ('{"count": {"1": "x"}}', "count.*", "must be a whole number, got a text"),
        ('{"dice": [1]}', "dice", "must be a list of length 2"),
        ('{"dice": [7, 1]}', "dice[0]", "must be a whole number <= 6"),
        ('{"colour": "blue"}', "colour", "unknown value 'blue'"),
        ('{"either": []}', "either", "must be a whole number, a text or null, got a list"),
        ('{"ratio": "x"}', "ratio", "must be a number, got a text"),
    ],
)
def test_what_is_wrong_is_said_with_its_field(text: str, field: str, reason: str) -> None:
    """The decoder itself is made to complain, and its message becomes a field and a plain reason."""
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.json.decode(text, type=Form)
    fault = decoding_fault(str(refused.value))
    assert (fault.field, fault.reason) == (field, reason)


def test_a_missing_field_is_named() -> None:
    """Where a field is missing, the path names that field and not what should hold it."""
    fault = decoding_fault("Object missing required field `box` - at `$.bets[0]`")
    assert str(fault) == "bets[0].box: is missing"


def test_a_message_that_is_not_known_is_passed_on() -> None:
    """A decoder of another version may say something new: it is said as it is."""
    assert str(decoding_fault("something new")) == "something new"
    assert str(decoding_fault("something\nnew - at `$.a.b`")) == "a.b: something\nnew"


def test_control_characters_are_written_out() -> None:
    """A text for a terminal or a log stays on one line and sends no escapes; other scripts stay as they are."""
    assert one_line("caf\u00e9 \u56f4\u9ab0") == "caf\u00e9 \u56f4\u9ab0"
    assert one_line("a\r\nb\x1b[2J\x9b") == r"a\r\nb\x1b[2J\x9b"
