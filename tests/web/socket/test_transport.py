"""The contract of a transport, held by both implementations, the plain one on three servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode

from taisai.web.socket.direct import DirectSocket
from taisai.web.socket.frames import text_frame
from taisai.web.socket.plain import PlainTransport
from taisai.web.socket.transport import EXTENSION, Transport, transport_of
from tests.web.servers import DIRECT, MESSAGE_BYTES, SERVERS, Serve
from tests.web.serving import on_a_loop
from tests.web.socket.packets import masked, raw_socket

everywhere = pytest.mark.parametrize("serve", SERVERS.values(), ids=SERVERS)
Use = Callable[[Transport], Awaitable[None]]


class Socket:
    """An application with one socket: what its transport passes on, and whether it has ended."""

    def __init__(self, use: Use | None = None) -> None:
        self.transport: Transport
        self.texts: list[bytes] = []
        self.opened, self.ended = asyncio.Event(), asyncio.Event()
        self._use = use
        self._tasks: set[asyncio.Future[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a socket; refuse everything else, a lifespan too."""
        assert scope["type"] == "websocket", "this application has sockets only"
        await receive()
        await send({"type": "websocket.accept"})
        self.transport = transport_of(scope, receive, send)
        self.opened.set()
        if self._use is not None:
            self._tasks.add(asyncio.ensure_future(self._use(self.transport)))
        try:
            await self.transport.serve(self._heard)
        finally:
            self.ended.set()

    def _heard(self, text: bytes) -> None:
        self.texts.append(text)
        self.transport.write(text_frame(b"got " + text))


def url_of(address: str) -> str:
    """The address as a socket's."""
    return address.replace("http", "ws", 1)


@asynccontextmanager
async def connected(serve: Serve, use: Use | None = None) -> AsyncIterator[tuple[Socket, ClientConnection]]:
    """An application on a server, and a client that is connected to it."""
    socket = Socket(use)
    async with serve(socket) as address, connect(url_of(address), compression=None, proxy=None) as client:
        await socket.opened.wait()
        yield socket, client


@pytest.mark.parametrize("serve", SERVERS.values(), ids=SERVERS)
def test_the_server_decides_which_transport_it_is(serve: Serve) -> None:
    """Only uvicorn with our socket class offers the direct transport; everywhere else plain ASGI serves."""

    @on_a_loop
    async def run() -> None:
        async with connected(serve) as (socket, _):
            expected = DirectSocket if serve in DIRECT.values() else PlainTransport
            assert type(socket.transport) is expected

    run()


@pytest.mark.parametrize("extensions", [{}, {"extensions": None}, {"extensions": {}}])
def test_a_scope_without_extensions_is_served_plainly(extensions: Scope) -> None:
    """ASGI lets a server leave its extensions out."""

    async def receive() -> Scope:
        return {}

    async def send(_message: Scope) -> None:
        pass

    assert type(transport_of(extensions, receive, send)) is PlainTransport
    offered = object()
    assert transport_of({"extensions": {EXTENSION: offered}}, receive, send) is offered


@everywhere
@on_a_loop
async def test_messages_arrive_and_are_answered_in_order(serve: Serve) -> None:
    """Many at once, text and bytes, short and long: each is passed on once, and each answer arrives."""
    sent = [b"one", "zwei €".encode(), b"x" * 60_000, *(b"%d" % number for number in range(200))]
    async with connected(serve) as (socket, client):
        for place, text in enumerate(sent):
            await client.send(text if place % 2 else text.decode())
        answers = [await client.recv(decode=False) for _ in sent]
        assert (socket.texts, answers) == (sent, [b"got " + text for text in sent])


@everywhere
@on_a_loop
async def test_frames_come_in_any_packets(serve: Serve) -> None:
    """Together, in halves, byte by byte, in fragments, with pings between: every message arrives once, in order."""
    socket = Socket()
    async with serve(socket) as address, raw_socket(address) as client:
        half, slow = masked(b"4"), masked(b"5")
        await client.send(masked(b"1"), masked(b"2") + masked(b"3"), half[:3], half[3:])
        await client.send(*(slow[place : place + 1] for place in range(len(slow))))
        await client.send(
            masked(b"si", fin=False),
            masked(b"there?", Opcode.PING),
            masked(b"x", Opcode.CONT),
            masked(b"7"),
        )
        assert await client.texts(7) == [b"got " + each for each in (b"1", b"2", b"3", b"4", b"5", b"six", b"7")]


@pytest.mark.parametrize("serve", DIRECT.values(), ids=DIRECT)
@on_a_loop
async def test_the_rest_of_a_message_is_not_taken_for_a_frame(serve: Serve) -> None:
    """A packet in the middle of a message belongs to it, even if its bytes look like a whole frame."""
    text = b"before " + masked(b"inside")
    message = bytes((0x82, 0x80 | len(text))) + bytes(4) + text  # masked with zeros, so the inner frame stays as it is
    socket = Socket()
    async with serve(socket) as address, raw_socket(address) as client:
        await client.send(masked(b"first") + message[:13])
        await client.texts(1)
        await client.send(message[13:])
        await client.texts(1)
        assert socket.texts == [b"first", text]


VIOLATIONS = {
    "not masked": (b"\x81\x02{}", {1002}),
    "a reserved bit": (bytes((0xC1, 0x80)) + bytes(4), {1002}),
    "a fragment of nothing": (masked(b"{}", Opcode.CONT), {1002}),
    "far too long": (bytes((0x81, 0xFF)) + (10**9).to_bytes(8, "big") + bytes(4), {1009}),
}


@pytest.mark.parametrize("violation", VIOLATIONS)
@pytest.mark.parametrize("serve", DIRECT.values(), ids=DIRECT)
@on_a_loop
async def test_what_breaks_the_protocol_ends_the_connection(serve: Serve, violation: str) -> None:
    """After plain frames as before them; on other servers this is theirs alone."""
    data, codes = VIOLATIONS[violation]
    socket = Socket()
    async with serve(socket) as address, raw_socket(address) as client:
        await client.send(masked(b"1"), data)
        assert await client.close_code() in codes
        client.writer.close()
        await socket.ended.wait()


@everywhere
@on_a_loop
async def test_a_message_that_is_too_long_ends_the_connection(serve: Serve) -> None:
    """Every server stops at the size that it is given."""
    async with connected(serve) as (socket, client):
        await client.send("x" * (MESSAGE_BYTES + 1))
        with pytest.raises(ConnectionClosed) as ended:
            await client.recv()
        assert ended.value.rcvd is not None
        assert ended.value.rcvd.code == 1009
        await socket.ended.wait()
        assert socket.texts == []


@everywhere
@on_a_loop
async def test_a_close_follows_what_was_written(serve: Serve) -> None:
    """Frames written before the close arrive, then its code; `serve` returns, and nothing more can be written."""

    async def close(transport: Transport) -> None:
        for number in range(50):
            assert transport.write(text_frame(b"%d" % number))
        await transport.close(1008)

    async with connected(serve, close) as (socket, client):
        assert [await client.recv(decode=False) for _ in range(50)] == [b"%d" % number for number in range(50)]
        with pytest.raises(ConnectionClosed) as ended:
            await client.recv()
        assert ended.value.rcvd is not None
        assert ended.value.rcvd.code == 1008
        await socket.ended.wait()
        assert not socket.transport.write(text_frame(b"late"))


@everywhere
@on_a_loop
async def test_a_client_that_goes_ends_the_socket(serve: Serve) -> None:
    """`serve` returns when the client closes or is cut off, and nothing more can be written."""
    for cut in (False, True):
        async with connected(serve) as (socket, client):
            if cut:
                client.transport.abort()
            else:
                await client.close()
            await socket.ended.wait()
            assert not socket.transport.write(text_frame(b"late"))


@everywhere
@on_a_loop
async def test_a_client_that_does_not_read_fills_the_buffer_and_drains_it(serve: Serve) -> None:
    """The buffer says that it is full, then that it has drained; nothing is lost or reordered meanwhile."""
    written = 0
    drained = asyncio.Event()

    async def fill(transport: Transport) -> None:
        nonlocal written
        transport.on_drained = drained.set
        while not transport.is_full:
            assert transport.write(text_frame(b"%06d" % written + b"." * 10_000))
            written += 1
            await asyncio.sleep(0)

    socket = Socket(fill)
    async with serve(socket) as address:
        quiet = connect(url_of(address), compression=None, proxy=None, max_queue=1)
        async with quiet as client:
            await socket.opened.wait()
            while not socket.transport.is_full:
                await asyncio.sleep(0)
            assert not drained.is_set()
            found = [int((await client.recv(decode=False))[:6]) for _ in range(written)]
            await drained.wait()
            assert found == list(range(written))
            assert not socket.transport.is_full


@everywhere
@on_a_loop
async def test_an_abort_does_not_wait_for_the_client(serve: Serve) -> None:
    """A client that never reads cannot hold the socket: `serve` returns although frames are still buffered."""

    async def abort(transport: Transport) -> None:
        while not transport.is_full:
            transport.write(text_frame(b"." * 10_000))
            await asyncio.sleep(0)
        transport.abort()

    socket = Socket(abort)
    async with serve(socket) as address, raw_socket(address) as client:
        await socket.ended.wait()
        assert not socket.transport.write(text_frame(b"late"))
        client.writer.transport.abort()
