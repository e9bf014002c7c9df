"""Tables as they are dealt, step by step: every shift under tests/shifts, and tables that go their way by chance."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple

import msgspec

from taisai.books import open_shelf
from taisai.core.rulebook import RuleBook
from taisai.table.commands import Command
from taisai.table.events import Event
from taisai.table.evolve import evolve
from taisai.table.notation.run import run_shift
from taisai.table.notation.script import parse_shift
from taisai.table.rules import TableRules
from taisai.table.state import TableState
from tests import ROOT
from tests.table.test_whole_shifts import machine_of, one_move

SHIFTS = sorted((ROOT / "tests" / "shifts").rglob("*.shift"))
_book = cache(open_shelf([ROOT / "examples" / "books"], environment={}).book)


class Step(NamedTuple):
    """One thing that happened at a table."""

    rules: TableRules
    before: TableState
    events: tuple[Event, ...]
    after: TableState
    command: Command | None = None
    """What was asked, where the step is of a shift."""

    @property
    def rules_before(self) -> TableRules | None:
        """The rules that the table stood under before: none until it is set up."""
        return None if self.before.set_up is None else self.rules

    @property
    def rules_after(self) -> TableRules | None:
        """The rules that the table stands under after it."""
        return None if self.after.set_up is None else self.rules


@cache
def steps_of_shifts() -> tuple[Step, ...]:
    """Every command of every shift that was carried out."""
    return tuple(step for path in SHIFTS for step in _steps_of_shift(path.read_text(encoding="utf-8"), path.name))


def _steps_of_shift(text: str, name: str) -> Iterator[Step]:
    script = parse_shift(text, name)
    rules, state = TableRules(_book(script.head.book)), TableState(script.head.table)
    for entry in run_shift(_book, script).entries:
        if entry.events:
            before = state
            for event in entry.events:
                state = evolve(state, event)
            yield Step(rules, before, entry.events, state, entry.command)


def steps_by_chance(layout: str, seed: int, moves: int = 60) -> Iterator[Step]:
    """Every event of a table that is dealt by chance, faults included."""
    chance = Random(f"view {layout} {seed}")
    shift = machine_of(layout)()
    shift.open_table(tight=seed % 2 == 0, chips=chance.choice([20, 300]))
    for _ in range(moves):
        one_move(shift, chance)
    state = TableState(shift.deal.state.table)
    for event in shift.deal.record:
        before, state = state, evolve(state, event)
        yield Step(shift.deal.rules, before, (event,), state)


def book(name: str) -> RuleBook:
    """A rule book of the package."""
    return _book(name)


def as_json(value: object) -> Any:
    """A value as a client reads it."""
    return msgspec.json.decode(msgspec.json.encode(value))


def without_nulls(value: Any) -> Any:
    """A JSON value in which a null and a missing key are the same, as they are in a patched view."""
    match value:
        case dict():
            return {name: without_nulls(each) for name, each in value.items() if each is not None}
        case list():
            return [without_nulls(each) for each in value]
        case _:
            return value
