"""The line to one client: uvicorn's WebSocket with a short way past ASGI for what comes often.

Enters: bytes of a connection. Leaves: its frames, each handed to `heard` as it comes; and frames into its buffer,
written at once. ASGI puts a queue, a task and two system calls (reading is paused for every message and begun again)
between a frame and its reader. Here they are left out once a socket has a reader, and so is the parser for what is
exactly one plain text; all else (the handshake, pings, parts, the end, whatever is wrong) is uvicorn's and websockets'.

A frame is made once for all who are sent it. A buffer that is full says so; nobody waits for it here.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from struct import pack
from typing import Any, Final, Protocol, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import apply_mask  # type: ignore[attr-defined]  # the one in C where there is one
from websockets.protocol import State

EXTENSION: Final = "taisai.line"
"""Where a scope names the line of its socket."""


class Line(Protocol):
    """The way to one client."""

    heard: Callable[[bytes], None] | None
    """Who is told of every frame; while there is nobody they come by ASGI."""
    drained: Callable[[], None] | None
    """Who is told that a buffer that was full takes frames again."""

    @property
    def is_full(self) -> bool:
        """Whether the buffer has taken as much as it should."""
        ...

    def write(self, frame: bytes) -> bool:
        """Put a frame into the buffer, however full; false when nobody is there."""
        ...

    def cut(self) -> None:
        """End it at once, and forget what is in the buffer."""
        ...


class LineSocket(WebSocketsSansIOProtocol):
    """A socket of uvicorn that is a `Line`."""

    heard: Callable[[bytes], None] | None = None
    drained: Callable[[], None] | None = None
    is_full = False
    _is_between = True
    """Whether everything that the protocol was given so far were whole messages."""

    def data_received(self, data: bytes) -> None:
        """Something has come: nearly always one whole text, which needs no more than its mask taken off."""
        if self._is_between and self.handshake_initiated:
            heard = self.heard
            text = None if heard is None or len(data) > self.config.ws_max_size else plain_text(data)
            if heard is not None and text is not None and self.conn.state is State.OPEN:
                heard(text)
                return
            self._is_between = is_whole(data)
        super().data_received(data)

    async def run_asgi(self) -> None:
        """Serve the connection: the scope names its line."""
        extensions = cast(dict[str, Any], self.scope["extensions"])
        extensions[EXTENSION] = self
        await super().run_asgi()

    def send_receive_event_to_app(self) -> None:
        """A whole message has come."""
        heard = self.heard
        if heard is None:
            super().send_receive_event_to_app()
            return
        frames, self.frames = self.frames, []
        if not self.close_sent:
            heard(bytes(frames[0]) if len(frames) == 1 else b"".join(frames))

    def pause_writing(self) -> None:
        """The buffer is full."""
        super().pause_writing()
        self.is_full = True

    def resume_writing(self) -> None:
        """The buffer has drained."""
        super().resume_writing()
        self.is_full = False
        if self.drained is not None:
            self.drained()

    def write(self, frame: bytes) -> bool:
        """Put a frame into the buffer."""
        if self.conn.state is not State.OPEN or self.disconnected:
            return False
        self.transport.write(frame)
        return True

    def cut(self) -> None:
        """End it without a word."""
        self.transport.abort()


def plain_text(data: bytes) -> bytes | None:
    """The text, if this is exactly one masked text frame in one piece (RFC 6455 §5.2); None for all else."""
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
    """Whether bytes that begin with a frame are frames to their end, none of them a part of a longer message."""
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


def line_of(scope: MutableMapping[str, Any]) -> Line:
    """The line of a socket."""
    return cast(Line, scope["extensions"][EXTENSION])


def text_frame(text: bytes) -> bytes:
    """A text as a server sends it (RFC 6455 §5.2): unmasked, in one piece."""
    size = len(text)
    if size < 126:
        return _SHORT[size] + text
    head = pack("!BBH", 0x81, 126, size) if size < 65_536 else pack("!BBQ", 0x81, 127, size)
    return head + text


_SHORT: Final = tuple(bytes((0x81, size)) for size in range(126))
