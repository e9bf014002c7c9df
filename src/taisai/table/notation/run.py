"""Running a shift: every command through `decide` and `evolve`, with what came of it.

Enters: a script, and where to find rule books. Leaves: a transcript: for each command its events or its refusal, and
the same as lines of output. A refused command does not stop the shift. Expected and actual output are compared as
text, so a difference reads like the file.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from taisai.core.rulebook import RuleBook
from taisai.table import commands as c
from taisai.table.decide import decide
from taisai.table.events import Event
from taisai.table.evolve import evolve
from taisai.table.notation.narration import output_of, refusal_line
from taisai.table.notation.script import BOOKS_DIGEST, CommandLine, Script, format_shift
from taisai.table.refusals import Refusal
from taisai.table.rules import TableRules
from taisai.table.state import TableState

_CONTEXT_LINES: Final = 4


class Entry(Struct, frozen=True):
    """A command and what came of it."""

    command: c.Command
    events: tuple[Event, ...]
    refusal: Refusal | None
    output: tuple[str, ...]


class Transcript(Struct, frozen=True):
    """A shift as it was dealt."""

    entries: tuple[Entry, ...]
    state: TableState
    """The table at the end."""


def with_digest(command: c.Command, book: RuleBook) -> c.Command:
    """The command as the table gets it: a set-up that names no digest means the book at hand."""
    if isinstance(command.do, c.SetUp) and command.do.digest == BOOKS_DIGEST:
        return replace(command, do=replace(command.do, digest=book.digest))
    return command


def step(rules: TableRules, state: TableState, command: c.Command) -> tuple[Entry, TableState]:
    """One command: what came of it, and the table afterwards."""
    found = decide(rules, state, command)
    if isinstance(found, Refusal):
        return Entry(command, (), found, (refusal_line(found),)), state
    for event in found:
        state = evolve(state, event)
    return Entry(command, tuple(found), None, tuple(line for event in found for line in output_of(event.what))), state


def run_shift(book_of: Callable[[str], RuleBook], script: Script) -> Transcript:
    """Deal a whole shift from an empty table."""
    head = script.head
    rules = TableRules(book_of(head.book))
    state = TableState(table=head.table)
    entries = []
    for command in script.commands:
        entry, state = step(rules, state, with_digest(command, rules.book))
        entries.append(entry)
    return Transcript(tuple(entries), state)


def blessed(script: Script, transcript: Transcript) -> Script:
    """The script with the output that it gave as the output that it expects."""
    entries = iter(transcript.entries)
    return Script(
        tuple(
            replace(line, expected=next(entries).output) if isinstance(line, CommandLine) else line
            for line in script.lines
        )
    )


def differences(script: Script, transcript: Transcript) -> tuple[str, ...]:
    """Where the output is not the expected one, as a unified diff; empty when all is as expected."""
    expected, dealt = format_shift(script), format_shift(blessed(script, transcript))
    lines = difflib.unified_diff(
        expected.split("\n"), dealt.split("\n"), "expected", "dealt", lineterm="", n=_CONTEXT_LINES
    )
    return tuple(lines)
