"""Seats: how a player's screen is bound to a player at a table.

Enters: the crew's request for a code, and the code as a player types it. Leaves: eight characters without look-alikes,
valid once and for minutes; then the table, the player and the amount that they want to buy in for, which the dealer
confirms. Wrong codes are limited, from each address and in total. Guests of a demo get a name of their own.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from enum import StrEnum
from hashlib import sha256
from secrets import choice
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from taisai.core.faults import InputFault, shown
from taisai.core.money import chips_of
from taisai.house.accounts import ACCOUNT, RESERVED, is_name
from taisai.house.log import Clock, Log
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
"""Wrong codes a minute from one address."""
GUESSES_IN_ALL: Final = 300
"""Wrong codes a minute in total: at most 3000 in the life of a code, of 6.5 * 10**11."""
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
    amount: int
    expires_at: int


_NOT_VALID: Final = SeatRefusal(
    SeatRefusalCode.NOT_VALID,
    "This code is not valid: it was used, has expired or never existed. Ask the dealer for another.",
)


class _Guesses:
    """Wrong codes of the last minute."""

    def __init__(self) -> None:
        self._all: deque[int] = deque(maxlen=GUESSES_IN_ALL)
        self._by_place: OrderedDict[str, deque[int]] = OrderedDict()

    def wait_us(self, where: str, now: int) -> tuple[int, str]:
        """How long an address must wait, 0 when it need not, and which address guessed: empty for all together."""
        for guesses, most, source in (
            (self._by_place.get(where, deque()), GUESSES_FROM_ONE, where),
            (self._all, GUESSES_IN_ALL, ""),
        ):
            if len(guesses) >= most and now - guesses[0] < MINUTE_US:
                return guesses[0] + MINUTE_US - now, source
        return 0, ""

    def add(self, where: str, now: int) -> None:
        """Count a wrong code."""
        self._all.append(now)
        guesses = self._by_place.pop(where, None) or deque(maxlen=GUESSES_FROM_ONE)
        guesses.append(now)
        self._by_place[where] = guesses
        if len(self._by_place) > PLACES_KEPT:
            self._by_place.popitem(last=False)


class Seats:
    """The seat codes of the house. `taken` says whether a player at a table has a name already."""

    def __init__(
        self, store: KeyValueStore, log: Log, clock: Clock, policy: SignIn, taken: Callable[[str, str], bool]
    ) -> None:
        self._store = store
        self._log = log
        self._clock = clock
        self._policy = policy
        self._taken = taken
        self._guesses = _Guesses()
        self._logged: dict[str, int] = {}
        self._guests: set[str] = set()
        # One code at a time, so that none is used twice.
        self._one_at_a_time = asyncio.Lock()

    async def make_code(self, by: Session, table: str, player: str = "", amount: int = 0) -> SeatCode | SeatRefusal:
        """Make a code for a seat at a table, for a named player or for whoever uses it and chooses a name."""
        if not (by.is_crew and by.reaches(table)):
            return SeatRefusal(SeatRefusalCode.NOT_YOURS_TO_DO, f"The crew of table {table} gives out its seats.")
        if player and not is_name(player):
            raise InputFault("player", f"1 to 64 letters, digits and . _ @ -, got {shown(player)}")
        chips_of(amount, "amount")
        code = "".join(choice(ALPHABET) for _ in range(LENGTH))
        expires_at = self._clock() + self._policy.seat_code_minutes * MINUTE_US
        stored = _StoredCode(table, player, amount, expires_at)
        await asyncio.to_thread(self._store.put, _key_of(code), msgspec.json.encode(stored))
        await self._note(by.who, SeatCodeMade(table, player, amount, expires_at))
        return SeatCode(f"{code[:4]}-{code[4:]}", table, player, amount, expires_at)

    async def redeem(self, code: str, where: str = "", player: str = "") -> Seat | SeatRefusal:
        """Use a code. `player` is the name that its user chooses when the crew named none; the default is made up.

        A name that is taken does not use the code up: the user is asked to choose another name.
        """
        async with self._one_at_a_time:
            now = self._clock()
            wait, source = self._guesses.wait_us(where, now)
            if wait:
                return await self._too_many(source, wait, now)
            key = _key_of(code)
            value = (await asyncio.to_thread(self._store.entries, key)).get(key)
            stored = None if value is None else msgspec.json.decode(value, type=_StoredCode)
            if stored is None or now >= stored.expires_at:
                self._guesses.add(where, now)
                return _NOT_VALID
            wanted = stored.player or player or self._new_name("seat", stored.table)
            if not stored.player and not is_name(wanted):
                return SeatRefusal(SeatRefusalCode.BAD_NAME, "A name has 1 to 64 letters, digits and . _ @ -.")
            if not stored.player and (self._taken(stored.table, wanted) or await self._is_staff(wanted)):
                sentence = f"The name {wanted} is taken at this table; choose another."
                return SeatRefusal(SeatRefusalCode.NAME_TAKEN, sentence)
            await asyncio.to_thread(self._store.put, key, None)
            await self._note(wanted, SeatCodeUsed(stored.table, wanted, where))
            return Seat(stored.table, wanted, stored.amount)

    def guest_name(self, table: str) -> str:
        """A name for a guest of a demo table, never reused."""
        return self._new_name("guest", table)

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

    def _new_name(self, kind: str, table: str) -> str:
        while True:
            name = f"{kind}-{''.join(choice(ALPHABET) for _ in range(LENGTH)).lower()}"
            if name not in self._guests and not self._taken(table, name):
                self._guests.add(name)
                return name

    async def _note(self, by: str, what: HouseEventBody) -> None:
        await self._log(HouseEvent(self._clock(), by, what))


def _key_of(code: str) -> str:
    """The key under which a code is stored. A plain hash is enough for what is valid once and for minutes."""
    typed = "".join(each for each in code[:64].upper() if each not in "- ")
    return PREFIX + sha256(b"taisai seat code " + typed.encode("utf-8", "surrogatepass")).hexdigest()
