"""Sessions: who is signed in, where, as what, and for how long.

Enters: people whom `authentication` has let in, players with a seat. Leaves: a token for each, of which only the
SHA-256 is stored, and the session of a token. Finding a session reads memory only; activity is written from time to
time (`sweep`), so that a restart keeps people signed in without a write for each request. A crew session locks after
idle minutes, and can do nothing until the password is given again. Serves R15, R37.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Set
from contextlib import asynccontextmanager
from hashlib import sha256
from secrets import token_urlsafe
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from taisai.house.log import Clock, Log
from taisai.journal.contract import KeyValueStore
from taisai.settings.forms import SignIn
from taisai.streams.house_events import HOUSE_ACTOR, HouseEvent, HouseEventBody, SessionExpired, SignedOut
from taisai.table.people import CREW, Person, Role

ADMINISTRATOR: Final = "administrator"
PREFIX: Final = "session/"
MINUTE_US: Final = 60_000_000
HOUR_US: Final = 60 * MINUTE_US
SEEN_LAG_US: Final = MINUTE_US
"""How far the stored time of a session's last activity may lag; after a restart it locks so much earlier at most."""
TOKEN_BYTES: Final = 32


class Session(Struct, frozen=True, kw_only=True):
    """One sign-in."""

    key: str
    """The SHA-256 of its token, in hex, which names the session wherever the token itself must not appear."""
    csrf: str
    who: str
    """A login; for a player, the id of their sitting."""
    role: Role | None
    """None for an administrator, who has no role at a table."""
    tables: Literal["*"] | tuple[str, ...]
    created_at: int
    expires_at: int
    seen_at: int
    locked: bool = False
    where: str = ""
    id: str = ""
    """What stands for a member of staff in records, where that is not the login."""

    @property
    def person(self) -> Person | None:
        """The person who acts at a table; None for an administrator."""
        return None if self.role is None else Person(self.actor, self.role)

    @property
    def actor(self) -> str:
        """What stands for its holder in records and rows."""
        return self.id or self.who

    @property
    def post(self) -> str:
        """The post that the session is signed in to, in a word."""
        return ADMINISTRATOR if self.role is None else str(self.role)

    @property
    def is_administrator(self) -> bool:
        """Whether it belongs to an administrator."""
        return self.role is None

    @property
    def is_player(self) -> bool:
        """Whether it belongs to a player."""
        return self.role is Role.PLAYER

    @property
    def is_crew(self) -> bool:
        """Whether it belongs to a dealer, supervisor or manager."""
        return self.role in CREW

    def reaches(self, table: str) -> bool:
        """Whether it covers a table."""
        return self.role is not None and (self.tables == "*" or table in self.tables)


THE_CONSOLE: Final = Session(
    key="", csrf="", who="console", role=None, tables=(), created_at=0, expires_at=0, seen_at=0, where="console"
)
"""The person at the machine itself, who runs the program's commands: an administrator without an account."""


class Admission(NamedTuple):
    """A new session, and its token, which is shown only here."""

    token: str
    session: Session


def key_of(token: str) -> str:
    """The key of a token's session."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class Sessions:
    """All sessions of the house."""

    def __init__(self, store: KeyValueStore, log: Log, clock: Clock, policy: SignIn) -> None:
        self._store = store
        self._log = log
        self._clock = clock
        self._policy = policy
        self._open: dict[str, Session] = {}
        self._written_seen: dict[str, int] = {}
        self._writing = asyncio.Lock()
        self._in_hand: set[str] = set()
        """Sessions that are being written or deleted right now: memory is newer than the store."""
        self._changed_since_read: set[str] = set()
        """Those that were, at any time since the store was last read."""
        self._merge(self._read(), frozenset())

    async def reload(self) -> None:
        """Read the store again: another node may have begun or ended sessions."""
        self._changed_since_read = set(self._in_hand)
        self._merge(await asyncio.to_thread(self._read), self._changed_since_read)

    def _read(self) -> dict[str, Session]:
        stored = {}
        for key, value in self._store.entries(PREFIX).items():
            try:
                session = msgspec.json.decode(value, type=Session)
            except msgspec.MsgspecError:
                continue  # written by another version; its holder must sign in again
            if key == PREFIX + session.key:
                stored[session.key] = session
        return stored

    def _merge(self, stored: dict[str, Session], changed: Set[str]) -> None:
        """Take over what was read, except for sessions that changed here meanwhile."""
        for key in changed:
            stored.pop(key, None)
        mine = {key: self._open[key] for key in changed if key in self._open}
        seen = {key: self._written_seen[key] for key in changed if key in self._written_seen}
        # Of two versions the one with the later activity wins; activity here may not be written yet.
        self._written_seen = seen | {key: session.seen_at for key, session in stored.items()}
        self._open = mine | {
            key: max(self._open.get(key, session), session, key=lambda each: each.seen_at)
            for key, session in stored.items()
        }

    def reload_one(self, token: str) -> None:
        """Read a session that may have begun at another node a moment ago."""
        key = key_of(token)
        value = self._store.entries(PREFIX + key).get(PREFIX + key)
        if value is not None and key not in self._open:
            try:
                self._open[key] = msgspec.json.decode(value, type=Session)
            except msgspec.MsgspecError:
                return
            self._written_seen[key] = self._open[key].seen_at

    # ------------------------------------------------------------------ queries

    def find(self, token: str) -> Session | None:
        """The session of a token, locked or not; None when there is none or it has expired."""
        return self.by_key(key_of(token))

    def is_seat(self, key: str, now: int) -> bool:
        """Whether this is a player's valid session: asked for every bet, so it does nothing else."""
        session = self._open.get(key)
        return session is not None and session.role is Role.PLAYER and now < session.expires_at

    def by_key(self, key: str) -> Session | None:
        """The session of a key, as `find`."""
        session = self._open.get(key)
        return None if session is None or self._clock() >= session.expires_at else self._with_lock(session)

    def touch(self, key: str) -> None:
        """Note activity of its holder. Ignored for a session that is locked or over."""
        session = self.by_key(key)
        if session is not None and not session.locked:
            self._open[key] = replace(session, seen_at=self._clock())

    def all(self) -> tuple[Session, ...]:
        """Every session that has not expired."""
        now = self._clock()
        return tuple(self._with_lock(each) for each in self._open.values() if now < each.expires_at)

    def _with_lock(self, session: Session) -> Session:
        """The session, locked when its holder was idle for too long. Players' sessions never lock."""
        idle = self._policy.idle_minutes * MINUTE_US
        if session.locked or session.is_player or self._clock() - session.seen_at < idle:
            return session
        locked = replace(session, locked=True)
        self._open[session.key] = locked
        return locked

    # ------------------------------------------------------------------ beginning and end

    async def begin(
        self, who: str, role: Role | None, tables: Literal["*"] | tuple[str, ...], where: str = "", person: str = ""
    ) -> Admission:
        """Begin a session of a member of staff, whom `authentication` has checked; `person` is their id in records."""
        return await self._begin(who, role, tables, where, hours=self._policy.crew_hours, person=person)

    async def begin_player(self, table: str, player: str, where: str = "") -> Admission:
        """Begin a session of a player: the one token of their sitting at a table. An earlier one ends."""
        await self.end_player(table, player)
        return await self._begin(player, Role.PLAYER, (table,), where, hours=self._policy.player_hours)

    async def _begin(
        self,
        who: str,
        role: Role | None,
        tables: Literal["*"] | tuple[str, ...],
        where: str,
        *,
        hours: int,
        person: str = "",
    ) -> Admission:
        now = self._clock()
        token = token_urlsafe(TOKEN_BYTES)
        session = Session(
            key=key_of(token),
            csrf=token_urlsafe(TOKEN_BYTES),
            who=who,
            role=role,
            tables=tables,
            created_at=now,
            expires_at=now + hours * HOUR_US,
            seen_at=now,
            where=where,
            id=person,
        )
        self._open[session.key] = session
        try:
            await self._write(session.key)
        except BaseException:
            self._open.pop(session.key, None)
            raise
        return Admission(token, session)

    async def lock(self, key: str) -> None:
        """Lock a session now, as its holder asked."""
        session = self._open.get(key)
        if session is not None and not session.is_player:
            self._open[key] = replace(session, locked=True)
            await self._write(key)

    async def unlock(self, key: str) -> Session | None:
        """Unlock a session; `authentication.unlock_session` has checked the password."""
        session = self.by_key(key)
        if session is None:
            return None
        self._open[key] = unlocked = replace(session, locked=False, seen_at=self._clock())
        await self._write(key)
        return unlocked

    async def end(self, key: str, why: str = "", by: str = "") -> None:
        """End a session: its holder signed out, or somebody else ended it."""
        session = self._open.pop(key, None)
        if session is not None:
            await self._forget(session, SignedOut(session.who, session.post, why), by or session.who)

    async def end_all_of(self, login: str, why: str = "", by: str = "", *, keep: str = "") -> int:
        """End all sessions of a member of staff, except `keep`; how many that were."""
        theirs = [each.key for each in self._open.values() if each.who == login and not each.is_player]
        ended = [key for key in theirs if key != keep]
        for key in ended:
            await self.end(key, why, by)
        return len(ended)

    async def end_player(self, table: str, player: str) -> int:
        """End a player's sessions at a table: their sitting is over."""
        return await self._end_seats(table, player)

    async def end_players(self, table: str) -> int:
        """End the sessions of all players of a table: it was closed."""
        return await self._end_seats(table, None)

    async def _end_seats(self, table: str, player: str | None) -> int:
        ended = [
            each.key
            for each in self._open.values()
            if each.is_player and player in (None, each.who) and each.tables == (table,)
        ]
        for key in ended:
            await self.end(key)
        return len(ended)

    async def sweep(self) -> int:
        """End expired sessions and write recent activity; to be called every minute or so. How many expired."""
        now = self._clock()
        expired = [each for each in self._open.values() if now >= each.expires_at]
        for session in expired:
            if self._open.pop(session.key, None) is not None:
                await self._forget(session, SessionExpired(session.who, session.post), HOUSE_ACTOR)
        for session in self.all():
            if session.seen_at - self._written_seen.get(session.key, 0) >= SEEN_LAG_US:
                await self._write(session.key)
        return len(expired)

    async def flush(self) -> None:
        """Write all activity that is not written yet, before a planned stop."""
        for session in self.all():
            if session.seen_at != self._written_seen.get(session.key):
                await self._write(session.key)

    async def _write(self, key: str) -> None:
        """Store a session as it is now. One that was ended meanwhile is not brought back."""
        async with self._changing(key), self._writing:
            session = self._open.get(key)
            if session is not None:
                await asyncio.to_thread(self._store.put, PREFIX + key, msgspec.json.encode(session))
                self._written_seen[key] = session.seen_at

    @asynccontextmanager
    async def _changing(self, key: str) -> AsyncIterator[None]:
        self._in_hand.add(key)
        self._changed_since_read.add(key)
        try:
            yield
        finally:
            self._in_hand.discard(key)

    async def _forget(self, session: Session, what: HouseEventBody, by: str) -> None:
        async with self._changing(session.key), self._writing:
            self._written_seen.pop(session.key, None)
            await asyncio.to_thread(self._store.put, PREFIX + session.key, None)
        if not session.is_player:
            await self._log(HouseEvent(self._clock(), by, what))
