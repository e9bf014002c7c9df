"""The direct transport: uvicorn's WebSocket, with a way past ASGI for the messages that come often.

Enters: bytes of a connection. Leaves: its messages, each passed to the reader as it arrives; frames, written to the
connection at once. ASGI puts a queue, a task and two system calls (reading is paused and resumed for each message)
between a message and its reader. Here all of that is skipped once a socket is served, and so is the parser when the
bytes are exactly one plain text frame. The handshake, pings, fragments, the close and every violation of the protocol
stay with uvicorn and websockets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import apply_mask  # type: ignore[attr-defined]  # the C version where there is one
from websockets.protocol import State

from taisai.web.socket.frames import received_text
from taisai.web.socket.transport import EXTENSION


class DirectSocket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket class, extended to be a `Transport`."""

    on_drained: Callable[[], None] | None = None
    on_lost: Callable[[], None] | None = None
    """Called when the connection has ended."""
    is_full = False
    _on_text: Callable[[bytes], None] | None = None
    """The reader; while there is none, messages go through ASGI."""
    _is_between = True
    """Whether the parser has been given whole messages only, so that the next byte begins a frame."""

    def data_received(self, data: bytes) -> None:
        """Handle bytes of the client: nearly always one whole text frame, of which only the mask must be removed."""
        if self._is_between and self.handshake_initiated:
            on_text = self._on_text
            text = None if on_text is None or len(data) > self.config.ws_max_size else plain_text(data)
            if on_text is not None and text is not None and self.conn.state is State.OPEN:
                on_text(text)
                return
            self._is_between = is_whole(data)
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended."""
        super().connection_lost(exc)
        if self.on_lost is not None:
            self.on_lost()

    async def run_asgi(self) -> None:
        """Call the application, with this socket as the transport that its scope offers."""
        extensions = cast(dict[str, Any], self.scope["extensions"])
        extensions[EXTENSION] = self
        await super().run_asgi()

    def send_receive_event_to_app(self) -> None:
        """Pass on a message that the parser has put together."""
        on_text = self._on_text
        if on_text is None:
            super().send_receive_event_to_app()
            return
        frames, self.frames = self.frames, []
        if not self.close_sent:
            on_text(bytes(frames[0]) if len(frames) == 1 else b"".join(frames))

    def pause_writing(self) -> None:
        """The buffer is above its mark."""
        super().pause_writing()
        self.is_full = True

    def resume_writing(self) -> None:
        """The buffer has drained."""
        super().resume_writing()
        self.is_full = False
        if self.on_drained is not None:
            self.on_drained()

    def write(self, frame: bytes) -> bool:
        """Put a frame into the buffer of the connection."""
        if self.conn.state is not State.OPEN or self.disconnected:
            return False
        self.transport.write(frame)
        return True

    async def serve(self, on_text: Callable[[bytes], None]) -> None:
        """Pass on what arrived before this call, by ASGI; afterwards only the disconnect comes that way."""
        self._on_text = on_text
        try:
            while (message := await self.receive())["type"] == "websocket.receive":
                on_text(received_text(cast(dict[str, Any], message)))
        finally:
            self._on_text = None

    async def close(self, code: int) -> None:
        """Send a close once the buffer takes it."""
        await self.send({"type": "websocket.close", "code": code})

    def abort(self) -> None:
        """Reset the connection."""
        self.transport.abort()


def plain_text(data: bytes) -> bytes | None:
    """The text, if the bytes are exactly one masked, unfragmented text frame (RFC 6455 §5.2); otherwise None."""
    size = len(data)
    if size < 6 or data[0] != 0x81:
        return None
    length, begin = data[1] - 0x80, 6
    if length == 126 and size >= 8:
        length, begin = int.from_bytes(data[2:4], "big"), 8
    if size != begin + length or not 0 <= length < 65_536:
        return None
    return apply_mask(data[begin:], data[begin - 4 : begin])


def is_whole(data: bytes) -> bool:
    """Whether bytes that begin with a frame consist of whole frames, none of them a fragment of a longer message."""
    place, size = 0, len(data)
    while place < size:
        if size < place + 2 or data[place] < 0x81:
            return False
        length, head = data[place + 1] & 0x7F, 6
        if length > 125:
            wide = 2 if length == 126 else 8
            length, head = int.from_bytes(data[place + 2 : place + 2 + wide], "big"), 6 + wide
        place += head + length
    return place == size
