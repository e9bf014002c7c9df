"""Staff: what administrators change about accounts.

Enters: an administrator's session, and a change. Leaves: the changed account, a one-time link for its holder, or a
`SignInRefusal`; and an event in the house's log about each. Serves R31, R35, R37.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from taisai.core.faults import InputFault, shown
from taisai.house.accounts import (
    Account,
    Accounts,
    OneTimeLink,
    SignInCode,
    SignInRefusal,
    check_duties,
    check_login,
    plain_login,
)
from taisai.house.guesses import trace
from taisai.house.sessions import Session, Sessions
from taisai.streams import house_events as h
from taisai.streams.house_events import HOUSE_ACTOR, Post, StaffSheet
from taisai.table.people import Role

FIRST_LOGIN: Final = "admin"

_ADMINISTRATORS_ONLY: Final = SignInRefusal(SignInCode.NOT_YOURS_TO_DO, "Only an administrator manages accounts.")
_LAST_ADMINISTRATOR: Final = SignInRefusal(
    SignInCode.LAST_ADMINISTRATOR, "The house keeps at least one administrator who can sign in."
)


class Staff:
    """The members of staff, as administrators manage them."""

    def __init__(self, accounts: Accounts, sessions: Sessions) -> None:
        self._accounts = accounts
        self._sessions = sessions

    async def first_start(self) -> OneTimeLink | None:
        """While no administrator has ever chosen a password: the login `admin`, and a link for it; None otherwise.

        There is no default password. An earlier link that was not used becomes void.
        """
        async with self._accounts.changing:
            accounts = await self._accounts.all()
            if any(each.administrator and each.password is not None for each in accounts.values()):
                return None
            if FIRST_LOGIN not in accounts:
                now = self._accounts.clock()
                person = await self._accounts.new_person(FIRST_LOGIN)
                first = Account(login=FIRST_LOGIN, name="Administrator", id=person, administrator=True, created_at=now)
                await self._accounts.put(first)
                await self._accounts.note(HOUSE_ACTOR, h.StaffAdded(first.sheet))
            return await self._accounts.make_link(FIRST_LOGIN, HOUSE_ACTOR)

    async def all(self) -> tuple[StaffSheet, ...]:
        """Everybody, by login."""
        locked = await self._accounts.guesses.locked()
        accounts = (await self._accounts.all()).values()
        return tuple(replace(each.sheet, locked=trace(each.login) in locked) for each in accounts)

    async def one(self, login: str) -> StaffSheet | None:
        """One member of staff."""
        account = await self._accounts.one(plain_login(login))
        return None if account is None else await self._sheet(account)

    async def _sheet(self, account: Account) -> StaffSheet:
        return replace(account.sheet, locked=await self._accounts.is_locked(account.login))

    async def add(
        self, by: Session, login: str, name: str, posts: tuple[Post, ...] = (), *, administrator: bool = False
    ) -> OneTimeLink | SignInRefusal:
        """Add an account; the link with which its holder chooses a password. `InputFault` for invalid values."""
        if not by.is_administrator:
            return _ADMINISTRATORS_ONLY
        check_login(login)
        now = self._accounts.clock()
        account = Account(login=login, name=name, posts=tuple(posts), administrator=administrator, created_at=now)
        check_duties(account)
        async with self._accounts.changing:
            if await self._accounts.one(login) is not None:
                raise InputFault("login", f"there is already an account {shown(login)}")
            account = replace(account, id=await self._accounts.new_person(login))
            await self._accounts.put(account)
            await self._accounts.note(by.who, h.StaffAdded(account.sheet))
            return await self._accounts.make_link(login, by.who)

    async def new_link(self, by: Session, login: str) -> OneTimeLink | SignInRefusal:
        """A link to choose a new password with; earlier ones are void. The present password works until it is used."""
        if not by.is_administrator:
            return _ADMINISTRATORS_ONLY
        async with self._accounts.changing:
            if await self._accounts.one(login) is None:
                return _unknown(login)
            return await self._accounts.make_link(login, by.who)

    async def change(
        self,
        by: Session,
        login: str,
        *,
        name: str | None = None,
        posts: tuple[Post, ...] | None = None,
        administrator: bool | None = None,
        reason: str = "",
    ) -> StaffSheet | SignInRefusal:
        """Change a name or posts. Other posts end the person's sessions, which may not be allowed any more."""

        def changed(account: Account) -> Account:
            after = replace(
                account,
                name=account.name if name is None else name,
                posts=account.posts if posts is None else tuple(posts),
                administrator=account.administrator if administrator is None else administrator,
            )
            check_duties(after)
            return after

        async with self._accounts.changing:
            account = await self._to_change(by, login)
            if isinstance(account, SignInRefusal):
                return account
            if account.administrator and not changed(account).administrator and await self._is_last(login):
                return _LAST_ADMINISTRATOR
            before, after = await self._apply(account, changed)
            if before != after:
                await self._accounts.note(by.who, h.StaffChanged(before, after), reason)
                if (before.posts, before.administrator) != (after.posts, after.administrator):
                    await self._sessions.end_all_of(login, "the posts were changed", by.who)
            return after

    async def disable(self, by: Session, login: str, reason: str = "") -> StaffSheet | SignInRefusal:
        """Disable a login, at once and everywhere (R35)."""
        async with self._accounts.changing:
            account = await self._to_change(by, login)
            if isinstance(account, SignInRefusal):
                return account
            if account.administrator and await self._is_last(login):
                return _LAST_ADMINISTRATOR
            _, after = await self._apply(account, lambda each: replace(each, disabled=True))
            await self._accounts.note(by.who, h.StaffDisabled(login), reason)
            await self._sessions.end_all_of(login, "the login was disabled", by.who)
            return after

    async def enable(self, by: Session, login: str, reason: str = "") -> StaffSheet | SignInRefusal:
        """Enable a login again."""
        async with self._accounts.changing:
            account = await self._to_change(by, login)
            if isinstance(account, SignInRefusal):
                return account
            _, after = await self._apply(account, lambda each: replace(each, disabled=False))
            await self._accounts.note(by.who, h.StaffEnabled(login), reason)
            return after

    async def unlock(self, by: Session, login: str) -> StaffSheet | SignInRefusal:
        """Unlock a login: an administrator may, or a shift manager, but nobody their own."""
        if not (by.is_administrator or by.role is Role.SHIFT_MANAGER) or by.who == login:
            sentence = "An administrator or another shift manager unlocks a login."
            return SignInRefusal(SignInCode.NOT_YOURS_TO_DO, sentence)
        async with self._accounts.turn(login):
            account = await self._accounts.one(login)
            if account is None:
                return _unknown(login)
            await self._accounts.unlock(login, by.who, "by another person")
            return await self._sheet(account)

    async def _to_change(self, by: Session, login: str) -> Account | SignInRefusal:
        if not by.is_administrator:
            return _ADMINISTRATORS_ONLY
        account = await self._accounts.one(login)
        return _unknown(login) if account is None else account

    async def _is_last(self, login: str) -> bool:
        """Whether nobody else could manage accounts: no other administrator is enabled and has a password."""
        others = (each for each in (await self._accounts.all()).values() if each.login != login)
        return not any(each.administrator and not each.disabled and each.password is not None for each in others)

    async def _apply(self, account: Account, change: Callable[[Account], Account]) -> tuple[StaffSheet, StaffSheet]:
        """Change an account as it is now, between two attempts to sign in; how it was, and how it is."""
        async with self._accounts.turn(account.login):
            before = await self._accounts.one(account.login) or account
            after = change(before)
            if after != before:
                await self._accounts.put(after)
            return before.sheet, after.sheet


def _unknown(login: str) -> SignInRefusal:
    return SignInRefusal(SignInCode.UNKNOWN, f"There is no account {shown(login)}.")
