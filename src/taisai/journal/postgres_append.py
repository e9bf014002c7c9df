"""Appending to a journal on PostgreSQL, where others may append too.

Enters: batches, and the fencing numbers that their writer knows. Leaves: records on the server's disk, in one
transaction, and word to everybody who listens.

A record's place is part of its hash, so there is one order of commits: who moves the row in `tail` writes next. What
this process knows about the ends of the chains is right for as long as nobody else has moved it. So the records are
linked to what is known, and one statement writes them on the condition that `tail` stands where it is thought to; if it
does not, everything is looked up again with `tail` held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import asyncpg  # type: ignore[import-untyped]  # asyncpg does not say its types

from taisai.journal import postgres_lease
from taisai.journal.chain import genesis, linked
from taisai.journal.contract import (
    DuplicateCommand,
    JournalDamaged,
    JournalError,
    JournalFailed,
    SequenceConflict,
)
from taisai.journal.postgres_text import from_text, to_text, to_texts
from taisai.journal.record import Batch, Head, Row

_WRITE: Final = """
{held}moved AS (
    UPDATE tail SET position = $2 WHERE position = $1{condition} RETURNING position
), written AS (
    INSERT INTO record SELECT r.* FROM moved, unnest(
        $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[],
        $9::text[], $10::bigint[], $11::text[], $12::bytea[], $13::bytea[], $14::bytea[]) r
), ends AS (
    INSERT INTO head SELECT h.* FROM moved, unnest($15::text[], $16::bigint[], $17::bytea[]) h
    ON CONFLICT (table_name) DO UPDATE SET seq = excluded.seq, hash = excluded.hash
)
SELECT pg_notify(current_schema(), position::text) IS NULL FROM moved
"""
WRITE: Final = _WRITE.format(held="WITH ", condition="")
WRITE_FENCED: Final = _WRITE.format(
    held=f"WITH held AS MATERIALIZED ({postgres_lease.FENCES.replace('$1', '$18')}), ",
    condition=(
        " AND (SELECT count(*) FROM held JOIN unnest($18::text[], $19::bigint[]) g (table_name, fence)"
        " USING (table_name, fence)) = cardinality($18::text[])"
    ),
)
"""The same, if each lease named is still the one that it was. A lease is held before `tail` is, here and elsewhere."""

LOOK: Final = """
SELECT t.position, (SELECT max(position) FROM record), (SELECT sum(seq)::bigint FROM head), n.name, h.seq, h.hash,
    r.seq, r.hash
FROM tail t LEFT JOIN unnest($1::text[]) n (name) ON true LEFT JOIN head h ON h.table_name = n.name
LEFT JOIN LATERAL (
    SELECT seq, hash FROM record WHERE table_name = n.name ORDER BY seq DESC LIMIT 1
) r ON true
"""
KNOWN: Final = (
    "SELECT g.n FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY g (table_name, command_id, part, n)"
    " JOIN record r USING (table_name, command_id, part) ORDER BY g.n LIMIT 1"
)
HOLD_TAIL: Final = "SELECT position FROM tail FOR UPDATE"


class Appender:
    """What this process knows about the ends of the chains, and how it adds to them."""

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._position: int | None = None
        self._heads: dict[str, Head] = {}

    def forget(self) -> None:
        """Know nothing any more: the connection is a new one."""
        self._position = None
        self._heads = {}

    async def append(
        self, connection: Any, batches: Sequence[Batch], fences: Mapping[str, int] | None
    ) -> dict[str, Head]:
        """Write all batches or none."""
        try:
            done = await self._append_at_once(connection, batches, fences)
            if done is None:
                async with connection.transaction():
                    done = await self._append_in_turn(connection, batches, fences)
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
        return heads

    async def _append_at_once(
        self, connection: Any, batches: Sequence[Batch], fences: Mapping[str, int] | None
    ) -> tuple[list[Row], dict[str, Head]] | None:
        """Append to what is known; None when it is not known, or not so any more."""
        tables = _tables(batches)
        if self._position is None or not tables <= self._heads.keys():
            await self._look(connection, tables)
            assert self._position is not None
        try:
            rows, heads = linked(batches, self._position, self._heads.__getitem__)
        except SequenceConflict:
            return None  # perhaps somebody else has written
        if not rows:
            return None
        return (rows, heads) if await self._write(connection, rows, heads, fences) else None

    async def _append_in_turn(
        self, connection: Any, batches: Sequence[Batch], fences: Mapping[str, int] | None
    ) -> tuple[list[Row], dict[str, Head]]:
        """Hold the leases and the end of the journal, look, and append."""
        if fences:
            await postgres_lease.require(connection, fences)
        await connection.fetchval(HOLD_TAIL)
        await self._look(connection, _tables(batches))
        assert self._position is not None
        rows, heads = linked(batches, self._position, self._heads.__getitem__)
        if rows and not await self._write(connection, rows, heads, None):
            raise JournalFailed(f"{self._shown} let somebody else in while its end was held: nothing was written")
        return rows, heads

    async def _look(self, connection: Any, tables: set[str]) -> None:
        """Learn where the journal and some tables end, if their ends are what they should be."""
        rows = await connection.fetch(LOOK, [to_text(table) for table in tables])
        if not rows:
            raise JournalDamaged(f"{self._shown} is damaged: it has lost its end; nothing is added to it")
        position, last, total = rows[0][:3]
        if not position == (last or 0) == (total or 0):
            raise JournalDamaged(
                f"{self._shown} is damaged: it should have {position} records, its tables should have {total or 0}"
                f" together and the last is number {last or 0}; nothing is added to it"
            )
        # What was known before is of another moment when the end has moved since.
        heads = self._heads if position == self._position else {}
        for _, _, _, name, seq, digest, last_seq, last_hash in rows:
            if name is None:
                continue
            table = from_text(name)
            if (seq, digest) != (last_seq, last_hash):
                raise JournalDamaged(
                    f"{self._shown} is damaged: the last record of table {table!r} is not the one that its head names;"
                    " nothing is added to it"
                )
            heads[table] = Head(0, genesis(table)) if seq is None else Head(seq, digest)
        self._position, self._heads = position, heads

    async def _write(
        self, connection: Any, rows: list[Row], heads: Mapping[str, Head], fences: Mapping[str, int] | None
    ) -> bool:
        """Write rows if the journal still ends where they begin."""
        table, seq, position, kind, version, at, command_id, part, by, body, prev, digest = zip(*rows, strict=True)
        ends = [(name, head.seq, head.hash) for name, head in sorted(heads.items()) if head.seq]
        names, seqs, hashes = zip(*ends, strict=True)
        values: tuple[object, ...] = (
            self._position, position[-1], to_texts(table), seq, position, to_texts(kind), version, at,
            to_texts(command_id), part, to_texts(by), body, prev, digest, to_texts(names), seqs, hashes,
        )  # fmt: skip
        if fences:
            values += ([to_text(name) for name in fences], list(fences.values()))
            return await connection.fetchval(WRITE_FENCED, *values) is not None
        return await connection.fetchval(WRITE, *values) is not None

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
        place = await connection.fetchval(KNOWN, to_texts(tables), to_texts(commands), parts)
        found = list(keys)[place - 1] if place is not None else twice
        if found is not None:
            return DuplicateCommand(found[0], found[1])
        return JournalDamaged(f"{self._shown} is damaged: it refuses records that are not there")


def _tables(batches: Sequence[Batch]) -> set[str]:
    """The tables that can be asked for; `linked` says what is wrong with the names of others."""
    return {table for table, _, _ in batches if type(table) is str and _is_text(table)}


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return bool(name)
