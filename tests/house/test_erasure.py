"""Erasure: who may be erased when, what goes, and what is recorded."""

from __future__ import annotations

import pytest

from taisai.core.faults import InputFault
from taisai.house.erasure import Erasure
from taisai.house.persons import PLAYER, Persons
from taisai.house.sessions import THE_CONSOLE
from taisai.streams import house_events as h
from tests.house.people import DEALER, HOUR, House, on_a_loop


class Office:
    """A house whose persons can be erased; `seated` are at a table."""

    def __init__(self) -> None:
        self.house = House()
        self.persons = self.house.accounts.persons = Persons(self.house.store, self.house.clock)
        self.seated: list[str] = []
        self.erasure = Erasure(self.persons, self.house.accounts, lambda: self.seated)


@on_a_loop
async def test_a_player_is_erased_after_they_have_left() -> None:
    """The event names the id alone; erasing again does nothing, and records nothing."""
    office = Office()
    ann = await office.persons.add(PLAYER, "ann")
    office.seated.append(ann)
    with pytest.raises(InputFault, match="they leave first"):
        await office.erasure.erase(ann, "ada", "asked for")
    office.seated.clear()
    assert list(await office.erasure.find("ann")) == [ann]
    assert [await office.erasure.erase(ann, "ada", "asked for") for _ in range(2)] == [1, 0]
    assert [(each.by, each.what, each.reason) for each in office.house.heard.events] == [
        ("ada", h.PersonErased(ann, 1), "asked for")
    ]
    assert await office.erasure.find("ann") == {}
    with pytest.raises(InputFault, match="nobody has the id"):
        await office.erasure.erase("p.abcdefghijkl", "ada", "asked for")


@on_a_loop
async def test_a_member_of_staff_is_erased_after_they_were_disabled() -> None:
    """The account goes with its password, links and failures; the login may be given to another person."""
    office = Office()
    await office.house.hire("dan", DEALER)
    account = await office.house.accounts.one("dan")
    assert account is not None
    with pytest.raises(InputFault, match="disable it first"):
        await office.erasure.erase(account.id, "ada", "has left us")
    await office.house.staff.new_link(THE_CONSOLE, "dan")
    await office.house.staff.disable(THE_CONSOLE, "dan")
    assert await office.erasure.erase(account.id, "ada", "has left us") == 1
    assert await office.house.accounts.one("dan") is None
    assert office.house.store.entries("one-time-link/") == {}
    await office.house.hire("dan", DEALER)
    other = await office.house.accounts.one("dan")
    assert other is not None
    assert other.id != account.id


@on_a_loop
async def test_what_is_older_than_the_house_keeps_goes_by_itself() -> None:
    """After the days of the setting, players who have left are erased, which is recorded once without a name."""
    office = Office()
    ann = await office.persons.add(PLAYER, "ann")
    office.house.clock.after(24 * HOUR + 1)
    bob = await office.persons.add(PLAYER, "bob")
    assert await office.erasure.erase_older(1) == 1
    assert office.house.heard.last == h.PersonErased("", 1)
    assert (office.persons.names[ann], office.persons.names[bob]) == (f"erased-{ann[2:6]}", "bob")
    assert await office.erasure.erase_older(1) == 0
    assert len(office.house.heard.events) == 1
