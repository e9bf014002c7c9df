"""The router: a command goes to the node that holds its table, wherever the table moves meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from types import SimpleNamespace
from typing import Any

import pytest

from taisai.floor.answers import Answer, HouseCode
from taisai.floor.router import Greetings, NotAccepted, Router, address_of, others_of
from taisai.journal import MemoryJournal
from taisai.table import commands as c
from taisai.table.people import Person, Role
from taisai.table.refusals import Refusal
from tests.house.people import on_a_loop

HERE, THERE, ELSEWHERE = "http://here#1", "http://there#1", "http://elsewhere#1"
BET = c.Command(id="c1", at=1, by=Person("ann", Role.PLAYER), do=c.PlaceBet("ann", "small", 100))
NOT_HELD = Answer(0, refusal=Refusal(HouseCode.NOT_HELD, "This node does not hold the table."))


class Station:
    """A router between a table that this node may hold, and other nodes that answer as a test says."""

    def __init__(self, **nodes: Callable[[], Awaitable[Answer]]) -> None:
        self.nodes = nodes
        self.asked: list[str] = []
        self.hurried = 0
        self.tasks: list[asyncio.Task[Any]] = []
        self.here: list[Answer] = []
        """What this node's own table answers, one after another."""
        self.table: Any = SimpleNamespace(name="T1", owned=False, state=SimpleNamespace(seq=7), submit=self._submit)
        floor: Any = SimpleNamespace(background=self._background)
        self.router = Router(floor, HERE, self._forward, self._hurry)

    def _submit(self, _command: c.Command, reply: Callable[[Answer], None]) -> None:
        reply(self.here.pop(0))

    def _background(self, work: Coroutine[Any, Any, Any]) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(work))

    def _hurry(self) -> None:
        self.hurried += 1

    async def _forward(self, address: str, table: str, command: c.Command) -> Answer:
        assert (table, command) == ("T1", BET)
        self.asked.append(address)
        return await self.nodes[address.removeprefix("http://")]()

    def send(self) -> asyncio.Future[Answer]:
        """The bet, routed; its answer to come."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.router.submit(self.table, BET, future.set_result)
        return future


async def done() -> Answer:
    """A node that carries the command out."""
    return Answer(8)


async def not_here() -> Answer:
    """A node that does not hold the table any more."""
    return NOT_HELD


async def unreachable() -> Answer:
    """A node that cannot be reached."""
    raise ConnectionError("nobody there")


async def frozen() -> Answer:
    """A node that never answers."""
    await asyncio.Event().wait()
    raise AssertionError("never")


async def soon(future: asyncio.Future[Answer]) -> Answer:
    """An answer that must come within seconds."""
    return await asyncio.wait_for(future, 5)


def test_a_holders_address() -> None:
    """A holder's name is its address, and a word after the number sign that tells processes apart."""
    assert address_of("http://10.0.0.5:8000#ab12") == "http://10.0.0.5:8000"


@on_a_loop
async def test_a_table_of_this_node_is_answered_here() -> None:
    """A command for this node's own table is not forwarded."""
    station = Station()
    station.table.owned = True
    station.here = [Answer(9)]
    assert await soon(station.send()) == Answer(9)
    assert (station.asked, station.tasks) == ([], [])


@on_a_loop
async def test_a_table_of_another_node_is_answered_there() -> None:
    """A command is forwarded to the holder's address, and its answer comes back."""
    station = Station(there=done)
    station.router.update({"T1": THERE})
    assert await soon(station.send()) == Answer(8)
    assert station.asked == ["http://there"]


@on_a_loop
async def test_a_table_lost_while_it_decides_is_followed() -> None:
    """When this node learns in the commit that it has lost the table, the command goes to the new holder."""
    station = Station(there=done)
    station.table.owned = True
    station.here = [NOT_HELD]
    station.router.update({"T1": THERE})
    answer = station.send()
    station.table.owned = False
    assert await soon(answer) == Answer(8)


@on_a_loop
async def test_a_command_waits_for_a_table_that_nobody_holds() -> None:
    """While no holder is known the beat is hurried; the command goes on as soon as there is one."""
    station = Station(there=done)
    answer = station.send()
    while not station.hurried:
        await asyncio.sleep(0)
    assert station.asked == []
    station.router.update({"T1": THERE})
    assert await soon(answer) == Answer(8)


@on_a_loop
async def test_a_command_is_carried_out_here_when_the_table_comes_here() -> None:
    """A waiting command is carried out by this node once it has taken the table."""
    station = Station()
    answer = station.send()
    await asyncio.sleep(0)
    station.here = [Answer(9)]
    station.table.owned = True
    station.router.took("T1")
    assert await soon(answer) == Answer(9)
    assert station.router.holders == {"T1": HERE}
    station.router.forget("T1")
    assert station.router.holders == {}


@pytest.mark.parametrize("first", [not_here, unreachable, frozen])
def test_a_holder_that_does_not_answer_is_given_up_when_the_table_moves(first: Callable[[], Awaitable[Answer]]) -> None:
    """A node that has lost the table, is gone or is frozen is not waited for once another holds the table."""

    async def run() -> None:
        station = Station(there=first, elsewhere=done)
        station.router.update({"T1": THERE})
        answer = station.send()
        while not station.asked:
            await asyncio.sleep(0)
        station.router.update({"T1": ELSEWHERE})
        assert await soon(answer) == Answer(8)
        assert station.asked[-1] == "http://elsewhere"

    asyncio.run(run())


def test_forwarding_gives_up_after_its_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that nobody answers in time is refused: its outcome is unknown, so the client repeats its id."""
    monkeypatch.setattr("taisai.floor.router.PATIENCE_S", 0.05)
    monkeypatch.setattr("taisai.floor.router.RETRY_S", 0.01)

    async def run() -> None:
        station = Station(there=unreachable)
        station.router.update({"T1": THERE})
        answer = await soon(station.send())
        assert answer.refusal is not None
        assert (answer.seq, answer.refusal.code) == (7, HouseCode.TRY_AGAIN)
        assert answer.refusal.allowed == "repeat it with the same id"
        assert len(station.asked) > 1
        assert station.router._waiting == {}

    asyncio.run(run())


@on_a_loop
async def test_a_router_that_closes_lets_nobody_wait() -> None:
    """What waits for a table is answered when the node leaves, and what comes later at once: with the same id again."""
    station = Station()
    waiting = station.send()
    await asyncio.sleep(0)
    station.router.close()
    for answer in (await soon(waiting), await soon(station.send())):
        assert answer.refusal is not None
        assert answer.refusal.code == HouseCode.TRY_AGAIN


class Door:
    """Other nodes as a greeting finds them, by address: the holder that answers, or an error."""

    def __init__(self, **nodes: str | Exception) -> None:
        self.nodes = {f"http://{name}": answer for name, answer in nodes.items()}
        self.greeted: list[str] = []

    async def __call__(self, address: str) -> str:
        """Who answers at an address."""
        self.greeted.append(address)
        answer = self.nodes[address]
        if isinstance(answer, Exception):
            raise answer
        return answer


@on_a_loop
async def test_a_node_is_ready_when_it_and_the_others_have_reached_one_another() -> None:
    """Each is greeted once; one whose version states no name need not greet back; then it stays ready."""
    door = Door(there=THERE, elsewhere="")
    greetings = Greetings(HERE, door)
    assert greetings.unmet == ["the other nodes are not greeted yet"]
    await greetings.meet({THERE, ELSEWHERE})
    assert greetings.unmet == ["http://there has not reached this node at node.address (http://here)"]
    greetings.heard.add(THERE)
    await greetings.meet({THERE, ELSEWHERE})
    assert greetings.unmet == []
    assert door.greeted == ["http://elsewhere", "http://there"]
    door.nodes["http://there"] = ConnectionError("cut")
    await greetings.meet({"http://there#2"})
    assert greetings.unmet == []


@pytest.mark.parametrize(
    ("answer", "unmet"),
    [
        (NotAccepted("404"), "http://there refuses this node: node.secret must be the same on every node"),
        (ConnectionError("nobody there"), "http://there cannot be reached (nobody there)"),
        (TimeoutError(), "http://there cannot be reached (TimeoutError)"),
        (ELSEWHERE, "http://there is answered by http://elsewhere#1, not by http://there#1"),
    ],
)
def test_a_node_that_is_not_reached_is_named_with_the_reason(
    answer: str | Exception, unmet: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says it once, not with every beat; when the other node is gone, nothing is missing any more."""

    @on_a_loop
    async def greeted() -> None:
        greetings = Greetings(HERE, Door(there=answer))
        await greetings.meet({THERE})
        await greetings.meet({THERE})
        assert greetings.unmet == [unmet]
        assert greetings.is_refused == isinstance(answer, NotAccepted)
        await greetings.meet(set())
        assert greetings.unmet == []

    greeted()
    assert [record.message for record in caplog.records] == [unmet]


@on_a_loop
async def test_a_house_without_greetings_is_ready() -> None:
    """Where nothing greets (a simulated house), nothing is waited for."""
    greetings = Greetings(HERE, None)
    await greetings.meet({THERE})
    assert greetings.unmet == []


def test_nobody_serves_a_journal_without_leases() -> None:
    """A journal of one process has no leases, and so no other nodes."""
    assert others_of(MemoryJournal()) == []
