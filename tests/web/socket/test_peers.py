"""Between nodes: other versions are understood, and a connection on which nothing arrives is given up."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from starlette.datastructures import Headers
from starlette.types import Message
from websockets.asyncio.server import ServerConnection, serve

from taisai.books import open_shelf
from taisai.client import Client, Refused
from taisai.core.faults import InputFault
from taisai.floor.answers import Answer
from taisai.floor.router import Greetings
from taisai.house.passwords import Passwords
from taisai.journal.postgres.journal import PostgresJournal
from taisai.settings.forms import JournalPlace, Listen, Node, Settings
from taisai.table import commands as c
from taisai.table.people import Person, Role
from taisai.table.state import TablePhase
from taisai.web.context import Context
from taisai.web.serve import server_of
from taisai.web.socket import peers as peers_module
from taisai.web.socket.peers import VERSION, Peers, serve_peer
from taisai.web.socket.plain import PlainTransport
from tests.house.people import CHEAP
from tests.postgres import journal_url
from tests.torture.fleet import free_port
from tests.torture.floor_process import settings_for
from tests.web.servers import running
from tests.web.serving import on_a_loop

BET = c.Command(id="c1", at=1, by=Person("ann", Role.PLAYER), do=c.PlaceBet("ann", "small", 100), round=3)


async def _carried_out(*frames: dict[str, Any]) -> tuple[list[c.Command], list[dict[str, Any]], Message]:
    """What a node carries out, its answers, and how it accepts the connection, when another sends these messages."""
    done: list[c.Command] = []

    def submit_here(_table: object, command: c.Command, reply: Any) -> None:
        done.append(command)
        reply(Answer(7))

    table = SimpleNamespace(owned=True, state=SimpleNamespace(at=5))
    nodes = SimpleNamespace(greetings=Greetings("http://one#1", None))
    floor = SimpleNamespace(nodes=nodes, tables={"T1": table}, submit_here=submit_here)
    context: Any = SimpleNamespace(
        settings=SimpleNamespace(node=SimpleNamespace(secret="between us")),
        floor=floor, clock=SimpleNamespace(now=lambda: 9), peers=SimpleNamespace(version="1.0.0", holder="http://one#1"),
    )  # fmt: skip
    texts = [json.dumps(frame) for frame in frames]
    sent: list[Message] = []

    async def receive() -> Message:
        await asyncio.sleep(0)
        return {"type": "websocket.receive", "text": texts.pop(0)} if texts else {"type": "websocket.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = Headers({"authorization": "Bearer between us", VERSION: "2.0.0"})
    assert await serve_peer(context, headers, PlainTransport(receive, send), send)
    return done, [json.loads(each["text"]) for each in sent[1:]], sent[0]


def _forwarded(number: int, command: c.Command, **more: Any) -> dict[str, Any]:
    plain = {**msgspec.to_builtins(command), **more}
    return {"n": number, "table": "T1", "command": plain, "of_the_future": True}


@on_a_loop
async def test_fields_of_a_newer_version_are_left_alone() -> None:
    """A message with unknown fields is carried out, at the time of the node that writes."""
    done, answers, _ = await _carried_out(_forwarded(1, BET, mood="good"))
    assert done == [msgspec.structs.replace(BET, at=9)]
    assert answers == [{"n": 1, "seq": 7, "fault": None, "repeated": False}]


@on_a_loop
async def test_an_action_that_is_not_known_is_refused_and_the_next_carried_out() -> None:
    """Every field of an action must be known; a node refuses what it does not know, and serves the next message."""
    tipping = _forwarded(1, BET)
    tipping["command"]["do"] = {"do": "tip", "player": "ann"}
    more = _forwarded(2, BET)
    more["command"]["do"]["insured"] = True
    done, answers, _ = await _carried_out(tipping, more, _forwarded(3, BET))
    assert [command.id for command in done] == ["c1"]
    assert [(answer["n"], (answer["fault"] or {}).get("code")) for answer in answers] == [
        (1, "bad-message"), (2, "bad-message"), (3, None)
    ]  # fmt: skip
    assert "(1.0.0) does not know this command: command.do.do: unknown value 'tip'" in answers[0]["fault"]["sentence"]


@on_a_loop
async def test_what_has_no_number_ends_the_connection() -> None:
    """Without a number there is nothing to answer."""
    assert (await _carried_out({"hello": 1}, _forwarded(3, BET)))[:2] == ([], [])


def test_each_end_states_its_version(caplog: pytest.LogCaptureFixture) -> None:
    """The handshake has it in a header, and the log has both versions when they differ."""
    with caplog.at_level(logging.WARNING, "taisai.web"):
        _, _, said = asyncio.run(_carried_out())
    assert said == {
        "type": "websocket.accept",
        "headers": [(b"taisai-version", b"1.0.0"), (b"taisai-node", b"http://one#1")],
    }
    assert caplog.messages == ["another node is of version 2.0.0, this node of 1.0.0"]


@on_a_loop
async def test_a_connection_on_which_nothing_arrives_is_given_up() -> None:
    """A network may drop packets silently: the next command opens a new connection, and is answered."""
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
async def test_all_who_wait_for_a_node_fail_together() -> None:
    """They share one attempt to connect: one after the other, the last would wait for hours."""
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


def _settings(url: str, port: int, secret: str = "between us", reached_at: int = 0) -> Settings:
    """A house of one node among others, without tables."""
    node = Node(address=f"http://127.0.0.1:{reached_at or port}", secret=secret) if port else Node()
    return Settings(journal=JournalPlace(url=url), listen=Listen(port=port), node=node)


@asynccontextmanager
async def _node(settings: Settings) -> AsyncIterator[Client]:
    """A node that listens where its settings say."""
    context = Context(settings, open_shelf(environment={}), passwords=Passwords(CHEAP))
    await context.start()
    async with running(server_of(context)) as address, Client(address) as client:
        yield client
        await context.stop("the test is over")


async def _ready(client: Client, unless: str = "") -> None:
    """Wait until a node is ready, or not for a reason."""
    while True:
        try:
            await client.call("GET", "/readyz")
        except Refused as refused:
            if unless and unless in str(refused):
                return
        else:
            assert not unless
            return
        await asyncio.sleep(0.01)


async def _unready(client: Client, because: str) -> None:
    """Wait until a node that was ready is not, for a reason."""
    async with asyncio.timeout(30):
        while True:
            try:
                await client.call("GET", "/readyz")
            except Refused as refused:
                if because in str(refused):
                    return
            await asyncio.sleep(0.01)


@pytest.mark.postgres
@on_a_loop
async def test_nodes_are_ready_when_they_have_reached_one_another(tmp_path: Path) -> None:
    """A second node whose address leads nowhere says so at `/readyz`; the first goes on, and a third gets ready."""
    url = journal_url(tmp_path)
    async with _node(_settings(url, free_port())) as one:
        await _ready(one)
        async with _node(_settings(url, free_port(), reached_at=free_port())) as two:
            await _ready(two, unless="has not reached this node at node.address")
            await _ready(one)
        async with _node(_settings(url, free_port())) as three:
            await _ready(three)


@pytest.mark.postgres
@on_a_loop
async def test_a_node_that_does_not_fit_the_house_does_not_start(tmp_path: Path) -> None:
    """Without an address, with another secret or with another's address, a node names the setting and ends."""
    url, port = journal_url(tmp_path), free_port()
    async with _node(_settings(url, port)) as one:
        await _ready(one)
        alone = Context(_settings(url, 0), open_shelf(environment={}))
        with pytest.raises(InputFault, match=rf"node.address.*must be set: http://127.0.0.1:{port} already serve"):
            await alone.start()
        stranger = Context(_settings(url, free_port(), secret="of another house"), open_shelf(environment={}))
        with pytest.raises(InputFault, match=r"node.secret.*must be the same on every node"):
            await stranger.start()
        twin = Context(_settings(url, port), open_shelf(environment={}))
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("taisai.floor.nodes.TWIN_S", 0.1)
            with pytest.raises(InputFault, match=r"node.address.*is that of another running node"):
                await twin.start()
        for context in (stranger, twin):
            await context.floor.stop()
        await _ready(one)


@pytest.mark.postgres
@on_a_loop
async def test_a_node_alone_is_not_ready_once_others_have_come(tmp_path: Path) -> None:
    """One that was started without an address, before the others, writes nothing into their tables and says why."""
    url = journal_url(tmp_path)
    async with _node(_settings(url, 0)) as alone:
        await _ready(alone)
        async with _node(_settings(url, free_port())) as other:
            await _ready(other)
            # What it found of the journal stands for a second.
            await _unready(alone, "Other nodes serve this journal")
        await _ready(alone)
