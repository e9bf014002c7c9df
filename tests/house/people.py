"""What tests of accounts, sessions and seats share: a clock moved by hand, a log that is a list, cheap hashes."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from taisai.house.accounts import Accounts, OneTimeLink, SignInRefusal
from taisai.house.authentication import Authentication
from taisai.house.passwords import HashCost, Passwords
from taisai.house.sessions import THE_CONSOLE, Admission, Sessions
from taisai.house.staff import Staff
from taisai.journal import KeyValueStore, MemoryJournal
from taisai.settings.forms import SignIn
from taisai.streams.house_events import HouseEvent, HouseEventBody, Post
from taisai.table.people import Role

P = ParamSpec("P")
T = TypeVar("T")

START = 1_800_000_000_000_000
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
CHEAP = HashCost(rounds=1, memory_kib=8, lanes=1)
GOOD = "correct horse 9"
DEALER = Post(Role.DEALER)
SUPERVISOR = Post(Role.SUPERVISOR, ("T1",))


def on_a_loop(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Run a test on an event loop of its own."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def whole() -> None:
            await test(*args, **kwargs)

        asyncio.run(whole())

    return run


class HandClock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        """The time."""
        return self.now

    def after(self, time_us: int) -> None:
        """Let time pass."""
        self.now += time_us


class Heard:
    """A log in memory."""

    def __init__(self) -> None:
        self.events: list[HouseEvent] = []

    async def __call__(self, event: HouseEvent) -> None:
        """Store an event."""
        self.events.append(event)

    def all(self, kind: type[T]) -> list[T]:
        """The events of one kind."""
        return [event.what for event in self.events if isinstance(event.what, kind)]

    @property
    def last(self) -> HouseEventBody:
        """The last event."""
        return self.events[-1].what


class House:
    """Accounts over a store in memory, and everything around them."""

    def __init__(
        self, policy: SignIn | None = None, store: KeyValueStore | None = None, clock: HandClock | None = None
    ) -> None:
        self.store = store or MemoryJournal()
        self.clock = clock or HandClock()
        self.heard = Heard()
        self.policy = policy or SignIn()
        self.sessions = Sessions(self.store, self.heard, self.clock, self.policy)
        self.accounts = Accounts(self.store, self.heard, self.clock, self.policy)
        self.authentication = Authentication(self.accounts, self.sessions, Passwords(CHEAP))
        self.staff = Staff(self.accounts, self.sessions)

    def restarted(self) -> House:
        """The same house after a restart: only what is stored is known."""
        return House(self.policy, self.store, self.clock)

    async def hire(self, login: str, *posts: Post, administrator: bool = False, password: str = GOOD) -> None:
        """A member of staff with a password."""
        link = await self.staff.add(THE_CONSOLE, login, login.title(), posts, administrator=administrator)
        assert isinstance(link, OneTimeLink)
        assert await self.authentication.redeem(link.token, password) == login

    async def enter(self, login: str, post: Role = Role.DEALER, password: str = GOOD) -> Admission:
        """Sign in, which must succeed."""
        admission = await self.authentication.sign_in(login, password, post, "10.0.0.9")
        assert isinstance(admission, Admission), admission
        return admission

    async def enter_administrator(self, login: str = "admin", password: str = GOOD) -> Admission:
        """The same for an administrator."""
        admission = await self.authentication.sign_in(login, password, "administrator", "10.0.0.9")
        assert isinstance(admission, Admission), admission
        return admission


def refused(answer: object) -> str:
    """The code of a refusal, which it must be."""
    assert isinstance(answer, SignInRefusal), answer
    assert answer.sentence.endswith(".")
    return answer.code
