"""Faults of input: one line that names the field."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.core.faults import InputFault, shown
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
