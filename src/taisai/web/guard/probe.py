"""Whether the journal takes writes, for `/readyz`.

Enters: requests for it, from anybody and as often as they like. Leaves: which other nodes serve the journal, or the
`JournalError` that a bet would meet now: the disk is full or read-only, the database is gone. Only a write tells, so
one is made and taken back, once for all who ask within a second. It is as large as some pages of a database: one that
fits the last page proves nothing.
"""

from __future__ import annotations

import asyncio
from os import urandom
from time import monotonic
from typing import Final

from taisai.floor.floor import Floor
from taisai.floor.router import others_of
from taisai.journal import Journal

KEY: Final = "probe"
SIZE: Final = 32 * 1024
"""Bytes that are written. They are random, because a store may compress."""
KEPT_S: Final = 1.0
"""How long a finding is told to others who ask."""


class Probe:
    """Tries the journal of a floor."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._asked_at = -KEPT_S
        self._trying: asyncio.Future[list[str]] | None = None

    async def check(self) -> list[str]:
        """The addresses of the nodes that serve the journal; raises what keeps it from taking a write, if anything."""
        trying, now = self._trying, monotonic()
        if trying is None or (trying.done() and now - self._asked_at >= KEPT_S):
            self._asked_at = now
            trying = self._trying = asyncio.ensure_future(self._floor.writer.run(_try))
            trying.add_done_callback(lambda done: done.cancelled() or done.exception())  # marks it as retrieved
        return await asyncio.shield(trying)


def _try(journal: Journal) -> list[str]:
    journal.put(KEY, urandom(SIZE))
    journal.put(KEY, None)
    return others_of(journal)
