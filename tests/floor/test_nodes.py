"""Several nodes on one journal: who holds which table, what they read, and what a death or a cut changes."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from time import time_ns

import pytest
from msgspec.structs import replace

from taisai.audit.run import Audit
from taisai.books import open_shelf
from taisai.core.faults import InputFault
from taisai.floor.answers import Answer
from taisai.floor.clock import Clock
from taisai.floor.floor import Floor
from taisai.floor.nodes import LATE_S, LEASE_S, NODE, Nodes
from taisai.journal import Batch, JournalFailed, MemoryJournal, NewRecord, open_journal
from taisai.journal.postgres.journal import PostgresJournal
from taisai.settings.forms import Timing
from taisai.streams.codec import event_of
from taisai.table import commands as c
from taisai.table.events import ClockSet
from taisai.table.people import Person, Role
from taisai.table.state import RoundPhase
from tests.floor.gated import GatedJournal, bet, floor_on, opening
from tests.floor.test_driver import FAST, HOUR_US, driver, open_table, until
from tests.postgres import journal_url
from tests.streams.keeper import TableKeeper
from tests.web.serving import on_a_loop


async def _unreachable(address: str, table: str, command: c.Command) -> Answer:
    """Forward nothing."""
    raise ConnectionError(f"{address}, {table}, {command.id}")


def _set_up(command_id: str) -> c.Command:
    """A command that every new table accepts."""
    book = open_shelf(environment={}).book("rws-tai-sai-v6")
    limits = c.TableLimits(100, c.BoxLimit(100, 5_000))
    set_up = c.SetUp(book.id, "A", book.digest, limits, "SGD", (100,))
    return c.Command(id=command_id, at=1, by=Person("dan", Role.SUPERVISOR), do=set_up)


def _node(url: str, address: str, clock: Clock | None = None) -> tuple[Floor, Nodes]:
    """A floor that is one node among others on a journal; nothing of it is started yet."""
    floor = Floor(open_shelf(environment={}).book, lambda: open_journal(url), clock)
    floor.nodes = nodes = Nodes(floor, address, _unreachable, lambda: open_journal(url))
    return floor, nodes


@on_a_loop
async def test_a_journal_without_leases_is_refused() -> None:
    """Several nodes need a journal that says who may write: one in memory or in a file does not."""
    floor = Floor(open_shelf(environment={}).book, MemoryJournal)
    floor.nodes = nodes = Nodes(floor, "http://one", _unreachable, MemoryJournal)
    await floor.start()
    with pytest.raises(JournalFailed, match="several nodes need a journal with leases: use PostgreSQL"):
        await nodes.start(["T1"])
    floor.nodes = None
    await floor.stop()


@on_a_loop
async def test_a_table_does_not_move_while_its_next_round_is_being_written() -> None:
    """What is decided and not yet on disk counts: a round that has begun would lose the secret of its dice."""
    journal = GatedJournal()
    floor = await floor_on(journal)
    nodes = Nodes(floor, "http://one", _unreachable, lambda: journal)
    *before, opens = opening(["p1"])
    for each in before:
        await floor.do("T", each)
    table = floor.table("T")
    journal.hold()
    opened = asyncio.ensure_future(floor.do("T", opens))
    await journal.held()
    nodes._leaving = {"T"}
    nodes._leave_those_ready()
    assert table.owned
    assert nodes._leaving == {"T"}
    journal.open.set()
    assert (await opened).refusal is None
    nodes._leave_those_ready()
    assert table.owned
    await floor.stop()


@pytest.mark.slow
@pytest.mark.postgres
@on_a_loop
async def test_two_nodes_share_the_tables_and_forward_to_each_other(tmp_path: Path) -> None:
    """A second node gets its share as rounds are over; a command at either is carried out by the holder, once."""
    url = journal_url(tmp_path)
    names = ["T1", "T2", "T3", "T4"]
    floors: dict[str, Floor] = {}

    async def forward(address: str, table: str, command: c.Command) -> Answer:
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        floors[address].submit_here(floors[address].table(table), command, future.set_result)
        return await future

    for address in ("http://one", "http://two"):
        floor = floors[address] = Floor(open_shelf(environment={}).book, lambda: open_journal(url))
        floor.nodes = Nodes(floor, address, forward, lambda: open_journal(url))
        await floor.start()
        await floor.nodes.start(names)
    one, two = (floors[address].nodes for address in ("http://one", "http://two"))
    assert one is not None
    assert two is not None
    while (len(one.mine), len(two.mine)) != (2, 2):
        await asyncio.sleep(0.01)
    assert sorted(one.mine + two.mine) == names
    for number, name in enumerate(names):
        answer = await floors["http://one"].do(name, _set_up(f"c{number}"))
        assert (answer.seq, answer.refusal) == (1, None)
    for name in names:
        while floors["http://two"].table(name).state.seq != 1:
            await asyncio.sleep(0.01)
    await floors["http://one"].stop()
    while sorted(two.mine) != names:
        await asyncio.sleep(0.01)
    await floors["http://two"].stop()
    with open_journal(url, read_only=True) as journal:
        assert [journal.head(name).seq for name in names] == [1, 1, 1, 1]


@pytest.mark.postgres
@on_a_loop
async def test_a_node_that_cannot_read_a_newer_one_takes_no_more_tables(tmp_path: Path) -> None:
    """It keeps the tables that it holds, and does not count among the nodes that share the others."""
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
    """The database sees that the process has ended: as soon as it is late to renew, it counts as dead."""

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
    """Leases of its own address are free; while another process lives there, it does not start."""
    url = journal_url(tmp_path)
    floor, nodes = _node(url, "http://one")
    with PostgresJournal(url) as before:
        before.leases.take(["T1", NODE + "http://one#1"], "http://one#1", LEASE_S)
        before.leases.announce("http://one#2")
        before.leases.take(["T2", NODE + "http://one#2"], "http://one#2", LEASE_S)
        await floor.start()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("taisai.floor.nodes.TWIN_S", 0.1)
            with pytest.raises(InputFault, match="that of another running node"):
                await nodes.start(["T1", "T2"])
    await nodes.start(["T1", "T2"])
    assert sorted(nodes.mine) == ["T1", "T2"]
    await floor.stop()


@pytest.mark.postgres
@on_a_loop
async def test_a_node_reads_what_another_wrote_while_it_believed_in_its_lease(tmp_path: Path) -> None:
    """A node does not read its own tables; when it learns that it has lost one, it reads what it had passed over."""
    url = journal_url(tmp_path)
    shelf = open_shelf(environment={})
    floor, nodes = _node(url, "http://one")
    silent = asyncio.Event()
    await floor.start()
    await nodes.start(["T1"])
    table = floor.tables["T1"]
    with pytest.MonkeyPatch.context() as patched, PostgresJournal(url) as other:
        patched.setattr(nodes, "_beat", silent.wait)
        patched.setattr("taisai.floor.nodes.LEASE_S", 600.0)  # it believes in its lease throughout the test
        other.leases.release("T1", nodes.holder)
        keeper = TableKeeper(other, shelf.book, "T1", fences=other.leases.take(["T1"], "http://two#1", 60))
        assert keeper.do(_set_up("c1")).refusal is None
        await nodes._catch_up()
        assert (table.owned, table.state.seq) == (True, 0)
        nodes._lose("T1")
        while table.state.seq != 1:
            await asyncio.sleep(0.01)
        silent.set()
    await floor.stop()


@pytest.mark.postgres
@pytest.mark.parametrize("wrong_by", [24 * HOUR_US, -HOUR_US], ids=["a day ahead", "an hour behind"])
@on_a_loop
async def test_a_node_with_a_wrong_clock_takes_a_table_over(tmp_path: Path, wrong_by: int) -> None:
    """Rounds go on at once, there and on the way back; a record says how far time went back; the audit is content."""
    url, timing = journal_url(tmp_path), Timing(**dict.fromkeys(FAST.__struct_fields__, 1) | {"betting_ms": 300})
    rounds = 0
    for number, set_by_us in enumerate((0, wrong_by, 0)):
        floor, nodes = _node(url, f"http://{number}", Clock(lambda: time_ns() // 1000 + set_by_us))  # noqa: B023 - used in this turn
        await floor.start()
        await nodes.start(["T"])
        assert nodes.mine == ["T"]
        table = await open_table(floor) if number == 0 else floor.table("T")
        floor.automate("T", driver(timing))
        rounds += 2
        await until(floor, lambda: len(table.state.history) >= rounds)  # noqa: B023 - awaited in this turn
        await until(floor, lambda: table.state.round.phase is RoundPhase.BETTING)  # noqa: B023 - as above
        placed = replace(bet(1_000 + number), at=floor.clock.now())
        assert (await floor.do("T", placed)).refusal is None
        assert abs(table.state.at - floor.clock.now()) < 10_000_000
        stopping = asyncio.ensure_future(floor.stop())
        await asyncio.sleep(0)
        floor.hurry()
        await stopping
    with open_journal(url) as journal:
        events = [event_of(record).what for record in journal.read("T")]
        assert list(Audit(open_shelf(environment={}).book).findings(journal)) == []
    jumps = [round(each.by_us / HOUR_US) for each in events if isinstance(each, ClockSet)]
    # Whoever takes a table over sees that its last record lies ahead; one that lies behind may be as old as that.
    assert jumps == [-abs(round(wrong_by / HOUR_US))]


@pytest.mark.postgres
@on_a_loop
async def test_a_node_that_cannot_renew_stops_by_its_own_clock(tmp_path: Path) -> None:
    """Nobody can notify a node that is cut off: it stops deciding when its leases must have expired."""
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
    while nodes.mine != ["T1"]:  # nobody else has taken it
        await asyncio.sleep(0.01)
    await floor.stop()
