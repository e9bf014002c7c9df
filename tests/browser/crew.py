"""A house for tests of the crew's screens. It runs in a thread of the test, whose helpers use the Python client.

Enters: nothing. Leaves: an address, a crew, and a way to run coroutines on the house's event loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from playwright.sync_api import Page

from taisai.client import Session
from taisai.table import commands as c
from tests.browser.visits import Visit
from tests.web.serving import PASSWORD, POSTS, Running, open_house

T = TypeVar("T")
ANSWER_S: Final = 30
BUY_IN: Final = 20_000
"""What every player of a crew house buys in for."""
NZ: Final = "nz-division-9/1"
TAI_SAI: Final = "rws-tai-sai-v6/A"


class CrewHouse:
    """A house that runs on the event loop of its own thread."""

    def __init__(self, running: Running, loop: asyncio.AbstractEventLoop) -> None:
        self._running, self._loop = running, loop
        self._tables = 0

    @property
    def running(self) -> Running:
        """The house and its crew."""
        return self._running

    @property
    def address(self) -> str:
        """Its URL."""
        return self._running.address

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the house's event loop and wait for its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(ANSWER_S)

    def new_table(self, layout: str, **set_up: Any) -> str:
        """Open a new table for a test; returns its name."""
        self._tables += 1
        name = f"T{self._tables}"
        self.wait(self._running.ready_table(name, layout, **set_up))
        return name

    def seat(self, player: str, table: str) -> Session:
        """Seat a player with chips."""
        return self.wait(self._running.seat(player, table))

    def do(self, who: str | Session, table: str, *actions: c.Action) -> None:
        """Send commands one after the other, as a member of the crew or a player."""
        session = self._running.crew[who] if isinstance(who, str) else who
        for action in actions:
            self.wait(session.do(table, action))

    def crew_view(self, table: str) -> dict[str, Any]:
        """What the supervisor sees of a table."""
        view: dict[str, Any] = self.wait(self._running.crew["sue"].crew(table))["crew"]
        return view

    def page(self, visit: Visit, login: str, path: str, **options: Any) -> Page:
        """Open a page as a member of the crew who is signed in."""
        page = visit("/sign-in", at=self.address, **options)
        post = "administrator" if login == "admin" else str(POSTS[login])
        status = page.evaluate(
            """(body) => fetch("/api/sign-in", {method: "POST", headers: {"content-type": "application/json"},
                body: JSON.stringify(body)}).then((answer) => answer.status)""",
            {"login": login, "password": PASSWORD, "post": post},
        )
        assert status == 200
        page.goto(self.address + path)
        return page


@contextmanager
def crew_house() -> Iterator[CrewHouse]:
    """A temporary house with a dealer, a supervisor, two managers, an auditor and an administrator."""
    opened: list[CrewHouse] = []
    failed: list[BaseException] = []
    ready, over = threading.Event(), asyncio.Event()

    async def run() -> None:
        async with open_house() as running:
            await running.hire(*POSTS)
            opened.append(CrewHouse(running, asyncio.get_running_loop()))
            ready.set()
            await over.wait()

    def main() -> None:
        try:
            asyncio.run(run())
        except BaseException as error:  # raised in the test, which waits for it
            failed.append(error)
            ready.set()

    thread = threading.Thread(target=main)
    thread.start()
    assert ready.wait(ANSWER_S)
    if failed:
        raise failed[0]
    try:
        yield opened[0]
    finally:
        opened[0]._loop.call_soon_threadsafe(over.set)
        thread.join(ANSWER_S)


def authorise(page: Page, login: str, reason: str) -> None:
    """Fill in the reason and the second person's login and password in the open dialog, and submit it."""
    form = page.locator("dialog[open] form")
    form.locator("[name=reason]").fill(reason)
    form.locator("[name=second-role]").select_option(str(POSTS[login]))
    form.locator("[name=second-login]").fill(login)
    form.locator("[name=second-password]").fill(PASSWORD)
    form.locator("[type=submit]").click()
