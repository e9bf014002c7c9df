"""Appending to a journal on PostgreSQL, where others may append too.

Enters: batches, and the fencing numbers that their writer knows. Leaves: records on the server's disk, in one
transaction, and word to everybody who listens.

A record's place is part of its hash, so there is one order of commits: who moves the row in `tail` writes next. What
this process knows about the ends of the chains is right for as long as nobody else has moved it. So the records are
linked to what is known, and one statement writes them on the condition that `tail` stands where it is thought to. If it
does not, others have written. To other tables than those that this process has a lease of: so for these only the place
has to be learnt, and the statement is tried again. Otherwise everything is looked up again with `tail` held.

Where others write all the time, to try and fail is dear: the server waits for its disk even so. Who was late waits for
his turn the next time before he links anything, until nobody is before him. That is a courtesy, kept by a lock that
nothing else depends on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

import asyncpg  # type: ignore[import-untyped]  # asyncpg does not say its types

from taisai.journal.chain import genesis, linked
from taisai.journal.contract import (
    DuplicateCommand,
    JournalDamaged,
    JournalError,
    JournalFailed,
    SequenceConflict,
)
from taisai.journal.postgres import lease as postgres_lease
from taisai.journal.postgres.text import from_text, number_list, text_list, to_text, to_texts
from taisai.journal.record import Batch, Head, Row

TURN: Final = "SELECT pg_advisory_xact_lock('tail'::regclass::oid::int, 0)"
"""Whoever writes has this lock until his commit is done."""
_WRITE: Final = f"""
WITH turn AS MATERIALIZED ({TURN}), {{held}}moved AS (
    UPDATE tail SET position = $2 WHERE position = $1 AND (SELECT count(*) FROM turn) = 1{{condition}}
    RETURNING position
), written AS (
    INSERT INTO record SELECT r.table_name, r.seq, $1 + r.n, r.kind, r.version, r.at, r.command_id, r.part, r.by_whom,
        substr($11::bytea, r.start, r.size),
        substr($12::bytea, 32 * r.n::int - 31, 32), substr($13::bytea, 32 * r.n::int - 31, 32)
    FROM moved, unnest(
        $3::text::text[], $4::text::bigint[], $5::text::text[], $6::text::bigint[], $7::text::bigint[],
        $8::text::text[], $9::text::bigint[], $10::text::text[], $14::text::int[], $15::text::int[])
    WITH ORDINALITY r (table_name, seq, kind, version, at, command_id, part, by_whom, start, size, n)
), ends AS (
    INSERT INTO head SELECT h.table_name, h.seq, substr($18::bytea, 32 * h.n::int - 31, 32)
    FROM moved, unnest($16::text::text[], $17::text::bigint[]) WITH ORDINALITY h (table_name, seq, n)
    ON CONFLICT (table_name) DO UPDATE SET seq = excluded.seq, hash = excluded.hash
)
SELECT pg_notify(current_schema(), position::text) IS NULL FROM moved
"""
WRITE: Final = _WRITE.format(held="", condition="")
WRITE_FENCED: Final = _WRITE.format(
    held=f"held AS MATERIALIZED ({postgres_lease.FENCES.replace('$1', '$19::text')}), ",
    condition=(
        " AND (SELECT count(*) FROM held JOIN unnest($19::text::text[], $20::text::bigint[]) g (table_name, fence)"
        " USING (table_name, fence)) = cardinality($19::text::text[])"
    ),
)
"""The same, if each lease named is still the one that it was. A lease is held before `tail` is, here and elsewhere.

Lists go as one text each, bytes as one piece with the places where each begins: packing every value by itself costs
this process more than all the rest of a commit."""

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
LOOK_AT_TAIL: Final = "SELECT position FROM tail"
ENDS: Final = "SELECT table_name, seq FROM head WHERE table_name = ANY($1::text[])"
TRIES: Final = 3
"""How often somebody else may be quicker before `tail` is held."""


class Appender:
    """What this process knows about the ends of the chains, and how it adds to them."""

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._position: int | None = None
        self._heads: dict[str, Head] = {}
        self._under: dict[str, int] = {}
        """Fencing numbers under which this process wrote the heads that it knows: while a lease is the same, so is the
        head."""
        self._was_late = False
        """Somebody else was quicker the last time."""

    def forget(self) -> None:
        """Know nothing any more: the connection is a new one."""
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
                self._was_late = await self._only_place_has_changed(connection, batches, fences)
            done = await self._append_at_once(connection, batches, fences)
            tries = TRIES
            while done is None and tries and await self._only_place_has_changed(connection, batches, fences):
                self._was_late = True
                done = await self._append_at_once(connection, batches, fences)
                tries -= 1
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
            if fences:
                self._under.update(fences)
        return heads

    async def _only_place_has_changed(
        self, connection: Any, batches: Sequence[Batch], fences: Mapping[str, int] | None
    ) -> bool:
        """Whether the journal has moved on while the tables in question have not: then its end is known again."""
        if fences is None or any(fences.get(table, 0) != self._under.get(table) for table in _tables(batches)):
            return False
        position = await connection.fetchval(LOOK_AT_TAIL)
        if position is None or position == self._position:
            return False
        self._position, self._heads = position, self._leased()
        return True

    def _leased(self) -> dict[str, Head]:
        """The heads that nobody else can have moved."""
        return {table: head for table, head in self._heads.items() if table in self._under}

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
        await connection.execute(TURN)  # before `tail`, as whoever writes without looking
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
        self, connection: Any, rows: list[Row], heads: Mapping[str, Head], fences: Mapping[str, int] | None
    ) -> bool:
        """Write rows if the journal still ends where they begin."""
        table, seq, position, kind, version, at, command_id, part, by, body, prev, digest = zip(*rows, strict=True)
        ends = [(name, head.seq, head.hash) for name, head in sorted(heads.items()) if head.seq]
        names, seqs, hashes = zip(*ends, strict=True)
        sizes = list(map(len, body))
        starts = list(accumulate(sizes, initial=1))[:-1]
        values: tuple[object, ...] = (
            self._position, position[-1], text_list(table), number_list(seq), text_list(kind), number_list(version),
            number_list(at), text_list(command_id), number_list(part), text_list(by), b"".join(body), b"".join(prev),
            b"".join(digest), number_list(starts), number_list(sizes), text_list(names), number_list(seqs),
            b"".join(hashes),
        )  # fmt: skip
        if fences:
            values += (text_list(tuple(fences)), number_list(fences.values()))
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
        ends = {from_text(name): seq for name, seq in await connection.fetch(ENDS, to_texts(tables))}
        for table, expected, _ in batches:
            if ends.setdefault(table, 0) != expected:
                return SequenceConflict(table, expected, ends[table])
        return JournalDamaged(f"{self._shown} is damaged: it refuses records that are not there")


def _tables(batches: Sequence[Batch]) -> set[str]:
    """The tables that can be asked for; `linked` says what is wrong with the names of others."""
    return {table for table in {table for table, _, _ in batches if type(table) is str} if _is_text(table)}


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return bool(name)
