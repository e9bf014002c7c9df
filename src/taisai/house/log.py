"""The house's log: events of the house, on disk before anybody is answered.

Enters: events of the house, from the event loop. Leaves: records of the stream `@house` (`streams.house_events`).
Serves R30, R31, R37.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from secrets import token_hex
from typing import Final, Protocol, TypeAlias, TypeVar

from taisai.journal.contract import Journal, SequenceConflict
from taisai.journal.record import Batch
from taisai.streams.house_events import HOUSE_ACTOR, HOUSE_STREAM, HouseEvent, HouseEventBody, house_records_of

T = TypeVar("T")

Log: TypeAlias = Callable[[HouseEvent], Awaitable[None]]
"""Writes an event of the house; it is durable when this returns."""
Clock: TypeAlias = Callable[[], int]
"""The time in microseconds since 1970, UTC."""

TRIES: Final = 100
"""How often an event is written again when another node wrote to the stream at the same moment."""


class Run(Protocol):
    """Runs work with the journal, away from the event loop, and gives its result."""

    def __call__(self, work: Callable[[Journal], T], /) -> Awaitable[T]:
        """Run it."""
        ...


def append_house(journal: Journal, events: Sequence[HouseEvent]) -> None:
    """Write events of the house, in one commit; retried when another node writes to the stream at the same moment."""
    records = house_records_of(f"house-{token_hex(12)}", events)
    for attempt in range(1, TRIES + 1):
        try:
            journal.append([Batch(HOUSE_STREAM, journal.head(HOUSE_STREAM).seq, records)])
        except SequenceConflict:
            if attempt == TRIES:
                raise
        else:
            return


class HouseLog:
    """Writes the house's stream; called with an event it is the `log` of accounts, sessions and seats."""

    def __init__(self, run: Run, clock: Clock) -> None:
        self._run = run
        self._clock = clock
        self.opaque: Callable[[HouseEvent], Awaitable[HouseEvent]] | None = None
        """What puts ids in the place of names and addresses (`house.persons`)."""

    async def __call__(self, event: HouseEvent) -> None:
        """Write an event. When this returns it is on disk."""
        kept = event if self.opaque is None else await self.opaque(event)
        await self._run(lambda journal: append_house(journal, [kept]))

    async def note(
        self, what: HouseEventBody, *, by: str = HOUSE_ACTOR, authorised_by: str = "", reason: str = ""
    ) -> None:
        """Write something that happens now."""
        await self(HouseEvent(self._clock(), by, what, authorised_by, reason))
