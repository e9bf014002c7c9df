"""A table's watchers: a snapshot at first, small changes after, and nobody waits for a slow one.

Enters: the durable states of a live table, one after the other. Leaves: frames, each built and encoded once for all.
What only moves chips is told a moment later, together with what else moved; all else is told at once.

A frame goes into the buffers of all connections without a task or a queue of their own. A connection whose buffer is
full is behind: it is told nothing until it has drained, then everything as a fresh snapshot; one that stays behind too
long is dropped. One that has seen more at another node waits until this node has read as much.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from taisai.floor.live import LiveTable
from taisai.table.events import Event
from taisai.table.people import PLAYERS, Person
from taisai.table.state import TableState
from taisai.view.table_view import crew_view, is_urgent, public_patch, public_view, seat_view, told
from taisai.web.socket.frames import Change, Crew, Seat, Snapshot, frame_of
from taisai.web.socket.transport import Line

GATHER_S: Final = 0.1
"""How long moved chips wait for others."""
OWN_S: Final = 0.4
"""How long what is for one alone (chips in hand, exposure, breaches) may lag behind moved chips: whoever moved them has
his chips in hand with the answer."""
CHANGES_KEPT: Final = 256
"""Changes kept for who comes back after a lost connection."""
AHEAD_S: Final = 5.0
"""How long somebody who comes from another node waits for this one to read what he has seen there; a node that was cut
off for a moment needs longer than one that is a notice behind."""
BEHIND_S: Final = 20.0
"""How long a connection may be behind before it is dropped."""

REPLIES_MAX: Final = 1_000
"""Answers that may wait for a slow client, unless the settings say otherwise; more, and it is dropped."""


class Connection:
    """One client's line, seen from a table."""

    __slots__ = (
        "_line", "_outbox", "_outbox_max", "_slow", "behind", "closed", "dropped", "is_trusted", "on_drained", "person",
        "player", "sent",
    )  # fmt: skip

    def __init__(self, line: Line, person: Person | None, player: str | None, *, outbox_max: int = REPLIES_MAX) -> None:
        self._line = line
        self._outbox_max = outbox_max
        self.person = person
        self.player = player
        self.behind = False
        """Something was not sent because the buffer was full."""
        self.closed = False
        self.sent = 0
        self.dropped: Callable[[], None] | None = None
        self.is_trusted: Callable[[], bool] | None = None
        """Whether the session behind it is still good: what is for one alone is told to nobody else."""
        self.on_drained: Callable[[Connection], None] | None = None
        self._outbox: list[bytes] = []
        self._slow: asyncio.TimerHandle | None = None
        line.drained = self._drained

    @property
    def busy(self) -> bool:
        """Its buffer is full."""
        return self._line.is_full

    def reply(self, frame: bytes) -> None:
        """Send an answer: it waits when the buffer is full, and is never left out while the client is there."""
        if not self._line.is_full:
            self.push(frame)
        elif len(self._outbox) < self._outbox_max:
            self._outbox.append(frame)
        else:
            self._let_go()

    def push(self, frame: bytes) -> bool:
        """Send a frame if the buffer takes it; false when it does not, or nobody is there."""
        if self.closed:
            return False
        line = self._line
        if line.is_full:
            self.behind = True
            return False
        if not line.write(frame):  # the client is gone; its reader ends by itself
            self.closed = True
            return False
        self.sent += 1
        if self._line.is_full and self._slow is None:
            self._slow = asyncio.get_running_loop().call_later(BEHIND_S, self._let_go)
        return True

    def over(self) -> None:
        """The client is gone."""
        self.closed = True
        self._line.drained = None
        if self._slow is not None:
            self._slow.cancel()
            self._slow = None

    def _let_go(self) -> None:
        """It reads too slowly."""
        self._slow = None
        if not self.closed:
            self.closed = True
            if self.dropped is not None:
                self.dropped()

    def _drained(self) -> None:
        """The buffer takes frames again: first the answers that wait, then the table afresh if it was left out."""
        if self._slow is not None:
            self._slow.cancel()
            self._slow = None
        waiting, self._outbox = self._outbox, []
        for place, frame in enumerate(waiting):
            if not self.push(frame):
                self._outbox = waiting[place:] + self._outbox
                return
        if self.behind and not self.closed and self.on_drained is not None:
            self.behind = False
            self.on_drained(self)


class Channel:
    """Everybody who watches one table."""

    def __init__(
        self,
        table: LiveTable,
        now: Callable[[], int],
        until: Callable[[TableState], dict[str, Any] | None],
        *,
        gather_s: float = GATHER_S,
    ) -> None:
        self.table = table
        self._now, self._until = now, until
        self._gather_s = gather_s
        self._watchers: set[Connection] = set()
        self._seats: dict[str, set[Connection]] = {}
        self._crew: set[Connection] = set()
        self._shown = table.state
        """The state that watchers have been told of."""
        self._events: list[Event] = []
        self._changes: deque[tuple[int, int, bytes]] = deque(maxlen=CHANGES_KEPT)
        self._snapshot: tuple[int, bytes] | None = None
        self._flushing: asyncio.Handle | None = None
        self._urgent = False
        self._own_later: asyncio.TimerHandle | None = None
        self._behind: set[str] = set()
        """Players whose own view has changed and was not told yet."""
        self._ahead: dict[Connection, tuple[int, asyncio.TimerHandle]] = {}
        """Those who have seen more of the table at another node than this one has read."""

    @property
    def watchers(self) -> int:
        """How many watch."""
        return len(self._watchers) + len(self._ahead)

    # ------------------------------------------------------------------ coming and going

    def join(self, connection: Connection, after: int | None) -> None:
        """Begin to tell a connection of the table: from where it left off, if that is still known.

        Who has seen more than this node has read, since another node writes the table, is told nothing older: it waits
        until this node has read as much, though not for long.
        """
        self._flush()
        if after is not None and after > self._shown.seq and not self.table.owned:
            waiting = asyncio.get_running_loop().call_later(AHEAD_S, self._welcome, connection, after)
            self._ahead[connection] = (after, waiting)
        else:
            self._welcome(connection, after)

    def _welcome(self, connection: Connection, after: int | None) -> None:
        self._ahead.pop(connection, None)
        self._watchers.add(connection)
        connection.on_drained = self._resync
        if connection.player is not None:
            self._seats.setdefault(connection.player, set()).add(connection)
        elif connection.person is not None and connection.person.role not in PLAYERS:
            self._crew.add(connection)
        if not self._continue(connection, after):
            connection.push(self._snapshot_frame())
        self._tell_privately(connection)

    def leave(self, connection: Connection) -> None:
        """Tell a connection nothing more."""
        self._watchers.discard(connection)
        if connection in self._ahead:
            self._ahead.pop(connection)[1].cancel()
        self._crew.discard(connection)
        if connection.player is not None:
            mine = self._seats.get(connection.player)
            if mine is not None:
                mine.discard(connection)
                if not mine:
                    del self._seats[connection.player]

    def notice(self, frame: bytes) -> None:
        """Tell everybody the same."""
        for connection in [*self._watchers, *self._ahead]:
            connection.push(frame)

    def _continue(self, connection: Connection, after: int | None) -> bool:
        if after is None:
            return False
        seq = self._shown.seq
        if after == seq:
            return True
        missed = [(begin, frame) for begin, end, frame in self._changes if end > after]
        if not missed or missed[0][0] != after:
            return False
        return all(connection.push(frame) for _, frame in missed)

    def _resync(self, connection: Connection) -> None:
        """A slow connection has drained: all of it, afresh."""
        if connection in self._watchers:
            connection.push(self._snapshot_frame())
            self._tell_privately(connection)

    # ------------------------------------------------------------------ changes

    def changed(self, events: tuple[Event, ...]) -> None:
        """The table has a new durable state."""
        if not (self._watchers or self._ahead):
            self._shown = self.table.state
            self._changes.clear()
            return
        self._events.extend(events)
        urgent = not events or is_urgent(events)
        if self._flushing is None or (urgent and not self._urgent):
            if self._flushing is not None:
                self._flushing.cancel()
            loop = asyncio.get_running_loop()
            self._urgent = urgent
            self._flushing = loop.call_soon(self._flush) if urgent else loop.call_later(self._gather_s, self._flush)

    def _flush(self) -> None:
        if self._flushing is not None:
            self._flushing.cancel()
            self._flushing = None
        state, before = self.table.state, self._shown
        if state is before:
            return
        self._shown = state
        events, self._events = self._events, []
        patch = public_patch(self.table.rules(), before, state)
        change = Change(before.seq, state.seq, patch, told(events), self._until(state), self._now())
        frame = frame_of(change)
        self._changes.append((before.seq, state.seq, frame))
        gone = [connection for connection in self._watchers if not connection.push(frame) and connection.closed]
        for connection in gone:
            self.leave(connection)
        for connection, (after, waiting) in list(self._ahead.items()):
            if after <= state.seq:
                waiting.cancel()
                self._welcome(connection, after)
        self._behind.update(self._touched(before, state))
        if self._urgent:
            self._tell_own()
        elif (self._crew or self._behind) and self._own_later is None:
            self._own_later = asyncio.get_running_loop().call_later(OWN_S, self._tell_own)

    def _tell_own(self) -> None:
        """Tell players and crew what is for them alone."""
        if self._own_later is not None:
            self._own_later.cancel()
            self._own_later = None
        behind, self._behind = self._behind, set()
        for player in behind:
            for connection in self._seats.get(player, ()):
                self._tell_privately(connection)
        for connection in self._crew:
            self._tell_privately(connection)

    def _touched(self, before: TableState, after: TableState) -> list[str]:
        """Players whose own view may have changed."""
        if before.round.phase is not after.round.phase or before.history is not after.history:
            return list(self._seats)
        return [
            player
            for player in self._seats
            if before.funds(player) != after.funds(player)
            or before.players.get(player) is not after.players.get(player)
        ]

    def _tell_privately(self, connection: Connection) -> None:
        state = self._shown
        if connection.is_trusted is not None and not connection.is_trusted():
            return
        if connection.player is not None:
            connection.push(frame_of(Seat(state.seq, seat_view(state, connection.player))))
        elif connection.person is not None and connection in self._crew:
            connection.push(frame_of(Crew(state.seq, crew_view(self.table.rules(), state, connection.person))))

    def _snapshot_frame(self) -> bytes:
        state = self._shown
        if self._snapshot is None or self._snapshot[0] != state.seq:
            view = public_view(self.table.rules(), state)
            frame = frame_of(Snapshot(state.seq, view, self._until(state), self._now()))
            self._snapshot = (state.seq, frame)
        return self._snapshot[1]
