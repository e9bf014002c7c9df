"""The plain transport: ASGI's `receive` and `send` alone, for any server.

Enters: messages that the server received, and frames to send. Leaves: each message to its reader, each frame to the
server, in order. `send` waits while the server's own buffer is full, so frames queue here meanwhile; the queue is the
buffer that `is_full` speaks of. ASGI has no way to abort a connection: when `serve` returns, the application returns,
and the server ends the connection in its own way.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Final

from starlette.types import Receive, Send

from taisai.web.socket.frames import received_text, text_in

LOGGER = logging.getLogger("taisai.web")
HIGH_BYTES: Final = 65_536
"""Above this the queue is full; the marks are those of an asyncio transport."""
LOW_BYTES: Final = 16_384
"""A full queue accepts frames again from here down."""


class PlainTransport:
    """A `Transport` over ASGI."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self.on_drained: Callable[[], None] | None = None
        self.is_full = False
        self._queue: deque[bytes] = deque()
        self._queued_bytes = 0
        self._is_over = False
        """Nothing more is written: the client is gone, or the connection is being closed."""
        self._reading: asyncio.Task[None] | None = None
        self._writing: asyncio.Task[None] | None = None
        """Runs only while the queue has frames, so an idle client costs no second task."""

    def write(self, frame: bytes) -> bool:
        """Queue a frame."""
        if self._is_over:
            return False
        self._queue.append(frame)
        self._queued_bytes += len(frame)
        self.is_full = self.is_full or self._queued_bytes > HIGH_BYTES
        if self._writing is None:
            self._writing = asyncio.get_running_loop().create_task(self._write())
        return True

    async def _write(self) -> None:
        try:
            while self._queue:
                frame = self._queue.popleft()
                await self._send({"type": "websocket.send", "text": text_in(frame).decode()})
                self._queued_bytes -= len(frame)
                if self.is_full and self._queued_bytes <= LOW_BYTES:
                    self.is_full = False
                    if self.on_drained is not None:
                        self.on_drained()
        except Exception as error:  # servers differ in what they raise once the client is gone
            LOGGER.debug("a frame could not be sent: %s", error)
            self._is_over = True
        finally:
            self._writing = None

    async def serve(self, on_text: Callable[[bytes], None]) -> None:
        """Read until the client is gone or `abort` is called."""
        if self._is_over:
            return
        reading = self._reading = asyncio.get_running_loop().create_task(self._read(on_text))
        try:
            await asyncio.wait({reading})  # the reader has a task of its own, which `abort` can cancel
            if not reading.cancelled():
                reading.result()
        finally:
            self.abort()

    async def _read(self, on_text: Callable[[bytes], None]) -> None:
        while (message := await self._receive())["type"] == "websocket.receive":
            on_text(received_text(message))

    async def close(self, code: int) -> None:
        """Send what is queued, then the close."""
        self._is_over = True
        if self._writing is not None:
            await asyncio.wait({self._writing})
        await self._send({"type": "websocket.close", "code": code})
        self.abort()

    def abort(self) -> None:
        """Drop the queue and let `serve` return."""
        self._is_over = True
        self._queue.clear()
        for task in (self._reading, self._writing):
            if task is not None:
                task.cancel()
