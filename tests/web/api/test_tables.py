"""The API as its users see it: who may call what, one shape of error, nobody's balance in anybody else's hands."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import msgspec

from taisai.client import Session, Table
from taisai.protocol.answers import CarriedOut
from taisai.table import commands as c
from taisai.table.people import Role
from taisai.web.app import ENDPOINTS
from tests.web.serving import PASSWORD, POSTS, Running, on_a_loop, open_house, set_up_of, settings_for
from tests.web.socket.clients import raw

ALL = frozenset({"nobody", "ann", "eve", "dan", "dot", "sue", "ada", "admin"})
"""ann sits at T1 and eve at T2; dan, sue and ada reach every table, dot deals at T2 alone."""
SIGNED_IN = ALL - {"nobody"}
STAFF = frozenset({"dan", "dot", "sue", "ada", "admin"})
OVERSEERS = frozenset({"sue", "ada", "admin"})

MAY: dict[str, frozenset[str]] = {
    "GET /api/books": ALL,
    "GET /api/books/{book}": ALL,
    "GET /api/books/{book}/clauses/{clause}": ALL,
    "GET /api/books/{book}/layouts/{layout}": ALL,
    "GET /api/books/{book}/layouts/{layout}/felt.svg": ALL,
    "POST /api/books/{book}/layouts/{layout}/odds": ALL,
    "GET /api/compare": ALL,
    "POST /api/settle": ALL,
    "POST /api/training/drill": ALL,
    "POST /api/training/mark": ALL,
    "GET /api/floor": ALL,
    "GET /api/tables/{table}": ALL,
    "GET /api/tables/{table}/felt.svg": ALL,
    "GET /api/tables/{table}/rounds": ALL,
    "GET /api/me/rounds": frozenset({"ann", "eve"}),
    "POST /api/tables/{table}/commands": frozenset({"ann", "dan", "sue", "ada"}),
    "POST /api/tables": frozenset({"sue"}),
    "GET /api/tables/{table}/crew": frozenset({"dan", "sue"}),
    "GET /api/pit": frozenset({"sue"}),
    "GET /api/tables/{table}/journal": frozenset({"dan", "sue", "ada", "admin"}),
    "POST /api/sign-in": ALL,
    "POST /api/sign-out": SIGNED_IN,
    "GET /api/me": SIGNED_IN,
    "POST /api/unlock": STAFF,
    "POST /api/lock": STAFF,
    "POST /api/one-time/{token}": ALL,
    "POST /api/me/password": STAFF,
    "POST /api/seat": ALL,
    "POST /api/tables/{table}/seat-codes": frozenset({"dan", "sue"}),
    "GET /api/staff": frozenset({"admin"}),
    "POST /api/staff": frozenset({"admin"}),
    "PATCH /api/staff/{login}": frozenset({"admin"}),
    "POST /api/staff/{login}/disable": frozenset({"admin"}),
    "POST /api/staff/{login}/enable": frozenset({"admin"}),
    "POST /api/staff/{login}/unlock": frozenset({"admin"}),
    "POST /api/staff/{login}/link": frozenset({"admin"}),
    "GET /api/alerts": frozenset({"sue"}),
    "POST /api/alerts/{alert}": frozenset({"sue"}),
    "GET /api/house/audit": OVERSEERS,
    "POST /api/house/audit": OVERSEERS,
    "GET /healthz": ALL,
    "GET /readyz": ALL,
    "GET /metrics": ALL,
    "GET /api/report": OVERSEERS,
    "GET /api/house/events": OVERSEERS,
    "GET /api/house/settings": frozenset({"admin"}),
    "POST /api/house/verify": STAFF,
    "POST /api/house/disable": frozenset({"sue", "admin"}),
    "POST /api/house/enable": frozenset({"sue", "admin"}),
}
"""Who is let in where, at table T1; written down once more, so that a door left open shows."""

PATHS = {
    "book": "rws-tai-sai-v6",
    "layout": "A",
    "clause": "5.1",
    "table": "T1",
    "login": "zoe",
    "token": "no-such-token",
    "alert": "no-such-alert",
}
BODIES: dict[str, Any] = {
    "POST /api/books/{book}/layouts/{layout}/odds": {"bets": "small=100"},
    "POST /api/settle": {"layout": "rws-tai-sai-v6/A", "dice": [1, 3, 6], "limits": None, "bets": []},
    "POST /api/training/drill": {"layout": "rws-tai-sai-v6/A", "level": 1, "seed": "matrix"},
    "POST /api/training/mark": {"layout": "rws-tai-sai-v6/A", "level": 1, "seed": "matrix", "answers": {}},
    "POST /api/tables/{table}/commands": {"id": "matrix", "do": {"do": "pay-next"}},
    "POST /api/sign-in": {"login": "nobody", "password": "nothing at all", "post": "dealer"},
    "POST /api/unlock": {"password": PASSWORD},
    "POST /api/one-time/{token}": {"password": PASSWORD},
    "POST /api/me/password": {"old": "not the old one", "new": "another horse 9"},
    "POST /api/seat": {"code": "ZZZZ-ZZZZ"},
    "POST /api/tables/{table}/seat-codes": {},
    "POST /api/staff": {"login": "new", "name": "New", "posts": [{"role": "owner"}]},
    "PATCH /api/staff/{login}": {},
    "POST /api/staff/{login}/disable": {},
    "POST /api/staff/{login}/enable": {},
    "POST /api/alerts/{alert}": {},
    "POST /api/house/disable": {"what": "T1", "reason": "to try"},
    "POST /api/house/enable": {"what": "T1", "reason": "to try"},
}
QUERIES = {"GET /api/compare": {"one": "rws-tai-sai-v6/A", "two": "rws-tai-sai-v6/C"}}
ERROR = {"code", "sentence", "clauses", "allowed", "field", "request"}
DOORS = {"not-signed-in", "not-allowed", "not-here", "not-yours-to-do", "locked"}


def one_shape(answer: httpx.Response) -> dict[str, Any]:
    """The error of an answer, which must have the one shape."""
    assert answer.headers["content-type"] == "application/json", answer.text
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == ERROR
    assert body["error"]["code"]
    assert body["error"]["sentence"]
    found: dict[str, Any] = body["error"]
    return found


@asynccontextmanager
async def staffed() -> AsyncIterator[tuple[Running, dict[str, Session | None]]]:
    """A house with two tables and everybody of the matrix."""
    async with open_house() as running:
        await running.hire("dan", "sue", "ada")
        await running.ready_table("T1")
        await running.ready_table("T2")
        link = await running.crew["admin"].add_staff("dot", "Dot", {Role.DEALER: ("T2",)})
        await running.client.choose_password(link.token, PASSWORD)
        people: dict[str, Session | None] = {"nobody": None, **running.crew}
        people["dot"] = await running.client.sign_in("dot", PASSWORD, "dealer")
        people["ann"] = await running.seat("ann", "T1")
        people["eve"] = await running.seat("eve", "T2")
        assert set(people) == ALL
        yield running, people


def test_every_endpoint_has_its_line() -> None:
    """A new endpoint is not let in without somebody writing down who may call it."""
    assert {f"{each.method} {each.path}" for each in ENDPOINTS} == set(MAY)


@on_a_loop
async def test_who_may_call_what() -> None:
    """Every endpoint as everybody: those who may are let in, all others are told why not, in the one shape."""
    wrong: list[str] = []
    async with staffed() as (running, people), httpx.AsyncClient(base_url=running.address) as http:
        for name, allowed in MAY.items():
            for who in sorted(ALL):
                method, _, path = name.partition(" ")
                session = people[who]
                if session is not None and path in ("/api/sign-out", "/api/lock"):
                    if session.me.player:
                        session = await running.seat(f"x-{who}", session.me.tables[0])
                    else:
                        session = await running.client.sign_in(who, PASSWORD, session.me.post)
                answer = await http.request(
                    method,
                    path.format(**PATHS),
                    headers={} if session is None else {"authorization": f"Bearer {session.token}"},
                    content=None if name not in BODIES else msgspec.json.encode(BODIES[name]),
                    params=QUERIES.get(name),
                )
                code = one_shape(answer)["code"] if answer.status_code >= 400 else ""
                assert answer.status_code < 500, (name, who, answer.text)
                refused = code in DOORS and answer.status_code in (401, 403)
                if refused is (who in allowed):
                    wrong.append(f"{name} as {who}: {answer.status_code} {code}")
    assert wrong == []


@on_a_loop
async def test_errors_have_one_shape() -> None:
    """Nothing at an address, another method, a broken body, a wrong field: the same shape, with the request's id."""
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        cases = {
            ("GET", "/nothing"): (404, "not-found"),
            ("GET", "/api/nothing"): (404, "not-found"),
            ("GET", "/static/nothing.js"): (404, "not-found"),
            ("GET", "/static/../pages.py"): (404, "not-found"),
            ("DELETE", "/api/floor"): (405, "not-found"),
            ("POST", "/"): (405, "not-found"),
            ("GET", "/api/tables/T9"): (404, "no-such-table"),
            ("GET", "/api/books/nope"): (404, "not-found"),
            ("GET", "/api/books/rws-tai-sai-v6/layouts/Z"): (404, "not-found"),
            ("GET", "/api/house/events?count=0"): (400, "bad-message"),
            ("GET", "/play/T1"): (404, "not-found"),
            ("POST", "/api/sign-in"): (400, "bad-message"),
        }
        for (method, path), (status, code) in cases.items():
            answer = await http.request(method, path, content=b"{" if method == "POST" else None)
            assert answer.status_code == status, (path, answer.text)
            assert one_shape(answer)["code"] == code, path
            if status == 405:
                assert "GET" in answer.headers["allow"]
        answer = await http.post("/api/sign-in", json={"login": "a", "password": "b", "post": "owner"})
        error = one_shape(answer)
        assert (error["code"], error["field"]) == ("bad-message", "post")
        assert error["request"] == answer.headers["x-request-id"]


@on_a_loop
async def test_every_answer_carries_the_policy() -> None:
    """Pages, files, the API and its errors: no inline script, nothing from elsewhere, no frame around us."""
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        home = (await http.get("/")).text
        linked = [path for path in re.findall(r'(?:href|src)="(/[^"#?]*)', home) if not path.startswith("//")]
        pages = ["/", "/docs", "/sign-in", "/welcome", "/play", "/board", "/openapi.json", "/api/floor", "/nothing"]
        for path in {*pages, "/healthz", "/metrics", "/api/me", *linked}:
            answer = await http.get(path)
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self';" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert "server" not in answer.headers
            if answer.headers["content-type"].startswith("text/html"):
                assert not re.search(r"<script(?![^>]*\bsrc=)[^>]*>|\son\w+=|style=|https?://", answer.text), path


# ------------------------------------------------------------------ nobody sees another player's balance


def numbers_in(text: str) -> set[int]:
    """Every whole number in a text."""
    return {int(found) for found in re.findall(r"(?<![\w.-])\d{5,12}(?![\w.])", text)}


async def play_a_round(running: Running, ann: Table) -> None:
    """A round in which ann wins, then a void one, then she cashes a part."""
    dan, sue = running.crew["dan"], running.crew["sue"]
    for dice, end in (((1, 2, 4), "paid"), ((6, 6, 5), "lost")):
        await dan.do("T1", c.OpenBets())
        await ann.bet("small", 1_100)
        await ann.bet("total:7", 100)
        for step in (c.CloseBets(), c.Tumble(3), c.Uncover(dice), c.Announce(), c.Collect()):
            await dan.do("T1", step)
        if end == "paid":
            await dan.do("T1", c.PayAll())
    await dan.do("T1", c.CashOut("ann", 12_300))
    await sue.do("T1", c.OpenDispute("D-1", "ann", 1, "none"))


@on_a_loop
async def test_nobody_sees_another_players_balance() -> None:
    """Over every endpoint and every frame, for a player and for an observer: ann's chips in hand are ann's alone."""
    async with open_house() as running:
        await running.ready_table("T1", colours={"red": c.ColourSet(5_000)})
        ann, bob = await running.seat("ann", buy_in=432_100), await running.seat("bob")
        secrets: set[int] = {432_100, 54_300}
        floor = running.context.floor
        floor.listen(lambda table, _events: secrets.add(table.state.funds("ann")))
        heard: list[str] = []
        async with raw(running, "T1", bob) as as_bob, raw(running, "T1", None) as as_nobody:
            async with ann.table() as table:
                await running.crew["dan"].do("T1", c.TakeColour("ann", "red", 100, 54_300))
                await play_a_round(running, table)
                await running.crew["dan"].do("T1", c.TurnInColour("ann"))
                await table.do(c.LeaveTable("ann"))
                await table.until_seq(floor.tables["T1"].state.seq)
            for socket in (as_bob, as_nobody):
                heard += [str(frame) for frame in await socket.until_pong()]
        assert any("'change'" in frame for frame in heard)
        async with httpx.AsyncClient(base_url=running.address) as http:
            for who in (bob, None):
                headers = {} if who is None else {"authorization": f"Bearer {who.token}"}
                for each in ENDPOINTS:
                    if each.method == "GET":
                        answer = await http.get(each.path.format(**PATHS), headers=headers)
                        heard.append(answer.text)
        assert len(secrets) > 4
        told = {found for text in heard for found in numbers_in(text)}
        assert told & (secrets - {0}) == set()
        shown = numbers_in(str(await ann.my_rounds())) | numbers_in(str(await running.crew["dan"].journal("T1")))
        assert shown & secrets, "the figures looked for are not what the program writes"


@on_a_loop
async def test_a_player_sees_his_own_rounds_explained() -> None:
    """A player's own rounds come with his funds before and after, why, and by which clauses; nobody else's do."""
    async with open_house() as running:
        await running.ready_table("T1")
        ann, bob = await running.seat("ann"), await running.seat("bob")
        async with ann.table() as table:
            await play_a_round(running, table)
        lost, won = await ann.my_rounds()
        assert (won["funds_before"], won["funds_after"]) == (20_000, 22_300)
        assert (lost["funds_before"], lost["funds_after"]) == (22_300, 21_100)
        assert all(line["why"] and line["clauses"] for line in won["lines"] + lost["lines"])
        assert await bob.my_rounds() == []


# ------------------------------------------------------------------ commands over HTTP


@on_a_loop
async def test_a_command_over_http_is_done_once() -> None:
    """The same id twice: the first answer again, marked as repeated, with what happened then."""
    async with open_house() as running:
        await running.ready_table("T1")
        dan = running.crew["dan"]
        first = await dan.do("T1", c.OpenBets(), command_id="open-1")
        again = await dan.do("T1", c.OpenBets(), command_id="open-1")
        assert (first.repeated, again.repeated) == (False, True)
        assert (first.seq, first.events, first.told) == (again.seq, again.events, again.told)
        assert isinstance(again, CarriedOut)


@on_a_loop
async def test_a_table_is_put_up_once() -> None:
    """A name that is taken is refused; a set-up that the book refuses leaves no table behind."""
    async with open_house() as running:
        await running.ready_table("T1")
        sue = running.crew["sue"]
        async with httpx.AsyncClient(base_url=running.address) as http:
            headers = {"authorization": f"Bearer {sue.token}"}
            taken = {"table": "T1", "set_up": msgspec.to_builtins(set_up_of("rws-tai-sai-v6/A"), str_keys=True)}
            answer = await http.post("/api/tables", json=taken, headers=headers)
            assert (answer.status_code, one_shape(answer)["field"]) == (403, "table")
            wrong = {**taken, "table": "T9", "set_up": {**taken["set_up"], "digest": "0" * 64}}
            answer = await http.post("/api/tables", json=wrong, headers=headers)
            assert (answer.status_code, one_shape(answer)["code"]) == (409, "wrong-book")
        assert [card.table for card in (await running.client.floor()).tables] == ["T1"]


@on_a_loop
async def test_a_disabled_table_begins_no_round() -> None:
    """A supervisor disables a table on demand: the next round is refused until it is enabled again."""
    async with open_house() as running:
        await running.ready_table("T1")
        dan, sue = running.crew["dan"], running.crew["sue"]
        body = {"what": "T1", "reason": "the camera is dark"}
        assert await sue.call("POST", "/api/house/disable", body) == {"disabled": ["T1"]}
        async with httpx.AsyncClient(base_url=running.address) as http:
            answer = await http.post(
                "/api/tables/T1/commands",
                json={"id": "x", "do": {"do": "open-bets"}},
                headers={"authorization": f"Bearer {dan.token}"},
            )
        assert (answer.status_code, one_shape(answer)["code"]) == (503, "disabled")
        assert (await running.client.floor()).tables[0].disabled
        await sue.call("POST", "/api/house/enable", body)
        await dan.do("T1", c.OpenBets())
        kinds = [each["kind"] for each in await sue.call("GET", "/api/house/events", query={"all": True})]
        assert {"house.table-disabled", "house.table-enabled"} <= set(kinds)


@on_a_loop
async def test_health_readiness_and_metrics() -> None:
    """The house says that it runs, that it takes bets, and what it has done."""
    async with open_house(settings_for()) as running:
        await running.ready_table("T1")
        ann = await running.seat("ann")
        await running.crew["dan"].do("T1", c.OpenBets())
        async with ann.table() as table:
            await table.bet("small", 100)
            health = await running.client.call("GET", "/healthz")
            assert (health["ok"], health["tables"], health["broken"]) == (True, 1, [])
            assert (await running.client.call("GET", "/readyz"))["ok"]
            text = await running.client.call("GET", "/metrics")
        figures = dict(re.findall(r"^(taisai_\w+(?:\{[^}]*\})?) ([\d.e+]+)$", text, re.MULTILINE))
        assert float(figures["taisai_bets_total"]) == 1
        assert float(figures["taisai_connections"]) == 1
        assert float(figures['taisai_watchers{table="T1"}']) == 1
        assert float(figures["taisai_commits_total"]) > 5
        assert 'taisai_requests_total{path="/api/seat",status="200"}' in figures


def test_posts_of_the_matrix() -> None:
    """The people of the matrix hold the posts that it speaks of."""
    assert {POSTS[login] for login in ("dan", "sue", "ada")} == {Role.DEALER, Role.SUPERVISOR, Role.AUDITOR}
