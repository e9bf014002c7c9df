"""What nodes say to each other: other versions are understood, and one that does not answer is given up."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from starlette.datastructures import Headers
from starlette.types import Message
from websockets.asyncio.server import ServerConnection, serve

from taisai.books import open_shelf
from taisai.floor.answers import Answer
from taisai.floor.floor import Floor
from taisai.floor.nodes import LATE_S, LEASE_S, NODE, Nodes
from taisai.journal import Batch, NewRecord, open_journal
from taisai.journal.postgres.journal import PostgresJournal
from taisai.table import commands as c
from taisai.table.people import Person, Role
from taisai.table.state import TablePhase
from taisai.web.context import Context
from taisai.web.socket import peers as peers_module
from taisai.web.socket.peers import VERSION, Peers, serve_peer
from taisai.web.socket.plain import PlainTransport
from tests.postgres import journal_url
from tests.streams.keeper import TableKeeper
from tests.web.floor_process import settings_for
from tests.web.serving import on_a_loop

BET = c.Command(id="c1", at=1, by=Person("ann", Role.PLAYER), do=c.PlaceBet("ann", "small", 100), round=3)


def _node(url: str, address: str) -> tuple[Floor, Nodes]:
    """A floor that is one node among others on a journal; nothing of it is started yet."""
    floor = Floor(open_shelf(environment={}).book, lambda: open_journal(url))
    floor.nodes = nodes = Nodes(floor, address, Peers(""), lambda: open_journal(url))
    return floor, nodes


async def _heard(*frames: dict[str, Any]) -> tuple[list[c.Command], list[dict[str, Any]], Message]:
    """What a node carries out, answers and says at the beginning, when another one sends these frames."""
    done: list[c.Command] = []

    def submit_here(_table: object, command: c.Command, reply: Any) -> None:
        done.append(command)
        reply(Answer(7))

    table = SimpleNamespace(owned=True, state=SimpleNamespace(at=5))
    floor = SimpleNamespace(nodes=object(), tables={"T1": table}, submit_here=submit_here)
    house: Any = SimpleNamespace(
        settings=SimpleNamespace(node=SimpleNamespace(secret="between us")),
        floor=floor, clock=SimpleNamespace(now=lambda: 9), peers=SimpleNamespace(version="1.0.0"),
    )  # fmt: skip
    texts = [json.dumps(frame) for frame in frames]
    sent: list[Message] = []

    async def receive() -> Message:
        await asyncio.sleep(0)
        return {"type": "websocket.receive", "text": texts.pop(0)} if texts else {"type": "websocket.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = Headers({"authorization": "Bearer between us", VERSION: "2.0.0"})
    assert await serve_peer(house, headers, PlainTransport(receive, send), send)
    return done, [json.loads(each["text"]) for each in sent[1:]], sent[0]


def _handed(number: int, command: c.Command, **more: Any) -> dict[str, Any]:
    plain = {**msgspec.to_builtins(command), **more}
    return {"n": number, "table": "T1", "command": plain, "of_the_future": True}


@on_a_loop
async def test_fields_of_a_newer_version_are_left_alone() -> None:
    """A message with more fields than are known is carried out, at the time of the node that writes."""
    done, answers, _ = await _heard(_handed(1, BET, mood="good"))
    assert done == [msgspec.structs.replace(BET, at=9)]
    assert answers == [{"n": 1, "seq": 7, "fault": None, "repeated": False}]


@on_a_loop
async def test_an_action_that_is_not_known_is_refused_and_the_next_carried_out() -> None:
    """What an action says must be known to the last field; who does not know it says so, and goes on."""
    tipping = _handed(1, BET)
    tipping["command"]["do"] = {"do": "tip", "player": "ann"}
    more = _handed(2, BET)
    more["command"]["do"]["insured"] = True
    done, answers, _ = await _heard(tipping, more, _handed(3, BET))
    assert [command.id for command in done] == ["c1"]
    assert [(answer["n"], (answer["fault"] or {}).get("code")) for answer in answers] == [
        (1, "bad-message"), (2, "bad-message"), (3, None)
    ]  # fmt: skip
    assert "(1.0.0) does not know this command: command.do.do: unknown value 'tip'" in answers[0]["fault"]["sentence"]


@on_a_loop
async def test_what_has_no_number_ends_the_connection() -> None:
    """There is nobody to answer."""
    assert (await _heard({"hello": 1}, _handed(3, BET)))[:2] == ([], [])


def test_each_end_says_its_version(caplog: pytest.LogCaptureFixture) -> None:
    """The answer has it in a header, and the log has both when they differ."""
    with caplog.at_level(logging.WARNING, "taisai.web"):
        _, _, said = asyncio.run(_heard())
    assert said == {"type": "websocket.accept", "headers": [(b"taisai-version", b"1.0.0")]}
    assert caplog.messages == ["another node is of version 2.0.0, this node of 1.0.0"]


@on_a_loop
async def test_a_connection_on_which_nothing_is_heard_is_given_up() -> None:
    """A way may be cut without a word: the next command takes a new connection, and is answered."""
    came: list[ServerConnection] = []

    async def node(connection: ServerConnection) -> None:
        came.append(connection)
        async for text in connection:
            if len(came) > 1:
                await connection.send(json.dumps({"n": json.loads(text)["n"], "seq": 7, "of_the_future": []}))

    async with serve(node, "127.0.0.1", 0) as server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        peers = Peers("between us")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(peers_module, "ANSWER_S", 0.05)
            with pytest.raises(TimeoutError):
                await peers(address, "T1", BET)
        assert await peers(address, "T1", BET) == Answer(7)
        await peers.close()
    assert len(came) == 2


@on_a_loop
async def test_all_who_wait_for_a_node_hear_together_that_it_does_not_answer() -> None:
    """One attempt is made for all of them: one after another, the last would wait for hours."""
    came: list[asyncio.StreamWriter] = []

    def silent(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append(writer)

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    peers = Peers("between us")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(peers_module, "OPEN_S", 0.2)
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        asking = [asyncio.ensure_future(peers(address, "T1", BET)) for _ in range(50)]
        failed = await asyncio.gather(*asking, return_exceptions=True)
    assert [type(each) for each in failed] == [ConnectionError] * 50
    assert len(came) == 1
    for writer in came:
        writer.close()
    server.close()
    await peers.close()


@pytest.mark.postgres
@on_a_loop
async def test_a_node_that_cannot_read_a_newer_one_takes_no_more_tables(tmp_path: Path) -> None:
    """It keeps what it has, says so in the log, and does not count among those who share the tables."""
    url = journal_url(tmp_path)
    floor, nodes = _node(url, "http://older")
    with PostgresJournal(url) as newer:
        newer.leases.take(["T2"], "http://newer#1", 60)
        newer.leases.take([NODE + "http://newer#1"], "http://newer#1", 60)
        await floor.start()
        await nodes.start(["T1", "T2"])
        assert nodes.mine == ["T1"]
        record = NewRecord("tip-taken", 1, 1, "c1", 0, "ann", b'{"what": {"event": "tip-taken"}}')
        await asyncio.to_thread(newer.leases.append, [Batch("T2", 0, [record])], {"T2": 1})
        while not nodes.is_outdated or NODE + nodes.holder in newer.leases.current():
            await asyncio.sleep(0.01)
        newer.leases.release("T2", "http://newer#1")
        newer.leases.release(NODE + "http://newer#1", "http://newer#1")
        await nodes._beat()
        assert nodes.mine == ["T1"]
        assert "T2" not in newer.leases.current()
    await floor.stop()


@pytest.mark.postgres
def test_the_tables_of_a_node_that_died_do_not_wait_for_its_leases(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The database knows that the process has ended: late with renewing, it is taken for dead."""

    async def run() -> None:
        url = journal_url(tmp_path)
        floor, nodes = _node(url, "http://one")
        with PostgresJournal(url) as other:
            other.leases.announce("http://died#1")
            other.leases.take(["T1", NODE + "http://died#1"], "http://died#1", 60)
            await floor.start()
            await nodes.start(["T1", "T2"])
            assert nodes.mine == ["T2"]
            other.leases.renew("http://died#1", LEASE_S - LATE_S)
        while nodes.mine != ["T2", "T1"]:
            await asyncio.sleep(0.01)
        await floor.stop()

    with caplog.at_level(logging.WARNING, "taisai.floor"):
        asyncio.run(run())
    assert "http://died#1 is gone: its tables are free" in caplog.messages


@pytest.mark.postgres
@on_a_loop
async def test_a_node_that_is_started_again_does_not_wait_for_itself(tmp_path: Path) -> None:
    """What was held from its own address is free, if nobody lives there."""
    url = journal_url(tmp_path)
    floor, nodes = _node(url, "http://one")
    with PostgresJournal(url) as before:
        before.leases.take(["T1", NODE + "http://one#1"], "http://one#1", LEASE_S)
        before.leases.announce("http://one#2")
        before.leases.take(["T2", NODE + "http://one#2"], "http://one#2", 60)
        await floor.start()
        await nodes.start(["T1", "T2"])
        assert nodes.mine == ["T1"]
    await floor.stop()


@pytest.mark.postgres
@on_a_loop
async def test_a_node_reads_what_another_wrote_while_it_believed_in_its_lease(tmp_path: Path) -> None:
    """It does not read what it writes itself; once it knows that a table is another's, what it passed over comes."""
    url = journal_url(tmp_path)
    shelf = open_shelf(environment={})
    floor, nodes = _node(url, "http://one")
    silent = asyncio.Event()
    await floor.start()
    await nodes.start(["T1"])
    table = floor.tables["T1"]
    with pytest.MonkeyPatch.context() as patched, PostgresJournal(url) as other:
        patched.setattr(nodes, "_beat", silent.wait)
        patched.setattr("taisai.floor.nodes.LEASE_S", 600.0)  # it believes in its lease for as long as this takes
        other.leases.release("T1", nodes.holder)
        other.leases.take(["T1"], "http://two#1", 60)
        book = shelf.book("rws-tai-sai-v6")
        limits = c.TableLimits(100, c.BoxLimit(100, 5_000))
        set_up = c.SetUp(book.id, "A", book.digest, limits, "SGD", (100,))
        command = c.Command(id="c1", at=1, by=Person("dan", Role.SUPERVISOR), do=set_up)
        assert TableKeeper(other, shelf.book, "T1").do(command).refusal is None
        await nodes._catch_up()
        assert (table.owned, table.state.seq) == (True, 0)
        nodes._lose("T1")
        while table.state.seq != 1:
            await asyncio.sleep(0.01)
        silent.set()
    await floor.stop()


@pytest.mark.postgres
@on_a_loop
async def test_a_node_that_cannot_renew_lets_go_by_its_own_clock(tmp_path: Path) -> None:
    """Nobody can tell a node that is cut off: it stops to decide when its leases must have run out."""
    url = journal_url(tmp_path)
    floor, nodes = _node(url, "http://one")
    silent = asyncio.Event()
    await floor.start()
    await nodes.start(["T1"])
    assert nodes.mine == ["T1"]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(nodes, "_beat", silent.wait)
        while nodes.mine:
            await asyncio.sleep(0.01)
        silent.set()
    while nodes.mine != ["T1"]:  # nobody else has taken it: it goes on
        await asyncio.sleep(0.01)
    await floor.stop()


@pytest.mark.postgres
@on_a_loop
async def test_a_table_whose_node_died_before_it_was_set_up_is_set_up_by_the_next(tmp_path: Path) -> None:
    """Whoever comes to hold a table that never had a round sees to it, as at a first start."""
    url = journal_url(tmp_path)
    context = Context(settings_for(url, 1, 1), open_shelf(environment={}))
    with PostgresJournal(url) as other:
        other.leases.take(["T1"], "http://died#1", 60)
        await context.start()
        assert context.floor.tables["T1"].state.phase is TablePhase.NEW
        other.leases.release("T1", "http://died#1")
        while not context.floor.tables["T1"].state.round.number:
            await asyncio.sleep(0.01)
    await context.stop()
