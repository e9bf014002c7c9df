"""Events in lines of output: every one has words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.notation.narration import output_of
from taisai.table.notation.script import (
    CommandLine,
    parse_shift,
)
from taisai.table.people import Person, Role
from tests.table.notation.dealt_shifts import HEAD
from tests.table.strategies import EVENT_TYPES, event_bodies, examples


@pytest.mark.parametrize("kind", EVENT_TYPES, ids=lambda kind: str(kind.__struct_config__.tag))
@examples(15)
@given(data=st.data())
def test_every_event_is_told_in_lines_of_a_file(kind: type[e.EventBody], data: st.DataObject) -> None:
    """An event of any kind is told in printable lines which a file gives back."""
    lines = output_of(data.draw(event_bodies(kind)))
    assert lines
    text = HEAD + "dan: enter\n" + "".join(f"  {line}\n" for line in lines)
    assert parse_shift(text).lines[-1] == CommandLine(
        c.Command(id="1", at=0, by=Person("dan", Role.DEALER), do=c.Enter()), lines
    )
    # The fallback tells an event by its name; all of today's have a sentence of their own.
    assert not lines[0].startswith(f"- {kind.__struct_config__.tag} ")
