"""The short way of a frame: what is cut by hand is what the protocol's own parser cuts, and all else is left to it."""

from __future__ import annotations

import asyncio
import contextlib
import socket as sockets
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import SERVER, State
from websockets.protocol import Protocol as WebSocket

from taisai.web.socket.transport import is_whole, plain_text, text_frame
from tests.web.serving import on_a_loop, open_house


class Long(bytes):
    """Many bytes that are told in a word."""

    def __repr__(self) -> str:
        return f"{len(self)} bytes"


texts = st.one_of(st.binary(max_size=300), st.sampled_from([125, 126, 127, 65_535, 65_536, 70_000]).map(Long))
opcodes = st.sampled_from([Opcode.TEXT, Opcode.BINARY, Opcode.CONT])


def parsed(data: bytes) -> list[Frame]:
    """What the library's parser makes of a client's bytes."""
    server = WebSocket(SERVER, state=State.OPEN, max_size=None)
    server.receive_data(data)
    return [event for event in server.events_received() if isinstance(event, Frame)]


@given(texts)
def test_a_frame_is_what_the_library_would_send(text: bytes) -> None:
    """A frame made by hand has the bytes of the library's."""
    assert text_frame(text) == Frame(Opcode.TEXT, text).serialize(mask=False)


@given(texts)
def test_a_plain_text_is_read(text: bytes) -> None:
    """One masked text frame: its text, unless it is so long that the library is to look at it."""
    data = Frame(Opcode.TEXT, text).serialize(mask=True)
    found = plain_text(data)
    assert (found == text) if len(text) < 65_536 else (found is None)
    assert is_whole(data)


@given(texts, opcodes, st.booleans(), st.integers(0, 400))
def test_whatever_is_no_plain_text_is_left_alone(text: bytes, opcode: Opcode, fin: bool, cut: int) -> None:
    """A part, another kind, a frame cut short or with something behind it: none is taken for a whole text."""
    data = Frame(opcode, text, fin=fin).serialize(mask=True)
    if opcode is not Opcode.TEXT or not fin:
        assert plain_text(data) is None
        assert is_whole(data) == (fin and opcode is not Opcode.CONT)
    elif cut:
        assert plain_text(data[: max(0, len(data) - cut)]) is None
        assert plain_text(data + b"\x81" * cut) is None


@given(st.binary(max_size=40))
def test_junk_is_never_more_than_the_library_sees(junk: bytes) -> None:
    """Whatever bytes come: if a text is read by hand, the library reads the same one."""
    found = plain_text(junk)
    if found is not None:
        assert [(frame.opcode, bytes(frame.data)) for frame in parsed(junk)] == [(Opcode.TEXT, found)]


@given(st.lists(st.tuples(st.binary(max_size=200), st.sampled_from([Opcode.TEXT, Opcode.BINARY])), max_size=4))
def test_frames_that_come_together_are_whole(frames: list[tuple[bytes, Opcode]]) -> None:
    """Several frames in one packet end where the packet ends; with one byte less they do not."""
    data = b"".join(Frame(opcode, text).serialize(mask=True) for text, opcode in frames)
    assert is_whole(data)
    if data:
        assert not is_whole(data[:-1])


class Raw:
    """A socket that sends bytes as it is told."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, *pieces: bytes) -> None:
        """Each piece in a packet of its own."""
        self.writer.get_extra_info("socket").setsockopt(sockets.IPPROTO_TCP, sockets.TCP_NODELAY, 1)
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()

    async def next(self) -> tuple[int, bytes]:
        """The next frame: its first byte, and what is in it."""
        first, size = await self.reader.readexactly(2)
        if size == 126:
            size = int.from_bytes(await self.reader.readexactly(2), "big")
        return first, await self.reader.readexactly(size)

    async def pongs(self, count: int) -> list[int]:
        """The numbers of so many pongs, whatever else comes."""
        found: list[int] = []
        while len(found) < count:
            first, text = await self.next()
            told: dict[str, Any] = msgspec.json.decode(text) if first == 0x81 else {}
            if told.get("t") == "pong":
                found.append(told["n"])
        return found

    async def end(self) -> int:
        """The code that the server closes with."""
        while True:
            first, text = await self.next()
            if first == 0x88:
                return int.from_bytes(text[:2], "big")


@contextlib.asynccontextmanager
async def raw_socket() -> AsyncIterator[Raw]:
    """A watcher's socket at a table, after the handshake."""
    async with open_house() as running:
        await running.ready_table("T1")
        where = urlsplit(running.address)
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        asked = (
            "GET /play/T1 HTTP/1.1", f"Host: {where.netloc}", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13", "", "",
        )  # fmt: skip
        writer.write("\r\n".join(asked).encode())
        assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
        try:
            yield Raw(reader, writer)
        finally:
            writer.close()


def ping(number: int) -> bytes:
    """A masked frame that the table answers."""
    return Frame(Opcode.TEXT, b'{"t":"ping","n":%d}' % number).serialize(mask=True)


@on_a_loop
async def test_frames_come_in_any_packets() -> None:
    """Together, in halves, byte by byte, with a ping of the protocol between: all are answered, in their order."""
    async with raw_socket() as client:
        half, slow = ping(4), ping(5)
        await client.send(ping(1), ping(2) + ping(3), half[:3], half[3:])
        await client.send(*(slow[place : place + 1] for place in range(len(slow))))
        await client.send(Frame(Opcode.PING, b"there?").serialize(mask=True), ping(6))
        assert await client.pongs(6) == [1, 2, 3, 4, 5, 6]


@on_a_loop
async def test_a_message_in_parts_is_put_together() -> None:
    """A text in three parts with a ping between them, then a plain one."""
    async with raw_socket() as client:
        await client.send(
            Frame(Opcode.TEXT, b'{"t":"pi', fin=False).serialize(mask=True),
            Frame(Opcode.CONT, b'ng","n"', fin=False).serialize(mask=True),
            Frame(Opcode.PING, b"").serialize(mask=True),
            Frame(Opcode.CONT, b":7}").serialize(mask=True),
            ping(8),
        )
        assert await client.pongs(2) == [7, 8]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(Frame(Opcode.TEXT, b"{}").serialize(mask=False), 1002, id="not masked"),
        pytest.param(bytes((0xC1, 0x80)) + bytes(4), 1002, id="a reserved bit"),
        pytest.param(Frame(Opcode.CONT, b"{}").serialize(mask=True), 1002, id="goes on with nothing"),
        pytest.param(bytes((0x81, 0xFF)) + (10**9).to_bytes(8, "big") + bytes(4), 1009, id="far too long"),
    ],
)
@on_a_loop
async def test_what_breaks_the_protocol_ends_the_connection(data: bytes, code: int) -> None:
    """After plain frames as before them."""
    async with raw_socket() as client:
        await client.send(ping(1), data)
        assert await client.end() == code
