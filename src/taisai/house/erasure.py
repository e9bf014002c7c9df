"""Erasure: what identifies a person is erased, on request or after a time; the records stay as they are.

Enters: a person's id, who asks for it and why. Leaves: rows without names (`house.persons`), no account, and an event
in the house's log that names the id alone. Whoever has a seat leaves first; a member of staff is disabled first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from taisai.core.faults import InputFault, shown
from taisai.house.accounts import Accounts
from taisai.house.persons import STAFF, PersonRow, Persons
from taisai.streams.house_events import HOUSE_ACTOR, PersonErased

DAY_US: Final = 24 * 3_600_000_000


class Erasure:
    """Erases persons. `busy` gives the ids of everybody who has a seat."""

    def __init__(self, persons: Persons, accounts: Accounts, busy: Callable[[], Iterable[str]]) -> None:
        self._persons = persons
        self._accounts = accounts
        self._busy = busy

    async def find(self, name: str) -> dict[str, PersonRow]:
        """Everybody who goes by a name, a login or an address, or has this id."""
        return await asyncio.to_thread(self._persons.find, name)

    async def erase(self, person: str, by: str, reason: str) -> int:
        """Erase what identifies a person; how many rows that were. `InputFault` says why it cannot be."""
        row = await asyncio.to_thread(self._persons.row, person)
        if row is None:
            raise InputFault("person", f"nobody has the id {shown(person)}; look for the name first")
        if person in set(self._busy()):
            raise InputFault("person", "they have a seat at a table: they leave first")
        if person[0] == STAFF and row.erased_at is None:
            await self._remove_account(row.name)
        rows = await self._persons.erase(person)
        if rows:
            await self._accounts.note(by, PersonErased(person, rows), reason)
        return rows

    async def _remove_account(self, login: str) -> None:
        async with self._accounts.changing:
            account = await self._accounts.one(login)
            if account is not None and not account.disabled:
                raise InputFault("person", f"the login {shown(login)} is in use: disable it first")
            await self._accounts.remove(login)

    async def erase_older(self, days: int) -> int:
        """Erase players and addresses that were last seen so many days ago; how many rows that were."""
        before = self._accounts.clock() - days * DAY_US
        old = await self._persons.outdated(before, self._busy())
        rows = 0
        for person in old:
            rows += await self._persons.erase(person)
        if rows:
            await self._accounts.note(HOUSE_ACTOR, PersonErased("", rows), f"kept for {days} days")
        return rows
