"""Connections: nobody holds one by being slow, no address has them all, and staff always get one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

import pytest
from starlette.types import ASGIApp

from taisai.bounds import RESERVED_FOR_STAFF
from taisai.settings.forms import Listen
from taisai.web.addresses import Addresses
from taisai.web.app import App
from taisai.web.guard import connections
from taisai.web.guard.connections import Connections, GuardedHttp, places
from taisai.web.serve import server_of
from tests.web.servers import Serve, running
from tests.web.serving import Running, on_a_loop, open_house, served_by

GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
SOON: dict[str, Any] = {"most": 100, "of_address": 100, "headers_s": 0.05, "idle_s": 0.05}
LATE: dict[str, Any] = {"most": 100, "of_address": 100, "headers_s": 60.0, "idle_s": 60.0}


def guarded(**bounds: Any) -> Serve:
    """Serve with bounds of one's own."""

    @asynccontextmanager
    async def serve(app: ASGIApp) -> AsyncIterator[str]:
        context = cast(App, app).context
        async with running(server_of(context, Connections(context.addresses, context.is_ours, **bounds))) as address:
            yield address

    return serve


class Wire:
    """A bare connection to a house."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def to(cls, house: Running) -> Wire:
        """Connect."""
        return cls(*await asyncio.open_connection("127.0.0.1", int(house.address.rpartition(":")[2])))

    async def ask(self, request: bytes = GET) -> int:
        """Send a request; the status of its answer, 0 when the connection ended instead."""
        try:
            self.writer.write(request)
            await self.writer.drain()
            head = await self.reader.readuntil(b"\r\n\r\n")
            size = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-len")), 0)
            await self.reader.readexactly(size)
            return int(head.split(b" ")[1])
        except (ConnectionError, asyncio.IncompleteReadError):
            return 0

    async def trickle(self, byte: bytes) -> None:
        """Send a byte after the other until the server has had enough."""
        ended = asyncio.ensure_future(self.reader.read())
        while not ended.done():
            self.writer.write(byte)
            await asyncio.wait({ended}, timeout=0.005)
        assert ended.exception() is not None or b"HTTP/1.1 2" not in ended.result()

    async def end(self) -> None:
        """Disconnect."""
        self.writer.transport.abort()
        with suppress(ConnectionError):
            await self.writer.wait_closed()


def socket_request(token: str = "") -> bytes:
    """A handshake with the play socket of T1."""
    shown = f"Authorization: Bearer {token}\r\n" if token else ""
    return (
        "GET /play/T1 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n{shown}\r\n"
    ).encode()


@pytest.mark.parametrize(
    "request_", [b"", b"GET /healthz HTTP/1.1\r\nX: "], ids=["nothing but spaces", "headers without end"]
)
@on_a_loop
async def test_headers_have_a_deadline_that_no_trickle_puts_off(request_: bytes) -> None:
    """A sender of one byte after the other is cut off when the time for headers is over."""
    with served_by(guarded(**SOON)):
        async with open_house() as house:
            wire = await Wire.to(house)
            wire.writer.write(request_)
            await wire.trickle(b"x" if request_ else b"\r")
            await wire.end()


@pytest.mark.parametrize("byte", [b"", b"x"], ids=["silent", "trickling a body"])
@on_a_loop
async def test_after_an_answer_a_connection_waits_so_long_and_no_longer(byte: bytes) -> None:
    """Bytes that belong to no next request keep nothing open: neither silence nor the body of the last one."""
    with served_by(guarded(**SOON)):
        async with open_house() as house:
            wire = await Wire.to(house)
            assert await wire.ask(b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n") == 405
            await wire.trickle(byte)
            await wire.end()


@on_a_loop
async def test_an_address_has_so_many_connections_and_its_oldest_idle_one_makes_way() -> None:
    """Whoever opens one more loses the one that waited longest; those of other addresses stay."""
    with served_by(guarded(**LATE | {"of_address": 3})):
        async with open_house() as house:
            wires = [await Wire.to(house) for _ in range(3)]
            assert [await each.ask() for each in wires] == [200, 200, 200]
            more = await Wire.to(house)
            assert await more.ask() == 200
            assert [await each.ask() for each in wires] == [0, 200, 200]
            for each in (*wires, more):
                await each.end()


@on_a_loop
async def test_when_all_places_are_taken_staff_get_a_socket_and_strangers_single_answers() -> None:
    """Sockets fill every place: a stranger is answered and gets no socket, staff get both."""
    with served_by(guarded(**LATE | {"most": 8, "reserve": 2})):
        async with open_house() as house:
            await house.ready_table()
            sockets = [await Wire.to(house) for _ in range(8)]
            for each in sockets:
                assert await each.ask(socket_request()) == 101
            stranger, dealer = await Wire.to(house), await Wire.to(house)
            assert await stranger.ask() == 200
            assert await dealer.ask(socket_request(house.crew["dan"].token)) == 101
            assert await stranger.ask(socket_request()) == 503
            for each in (*sockets, stranger, dealer):
                await each.end()


@on_a_loop
async def test_a_crowd_of_slow_strangers_does_not_hold_the_reserve() -> None:
    """Of strangers in the reserve the one who came first makes way for the next; who shows a session stays."""
    with served_by(guarded(**LATE | {"most": 8, "reserve": 2})):
        async with open_house() as house:
            await house.ready_table()
            sockets = [await Wire.to(house) for _ in range(8)]
            for each in sockets:
                assert await each.ask(socket_request()) == 101
            dealer = await Wire.to(house)
            assert await dealer.ask(socket_request(house.crew["dan"].token)) == 101
            slow = [await Wire.to(house) for _ in range(5)]
            for each in slow:
                each.writer.write(b"POST /api/sign-in HTTP/1.1\r\nContent-Length: 9\r\n")
            supervisor = await Wire.to(house)
            token = house.crew["sue"].token.encode()
            assert await supervisor.ask(GET.replace(b"Host", b"Authorization: Bearer " + token + b"\r\nHost")) == 200
            ended = [asyncio.ensure_future(each.reader.read()) for each in slow[:3]]
            await asyncio.wait_for(asyncio.wait(ended), 30)
            assert not dealer.reader.at_eof()
            for each in (*sockets, *slow, dealer, supervisor):
                await each.end()


@on_a_loop
async def test_a_socket_is_counted_until_it_ends() -> None:
    """What is handed over to a socket gives its place back when the socket ends."""
    guards: list[Connections] = []

    @asynccontextmanager
    async def serve(app: ASGIApp) -> AsyncIterator[str]:
        context = cast(App, app).context
        guards.append(Connections(context.addresses, context.is_ours, **LATE))
        async with running(server_of(context, guards[0])) as address:
            yield address

    with served_by(serve):
        async with open_house() as house:
            await house.ready_table()
            before = len(guards[0])
            wires = [await Wire.to(house) for _ in range(4)]
            for each in wires:
                assert await each.ask(socket_request()) == 101
            assert len(guards[0]) == before + 4
            for each in wires:
                await each.end()
            async with asyncio.timeout(30):
                while len(guards[0]) > before:
                    await asyncio.sleep(0.005)


class _Line:
    """A connection of which nothing but its end is looked at."""

    def __init__(self) -> None:
        self.dropped = False

    def drop(self) -> None:
        self.dropped = True


def test_connections_of_a_proxy_count_for_nobody() -> None:
    """A proxy's connections are not capped by its address; the total holds for them too."""
    addresses = Addresses(Listen(trusted_proxies=("10.0.0.1",)), 100)
    guard = Connections(addresses, lambda _headers: False, most=3, of_address=1, reserve=1)
    lines = [cast(GuardedHttp, _Line()) for _ in range(5)]
    for each in lines[:3]:
        guard.admit(each, "10.0.0.1")
    assert len(guard) == 3
    guard.admit(lines[3], "10.0.0.1")
    assert [cast(_Line, each).dropped for each in lines] == [True, False, False, False, False]
    for each in lines[1:4]:
        assert guard.begins(each, {})
    guard.admit(lines[4], "10.0.0.2")
    assert not guard.begins(lines[4], {})
    for each in lines:
        guard.left(each)
        guard.left(each)
    assert len(guard) == 0


def test_places_follow_the_descriptors_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of the process is raised as far as it may be, and leaves a reserve; never more than is wanted."""
    resource = pytest.importorskip("resource")
    raised: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (256, 1_000))
    monkeypatch.setattr(resource, "setrlimit", lambda _which, to: raised.append(to))
    assert places(10_000) == 1_000 - connections.OWN_DESCRIPTORS - RESERVED_FOR_STAFF
    assert raised == [(1_000, 1_000)]
    assert places(50) == 50
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert places(10**9) == connections.DESCRIPTORS_MAX - connections.OWN_DESCRIPTORS - RESERVED_FOR_STAFF
