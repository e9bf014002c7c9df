"""Accounts: the staff of the house, each person with a login of their own.

Enters: accounts and one-time links. Leaves: the same from the key-value store, one change of a login at a time, and the
rules for logins and posts. Passwords are stored as argon2id hashes, never in the journal's records. An administrator
has no post at a table, and an auditor no other post: nobody supervises their own work. Serves R15, R31, R37.
"""

from __future__ import annotations

import asyncio
import re
from enum import StrEnum
from hashlib import sha256
from secrets import token_urlsafe
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec import Struct

from taisai.core.faults import InputFault, shown
from taisai.house.guesses import Guesses, trace
from taisai.house.log import Clock, Log
from taisai.house.persons import STAFF, Persons
from taisai.house.sessions import HOUR_US
from taisai.journal.contract import KeyValueStore
from taisai.settings.forms import SignIn
from taisai.streams import house_events as h
from taisai.streams.house_events import HOUSE_ACTOR, Post, StaffSheet
from taisai.table.commands import Name
from taisai.table.people import CREW, Role

ACCOUNT: Final = "account/"
LINK: Final = "one-time-link/"
STAFF_ROLES: Final = CREW | {Role.AUDITOR}
RESERVED: Final = frozenset(
    {HOUSE_ACTOR, "console", "system", "auto-dealer", "auto-supervisor", "demo-cashier", "demonstration"}
)
"""Names under which the program itself acts."""
_GUEST: Final = re.compile(r"(guest|seat)-.*")
_STRIPES: Final = 64


class SignInCode(StrEnum):
    """Why a sign-in, or a change of an account, is refused."""

    WRONG = "wrong-login-or-password"
    LOCKED = "login-locked"
    DISABLED = "login-disabled"
    NO_POST = "no-such-post"
    NOT_HERE = "not-at-this-table"
    SAME_PERSON = "same-person"
    LINK_OVER = "link-not-valid"
    WEAK_PASSWORD = "weak-password"
    NOT_YOURS_TO_DO = "not-yours-to-do"
    UNKNOWN = "unknown-login"
    LAST_ADMINISTRATOR = "last-administrator"
    SESSION_OVER = "session-over"


class SignInRefusal(Struct, frozen=True):
    """Why something is refused, in a sentence for the person who asked."""

    code: SignInCode
    sentence: str


class OneTimeLink(NamedTuple):
    """A link to choose a password with; only its maker ever sees the token."""

    login: str
    token: str
    expires_at: int


class Account(Struct, frozen=True, kw_only=True):
    """A member of staff, as they are stored."""

    login: str
    name: str
    id: str = ""
    """What stands for them in records; empty for accounts of an earlier version, where the login does."""
    posts: tuple[Post, ...] = ()
    administrator: bool = False
    disabled: bool = False
    password: str | None = None
    """An argon2id hash; None until they have chosen a password."""
    created_at: int = 0
    places: tuple[str, ...] = ()
    """Traces of the places where its holder has signed in, newest last."""

    @property
    def sheet(self) -> StaffSheet:
        """What may be shown of the account."""
        return StaffSheet(
            login=self.login,
            name=self.name,
            posts=self.posts,
            administrator=self.administrator,
            disabled=self.disabled,
            has_password=self.password is not None,
        )

    def tables_as(self, role: Role | None) -> Literal["*"] | tuple[str, ...] | None:
        """The tables that a post covers, none for an administrator (None); None without that post."""
        if role is None:
            return () if self.administrator else None
        return next((post.tables for post in self.posts if post.role is role), None)


class StoredLink(Struct, frozen=True):
    """A one-time link, as it is stored."""

    login: str
    expires_at: int


class Accounts:
    """The stored accounts and one-time links. Every change is on disk before the method returns."""

    def __init__(self, store: KeyValueStore, log: Log, clock: Clock, policy: SignIn) -> None:
        self._store = store
        self._log = log
        self.clock = clock
        self.policy = policy
        self.guesses = Guesses(store, clock, policy)
        self.persons: Persons | None = None
        """Where new members of staff get their ids; without, the login stands in records."""
        # One attempt at a login at a time: failures are counted one by one, however many come together.
        self._turns = [asyncio.Lock() for _ in range(_STRIPES)]
        self.changing = asyncio.Lock()
        """One change of staff at a time: two cannot remove the last administrator together."""

    def turn(self, login: str) -> asyncio.Lock:
        """The lock under which an account is read and changed."""
        return self._turns[hash(login) % _STRIPES]

    async def all(self) -> dict[str, Account]:
        """Every account, by login."""
        entries = await asyncio.to_thread(self._store.entries, ACCOUNT)
        return {key.removeprefix(ACCOUNT): msgspec.json.decode(value, type=Account) for key, value in entries.items()}

    async def one(self, login: str) -> Account | None:
        """The account of a login."""
        value = await self._value(ACCOUNT + login) if is_name(login) else None
        return None if value is None else msgspec.json.decode(value, type=Account)

    async def put(self, account: Account) -> None:
        """Store an account."""
        await asyncio.to_thread(self._store.put, ACCOUNT + account.login, msgspec.json.encode(account))

    async def new_person(self, login: str) -> str:
        """An id for a new member of staff."""
        return "" if self.persons is None else await self.persons.add(STAFF, login)

    async def is_locked(self, login: str) -> bool:
        """Whether a login is locked to anybody."""
        return trace(login) in await self.guesses.locked()

    async def unlock(self, login: str, by: str, how: str) -> None:
        """Forget the failures of a login; if it was locked to anybody, that is logged."""
        locked = await self.is_locked(login)
        await self.guesses.forget(login)
        if locked:
            await self.note(by, h.LoginUnlocked(login, how))

    async def make_link(self, login: str, by: str) -> OneTimeLink:
        """A new link for a login; its earlier links, and all expired ones, are deleted."""
        for key, value in (await asyncio.to_thread(self._store.entries, LINK)).items():
            link = msgspec.json.decode(value, type=StoredLink)
            if link.login == login or self.clock() >= link.expires_at:
                await asyncio.to_thread(self._store.put, key, None)
        token = token_urlsafe(32)
        expires_at = self.clock() + self.policy.one_time_hours * HOUR_US
        await asyncio.to_thread(self._store.put, _link_key(token), msgspec.json.encode(StoredLink(login, expires_at)))
        await self.note(by, h.OneTimeLinkMade(login, expires_at))
        return OneTimeLink(login, token, expires_at)

    async def find_link(self, token: str) -> StoredLink | None:
        """The link of a token."""
        value = await self._value(_link_key(token))
        return None if value is None else msgspec.json.decode(value, type=StoredLink)

    async def remove(self, login: str) -> None:
        """Remove an account, its links and its failures; who held it is erased."""
        for key, value in (await asyncio.to_thread(self._store.entries, LINK)).items():
            if msgspec.json.decode(value, type=StoredLink).login == login:
                await asyncio.to_thread(self._store.put, key, None)
        await self.guesses.forget(login)
        async with self.turn(login):
            await asyncio.to_thread(self._store.put, ACCOUNT + login, None)

    async def delete_link(self, token: str) -> None:
        """Delete the link of a token."""
        await asyncio.to_thread(self._store.put, _link_key(token), None)

    async def note(self, by: str, what: h.HouseEventBody, reason: str = "") -> None:
        """Write an event into the house's log."""
        await self._log(h.HouseEvent(self.clock(), by, what, reason=reason))

    async def _value(self, key: str) -> bytes | None:
        return (await asyncio.to_thread(self._store.entries, key)).get(key)


def plain_login(login: str) -> str:
    """A login as it is stored, however it is typed."""
    return login.strip().lower()


def is_name(text: str) -> bool:
    """Whether a text may be a login or the name of a table or player."""
    try:
        msgspec.convert(text, Name)
    except msgspec.ValidationError:
        return False
    return True


def _link_key(token: str) -> str:
    return LINK + sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def check_login(login: str) -> None:
    """`InputFault` for a login that nobody may have."""
    if not is_name(login) or login != plain_login(login):
        raise InputFault("login", f"1 to 64 lower-case letters, digits and . _ @ -, got {shown(login)}")
    if login in RESERVED or _GUEST.fullmatch(login):
        raise InputFault("login", f"{shown(login)} is a name that the program itself uses")


def check_duties(account: Account) -> None:
    """`InputFault` for posts that do not exist, or that one person may not have together."""
    if not account.name.strip() or len(account.name) > 100 or not account.name.isprintable():
        raise InputFault("name", f"1 to 100 characters, got {shown(account.name)}")
    roles = [post.role for post in account.posts]
    for place, post in enumerate(account.posts):
        if post.role not in STAFF_ROLES:
            allowed = ", ".join(sorted(STAFF_ROLES))
            raise InputFault(f"posts[{place}].role", f"one of {allowed}, got {post.role}")
        if roles.count(post.role) > 1:
            raise InputFault(f"posts[{place}].role", f"{post.role} is named twice: put the tables together")
        if post.tables != "*" and (not post.tables or not all(map(is_name, post.tables))):
            raise InputFault(f"posts[{place}].tables", f'"*" or names of tables, got {shown(post.tables)}')
    if account.administrator and roles:
        raise InputFault("posts", "an administrator has no post at a table: duties are kept apart")
    if Role.AUDITOR in roles and len(roles) > 1:
        raise InputFault("posts", "an auditor has no other post: duties are kept apart")
