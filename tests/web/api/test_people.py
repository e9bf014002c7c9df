"""Signing in and out, locks, sessions, seat codes and staff over the API."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from taisai.client import Refused
from taisai.table import commands as c
from taisai.table.people import Role
from tests.house.people import HOUR, MINUTE
from tests.web.serving import PASSWORD, ROOMY, on_a_loop, open_house, quick_clock, settings_for


@on_a_loop
async def test_three_failures_lock_a_login() -> None:
    """After three wrong passwords the right one is refused too, until an administrator unlocks the login."""
    async with open_house() as running:
        await running.hire("dan")
        for _ in range(3):
            with pytest.raises(Refused) as refused:
                await running.client.sign_in("dan", "wrong horse 9", "dealer")
            assert (refused.value.code, refused.value.status) == ("sign-in-refused", 401)
        with pytest.raises(Refused, match="locked"):
            await running.client.sign_in("dan", PASSWORD, "dealer")
        admin = running.crew["admin"]
        await admin.call("POST", "/api/staff/dan/unlock")
        assert (await running.client.sign_in("dan", PASSWORD, "dealer")).me.who == "dan"
        kinds = [each["kind"] for each in await admin.call("GET", "/api/house/events")]
        assert "house.login-locked" in kinds


@on_a_loop
async def test_an_idle_session_locks_and_opens_again() -> None:
    """After five idle minutes a crew session can do nothing, over HTTP or the socket, until the password is entered."""
    clock, hand = quick_clock()
    async with open_house(clock=clock) as running:
        await running.ready_table("T1")
        dan = running.crew["dan"]
        ann = await running.seat("ann")
        async with dan.table("T1") as table, ann.table() as her_table:
            hand.after(4 * MINUTE)
            await table.do(c.OpenBets())
            hand.after(5 * MINUTE)
            with pytest.raises(Refused) as refused:
                await table.do(c.CloseBets())
            assert refused.value.code == "locked"
            with pytest.raises(Refused) as refused:
                await dan.crew("T1")
            assert (refused.value.code, refused.value.status) == ("locked", 423)
            assert (await dan.refresh()).locked
            with pytest.raises(Refused, match="password is wrong"):
                await dan.unlock("wrong horse 9")
            assert not (await dan.unlock(PASSWORD)).locked
            await her_table.bet("small", 100)
            await table.do(c.CloseBets())


@on_a_loop
async def test_sessions_expire() -> None:
    """Twelve hours for crew, a day for players; then the token is worth nothing, over HTTP and the socket."""
    clock, hand = quick_clock()
    async with open_house(clock=clock) as running:
        await running.ready_table("T1")
        dan, ann = running.crew["dan"], await running.seat("ann")
        async with ann.table() as her_table:
            hand.after(12 * HOUR)
            with pytest.raises(Refused) as refused:
                await dan.refresh()
            assert (refused.value.code, refused.value.status) == ("not-signed-in", 401)
            assert (await ann.refresh()).player == "ann"
            hand.after(12 * HOUR)
            with pytest.raises(Refused) as refused:
                await her_table.bet("small", 100)
            assert refused.value.code == "not-signed-in"
        assert await running.context.sessions.sweep() >= 2


@on_a_loop
async def test_a_login_switched_off_is_off_everywhere() -> None:
    """An administrator disables a login: its sessions end at once, an open socket included."""
    async with open_house() as running:
        await running.ready_table("T1")
        async with running.crew["dan"].table("T1") as table:
            await running.crew["admin"].call("POST", "/api/staff/dan/disable", {"reason": "left the house"})
            with pytest.raises(Refused) as refused:
                await table.do(c.OpenBets())
            assert refused.value.code == "not-signed-in"
            float_before = table.crew["float"]
            await running.crew["sue"].do("T1", c.Fill({100: 10}))
            await table.until_seq(running.context.floor.tables["T1"].state.seq)
            await table.ping()
            assert table.crew["float"] == float_before


@on_a_loop
async def test_a_locked_screen_shows_no_balance() -> None:
    """While a session is locked, its socket is sent the public view of the table and nothing of the crew's."""
    async with open_house() as running:
        await running.ready_table("T1")
        dan, sue = running.crew["dan"], running.crew["sue"]
        async with dan.table("T1") as table:
            await dan.lock()
            before = table.crew
            done = await sue.do("T1", c.Fill({100: 10}))
            await table.until_seq(done.seq)
            await table.ping()
            assert table.crew == before
            await dan.unlock(PASSWORD)
            done = await sue.do("T1", c.Fill({100: 10}))
            await table.until_seq(done.seq)
            await table.ping()
            assert table.crew["float"] == before["float"] + 2_000


@on_a_loop
async def test_sign_ins_are_rated() -> None:
    """An address that tries too often in a minute must wait, whatever logins it tries."""
    async with open_house(settings_for(limits=replace(ROOMY, sign_ins_per_minute=2))) as running:
        for n in range(2):
            with pytest.raises(Refused) as refused:
                await running.client.sign_in(f"who{n}", PASSWORD, "dealer")
            assert refused.value.code == "sign-in-refused"
        with pytest.raises(Refused) as refused:
            await running.client.sign_in("who3", PASSWORD, "dealer")
        assert (refused.value.code, refused.value.status, refused.value.retry_after_s) == ("too-fast", 429, 60.0)


@on_a_loop
async def test_seat_codes_are_not_guessed() -> None:
    """After ten wrong codes in a minute an address must wait; a right code works once."""
    async with open_house() as running:
        await running.ready_table("T1")
        code = (await running.crew["dan"].seat_code("T1")).code
        assert (await running.client.sit_down(code=code, player="ann")).me.player == "ann"
        for n in range(10):
            with pytest.raises(Refused, match="not valid"):
                await running.client.sit_down(code=code if n == 0 else f"AAAA-AAA{n}")
        fresh = (await running.crew["dan"].seat_code("T1")).code
        with pytest.raises(Refused, match="wait") as refused:
            await running.client.sit_down(code=fresh)
        assert refused.value.retry_after_s > 0


@on_a_loop
async def test_staff_are_added_changed_and_switched_on_again() -> None:
    """An administrator adds an account, changes its posts, disables and enables it; an unknown login is not found."""
    async with open_house() as running:
        await running.hire("dan")
        admin = running.crew["admin"]
        change = {"name": "Daniel", "posts": [{"role": "supervisor", "tables": ["T1"]}], "reason": "promoted"}
        sheet = await admin.call("PATCH", "/api/staff/dan", change)
        assert (sheet["name"], [post["role"] for post in sheet["posts"]]) == ("Daniel", ["supervisor"])
        with pytest.raises(Refused) as refused:
            await running.client.sign_in("dan", PASSWORD, Role.DEALER)
        assert refused.value.code == "sign-in-refused"
        await admin.call("POST", "/api/staff/dan/disable", {"reason": "on leave"})
        await admin.call("POST", "/api/staff/dan/enable", {"reason": "is back"})
        assert (await running.client.sign_in("dan", PASSWORD, Role.SUPERVISOR)).me.tables == ("T1",)
        assert {each["login"] for each in await admin.call("GET", "/api/staff")} == {"admin", "dan"}
        with pytest.raises(Refused) as refused:
            await admin.call("PATCH", "/api/staff/nobody", {})
        assert (refused.value.code, refused.value.status) == ("not-found", 404)


@on_a_loop
async def test_a_password_is_changed_with_the_old_one() -> None:
    """The old password is needed, and afterwards only the new one signs in."""
    async with open_house() as running:
        await running.hire("dan")
        dan = running.crew["dan"]
        with pytest.raises(Refused, match="password is wrong"):
            await dan.call("POST", "/api/me/password", {"old": "wrong horse 9", "new": "another horse 9"})
        await dan.call("POST", "/api/me/password", {"old": PASSWORD, "new": "another horse 9"})
        with pytest.raises(Refused):
            await running.client.sign_in("dan", PASSWORD, Role.DEALER)
        assert (await running.client.sign_in("dan", "another horse 9", Role.DEALER)).me.who == "dan"


@on_a_loop
async def test_a_guest_sits_down_only_on_a_demo_floor() -> None:
    """A floor that is no demo has no guests, and a seat needs a code or a table."""
    async with open_house() as running:
        await running.ready_table("T1")
        for body, code in (({"guest_at": "T1"}, "not-allowed"), ({}, "bad-message")):
            with pytest.raises(Refused) as refused:
                await running.client.call("POST", "/api/seat", body)
            assert refused.value.code == code


@on_a_loop
async def test_a_player_who_signs_out_leaves_their_bets() -> None:
    """Signing out ends the session and records that the player walked away; the bet stands."""
    async with open_house() as running:
        await running.ready_table("T1")
        ann = await running.seat("ann")
        await running.crew["dan"].do("T1", c.OpenBets())
        await ann.do("T1", c.PlaceBet("ann", "small", 500))
        await ann.call("POST", "/api/sign-out")
        state = running.context.floor.tables["T1"].state
        assert not state.players["ann"].present
        assert (await running.client.look_at("T1")).view["stakes"] == {"ann": {"small": 500}}
        with pytest.raises(Refused) as refused:
            await ann.refresh()
        assert refused.value.code == "not-signed-in"
