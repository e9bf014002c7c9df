"""Leases on PostgreSQL: which node may write to a table, and what the others write.

Enters: tables, the name of a holder, seconds. Leaves: fencing numbers that grow with every change of holder, as
`contract.Leases` describes. Only the server's clock counts.

A holder also has an advisory lock for as long as its connection lasts. The server releases it when the process dies,
so the others need not wait for the holder's leases to expire. A wrong guess does no harm: the fencing numbers keep the
order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from taisai.journal.contract import Leases
from taisai.journal.postgres.append import Appender
from taisai.journal.postgres.follow import Follower
from taisai.journal.postgres.link import Link
from taisai.journal.postgres.text import FIELDS, from_text, to_rows, to_text
from taisai.journal.record import Batch, Head, Lease, Record, Written

TAKE: Final = """
INSERT INTO lease AS l
SELECT name, $2, 1, clock_timestamp() + $3::float8 * interval '1 second' FROM unnest($1::text[]) name ORDER BY name
ON CONFLICT (table_name) DO UPDATE SET
    fence = CASE WHEN l.holder = excluded.holder THEN l.fence ELSE l.fence + 1 END,
    holder = excluded.holder,
    until = clock_timestamp() + $3::float8 * interval '1 second'
WHERE l.holder IS NULL OR l.holder = excluded.holder OR l.until <= clock_timestamp()
RETURNING table_name, fence
"""
# Every statement locks rows in the same order, by name: otherwise two could wait for each other and both would fail.
RENEW: Final = """
WITH ours AS MATERIALIZED (SELECT table_name FROM lease WHERE holder = $1 ORDER BY table_name FOR NO KEY UPDATE)
UPDATE lease l SET until = clock_timestamp() + $2::float8 * interval '1 second'
FROM ours WHERE l.table_name = ours.table_name AND l.holder = $1 RETURNING l.table_name
"""
EXPIRE: Final = """
WITH theirs AS MATERIALIZED (
    SELECT table_name FROM lease WHERE holder = $1 AND until < clock_timestamp() + $2::float8 * interval '1 second'
    ORDER BY table_name FOR NO KEY UPDATE
)
UPDATE lease l SET until = clock_timestamp() FROM theirs WHERE l.table_name = theirs.table_name AND l.holder = $1
"""
RELEASE: Final = "UPDATE lease SET holder = NULL, until = clock_timestamp() WHERE table_name = $1 AND holder = $2"
ANNOUNCE: Final = "SELECT pg_advisory_lock_shared('lease'::regclass::oid::int, hashtext($1))"
CURRENT: Final = """
WITH connected AS MATERIALIZED (
    SELECT objid::bigint AS number FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 'lease'::regclass::oid AND objsubid = 2 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)
SELECT table_name, holder, fence, extract(epoch FROM until - clock_timestamp())::float8,
    hashtext(holder)::bigint & 4294967295 IN (SELECT number FROM connected)
FROM lease WHERE holder IS NOT NULL ORDER BY table_name
"""
NEWS: Final = (
    f"SELECT t.position, {', '.join(f'r.{name}' for name in FIELDS.split(', '))} FROM tail t LEFT JOIN record r"
    " ON r.position > $1 AND r.position <= $2 AND r.table_name <> ALL($3::text[]) ORDER BY r.position"
)

WRITTEN: Final = """
WITH these AS (
    SELECT table_name, seq, fence, row_number() OVER (PARTITION BY table_name ORDER BY seq)
        - row_number() OVER (PARTITION BY table_name, fence ORDER BY seq) AS run
    FROM record WHERE position > $1 AND position <= $2 AND table_name NOT LIKE '@%'
), runs AS (
    SELECT table_name, fence, min(seq) AS first, max(seq) AS last FROM these GROUP BY table_name, fence, run
)
SELECT table_name, first, last, fence, holder, (extract(epoch FROM since) * 1000000)::bigint
FROM runs LEFT JOIN tenure USING (table_name, fence) ORDER BY table_name, first
"""


class PostgresLeases(Leases):
    """The leases of one journal on PostgreSQL."""

    def __init__(self, link: Link, schema: str, appender: Appender) -> None:
        self._link = link
        self._schema = schema
        self._appender = appender
        self._holder = ""
        self._connections = 0

    async def prepare(self, connection: Any) -> None:
        """Called with every new connection for writing: the holder is announced on it too."""
        self._connections += 1
        if self._holder:
            await connection.execute(ANNOUNCE, to_text(self._holder))

    def current(self) -> dict[str, Lease]:
        """The lease of every table that has a holder."""
        rows = self._link.read(lambda connection: connection.fetch(CURRENT))
        return {from_text(table): Lease(from_text(holder), *rest) for table, holder, *rest in rows}

    def take(self, tables: Collection[str], holder: str, seconds: float) -> dict[str, int]:
        """Lease those of the tables that no other holder has a valid lease of."""
        names = [to_text(table) for table in tables]
        rows = self._link.write(lambda connection: connection.fetch(TAKE, names, to_text(holder), seconds))
        return {from_text(table): fence for table, fence in rows}

    def renew(self, holder: str, seconds: float) -> set[str]:
        """Extend every lease of a holder."""
        rows = self._link.write(lambda connection: connection.fetch(RENEW, to_text(holder), seconds))
        return {from_text(row[0]) for row in rows}

    def release(self, table: str, holder: str) -> None:
        """Give a lease back."""
        self._link.write(lambda connection: connection.execute(RELEASE, to_text(table), to_text(holder)))

    def expire(self, holder: str, seconds: float) -> None:
        """End a dead holder's leases."""
        self._link.write(lambda connection: connection.execute(EXPIRE, to_text(holder), seconds))

    def announce(self, holder: str) -> None:
        """Show the others that this holder is connected."""
        self._holder = holder
        self._link.write(lambda connection: connection.execute(ANNOUNCE, to_text(holder)))

    @property
    def connections(self) -> int:
        """How many connections for writing there have been."""
        return self._connections

    @property
    def writer_id(self) -> int:
        """The server process of the writing connection."""
        return self._link.writer_pid

    def append(self, batches: Sequence[Batch], fences: Mapping[str, int]) -> dict[str, Head]:
        """Write all batches in one commit, if each fence is the current one of its table."""
        return self._link.write(lambda connection: self._appender.append(connection, batches, fences))

    def follow(self, on_commit: Callable[[int], None], own: Callable[[], int] | None = None) -> Follower:
        """Call `on_commit` with the last position, now and after every commit of anybody else."""
        return Follower(self._link, self._schema, on_commit, own)

    def news(self, after_position: int, upto: int, except_tables: Collection[str]) -> tuple[list[Record], int]:
        """The records of other tables between two positions, and the position up to which none is missing."""
        names = [to_text(table) for table in except_tables]
        rows = self._link.read(lambda connection: connection.fetch(NEWS, after_position, upto, names))
        end = min(rows[0][0], upto) if rows else after_position
        records = [Record(*row) for row in to_rows([row[1:] for row in rows if row[1] is not None])]
        return records, max(end, after_position)

    def written(self, after_position: int, upto: int) -> list[Written]:
        """Under which lease the tables' records between two positions were written."""
        rows = self._link.read(lambda connection: connection.fetch(WRITTEN, after_position, upto))
        return [
            Written(from_text(table), first, last, fence, None if holder is None else from_text(holder), since)
            for table, first, last, fence, holder, since in rows
        ]
