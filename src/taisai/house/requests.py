"""Requests for a second person: what one person wants to do, kept until another approves or declines it.

Enters: a command that needs a second person, as it stands. Leaves: a request that carries exactly that command, for one
round and for minutes, and what became of it. Who may approve is decided where it is approved, by the action's own
declaration. Requests are entries of the key-value store, so every node of a house sees the same ones. Serves R15, R37.
"""

from __future__ import annotations

import asyncio
from enum import StrEnum
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from taisai.house.log import Clock
from taisai.house.sessions import MINUTE_US
from taisai.journal.contract import KeyValueStore
from taisai.table.commands import Command
from taisai.table.people import Role

PREFIX: Final = "request/"
LASTS_US: Final = 3 * MINUTE_US
"""How long a request may be approved: about as long as people wait at a table."""
KEPT_US: Final = 10 * MINUTE_US
"""How long the asker's screen can read what became of it."""
WAITING_MOST: Final = 5
"""Requests that one person may have open."""


class Fate(StrEnum):
    """What became of a request."""

    WAITING = "waiting"
    APPROVED = "approved"
    """Approved, and carried out."""
    REFUSED = "refused"
    """Approved, and refused by the table."""
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class Request(Struct, frozen=True, kw_only=True):
    """What somebody asks a second person for."""

    id: str
    table: str
    command: Command
    session: str
    """The key of the asker's session: when it ends, so does the request."""
    roles: tuple[Role, ...]
    """Of which one must approve, as it was when it was asked."""
    asked_at: int
    expires_at: int
    fate: Fate = Fate.WAITING
    by: str = ""
    """Who approved or declined it."""
    note: str = ""
    code: str = ""
    """Why the table refused it."""
    sentence: str = ""
    seq: int = 0
    """The record that it led to."""


class Requests:
    """The open requests of the house."""

    def __init__(self, store: KeyValueStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        # One at a time, so that nothing is both declined and carried out.
        self.turn = asyncio.Lock()

    async def ask(self, table: str, command: Command, session: str, roles: frozenset[Role]) -> Request | None:
        """A new request, or the one that this command has already; None when its asker has too many open.

        A command of the same id that says anything else is another request.
        """
        key = _key_of(table, command)
        async with self.turn:
            found = await self._all()
            same = next((each for each in found if each.id == key), None)
            if same is not None:
                return same
            mine = [each for each in found if each.command.by.id == command.by.id and each.fate is Fate.WAITING]
            if len(mine) >= WAITING_MOST:
                return None
            now = self._clock()
            made = Request(
                id=key, table=table, command=command, session=session, roles=tuple(sorted(roles)),
                asked_at=now, expires_at=now + LASTS_US,
            )  # fmt: skip
            await self.keep(made)
            return made

    async def one(self, request: str) -> Request | None:
        """A request by its id, as it stands now."""
        key = PREFIX + request
        value = (await asyncio.to_thread(self._store.entries, key)).get(key)
        return None if value is None else self._now(msgspec.json.decode(value, type=Request))

    async def waiting(self) -> list[Request]:
        """Those that wait for somebody, the oldest first."""
        found = [each for each in await self._all() if each.fate is Fate.WAITING]
        return sorted(found, key=lambda each: each.asked_at)

    async def keep(self, request: Request) -> None:
        """Write what became of a request."""
        await asyncio.to_thread(self._store.put, PREFIX + request.id, msgspec.json.encode(request))

    async def sweep(self) -> int:
        """Delete what nobody reads any more; how many."""
        old = [each for each in await self._all() if self._clock() >= each.expires_at + KEPT_US]
        for each in old:
            await asyncio.to_thread(self._store.put, PREFIX + each.id, None)
        return len(old)

    async def _all(self) -> list[Request]:
        values = (await asyncio.to_thread(self._store.entries, PREFIX)).values()
        return [self._now(msgspec.json.decode(each, type=Request)) for each in values]

    def _now(self, request: Request) -> Request:
        over = request.fate is Fate.WAITING and self._clock() >= request.expires_at
        return replace(request, fate=Fate.EXPIRED) if over else request


def _key_of(table: str, command: Command) -> str:
    """The id of a request: it follows from everything that would be done, and from who asks."""
    said = msgspec.json.encode((table, command.by, command.id, command.do, command.reason, command.round))
    return sha256(b"taisai request " + said).hexdigest()[:32]
