"""Persons: opaque ids in the records, and beside the records the rows that say who somebody is.

Enters: the name that a player is called by, a login, an address. Leaves: an id such as `p.k7m2q9x4abcd`, which stands
for it in every record from then on; and a text with the names put back, for people's eyes. Inside the house there are
ids alone; names come in and go out at its doors (sockets and endpoints, `inward` and `named`). A name is for reading,
and gives no right: each sitting of a player has an id of its own.

What identifies somebody is a row of the key-value store, outside the chain. It is erased on request and after a time:
the id stays in the records, the chain and the money stay whole, and screens show `erased-k7m2`.
"""

from __future__ import annotations

import asyncio
import re
from base64 import b32encode
from collections import OrderedDict
from collections.abc import Iterable
from hashlib import sha256
from secrets import token_bytes
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from taisai.house.log import Clock
from taisai.journal.contract import KeyValueStore
from taisai.streams.house_events import HouseEvent, StaffSheet

PREFIX: Final = "person/"
ERASED: Final = "person-erased/"
"""What was erased in the last day, for nodes that still show the name."""
PLAYER, STAFF, ADDRESS = "p", "s", "a"
"""The first letter of an id says what it stands for."""
ERASED_KEPT_US: Final = 24 * 3_600_000_000
_LENGTH: Final = 12
_ID: Final = re.compile(rb"\b[psa]\.[a-z2-7]{12}\b")
ADDRESSES_KEPT: Final = 10_000
"""Addresses whose ids are remembered; one that is forgotten gets another id."""


class PersonRow(Struct, frozen=True):
    """Who an id stands for, as it is stored."""

    name: str
    """Empty once it is erased."""
    at: int
    """When it was made, or last used."""
    of: str = ""
    """Whose address it is."""
    erased_at: int | None = None


class Persons:
    """The rows of all persons. What is shown comes from memory, which is filled before it is needed."""

    def __init__(self, store: KeyValueStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self.names: dict[str, str] = {}
        """What each known id is shown as."""
        self._logins: dict[str, str] = {}
        self._addresses: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._shown: dict[bytes, bytes] = {}

    # ------------------------------------------------------------------ rows

    async def add(self, kind: str, name: str, key: str = "", of: str = "") -> str:
        """A new id for a name. With a `key` it is always the same for that key, so that asking again makes no other."""
        person = new_id(kind, key)
        if key:
            await self.learn((person,))
        if person not in self.names:
            await self._put(person, PersonRow(name, self._clock(), of))
        return person

    async def learn(self, persons: Iterable[str]) -> None:
        """Read the rows of ids that another node, or an earlier start, has made."""
        await asyncio.to_thread(self.look_up, [each for each in persons if each not in self.names])

    def look_up(self, persons: Iterable[str]) -> None:
        """The same, from a thread that may wait for the store."""
        for person in persons:
            if is_person(person):
                row = self.row(person)
                if row is not None:
                    self._know(person, row)

    def row(self, person: str) -> PersonRow | None:
        """The stored row of an id."""
        value = self._store.entries(PREFIX + person).get(PREFIX + person)
        return None if value is None else msgspec.json.decode(value, type=PersonRow)

    def find(self, name: str) -> dict[str, PersonRow]:
        """Everybody who has this name or this id, addresses too; reads all rows."""
        return {person: row for person, row in self._rows().items() if name and name in (row.name, person)}

    def _rows(self) -> dict[str, PersonRow]:
        entries = self._store.entries(PREFIX)
        return {key.removeprefix(PREFIX): msgspec.json.decode(each, type=PersonRow) for key, each in entries.items()}

    async def _put(self, person: str, row: PersonRow) -> None:
        await asyncio.to_thread(self._store.put, PREFIX + person, msgspec.json.encode(row))
        self._know(person, row)

    def _know(self, person: str, row: PersonRow) -> None:
        shown = row.name if row.erased_at is None else f"erased-{person[2:6]}"
        self.names[person] = shown
        # A name stands in JSON, between quotation marks.
        self._shown[person.encode()] = msgspec.json.encode(shown)[1:-1]
        if person[0] == STAFF:
            self._logins = {login: each for login, each in self._logins.items() if each != person}
            if row.erased_at is None:
                self._logins[row.name] = person

    async def load_staff(self) -> None:
        """Read the rows of all staff."""
        entries = await asyncio.to_thread(self._store.entries, f"{PREFIX}{STAFF}.")
        for key, value in entries.items():
            self._know(key.removeprefix(PREFIX), msgspec.json.decode(value, type=PersonRow))

    # ------------------------------------------------------------------ erasing

    async def erase(self, person: str) -> int:
        """Erase what identifies a person, and the addresses they came from; how many rows that were."""
        rows = await asyncio.to_thread(self._rows)
        theirs = [each for each, row in rows.items() if person in (each, row.of) and row.erased_at is None]
        for each in theirs:
            await self._put(each, PersonRow("", rows[each].at, rows[each].of, self._clock()))
            await asyncio.to_thread(self._store.put, ERASED + each, str(self._clock()).encode())
        self._addresses = OrderedDict((key, each) for key, each in self._addresses.items() if each not in theirs)
        return len(theirs)

    async def reload(self) -> bool:
        """Read what another node may have changed: staff, and who was erased. Whether a shown name has changed."""
        before = dict(self.names)
        await self.load_staff()
        erased = await asyncio.to_thread(self._store.entries, ERASED)
        await asyncio.to_thread(self.look_up, [key.removeprefix(ERASED) for key in erased])
        for key, at in erased.items():
            if self._clock() - int(at) > ERASED_KEPT_US:
                await asyncio.to_thread(self._store.put, key, None)
        return any(self.names[each] != shown for each, shown in before.items())

    async def outdated(self, before: int, busy: Iterable[str]) -> list[str]:
        """Players and addresses last used before a time, without those who are at a table."""
        there = set(busy)
        rows = await asyncio.to_thread(self._rows)
        return [
            person
            for person, row in rows.items()
            if person[0] != STAFF and row.erased_at is None and row.at < before and not {person, row.of} & there
        ]

    # ------------------------------------------------------------------ doors

    def id_among(self, persons: Iterable[str], name: str) -> str:
        """The one of these ids that is shown by this name; the name itself when none is."""
        return next((each for each in persons if self.names.get(each) == name), name)

    def staff_id(self, login: str) -> str:
        """The id of a login; the login itself where it has none, as in houses of an earlier version."""
        return self._logins.get(login, login)

    def named(self, text: bytes, *, look_up: bool = False) -> bytes:
        """A JSON text with names in the place of ids; `look_up` in a thread that may wait for the store."""
        if look_up:
            self.look_up({each.decode() for each in _ID.findall(text)} - self.names.keys())
        return _ID.sub(self._name_of, text)

    def _name_of(self, found: re.Match[bytes]) -> bytes:
        return self._shown.get(found[0], found[0])

    async def opaque(self, event: HouseEvent) -> HouseEvent:
        """An event of the house with ids in the place of logins and addresses, as the log keeps it."""
        what: Any = event.what
        changed: dict[str, Any] = {}
        login = getattr(what, "login", "")
        if any(each and each not in self._logins and not is_person(each) for each in (login, event.by)):
            await self.load_staff()  # somebody whom another node has hired
        if login:
            changed["login"] = self.staff_id(login)
        for field in ("staff", "before", "after"):
            sheet = getattr(what, field, None)
            if isinstance(sheet, StaffSheet):
                changed[field] = replace(sheet, login=self.staff_id(sheet.login), name="")
        where = getattr(what, "where", "")
        if where:
            changed["where"] = await self._address(where, self.staff_id(login) or getattr(what, "player", ""))
        by = self.staff_id(event.by)
        return replace(event, by=by, what=replace(what, **changed)) if changed else replace(event, by=by)

    async def _address(self, where: str, of: str) -> str:
        known = self._addresses.get((where, of))
        if known is None:
            known = self._addresses[where, of] = await self.add(ADDRESS, where, of=of)
            if len(self._addresses) > ADDRESSES_KEPT:
                self._addresses.popitem(last=False)
        return known


def new_id(kind: str, key: str = "") -> str:
    """An id by chance, or the one that follows from a key."""
    seed = sha256(b"taisai person " + key.encode("utf-8", "surrogatepass")).digest() if key else token_bytes(32)
    return f"{kind}.{b32encode(seed).decode().lower()[:_LENGTH]}"


def is_person(text: str) -> bool:
    """Whether a text is an opaque id."""
    return _ID.fullmatch(text.encode("utf-8", "surrogatepass")) is not None
