"""Guesses: wrong passwords, counted for each pair of asker and login.

Enters: who asks (an address, or the person at whose side a second one types), the login, and that the password was
wrong. Leaves: how long this asker must wait before the next try at this login. The third failure locks the pair, for
minutes that double with every further one: R37's lock, in a form with which a stranger shuts out nobody else.

Guesses at one login that come from many addresses are slowed together; whoever has signed in from an address before is
not slowed there by others. An unknown login is counted as a known one, before and after a restart. What is stored
names neither the login nor the address. Serves R37.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from hashlib import sha256
from ipaddress import IPv6Address, ip_address
from typing import Final

import msgspec
from msgspec import Struct

from taisai.house.log import Clock
from taisai.journal.contract import KeyValueStore
from taisai.settings.forms import SignIn

PREFIX: Final = "guess/"
MINUTE_US: Final = 60_000_000
WAIT_MAX_US: Final = 24 * 60 * MINUTE_US
"""No lock lasts longer than a day."""
IN_ALL_AN_HOUR: Final = 100
"""Wrong passwords for one login from all addresses together, where nobody has signed in to it before."""
_EVERYBODY: Final = "*"


class _Counted(Struct, frozen=True):
    failures: int
    at: int
    """When the last one came."""


class Guesses:
    """The wrong passwords of the last day."""

    def __init__(self, store: KeyValueStore, clock: Clock, policy: SignIn) -> None:
        self._store = store
        self._clock = clock
        self._policy = policy

    async def wait_us(self, login: str, asker: str, *, known: bool) -> int:
        """How long an asker must wait, 0 when they need not; `known`: somebody who has signed in there before."""
        rows = await self._rows(login)
        waits = [self._left(rows.get(_key(login, asker)))]
        in_all = rows.get(_key(login, _EVERYBODY))
        if in_all is not None and not known and self._level(in_all) >= IN_ALL_AN_HOUR:
            waits.append(60 * MINUTE_US // IN_ALL_AN_HOUR)
        return max(waits)

    async def add(self, login: str, asker: str, *, known: bool) -> int:
        """Count a wrong password; how many that is from this asker."""
        rows = await self._rows(login)
        before = rows.get(_key(login, asker))
        failures = 1 if before is None else before.failures + 1
        await self._put(_key(login, asker), failures)
        if not known:
            in_all = rows.get(_key(login, _EVERYBODY))
            await self._put(_key(login, _EVERYBODY), 1 + (0 if in_all is None else self._level(in_all)))
        return failures

    async def forget(self, login: str, asker: str | None = None) -> None:
        """Forget the failures of a login: those of one asker who gave the right password, or all of them."""
        for key in await self._rows(login) if asker is None else (_key(login, asker),):
            await asyncio.to_thread(self._store.put, key, None)

    async def locked(self) -> frozenset[str]:
        """What is locked to somebody now, by `trace`."""
        rows = await self._rows()
        return frozenset(key.removeprefix(PREFIX).partition("/")[0] for key, row in rows.items() if self._left(row))

    async def sweep(self) -> None:
        """Forget what is over."""
        for key, row in (await self._rows()).items():
            if self._clock() >= row.at + WAIT_MAX_US:
                await asyncio.to_thread(self._store.put, key, None)

    def _left(self, row: _Counted | None) -> int:
        """How long a lock still lasts."""
        if row is None or row.failures < self._policy.failures:
            return 0
        doubled = min(row.failures - self._policy.failures, 20)
        wait = min(self._policy.unlock_minutes * MINUTE_US << doubled, WAIT_MAX_US)
        # A clock that was set back must not make a lock longer than it was meant to be.
        return max(0, min(row.at + wait - self._clock(), wait))

    def _level(self, row: _Counted) -> int:
        """What is left of failures that drain away evenly, so many an hour."""
        drained = (self._clock() - row.at) * IN_ALL_AN_HOUR // (60 * MINUTE_US)
        return max(0, row.failures - max(0, drained))

    async def _rows(self, login: str | None = None) -> Mapping[str, _Counted]:
        prefix = PREFIX if login is None else f"{PREFIX}{trace(login)}/"
        entries = await asyncio.to_thread(self._store.entries, prefix)
        return {key: msgspec.json.decode(value, type=_Counted) for key, value in entries.items()}

    async def _put(self, key: str, failures: int) -> None:
        value = msgspec.json.encode(_Counted(failures, self._clock()))
        await asyncio.to_thread(self._store.put, key, value)


def trace(text: str) -> str:
    """A text as it is stored where only its likeness counts."""
    return sha256(b"taisai guess " + text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def place_of(where: str) -> str:
    """The place of an address: one household or company has a whole IPv6 network of 64 bits."""
    try:
        parsed = ip_address(where)
    except ValueError:
        return where
    return str(IPv6Address(int(parsed) >> 64 << 64)) if isinstance(parsed, IPv6Address) else where


def _key(login: str, asker: str) -> str:
    return f"{PREFIX}{trace(login)}/{_EVERYBODY if asker == _EVERYBODY else trace(place_of(asker))}"
