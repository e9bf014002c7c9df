"""`taisai accounts` and `taisai persons`: what the person at the server's own console does about people."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from cyclopts import Parameter

from taisai.cli.show import console
from taisai.core.faults import InputFault
from taisai.journal import open_journal

if TYPE_CHECKING:
    from taisai.journal import Journal

T = TypeVar("T")


def accounts(
    action: Annotated[Literal["list", "unlock", "link"], Parameter(help="list, unlock or link.")],
    login: Annotated[str, Parameter(help="Whose account.")] = "",
    /,
    *,
    journal: Annotated[str, Parameter(help="The journal: a path, sqlite:///path, postgresql://...")],
) -> None:
    """Accounts, for whoever may run commands on the server: all of them, unlock one, a new link for a lost password.

    `unlock` forgets the wrong passwords of a login, wherever they came from. `link` prints the token of a one-time link
    with which its holder chooses a password, at /welcome#TOKEN; a disabled login stays disabled. Both are recorded, by
    `console`. On SQLite the house is stopped first; on PostgreSQL it may run.

    Examples:
      taisai accounts list --journal floor.db
      taisai accounts unlock admin --journal floor.db
      taisai accounts link admin --journal postgresql://user@db/floor
    """
    out = console()
    if action == "list":
        for sheet in _run(journal, _all, read_only=True):
            marks = [word for word, is_so in (("locked", sheet.locked), ("disabled", sheet.disabled)) if is_so]
            out.print(f"{sheet.login}: {sheet}{''.join(f', {each}' for each in marks)}", markup=False, soft_wrap=True)
        return
    if not login:
        raise InputFault("login", f"say whose: taisai accounts {action} LOGIN")
    if action == "unlock":
        _run(journal, lambda house: _unlock(house, login))
        out.print(f"{login} is unlocked", markup=False)
        return
    link = _run(journal, lambda house: _link(house, login))
    until = datetime.fromtimestamp(link.expires_at / 1e6, UTC)
    out.print(f"/welcome#{link.token}", markup=False, soft_wrap=True)
    out.print(f"single use, valid until {until:%Y-%m-%d %H:%M} UTC, for {link.login}", markup=False)


def persons(
    action: Annotated[Literal["find", "erase"], Parameter(help="find or erase.")],
    who: Annotated[str, Parameter(help="find: a name, a login or an address; erase: an id that was found.")],
    /,
    *,
    journal: Annotated[str, Parameter(help="The journal: a path, sqlite:///path, postgresql://...")],
    reason: Annotated[str, Parameter(help="Why it is erased; recorded, so it names nobody.")] = "",
) -> None:
    """Who stands behind the ids in the records, and the right to be forgotten.

    `erase` deletes what identifies a person: the name, the login, the addresses they came from. The records stay as
    they are, under an id that leads to nobody. Whoever has a seat leaves first; a login is disabled first. On SQLite
    the house is stopped first; on PostgreSQL it may run. Backups made before still have the name.

    Examples:
      taisai persons find ann --journal floor.db
      taisai persons erase p.k7m2q9x4abcd --reason "asked for by letter" --journal floor.db
    """
    out = console()
    if action == "find":
        for person, row in _run(journal, lambda house: house.erasure.find(who), read_only=True).items():
            at = datetime.fromtimestamp(row.at / 1e6, UTC)
            of = f", an address of {row.of}" if row.of else ""
            out.print(f"{person}: {row.name or 'erased'}, {at:%Y-%m-%d}{of}", markup=False, soft_wrap=True)
        return
    if not reason.strip():
        raise InputFault("--reason", "say why: it is recorded")
    rows = _run(journal, lambda house: house.erasure.erase(who, "console", reason))
    out.print(f"{who}: {rows} rows erased", markup=False)


class _House:
    """Accounts and persons over a journal that no server has open."""

    def __init__(self, journal: Journal) -> None:
        from taisai.floor.clock import Clock  # noqa: PLC0415 - the command starts quickly
        from taisai.house.accounts import Accounts  # noqa: PLC0415 - as above
        from taisai.house.erasure import Erasure  # noqa: PLC0415 - as above
        from taisai.house.log import HouseLog  # noqa: PLC0415 - as above
        from taisai.house.persons import Persons  # noqa: PLC0415 - as above
        from taisai.house.sessions import Sessions  # noqa: PLC0415 - as above
        from taisai.house.staff import Staff  # noqa: PLC0415 - as above
        from taisai.settings.forms import SignIn  # noqa: PLC0415 - as above
        from taisai.streams.house_events import game_tables  # noqa: PLC0415 - as above
        from taisai.streams.loading import load  # noqa: PLC0415 - as above

        async def run(work: Callable[[Journal], T]) -> T:
            return work(journal)

        now, policy = Clock().now, SignIn()
        log = HouseLog(run, now)
        self.persons = Persons(journal, now)
        log.opaque = self.persons.opaque
        self.accounts = Accounts(journal, log, now, policy)
        self.staff = Staff(self.accounts, Sessions(journal, log, now, policy))
        self.erasure = Erasure(
            self.persons,
            self.accounts,
            lambda: [player for name in game_tables(journal) for player in load(journal, name)[0].players],
        )


def _run(url: str, work: Callable[[_House], Awaitable[T]], *, read_only: bool = False) -> T:
    with open_journal(url, read_only=read_only) as opened:

        async def whole() -> T:
            house = _House(opened)
            await house.persons.load_staff()
            return await work(house)

        started: Coroutine[Any, Any, T] = whole()
        return asyncio.run(started)


async def _all(house: _House) -> Any:
    return await house.staff.all()


async def _unlock(house: _House, login: str) -> None:
    if await house.accounts.one(login) is None:
        raise InputFault("login", f"there is no account {login!r}")
    await house.accounts.unlock(login, "console", "on the server's own console")


async def _link(house: _House, login: str) -> Any:
    if await house.accounts.one(login) is None:
        raise InputFault("login", f"there is no account {login!r}")
    return await house.accounts.make_link(login, "console")
