"""Leases: who may write to a table, where several nodes share a journal.

Enters: a table, the name of a holder (one for each process, never used again), seconds. Leaves: a fencing number that
grows with every change of holder. `append` is given the numbers that its writer knows and refuses one that has passed:
a holder that slept through the end of its lease writes nothing. The server's clock is the only one that counts.

A holder also keeps a lock for as long as its connection lasts. The server lets go of it when the process dies, so the
others need not wait for the end of its leases; whether they are right or not, the numbers keep order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from taisai.journal.contract import LeaseLost
from taisai.journal.postgres.text import from_text, to_text

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
# Rows are locked in one order everywhere, by name: two who wait for each other would both have to give up.
RENEW: Final = """
WITH ours AS MATERIALIZED (SELECT table_name FROM lease WHERE holder = $1 ORDER BY table_name FOR NO KEY UPDATE)
UPDATE lease l SET until = clock_timestamp() + $2::float8 * interval '1 second'
FROM ours WHERE l.table_name = ours.table_name AND l.holder = $1 RETURNING l.table_name
"""
END: Final = """
WITH theirs AS MATERIALIZED (
    SELECT table_name FROM lease WHERE holder = $1 AND until < clock_timestamp() + $2::float8 * interval '1 second'
    ORDER BY table_name FOR NO KEY UPDATE
)
UPDATE lease l SET until = clock_timestamp() FROM theirs WHERE l.table_name = theirs.table_name AND l.holder = $1
"""
RELEASE: Final = "UPDATE lease SET holder = NULL, until = clock_timestamp() WHERE table_name = $1 AND holder = $2"
FENCES: Final = (
    "SELECT table_name, fence FROM lease WHERE table_name = ANY($1::text[]) AND holder IS NOT NULL"
    " ORDER BY table_name FOR SHARE"
)
SHOW: Final = "SELECT pg_advisory_lock_shared('lease'::regclass::oid::int, hashtext($1))"
LEASES: Final = """
WITH there AS MATERIALIZED (
    SELECT objid::bigint AS number FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 'lease'::regclass::oid AND objsubid = 2 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)
SELECT table_name, holder, fence, extract(epoch FROM until - clock_timestamp())::float8,
    hashtext(holder)::bigint & 4294967295 IN (SELECT number FROM there)
FROM lease WHERE holder IS NOT NULL ORDER BY table_name
"""


class Lease(NamedTuple):
    """The right to write to a table."""

    holder: str
    fence: int
    seconds_left: float
    """Below zero when it has run out, and nobody has taken it since."""
    is_there: bool
    """Whether the holder's sign of life is seen."""


async def take(connection: Any, tables: Collection[str], holder: str, seconds: float) -> dict[str, int]:
    """The fencing numbers of those that nobody else has a valid lease of."""
    rows = await connection.fetch(TAKE, [to_text(table) for table in tables], to_text(holder), seconds)
    return {from_text(table): fence for table, fence in rows}


async def show_life(connection: Any, holder: str) -> None:
    """Be seen for as long as the connection lasts."""
    await connection.execute(SHOW, to_text(holder))


async def end(connection: Any, holder: str, seconds: float) -> None:
    """The leases of somebody who is gone are over now, those that would last for less than so long."""
    await connection.execute(END, to_text(holder), seconds)


async def renew(connection: Any, holder: str, seconds: float) -> set[str]:
    """Prolong every lease of a holder; those that it still has."""
    return {from_text(row[0]) for row in await connection.fetch(RENEW, to_text(holder), seconds)}


async def release(connection: Any, table: str, holder: str) -> None:
    """Give a lease back; nothing happens when it is somebody else's."""
    await connection.execute(RELEASE, to_text(table), to_text(holder))


async def require(connection: Any, fences: Mapping[str, int]) -> None:
    """Hold these leases until the end of the transaction, or raise `LeaseLost` for the first that has passed."""
    rows = await connection.fetch(FENCES, [to_text(table) for table in fences])
    current = {from_text(table): fence for table, fence in rows}
    for table, fence in fences.items():
        if current.get(table) != fence:
            raise LeaseLost(table, fence, current.get(table))


async def leases(connection: Any) -> dict[str, Lease]:
    """Who has which table."""
    rows = await connection.fetch(LEASES)
    return {from_text(table): Lease(from_text(holder), *rest) for table, holder, *rest in rows}
