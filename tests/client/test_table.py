"""A table of the client, against a server and against servers that misbehave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import msgspec
import pytest
from msgspec.structs import replace
from websockets.asyncio.server import ServerConnection, serve

from taisai.client import Change, Lost, Refused, Snapshot, Table
from taisai.client import table as tables
from taisai.core.fair import commitment_of, roll_from
from taisai.table import commands as c
from taisai.table.state import RoundPhase, TableState, snapshot_of, state_from
from taisai.view.public import public_view
from taisai.view.seat import seat_view
from tests.web.serving import Running, on_a_loop, open_house, quick_clock, settings_for

HELLO = '{"t":"hello","table":"T1","you":null,"mode":"dealer","now":0,"version":"0"}'


def snapshot(seq: int) -> str:
    """A snapshot with nothing on the felt."""
    view = {"round": {"phase": "betting", "number": 1}}
    return msgspec.json.encode({"t": "snapshot", "seq": seq, "view": view, "until": None, "now": 0}).decode()


def change(after: int, seq: int, **patch: object) -> str:
    """A change as a frame."""
    frame = {"t": "change", "after": after, "seq": seq, "patch": patch, "told": [], "until": None, "now": 0}
    return msgspec.json.encode(frame).decode()


@asynccontextmanager
async def false_house(handler: Callable[[ServerConnection], Awaitable[None]]) -> AsyncIterator[str]:
    """A server that says what the test wants."""
    async with serve(handler, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"http://127.0.0.1:{port}"


@on_a_loop
async def test_a_client_brings_its_own_part_to_virtual_dice() -> None:
    """Drawn here, one a round; it counts, the view shows it, and the player's history has all that proves the dice."""
    secret, (clock, hand) = bytes(32), quick_clock()
    demo = settings_for(demo=True)  # at a table for gaming this book refuses virtual dice
    (dealt,) = (each for each in demo.tables if each.name == "TS-A")
    async with open_house(replace(demo, tables=(dealt,)), clock=clock) as running:
        await running.hire("dan")
        ann = await running.seat("ann", "TS-A")
        dan = running.crew["dan"]
        await dan.do("TS-A", c.CommitDice(commitment_of(secret, "TS-A", 1)))
        async with ann.table() as table:
            await table.until_seq((await dan.do("TS-A", c.OpenBets(60_000))).seq)
            mine = table.contribution
            assert mine is not None
            await table.bet("small", 500)
            await table.bet("big", 500)
            assert table.contribution == mine
            hand.after(60_000_000)
            await dan.do("TS-A", c.CloseBets(secret.hex()))
            fixed = roll_from(secret, "TS-A", 1, [mine]).faces
            steps: tuple[c.Action, ...] = (c.Tumble(3), c.Uncover(fixed), c.Announce(), c.Collect())
            for step in steps:
                await dan.do("TS-A", step)
            if table.phase == "collected":
                await dan.do("TS-A", c.PayAll())
        (round_,) = await ann.my_rounds()
        assert (round_["commitment"], round_["opening"]) == (commitment_of(secret, "TS-A", 1), secret.hex())
        assert (round_["contribution"], round_["contributions"]) == (mine, [mine])


@on_a_loop
async def test_a_refusal_says_everything() -> None:
    """A refused bet carries code, sentence, clauses and what would be allowed, over the socket and over HTTP."""
    async with open_house() as running:
        await running.ready_table("T1")
        ann = await running.seat("ann")
        await running.crew["dan"].do("T1", c.OpenBets())
        found = []
        async with ann.table() as table:
            for asked in (table.bet("small", 10_100), ann.do("T1", c.PlaceBet("ann", "small", 10_100))):
                with pytest.raises(Refused) as refused:
                    await asked
                found.append(refused.value)
        over_socket, over_http = found
        assert over_socket.code == over_http.code == "over-maximum"
        assert over_socket.sentence == over_http.sentence
        assert over_socket.clauses == over_http.clauses != ()
        assert over_socket.allowed == over_http.allowed != ""
        assert (over_socket.status, over_http.status) == (0, 409)
        assert over_http.request


@on_a_loop
async def test_a_view_has_the_bet_when_bet_returns() -> None:
    """A bet is in the view when `bet` returns; another client's commands can be awaited by their record number."""
    async with open_house(gather_s=0.02) as running:
        await running.ready_table("T1")
        ann, dan = await running.seat("ann"), running.crew["dan"]
        async with ann.table() as table, dan.table("T1") as crew:
            assert (table.mode, table.you is not None and table.you.player) == ("dealer", "ann")
            done = await crew.do(c.OpenBets())
            await table.until_seq(done.seq)
            assert table.takes_bets
            assert table.round == 1
            await table.bet("small", 300)
            assert table.stakes == {"small": 300}
            assert table.funds == 19_700
            await table.withdraw("small", 100)
            assert table.stakes == {"small": 200}
            await table.withdraw("small")
            assert table.stakes == {}
            assert crew.crew["float"] == 580_000
            assert await table.ping() > 0


@on_a_loop
async def test_an_answer_knows_better_than_an_older_seat() -> None:
    """A seat update about an earlier record does not undo the balance that a later answer told."""

    async def house(socket: ServerConnection) -> None:
        await socket.send(HELLO)
        await socket.send(snapshot(5))
        await socket.recv()
        await socket.send('{"t":"done","id":"x","seq":7,"repeated":false,"funds":80}')
        await socket.send('{"t":"seat","seq":6,"seat":{"player":"ann","funds":90}}')
        await socket.send(change(5, 7))
        await socket.recv()
        await socket.send('{"t":"seat","seq":8,"seat":{"player":"ann","funds":70}}')
        await socket.send(change(7, 8))
        await socket.wait_closed()

    async with false_house(house) as address, Table(address, "T1", player="ann") as table:
        await table.do(c.PlaceBet("ann", "small", 20), command_id="x")
        await table.until_seq(7)
        assert table.funds == 80
        pinged = asyncio.create_task(table.ping())
        await table.until_seq(8)
        assert table.funds == 70
        pinged.cancel()


@on_a_loop
async def test_an_observer_watches() -> None:
    """An observer is sent the public view and its changes, and nothing else."""
    async with open_house() as running:
        await running.ready_table("T1")
        async with running.client.watch("T1") as table:
            first = await anext(table)
            assert isinstance(first, Snapshot)
            await running.crew["dan"].do("T1", c.OpenBets())
            second = await anext(table)
            assert isinstance(second, Change)
            assert len(second.told) == 1
            assert (table.seat, table.crew, table.you) == ({}, {}, None)


def with_names(running: Running, state: TableState) -> TableState:
    """A state as the doors of the house show it: with names in the place of ids."""
    return state_from(running.context.persons.named(snapshot_of(state)))


@on_a_loop
async def test_views_can_be_read_as_typed_values() -> None:
    """After a snapshot and patches the JSON views convert to the structs that the server encoded."""
    async with open_house(gather_s=0) as running:
        await running.ready_table("T1")
        ann, dan = await running.seat("ann"), running.crew["dan"]
        async with ann.table() as table, dan.table("T1") as crew:
            done = await crew.do(c.OpenBets())
            await table.until_seq(done.seq)
            await table.bet("small", 300)
            done = await crew.do(c.CloseBets())
            await table.until_seq(done.seq)
            state = with_names(running, running.context.floor.tables["T1"].state)
            assert table.public_view() == public_view(running.context.floor.tables["T1"].rules(), state)
            assert table.public_view().round.phase is RoundPhase.CLOSED
            assert table.seat_view() == seat_view(state, "ann")
            assert crew.crew_view().moves["close-bets"] is not None


@on_a_loop
async def test_a_gap_is_filled_by_a_snapshot() -> None:
    """A change that does not follow the last one is not applied; the client asks for a snapshot."""
    asked: list[str] = []

    async def house(socket: ServerConnection) -> None:
        for frame in (HELLO, snapshot(5), change(5, 6, lines=[]), change(8, 9, lines=["wrong"])):
            await socket.send(frame)
        asked.append(str(await socket.recv(decode=True)))
        await socket.send(snapshot(9))
        await socket.wait_closed()

    async with false_house(house) as address, Table(address, "T1") as table:
        await table.until_seq(9)
        assert asked == ['{"t":"watch","after":null}']
        assert "lines" not in table.view


@on_a_loop
async def test_a_reconnect_resumes_from_the_last_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a reconnect the client asks for what it missed, and repeats bets for the round that they were meant for."""
    monkeypatch.setattr(tables, "FIRST_WAIT_S", 0.01)
    paths: list[str] = []
    frames: list[str] = []

    async def house(socket: ServerConnection) -> None:
        assert socket.request is not None
        paths.append(socket.request.path)
        await socket.send(HELLO)
        if len(paths) == 1:
            await socket.send(snapshot(5))
        frames.append(str(await socket.recv(decode=True)))
        if len(paths) < 3:
            socket.transport.abort()
            return
        command_id = msgspec.json.decode(frames[-1])["id"]
        await socket.send(f'{{"t":"done","id":"{command_id}","seq":6,"repeated":true}}')
        await socket.wait_closed()

    async with false_house(house) as address, Table(address, "T1", player="ann") as table:
        done = await table.do(c.PlaceBet("ann", "small", 100))
        assert done.repeated
        assert paths == ["/play/T1", "/play/T1?after=5", "/play/T1?after=5"]
        first, *again = (msgspec.json.decode(frame) for frame in frames)
        assert first["round"] is None
        assert again == [{**first, "round": 1}] * 2
        assert table.connections == 3


@on_a_loop
async def test_reconnecting_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """When reconnecting fails for too long, every waiting command fails with `Lost` and the id to repeat."""
    monkeypatch.setattr(tables, "FIRST_WAIT_S", 0.01)
    got = asyncio.Event()

    async def house(socket: ServerConnection) -> None:
        await socket.send(HELLO)
        await socket.send(snapshot(5))
        await socket.recv()
        got.set()
        await socket.wait_closed()

    async with serve(house, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        table = Table(f"http://127.0.0.1:{port}", "T1", player="ann", patience_s=0.05)
        await table.__aenter__()
        asked = asyncio.create_task(table.do(c.OpenBets(), command_id="mine-1"))
        await got.wait()
    with pytest.raises(Lost) as lost:
        await asked
    assert lost.value.command_id == "mine-1"
    with pytest.raises(Lost):
        async for _ in table:
            pass
    with pytest.raises(Lost):
        await table.do(c.OpenBets())
    await table.close()


@on_a_loop
async def test_a_close_for_misbehaviour_is_final() -> None:
    """After a close for misbehaviour (1008) the client does not reconnect."""
    visits = 0

    async def house(socket: ServerConnection) -> None:
        nonlocal visits
        visits += 1
        await socket.send(HELLO)
        await socket.send(snapshot(5))
        await socket.close(1008)

    async with false_house(house) as address:
        table = await Table(address, "T1").__aenter__()
        with pytest.raises(Lost, match="ended the connection"):
            await table.until_seq(6)
        await table.close()
    assert visits == 1


@on_a_loop
async def test_an_unknown_message_is_an_error() -> None:
    """A message that no server sends ends the table with a clear error."""

    async def house(socket: ServerConnection) -> None:
        await socket.send('{"t":"welcome"}')
        await socket.wait_closed()

    async with false_house(house) as address:
        with pytest.raises(Lost, match="does not know"):
            await Table(address, "T1").__aenter__()


@on_a_loop
async def test_unread_messages_do_not_pile_up() -> None:
    """Unread messages are bounded, and the view is right all the same."""
    count = tables.MESSAGES_KEPT + 50

    async def house(socket: ServerConnection) -> None:
        await socket.send(HELLO)
        await socket.send(snapshot(0))
        for seq in range(count):
            await socket.send(change(seq, seq + 1, totals={"small": seq + 1}))
        await socket.wait_closed()

    async with false_house(house) as address, Table(address, "T1") as table:
        await table.until_seq(count)
        assert table.view["totals"] == {"small": count}
        assert len(table._messages) == tables.MESSAGES_KEPT


@on_a_loop
async def test_leaving_ends_the_stream() -> None:
    """After leaving, the stream ends, and a command in flight is lost with its id."""

    async def house(socket: ServerConnection) -> None:
        await socket.send(HELLO)
        await socket.send(snapshot(5))
        await socket.wait_closed()

    async with false_house(house) as address:
        async with Table(address, "T1") as table:
            asked = asyncio.create_task(table.do(c.OpenBets(), command_id="late"))
            pinged = asyncio.create_task(table.ping())
            await anext(table)
        with pytest.raises(Lost) as lost:
            await asked
        assert lost.value.command_id == "late"
        with pytest.raises(Lost):
            await pinged
        assert [message async for message in table] == []
