"""The plain transport, with the server's side of ASGI driven by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from starlette.types import Message

from taisai.web.socket.frames import text_frame
from taisai.web.socket.plain import HIGH_BYTES, LOW_BYTES, PlainTransport
from tests.web.serving import on_a_loop

HALF = text_frame(b"." * (HIGH_BYTES // 2))


class Server:
    """The server's side: what it has received, what it was asked to send, and whether its own buffer is full."""

    def __init__(self) -> None:
        self.received: asyncio.Queue[Message] = asyncio.Queue()
        self.sent: list[Message] = []
        self.takes = asyncio.Event()
        self.takes.set()
        self.fails: Exception | None = None
        self.transport = PlainTransport(self.received.get, self._send)

    async def _send(self, message: Message) -> None:
        await self.takes.wait()
        if self.fails is not None:
            raise self.fails
        self.sent.append(message)

    @property
    def texts(self) -> list[str]:
        """The texts that were sent."""
        return [message["text"] for message in self.sent if message["type"] == "websocket.send"]

    async def until(self, holds: Callable[[], object]) -> None:
        """Let the transport work until this holds."""
        while not holds():
            await asyncio.sleep(0)


@on_a_loop
async def test_frames_are_sent_in_order_without_waiting() -> None:
    """A write returns at once; the frames follow as texts, in order, once the server takes them."""
    server = Server()
    server.takes.clear()
    for number in range(5):
        assert server.transport.write(text_frame(b"%d" % number))
    assert server.texts == []
    server.takes.set()
    await server.until(lambda: len(server.texts) == 5)
    assert server.texts == ["0", "1", "2", "3", "4"]


@on_a_loop
async def test_the_queue_has_a_high_and_a_low_mark() -> None:
    """It is full above the high mark, and drained once, at the low one."""
    server = Server()
    drained: list[int] = []
    server.transport.on_drained = lambda: drained.append(len(server.sent))
    server.takes.clear()
    fullness = [server.transport.write(HALF) and server.transport.is_full for _ in range(2)]
    assert fullness == [False, True]
    server.transport.write(text_frame(b"." * LOW_BYTES))
    server.transport.write(text_frame(b"last"))
    server.takes.set()
    await server.until(lambda: len(server.sent) == 4)
    assert (drained, server.transport.is_full) == ([3], False)


@pytest.mark.parametrize("error", [OSError("gone"), RuntimeError("after the close")])
@on_a_loop
async def test_a_send_that_fails_means_that_the_client_is_gone(error: Exception) -> None:
    """Servers raise different errors once the client is gone; then nothing more can be written."""
    server = Server()
    server.fails = error
    assert server.transport.write(text_frame(b"1"))
    await server.until(lambda: not server.transport.write(text_frame(b"2")))


@on_a_loop
async def test_serving_ends_with_the_disconnect_and_with_an_abort() -> None:
    """`serve` passes messages on until the client disconnects or the house aborts."""
    for abort in (False, True):
        server = Server()
        texts: list[bytes] = []
        serving = asyncio.ensure_future(server.transport.serve(texts.append))
        server.received.put_nowait({"type": "websocket.receive", "text": "1"})
        await server.until(texts.copy)
        if abort:
            server.transport.abort()
        else:
            server.received.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await serving
        assert not server.transport.write(text_frame(b"late"))
        await server.transport.serve(texts.append)


@on_a_loop
async def test_an_error_of_the_reader_comes_out_of_serve() -> None:
    """A bug of ours is not swallowed with the connection."""

    def broken(_text: bytes) -> None:
        raise ZeroDivisionError

    server = Server()
    server.received.put_nowait({"type": "websocket.receive", "bytes": b"1"})
    with pytest.raises(ZeroDivisionError):
        await server.transport.serve(broken)


@on_a_loop
async def test_an_abort_drops_what_is_queued() -> None:
    """A send that hangs is cancelled, and nothing that waited behind it goes out."""
    server = Server()
    server.takes.clear()
    for number in range(3):
        server.transport.write(text_frame(b"%d" % number))
    await asyncio.sleep(0)
    server.transport.abort()
    server.takes.set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert server.sent == []


@on_a_loop
async def test_a_close_waits_behind_the_queue_and_can_be_given_up() -> None:
    """The close goes out after what is queued; with a client that does not read, the caller's timeout ends it."""
    server = Server()
    server.transport.write(text_frame(b"1"))
    await server.transport.close(1008)
    assert [message["type"] for message in server.sent] == ["websocket.send", "websocket.close"]
    stuck = Server()
    stuck.takes.clear()
    stuck.transport.write(text_frame(b"1"))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await stuck.transport.close(1008)
    stuck.transport.abort()
    assert stuck.sent == []
