"""Seats: how a player's screen is bound to a player at a table.

Enters: the crew's request for a code, and the code as a player types it. Leaves: eight characters without look-alikes,
valid once and for minutes; then the table, the id of the player's sitting and the amount that they want to buy in for,
which the dealer confirms. Wrong codes are limited, from each address. Guests of a demo choose a nickname or get one.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from enum import StrEnum
from hashlib import sha256
from secrets import choice
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from taisai.core.faults import InputFault, shown
from taisai.core.money import chips_of
from taisai.house.accounts import ACCOUNT, RESERVED, is_name
from taisai.house.guesses import place_of, trace
from taisai.house.log import Clock, Log
from taisai.house.persons import PLAYER, Persons, is_person, new_id
from taisai.house.sessions import MINUTE_US, Session
from taisai.journal.contract import KeyValueStore
from taisai.settings.forms import SignIn
from taisai.streams.house_events import (
    HOUSE_ACTOR,
    GuessingStopped,
    HouseEvent,
    HouseEventBody,
    SeatCodeMade,
    SeatCodeUsed,
)

PREFIX: Final = "seat-code/"
ALPHABET: Final = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Without 0 and O, 1, I and L, U: 30 characters."""
LENGTH: Final = 8
GUESSES_FROM_ONE: Final = 10
"""Wrong codes a minute from one address. From ten thousand addresses that is a million in the life of a code, of
6.5 * 10**11; a limit for all together would let strangers keep everybody from sitting down."""
PLACES_KEPT: Final = 10_000


class SeatCode(NamedTuple):
    """A new code, as it is read out or printed; it is shown only here."""

    code: str
    table: str
    player: str
    amount: int
    expires_at: int


class Seat(NamedTuple):
    """The seat that a code was for."""

    table: str
    player: str
    amount: int
    """What the player wants to buy in for; 0 when nothing was said. The dealer confirms it."""


class SeatRefusalCode(StrEnum):
    """Why a seat, or a code, is refused."""

    NOT_VALID = "code-not-valid"
    TOO_MANY_GUESSES = "too-many-guesses"
    NAME_TAKEN = "name-taken"
    BAD_NAME = "bad-name"
    NOT_YOURS_TO_DO = "not-yours-to-do"


class SeatRefusal(Struct, frozen=True):
    """Why something is refused."""

    code: SeatRefusalCode
    sentence: str
    retry_after_s: int = 0


class _StoredCode(Struct, frozen=True):
    table: str
    player: str
    """An id; empty while nobody has chosen a name."""
    amount: int
    expires_at: int
    returning: bool = False
    """Whether it is for a player who was at the table when it was made."""
    used_by: str = ""
    """The trace of the request that has used it: the same request gets the same answer."""


_NOT_VALID: Final = SeatRefusal(
    SeatRefusalCode.NOT_VALID,
    "This code is not valid: it was used, has expired or never existed. Ask the dealer for another.",
)


class _Guesses:
    """Wrong codes of the last minute, for each place."""

    def __init__(self) -> None:
        self._by_place: OrderedDict[str, deque[int]] = OrderedDict()

    def wait_us(self, where: str, now: int) -> int:
        """How long a place must wait, 0 when it need not."""
        guesses = self._by_place.get(place_of(where), deque())
        full = len(guesses) >= GUESSES_FROM_ONE and now - guesses[0] < MINUTE_US
        return guesses[0] + MINUTE_US - now if full else 0

    def add(self, where: str, now: int) -> None:
        """Count a wrong code."""
        guesses = self._by_place.pop(place_of(where), None) or deque(maxlen=GUESSES_FROM_ONE)
        guesses.append(now)
        self._by_place[place_of(where)] = guesses
        if len(self._by_place) > PLACES_KEPT:
            self._by_place.popitem(last=False)


class Seats:
    """The seat codes of the house. `players` gives the ids of those who have a seat at a table."""

    def __init__(
        self,
        store: KeyValueStore,
        log: Log,
        clock: Clock,
        policy: SignIn,
        *,
        persons: Persons,
        players: Callable[[str], Iterable[str]],
    ) -> None:
        self._store = store
        self._log = log
        self._clock = clock
        self._policy = policy
        self._persons = persons
        self._players = players
        self._guesses = _Guesses()
        self._logged: dict[str, int] = {}
        # One code at a time, so that none is used twice.
        self._one_at_a_time = asyncio.Lock()

    async def make_code(self, by: Session, table: str, player: str = "", amount: int = 0) -> SeatCode | SeatRefusal:
        """Make a code for a seat at a table, for a named player or for whoever uses it and chooses a name.

        The name of somebody who has a seat there leads back to it; any other is a new person's.
        """
        if not (by.is_crew and by.reaches(table)):
            return SeatRefusal(SeatRefusalCode.NOT_YOURS_TO_DO, f"The crew of table {table} gives out its seats.")
        if player and (not is_name(player) or (is_person(player) and player not in self._players(table))):
            raise InputFault("player", f"1 to 64 letters, digits and . _ @ -, got {shown(player)}")
        chips_of(amount, "amount")
        code = "".join(choice(ALPHABET) for _ in range(LENGTH))
        expires_at = self._clock() + self._policy.seat_code_minutes * MINUTE_US
        there = self._at(table, player) if player else None
        if player:
            player = there or await self._persons.add(PLAYER, player)
        stored = _StoredCode(table, player, amount, expires_at, there is not None)
        await asyncio.to_thread(self._store.put, _key_of(code), msgspec.json.encode(stored))
        await self._note(by.who, SeatCodeMade(table, player, amount, expires_at))
        return SeatCode(f"{code[:4]}-{code[4:]}", table, player, amount, expires_at)

    async def redeem(self, code: str, where: str = "", player: str = "", asked: str = "") -> Seat | SeatRefusal:
        """Use a code. `player` is the name that its user chooses when the crew named none; the default is made up.

        A name that is taken does not use the code up: the user is asked to choose another name. `asked` is the
        request's own id: whoever lost the answer asks again with it, and gets the same seat.
        """
        async with self._one_at_a_time:
            now = self._clock()
            wait = self._guesses.wait_us(where, now)
            if wait:
                return await self._too_many(where, wait, now)
            key = _key_of(code)
            value = (await asyncio.to_thread(self._store.entries, key)).get(key)
            stored = None if value is None else msgspec.json.decode(value, type=_StoredCode)
            mine = trace(asked) if asked else ""
            if stored is None or now >= stored.expires_at or (stored.used_by and stored.used_by != mine):
                self._guesses.add(where, now)
                return _NOT_VALID
            if stored.used_by:
                return Seat(stored.table, stored.player, stored.amount)
            wanted = stored.player or player or _new_name("seat")
            refusal = None if stored.player else await self._not_free(stored.table, wanted)
            if refusal is not None:
                return refusal
            if not stored.player:
                wanted = await self._persons.add(PLAYER, wanted, key)
            elif stored.returning and wanted not in self._players(stored.table):
                # They have left since: this is another sitting, with an id of its own.
                wanted = await self._persons.add(PLAYER, self._persons.names.get(wanted, wanted), key)
            used = replace(stored, player=wanted, used_by=mine or "nobody")
            await asyncio.to_thread(self._store.put, key, msgspec.json.encode(used))
            await self._note(wanted, SeatCodeUsed(stored.table, wanted, where))
            return Seat(stored.table, wanted, stored.amount)

    async def guest(self, table: str, asked: str, nickname: str = "") -> str | SeatRefusal:
        """The id of a guest of a demo table, by nickname or a made-up name; the same for the same request."""
        key = f"guest {table} {asked}"
        async with self._one_at_a_time:
            player = new_id(PLAYER, key)
            await self._persons.learn((player,))
            if nickname and player not in self._persons.names:
                refusal = await self._not_free(table, nickname)
                if refusal is not None:
                    return refusal
            return await self._persons.add(PLAYER, nickname or _new_name("guest"), key)

    async def _not_free(self, table: str, name: str) -> SeatRefusal | None:
        """Why a player cannot have this name at a table; None when they can."""
        if not is_name(name) or is_person(name):
            return SeatRefusal(SeatRefusalCode.BAD_NAME, "A name has 1 to 64 letters, digits and . _ @ -.")
        if self._at(table, name) or await self._is_staff(name):
            return SeatRefusal(SeatRefusalCode.NAME_TAKEN, f"The name {name} is taken at this table; choose another.")
        return None

    def _at(self, table: str, name: str) -> str | None:
        """The id of the player at a table who is shown by a name."""
        found = self._persons.id_among(self._players(table), name)
        return found if found in self._players(table) else None

    async def sweep(self) -> int:
        """Delete expired codes; how many."""
        now = self._clock()
        expired = [
            key
            for key, value in (await asyncio.to_thread(self._store.entries, PREFIX)).items()
            if now >= msgspec.json.decode(value, type=_StoredCode).expires_at
        ]
        for key in expired:
            await asyncio.to_thread(self._store.put, key, None)
        return len(expired)

    async def _too_many(self, source: str, wait: int, now: int) -> SeatRefusal:
        """Refuse further guesses; logged once a minute for each address."""
        if now - self._logged.get(source, -MINUTE_US) >= MINUTE_US:
            self._logged = {each: at for each, at in self._logged.items() if now - at < MINUTE_US}
            self._logged[source] = now
            await self._note(HOUSE_ACTOR, GuessingStopped(source))
        seconds = -(-wait // 1_000_000)
        sentence = f"Too many wrong codes; wait {seconds} seconds, or ask the dealer."
        return SeatRefusal(SeatRefusalCode.TOO_MANY_GUESSES, sentence, seconds)

    async def _is_staff(self, name: str) -> bool:
        """Whether a name is a login of the staff, or the program's own: one name for two would mislead in the log."""
        login = ACCOUNT + name.lower()
        return name.lower() in RESERVED or login in await asyncio.to_thread(self._store.entries, login)

    async def _note(self, by: str, what: HouseEventBody) -> None:
        await self._log(HouseEvent(self._clock(), by, what))


def _new_name(kind: str) -> str:
    return f"{kind}-{''.join(choice(ALPHABET) for _ in range(LENGTH)).lower()}"


def _key_of(code: str) -> str:
    """The key under which a code is stored. A plain hash is enough for what is valid once and for minutes."""
    typed = "".join(each for each in code[:64].upper() if each not in "- ")
    return PREFIX + sha256(b"taisai seat code " + typed.encode("utf-8", "surrogatepass")).hexdigest()
