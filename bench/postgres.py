"""Bets on PostgreSQL: one node against a bare batched insert of the same records, and two nodes on one journal.

Batches of bets and of bare inserts alternate on one server; each line is the median over such pairs. The bare insert
writes the records of the bets just made into a table with the same keys, as many a commit as the node had.

Two nodes are two processes with tables and leases of their own on one journal, each with its own players. How
much they slow each other down shows beside the same two on a journal each, on one server and the same cores, and beside
one node that serves all tables. Following the tables of other nodes is not measured.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import asyncpg  # type: ignore[import-untyped]  # asyncpg does not say its types
import uvloop

from bench.measure import Line, paired
from taisai.floor.answers import Answer
from taisai.floor.floor import Floor
from taisai.floor.live import LiveTable
from taisai.journal import Record, open_journal
from taisai.table import commands as c
from taisai.table.people import Person, Role
from tests.floor.gated import DAN, SHELF, betting
from tests.postgres import Server

TABLES, PLAYERS = 8, 8
BETS, TURNS = 40, 9
"""Bets of each player in a turn, and turns."""
LEASE_S = 3600.0
INSERT = (
    "INSERT INTO bare SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::int[], $6::bigint[],"
    " $7::text[], $8::int[], $9::text[], $10::bytea[], $11::bytea[], $12::bytea[])"
)
TABLE = (
    "CREATE TABLE bare (table_name text, seq bigint, position bigint PRIMARY KEY, kind text, version int, at bigint,"
    " command_id text, part int, by_whom text, body bytea, prev bytea, hash bytea,"
    " UNIQUE (table_name, seq), UNIQUE (command_id, table_name, part))"
)


def _names() -> list[str]:
    return [f"T{number}" for number in range(TABLES)]


def _players() -> list[str]:
    return [f"p{number}" for number in range(PLAYERS)]


class _Turn(NamedTuple):
    """Seconds for the bets of a turn, and how many records a commit had."""

    seconds: float
    size: float


async def _bets(floor: Floor, tables: list[LiveTable]) -> _Turn:
    """All players bet, each with one unanswered bet at a time."""
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    left = len(tables) * PLAYERS

    def play(table: LiveTable, player: str, number: int) -> None:
        def answered(answer: Answer) -> None:
            nonlocal left
            if answer.refusal is not None:
                done.set_exception(RuntimeError(answer.refusal.sentence))
            elif number + 1 < BETS:
                play(table, player, number + 1)
            else:
                left -= 1
                if not left:
                    done.set_result(None)

        command = c.Command(
            id=f"{time.time_ns():x}-{player}",
            at=floor.clock.now(),
            by=Person(player, Role.PLAYER),
            do=c.PlaceBet(player, "small", 100),
        )
        floor.submit(table, command, answered)

    counts = floor.writer.counts
    commits, records = counts.commits, counts.records
    started = time.perf_counter()
    for half in (0, 1):
        for table in tables:
            for number in range(half, PLAYERS, 2):
                play(table, f"p{number}", 0)
        await asyncio.sleep(0)  # players do not bet in lockstep: some bet while the bets of others are being written
    await done
    seconds = time.perf_counter() - started
    return _Turn(seconds, (counts.records - records) / (counts.commits - commits))


async def _next_round(floor: Floor, table: LiveTable) -> None:
    """End the round and begin another: its felt is empty again."""
    for do in (c.CloseBets(), c.Tumble(3), c.Uncover((1, 2, 3)), c.Announce(), c.Collect(), c.PayAll(), c.OpenBets()):
        command = c.Command(id=f"{time.time_ns():x}-dan", at=floor.clock.now(), by=DAN, do=do)
        answer = await floor.do(table.name, command)
        if answer.refusal is not None:
            raise RuntimeError(answer.refusal.sentence)


async def _bare(connection: Any, records: list[Record], size: int) -> float:
    """Seconds for the same records by a bare insert, a transaction for each batch."""
    rows = [tuple(getattr(one, name) for name in Record.__struct_fields__) for one in records]
    started = time.perf_counter()
    for first in range(0, len(rows), size):
        columns = list(zip(*rows[first : first + size], strict=True))
        async with connection.transaction():
            await connection.execute(INSERT, *columns)
    return time.perf_counter() - started


async def _in_turn(server: Server, url: str) -> tuple[list[tuple[float, float]], float]:
    """Seconds for a bet and for its bare insert, turn by turn, and the records of a commit."""
    floor = Floor(SHELF.book, lambda: open_journal(url))
    await floor.start()
    tables = [await betting(floor, name, _players()) for name in _names()]
    connection: Any = await asyncpg.connect(server.url())
    await connection.execute(TABLE)
    found, sizes = [], []
    with open_journal(url, read_only=True) as reader:
        for turn in range(TURNS + 1):
            before = reader.position()
            ours = await _bets(floor, tables)
            for table in tables:
                await _next_round(floor, table)
            records = [one for one in reader.read_all(before) if one.kind == "bet-placed"]
            bare = await _bare(connection, records, max(round(ours.size), 1))
            if turn:  # the first one warms both up
                found.append((ours.seconds / len(records), bare / len(records)))
                sizes.append(ours.size)
    await connection.close()
    await floor.writer.stop()
    return found, sum(sizes) / len(sizes)


async def _node(url: str, names: list[str]) -> None:
    """A node that holds some tables; its players bet when the parent process says so."""
    floor = Floor(SHELF.book, lambda: open_journal(url))
    await floor.start()
    journal: Any = floor.writer.journal
    for name in names:
        floor.writer.fences[name] = journal.take_lease(name, names[0], LEASE_S)
    tables: list[LiveTable] = []
    while True:
        print("ready", flush=True)
        if not await asyncio.to_thread(sys.stdin.readline):
            break
        if not tables:  # only after all floors have started: a starting floor interrupts rounds in play
            tables = [await betting(floor, name, _players()) for name in names]
            print("done", flush=True)
            continue
        await _bets(floor, tables)
        print("done", flush=True)
        for table in tables:
            await _next_round(floor, table)
    await floor.writer.stop()


class _Process:
    """A node in a process of its own."""

    def __init__(self, url: str, names: list[str]) -> None:
        command = [sys.executable, "-m", "bench.postgres", "--node", url, *names]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def wait(self, word: str) -> None:
        """Wait until the node reports."""
        assert self._process.stdout is not None
        if (said := self._process.stdout.readline().strip()) != word:
            raise RuntimeError(f"a node said {said!r} instead of {word!r}")

    def go(self) -> None:
        """Have its players bet."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def end(self) -> None:
        """Have it stop, and wait for that."""
        self._process.communicate()


def _two_nodes(server: Server, folder: Path) -> list[tuple[float, float, float]]:
    """Seconds for a bet of two nodes on one journal, of two on a journal each, and of one with all tables, by turns."""
    shared, first, second, alone = (server.journal_url(folder, schema=f"journal_{number}") for number in range(4))
    halves = _names()[::2], _names()[1::2]
    fleets = [
        [_Process(shared, half) for half in halves],
        [_Process(url, half) for url, half in zip((first, second), halves, strict=True)],
        [_Process(alone, _names())],
    ]
    bets = TABLES * PLAYERS * BETS
    try:
        turns = [[_seconds(each) / bets for each in fleets] for _ in range(TURNS + 2)]
    finally:
        for each in (process for fleet in fleets for process in fleet):
            each.end()
    return [(one, two, three) for one, two, three in turns[2:]]  # without opening the tables, and warming up


def _seconds(nodes: list[_Process]) -> float:
    for each in nodes:
        each.wait("ready")
    started = time.perf_counter()
    for each in nodes:
        each.go()
    for each in nodes:
        each.wait("done")
    return time.perf_counter() - started


def measured() -> list[Line]:
    """A bet that is decided, chained and committed, against its bare insert; and the same of two nodes, against one."""
    server = Server()
    try:
        with tempfile.TemporaryDirectory() as folder:
            pairs, size = uvloop.run(_in_turn(server, server.journal_url(Path(folder))))
            nodes = _two_nodes(server, Path(folder))
    finally:
        server.stop("end")
    ours, bare = paired(pairs)
    what = f"a bet on PostgreSQL: rules, chain, commit ({size:.0f} records a commit)"
    lines = [Line(what, "a bare insert of its record, as many a commit", ours * 1e9, bare * 1e9, 2.0)]
    what = f"a bet at {TABLES} tables of two nodes, both on one journal"
    ours, bare = paired([(shared, apart) for shared, apart, _ in nodes])
    lines.append(Line(what, "the same two on a journal each, on the same cores", ours * 1e9, bare * 1e9, 1.1))
    ours, bare = paired([(shared, alone) for shared, _, alone in nodes])
    return [*lines, Line(what, "at as many of one node", ours * 1e9, bare * 1e9, 1.1)]


if __name__ == "__main__":
    if "--node" in sys.argv:
        uvloop.run(_node(sys.argv[2], sys.argv[3:]))
    else:
        for line in measured():
            figures = f"{line.ours_ns:,.0f} ns, {line.against} {line.bare_ns:,.0f} ns"
            print(f"{line.what}: {figures}, ratio {line.ratio:.2f}")
