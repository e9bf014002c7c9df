"""Seat codes: made by the crew, used once, hard to guess; names that are nobody else's."""

from __future__ import annotations

import asyncio
import re

import msgspec
import pytest

from taisai.core.faults import InputFault
from taisai.house.persons import Persons, is_person
from taisai.house.seats import (
    ALPHABET,
    GUESSES_FROM_ONE,
    Seat,
    SeatCode,
    SeatRefusal,
    SeatRefusalCode,
    Seats,
)
from taisai.house.sessions import Session
from taisai.journal import MemoryJournal
from taisai.settings.forms import SignIn
from taisai.streams import house_events as h
from taisai.table.commands import Name
from taisai.table.people import Role
from tests.house.people import MINUTE, HandClock, Heard, on_a_loop


def session(role: Role | None = Role.DEALER, *tables: str) -> Session:
    """A session of the crew of T1, or another."""
    return Session(
        key="k", csrf="c", who="dan", role=role, tables=tables or ("T1",), created_at=0, expires_at=1, seen_at=0
    )


class Desk:
    """Seats where the name ann is taken at T1."""

    def __init__(self, store: MemoryJournal | None = None) -> None:
        self.clock = HandClock()
        self.heard = Heard()
        self.store = store or MemoryJournal()
        self.taken = {("T1", "ann")}
        self.persons = Persons(self.store, self.clock)
        self.seats = Seats(
            self.store,
            self.heard,
            self.clock,
            SignIn(),
            persons=self.persons,
            players=lambda table: {player for at, player in self.taken if at == table},
        )

    async def redeem(self, code: str, where: str = "", player: str = "", asked: str = "") -> Seat | SeatRefusal:
        """Use a code; the seat as people read it, with a name in the place of the id."""
        found = await self.seats.redeem(code, where, player, asked)
        if isinstance(found, Seat):
            assert is_person(found.player) or ("T1", found.player) in self.taken
            found = found._replace(player=self.persons.names.get(found.player, found.player))
        return found

    async def code(self, player: str = "", amount: int = 0) -> str:
        """A code for T1."""
        made = await self.seats.make_code(session(), "T1", player, amount)
        assert isinstance(made, SeatCode)
        return made.code


def refused(found: object) -> SeatRefusalCode:
    """The code of a refusal, which it must be."""
    assert isinstance(found, SeatRefusal), found
    return found.code


@on_a_loop
async def test_a_code_leads_to_a_seat() -> None:
    """The crew make a code with name and buy-in; the player uses it, however it is typed; the log knows both."""
    desk = Desk()
    made = await desk.seats.make_code(session(), "T1", "bob", 5000)
    assert isinstance(made, SeatCode)
    assert re.fullmatch(rf"[{ALPHABET}]{{4}}-[{ALPHABET}]{{4}}", made.code)
    assert made.expires_at == desk.clock() + 10 * MINUTE
    typed = f" {made.code.lower().replace('-', ' ')} "
    assert await desk.redeem(typed, "10.0.0.5", "mallory") == Seat("T1", "bob", 5000)
    assert desk.persons.names == {made.player: "bob"}
    assert [(event.by, event.what) for event in desk.heard.events] == [
        ("dan", h.SeatCodeMade("T1", made.player, 5000, made.expires_at)),
        (made.player, h.SeatCodeUsed("T1", made.player, "10.0.0.5")),
    ]


@on_a_loop
async def test_a_code_is_used_once() -> None:
    """A second use is refused, also when two come at the same moment."""
    desk = Desk()
    code = await desk.code("bob")
    found = await asyncio.gather(*(desk.seats.redeem(code) for _ in range(5)))
    assert [type(each) for each in found].count(Seat) == 1
    assert refused(await desk.seats.redeem(code)) == SeatRefusalCode.NOT_VALID


@on_a_loop
async def test_a_code_is_good_for_ten_minutes() -> None:
    """A code that is too old is refused, and let go of."""
    desk = Desk()
    early, late = await desk.code("bob"), await desk.code("cho")
    desk.clock.after(10 * MINUTE - 1)
    assert await desk.redeem(early) == Seat("T1", "bob", 0)
    desk.clock.after(1)
    assert refused(await desk.seats.redeem(late)) == SeatRefusalCode.NOT_VALID
    assert await desk.seats.sweep() == 2
    assert desk.store.entries("seat-code/") == {}


@on_a_loop
async def test_a_code_outlives_a_restart_and_is_kept_hashed() -> None:
    """The code itself is not stored; it still works after a restart."""
    desk = Desk()
    code = await desk.code("bob")
    assert code.replace("-", "") not in repr(desk.store.entries())
    again = Desk(desk.store)
    made = await again.seats.redeem(code)
    assert isinstance(made, Seat)
    assert desk.persons.names[made.player] == "bob"


@on_a_loop
async def test_names_that_players_choose() -> None:
    """Who may choose a name cannot choose another's, nor an odd one; the code is still good afterwards."""
    desk = Desk()
    code = await desk.code()
    assert refused(await desk.seats.redeem(code, player="ann")) == SeatRefusalCode.NAME_TAKEN
    assert refused(await desk.seats.redeem(code, player="@house")) == SeatRefusalCode.BAD_NAME
    assert await desk.redeem(code, player="bob") == Seat("T1", "bob", 0)
    found = await desk.seats.redeem(await desk.code())
    assert isinstance(found, Seat)
    assert re.fullmatch("seat-[2-9a-z]{8}", desk.persons.names[found.player])


@pytest.mark.parametrize("name", ["dan", "DAN", "house", "auto-dealer"])
def test_a_player_does_not_take_the_name_of_staff(name: str) -> None:
    """A login of the staff, and a name of the program itself, is no name that a player may choose."""
    desk = Desk()
    desk.store.put("account/dan", b"{}")

    async def choose() -> Seat | SeatRefusal:
        return await desk.seats.redeem(await desk.code(), player=name)

    assert refused(asyncio.run(choose())) == SeatRefusalCode.NAME_TAKEN


def test_places_that_guess_are_not_remembered_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many addresses somebody has, only so many are remembered."""
    monkeypatch.setattr("taisai.house.seats.PLACES_KEPT", 5)
    desk = Desk()

    async def guess() -> None:
        for number in range(50):
            await desk.seats.redeem("AAAA-AAAA", f"place {number}")

    asyncio.run(guess())
    assert len(desk.seats._guesses._by_place) == 5


@on_a_loop
async def test_the_crew_may_name_one_who_sits_there() -> None:
    """A player whose screen failed gets the same seat back, by a code that the crew make in that name."""
    desk = Desk()
    assert await desk.redeem(await desk.code("ann")) == Seat("T1", "ann", 0)


@pytest.mark.parametrize("by", [session(None), session(Role.AUDITOR), session(Role.PLAYER), session(Role.DEALER, "T2")])
def test_only_the_tables_crew_give_out_seats(by: Session) -> None:
    """Administrators, auditors, players and the crew of another table make no code."""
    desk = Desk()
    assert refused(asyncio.run(desk.seats.make_code(by, "T1"))) == SeatRefusalCode.NOT_YOURS_TO_DO
    assert desk.store.entries() == {}


@pytest.mark.parametrize(
    ("player", "amount", "fault"),
    [
        ("b b", 0, "player: 1 to 64 letters, digits and . _ @ -, got 'b b'"),
        ("bob", -1, "amount: an amount is at least 0, got -1"),
        ("bob", 10**16, "amount: an amount is at most 1000000000000000, got 10000000000000000"),
    ],
)
def test_codes_that_cannot_be(player: str, amount: int, fault: str) -> None:
    """An odd name or amount is refused with its field."""
    with pytest.raises(InputFault) as found:
        asyncio.run(Desk().seats.make_code(session(), "T1", player, amount))
    assert str(found.value) == fault


@on_a_loop
async def test_guessing_from_one_place_is_held_up() -> None:
    """After too many wrong codes a place waits, even with the right one; others do not, and it is logged once."""
    desk = Desk()
    code = await desk.code("bob")
    for _ in range(GUESSES_FROM_ONE):
        assert refused(await desk.seats.redeem("AAAA-AAAA", "10.6.6.6")) == SeatRefusalCode.NOT_VALID
    held = [await desk.seats.redeem(code, "10.6.6.6") for _ in range(3)]
    assert [refused(each) for each in held] == [SeatRefusalCode.TOO_MANY_GUESSES] * 3
    assert [each.retry_after_s for each in held if isinstance(each, SeatRefusal)] == [60] * 3
    assert desk.heard.all(h.GuessingStopped) == [h.GuessingStopped("10.6.6.6")]
    other = await desk.code("cho")
    assert await desk.redeem(other, "10.7.7.7") == Seat("T1", "cho", 0)
    desk.clock.after(MINUTE)
    assert await desk.redeem(code, "10.6.6.6") == Seat("T1", "bob", 0)


@on_a_loop
async def test_guessing_from_everywhere_keeps_nobody_from_their_seat() -> None:
    """Wrong codes from any number of other places do not hold up a code that is right."""
    desk = Desk()
    code = await desk.code("bob")
    for number in range(500):
        assert refused(await desk.seats.redeem("AAAA-AAAA", f"place {number}")) == SeatRefusalCode.NOT_VALID
    assert await desk.redeem(code, "another") == Seat("T1", "bob", 0)


def test_codes_are_read_in_one_way() -> None:
    """No two characters of the alphabet are taken for one another, and there are enough codes."""
    assert not set(ALPHABET) & set("01OILU")
    assert len(set(ALPHABET)) == len(ALPHABET)
    assert len(ALPHABET) ** 8 > 6 * 10**11


@on_a_loop
async def test_guests_have_names_of_their_own() -> None:
    """Guests have ids and names of their own; who asks again with the same id is the same guest."""
    desk = Desk()
    guests = [str(await desk.seats.guest("T1", f"request {number}")) for number in range(100)]
    assert len(set(guests)) == 100
    assert all(msgspec.convert(guest, Name) for guest in guests)
    assert all(desk.persons.names[guest].startswith("guest-") for guest in guests)
    again = Desk(desk.store)
    assert [await again.seats.guest("T1", f"request {number}") for number in range(100)] == guests
    assert await again.seats.guest("T2", "request 1") not in guests
    assert again.persons.names[guests[0]] == desk.persons.names[guests[0]]


@on_a_loop
async def test_a_guest_keeps_their_nickname() -> None:
    """A nickname is shown; one that is taken at the table, of the staff or no name is refused; a repeat is not."""
    desk = Desk()
    ann = await desk.seats.guest("T1", "request 1", "Ann")
    assert isinstance(ann, str)
    assert desk.persons.names[ann] == "Ann"
    desk.taken.add(("T1", ann))
    assert await desk.seats.guest("T1", "request 1", "Ann") == ann
    for name, code in (("Ann", "name-taken"), ("console", "name-taken"), ("two words", "bad-name")):
        refused = await desk.seats.guest("T1", "request 2", name)
        assert isinstance(refused, SeatRefusal)
        assert refused.code == code


@on_a_loop
async def test_a_code_asked_for_again_by_the_same_request_is_the_same_seat() -> None:
    """Whoever lost the answer asks again with the request's own id; anybody else is refused."""
    desk = Desk()
    code = await desk.code()
    first = await desk.seats.redeem(code, player="bob", asked="0123456789abcdef")
    assert isinstance(first, Seat)
    assert await desk.seats.redeem(code, player="bob", asked="0123456789abcdef") == first
    assert refused(await desk.seats.redeem(code, player="bob", asked="another request 1")) == SeatRefusalCode.NOT_VALID
    assert refused(await desk.seats.redeem(code, player="bob")) == SeatRefusalCode.NOT_VALID


@on_a_loop
async def test_a_code_for_somebody_who_has_left_is_another_sitting() -> None:
    """A code that was made for a player at the table does not bring their id back when they have left since."""
    desk = Desk()
    sitting = await desk.persons.add("p", "cho")
    desk.taken.add(("T1", sitting))
    code, later = await desk.code("cho"), await desk.code("cho")
    assert await desk.seats.redeem(code) == Seat("T1", sitting, 0)
    desk.taken.discard(("T1", sitting))
    found = await desk.seats.redeem(later)
    assert isinstance(found, Seat)
    assert found.player != sitting
    assert desk.persons.names[found.player] == "cho"


@pytest.mark.parametrize("name", ["p.abcdefghijkl", "s.abcdefghijkl"])
def test_nobody_is_called_by_an_id(name: str) -> None:
    """What looks like an id of a person is no name."""
    desk = Desk()

    async def choose() -> None:
        assert refused(await desk.seats.redeem(await desk.code(), player=name)) == SeatRefusalCode.BAD_NAME
        with pytest.raises(InputFault, match="player"):
            await desk.seats.make_code(session(), "T1", name)

    asyncio.run(choose())
