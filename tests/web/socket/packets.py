"""Texts, frames and bare sockets for the tests of what goes over the wire."""

from __future__ import annotations

import asyncio
import socket as sockets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from hypothesis import strategies as st
from websockets.frames import Frame, Opcode


class Long(bytes):
    """Many bytes that are shown in a word."""

    def __repr__(self) -> str:
        return f"{len(self)} bytes"


texts = st.one_of(st.binary(max_size=300), st.sampled_from([125, 126, 127, 65_535, 65_536, 70_000]).map(Long))


def masked(text: bytes, opcode: Opcode = Opcode.TEXT, *, fin: bool = True) -> bytes:
    """A frame as a client sends it."""
    return Frame(opcode, text, fin=fin).serialize(mask=True)


class RawSocket:
    """A client that sends bytes in the packets it is told to."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, *pieces: bytes) -> None:
        """Send each piece in a packet of its own."""
        self.writer.get_extra_info("socket").setsockopt(sockets.IPPROTO_TCP, sockets.TCP_NODELAY, 1)
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()

    async def next(self) -> tuple[int, bytes]:
        """The next frame: its first byte, and its content."""
        first, size = await self.reader.readexactly(2)
        if size == 126:
            size = int.from_bytes(await self.reader.readexactly(2), "big")
        return first, await self.reader.readexactly(size)

    async def texts(self, count: int) -> list[bytes]:
        """The next so many texts, whatever else comes."""
        found: list[bytes] = []
        while len(found) < count:
            first, text = await self.next()
            if first == 0x81:
                found.append(text)
        return found

    async def close_code(self) -> int:
        """The code that the server closes with."""
        while True:
            first, text = await self.next()
            if first == 0x88:
                return int.from_bytes(text[:2], "big")


@asynccontextmanager
async def raw_socket(address: str, path: str = "/") -> AsyncIterator[RawSocket]:
    """A socket to a server, after the handshake."""
    where = urlsplit(address)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    asked = (
        f"GET {path} HTTP/1.1", f"Host: {where.netloc}", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13", "", "",
    )  # fmt: skip
    writer.write("\r\n".join(asked).encode())
    assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
    try:
        yield RawSocket(reader, writer)
    finally:
        writer.close()
