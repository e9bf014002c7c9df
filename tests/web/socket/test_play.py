"""Frames that nobody should send, clients that do not read, connections that end: the table goes on."""

from __future__ import annotations

import asyncio
import contextlib
import socket as sockets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from taisai.client import Refused, Session
from taisai.client.view import merged
from taisai.core.rulebook import VoidReason
from taisai.floor.live import LiveTable
from taisai.table import commands as c
from taisai.table.events import Event
from taisai.table.people import Person, Role
from taisai.web.socket import feed as channels
from taisai.web.socket.feed import Channel, Connection
from taisai.web.socket.frames import Pong, frame_of
from tests.web.serving import ROOMY, Running, on_a_loop, open_house, settings_for, shelf

Frame = dict[str, Any]


@asynccontextmanager
async def raw(running: Running, table: str, who: Session | None, after: int | str | None = None) -> AsyncIterator[Raw]:
    """A play socket without the client around it."""
    headers = {} if who is None else {"authorization": f"Bearer {who.token}"}
    query = "" if after is None else f"?after={after}"
    url = f"ws{running.address.removeprefix('http')}/play/{table}{query}"
    async with connect(url, additional_headers=headers, compression=None, proxy=None) as socket:
        yield Raw(socket)


class Raw:
    """Frames as they are."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def send(self, *frames: str | bytes | Frame) -> None:
        """Send frames as they are."""
        for frame in frames:
            await self.socket.send(frame if isinstance(frame, (str, bytes)) else msgspec.json.encode(frame).decode())

    async def next(self, *kinds: str) -> Frame:
        """The next frame of one of these kinds."""
        while True:
            found: Frame = msgspec.json.decode(await self.socket.recv())
            if found["t"] in kinds:
                return found

    async def until_pong(self, number: int = 7) -> list[Frame]:
        """Everything up to the answer of a ping sent now."""
        await self.send({"t": "ping", "n": number})
        found: list[Frame] = []
        while True:
            frame = msgspec.json.decode(await self.socket.recv())
            if frame["t"] == "pong" and frame["n"] == number:
                return found
            found.append(frame)

    async def until_end(self) -> tuple[list[Frame], int | None]:
        """Everything up to the end of the connection, and the code that the house gave for it."""
        found: list[Frame] = []
        try:
            while True:
                found.append(msgspec.json.decode(await self.socket.recv()))
        except ConnectionClosed as ended:
            return found, None if ended.rcvd is None else ended.rcvd.code

    async def refused(self, frame: str | bytes | Frame) -> Frame:
        """The refusal that a frame gets."""
        await self.send(frame)
        return await self.next("refused")


def bet(command_id: str, player: str = "ann", box: str = "small", amount: int = 100) -> Frame:
    """A bet as a frame."""
    return {"t": "do", "id": command_id, "do": {"do": "place-bet", "player": player, "box": box, "amount": amount}}


@asynccontextmanager
async def betting(settings: Any = None) -> AsyncIterator[tuple[Running, Session, Session]]:
    """A house with one open table, ann and bob in their seats, and bets open."""
    async with open_house(settings) as running:
        await running.ready_table("T1")
        ann, bob = await running.seat("ann"), await running.seat("bob")
        await running.crew["dan"].do("T1", c.OpenBets())
        yield running, ann, bob


def without_nulls(value: Any) -> Any:
    """A view as patches know it: what is null is not there."""
    if isinstance(value, dict):
        return {name: without_nulls(inner) for name, inner in value.items() if inner is not None}
    return value


async def goes_on(running: Running, who: Session) -> None:
    """The table still takes a bet, and says so."""
    before = (await running.client.look_at("T1")).seq
    async with who.table() as table:
        assert (await table.bet("big", 100)).seq > before


JUNK: dict[str, tuple[str | bytes, str, str]] = {
    "nothing": ("", "bad-message", ""),
    "words": ("open sesame", "bad-message", ""),
    "half a frame": ('{"t": "do", "id": "x1"', "bad-message", ""),
    "bytes": (b"\xff\xfe\x00\x01", "bad-message", ""),
    "a list": ("[1, 2, 3]", "bad-message", ""),
    "no kind": ("{}", "bad-message", ""),
    "an unknown kind": ('{"t": "become-dealer"}', "bad-message", "t"),
    "a server's kind": ('{"t": "done", "id": "x", "seq": 1}', "bad-message", "t"),
    "no id": ('{"t": "do", "do": {"do": "open-bets"}}', "bad-message", ""),
    "an empty id": ('{"t": "do", "id": "", "do": {"do": "open-bets"}}', "bad-message", "id"),
    "an id too long": ('{"t": "do", "id": "%s", "do": {"do": "open-bets"}}' % ("x" * 65), "bad-message", "id"),
    "an unknown action": ('{"t": "do", "id": "x", "do": {"do": "win"}}', "bad-message", "do.do"),
    "a field too many": ('{"t": "do", "id": "x", "do": {"do": "open-bets"}, "by": "sue"}', "bad-message", ""),
    "a negative bet": (msgspec.json.encode(bet("x", amount=-5)), "bad-message", "do.amount"),
    "a bet of half": ('{"t":"do","id":"x","do":{"do":"place-bet","player":"ann","box":"small","amount":0.5}}',
                      "bad-message", "do.amount"),
    "a name with a line": (msgspec.json.encode(bet("x", player="ann\n")), "bad-message", "do.player"),
    "deep lists": ("[" * 10_000, "bad-message", ""),
    "deep in a field": ('{"t":"do","id":"x","do":' + '{"do":' * 2_000 + "1" + "}" * 2_001, "bad-message", ""),
    "oversize": (msgspec.json.encode({"t": "ping", "n": 1, "x": "y" * 20_000}), "too-large", ""),
}  # fmt: skip


@on_a_loop
async def test_junk_is_refused_with_a_word() -> None:
    """A frame that cannot be read is refused in the one shape, and the next one is served."""
    async with betting() as (running, ann, _):
        for n, (what, (frame, code, field)) in enumerate(JUNK.items()):
            async with raw(running, "T1", ann) as mine:
                found = await mine.refused(frame)
                assert (what, found["code"]) == (what, code)
                assert set(found) == {"t", "id", "code", "sentence", "clauses", "allowed", "field"}
                assert found["sentence"], what
                assert found["field"] == field or not field, what
                await mine.send(bet(f"good-{n}"))
                assert (await mine.next("done"))["id"] == f"good-{n}"


@on_a_loop
async def test_the_id_of_a_wrong_frame_comes_back() -> None:
    """Who sends something wrong is told which of his commands it was."""
    async with betting() as (running, ann, _), raw(running, "T1", ann) as mine:
        found = await mine.refused({"t": "do", "id": "mine-9", "do": {"do": "win"}})
        assert found["id"] == "mine-9"


@on_a_loop
async def test_a_client_that_keeps_on_is_dropped() -> None:
    """After twenty frames that cannot be read the connection ends; the table does not."""
    async with betting() as (running, ann, bob):
        async with raw(running, "T1", ann) as mine:
            await mine.send(*["junk"] * 21)
            frames, code = await mine.until_end()
            assert code == 1008
            assert [frame["t"] for frame in frames].count("refused") == 21
        await goes_on(running, bob)


@on_a_loop
async def test_a_huge_frame_ends_the_connection() -> None:
    """A frame far over the limit is not even read to its end."""
    async with betting() as (running, ann, bob):
        async with raw(running, "T1", ann) as mine:
            with contextlib.suppress(ConnectionClosed):
                await mine.send("x" * 1_000_000)
            assert (await mine.until_end())[1] in (1009, None)
        await goes_on(running, bob)


@on_a_loop
async def test_a_flood_is_refused_and_then_dropped() -> None:
    """More messages than a client may send are refused as too fast; one that goes on is dropped, others play."""
    limits = replace(ROOMY, commands_per_second=1, commands_burst=30)
    async with betting(settings_for(limits=limits)) as (running, ann, bob):
        async with raw(running, "T1", ann) as mine:
            await mine.send(*[bet(f"flood-{n}") for n in range(51)])
            answers, code = await mine.until_end()
            assert code == 1008
        codes = [each["code"] for each in answers if each["t"] == "refused"]
        assert codes.count("too-fast") >= 20
        await goes_on(running, bob)
        crew = (await running.crew["dan"].crew("T1"))["crew"]
        assert crew["funds"]["ann"] >= 20_000 - 31 * 100


@on_a_loop
async def test_wrong_order_is_refused_by_the_book() -> None:
    """A dealer's steps out of order are refused with what would be allowed, and nothing is recorded."""
    async with betting() as (running, _, _bob):
        async with raw(running, "T1", running.crew["dan"]) as dealer:
            before = (await running.client.look_at("T1")).seq
            for step in (
                {"do": "uncover", "dice": [1, 2, 3]},
                {"do": "announce"},
                {"do": "collect"},
                {"do": "pay-all"},
                {"do": "open-bets"},
            ):
                found = await dealer.refused({"t": "do", "id": f"early-{step['do']}", "do": step})
                assert found["code"] in {"wrong-step", "round-in-play"}, found
        assert (await running.client.look_at("T1")).seq == before


@on_a_loop
async def test_nobody_moves_another_seats_chips() -> None:
    """A player's bets, withdrawals and leaving are his own: whatever names another is refused."""
    async with betting() as (running, ann, bob):
        async with ann.table() as table:
            await table.bet("small", 500)
        async with raw(running, "T1", bob) as thief:
            for n, do in enumerate(
                (
                    {"do": "place-bet", "player": "ann", "box": "small", "amount": 100},
                    {"do": "withdraw-bet", "player": "ann", "box": "small"},
                    {"do": "leave-table", "player": "ann"},
                    {"do": "cash-out", "player": "bob", "amount": 100},
                    {"do": "buy-in", "player": "bob", "amount": 100_000},
                    {"do": "close-bets"},
                    {"do": "walk-away", "player": "ann"},
                )
            ):
                found = await thief.refused({"t": "do", "id": f"theft-{n}", "do": do})
                assert found["code"] == "not-yours-to-do", found
        now = await running.client.look_at("T1")
        assert now.view["stakes"] == {"ann": {"small": 500}}


@on_a_loop
async def test_a_seat_is_good_for_one_table() -> None:
    """At another table a player only watches, and so does a dealer who has no post there."""
    async with betting() as (running, ann, _):
        await running.ready_table("T2")
        await running.crew["dan"].do("T2", c.OpenBets())
        await running.hire("kim", tables=("T1",))
        for who, do in ((ann, bet("x-1")), (running.crew["kim"], {"t": "do", "id": "x-2", "do": {"do": "close-bets"}})):
            async with raw(running, "T2", who) as socket:
                assert (await socket.next("hello"))["you"] is None
                assert (await socket.refused(do))["code"] == "not-here"
        async with raw(running, "T2", None) as socket:
            assert (await socket.refused(bet("x-3")))["code"] == "not-signed-in"
        view = (await running.client.look_at("T2")).view
        assert view["stakes"] == {}
        assert view["round"]["phase"] == "betting"


@on_a_loop
async def test_a_repeated_id_is_answered_and_done_once() -> None:
    """The same id again gives the first answer, marked as repeated; somebody else's id is refused."""
    async with betting() as (running, ann, bob):
        async with raw(running, "T1", ann) as mine:
            await mine.send(bet("once"))
            first = await mine.next("done")
            assert not first["repeated"]
            await mine.send(bet("once"), bet("once"))
            for _ in range(2):
                again = await mine.next("done")
                assert (again["seq"], again["repeated"]) == (first["seq"], True)
        async with raw(running, "T1", bob) as other:
            assert (await other.refused(bet("once", player="bob")))["code"] == "id-taken"
        assert (await running.client.look_at("T1")).view["stakes"] == {"ann": {"small": 100}}


@on_a_loop
async def test_repeats_that_come_together_are_done_once() -> None:
    """The same bet twice in one breath, before the first is on disk: one bet, two answers."""
    async with betting() as (running, ann, _), raw(running, "T1", ann) as mine:
        await mine.send(*[bet("twin")] * 5)
        answers = [await mine.next("done") for _ in range(5)]
        assert [each["repeated"] for each in answers].count(False) == 1
        assert len({each["seq"] for each in answers}) == 1
        assert (await running.client.look_at("T1")).view["stakes"] == {"ann": {"small": 100}}


@on_a_loop
async def test_a_disconnect_cancels_no_bet() -> None:
    """A cut connection changes nothing: the bet stands, is settled and paid."""
    async with betting() as (running, ann, _):
        async with ann.table() as table:
            await table.bet("small", 500)
            table._socket.transport.abort()  # type: ignore[union-attr]  # there is one: a bet was just answered
        dan = running.crew["dan"]
        for step in (c.CloseBets(), c.Tumble(3), c.Uncover((1, 2, 4)), c.Announce(), c.Collect(), c.PayAll()):
            await dan.do("T1", step)
        async with ann.table() as table:
            async for _ in table:
                if table.funds:
                    break
            assert table.funds == 20_500


@on_a_loop
async def test_a_reconnect_gets_exactly_what_it_missed() -> None:
    """From `after` on come the changes since, in order and without a gap, and they give the view of today."""
    async with betting() as (running, ann, bob), raw(running, "T1", bob) as watcher:
        async with raw(running, "T1", ann) as first:
            view = (await first.next("snapshot"))["view"]
            seen = (await running.client.look_at("T1")).seq
        async with bob.table() as table:
            for box in ("big", "total:9", "single:3"):
                await table.bet(box, 100)
        last = (await running.client.look_at("T1")).seq
        assert last == seen + 3
        await watcher.until_pong()
        async with raw(running, "T1", ann, after=seen) as again:
            frames = await again.until_pong()
        assert "snapshot" not in [frame["t"] for frame in frames]
        at = seen
        for change in (frame for frame in frames if frame["t"] == "change"):
            assert change["after"] == at
            at = change["seq"]
            view = merged(view, change["patch"])
        assert at == last
        today = (await running.client.look_at("T1")).view
        assert without_nulls(view) == without_nulls(today)


@on_a_loop
async def test_a_reconnect_from_nowhere_gets_a_snapshot() -> None:
    """A number that the house cannot continue from is answered with the whole table."""
    async with betting() as (running, ann, _):
        for after in ("0", "3", "999999", "-1", "x", "9" * 30):
            async with raw(running, "T1", ann, after=after) as mine:
                assert (await mine.next("snapshot", "change"))["t"] == "snapshot", after


@on_a_loop
async def test_watch_begins_again() -> None:
    """Who lost count asks for the whole table in the same connection."""
    async with betting() as (running, ann, _), raw(running, "T1", ann) as mine:
        seq = (await mine.next("snapshot"))["seq"]
        await mine.send({"t": "watch"})
        assert (await mine.next("snapshot"))["seq"] == seq
        await mine.send({"t": "watch", "after": seq})
        assert [each["t"] for each in await mine.until_pong()] == ["seat", "seat"]


# ------------------------------------------------------------------ clients that do not read


class Pipe:
    """A client's buffer: open, or full until somebody reads."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.is_full = False
        self.takes_one = False
        """Full after one frame more."""
        self.heard: Callable[[bytes], None] | None = None
        self.drained: Callable[[], None] | None = None

    def write(self, frame: bytes) -> bool:
        """What the server calls."""
        self.frames.append(msgspec.json.decode(text_in(frame)))
        self.is_full = self.takes_one
        return True

    def cut(self) -> None:
        """Nobody is cut off here."""

    def read(self) -> None:
        """All of it is read."""
        self.is_full = self.takes_one = False
        if self.drained is not None:
            self.drained()


def text_in(frame: bytes) -> bytes:
    """The text of a frame of a server."""
    return frame[{126: 4, 127: 10}.get(frame[1], 2) :]


def watching(table: LiveTable, *pipes: Pipe) -> tuple[Channel, list[Connection]]:
    """Clients at a channel of their own."""
    channel = Channel(table, lambda: 0, lambda _state: None, gather_s=0)
    connections = [Connection(pipe, Person("ann", Role.PLAYER), "ann") for pipe in pipes]
    for connection in connections:
        channel.join(connection, None)
    return channel, connections


@on_a_loop
async def test_a_slow_client_is_sent_a_snapshot_when_it_reads_again() -> None:
    """While a buffer is full nothing is queued for it; the others hear everything; then it gets the table afresh."""
    async with betting() as (running, _, bob):
        table = running.context.floor.tables["T1"]
        slow, quick = Pipe(), Pipe()
        channel, (lagging, _) = watching(table, slow, quick)
        running.context.floor.listen(lambda changed, events: channel.changed(events) if changed is table else None)
        slow.takes_one = True
        async with bob.table() as play:
            for _ in range(5):
                await play.bet("big", 100)
                await asyncio.sleep(0)
        assert [frame["t"] for frame in slow.frames] == ["snapshot", "seat", "change"]
        assert [lagging.behind, lagging.busy] == [True, True]
        assert quick.frames[-1]["seq"] == table.state.seq
        lagging.reply(frame_of(Pong(1, 0)))
        slow.read()
        assert [frame["t"] for frame in slow.frames[3:]] == ["pong", "snapshot", "seat"]
        assert slow.frames[-2]["seq"] == table.state.seq


@on_a_loop
async def test_who_has_seen_more_at_another_node_is_told_nothing_older(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node that follows has him wait until it has read as much; who claims what never comes waits for a moment."""
    async with betting() as (running, _, bob):
        floor = running.context.floor

        def tell(_table: LiveTable, events: tuple[Event, ...]) -> None:
            channel.changed(events)

        follower = LiveTable("T1", floor.writer, shelf().book, tell, owned=False)
        channel = Channel(follower, lambda: 0, lambda _state: None, gather_s=0)
        async with bob.table() as play:
            seen = [(await play.bet("big", 100)).seq for _ in range(3)]
        assert follower.state.seq < seen[0]
        ahead, absurd, leaving = Pipe(), Pipe(), Pipe()
        monkeypatch.setattr(channels, "AHEAD_S", 60.0)
        stays, leaves = (Connection(pipe, Person("ann", Role.PLAYER), "ann") for pipe in (ahead, leaving))
        channel.join(stays, seen[1])
        channel.join(leaves, seen[1])
        channel.leave(leaves)
        assert (ahead.frames, channel.watchers) == ([], 1)
        for record in floor.writer.journal.read("T1", follower.state.seq):
            follower.follow(record)
        while not ahead.frames or ahead.frames[-1]["t"] != "seat":
            await asyncio.sleep(0)
        assert [(frame["t"], frame["seq"]) for frame in ahead.frames] == [("snapshot", seen[2]), ("seat", seen[2])]
        monkeypatch.setattr(channels, "AHEAD_S", 0.01)
        channel.join(Connection(absurd, None, None), 1_000_000)
        assert absurd.frames == []
        while not absurd.frames:
            await asyncio.sleep(0)
        assert absurd.frames[0]["t"] == "snapshot"
        assert leaving.frames == []


@on_a_loop
async def test_a_client_that_never_reads_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A buffer that stays full for too long ends the connection."""
    monkeypatch.setattr(channels, "BEHIND_S", 0.01)
    async with betting() as (running, _, bob):
        slow = Pipe()
        channel, (connection,) = watching(running.context.floor.tables["T1"], slow)
        dropped = asyncio.Event()
        connection.dropped = dropped.set
        slow.takes_one = True
        assert connection.push(frame_of(Pong(1, 0)))
        await dropped.wait()
        assert connection.closed
        assert not connection.push(frame_of(Pong(2, 0)))
        await goes_on(running, bob)
        channel.leave(connection)
        assert channel.watchers == 0


@on_a_loop
async def test_answers_do_not_pile_up_for_a_client_that_never_reads() -> None:
    """So many answers wait, then the client is let go of."""
    slow = Pipe()
    connection = Connection(slow, None, None)
    dropped: list[bool] = []
    connection.dropped = lambda: dropped.append(True)
    slow.takes_one = True
    for n in range(channels.REPLIES_MAX + 2):
        connection.reply(frame_of(Pong(n, 0)))
    assert dropped == [True]
    assert connection.closed
    slow.read()
    assert len(slow.frames) == 1


@on_a_loop
async def test_one_who_never_reads_does_not_hold_up_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A real socket that asks for much and reads nothing: others bet as before, and it is cut off."""
    monkeypatch.setattr(channels, "BEHIND_S", 0.3)
    async with betting() as (running, ann, bob):
        where = urlsplit(running.address)
        silent = sockets.socket()
        silent.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
        silent.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(silent, (where.hostname, where.port))
        url = f"ws://{where.netloc}/play/T1"
        headers = {"authorization": f"Bearer {ann.token}"}
        socket = await connect(url, sock=silent, additional_headers=headers, compression=None, max_queue=1)
        table = running.context.channel("T1")
        async with bob.table() as play:
            (connection,) = [each for each in table._watchers if each.player == "ann"]
            for _ in range(200):
                for _ in range(20):
                    await socket.send('{"t":"watch"}')
                await play.bet("big", 100) if play.funds > 15_000 else await play.withdraw("big")
                if connection.busy:
                    break
            assert connection.busy, "its buffers never filled"
            for _ in range(20):
                await asyncio.wait_for(play.bet("total:9", 100), 5)
            assert len(connection._outbox) <= channels.REPLIES_MAX
            while not connection.closed:
                await play.ping()
            assert (await Raw(socket).until_end())[1] is None
            assert connection not in table._watchers
            await play.bet("total:9", 100)


@on_a_loop
async def test_the_client_repeats_after_a_lost_connection() -> None:
    """Connections cut at random moments under bets: each bet is there once, and the view is the house's."""
    async with betting() as (running, ann, _), ann.table() as table:
        made = 0
        for n in range(30):
            asked = asyncio.create_task(table.do(c.PlaceBet("ann", "small", 100)))
            if n % 3 == 0:
                await table.drop()
            await asked
            made += 100
        assert table.connections > 3
        last = (await running.client.look_at("T1")).seq
        await table.until_seq(last)
        assert table.stakes == {"small": made}
        with pytest.raises(Refused, match="over-maximum"):
            await table.bet("small", 10_000)


TO_THE_NEXT_ROUND: tuple[c.Action, ...] = (
    c.CloseBets(), c.Tumble(3), c.Uncover((1, 5, 6)), c.Announce(), c.Collect(), c.OpenBets()
)  # fmt: skip


@on_a_loop
async def test_what_is_for_a_round_does_not_fall_into_another() -> None:
    """A late bet, a void that took too long: refused, over socket and HTTP; an id that stood is answered as before."""
    async with betting() as (running, ann, _), raw(running, "T1", ann) as late:
        dan = running.crew["dan"]
        first = (await running.client.look_at("T1")).view["round"]["number"]
        await late.send({**bet("c1"), "round": first})
        stood = await late.next("done")
        for do in TO_THE_NEXT_ROUND:
            await dan.do("T1", do, of_round=first)
        assert (await late.refused({**bet("c2"), "round": first}))["code"] == "round-over"
        with pytest.raises(Refused, match="round-over: This was meant for round 1; the table has round 2"):
            await dan.do("T1", c.VoidRound(VoidReason.NOT_FLAT), of_round=first)
        await late.send({**bet("c1"), "round": first})
        assert (await late.next("done"))["seq"] == stood["seq"]
        await late.send({**bet("c2"), "round": first + 1})
        assert not (await late.next("done"))["repeated"]


@on_a_loop
async def test_a_bet_that_is_repeated_is_of_the_round_in_which_it_was_made() -> None:
    """A bet that was lost on the way and goes out again in the next round is refused there, and lies on no felt."""
    async with betting() as (running, ann, _), ann.table() as table:
        socket, table._socket = table._socket, None  # the line takes nothing any more
        assert socket is not None
        asked = asyncio.create_task(table.bet("small", 100))
        while not table._asked:
            await asyncio.sleep(0)
        dan = running.crew["dan"]
        for do in TO_THE_NEXT_ROUND:
            await dan.do("T1", do)
        socket.transport.abort()
        with pytest.raises(Refused, match="round-over"):
            await asked
        assert (await running.client.look_at("T1")).view["stakes"] == {}
