"""The register: the staff as the house's own log has it.

Enters: the records of the stream `@house`, as they grow. Leaves: whether an account in the store is what the log says.
An account that somebody put into the store, or gave another post there, is not; nobody signs in to it. Serves R31, R37.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Lock

from msgspec.structs import replace

from taisai.house.accounts import Account
from taisai.journal.contract import Journal
from taisai.streams import house_events as h
from taisai.streams.house_events import StaffSheet, read_house


class Register:
    """The staff by the log; what was added since is read whenever somebody asks."""

    def __init__(self, journal: Callable[[], Journal]) -> None:
        self._journal = journal
        self._seq = 0
        self._staff: dict[str, StaffSheet] = {}
        self._reading = Lock()

    async def agrees(self, account: Account) -> bool:
        """Whether the log has this account, with these posts, and not disabled."""
        return await asyncio.to_thread(self._agrees, account)

    def _agrees(self, account: Account) -> bool:
        with self._reading:
            for seq, event in read_house(self._journal(), self._seq):
                self._seq = seq
                self._see(event.what)
        sheet = self._staff.get(account.id or account.login)
        told = None if sheet is None else (sheet.posts, sheet.administrator, sheet.disabled)
        return told == (account.posts, account.administrator, account.disabled)

    def _see(self, what: h.HouseEventBody) -> None:
        match what:
            case h.StaffAdded(staff) | h.StaffChanged(_, staff):
                self._staff[staff.login] = staff
            case h.StaffDisabled(login) | h.StaffEnabled(login):
                if login in self._staff:
                    self._staff[login] = replace(self._staff[login], disabled=isinstance(what, h.StaffDisabled))
            case _:
                pass
