"""The seam between sockets and servers: a `Transport` carries whole messages between the house and one client.

Enters: the scope, `receive` and `send` of a WebSocket. Leaves: the transport that its server offers. There are two:
`direct` bypasses ASGI on uvicorn, and `plain` uses nothing but ASGI's `receive` and `send`, so it runs on any server.

No transport waits for a client. A frame goes into a buffer at once; a buffer above its mark says so (`is_full`), and
the caller decides what to leave out until `on_drained`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol, cast

from starlette.types import Receive, Scope, Send

from taisai.web.socket.plain import PlainTransport

EXTENSION: Final = "taisai.transport"
"""The scope extension under which a server offers a transport of its own."""


class Transport(Protocol):
    """The connection to one client, after the handshake."""

    on_drained: Callable[[], None] | None
    """Called when a buffer that was full accepts frames again."""

    @property
    def is_full(self) -> bool:
        """Whether the buffer is above its mark."""
        ...

    def write(self, frame: bytes) -> bool:
        """Put a frame (see `frames`) into the buffer, even above its mark; false when the client is gone."""
        ...

    async def serve(self, on_text: Callable[[bytes], None]) -> None:
        """Pass every message of the client to `on_text`; return when the connection has ended."""
        ...

    async def close(self, code: int) -> None:
        """Send what is buffered, then close with this code; waits for a client that does not read."""
        ...

    def abort(self) -> None:
        """End the connection at once and drop what is buffered."""
        ...


def transport_of(scope: Scope, receive: Receive, send: Send) -> Transport:
    """Choose the transport of a socket: the one its server offers, or plain ASGI."""
    offered = (scope.get("extensions") or {}).get(EXTENSION)
    return PlainTransport(receive, send) if offered is None else cast(Transport, offered)
