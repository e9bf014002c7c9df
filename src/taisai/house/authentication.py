"""Authentication: who may come in, by login and password.

Enters: logins, passwords and one-time links. Leaves: sessions, persons who vouch for another's act, or a
`SignInRefusal`; and an event in the house's log about each. Serves R15, R31, R37.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec.structs import replace

from taisai.house.accounts import Account, Accounts, SignInCode, SignInRefusal, plain_login
from taisai.house.guesses import MINUTE_US, place_of, trace
from taisai.house.passwords import Passwords, password_problem
from taisai.house.register import Register
from taisai.house.sessions import ADMINISTRATOR, Admission, Session, Sessions
from taisai.streams import house_events as h
from taisai.streams.house_events import HOUSE_ACTOR
from taisai.table.people import Person, Role

PLACES_KEPT: Final = 15
"""Places where somebody signed in before that are remembered, beside the last."""

_WRONG: Final = SignInRefusal(SignInCode.WRONG, "The login or the password is wrong.")
_LINK_OVER: Final = SignInRefusal(
    SignInCode.LINK_OVER, "This link is not valid: it was used, has expired or never existed."
)


def _locked(wait_us: int) -> SignInRefusal:
    minutes = -(-wait_us // MINUTE_US)
    sentence = (
        f"This login is locked here after too many wrong passwords: wait {minutes} minute{'s' if minutes > 1 else ''},"
        " or have an administrator or another shift manager unlock it."
    )
    return SignInRefusal(SignInCode.LOCKED, sentence)


class Authentication:
    """Lets people in, and lets them choose their passwords."""

    def __init__(self, accounts: Accounts, sessions: Sessions, passwords: Passwords | None = None) -> None:
        self._accounts = accounts
        self._sessions = sessions
        self._passwords = passwords or Passwords()
        self._policy = accounts.policy
        self.register: Register | None = None
        """The staff by the house's log, where there is one: nobody signs in to an account that it does not have."""

    async def sign_in(
        self, login: str, password: str, post: Role | Literal["administrator"], where: str = ""
    ) -> Admission | SignInRefusal:
        """Sign in to a post. Signing in to another post ends the session of the one before (`rws-tai-sai-v6` §1.5)."""
        checked = await self._check(login, password, where)
        if isinstance(checked, SignInRefusal):
            return checked
        async with self._accounts.turn(checked.login):
            # The account may have been changed since the password was checked.
            account = await self._accounts.one(checked.login)
            if account is None or account.disabled or account.password != checked.password:
                return _WRONG
            role = None if post == ADMINISTRATOR else Role(post)
            tables = account.tables_as(role)
            if tables is None:
                return await self._no_post(account.login, post, where)
            for each in self._sessions.all():
                if each.who == account.login and not each.is_player and each.role is not role:
                    await self._sessions.end(each.key, f"signed in as {post}")
            admission = await self._sessions.begin(account.login, role, tables, where, account.id)
            await self._accounts.note(account.login, h.SignedIn(account.login, admission.session.post, where))
            return admission

    async def vouch(
        self, login: str, password: str, role: Role, table: str, where: str = "", *, asker: str = ""
    ) -> Person | SignInRefusal:
        """The second person, who authorises what `asker` does at a table; failures count as they do at a sign-in."""
        second = await self._accounts.one(plain_login(login))
        if asker and second is not None and asker in (second.login, second.id):
            return SignInRefusal(SignInCode.SAME_PERSON, "The second person must not be the first.")
        account = await self._check(login, password, where, asker and f"second person of {asker}")
        if isinstance(account, SignInRefusal):
            return account
        tables = account.tables_as(role)
        if tables is None:
            return await self._no_post(account.login, role, where)
        if tables != "*" and table not in tables:
            await self._failed(account.login, f"no {role} at table {table}", where)
            return SignInRefusal(SignInCode.NOT_HERE, f"{account.login} is not a {role} at table {table}.")
        return Person(account.id or account.login, role)

    async def unlock_session(self, session: Session, password: str, where: str = "") -> Session | SignInRefusal:
        """Unlock an idle session with its holder's password."""
        checked = await self._check(session.who, password, where)
        if isinstance(checked, SignInRefusal):
            return checked
        unlocked = await self._sessions.unlock(session.key)
        return unlocked or SignInRefusal(SignInCode.SESSION_OVER, "The session is over; sign in again.")

    async def _no_post(self, login: str, post: str, where: str) -> SignInRefusal:
        await self._failed(login, f"no post as {post}", where)
        return SignInRefusal(SignInCode.NO_POST, f"{login} has no post as {post}.")

    async def _failed(self, login: str, why: str, where: str, failures: int = 0) -> None:
        await self._accounts.note(HOUSE_ACTOR, h.SignInFailed(login, why, where, failures))

    # ------------------------------------------------------------------ checking a password

    async def _check(self, login: str, password: str, where: str, asker: str = "") -> Account | SignInRefusal:
        """The account, when login and password are right. A password is hashed whether the account exists or not.

        `asker` is who guesses, if it is wrong: the address, unless somebody who is signed in asks.
        """
        login, at_side, guesses = plain_login(login), bool(asker), self._accounts.guesses
        asker = asker or where
        async with self._accounts.turn(login):
            account = await self._accounts.one(login)
            logged, place = "" if account is None else login, trace(place_of(asker))
            known = at_side or (account is not None and place in account.places)
            wait = await guesses.wait_us(login, asker, known=known)
            if wait:
                await self._failed(logged, "the login is locked", where)
                return _locked(wait)
            if not await self._passwords.matches(None if account is None else account.password, password):
                return await self._wrong(login, asker, where, account, known=known)
            assert account is not None, "nobody's password matches nothing"
            if self.register is not None and not await self.register.agrees(account):
                await self._failed(login, "the account is not as the house's log has it", where)
                return _WRONG
            if account.disabled:
                await self._failed(login, "the login is disabled", where)
                return SignInRefusal(SignInCode.DISABLED, "This login is disabled.")
            await guesses.forget(login, asker)
            outdated = account.password is not None and self._passwords.outdated(account.password)
            if not known or outdated:
                hashed = await self._passwords.hashed(password) if outdated else account.password
                account = replace(account, password=hashed, places=(*account.places[-PLACES_KEPT:], place))
                await self._accounts.put(account)
            return account

    async def _wrong(
        self, login: str, asker: str, where: str, account: Account | None, *, known: bool
    ) -> SignInRefusal:
        """Count a failure. An unknown login gets the answers that an account would get, and is not written down."""
        guesses = self._accounts.guesses
        failures = await guesses.add(login, asker, known=known)
        if account is None:
            await self._failed("", "nobody has this login", where)
        else:
            await self._failed(login, "the password is wrong", where, failures)
        wait = await guesses.wait_us(login, asker, known=known)
        if not wait:
            return _WRONG
        if account is not None and failures >= self._policy.failures:
            await self._accounts.note(HOUSE_ACTOR, h.LoginLocked(login, failures, where))
        # Sessions stay: otherwise anybody could end a dealer's session in mid-round with three wrong passwords.
        return _locked(wait)

    # ------------------------------------------------------------------ choosing a password

    async def redeem(self, token: str, password: str, where: str = "") -> str | SignInRefusal:
        """Choose a password with a one-time link; the login. A weak password does not use the link up."""
        async with self._accounts.changing:
            link = await self._accounts.find_link(token)
            account = None if link is None else await self._accounts.one(link.login)
            if link is None or account is None or account.disabled or self._accounts.clock() >= link.expires_at:
                return _LINK_OVER
            weak = password_problem(account.login, password)
            if weak is not None:
                return SignInRefusal(SignInCode.WEAK_PASSWORD, weak)
            await self._accounts.delete_link(token)
            await self._set_password(account.login, password, "one-time link", where)
            return account.login

    async def change_password(
        self, session: Session, old: str, new: str, where: str = ""
    ) -> Literal["done"] | SignInRefusal:
        """Choose another password, after giving the present one; the person's other sessions end."""
        account = await self._check(session.who, old, where)
        if isinstance(account, SignInRefusal):
            return account
        weak = password_problem(account.login, new)
        if weak is not None:
            return SignInRefusal(SignInCode.WEAK_PASSWORD, weak)
        async with self._accounts.changing:
            await self._set_password(account.login, new, "by the one before", where, keep=session.key)
        return "done"

    async def _set_password(self, login: str, password: str, how: str, where: str, keep: str = "") -> None:
        hashed = await self._passwords.hashed(password)
        async with self._accounts.turn(login):
            account = await self._accounts.one(login)
            if account is not None:
                await self._accounts.unlock(login, login, "a new password was chosen")
                await self._accounts.put(replace(account, password=hashed))
        await self._accounts.note(login, h.PasswordSet(login, how, where))
        await self._sessions.end_all_of(login, "a new password was chosen", keep=keep)
