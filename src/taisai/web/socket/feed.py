"""A table's feed: a snapshot first, small changes afterwards, and nobody waits for a slow subscriber.

Enters: the durable states of a live table, one after the other. Leaves: frames, each built and encoded once for all
subscribers. Moved chips are gathered for a moment; every other change is sent at once. What belongs to one person
(chips in hand, exposure, breaches) follows in frames of their own.

A client whose `after` is ahead of this node's replicated seq is parked up to 5 s, so reads stay monotonic.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from taisai.floor.dealer import Countdown
from taisai.floor.live import LiveTable
from taisai.protocol.messages import Change, CrewUpdate, SeatUpdate, Snapshot, Until
from taisai.table.events import Event
from taisai.table.people import PLAYERS, Person, Role
from taisai.table.state import TableState
from taisai.view.crew import crew_view
from taisai.view.patch import public_patch
from taisai.view.public import is_urgent, public_events, public_view
from taisai.view.seat import seat_view
from taisai.web.socket.frames import frame_of
from taisai.web.socket.subscriber import Subscriber

GATHER_S: Final = 0.1
"""How long moved chips are gathered before they are sent."""
PRIVATE_S: Final = 0.4
"""How long private views may lag behind moved chips: whoever moved them has their new balance with the answer."""
CHANGES_KEPT: Final = 256
"""Changes kept for clients that reconnect."""
PARKED_S: Final = 5.0
"""How long a client may be parked; a node that was cut off for a moment needs longer than one that is a notice late."""


def until_of(countdown: Countdown | None) -> Until | None:
    """What an automatic dealer does next, as it is sent."""
    return None if countdown is None else Until(countdown.what, countdown.until)


class Feed:
    """Sends one table to its subscribers."""

    def __init__(
        self,
        table: LiveTable,
        now: Callable[[], int],
        until: Callable[[TableState], Countdown | None],
        *,
        named: Callable[[bytes], bytes] | None = None,
        gather_s: float = GATHER_S,
    ) -> None:
        self.table = table
        self._now, self._until = now, until
        self._named = named
        """Puts the names of persons in the place of their ids."""
        self._gather_s = gather_s
        self._subscribers: set[Subscriber] = set()
        self._by_player: dict[str, set[Subscriber]] = {}
        self._crew: set[Subscriber] = set()
        self._parked: dict[Subscriber, tuple[int, asyncio.TimerHandle]] = {}
        """Clients that have seen more of the table at another node, by the seq that they have seen."""
        self._sent = table.state
        """The state that subscribers have been sent."""
        self._sent_rules = table.rules()
        self._events: list[Event] = []
        """What has happened since."""
        self._changes: deque[tuple[int, int, bytes]] = deque(maxlen=CHANGES_KEPT)
        """The last frames, each with the seq before and after it."""
        self._snapshot: tuple[int, bytes] | None = None
        self._crew_frames: tuple[int, dict[Role, bytes]] = (-1, {})
        self._flushing: asyncio.Handle | None = None
        self._is_urgent = False
        self._private_later: asyncio.TimerHandle | None = None
        self._stale: set[str] = set()
        """Players whose private view has changed and was not sent yet."""

    @property
    def subscriber_count(self) -> int:
        """How many clients watch the table, parked ones included."""
        return len(self._subscribers) + len(self._parked)

    # ------------------------------------------------------------------ joining and leaving

    def join(self, subscriber: Subscriber, after: int | None) -> None:
        """Send the table to a client: the changes after this seq if they are still kept, otherwise a snapshot."""
        self._flush()
        if after is not None and after > self._sent.seq and not self.table.owned:
            timer = asyncio.get_running_loop().call_later(PARKED_S, self._admit, subscriber, after)
            self._parked[subscriber] = (after, timer)
        else:
            self._admit(subscriber, after)

    def _admit(self, subscriber: Subscriber, after: int | None) -> None:
        self._parked.pop(subscriber, None)
        self._subscribers.add(subscriber)
        subscriber.on_drained = self._resync
        if subscriber.player is not None:
            self._by_player.setdefault(subscriber.player, set()).add(subscriber)
        elif subscriber.person is not None and subscriber.person.role not in PLAYERS:
            self._crew.add(subscriber)
        if not self._catch_up(subscriber, after):
            subscriber.push(self._snapshot_frame())
        self._send_private_view(subscriber)

    def leave(self, subscriber: Subscriber) -> None:
        """Send a client nothing more."""
        self._subscribers.discard(subscriber)
        if subscriber in self._parked:
            self._parked.pop(subscriber)[1].cancel()
        self._crew.discard(subscriber)
        if subscriber.player is not None:
            same_player = self._by_player.get(subscriber.player)
            if same_player is not None:
                same_player.discard(subscriber)
                if not same_player:
                    del self._by_player[subscriber.player]

    def broadcast(self, frame: bytes) -> None:
        """Send the same frame to everybody."""
        for subscriber in [*self._subscribers, *self._parked]:
            subscriber.push(frame)

    def _catch_up(self, subscriber: Subscriber, after: int | None) -> bool:
        """Send the changes that a client has missed; false when they are not all kept."""
        if after is None:
            return False
        if after == self._sent.seq:
            return True
        missed = [(begin, frame) for begin, end, frame in self._changes if end > after]
        if not missed or missed[0][0] != after:
            return False
        return all(subscriber.push(frame) for _, frame in missed)

    def _resync(self, subscriber: Subscriber) -> None:
        """A slow subscriber has drained: a snapshot replaces what was left out."""
        if subscriber in self._subscribers:
            subscriber.push(self._snapshot_frame())
            self._send_private_view(subscriber)

    def show_again(self) -> None:
        """Send everybody a snapshot: somebody is shown by another name than before."""
        self._snapshot, self._crew_frames = None, (-1, {})
        self._changes.clear()
        for subscriber in list(self._subscribers):
            self._resync(subscriber)

    # ------------------------------------------------------------------ changes

    def changed(self, events: tuple[Event, ...]) -> None:
        """The table has a new durable state."""
        if not (self._subscribers or self._parked):
            self._sent = self.table.state
            self._changes.clear()
            return
        self._events.extend(events)
        urgent = not events or is_urgent(events)
        if self._flushing is None or (urgent and not self._is_urgent):
            if self._flushing is not None:
                self._flushing.cancel()
            loop = asyncio.get_running_loop()
            self._is_urgent = urgent
            self._flushing = loop.call_soon(self._flush) if urgent else loop.call_later(self._gather_s, self._flush)

    def _flush(self) -> None:
        if self._flushing is not None:
            self._flushing.cancel()
            self._flushing = None
        state, before = self.table.state, self._sent
        if state is before:
            return
        self._sent = state
        events, self._events = self._events, []
        rules, rules_before = self.table.rules(), self._sent_rules
        self._sent_rules = rules
        patch = public_patch(rules, before, state, rules_before)
        change = Change(before.seq, state.seq, patch, public_events(events), until_of(self._until(state)), self._now())
        frame = frame_of(change, self._named)
        self._changes.append((before.seq, state.seq, frame))
        gone = [subscriber for subscriber in self._subscribers if not subscriber.push(frame) and subscriber.closed]
        for subscriber in gone:
            self.leave(subscriber)
        for subscriber, (after, timer) in list(self._parked.items()):
            if after <= state.seq:
                timer.cancel()
                self._admit(subscriber, after)
        self._stale.update(self._players_changed(before, state))
        if self._is_urgent:
            self._send_private_views()
        elif (self._crew or self._stale) and self._private_later is None:
            self._private_later = asyncio.get_running_loop().call_later(PRIVATE_S, self._send_private_views)

    def _players_changed(self, before: TableState, after: TableState) -> list[str]:
        """Connected players whose private view may have changed."""
        if before.round.phase is not after.round.phase or before.history is not after.history:
            return list(self._by_player)
        return [
            player
            for player in self._by_player
            if before.funds(player) != after.funds(player)
            or before.players.get(player) is not after.players.get(player)
        ]

    def _send_private_views(self) -> None:
        """Send the crew and the players whose view has changed their private views."""
        if self._private_later is not None:
            self._private_later.cancel()
            self._private_later = None
        stale, self._stale = self._stale, set()
        for player in stale:
            for subscriber in self._by_player.get(player, ()):
                self._send_private_view(subscriber)
        for subscriber in self._crew:
            self._send_private_view(subscriber)

    def _send_private_view(self, subscriber: Subscriber) -> None:
        state = self._sent
        if subscriber.is_trusted is not None and not subscriber.is_trusted():
            return
        if subscriber.player is not None:
            subscriber.push(frame_of(SeatUpdate(state.seq, seat_view(state, subscriber.player)), self._named))
        elif subscriber.person is not None and subscriber in self._crew:
            subscriber.push(self._crew_frame(state, subscriber.person))

    def _crew_frame(self, state: TableState, person: Person) -> bytes:
        """The crew's view, made once for all who have the same role: it depends on nothing else of a person."""
        if self._crew_frames[0] != state.seq:
            self._crew_frames = (state.seq, {})
        frames = self._crew_frames[1]
        if person.role not in frames:
            view = crew_view(self.table.rules(), state, person)
            frames[person.role] = frame_of(CrewUpdate(state.seq, view), self._named)
        return frames[person.role]

    def _snapshot_frame(self) -> bytes:
        state = self._sent
        if self._snapshot is None or self._snapshot[0] != state.seq:
            view = public_view(self.table.rules(), state)
            frame = frame_of(Snapshot(state.seq, view, until_of(self._until(state)), self._now()), self._named)
            self._snapshot = (state.seq, frame)
        return self._snapshot[1]
