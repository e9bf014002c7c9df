"""Attempts: what somebody tried that the book does not allow them, counted in the house's log.

Enters: commands that a table refused. Leaves: of bets after the close, acts above somebody's rank and words that the
record contradicts: who tried what at which table, against which clauses, how often. The first in a round is written at
once and the count when the round is over, so that a flood costs a counter and not a disk; beyond
`bounds.ATTEMPTS_OF_ROUND` different ones the rest are counted together, under nobody's name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from taisai.bounds import ATTEMPTS_OF_ROUND
from taisai.streams.house_events import HOUSE_ACTOR, Attempted
from taisai.table import events as e
from taisai.table.commands import Command
from taisai.table.events import Event
from taisai.table.people import Role
from taisai.table.refusals import Code, Refusal

if TYPE_CHECKING:
    from taisai.floor.live import LiveTable

WATCHED: Final = frozenset({Code.BETS_CLOSED, Code.NOT_YOURS_TO_DO, Code.CONTRADICTED, Code.SECOND_PERSON_UNFIT})
"""What a regulator wants to know of, though nothing came of it."""
OTHERS: Final = "others"
"""What is counted together once a round has seen too many different attempts."""
_ENDS: Final = (e.RoundConcluded, e.RoundVoided, e.TableClosed)

Note = Callable[[Attempted, str], None]
"""Writes an event of the house, by a person."""


class _Tried(NamedTuple):
    by: str
    action: str
    code: str


class Attempts:
    """The attempts at the tables of this node, in the round that each of them is in."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._counts: dict[str, dict[_Tried, tuple[Attempted, int]]] = {}

    def refused(self, table: LiveTable, command: Command, refusal: Refusal) -> None:
        """Count what was refused, if it is worth a record; the house's own dealer tries nothing."""
        if refusal.code not in WATCHED or command.by.role is Role.SYSTEM:
            return
        counts = self._counts.setdefault(table.name, {})
        action = str(type(command.do).__struct_config__.tag)
        tried = _Tried(command.by.id, action, refusal.code)
        first = Attempted(table.name, table.state.round.number, action, refusal.code, refusal.clauses)
        if tried not in counts and len(counts) >= ATTEMPTS_OF_ROUND:
            tried = _Tried(HOUSE_ACTOR, OTHERS, OTHERS)
            first = Attempted(table.name, table.state.round.number, OTHERS, OTHERS, ())
        known, times = counts.get(tried, (first, 0))
        counts[tried] = (known, times + 1)
        if not times:
            self._note(first, tried.by)

    def on_events(self, table: LiveTable, events: tuple[Event, ...]) -> None:
        """When a round is over, what was tried more than once in it is written with its count."""
        if any(isinstance(event.what, _ENDS) for event in events):
            self.flush(table.name)

    def flush(self, table: str) -> None:
        """Write what a table has counted since the first of each."""
        for tried, (known, times) in self._counts.pop(table, {}).items():
            if times > 1:
                self._note(replace(known, times=times), tried.by)

    def flush_all(self) -> None:
        """The same of every table, before the program stops."""
        for table in list(self._counts):
            self.flush(table)
