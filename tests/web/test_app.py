"""The application: what is at each address, which sockets it refuses and how, and how a server starts and stops it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from starlette.types import Message, Scope
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from taisai.client import Client, Refused
from taisai.house.passwords import Passwords
from taisai.journal import JournalError
from taisai.web.app import App
from taisai.web.context import Context
from taisai.web.security import Rates
from tests.house.people import CHEAP
from tests.web.asking import one_shape
from tests.web.servers import on_hypercorn
from tests.web.serving import ROOMY, on_a_loop, open_house, settings_for, shelf


@on_a_loop
async def test_errors_have_one_shape() -> None:
    """An unknown address, a wrong method, a broken body, a wrong field: one shape, with the id of the request."""
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
async def test_a_socket_to_an_unknown_table_is_refused() -> None:
    """The handshake is answered with the error, and the client raises it."""
    async with open_house() as running:
        with pytest.raises(Refused) as refused:
            await running.client.watch("T9").__aenter__()
        assert (refused.value.code, refused.value.status) == ("no-such-table", 404)


@on_a_loop
async def test_an_address_has_so_many_sockets() -> None:
    """One socket too many is refused; when another closes there is room again."""
    limits = replace(ROOMY, connections_per_address=2)
    async with open_house(settings_for(limits=limits)) as running:
        await running.ready_table("T1")
        url = f"ws{running.address.removeprefix('http')}/play/T1"
        async with running.client.watch("T1"), running.client.watch("T1"):
            with pytest.raises(InvalidStatus) as refused:
                await connect(url, proxy=None)
            assert refused.value.response.status_code == 503
            assert b"too-many" in (refused.value.response.body or b"")
        async with running.client.watch("T1"):
            assert running.context.counts.sockets_opened == 3


@on_a_loop
async def test_a_socket_is_refused_while_sessions_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the journal does not answer, the client is asked to try again."""
    async with open_house() as running:
        await running.ready_table("T1")

        async def fail(*_token: str | None) -> None:
            raise JournalError("no connection")

        monkeypatch.setattr(running.context, "session_of", fail)
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"ws{running.address.removeprefix('http')}/play/T1", proxy=None)
        assert refused.value.response.status_code == 503
        assert b"try-again" in (refused.value.response.body or b"")


async def asked(app: App, extensions: dict[str, Any]) -> list[Message]:
    """What the application sends to a socket at an unknown table."""
    scope: Scope = {"type": "websocket", "path": "/play/T9", "headers": [], "extensions": extensions}
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent


@on_a_loop
async def test_a_server_that_cannot_answer_a_handshake_closes_it() -> None:
    """The error is sent where the server has the extension for it; everywhere else the socket is closed."""
    async with open_house() as running:
        app = App(running.context)
        start, body = await asked(app, {"websocket.http.response": {}})
        assert (start["status"], b"no-such-table" in body["body"]) == (404, True)
        assert await asked(app, {}) == [{"type": "websocket.close"}]


@on_a_loop
async def test_a_server_starts_and_stops_the_house() -> None:
    """On a server that runs the lifespan, the house opens with it, takes sockets, and closes with it."""
    context = Context(settings_for(demo=True), shelf(), passwords=Passwords(CHEAP))
    async with on_hypercorn(App(context)) as address, Client(address) as client:
        assert (await client.call("GET", "/readyz"))["ok"]
        async with httpx.AsyncClient(base_url=address) as http:
            assert one_shape(await http.get("/nothing"))["code"] == "not-found"
        seat = await client.sit_down(guest_at=context.settings.tables[0].name)
        async with seat.table() as table:
            await table.ping()
    assert not context.is_ready


@on_a_loop
async def test_a_house_that_cannot_start_stops_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """The failure goes to the server, which ends instead of serving a house that is closed."""
    context = Context(settings_for(), shelf(), passwords=Passwords(CHEAP))
    sent: list[Message] = []

    async def fail() -> None:
        raise JournalError("no disk")

    async def receive() -> Message:
        return {"type": "lifespan.startup"}

    async def send(message: Message) -> None:
        sent.append(message)

    monkeypatch.setattr(context, "start", fail)
    await App(context)({"type": "lifespan"}, receive, send)
    assert sent == [{"type": "lifespan.startup.failed", "message": "no disk"}]


@on_a_loop
async def test_pages_files_and_handshakes_are_rated_by_address() -> None:
    """A page takes a tenth of a request's allowance, a handshake that of two; beyond it they are refused."""
    async with open_house() as running:
        await running.ready_table()
        running.context.rates = Rates(1e-9, 0.25)
        async with httpx.AsyncClient(base_url=running.address) as http:
            pages = [(await http.get(path)).status_code for path in ("/play", "/static/lib/shell.js", "/play", "/none")]
        assert pages[0] == 200
        assert pages[2:] == [429, 429]
        running.context.rates = Rates(1e-9, 3)
        url = running.address.replace("http", "ws") + "/play/T1"
        async with connect(url):
            with pytest.raises(InvalidStatus) as refused:
                await connect(url)
        assert refused.value.response.status_code == 429
