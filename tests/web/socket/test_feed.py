"""A table's feed: who is sent what, in which frames, and when."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from taisai.client import merged
from taisai.floor.floor import Floor
from taisai.floor.live import LiveTable
from taisai.journal import MemoryJournal
from taisai.protocol.messages import Notice, Pong
from taisai.table import commands as c
from taisai.table.events import Event
from taisai.table.people import Person, Role
from taisai.web.socket import feed as feeds
from taisai.web.socket.feed import Feed
from taisai.web.socket.frames import frame_of
from taisai.web.socket.subscriber import Subscriber
from tests.floor.gated import SHELF, bet, betting, command, floor_on
from tests.web.serving import on_a_loop
from tests.web.socket.clients import Pipe

P1 = Person("p1", Role.PLAYER)
DEALER = Person("dan", Role.DEALER)
SLOW_S = 3_600.0
"""Longer than any test: what is gathered so long is not sent."""


class Watched:
    """A table where bets are open, with a feed."""

    def __init__(self, floor: Floor, table: LiveTable, gather_s: float) -> None:
        self.floor, self.table = floor, table
        self.feed = Feed(table, lambda: 0, lambda _state: None, gather_s=gather_s)
        self._number = 1_000
        floor.listen(lambda _table, events: self.feed.changed(events))

    def join(self, person: Person | None = P1, after: int | None = None) -> tuple[Pipe, Subscriber]:
        """Have a client watch the table."""
        pipe = Pipe()
        player = person.id if person is not None and person.role is Role.PLAYER else None
        subscriber = Subscriber(pipe, person, player)
        self.feed.join(subscriber, after)
        return pipe, subscriber

    async def bet(self, player: str = "p2", amount: int = 100) -> int:
        """Have a player bet; the seq after it."""
        self._number += 1
        answer = await self.floor.do("T", bet(self._number, player, "big", amount))
        assert answer.refusal is None
        return answer.seq

    async def do(self, action: c.Action) -> int:
        """Have the dealer do something; the seq after it."""
        self._number += 1
        answer = await self.floor.do("T", command(self._number, action))
        assert answer.refusal is None
        await asyncio.sleep(0)
        return answer.seq


@asynccontextmanager
async def watched(gather_s: float = 0) -> AsyncIterator[Watched]:
    """A floor with one table where bets are open."""
    floor = await floor_on(MemoryJournal())
    try:
        yield Watched(floor, await betting(floor), gather_s)
    finally:
        await floor.stop()


async def until(pipe: Pipe, seq: int, kind: str = "change") -> None:
    """Until a client has been sent a frame of this kind that reaches this seq."""
    while not any(frame["t"] == kind and frame["seq"] >= seq for frame in pipe.frames):
        await asyncio.sleep(0)


def kinds(pipe: Pipe) -> list[str]:
    """The kinds of everything that a client has been sent."""
    return [frame["t"] for frame in pipe.frames]


@on_a_loop
async def test_a_snapshot_comes_first_and_the_private_view_after_it() -> None:
    """A player is sent the table and their seat, a dealer the table and the crew's part, an observer the table."""
    async with watched() as here:
        for person, expected in ((P1, ["snapshot", "seat"]), (DEALER, ["snapshot", "crew"]), (None, ["snapshot"])):
            pipe, _ = here.join(person)
            assert kinds(pipe) == expected
            assert pipe.frames[0]["seq"] == here.table.state.seq
        assert here.feed.subscriber_count == 3


@on_a_loop
async def test_moved_chips_are_gathered_and_everything_else_is_sent_at_once() -> None:
    """Bets wait to be sent together; the close is sent at once, with the bets before it in the same change."""
    async with watched(gather_s=SLOW_S) as here:
        pipe, _ = here.join(None)
        before = here.table.state.seq
        for _ in range(3):
            await here.bet()
        assert kinds(pipe) == ["snapshot"]
        seq = await here.do(c.CloseBets())
        await until(pipe, seq)
        assert [(frame["after"], frame["seq"]) for frame in pipe.frames[1:]] == [(before, seq)]


@on_a_loop
async def test_changes_add_up_to_the_view() -> None:
    """The snapshot and the patches after it give what a later snapshot shows."""
    async with watched() as here:
        early, _ = here.join(None)
        for _ in range(4):
            await until(early, await here.bet())
        late, _ = here.join(None)
        view = early.frames[0]["view"]
        for change in early.frames[1:]:
            view = merged(view, change["patch"])
        assert view["stakes"] == late.frames[0]["view"]["stakes"] == {"p2": {"big": 400}}


@on_a_loop
async def test_a_client_that_comes_back_is_sent_what_it_missed() -> None:
    """From a seq that is still kept come the changes since; from another one a snapshot."""
    async with watched() as here:
        first, subscriber = here.join(None)
        seen = here.table.state.seq
        here.feed.leave(subscriber)
        other, _ = here.join(None)
        for _ in range(3):
            await until(other, await here.bet())
        again, _ = here.join(None, after=seen)
        assert again.frames == other.frames[1:]
        for after in (0, seen - 1, 10**6):
            unknown, _ = here.join(None, after=after)
            assert kinds(unknown) == ["snapshot"], after
        current, _ = here.join(None, after=here.table.state.seq)
        assert current.frames == []
        assert kinds(first) == ["snapshot"]


@on_a_loop
async def test_a_private_view_is_sent_to_its_player_and_only_while_the_session_is_trusted() -> None:
    """What changes a player's chips is followed by their seat, unless their session has ended or is locked."""
    async with watched() as here:
        mine, _ = here.join(P1)
        locked, subscriber = here.join(P1)
        other, _ = here.join(Person("p2", Role.PLAYER))
        subscriber.is_trusted = lambda: False
        for pipe in (mine, locked, other):
            pipe.frames.clear()
        await here.bet("p1")
        seq = await here.do(c.BuyIn("p1", 100_000))
        await until(mine, seq, "seat")
        assert mine.frames[-1]["seat"]["funds"] == 1_000_000 - 100 + 100_000
        assert set(kinds(locked)) == set(kinds(other)) == {"change"}


@on_a_loop
async def test_nothing_is_built_for_a_table_that_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without subscribers a change costs no patch, and nothing is kept for a reconnect."""
    async with watched() as here:
        monkeypatch.setattr(feeds, "public_patch", None)
        seq = here.table.state.seq
        await here.bet()
        pipe, _ = here.join(None, after=seq)
        assert kinds(pipe) == ["snapshot"]


@on_a_loop
async def test_a_slow_client_is_sent_a_snapshot_when_it_reads_again() -> None:
    """While a buffer is full nothing is queued for it, and others are sent everything; then it gets a snapshot."""
    async with watched() as here:
        slow, lagging = here.join(P1)
        quick, _ = here.join(P1)
        slow.takes_one = True
        for _ in range(5):
            await until(quick, await here.bet())
        assert kinds(slow) == ["snapshot", "seat", "change"]
        assert (lagging.is_behind, slow.is_full) == (True, True)
        lagging.reply(frame_of(Pong(1, 0)))
        slow.read()
        assert kinds(slow)[3:] == ["pong", "snapshot", "seat"]
        assert slow.frames[-2]["seq"] == here.table.state.seq
        assert not lagging.is_behind


@on_a_loop
async def test_a_client_that_is_gone_leaves_the_feed() -> None:
    """Whoever cannot be written to any more is not written to again."""
    async with watched() as here:
        pipe, subscriber = here.join(None)
        other, _ = here.join(None)
        subscriber.end()
        await until(other, await here.bet())
        assert here.feed.subscriber_count == 1
        assert kinds(pipe) == ["snapshot"]


@on_a_loop
async def test_a_client_ahead_of_this_node_is_parked(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a node that follows, a client that has seen more waits for it, is sent nothing older, and not for ever."""
    async with watched() as here:
        floor = here.floor

        def changed(_table: LiveTable, events: tuple[Event, ...]) -> None:
            feed.changed(events)

        follower = LiveTable("T", floor.writer, SHELF.book, changed, owned=False)
        feed = Feed(follower, lambda: 0, lambda _state: None, gather_s=0)
        seen = [await here.bet() for _ in range(3)]
        assert follower.state.seq < seen[0]
        ahead, absurd, leaving = Pipe(), Pipe(), Pipe()
        monkeypatch.setattr(feeds, "PARKED_S", SLOW_S)
        stays, leaves = (Subscriber(pipe, P1, "p1") for pipe in (ahead, leaving))
        feed.join(stays, seen[1])
        feed.join(leaves, seen[1])
        feed.leave(leaves)
        assert (ahead.frames, feed.subscriber_count) == ([], 1)
        feed.broadcast(frame_of(Notice("closing", "The house is closing.")))
        assert kinds(ahead) == ["notice"]
        for record in floor.writer.journal.read("T", follower.state.seq):
            follower.follow(record)
        await until(ahead, seen[2], "seat")
        assert [(frame["t"], frame["seq"]) for frame in ahead.frames[1:]] == [("snapshot", seen[2]), ("seat", seen[2])]
        monkeypatch.setattr(feeds, "PARKED_S", 0.01)
        feed.join(Subscriber(absurd, None, None), 1_000_000)
        assert absurd.frames == []
        await until(absurd, seen[2], "snapshot")
        assert leaving.frames == []
