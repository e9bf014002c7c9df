"""What tests of the server share: a house that listens on a free port, its staff, a table ready for play."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec

import pytest
from msgspec.structs import replace

from taisai.books import Shelf, open_shelf
from taisai.client import Client, Refused, Second, Session, Table
from taisai.floor.clock import Clock
from taisai.house.passwords import Passwords
from taisai.settings.forms import Bounds, Demo, JournalPlace, Settings, SignIn, demo_settings
from taisai.table import commands as c
from taisai.table.people import Role
from taisai.web.app import App
from taisai.web.context import Context
from taisai.web.security import Rates
from taisai.web.serve import server_of
from tests.house.people import CHEAP, HandClock
from tests.web.servers import Serve, running

P = ParamSpec("P")
PASSWORD = "correct horse 9"
FLOAT = {100: 1_000, 500: 1_000}
LIMITS = c.TableLimits(100, c.BoxLimit(100, 10_000))
ROOMY = Bounds(sign_ins_per_minute=1_000_000, commands_per_second=1_000_000, commands_burst=1_000_000)
POSTS = {
    "dan": Role.DEALER,
    "sue": Role.SUPERVISOR,
    "pat": Role.PIT_MANAGER,
    "kim": Role.SHIFT_MANAGER,
    "ada": Role.AUDITOR,
}
TIME_LIMIT_S = 120


def on_a_loop(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Run a test on an event loop of its own, with a time limit."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def whole() -> None:
            async with asyncio.timeout(TIME_LIMIT_S):
                await test(*args, **kwargs)

        asyncio.run(whole())

    return run


@cache
def shelf() -> Shelf:
    """The rule books of the package."""
    return open_shelf(environment={})


def quick_clock() -> tuple[Clock, HandClock]:
    """A clock for a house, and the hand that moves it."""
    hand = HandClock()
    return Clock(hand, hand), hand


def settings_for(
    url: str = "memory:", *, demo: bool = False, limits: Bounds = ROOMY, sign_in: SignIn | None = None
) -> Settings:
    """Settings for tests: without tables, or with those of the demo."""
    base = demo_settings(shelf()) if demo else Settings()
    return Settings(
        journal=JournalPlace(url=url),
        limits=limits,
        sign_in=sign_in or SignIn(),
        demo=Demo(enabled=demo),
        house=base.house,
        tables=base.tables,
    )


@dataclass
class Running:
    """A house that listens, and its staff."""

    context: Context
    address: str
    client: Client
    crew: dict[str, Session] = field(default_factory=dict)

    def id_of(self, name: str, table: str = "T1") -> str:
        """The id of the player who is shown by a name at a table."""
        return self.context.persons.id_among(self.context.players_at(table), name)

    async def hire(self, *logins: str, tables: str | tuple[str, ...] = "*") -> None:
        """Have the administrator add staff; each chooses a password and signs in."""
        if "admin" not in self.crew:
            await self.client.choose_password(self.context.first_link, PASSWORD)
            self.crew["admin"] = await self.client.sign_in("admin", PASSWORD, "administrator")
        for login in logins:
            link = await self.crew["admin"].add_staff(login, login.title(), {POSTS[login]: tables})
            assert await self.client.choose_password(link.token, PASSWORD) == login
            self.crew[login] = await self.client.sign_in(login, PASSWORD, POSTS[login])

    async def ready_table(self, name: str = "T1", layout: str = "rws-tai-sai-v6/A", **set_up: Any) -> None:
        """Set up a table and open it: dice, float, the opening check of its book."""
        if "sue" not in self.crew:
            await self.hire("dan", "sue")
        sue = self.crew["sue"]
        await sue.put_up(name, set_up_of(layout, **set_up))
        for action in (c.ReceiveDice("D1"), c.SealDice("D1", "S-1"), c.CountFloat(FLOAT)):
            await sue.do(name, action)
        items = [each["item"] for each in (await sue.crew(name))["crew"]["opening"]]
        if items:
            with pytest.raises(Refused, match="check-incomplete"):
                await sue.do(name, c.OpenTable())
        if "test-run" in items:
            while run := (await sue.crew(name))["crew"]["test_runs"]["next"]:
                await sue.do(name, c.TestRun(tuple(run["dice"]), lit_correctly=True))
        for item in items:
            await sue.do(name, c.CheckItem(item, True))
        await sue.do(name, c.OpenTable())

    async def seat(self, player: str, table: str = "T1", buy_in: int = 20_000) -> Session:
        """Seat a player with a code, and sell them chips."""
        code = await self.crew["dan"].seat_code(table, player, buy_in)
        session = await self.client.sit_down(code=code.code)
        assert session.me.player == player
        await self.crew["dan"].do(table, c.BuyIn(player, buy_in))
        return session


def set_up_of(layout: str, **chosen: Any) -> c.SetUp:
    """The set-up of a table under a book."""
    book_id, _, layout_id = layout.partition("/")
    return c.SetUp(
        **{
            "book": book_id,
            "layout": layout_id,
            "digest": shelf().book(book_id).digest,
            "limits": LIMITS,
            "currency": "SGD",
            "denominations": tuple(FLOAT),
            **chosen,
        }
    )


def by_sue() -> Second:
    """The supervisor's credentials, as the second person."""
    return Second("sue", PASSWORD, Role.SUPERVISOR)


async def deal(table: Table, *steps: c.Action) -> None:
    """Have the crew take one step after the other."""
    for step in steps:
        await table.do(step)


@asynccontextmanager
async def open_house(
    settings: Settings | None = None, *, clock: Clock | None = None, gather_s: float = 0.001
) -> AsyncIterator[Running]:
    """A house that listens on a free port of this machine, served as `taisai serve` does, or as `served_by` says."""
    chosen = settings or settings_for()
    port_0 = replace(chosen, listen=replace(chosen.listen, port=0))
    context = Context(port_0, shelf(), clock=clock, gather_s=gather_s, passwords=Passwords(CHEAP))
    if chosen.limits is ROOMY:
        context.rates = Rates(1e9, 1e9)
    await context.start()
    serve = SERVED_BY.get()
    async with running(server_of(context)) if serve is None else serve(App(context)) as address:
        try:
            async with Client(address) as client:
                yield Running(context, address, client)
        finally:
            if context.is_ready:
                await context.stop("the test is over")


SERVED_BY: ContextVar[Serve | None] = ContextVar("SERVED_BY", default=None)
"""The server of the houses that a test opens; None is that of `taisai serve`."""


@contextmanager
def served_by(serve: Serve | None) -> Iterator[None]:
    """Have houses opened in this block served by another server."""
    token = SERVED_BY.set(serve)
    try:
        yield
    finally:
        SERVED_BY.reset(token)


def sqlite_url(folder: Path) -> str:
    """A journal in a file of its own."""
    return f"sqlite:///{folder / 'floor.db'}"
