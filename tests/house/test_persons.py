"""Persons: ids in the place of names, and names in the place of ids."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from taisai.house.persons import ADDRESS, PLAYER, STAFF, Persons, is_person, new_id
from taisai.journal import MemoryJournal
from taisai.streams import house_events as h
from taisai.streams.house_events import HouseEvent, Post, StaffSheet
from taisai.table.commands import Name
from taisai.table.people import Role
from tests.house.people import HandClock, on_a_loop


@pytest.mark.parametrize("kind", [PLAYER, STAFF, ADDRESS])
def test_an_id_says_nothing_and_is_a_name_that_a_table_takes(kind: str) -> None:
    """Ids are by chance, or follow from a key that is no name; people cannot be called so."""
    assert len({new_id(kind) for _ in range(1000)}) == 1000
    assert new_id(kind, "x") == new_id(kind, "x") != new_id(kind, "y")
    assert is_person(msgspec.convert(new_id(kind), Name))
    assert not any(map(is_person, ("ann", "p.ann", "p.ABCDEFGHIJKL", "q.abcdefghijkl", "p.abcdefghijklm", "\ud800")))


@on_a_loop
async def test_a_text_shows_names_and_nothing_else_changes() -> None:
    """Known ids are replaced wherever they stand, unknown ones stay, and what is erased says so."""
    store, clock = MemoryJournal(), HandClock()
    persons = Persons(store, clock)
    ann, bob = await persons.add(PLAYER, "ann"), await persons.add(PLAYER, "bob")
    unknown = new_id(PLAYER)
    text = msgspec.json.encode({ann: [f"player:{bob}", unknown, "felt.svg"]})
    assert msgspec.json.decode(persons.named(text)) == {"ann": ["player:bob", unknown, "felt.svg"]}
    assert persons.id_among((ann, bob), "bob") == bob
    assert persons.id_among((ann,), "bob") == "bob"
    other = Persons(store, clock)
    assert other.named(text) == text
    assert other.named(text, look_up=True) == persons.named(text)
    assert await persons.erase(ann) == 1
    assert await persons.erase(ann) == 0
    assert msgspec.json.decode(persons.named(text)) == {f"erased-{ann[2:6]}": ["player:bob", unknown, "felt.svg"]}
    assert b"ann" not in b"".join(store.entries("person").values())
    assert other.names[ann] == "ann"
    assert await other.reload()
    assert other.named(text) == persons.named(text)
    assert not await other.reload()


@on_a_loop
async def test_the_log_of_the_house_has_neither_logins_nor_names_nor_addresses() -> None:
    """Whatever an event says of a person is an id, whichever node has hired them; an address belongs to its person."""
    store, clock = MemoryJournal(), HandClock()
    dan = await Persons(store, clock).add(STAFF, "dan.smith")
    persons = Persons(store, clock)
    sheet = StaffSheet(login="dan.smith", name="Dan Smith", posts=(Post(Role.DEALER),))
    bodies: list[h.HouseEventBody] = [
        h.StaffAdded(sheet), h.StaffChanged(sheet, sheet), h.StaffDisabled("dan.smith"),
        h.SignedIn("dan.smith", "dealer", "10.1.2.3"),
        h.SignInFailed("dan.smith", "wrong", "10.1.2.3"), h.SignInFailed("", "nobody", "10.1.2.3"),
        h.SignedOut("dan.smith", "dealer"), h.LoginLocked("dan.smith", 3, "10.1.2.3"),
        h.PasswordSet("dan.smith", "x", "10.1.2.3"), h.GuessingStopped("10.1.2.3"),
    ]  # fmt: skip
    kept = [await persons.opaque(HouseEvent(1, by, body)) for body in bodies for by in ("dan.smith", "house")]
    text = msgspec.json.encode(kept)
    assert not any(word in text for word in (b"smith", b"Smith", b"10.1.2.3"))
    assert kept[0].by == dan
    assert kept[1].by == "house"
    assert b"dan.smith" in persons.named(text)
    rows = persons.find("10.1.2.3")
    assert sorted(row.of for row in rows.values()) == ["", dan]
    assert await persons.erase(dan) == 2
    assert [row.of for row in persons.find("10.1.2.3").values()] == [""]


def test_old_rows_are_those_of_nobody_who_is_there() -> None:
    """What was last used before a time, without staff and whoever has a seat."""
    clock = HandClock()
    persons = Persons(MemoryJournal(), clock)

    async def run() -> None:
        old, seated = await persons.add(PLAYER, "ann"), await persons.add(PLAYER, "bob")
        await persons.add(STAFF, "dan")
        theirs = await persons.add(ADDRESS, "10.0.0.1", of=seated)
        clock.after(10)
        await persons.add(PLAYER, "cho")
        assert await persons.outdated(clock(), (seated,)) == [old]
        assert theirs in await persons.outdated(clock(), ())

    asyncio.run(run())
