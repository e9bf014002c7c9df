"""The house's log: what happens beside the tables, on disk before anybody is told.

Enters: events of the house, from the event loop. Leaves: records of the stream `@house`. The events themselves, their
form on disk and their words are `journal.house`, where the audit finds them too. Serves R30, R31, R37.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from secrets import token_hex
from typing import Final, Protocol, TypeAlias, TypeVar

from taisai.journal.contract import Journal, SequenceConflict
from taisai.journal.record import Batch
from taisai.streams.house_events import (
    HOUSE,
    THE_HOUSE,
    HouseEvent,
    Notice,
    game_tables,
    house_event_of,
    house_records_of,
    house_told,
    is_significant,
    read_house,
)

T = TypeVar("T")

Log: TypeAlias = Callable[[HouseEvent], Awaitable[None]]
"""Writes an event of the house; it is durable when this returns."""
Clock: TypeAlias = Callable[[], int]
"""The time in microseconds since 1970, UTC."""

TRIES: Final = 100
"""How often an event is written again when another node wrote to the stream at the same moment."""


class Run(Protocol):
    """Has something done with the journal, away from the event loop, and gives what comes of it."""

    def __call__(self, work: Callable[[Journal], T], /) -> Awaitable[T]:
        """Do it."""
        ...


class Drawer(Protocol):
    """Where accounts, sessions and codes are kept: beside the journal's records, and not in them."""

    def keep(self, name: str, value: bytes | None) -> None:
        """Keep a thing, durably; None lets go of it."""
        ...

    def kept(self, prefix: str = "") -> dict[str, bytes]:
        """The things whose name begins so."""
        ...


class MemoryDrawer:
    """A drawer that lives no longer than the process."""

    def __init__(self) -> None:
        self.things: dict[str, bytes] = {}

    def keep(self, name: str, value: bytes | None) -> None:
        """Keep a thing; None lets go of it."""
        if value is None:
            self.things.pop(name, None)
        else:
            self.things[name] = value

    def kept(self, prefix: str = "") -> dict[str, bytes]:
        """The things whose name begins so."""
        return {name: value for name, value in sorted(self.things.items()) if name.startswith(prefix)}


def append_house(journal: Journal, events: Sequence[HouseEvent]) -> None:
    """Write events of the house, in one commit; another node's writing at the same moment is no obstacle."""
    records = house_records_of(f"house-{token_hex(12)}", events)
    for tried in range(1, TRIES + 1):
        try:
            journal.append([Batch(HOUSE, journal.head(HOUSE).seq, records)])
        except SequenceConflict:
            if tried == TRIES:
                raise
        else:
            return


def in_a_thread(journal: Journal) -> Run:
    """How to have things done with an open journal, where no writer of its own stands between."""

    def run(work: Callable[[Journal], T], /) -> Awaitable[T]:
        return asyncio.to_thread(work, journal)

    return run


class HouseLog:
    """Writes the house's stream; called with an event it is the `log` of accounts, sessions and seats."""

    def __init__(self, run: Run, clock: Clock) -> None:
        self._run = run
        self._clock = clock

    async def __call__(self, event: HouseEvent) -> None:
        """Write an event. When this returns it is on disk."""
        await self._run(lambda journal: append_house(journal, [event]))

    async def note(self, what: Notice, *, by: str = THE_HOUSE, authorised_by: str = "", reason: str = "") -> None:
        """Write something that happens now."""
        await self(HouseEvent(self._clock(), by, what, authorised_by, reason))


__all__ = [
    "HOUSE",
    "THE_HOUSE",
    "Clock",
    "Drawer",
    "HouseEvent",
    "HouseLog",
    "Log",
    "MemoryDrawer",
    "Notice",
    "Run",
    "append_house",
    "game_tables",
    "house_event_of",
    "house_records_of",
    "house_told",
    "in_a_thread",
    "is_significant",
    "read_house",
]
