"""A minimal WebSocket client, so that the measurement is of the server.

Frames are built once and masked with zeros, which the protocol allows a client that trusts its peer; what comes back is
cut into frames and handed over as bytes.
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Callable
from typing import cast


def frame(text: bytes) -> bytes:
    """A text frame, masked with zeros."""
    size = len(text)
    if size < 126:
        head = bytes((0x81, 0x80 | size))
    elif size < 65_536:
        head = bytes((0x81, 0xFE)) + size.to_bytes(2, "big")
    else:
        head = bytes((0x81, 0xFF)) + size.to_bytes(8, "big")
    return head + bytes(4) + text


class Socket(asyncio.Protocol):
    """One connection; `on_text` is called with every text frame."""

    def __init__(self, path: str, token: str, on_text: Callable[[Socket, bytes], None]) -> None:
        self._path, self._token = path, token
        self._on_text = on_text
        self._buffer = b""
        self._open = False
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the upgrade."""
        self.transport = cast(asyncio.Transport, transport)  # uvloop has its own transport class
        key = base64.b64encode(os.urandom(16)).decode()
        token = f"Authorization: Bearer {self._token}\r\n" if self._token else ""
        self.transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{token}\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Split the bytes received into frames."""
        buffer = self._buffer + data if self._buffer else data
        if not self._open:
            head, found, buffer = buffer.partition(b"\r\n\r\n")
            if not found:
                self._buffer = head
                return
            if b" 101 " not in head.partition(b"\r\n")[0]:
                self.ready.set_exception(ConnectionError(head.decode("latin-1") + buffer.decode("latin-1")))
                return
            self._open = True
            self.ready.set_result(None)
        place, end = 0, len(buffer)
        while end - place >= 2:
            size, begin = buffer[place + 1], place + 2
            if size == 126:
                if end - place < 4:
                    break
                size, begin = int.from_bytes(buffer[place + 2 : place + 4], "big"), place + 4
            elif size == 127:
                if end - place < 10:
                    break
                size, begin = int.from_bytes(buffer[place + 2 : place + 10], "big"), place + 10
            if end - begin < size:
                break
            opcode = buffer[place] & 0x0F
            text = buffer[begin : begin + size]
            place = begin + size
            if opcode == 1:
                self._on_text(self, text)
            elif opcode == 9:
                self.transport.write(bytes((0x8A, 0x80 | len(text))) + bytes(4) + text)
        self._buffer = buffer[place:]

    def connection_lost(self, error: Exception | None) -> None:
        """The server is gone."""
        if not self.ready.done():
            self.ready.set_exception(error or ConnectionError("the server closed the connection"))
        if not self.lost.done():
            self.lost.set_result(None)

    def send(self, text: bytes) -> None:
        """Send a frame."""
        self.transport.write(frame(text))


async def connect(port: int, path: str, token: str, on_text: Callable[[Socket, bytes], None]) -> Socket:
    """An open connection."""
    loop = asyncio.get_running_loop()
    _, socket = await loop.create_connection(lambda: Socket(path, token, on_text), "127.0.0.1", port)
    await socket.ready
    return socket
