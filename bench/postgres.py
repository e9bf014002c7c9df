"""Bets on PostgreSQL, through a floor of one node, against a bare batched insert of the same records."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # asyncpg does not say its types
import uvloop

from bench.measure import Line
from taisai.floor.answers import Outcome
from taisai.floor.floor import Floor
from taisai.journal import Record, open_journal
from taisai.table import actions as a
from taisai.table.people import Person, Role
from tests.floor.gated import SHELF, betting
from tests.postgres import Server

TABLES, PLAYERS, BETS = 8, 8, 150
INSERT = (
    "INSERT INTO bare SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::int[], $6::bigint[],"
    " $7::text[], $8::int[], $9::text[], $10::bytea[], $11::bytea[], $12::bytea[])"
)
TABLE = (
    "CREATE TABLE bare (table_name text, seq bigint, position bigint PRIMARY KEY, kind text, version int, at bigint,"
    " command_id text, part int, by_whom text, body bytea, prev bytea, hash bytea,"
    " UNIQUE (table_name, seq), UNIQUE (command_id, table_name, part))"
)


async def _bets(url: str) -> tuple[float, float]:
    """Seconds for all bets, each player with one on its way, and how many records a commit had."""
    floor = Floor(SHELF.book, lambda: open_journal(url))
    await floor.start()
    players = [f"p{number}" for number in range(PLAYERS)]
    tables = [await betting(floor, f"T{number}", players) for number in range(TABLES)]
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    left = TABLES * PLAYERS

    def play(place: int, player: str, number: int) -> None:
        nonlocal left
        table = tables[place]

        def answered(outcome: Outcome) -> None:
            nonlocal left
            if outcome.fault is not None:
                done.set_exception(RuntimeError(outcome.fault.sentence))
            elif number + 1 < BETS:
                play(place, player, number + 1)
            else:
                left -= 1
                if not left:
                    done.set_result(None)

        command = a.Command(
            id=f"{time.time_ns():x}-{player}",
            at=floor.clock.now(),
            by=Person(player, Role.PLAYER),
            do=a.PlaceBet(player, "small", 100),
        )
        floor.submit(table, command, answered)

    counts = floor.writer.counts
    commits, records = counts.commits, counts.records
    started = time.perf_counter()
    for place in range(TABLES):
        for player in players:
            play(place, player, 0)
    await done
    seconds = time.perf_counter() - started
    size = (counts.records - records) / (counts.commits - commits)
    await floor.writer.stop()
    return seconds, size


async def _bare(server: Server, records: list[Record], size: int) -> float:
    """Seconds for the same records by a bare insert, a transaction for each batch."""
    connection: Any = await asyncpg.connect(server.url())
    try:
        await connection.execute(TABLE)
        rows = [tuple(getattr(one, name) for name in Record.__struct_fields__) for one in records]
        started = time.perf_counter()
        for first in range(0, len(rows), size):
            columns = list(zip(*rows[first : first + size], strict=True))
            async with connection.transaction():
                await connection.execute(INSERT, *columns)
        return time.perf_counter() - started
    finally:
        await connection.close()


def measured() -> list[Line]:
    """One line: a bet that is decided, chained and committed, against its bare insert."""
    server = Server()
    try:
        with tempfile.TemporaryDirectory() as folder:
            url = server.journal_url(Path(folder))
            seconds, size = uvloop.run(_bets(url))
            with open_journal(url, read_only=True) as journal:
                records = [one for one in journal.read_all() if one.kind == "bet-placed"]
            bare = uvloop.run(_bare(server, records, max(round(size), 1)))
    finally:
        server.stop("end")
    count = len(records)
    what = f"a bet on PostgreSQL: rules, chain, commit ({size:.0f} records a commit)"
    against = "a bare insert of its record, as many a commit"
    return [Line(what, against, seconds / count * 1e9, bare / count * 1e9, 2.0)]


if __name__ == "__main__":
    for line in measured():
        print(f"{line.what}: {line.ours_ns:,.0f} ns, {line.against} {line.bare_ns:,.0f} ns, ratio {line.ratio:.2f}")
