"""What guards the house: cookies, origins, locks, time, rates, sizes; what its logs hold, and how it stops."""

from __future__ import annotations

import io
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, redirect_stderr
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from msgspec.structs import replace
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from taisai.client import Client, Lost, Notice, Refused, Session
from taisai.core.rulebook import VoidReason
from taisai.settings.forms import Listen, Settings, Timing
from taisai.table import commands as c
from taisai.web.logs import set_up_logs
from taisai.web.security import Rates
from tests.house.people import HOUR, MINUTE
from tests.web.api.test_tables import one_shape
from tests.web.serving import (
    FLOAT,
    PASSWORD,
    ROOMY,
    Running,
    by_sue,
    on_a_loop,
    open_house,
    quick_clock,
    settings_for,
    shelf,
    sqlite_url,
)

ELSEWHERE = "https://elsewhere.example"


@asynccontextmanager
async def browser(running: Running, login: str = "dan", post: str = "dealer") -> AsyncIterator[httpx.AsyncClient]:
    """A browser in which somebody has signed in: it sends the cookie by itself."""
    async with httpx.AsyncClient(base_url=running.address) as http:
        answer = await http.post("/api/sign-in", json={"login": login, "password": PASSWORD, "post": post})
        http.headers["x-csrf-token"] = answer.json()["me"]["csrf"]
        http.headers["origin"] = running.address
        yield http


# ------------------------------------------------------------------ cookies and origins


@on_a_loop
async def test_a_cookie_alone_does_nothing_unsafe() -> None:
    """A request that rides on a cookie needs the session's own token and our own origin; reading needs neither."""
    async with open_house() as running:
        await running.ready_table("T1")
        async with browser(running) as http:
            do = {"id": "x-1", "do": {"do": "open-bets"}}
            cases: list[tuple[dict[str, str], str]] = [
                ({"x-csrf-token": ""}, "bad-token"),
                ({"x-csrf-token": "guessed"}, "bad-token"),
                ({"origin": ELSEWHERE}, "bad-origin"),
                ({"origin": "null"}, "bad-origin"),
                ({"origin": running.address.replace("127.0.0.1", "127.0.0.2")}, "bad-origin"),
            ]
            for headers, code in cases:
                answer = await http.post("/api/tables/T1/commands", json=do, headers=headers)
                assert (answer.status_code, one_shape(answer)["code"]) == (403, code), headers
            del http.headers["origin"]
            answer = await http.post("/api/tables/T1/commands", json=do, headers={"sec-fetch-site": "cross-site"})
            assert one_shape(answer)["code"] == "bad-origin"
            assert (await http.get("/api/me", headers={"x-csrf-token": ""})).status_code == 200
            assert (await http.post("/api/tables/T1/commands", json=do)).status_code == 200


@on_a_loop
async def test_the_cookie_is_out_of_reach() -> None:
    """The session's cookie is httpOnly and SameSite=Strict, Secure where the house is reached over TLS, and ends."""
    for public_url, is_secure in (("", False), ("https://floor.example", True)):
        settings = replace(settings_for(), listen=Listen(port=0, public_url=public_url))
        async with open_house(settings) as running:
            await running.hire("dan")
            body = {"login": "dan", "password": PASSWORD, "post": "dealer"}
            async with httpx.AsyncClient(base_url=running.address) as http:
                answer = await http.post("/api/sign-in", json=body)
                parts = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")}
                assert {"httponly", "samesite=strict", "path=/"} <= parts
                assert ("secure" in parts) is is_secure
                assert ("strict-transport-security" in answer.headers) is is_secure
                bearer = {"authorization": f"Bearer {answer.json()['token']}"}
                over = await http.post("/api/sign-out", headers=bearer)
                assert "max-age=0" in over.headers["set-cookie"].lower()
                assert one_shape(await http.get("/api/me", headers=bearer))["code"] == "not-signed-in"


@on_a_loop
async def test_a_socket_from_another_site_is_refused() -> None:
    """A browser's socket comes from our own pages; a program shows its token and needs no origin."""
    async with open_house() as running:
        await running.ready_table("T1")
        url = f"ws{running.address.removeprefix('http')}/play/T1"
        async with browser(running) as http:
            cookie = {"cookie": f"taisai={http.cookies['taisai']}"}
        for headers in (cookie, {}):
            with pytest.raises(InvalidStatus) as refused:
                await connect(url, additional_headers=headers, origin=ELSEWHERE, proxy=None)  # type: ignore[arg-type]  # a NewType of str
            assert refused.value.response.status_code == 403
            assert msgspec.json.decode(refused.value.response.body or b"")["error"]["code"] == "bad-origin"
        origin: Any = running.address
        async with connect(url, additional_headers=cookie, origin=origin, proxy=None) as socket:
            assert msgspec.json.decode(await socket.recv())["you"]["id"] == "dan"
        token = {"authorization": f"Bearer {running.crew['sue'].token}"}
        other: Any = ELSEWHERE
        async with connect(url, additional_headers=token, origin=other, proxy=None) as socket:
            assert msgspec.json.decode(await socket.recv())["you"]["id"] == "sue"


@on_a_loop
async def test_a_socket_to_nowhere_is_refused_in_words() -> None:
    """There is no such table: the handshake is answered in the one shape, and the client says so."""
    async with open_house() as running:
        with pytest.raises(Refused) as refused:
            await running.client.watch("T9").__aenter__()
        assert (refused.value.code, refused.value.status) == ("no-such-table", 404)


# ------------------------------------------------------------------ signing in


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
async def test_a_second_persons_failures_count() -> None:
    """Guessing a supervisor's password in a two-person authorisation locks her login like any other."""
    async with open_house() as running:
        await running.ready_table("T1")
        dan = running.crew["dan"]
        guess = by_sue().__class__("sue", "wrong horse 9", by_sue().role)
        for _ in range(3):
            with pytest.raises(Refused) as refused:
                await dan.do("T1", c.AmendEntry((1, 2, 3)), reason="to guess", second=guess)
            assert refused.value.code == "sign-in-refused"
        with pytest.raises(Refused, match="locked"):
            await running.client.sign_in("sue", PASSWORD, "supervisor")


@on_a_loop
async def test_an_idle_session_locks_and_opens_again() -> None:
    """After five idle minutes a crew session does nothing, over HTTP and the socket, before the password is given."""
    clock, hand = quick_clock()
    async with open_house(clock=clock) as running:
        await running.ready_table("T1")
        dan = running.crew["dan"]
        ann = await running.seat("ann")
        async with dan.table("T1") as table, ann.table() as hers:
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
            with pytest.raises(Refused, match="not right"):
                await dan.unlock("wrong horse 9")
            assert not (await dan.unlock(PASSWORD)).locked
            await hers.bet("small", 100)
            await table.do(c.CloseBets())


@on_a_loop
async def test_sessions_expire() -> None:
    """Twelve hours for crew, a day for players; then the token is worth nothing, over HTTP and the socket."""
    clock, hand = quick_clock()
    async with open_house(clock=clock) as running:
        await running.ready_table("T1")
        dan, ann = running.crew["dan"], await running.seat("ann")
        async with ann.table() as hers:
            hand.after(12 * HOUR)
            with pytest.raises(Refused) as refused:
                await dan.refresh()
            assert (refused.value.code, refused.value.status) == ("not-signed-in", 401)
            assert (await ann.refresh()).player == "ann"
            hand.after(12 * HOUR)
            with pytest.raises(Refused) as refused:
                await hers.bet("small", 100)
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
    """While a session is locked its socket shows the table as everybody sees it, and nothing of the crew's."""
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


# ------------------------------------------------------------------ rates and sizes


@on_a_loop
async def test_sign_ins_are_rated() -> None:
    """More attempts a minute than allowed are told to wait, whoever they claim to be."""
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
    """Ten wrong codes a minute from one place, then none; a good code is good once."""
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
async def test_requests_are_rated_and_bounded() -> None:
    """Too many requests, a body too large, too many sockets: each refused in the one shape."""
    limits = replace(ROOMY, connections_per_address=2)
    async with open_house(settings_for(limits=limits)) as running, httpx.AsyncClient(base_url=running.address) as http:
        await running.ready_table("T1")
        answer = await http.post("/api/settle", content=b"[" + b" " * 70_000)
        assert (answer.status_code, one_shape(answer)["code"]) == (413, "too-large")
        async with running.client.watch("T1"), running.client.watch("T1"):
            url = f"ws{running.address.removeprefix('http')}/play/T1"
            with pytest.raises(InvalidStatus) as refused:
                await connect(url, proxy=None)
            assert refused.value.response.status_code == 503
            assert b"too-many" in (refused.value.response.body or b"")
        running.context.rates = Rates(1, 5)
        answers = [await http.get("/healthz") for _ in range(10)]
        assert [answer.status_code for answer in answers[:5]] == [200] * 5
        assert answers[-1].status_code == 429
        assert one_shape(answers[-1])["code"] == "too-fast"
        assert answers[-1].headers["retry-after"] == "1"


# ------------------------------------------------------------------ logs


@contextmanager
def listening() -> Iterator[io.StringIO]:
    """Everything that the house logs meanwhile at its most talkative, as lines of JSON."""
    heard = io.StringIO()
    loggers = [logging.getLogger(name) for name in ("taisai", "uvicorn", "uvicorn.access")]
    before = [(each.handlers[:], each.level, each.propagate, each.disabled) for each in loggers]
    with redirect_stderr(heard):
        set_up_logs("json", "debug")
    try:
        yield heard
    finally:
        for logger, (handlers, level, propagate, disabled) in zip(loggers, before, strict=True):
            logger.handlers[:], logger.propagate, logger.disabled = handlers, propagate, disabled
            logger.setLevel(level)


@on_a_loop
async def test_logs_name_requests_and_tables_and_no_secret() -> None:
    """A session's log has the id of each request and the table it was about; no password, token or code is in it."""
    secrets = {PASSWORD, "wrong horse 9", "weak"}
    with listening() as heard:
        async with open_house() as running:
            secrets.add(running.context.first_link)
            await running.ready_table("T1")
            await running.hire("kim")
            ann = await running.seat("ann")
            code = await running.crew["dan"].seat_code("T1", "bob")
            bob = await running.client.sit_down(code=code.code)
            link = await running.crew["admin"].call("POST", "/api/staff/kim/link")
            with pytest.raises(Refused):
                await running.client.choose_password(link["token"], "weak")
            with pytest.raises(Refused):
                await running.client.sign_in("kim", "wrong horse 9", "shift-manager")
            await running.crew["dan"].do("T1", c.OpenBets())
            async with ann.table() as table:
                await table.bet("small", 100)
            void = c.VoidRound(VoidReason.NOT_FLAT)
            await running.crew["dan"].do("T1", void, second=by_sue(), reason="a die leans")
            people: list[Session] = [*running.crew.values(), ann, bob]
            secrets |= {each.token for each in people} | {each.me.csrf for each in people}
            secrets |= {code.code, code.code.replace("-", ""), link["token"]}
    text = heard.getvalue()
    lines = [msgspec.json.decode(line) for line in text.splitlines()]
    assert [line for line in text.splitlines() if any(secret in line for secret in secrets)] == []
    requests = [line for line in lines if line.get("request")]
    assert len({line["request"] for line in requests}) == len(requests) > 20
    assert {"T1"} == {line["table"] for line in requests if line.get("table")}
    assert any(line.get("who") == "dan" and line["message"].endswith("/api/tables/T1/commands 200") for line in lines)


# ------------------------------------------------------------------ the end


@on_a_loop
async def test_a_stop_tells_everybody_and_holds_the_round(tmp_path: Path) -> None:
    """A dealer's round in play is held: clients are told, no bet is taken any more; the next start interrupts it."""
    settings = settings_for(sqlite_url(tmp_path))
    async with open_house(settings) as running:
        await running.ready_table("T1")
        ann = await running.seat("ann")
        await running.crew["dan"].do("T1", c.OpenBets())
        async with ann.table() as table:
            await table.bet("small", 500)
            await running.context.stop()
            told = [message async for message in until_notice(table)]
            assert isinstance(told[-1], Notice)
            assert told[-1].code == "closing"
            with pytest.raises(Refused) as refused:
                await table.bet("small", 500)
            assert refused.value.code == "closing"
        with pytest.raises(Refused) as refused:
            await running.client.call("GET", "/readyz")
        assert (refused.value.code, refused.value.status) == ("closing", 503)
        with pytest.raises(Refused) as refused:
            await running.crew["dan"].do("T1", c.CloseBets())
        assert (refused.value.code, refused.value.status) == ("closing", 503)
        with pytest.raises(Refused) as refused:
            await running.client.sign_in("dan", PASSWORD, "dealer")
        assert (refused.value.code, refused.value.status) == ("not-recorded", 503)
    async with open_house(settings) as running:
        now = await running.client.look_at("T1")
        assert now.view["stakes"] == {"ann": {"small": 500}}
        assert "restart" in now.view["round"]["interrupted"]
        again = await running.client.resume(ann.token)
        assert again.me.player == "ann"


async def until_notice(table: Any) -> AsyncIterator[object]:
    """What a table tells up to a notice."""
    async for message in table:
        yield message
        if isinstance(message, Notice):
            return


@on_a_loop
async def test_a_stop_lets_automatic_tables_finish() -> None:
    """An automatic table deals its round to the end before the house closes."""
    base = settings_for(demo=True)
    quick = Timing(
        betting_ms=3_000, after_close_ms=0, tumbling_ms=0, reveal_ms=0, lit_ms=0, paid_ms=0, between_ms=60_000
    )
    one = replace(base.tables[1], timing=quick)
    assert one.mode == "automatic"
    settings = replace(base, tables=(one,), house=replace(base.house, minimum_betting_ms=0))
    async with open_house(settings) as running:
        seat = await running.client.sit_down(guest_at=one.name)
        async with seat.table() as table:
            async for _ in table:
                if table.takes_bets:
                    break
            await table.bet("small", 1_000)
            number = table.round
            await running.context.stop()
            state = running.context.floor.tables[one.name].state
            assert state.history[-1].number == number
            assert not state.round.interrupted
            assert running.context.floor.rounds_in_play == []


@on_a_loop
async def test_a_house_that_is_gone_is_lost() -> None:
    """A client of a house that is not there any more is told so, over HTTP and the socket."""
    async with open_house() as running:
        await running.ready_table("T1")
        ann = await running.seat("ann")
    async with Client(running.address) as client:
        with pytest.raises(Lost):
            await client.floor()
        table = ann.table()
        table._patience_s = 0.2
        with pytest.raises(Lost, match="there is no house"):
            await table.__aenter__()


def test_settings_of_the_tests_are_read() -> None:
    """The tables that these tests open are tables of the demo, with a float."""
    settings: Settings = settings_for(demo=True)
    assert {table.book for table in settings.tables} == {book.id for book in shelf().books()}
    assert FLOAT
