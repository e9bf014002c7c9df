"""Signing in and out, locks, sessions, seat codes and staff over the API."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace

from taisai.audit.run import Audit
from taisai.client import Client, Refused, Second, Session
from taisai.house.passwords import Passwords
from taisai.journal import open_journal
from taisai.settings.forms import Listen, Node
from taisai.table import commands as c
from taisai.table.people import Role
from taisai.web.api.people import CASHIER
from taisai.web.context import Context
from taisai.web.serve import server_of
from tests.house.people import CHEAP, HOUR, MINUTE
from tests.postgres import journal_url
from tests.web.servers import running as serving
from tests.web.serving import (
    FLOAT,
    PASSWORD,
    ROOMY,
    Running,
    on_a_loop,
    open_house,
    quick_clock,
    settings_for,
    shelf,
    sqlite_url,
)


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
async def test_what_a_page_asks_for_by_itself_keeps_no_session_awake() -> None:
    """A pit screen that polls locks after five minutes on the server; somebody who touches it stays (R15)."""
    clock, hand = quick_clock()
    async with open_house(clock=clock) as running:
        await running.ready_table("T1")
        sue = running.crew["sue"]
        for _ in range(4):
            hand.after(MINUTE)
            await sue.call("GET", "/api/pit")
            await sue.call("GET", "/api/alerts")
        await sue.call("POST", "/api/me/awake")
        hand.after(4 * MINUTE)
        await sue.call("GET", "/api/pit")
        hand.after(MINUTE)
        for path in ("/api/pit", "/api/alerts"):
            with pytest.raises(Refused) as refused:
                await sue.call("GET", path)
            assert refused.value.code == "locked"


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
        assert not state.players[running.id_of("ann")].present
        assert (await running.client.look_at("T1")).view["stakes"] == {"ann": {"small": 500}}
        with pytest.raises(Refused) as refused:
            await ann.refresh()
        assert refused.value.code == "not-signed-in"


@on_a_loop
async def test_a_former_occupant_keeps_nothing() -> None:
    """After leave-table the token of the sitting is over; it neither bets with nor walks off with the next one's chips.

    The next occupant has the same name, and the old token is tried as if it had not been ended in time.
    """
    async with open_house() as running:
        await running.ready_table("T1")
        dan = running.crew["dan"]
        old = await running.seat("ann")
        first = running.id_of("ann")
        async with old.table() as before:
            await before.do(c.LeaveTable("ann"))
            await running.context.sessions.end_player("T1", first)
            new = await running.seat("ann")
            assert running.id_of("ann") != first
            await dan.do("T1", c.OpenBets())
            theft: tuple[c.Action, ...] = (c.PlaceBet("ann", "small", 500), c.LeaveTable("ann"), c.SitDown("ann"))
            for do in theft:
                with pytest.raises(Refused) as refused:
                    await old.do("T1", do)
                assert refused.value.code == "not-signed-in"
                with pytest.raises(Refused) as refused:
                    await before.do(do)
                assert refused.value.code == "not-signed-in"
            late = await running.context.sessions.begin_player("T1", first)
            for do in theft[:2]:
                answer = await running.client.resume(late.token)
                with pytest.raises(Refused) as refused:
                    await answer.do("T1", do)
                assert refused.value.code in ("not-yours-to-do", "not-seated"), do
            assert (await new.do("T1", c.PlaceBet("ann", "small", 500))).seq
            seat = (await running.client.look_at("T1")).view
            assert seat["stakes"] == {"ann": {"small": 500}}


@on_a_loop
async def test_a_sitting_has_one_token_and_ends_with_it() -> None:
    """A new token for a seat ends the one before; walking away and closing the table end it; reconnecting does not."""
    async with open_house() as running:
        await running.ready_table("T1")
        dan, sue = running.crew["dan"], running.crew["sue"]
        ann = await running.seat("ann")
        async with ann.table() as table:
            await table.drop()
            await table.until_seq(running.context.floor.tables["T1"].state.seq)
        assert (await ann.refresh()).player == "ann"
        funds = running.context.floor.tables["T1"].state.funds(running.id_of("ann"))
        again = await running.client.sit_down(code=(await dan.seat_code("T1", "ann")).code)
        assert again.me.player == "ann"
        assert running.context.floor.tables["T1"].state.funds(running.id_of("ann")) == funds
        await ended(ann)
        await dan.do("T1", c.WalkAway("ann"))
        await ended(again)
        back = await running.client.sit_down(code=(await dan.seat_code("T1", "ann")).code)
        assert running.context.floor.tables["T1"].state.funds(running.id_of("ann")) == funds
        await sue.do("T1", c.CloseTable(FLOAT))
        await ended(back)


async def ended(session: Session) -> None:
    """Wait until a session is over."""

    async def wait() -> None:
        while True:
            await session.refresh()
            await asyncio.sleep(0.02)  # an address has 200 requests a second

    with pytest.raises(Refused, match="not-signed-in"):
        await wait()


@on_a_loop
async def test_a_guest_who_asks_again_is_the_same_guest() -> None:
    """After a lost answer the same request gives the same guest and chips; a seat that was given up stays so."""
    async with open_house(settings_for(demo=True)) as running:
        table = next(each.table for each in (await running.client.floor()).tables if each.phase == "open")
        asked = "0123456789abcdef0123"
        guests = [await running.client.sit_down(guest_at=table, request_id=asked) for _ in range(3)]
        assert len({each.me.player for each in guests}) == 1
        await ended(guests[0])
        state = running.context.floor.tables[table].state
        player = running.id_of(guests[0].me.player or "", table)
        assert state.funds(player) == running.context.settings.demo.guest_chips
        assert (await running.client.sit_down(guest_at=table)).me.player != guests[0].me.player
        await guests[2].do(table, c.LeaveTable(guests[2].me.player or ""))
        with pytest.raises(Refused) as refused:
            await running.client.sit_down(guest_at=table, request_id=asked)
        assert refused.value.code == "not-here"
        assert player not in running.context.floor.tables[table].state.players


@on_a_loop
async def test_a_guest_has_a_nickname_and_buys_again() -> None:
    """The name at the table is the one that was chosen; who has lost most of their chips buys again, once a round."""
    async with open_house(settings_for(demo=True)) as running:
        table = next(each.table for each in (await running.client.floor()).tables if each.phase == "open")
        chips = running.context.settings.demo.guest_chips
        ann = await running.client.sit_down(guest_at=table, player="Ann")
        assert ann.me.player == "Ann"
        with pytest.raises(Refused, match="The name Ann is taken"):
            await running.client.sit_down(guest_at=table, player="Ann")
        with pytest.raises(Refused, match="not-allowed"):
            await ann.buy_again()
        live = running.context.floor.tables[table]
        player = running.id_of("Ann", table)
        lost = c.Command(id="lost", at=live.state.at, by=CASHIER, do=c.CashOut(player, chips - 100))
        assert (await running.context.floor.do(table, lost)).refusal is None
        sold = await asyncio.gather(*(ann.buy_again() for _ in range(3)), return_exceptions=True)
        assert chips in sold
        assert live.state.funds(player) == chips + 100
    async with open_house() as running:
        await running.ready_table()
        with pytest.raises(Refused, match="not-found"):
            await (await running.seat("bob")).buy_again()


@on_a_loop
async def test_a_browser_plays_at_two_tables_with_a_purse_each() -> None:
    """A second seat ends no first one: each request is for the seat at its table, and leaving one leaves the other."""
    async with open_house(settings_for(demo=True)) as running, httpx.AsyncClient(base_url=running.address) as http:
        one, two = [each.table for each in (await running.client.floor()).tables if each.phase == "open"][:2]
        assert (await http.get("/api/visitor")).json() == {"me": None, "seats": []}
        csrf = ""
        for table in (one, two):
            sat = await http.post("/api/seat", json={"guest_at": table}, headers={"x-csrf-token": csrf})
            csrf = sat.json()["me"]["csrf"]
        here = (await http.get(f"/api/visitor?table={one}")).json()
        chips = running.context.settings.demo.guest_chips
        assert [(each["table"], each["funds"]) for each in here["seats"]] == [(one, chips), (two, chips)]
        assert here["me"]["tables"] == [one]
        assert (await http.get("/api/visitor")).json()["me"]["tables"] == [two]
        token = {"x-csrf-token": here["me"]["csrf"]}
        assert (await http.post(f"/api/me/chips?table={two}", headers=token)).status_code == 403
        assert (await http.post(f"/api/sign-out?table={one}", headers=token)).status_code == 200
        here = (await http.get(f"/api/visitor?table={one}")).json()
        assert ([each["table"] for each in here["seats"]], here["me"]) == ([two], None)
        again = await http.post(f"/api/sign-out?table={one}", headers=token)
        assert (again.status_code, len((await http.get("/api/visitor")).json()["seats"])) == (401, 1)


@on_a_loop
async def test_staff_act_as_staff_in_a_browser_that_has_a_seat() -> None:
    """Who signs in to a post is staff at every table, whatever seats the browser had before."""
    async with open_house(settings_for(demo=True)) as running, httpx.AsyncClient(base_url=running.address) as http:
        await running.hire("dan")
        table = next(each.table for each in (await running.client.floor()).tables if each.phase == "open")
        await http.post("/api/seat", json={"guest_at": table})
        csrf = {"x-csrf-token": (await http.get("/api/visitor")).json()["me"]["csrf"]}
        body = {"login": "dan", "password": PASSWORD, "post": "dealer"}
        await http.post("/api/sign-in", json=body, headers=csrf)
        here = (await http.get(f"/api/visitor?table={table}")).json()
        assert (here["me"]["who"], [each["table"] for each in here["seats"]]) == ("dan", [table])


@on_a_loop
async def test_nobody_learns_over_http_which_logins_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A locked login and an unknown one get the same status and body for the same work, also after a restart."""
    compared: list[str] = []
    verify = Passwords._verify

    def counted(passwords: Passwords, stored: str, password: str) -> bool:
        compared.append(stored.rsplit("$", 2)[0])
        return verify(passwords, stored, password)

    monkeypatch.setattr(Passwords, "_verify", counted)
    settings = settings_for(sqlite_url(tmp_path))

    async def asked(running: Running, login: str) -> list[tuple[object, ...]]:
        found: list[tuple[object, ...]] = []
        async with httpx.AsyncClient(base_url=running.address) as http:
            for _ in range(5):
                compared.clear()
                body = {"login": login, "password": "wrong wrong 9", "post": "dealer"}
                answer = await http.post("/api/sign-in", json=body)
                error = {**answer.json()["error"], "request": ""}
                found.append((answer.status_code, error, answer.headers.get("retry-after"), tuple(compared)))
        return found

    async with open_house(settings) as running:
        await running.hire("dan")
        first = [await asked(running, login) for login in ("dan", "nobody-here")]
    async with open_house(settings) as running:
        again = [await asked(running, login) for login in ("dan", "nobody-here")]
    for known, unknown in (first, again):
        assert known == unknown
    assert [len(work) for *_, work in first[0]] == [1, 1, 1, 0, 0]  # type: ignore[arg-type]
    assert {str(each) for each in again[0]} == {str(first[0][-1])}


NAME = "annabella.hartmann"
LOGIN = "dan.hartmann"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_who_somebody_was_is_erased_and_the_records_stay_whole(kind: str, tmp_path: Path) -> None:
    """No record ever has a name, login or address; erased, no row has it either, and audit, money and pages stand."""
    url = sqlite_url(tmp_path) if kind == "sqlite" else journal_url(tmp_path)

    @on_a_loop
    async def run() -> None:
        async with open_house(settings_for(url)) as running:
            await running.ready_table("T1")
            admin, dan = running.crew["admin"], running.crew["dan"]
            link = await admin.add_staff(LOGIN, "Daniel Hartmann", {Role.DEALER: "*"})
            await running.client.choose_password(link.token, PASSWORD)
            other = await running.client.sign_in(LOGIN, PASSWORD, "dealer")
            ann = await running.seat(NAME)
            person = running.id_of(NAME)
            await other.do("T1", c.OpenBets())
            await ann.do("T1", c.PlaceBet(NAME, "small", 500))
            for do in (c.CloseBets(), c.Tumble(3), c.Uncover((1, 5, 6)), c.Announce(), c.Collect()):
                await dan.do("T1", do)
            with pytest.raises(Refused, match="they leave first"):
                await admin.call("POST", f"/api/persons/{person}/erase", {"reason": "asked for"})
            await ann.do("T1", c.LeaveTable(NAME))
            assert NAME in str(await dan.journal("T1", count=500))
            assert {each["by"] for each in await dan.journal("T1", count=500, by=LOGIN)} == {LOGIN}
            (found,) = await admin.call("GET", "/api/persons", query={"name": NAME})
            assert (found["id"], found["erased"]) == (person, False)
            await admin.call("POST", f"/api/persons/{person}/erase", {"reason": "asked for"})
            await admin.call("POST", f"/api/staff/{LOGIN}/disable", {"reason": "has left us"})
            (staff,) = await admin.call("GET", "/api/persons", query={"name": LOGIN})
            await admin.call("POST", f"/api/persons/{staff['id']}/erase", {"reason": "has left us"})
            for page in (
                await dan.journal("T1", count=500),
                await admin.call("GET", "/api/house/events", query={"all": True}),
                await admin.call("GET", "/api/report", query={"by": "life", "form": "html"}),
                await admin.call("GET", "/api/staff"),
                (await running.client.look_at("T1")).view,
            ):
                assert not any(word in str(page) for word in (NAME, LOGIN, "Hartmann"))
            assert f"erased-{person[2:6]}" in str(await dan.journal("T1", count=500))
            events = await admin.call("GET", "/api/house/events")
            assert [each["by"] for each in events if each["kind"] == "house.person-erased"] == ["admin", "admin"]
        async with open_house(settings_for(url)) as again:
            again.crew["dan"] = await again.client.sign_in("dan", PASSWORD, "dealer")
            assert f"erased-{person[2:6]}" in str(await again.crew["dan"].journal("T1", count=500))

    run()
    with open_journal(url) as journal:
        assert list(Audit(shelf().book).findings(journal)) == []
        records = b"".join(record.by.encode() + record.body for record in journal.read_all())
        rows = b"".join(key.encode() + value for key, value in journal.entries().items())
        assert not any(word in records + rows for word in (NAME.encode(), LOGIN.encode(), b"artmann"))
        assert b"127.0.0.1" not in records


@pytest.mark.slow
@pytest.mark.postgres
@on_a_loop
async def test_two_nodes_show_the_same_people(tmp_path: Path) -> None:
    """Another node knows who sits down, ends a sitting's token with the sitting, and forgets whom this one erased."""
    url = journal_url(tmp_path)
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(node(url))
        await one.ready_table("T1")
        two = await stack.enter_async_context(node(url))
        ann = await one.seat("ann")
        seat = await two.client.resume(ann.token)
        while (await two.client.look_at("T1")).view["seats"].keys() != {"ann"}:
            await asyncio.sleep(0.01)
        await one.crew["dan"].do("T1", c.OpenBets())
        await seat.do("T1", c.PlaceBet("ann", "small", 500))
        await one.crew["dan"].do("T1", c.Interrupt("dark"))
        person = one.id_of("ann")
        dan = await two.client.resume(one.crew["dan"].token)
        second = Second("sue", PASSWORD, Role.SUPERVISOR)
        await one.crew["dan"].do("T1", c.ResolveInterruption(()), reason="dark", second=second)
        await dan.do("T1", c.LeaveTable("ann"))
        await ended(ann)
        await ended(seat)
        new = await one.seat("ann")
        with pytest.raises(Refused, match="not-signed-in"):
            await seat.do("T1", c.LeaveTable("ann"))
        assert (await new.refresh()).player == "ann"
        assert "'ann'" in str(await dan.journal("T1", count=500))
        assert await one.context.erase(person, "admin", "asked for") >= 1
        await two.context._reload_persons()
        assert f"erased-{person[2:6]}" in str(await dan.journal("T1", count=500))


@asynccontextmanager
async def node(url: str) -> AsyncIterator[Running]:
    """One node of a house, at a port of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = replace(
        settings_for(url),
        listen=Listen(port=port),
        node=Node(address=f"http://127.0.0.1:{port}", secret="between the two of us"),
    )
    context = Context(settings, shelf(), gather_s=0.001, passwords=Passwords(CHEAP))
    await context.start()
    async with serving(server_of(context)) as address, Client(address) as client:
        yield Running(context, address, client)
        await context.stop("the test is over")


@pytest.mark.parametrize("over", ["http", "socket"])
@on_a_loop
async def test_no_name_comes_into_a_record_by_a_dispute_or_a_ruling(over: str) -> None:
    """The crew writes names: of players at the table, and of some who are not; the records have ids alone."""
    async with open_house() as running:
        await running.ready_table("T1")
        await running.hire("kim")
        await running.seat("annabel")
        await running.crew["dan"].do("T1", c.OpenBets())
        ruling = c.MakeRuling("m", "d", c.RulingGround.MEANING, ("5.1.1",), amounts={"annabel": 100})
        named = ("annabel", "zebedee", "zebedee2")
        tried: list[tuple[str, c.Action]] = [("dan", c.OpenDispute(f"d-{who}", who, 1, "claims")) for who in named]
        for login, do in (*tried, ("kim", ruling)):
            if over == "http":
                await running.crew[login].do("T1", do)
            else:
                async with running.crew[login].table("T1") as table:
                    await table.do(do)
        told = await running.crew["dan"].journal("T1", count=500)
        disputes = [each["what"]["player"] for each in told if each["kind"] == "dispute-opened"]
        assert disputes == ["annabel", "zebedee", "zebedee2"]
        (ruled,) = (each["what"] for each in told if each["kind"] == "ruled")
        assert "annabel" in str(ruled)
        for record in running.context.floor.writer.journal.read("T1"):
            assert b'"annabel"' not in record.body
            assert b'"zebedee' not in record.body
