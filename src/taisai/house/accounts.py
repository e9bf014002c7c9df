"""Accounts: the staff of the house, each with a login of his own.

Enters: logins, passwords and one-time links; what administrators change. Leaves: sessions, persons who vouch for
another's act, or a `SignInRefusal`; and a word in the house's log about each. Passwords are kept as argon2id hashes, in
the drawer, never in the journal. An administrator has no post at a table, and an auditor none of the crew's: nobody
looks after his own work. Serves R15, R31, R35, R37.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Callable
from enum import StrEnum
from hashlib import sha256
from secrets import token_urlsafe
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from taisai.core.faults import InputFault, shown
from taisai.house.log import Clock, Log
from taisai.house.passwords import Passwords, password_fault
from taisai.house.sessions import ADMINISTRATOR, HOUR_US, MINUTE_US, Admission, Session, Sessions
from taisai.journal.contract import KeyValueStore
from taisai.settings.forms import SignIn
from taisai.streams import house_events as h
from taisai.streams.house_events import HOUSE_ACTOR, Post, StaffSheet
from taisai.table.commands import Name
from taisai.table.people import CREW, Person, Role

FIRST_LOGIN: Final = "admin"
ACCOUNT: Final = "account/"
LINK: Final = "one-time-link/"
STAFF_ROLES: Final = CREW | {Role.AUDITOR}
RESERVED: Final = frozenset({HOUSE_ACTOR, "console", "system", "auto-dealer", "auto-supervisor"})
"""Names under which the program itself acts."""
STRANGERS_KEPT: Final = 10_000
"""Logins that nobody has but somebody tried, of which failures are counted: as if they were accounts."""
_GUEST: Final = re.compile(r"(guest|seat)-.*")
_STRIPES: Final = 64


class SignInCode(StrEnum):
    """Why somebody is not let in, or something is not done."""

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
    """What is refused, and why, in a sentence for the one who asked."""

    code: SignInCode
    sentence: str


class OneTimeLink(NamedTuple):
    """What a person chooses a password with; the token is seen here once."""

    login: str
    token: str
    expires_at: int


class Account(Struct, frozen=True, kw_only=True):
    """A member of staff, as the drawer keeps him."""

    login: str
    name: str
    posts: tuple[Post, ...] = ()
    administrator: bool = False
    disabled: bool = False
    password: str | None = None
    """An argon2id hash; None until he has chosen one."""
    failures: int = 0
    locked_at: int | None = None
    created_at: int = 0

    @property
    def sheet(self) -> StaffSheet:
        """What may be shown of him."""
        return StaffSheet(
            login=self.login,
            name=self.name,
            posts=self.posts,
            administrator=self.administrator,
            disabled=self.disabled,
            locked=self.locked_at is not None,
            has_password=self.password is not None,
        )

    def post_as(self, role: Role) -> Post | None:
        """His post of that role."""
        return next((post for post in self.posts if post.role is role), None)


class _KeptLink(Struct, frozen=True):
    login: str
    expires_at: int


def _refuse(code: SignInCode, sentence: str) -> SignInRefusal:
    return SignInRefusal(code, sentence)


_WRONG: Final = _refuse(SignInCode.WRONG, "Login or password is not right.")
_LINK_OVER: Final = _refuse(SignInCode.LINK_OVER, "This link is not valid: it was used, is too old, or is none.")
_ADMINISTRATORS_ONLY: Final = _refuse(SignInCode.NOT_YOURS_TO_DO, "Only an administrator looks after accounts.")


class Accounts:
    """The accounts of the house. Methods that change something write it down before they return."""

    def __init__(
        self,
        store: KeyValueStore,
        log: Log,
        clock: Clock,
        policy: SignIn,
        *,
        sessions: Sessions | None = None,
        passwords: Passwords | None = None,
    ) -> None:
        self._store = store
        self._log = log
        self._clock = clock
        self._policy = policy
        self.sessions = sessions or Sessions(store, log, clock, policy)
        self._passwords = passwords or Passwords()
        self._strangers: OrderedDict[str, int] = OrderedDict()
        # One attempt at a login at a time: failures are counted one by one, however many come together.
        self._one_at_a_time = [asyncio.Lock() for _ in range(_STRIPES)]
        # One change of staff at a time: two cannot take the last administrator away together.
        self._changing = asyncio.Lock()

    # ------------------------------------------------------------------ the first start

    async def first_start(self) -> OneTimeLink | None:
        """A house where no administrator ever chose a password gets `admin` and a link for it; None otherwise.

        There is no default password. An earlier link that was not used is void.
        """
        async with self._changing:
            accounts = await self._all()
            if any(each.administrator and each.password is not None for each in accounts.values()):
                return None
            if FIRST_LOGIN not in accounts:
                first = Account(login=FIRST_LOGIN, name="Administrator", administrator=True, created_at=self._clock())
                await self._keep(first)
                await self._note(HOUSE_ACTOR, h.StaffAdded(first.sheet))
            return await self._make_link(FIRST_LOGIN, HOUSE_ACTOR)

    # ------------------------------------------------------------------ signing in

    async def sign_in(
        self, login: str, password: str, post: Role | Literal["administrator"], where: str = ""
    ) -> Admission | SignInRefusal:
        """Take up a post. A person who takes up another one leaves the one before (`rws-tai-sai-v6` §1.5)."""
        found = await self._checked(login, password, where)
        if isinstance(found, SignInRefusal):
            return found
        async with self._turn(found.login):
            # What was right a moment ago may have been taken away meanwhile.
            account = await self._account(found.login)
            if account is None or account.disabled or account.password != found.password:
                return _WRONG
            role = None if post == ADMINISTRATOR else Role(post)
            tables = _reach(account, role)
            if tables is None:
                await self._note(HOUSE_ACTOR, h.SignInFailed(account.login, f"no post as {post}", where))
                return _refuse(SignInCode.NO_POST, f"{account.login} has no post as {post}.")
            for each in self.sessions.all():
                if each.who == account.login and not each.is_player and each.role is not role:
                    await self.sessions.end(each.key, f"signed in as {post}")
            admission = await self.sessions.begin(account.login, role, tables, where)
            await self._note(account.login, h.SignedIn(account.login, admission.session.post, where))
            return admission

    async def vouch(
        self, login: str, password: str, role: Role, table: str, where: str = "", *, asker: str = ""
    ) -> Person | SignInRefusal:
        """The second person of two, who authorises what `asker` does at a table; failures count as at signing in."""
        if asker and _plain(login) == asker:
            return _refuse(SignInCode.SAME_PERSON, "The second person is another one than the first.")
        found = await self._checked(login, password, where)
        if isinstance(found, SignInRefusal):
            return found
        tables = _reach(found, role)
        if tables is None:
            await self._note(HOUSE_ACTOR, h.SignInFailed(found.login, f"no post as {role}", where))
            return _refuse(SignInCode.NO_POST, f"{found.login} has no post as {role}.")
        if tables != "*" and table not in tables:
            await self._note(HOUSE_ACTOR, h.SignInFailed(found.login, f"no {role} at table {table}", where))
            return _refuse(SignInCode.NOT_HERE, f"{found.login} is no {role} at table {table}.")
        return Person(found.login, role)

    async def unlock_session(self, session: Session, password: str, where: str = "") -> Session | SignInRefusal:
        """Open a session that locked itself, by its holder's password."""
        found = await self._checked(session.who, password, where)
        if isinstance(found, SignInRefusal):
            return found
        opened = await self.sessions.unlock(session.key)
        return opened or _refuse(SignInCode.SESSION_OVER, "The session is over; sign in again.")

    async def _checked(self, login: str, password: str, where: str) -> Account | SignInRefusal:
        """The account, when login and password are right. Hashing is done whether there is an account or not."""
        login = _plain(login)
        async with self._turn(login):
            account = await self._account(login)
            right = await self._passwords.fits(account.password if account is not None else None, password)
            if account is None:
                return await self._stranger(login, where)
            account = await self._unlocked_by_time(account)
            if account.locked_at is not None:
                await self._note(HOUSE_ACTOR, h.SignInFailed(login, "the login is locked", where, account.failures))
                return self._locked()
            if not right:
                return await self._failed(account, where)
            if account.disabled:
                await self._note(HOUSE_ACTOR, h.SignInFailed(login, "the login is disabled", where))
                return _refuse(SignInCode.DISABLED, "This login is disabled.")
            outdated = account.password is not None and self._passwords.outdated(account.password)
            if account.failures or outdated:
                kept = await self._passwords.hashed(password) if outdated else account.password
                account = replace(account, failures=0, password=kept)
                await self._keep(account)
            return account

    async def _failed(self, account: Account, where: str) -> SignInRefusal:
        failures = account.failures + 1
        locked_at = self._clock() if failures >= self._policy.failures else None
        await self._keep(replace(account, failures=failures, locked_at=locked_at))
        await self._note(HOUSE_ACTOR, h.SignInFailed(account.login, "the password is wrong", where, failures))
        if locked_at is None:
            return _WRONG
        await self._note(HOUSE_ACTOR, h.LoginLocked(account.login, failures, where))
        # Sessions stay: otherwise anybody could throw a dealer out of his round with three wrong passwords.
        return self._locked()

    async def _stranger(self, login: str, where: str) -> SignInRefusal:
        """A login that nobody has gets the answers that an account would get."""
        failures = self._strangers.pop(login, 0) + 1
        self._strangers[login] = failures
        if len(self._strangers) > STRANGERS_KEPT:
            self._strangers.popitem(last=False)
        await self._note(HOUSE_ACTOR, h.SignInFailed("", "nobody has this login", where))
        return _WRONG if failures < self._policy.failures else self._locked()

    def _locked(self) -> SignInRefusal:
        until = self._policy.unlock_minutes
        opens = f", or {until} minutes pass" if until else ""
        sentence = f"This login is locked until an administrator or another shift manager unlocks it{opens}."
        return _refuse(SignInCode.LOCKED, sentence)

    async def _unlocked_by_time(self, account: Account) -> Account:
        minutes = self._policy.unlock_minutes
        if account.locked_at is None or not minutes or self._clock() < account.locked_at + minutes * MINUTE_US:
            return account
        return await self._unlock(account, HOUSE_ACTOR, f"{minutes} minutes have passed")

    async def _unlock(self, account: Account, by: str, how: str) -> Account:
        opened = replace(account, failures=0, locked_at=None)
        await self._keep(opened)
        await self._note(by, h.LoginUnlocked(account.login, how))
        return opened

    # ------------------------------------------------------------------ passwords

    async def redeem(self, token: str, password: str, where: str = "") -> str | SignInRefusal:
        """Choose a password with a one-time link; the login. A weak password does not use the link up."""
        name = _link_name(token)
        async with self._changing:
            link = await self._link(name)
            account = None if link is None else await self._account(link.login)
            if link is None or account is None or account.disabled or self._clock() >= link.expires_at:
                return _LINK_OVER
            weak = password_fault(account.login, password)
            if weak is not None:
                return _refuse(SignInCode.WEAK_PASSWORD, weak)
            await asyncio.to_thread(self._store.put, name, None)
            await self._set_password(account.login, password, "one-time link", where)
            return account.login

    async def change_password(
        self, session: Session, old: str, new: str, where: str = ""
    ) -> Literal["done"] | SignInRefusal:
        """Choose another password, by the one before; other sessions of the same person end."""
        found = await self._checked(session.who, old, where)
        if isinstance(found, SignInRefusal):
            return found
        weak = password_fault(found.login, new)
        if weak is not None:
            return _refuse(SignInCode.WEAK_PASSWORD, weak)
        async with self._changing:
            await self._set_password(found.login, new, "by the one before", where, keep=session.key)
        return "done"

    async def _set_password(self, login: str, password: str, how: str, where: str, keep: str = "") -> None:
        hashed = await self._passwords.hashed(password)
        async with self._turn(login):
            account = await self._account(login)
            if account is not None:
                if account.locked_at is not None:
                    account = await self._unlock(account, login, "a new password was chosen")
                await self._keep(replace(account, password=hashed, failures=0))
        await self._note(login, h.PasswordSet(login, how, where))
        await self.sessions.end_all_of(login, "a new password was chosen", keep=keep)

    async def new_link(self, by: Session, login: str) -> OneTimeLink | SignInRefusal:
        """A link to choose a new password with; earlier ones are void. The password of now holds until it is used."""
        if not by.is_administrator:
            return _ADMINISTRATORS_ONLY
        async with self._changing:
            if await self._account(login) is None:
                return _unknown(login)
            return await self._make_link(login, by.who)

    async def _make_link(self, login: str, by: str) -> OneTimeLink:
        for name, value in (await asyncio.to_thread(self._store.entries, LINK)).items():
            link = msgspec.json.decode(value, type=_KeptLink)
            if link.login == login or self._clock() >= link.expires_at:
                await asyncio.to_thread(self._store.put, name, None)
        token = token_urlsafe(32)
        expires_at = self._clock() + self._policy.one_time_hours * HOUR_US
        kept = msgspec.json.encode(_KeptLink(login, expires_at))
        await asyncio.to_thread(self._store.put, _link_name(token), kept)
        await self._note(by, h.OneTimeLinkMade(login, expires_at))
        return OneTimeLink(login, token, expires_at)

    # ------------------------------------------------------------------ what administrators do

    async def add(
        self, by: Session, login: str, name: str, posts: tuple[Post, ...] = (), *, administrator: bool = False
    ) -> OneTimeLink | SignInRefusal:
        """A new account, and the link with which its holder chooses a password. `InputFault` for what cannot be."""
        if not by.is_administrator:
            return _ADMINISTRATORS_ONLY
        _check_login(login)
        account = Account(
            login=login, name=name, posts=tuple(posts), administrator=administrator, created_at=self._clock()
        )
        _check_duties(account)
        async with self._changing:
            if await self._account(login) is not None:
                raise InputFault("login", f"there is an account {shown(login)} already")
            await self._keep(account)
            self._strangers.pop(login, None)
            await self._note(by.who, h.StaffAdded(account.sheet))
            return await self._make_link(login, by.who)

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
        """Another name, other posts. What he is signed in to ends, since it may no longer be his."""

        def changed(account: Account) -> Account:
            after = replace(
                account,
                name=account.name if name is None else name,
                posts=account.posts if posts is None else tuple(posts),
                administrator=account.administrator if administrator is None else administrator,
            )
            _check_duties(after)
            return after

        async with self._changing:
            account = await self._one_to_change(by, login)
            if isinstance(account, SignInRefusal):
                return account
            wanted = changed(account)
            if account.administrator and not wanted.administrator and await self._is_last(login):
                return _last()
            before, after = await self._changed(account, changed)
            if before != after:
                await self._note(by.who, h.StaffChanged(before, after), reason)
                if (before.posts, before.administrator) != (after.posts, after.administrator):
                    await self.sessions.end_all_of(login, "the posts were changed", by.who)
            return after

    async def disable(self, by: Session, login: str, reason: str = "") -> StaffSheet | SignInRefusal:
        """Switch a login off, at once and everywhere (R35)."""
        async with self._changing:
            account = await self._one_to_change(by, login)
            if isinstance(account, SignInRefusal):
                return account
            if account.administrator and await self._is_last(login):
                return _last()
            _, after = await self._changed(account, lambda each: replace(each, disabled=True))
            await self._note(by.who, h.StaffDisabled(login), reason)
            await self.sessions.end_all_of(login, "the login was disabled", by.who)
            return after

    async def enable(self, by: Session, login: str, reason: str = "") -> StaffSheet | SignInRefusal:
        """Switch a login on again."""
        async with self._changing:
            account = await self._one_to_change(by, login)
            if isinstance(account, SignInRefusal):
                return account
            _, after = await self._changed(account, lambda each: replace(each, disabled=False))
            await self._note(by.who, h.StaffEnabled(login), reason)
            return after

    async def unlock(self, by: Session, login: str) -> StaffSheet | SignInRefusal:
        """Let a locked login be tried again: an administrator may, or a shift manager, and not for himself."""
        if not (by.is_administrator or by.role is Role.SHIFT_MANAGER) or by.who == login:
            sentence = "An administrator or another shift manager unlocks a login."
            return _refuse(SignInCode.NOT_YOURS_TO_DO, sentence)
        async with self._turn(login):
            account = await self._account(login)
            if account is None:
                return _unknown(login)
            if account.locked_at is None and not account.failures:
                return account.sheet
            return (await self._unlock(account, by.who, f"by {by.who}")).sheet

    async def staff(self) -> tuple[StaffSheet, ...]:
        """Everybody, by login."""
        return tuple(each.sheet for each in (await self._all()).values())

    async def one(self, login: str) -> StaffSheet | None:
        """One of them."""
        account = await self._account(_plain(login))
        return None if account is None else account.sheet

    async def _one_to_change(self, by: Session, login: str) -> Account | SignInRefusal:
        if not by.is_administrator:
            return _ADMINISTRATORS_ONLY
        account = await self._account(login)
        return _unknown(login) if account is None else account

    async def _is_last(self, login: str) -> bool:
        """Whether nobody else could look after accounts: enabled, and with a password."""
        others = (each for each in (await self._all()).values() if each.login != login)
        return not any(each.administrator and not each.disabled and each.password is not None for each in others)

    # ------------------------------------------------------------------ the drawer

    async def _changed(self, account: Account, change: Callable[[Account], Account]) -> tuple[StaffSheet, StaffSheet]:
        """Change an account as it is now, between two attempts to sign in; how it was, and how it is."""
        async with self._turn(account.login):
            before = await self._account(account.login) or account
            after = change(before)
            if after != before:
                await self._keep(after)
            return before.sheet, after.sheet

    def _turn(self, login: str) -> asyncio.Lock:
        return self._one_at_a_time[hash(login) % _STRIPES]

    async def _all(self) -> dict[str, Account]:
        kept = await asyncio.to_thread(self._store.entries, ACCOUNT)
        return {name.removeprefix(ACCOUNT): msgspec.json.decode(value, type=Account) for name, value in kept.items()}

    async def _account(self, login: str) -> Account | None:
        name = ACCOUNT + login
        value = (await asyncio.to_thread(self._store.entries, name)).get(name) if _is_name(login) else None
        return None if value is None else msgspec.json.decode(value, type=Account)

    async def _keep(self, account: Account) -> None:
        await asyncio.to_thread(self._store.put, ACCOUNT + account.login, msgspec.json.encode(account))

    async def _link(self, name: str) -> _KeptLink | None:
        value = (await asyncio.to_thread(self._store.entries, name)).get(name)
        return None if value is None else msgspec.json.decode(value, type=_KeptLink)

    async def _note(self, by: str, what: h.HouseEventBody, reason: str = "") -> None:
        await self._log(h.HouseEvent(self._clock(), by, what, reason=reason))


def _plain(login: str) -> str:
    """A login as it is kept, however it is typed."""
    return login.strip().lower()


def _reach(account: Account, role: Role | None) -> Literal["*"] | tuple[str, ...] | None:
    """The tables that a post reaches, none for an administrator; None when it is not his."""
    if role is None:
        return () if account.administrator else None
    post = account.post_as(role)
    return None if post is None else post.tables


def _is_name(text: str) -> bool:
    try:
        msgspec.convert(text, Name)
    except msgspec.ValidationError:
        return False
    return True


def _link_name(token: str) -> str:
    return LINK + sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _unknown(login: str) -> SignInRefusal:
    return _refuse(SignInCode.UNKNOWN, f"There is no account {shown(login)}.")


def _last() -> SignInRefusal:
    return _refuse(SignInCode.LAST_ADMINISTRATOR, "The house keeps at least one administrator who can sign in.")


def _check_login(login: str) -> None:
    if not _is_name(login) or login != _plain(login):
        raise InputFault("login", f"1 to 64 small letters, digits and . _ @ -, got {shown(login)}")
    if login in RESERVED or _GUEST.fullmatch(login):
        raise InputFault("login", f"{shown(login)} is a name of the house itself")


def _check_duties(account: Account) -> None:
    """Duties that are kept apart, and posts that can be."""
    if not account.name.strip() or len(account.name) > 100 or not account.name.isprintable():
        raise InputFault("name", f"1 to 100 characters, got {shown(account.name)}")
    roles = [post.role for post in account.posts]
    for place, post in enumerate(account.posts):
        if post.role not in STAFF_ROLES:
            allowed = ", ".join(sorted(STAFF_ROLES))
            raise InputFault(f"posts[{place}].role", f"one of {allowed}, got {post.role}")
        if roles.count(post.role) > 1:
            raise InputFault(f"posts[{place}].role", f"{post.role} is named twice: put the tables together")
        if post.tables != "*" and (not post.tables or not all(map(_is_name, post.tables))):
            raise InputFault(f"posts[{place}].tables", f'"*" or names of tables, got {shown(post.tables)}')
    if account.administrator and roles:
        raise InputFault("posts", "an administrator has no post at a table: duties are kept apart")
    if Role.AUDITOR in roles and len(roles) > 1:
        raise InputFault("posts", "an auditor has no other post: duties are kept apart")
