"""Appending to a journal on PostgreSQL, where other nodes append too.

Enters: batches, and the fencing numbers of their writer. Leaves: records on the server's disk, in one transaction, and
a notice to everybody who listens.

A record's position is part of its hash, so commits have one order: whoever updates the row in `tail` writes next. The
chain ends that this process has cached are right as long as nobody else has updated it. So records are linked to the
cached ends, and one statement writes them on condition that `tail` has the expected position. If it does not, other
nodes have written, but not to the tables that this process has a lease of: for these only the position is read again,
and the statement is retried. Otherwise everything is read again with `tail` locked.

While anybody has a lease, nothing is written to a table without one: a process that does not know of the others would
write into their rounds. Streams whose name begins with `@` are nobody's table and need none.

Where others write all the time, a failed attempt is expensive: the server waits for its disk even for a statement that
wrote nothing. So an appender that was late queues for an advisory lock before it links anything, until it is the first
in line. The lock only saves work; correctness does not depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

import asyncpg  # type: ignore[import-untyped]  # asyncpg does not say its types

from taisai.journal.chain import genesis, linked
from taisai.journal.contract import (
    NO_TABLE,
    DuplicateCommand,
    JournalDamaged,
    JournalError,
    JournalFailed,
    LeaseLost,
    LeaseNeeded,
    SequenceConflict,
)
from taisai.journal.postgres.text import from_text, number_list, text_list, to_text, to_texts
from taisai.journal.record import Batch, Head, Row

TURN: Final = "SELECT pg_advisory_xact_lock('tail'::regclass::oid::int, 0)"
"""A writer has this lock until its commit is done."""
FENCES: Final = (
    "SELECT table_name, fence FROM lease WHERE table_name = ANY($1::text[]) AND holder IS NOT NULL"
    " ORDER BY table_name FOR SHARE"
)
LEASED: Final = "SELECT holder FROM lease WHERE holder IS NOT NULL AND until > clock_timestamp() LIMIT 1"
"""Anybody who holds anything now."""
_WRITE: Final = f"""
WITH turn AS MATERIALIZED ({TURN}), {{held}}moved AS (
    UPDATE tail SET position = $2 WHERE position = $1 AND (SELECT count(*) FROM turn) = 1{{condition}}
    RETURNING position
), written AS (
    INSERT INTO record SELECT r.table_name, r.seq, $1 + r.n, r.kind, r.version, r.at, r.command_id, r.part, r.by_whom,
        substr($11::bytea, r.start, r.size),
        substr($12::bytea, 32 * r.n::int - 31, 32), substr($13::bytea, 32 * r.n::int - 31, 32), r.fence
    FROM moved, unnest(
        $3::text::text[], $4::text::bigint[], $5::text::text[], $6::text::bigint[], $7::text::bigint[],
        $8::text::text[], $9::text::bigint[], $10::text::text[], $14::text::int[], $15::text::int[],
        $19::text::bigint[])
    WITH ORDINALITY r (table_name, seq, kind, version, at, command_id, part, by_whom, start, size, fence, n)
), ends AS (
    INSERT INTO head SELECT h.table_name, h.seq, substr($18::bytea, 32 * h.n::int - 31, 32)
    FROM moved, unnest($16::text::text[], $17::text::bigint[]) WITH ORDINALITY h (table_name, seq, n)
    ON CONFLICT (table_name) DO UPDATE SET seq = excluded.seq, hash = excluded.hash
)
SELECT pg_notify(current_schema(), position::text) IS NULL FROM moved
"""
_LEASED_OR_ALONE: Final = f" AND ({{0}}::bool OR NOT EXISTS ({LEASED}))"
WRITE: Final = _WRITE.format(held="", condition=_LEASED_OR_ALONE.format("$20"))
WRITE_FENCED: Final = _WRITE.format(
    held=f"held AS MATERIALIZED ({FENCES.replace('$1', '$20::text')}), ",
    condition=(
        " AND (SELECT count(*) FROM held JOIN unnest($20::text::text[], $21::text::bigint[]) g (table_name, fence)"
        " USING (table_name, fence)) = cardinality($20::text::text[])" + _LEASED_OR_ALONE.format("$22")
    ),
)
"""The same, if each named lease is still current. Leases are locked before `tail`, here and everywhere.

Each list goes as one text, all bodies as one value with their offsets: packing every value by itself would cost this
process more than all the rest of a commit."""

ENDS: Final = """
SELECT t.position, (SELECT max(position) FROM record), (SELECT sum(seq)::bigint FROM head), n.name, h.seq, h.hash,
    r.seq, r.hash
FROM tail t LEFT JOIN unnest($1::text[]) n (name) ON true LEFT JOIN head h ON h.table_name = n.name
LEFT JOIN LATERAL (
    SELECT seq, hash FROM record WHERE table_name = n.name ORDER BY seq DESC LIMIT 1
) r ON true
"""
FIRST_KNOWN: Final = (
    "SELECT g.n FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY g (table_name, command_id, part, n)"
    " JOIN record r USING (table_name, command_id, part) ORDER BY g.n LIMIT 1"
)
LOCK_TAIL: Final = "SELECT position FROM tail FOR UPDATE"
READ_TAIL: Final = "SELECT position FROM tail"
SEQS: Final = "SELECT table_name, seq FROM head WHERE table_name = ANY($1::text[])"
TRIES: Final = 3
"""How often another node may be quicker before `tail` is locked."""


class Appender:
    """Appends to the chains, whose ends it caches."""

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._position: int | None = None
        self._heads: dict[str, Head] = {}
        self._under: dict[str, int] = {}
        """The fencing numbers under which this process wrote the cached heads: while a lease is current, its table's
        head is too."""
        self._was_late = False
        """Another node was quicker the last time."""

    def forget(self) -> None:
        """Clear the cache: the connection is a new one."""
        self._position = None
        self._heads = {}
        self._under = {}
        self._was_late = False

    async def append(
        self, connection: Any, batches: Sequence[Batch], fences: Mapping[str, int] | None
    ) -> dict[str, Head]:
        """Write all batches or none."""
        try:
            if self._was_late:
                await connection.execute(TURN)
                self._was_late = await self._only_position_moved(connection, batches, fences)
            done = await self._append_optimistically(connection, batches, fences)
            tries = TRIES
            while done is None and tries and await self._only_position_moved(connection, batches, fences):
                self._was_late = True
                done = await self._append_optimistically(connection, batches, fences)
                tries -= 1
            if done is None:
                async with connection.transaction():
                    done = await self._append_locked(connection, batches, fences)
        except asyncpg.UniqueViolationError as error:
            self.forget()
            raise await self._refusal(connection, batches) from error
        except BaseException:
            self.forget()
            raise
        rows, heads = done
        if self._position is not None:
            self._position += len(rows)
            self._heads.update(heads)
            if fences:
                self._under.update(fences)
        return heads

    async def _only_position_moved(
        self, connection: Any, batches: Sequence[Batch], fences: Mapping[str, int] | None
    ) -> bool:
        """Whether the journal has grown but not the tables in question; the cached position is then up to date."""
        if fences is None or any(fences.get(table, 0) != self._under.get(table) for table in _tables(batches)):
            return False
        position = await connection.fetchval(READ_TAIL)
        if position is None or position == self._position:
            return False
        self._position, self._heads = position, self._leased()
        return True

    def _leased(self) -> dict[str, Head]:
        """The cached heads that no other node can have moved."""
        return {table: head for table, head in self._heads.items() if table in self._under}

    async def _append_optimistically(
        self, connection: Any, batches: Sequence[Batch], fences: Mapping[str, int] | None
    ) -> tuple[list[Row], dict[str, Head]] | None:
        """Append to the cached ends; None when they are outdated."""
        tables = _tables(batches)
        if self._position is None or not tables <= self._heads.keys():
            await self._read_ends(connection, tables)
            assert self._position is not None
        try:
            rows, heads = linked(batches, self._position, self._heads.__getitem__)
        except SequenceConflict:
            return None  # another node may have written
        if not rows:
            return None
        is_leased = not _unleased(batches, fences)
        return (rows, heads) if await self._write(connection, rows, heads, fences, is_leased=is_leased) else None

    async def _append_locked(
        self, connection: Any, batches: Sequence[Batch], fences: Mapping[str, int] | None
    ) -> tuple[list[Row], dict[str, Head]]:
        """Lock the leases and the end of the journal, read the ends, and append."""
        if fences:
            await _require_fences(connection, fences)
        await _require_leases(connection, _unleased(batches, fences))
        await connection.execute(TURN)  # before `tail`, in the same order as an optimistic append
        await connection.fetchval(LOCK_TAIL)
        await self._read_ends(connection, _tables(batches))
        assert self._position is not None
        rows, heads = linked(batches, self._position, self._heads.__getitem__)
        if rows and not await self._write(connection, rows, heads, fences, is_leased=True, is_locked=True):
            raise JournalFailed(f"{self._shown} let another writer in while its end was locked: nothing was written")
        return rows, heads

    async def _read_ends(self, connection: Any, tables: set[str]) -> None:
        """Cache where the journal and some tables end, after checking the ends against one another."""
        rows = await connection.fetch(ENDS, [to_text(table) for table in tables])
        if not rows:
            raise JournalDamaged(f"{self._shown} is damaged: it has lost its end; nothing is added to it")
        position, last, total = rows[0][:3]
        if not position == (last or 0) == (total or 0):
            raise JournalDamaged(
                f"{self._shown} is damaged: it should have {position} records, its tables should have {total or 0}"
                f" together and the last is number {last or 0}; nothing is added to it"
            )
        # If the end has moved, the cached heads are outdated, but for those under a lease.
        heads = self._heads if position == self._position else self._leased()
        for _, _, _, name, seq, digest, last_seq, last_hash in rows:
            if name is None:
                continue
            table = from_text(name)
            self._under.pop(table, None)
            if (seq, digest) != (last_seq, last_hash):
                raise JournalDamaged(
                    f"{self._shown} is damaged: the last record of table {table!r} is not the one that its head names;"
                    " nothing is added to it"
                )
            heads[table] = Head(0, genesis(table)) if seq is None else Head(seq, digest)
        self._position, self._heads = position, heads

    async def _write(
        self,
        connection: Any,
        rows: list[Row],
        heads: Mapping[str, Head],
        fences: Mapping[str, int] | None,
        *,
        is_leased: bool,
        is_locked: bool = False,
    ) -> bool:
        """Write rows if the journal still ends where they begin; those without a lease, if nobody has one.

        Leases that are locked already are not looked up again. Each row says under which lease it was written.
        """
        table, seq, position, kind, version, at, command_id, part, by, body, prev, digest = zip(*rows, strict=True)
        ends = [(name, head.seq, head.hash) for name, head in sorted(heads.items()) if head.seq]
        names, seqs, hashes = zip(*ends, strict=True)
        sizes = list(map(len, body))
        starts = list(accumulate(sizes, initial=1))[:-1]
        under = fences or {}
        values: tuple[object, ...] = (
            self._position, position[-1], text_list(table), number_list(seq), text_list(kind), number_list(version),
            number_list(at), text_list(command_id), number_list(part), text_list(by), b"".join(body), b"".join(prev),
            b"".join(digest), number_list(starts), number_list(sizes), text_list(names), number_list(seqs),
            b"".join(hashes), number_list([under.get(name, 0) for name in table]),
        )  # fmt: skip
        if fences and not is_locked:
            values += (text_list(tuple(fences)), number_list(fences.values()), is_leased)
            return await connection.fetchval(WRITE_FENCED, *values) is not None
        return await connection.fetchval(WRITE, *values, is_leased) is not None

    async def _refusal(self, connection: Any, batches: Sequence[Batch]) -> JournalError:
        """Why the unique keys refused some batches."""
        keys: dict[tuple[str, str, int], None] = {}
        twice: tuple[str, str, int] | None = None
        for key in ((table, new.command_id, new.part) for table, _, records in batches for new in records):
            if key in keys:
                twice = key
                break
            keys[key] = None
        tables, commands, parts = zip(*keys, strict=True)
        first = await connection.fetchval(FIRST_KNOWN, to_texts(tables), to_texts(commands), parts)
        duplicate = list(keys)[first - 1] if first is not None else twice
        if duplicate is not None:
            return DuplicateCommand(duplicate[0], duplicate[1])
        seqs = {from_text(name): seq for name, seq in await connection.fetch(SEQS, to_texts(tables))}
        for table, expected, _ in batches:
            if seqs.setdefault(table, 0) != expected:
                return SequenceConflict(table, expected, seqs[table])
        return JournalDamaged(f"{self._shown} is damaged: it refuses records that are not there")


async def _require_fences(connection: Any, fences: Mapping[str, int]) -> None:
    """Lock these leases until the end of the transaction; `LeaseLost` for the first that is not current."""
    rows = await connection.fetch(FENCES, [to_text(table) for table in fences])
    current = {from_text(table): fence for table, fence in rows}
    for table, fence in fences.items():
        if current.get(table) != fence:
            raise LeaseLost(table, fence, current.get(table))


async def _require_leases(connection: Any, unleased: set[str]) -> None:
    """`LeaseNeeded` when tables are to be written without a lease while others have leases."""
    holder = await connection.fetchval(LEASED) if unleased else None
    if holder is not None:
        raise LeaseNeeded(min(unleased), from_text(holder))


def _unleased(batches: Sequence[Batch], fences: Mapping[str, int] | None) -> set[str]:
    return {table for table in _tables(batches) if not table.startswith(NO_TABLE) and table not in (fences or {})}


def _tables(batches: Sequence[Batch]) -> set[str]:
    """The tables with a valid name; `linked` says what is wrong with the names of others."""
    return {table for table in {table for table, _, _ in batches if type(table) is str} if _is_text(table)}


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return bool(name)
