"""A subscriber: one client as the server sends to it.

Enters: frames. Leaves: the same frames in the transport's buffer, without a task or a queue of their own. While the
buffer is full, frames of the feed are left out (a snapshot follows when it has drained) and answers wait. A client
that stays behind for too long, or lets too many answers wait, is dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from taisai.table.people import Person
from taisai.web.socket.transport import Transport

BEHIND_S: Final = 20.0
"""How long a buffer may stay full before the client is dropped."""
REPLIES_MAX: Final = 1_000
"""Answers that may wait for a slow client, unless the settings say otherwise."""


class Subscriber:
    """The sending side of one client's connection, and who the client is."""

    __slots__ = (
        "_late", "_replies", "_replies_max", "_transport", "closed", "is_behind", "is_trusted", "on_drained", "person",
        "player",
    )  # fmt: skip

    def __init__(
        self, transport: Transport, person: Person | None, player: str | None, *, replies_max: int = REPLIES_MAX
    ) -> None:
        self._transport = transport
        self._replies_max = replies_max
        self.person = person
        self.player = player
        self.closed = False
        self.is_behind = False
        """A frame was left out because the buffer was full."""
        self.is_trusted: Callable[[], bool] | None = None
        """Whether the session is still valid and unlocked; private views are sent only while it is."""
        self.on_drained: Callable[[Subscriber], None] | None = None
        """Called when a subscriber that was behind has drained, and needs a snapshot."""
        self._replies: list[bytes] = []
        """Answers that wait for the buffer to drain."""
        self._late: asyncio.TimerHandle | None = None
        transport.on_drained = self._drained

    def reply(self, frame: bytes) -> None:
        """Send an answer; when the buffer is full it waits, and is never left out while the client is connected."""
        if not self._transport.is_full:
            self.push(frame)
        elif len(self._replies) < self._replies_max:
            self._replies.append(frame)
        else:
            self._drop()

    def push(self, frame: bytes) -> bool:
        """Send a frame unless the buffer is full; false when it was left out or the client is gone."""
        if self.closed:
            return False
        transport = self._transport
        if transport.is_full:
            self.is_behind = True
            return False
        if not transport.write(frame):  # the client is gone; `serve` returns by itself
            self.closed = True
            return False
        if self._transport.is_full and self._late is None:
            self._late = asyncio.get_running_loop().call_later(BEHIND_S, self._drop)
        return True

    def end(self) -> None:
        """The connection has ended."""
        self.closed = True
        self._transport.on_drained = None
        self._cancel_timer()

    def _drop(self) -> None:
        """Abort: a closing handshake would wait behind everything that the client does not read."""
        self._cancel_timer()
        if not self.closed:
            self.closed = True
            self._transport.abort()

    def _cancel_timer(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _drained(self) -> None:
        """Send the answers that wait, then have the feed send a snapshot in place of what was left out."""
        self._cancel_timer()
        waiting, self._replies = self._replies, []
        for place, frame in enumerate(waiting):
            if not self.push(frame):
                self._replies = waiting[place:]
                return
        if self.is_behind and not self.closed and self.on_drained is not None:
            self.is_behind = False
            self.on_drained(self)
