"""The decoder's messages in plain words, for every message that our types can bring about."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec
import pytest
from msgspec import Meta, Struct

from taisai.core.decoding import decoding_fault


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
