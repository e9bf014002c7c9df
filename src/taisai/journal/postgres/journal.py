"""The journal on a PostgreSQL server.

Enters: an address, batches of new records. Leaves: records on the server's disk, in a schema of their own. Several
processes may write to one journal: their commits follow one another, and the server notifies everybody who listens
(`LISTEN taisai`: the last position). `leases` says which process may write to which table.

The private key cannot be beside the records: its file is named in the address (`?key=/path/house.key`), or is in the
user's configuration folder, by the journal's id. The public key is beside it, and not in the database, where whoever
can write could replace it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from taisai.journal.chain import LARGEST, genesis, snapshot_digest
from taisai.journal.contract import (
    InvalidRecord,
    Journal,
    JournalDamaged,
    JournalError,
    JournalUnreachable,
    Progress,
    SigningError,
    superseded,
)
from taisai.journal.keyvalue import check_entry, check_key
from taisai.journal.migrations import Migration, require_current, shipped
from taisai.journal.postgres import schema
from taisai.journal.postgres.address import KEY_ENDING, default_key, read_address
from taisai.journal.postgres.append import LOCK_TAIL, Appender
from taisai.journal.postgres.lease import PostgresLeases
from taisai.journal.postgres.link import COMMAND_S, Link
from taisai.journal.postgres.text import FIELDS, from_text, to_rows, to_text
from taisai.journal.record import Batch, Checkpoint, Finding, Head, Record, Row, Snapshot, Standing
from taisai.journal.signing import Signer, public_beside, require_next
from taisai.journal.transfer import write_copy

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

CHUNK: Final = 1_000
"""How many records one query reads."""

READ: Final = f"SELECT {FIELDS} FROM record WHERE table_name = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4"
READ_ALL: Final = f"SELECT {FIELDS} FROM record WHERE position > $1 AND position <= $2 ORDER BY position LIMIT $3"
LAST_OF_TABLE: Final = "SELECT seq FROM record WHERE table_name = $1 ORDER BY seq DESC LIMIT 1"
COMMAND: Final = f"SELECT {FIELDS} FROM record WHERE table_name = $1 AND command_id = $2 ORDER BY seq"
NEWEST_COMMANDS: Final = (
    "SELECT seq, command_id FROM record WHERE table_name = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3"
)
SNAPSHOT_SEQS: Final = (
    "SELECT s.seq FROM snapshot s JOIN record r ON (s.table_name, s.seq) = (r.table_name, r.seq)"
    " WHERE s.table_name = $1 AND s.seq <= $2 AND s.record_hash = r.hash ORDER BY s.seq DESC"
)
SNAPSHOT: Final = "SELECT format, state, record_hash, digest FROM snapshot WHERE table_name = $1 AND seq = $2"
SAVE: Final = (
    "INSERT INTO snapshot (table_name, seq, format, state, record_hash, digest) VALUES ($1, $2, $3, $4, $5, $6)"
    " ON CONFLICT (table_name, seq) DO UPDATE SET format = excluded.format, state = excluded.state,"
    " record_hash = excluded.record_hash, digest = excluded.digest"
)
KEPT: Final = "SELECT seq, format FROM snapshot WHERE table_name = $1"
PRUNE: Final = "DELETE FROM snapshot WHERE table_name = $1 AND seq = ANY($2::bigint[])"
CHECKPOINTS: Final = (
    "SELECT number, prev, position, count, at, heads, key, signature, hash FROM checkpoint"
    " WHERE number > $1 AND number <= $2 ORDER BY number LIMIT 100"
)
LAST_CHECKPOINT: Final = "SELECT * FROM checkpoint ORDER BY number DESC LIMIT 1"
MOVE_CHECKPOINT_HEAD: Final = (
    "INSERT INTO checkpoint_head VALUES (1, $1, $2)"
    " ON CONFLICT (place) DO UPDATE SET number = excluded.number, hash = excluded.hash"
)
CONDITION: Final = "SELECT pg_advisory_xact_lock('drawer'::regclass::oid::int, 0)"
"""Conditional changes of entries follow one another: an entry that is absent has no row to lock."""
SOME_ENTRIES: Final = "SELECT name, value FROM drawer WHERE name = ANY($1::text[])"
ENTRIES: Final = (
    "SELECT name, value FROM drawer WHERE starts_with(name, $1) AND name >= $1 AND name > $2 ORDER BY name LIMIT $3"
)
FORGET: Final = "DELETE FROM drawer WHERE name = ANY($1::text[])"
PUT: Final = "INSERT INTO drawer VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value"


class PostgresJournal(Journal):
    """A journal in one schema of a PostgreSQL database."""

    def __init__(
        self,
        url: str,
        *,
        read_only: bool = False,
        create: bool = True,
        migrations: tuple[Migration, ...] | None = None,
        again: bool = False,
        patience_s: float = COMMAND_S,
    ) -> None:
        """`again` is for a process that reconnects, and accepts a schema that a newer node has added to.

        `patience_s` is how long the server may be silent before a connection is given up.
        """
        self._address = read_address(url)
        self.shown = self._address.shown
        """The address without its password."""
        self._create = create
        self._again = again
        self._migrations = shipped(schema.PACKAGE) if migrations is None else migrations
        self._appender = Appender(self.shown)
        self._link = Link(self._address, None if read_only else self._prepare, patience_s)
        self._leases = PostgresLeases(self._link, self._address.schema, self._appender)
        try:
            if read_only:
                self._link.read(self._require_current)
            else:
                self._link.write(_nothing)
            self._id: str = str(self._fetch("SELECT journal FROM tail")[0][0])
        except IndexError:
            self._link.close()
            raise JournalDamaged(f"{self.shown} is damaged: it has lost its end") from None  # the row of `tail`
        except BaseException:
            self._link.close()
            raise

    async def _prepare(self, connection: Any) -> None:
        """Called with every new connection for writing: the first one makes the journal."""
        self._appender.forget()  # others may have written since the last connection
        await schema.bring_up(
            connection, self._address.schema, self.shown, self._migrations, create=self._create, again=self._again
        )
        await self._leases.prepare(connection)
        self._create = False
        self._again = True

    async def _require_current(self, connection: Any) -> None:
        version = await schema.applied(connection, self._address.schema, self.shown, self._migrations)
        if not version:
            raise JournalUnreachable(f"there is no journal at {self.shown}")
        require_current(version, self._migrations, self.shown)

    @property
    def id(self) -> str:
        """The journal's identity, wherever its server is."""
        return self._id

    def append(self, batches: Sequence[Batch]) -> dict[str, Head]:
        """Write all batches in one commit."""
        return self._link.write(lambda connection: self._appender.append(connection, batches, None))

    def read(self, table: str, after: int = 0, upto: int | None = None) -> Iterator[Record]:
        """The records of a table."""
        name = to_text(table)
        if upto is None:
            upto = next((row[0] for row in self._fetch(LAST_OF_TABLE, name)), 0)
            if upto <= after:
                return
        while rows := to_rows(self._fetch(READ, name, after, upto, CHUNK)):
            yield from [Record(*row) for row in rows]
            after = self._further(rows[-1][1], after)
            if len(rows) < CHUNK:
                return

    def read_all(self, after_position: int = 0, upto: int | None = None) -> Iterator[Record]:
        """The records of all tables in commit order."""
        if upto is None:
            upto = self.position()
        while rows := self.rows(after_position, upto, CHUNK):
            yield from [Record(*row) for row in rows]
            after_position = self._further(rows[-1][2], after_position)
            if len(rows) < CHUNK:
                return

    def rows(self, after_position: int, upto: int, count: int) -> list[Row]:
        """Some records as plain tuples."""
        return to_rows(self._fetch(READ_ALL, after_position, upto, count))

    def head(self, table: str) -> Head:
        """The end of a table's chain."""
        rows = self._fetch("SELECT seq, hash FROM head WHERE table_name = $1", to_text(table))
        return Head(*rows[0]) if rows else Head(0, genesis(table))

    def position(self) -> int:
        """The position of the last record."""
        return self._fetch("SELECT max(position) FROM record")[0][0] or 0

    def tables(self) -> list[str]:
        """The names of all tables that have records."""
        return sorted(from_text(row[0]) for row in self._fetch("SELECT table_name FROM head"))

    def standing(self) -> Standing:
        """Position, heads and number of checkpoints at one moment."""
        return self._link.read(_standing_alone)

    def find_command(self, table: str, command_id: str) -> list[Record]:
        """The records of a command."""
        return [Record(*row) for row in to_rows(self._fetch(COMMAND, to_text(table), to_text(command_id)))]

    def recent_commands(self, table: str, count: int) -> list[str]:
        """The ids of the last commands, newest first."""
        ids: dict[str, None] = {}
        before = LARGEST
        while len(ids) < count and (rows := self._fetch(NEWEST_COMMANDS, to_text(table), before, CHUNK)):
            ids.update(dict.fromkeys(from_text(row[1]) for row in rows))
            before = -self._further(-rows[-1][0], -before)
        return list(ids)[:count]

    def save_snapshot(self, table: str, seq: int, format_number: int, state: bytes) -> None:
        """Store a table's state after a record."""

        async def save(connection: Any) -> None:
            name = to_text(table)
            async with connection.transaction():
                digest = await connection.fetchval(
                    "SELECT hash FROM record WHERE table_name = $1 AND seq = $2", name, seq
                )
                if digest is None:
                    raise InvalidRecord(table, f"there is no record {seq} that a snapshot could follow")
                own = snapshot_digest(table, seq, format_number, digest, state)
                await connection.execute(SAVE, name, seq, format_number, state, digest, own)
                kept = [(row[0], row[1]) for row in await connection.fetch(KEPT, name)]
                await connection.execute(PRUNE, name, superseded(kept))

        self._link.write(save)

    def latest_snapshot(self, table: str, upto: int | None = None) -> Snapshot | None:
        """The newest intact snapshot."""
        for (seq,) in self._fetch(SNAPSHOT_SEQS, to_text(table), LARGEST if upto is None else upto):
            one = self._snapshot(table, seq)
            if one and snapshot_digest(one.table, one.seq, one.format, one.record_hash, one.state) == one.digest:
                return one
        return None

    def snapshots(self) -> Iterator[Snapshot]:
        """Every stored snapshot."""
        rows = self._fetch("SELECT table_name, seq FROM snapshot")
        for table, seq in sorted((from_text(table), seq) for table, seq in rows):
            one = self._snapshot(table, seq)
            if one is not None:  # it may have been pruned in the meantime
                yield one

    def _snapshot(self, table: str, seq: int) -> Snapshot | None:
        return next((Snapshot(table, seq, *row) for row in self._fetch(SNAPSHOT, to_text(table), seq)), None)

    def signer(self, *, make: bool) -> Signer:
        """The key in the file that the address or the journal's id names."""
        file = self.key_file
        if make:
            try:
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise SigningError(f"the folder {file.parent} cannot be made: {error.strerror}") from error
        return Signer.beside(_stem(file), make=make)

    def keep_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Store a checkpoint that was signed elsewhere."""

        async def insert(connection: Any) -> None:
            async with connection.transaction():
                await connection.fetchval(LOCK_TAIL)
                require_next(checkpoint, await _last_checkpoint(connection))
                await _insert_checkpoint(connection, checkpoint)

        self._link.write(insert)

    def checkpoints(self, after: int = 0, upto: int | None = None) -> Iterator[Checkpoint]:
        """The checkpoints in order."""
        while rows := self._fetch(CHECKPOINTS, after, LARGEST if upto is None else upto):
            yield from [Checkpoint(*row) for row in rows]
            after = self._further(rows[-1][0], after)

    def put(self, key: str, value: bytes | None) -> None:
        """Store a value under a key, or delete the key."""
        self.put_all({key: value})

    def put_all(self, entries: Mapping[str, bytes | None], when: Mapping[str, bytes | None] | None = None) -> bool:
        """Write several entries in one commit, if others are as expected."""
        for key, value in entries.items():
            check_entry(key, value)
        expected = {to_text(key): value for key, value in (when or {}).items()}
        kept = {to_text(key): value for key, value in entries.items()}

        async def write(connection: Any) -> bool:
            async with connection.transaction():
                if expected:
                    await connection.execute(CONDITION)
                    rows = await connection.fetch(SOME_ENTRIES, list(expected))
                    if expected != dict.fromkeys(expected) | dict(rows):
                        return False
                await connection.execute(FORGET, [key for key, value in kept.items() if value is None])
                await connection.executemany(PUT, [row for row in kept.items() if row[1] is not None])
            return True

        return self._link.write(write)

    def get(self, key: str) -> bytes | None:
        """The value under a key."""
        check_key(key)
        return next((value for _, value in self._fetch(SOME_ENTRIES, [to_text(key)])), None)

    def entries(self, prefix: str = "", *, after: str = "", count: int | None = None) -> dict[str, bytes]:
        """The entries whose keys begin with `prefix`."""
        check_key(prefix)
        rows = self._fetch(ENTRIES, to_text(prefix), to_text(after), count)
        return dict(sorted((from_text(name), value) for name, value in rows))

    @property
    def leases(self) -> PostgresLeases:
        """Which process may write to which table."""
        return self._leases

    @property
    def key_file(self) -> Path:
        """Where the private key is, or will be made when the first head is signed."""
        return self._address.key or default_key(self._id)

    def public_key(self) -> Ed25519PublicKey | None:
        """The public key beside the private one, if there is one."""
        return public_beside(_stem(self.key_file))

    def self_check(self) -> Iterator[Finding]:
        """What differs from the migrations' schema, and ends that are not where they should be."""
        try:
            yield from self._link.read(lambda connection: schema.schema_findings(connection, self._address.schema))
        except JournalError as error:
            yield Finding(None, None, None, "file-damaged", str(error))

    def backup(self, path: Path | str, progress: Progress | None = None) -> None:
        """Write everything into a new journal file: the records of one moment, and the entries as they are then."""
        self.position()  # raises when the journal is closed
        write_copy(self, Path(os.path.realpath(path)), progress)

    def close(self) -> None:
        """Close the connections to the server."""
        self._link.close()

    def _fetch(self, sql: str, *values: object) -> list[Any]:
        return self._link.read(lambda connection: connection.fetch(sql, *values))

    def _further(self, reached: int, before: int) -> int:
        """Where to continue reading; a damaged index may lead back, and reading would never end."""
        if reached <= before:
            raise JournalDamaged(f"{self.shown} is damaged: its records are not in order after {before}")
        return reached


def _stem(key: Path) -> Path:
    """The path that a key and its public half have in common."""
    return key.with_name(key.name.removesuffix(KEY_ENDING))


async def _nothing(_connection: Any) -> None:
    await asyncio.sleep(0)


async def _standing_alone(connection: Any) -> Standing:
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        return await _standing(connection)


async def _standing(connection: Any) -> Standing:
    """The standing, read in the transaction that the connection is in."""
    position, number = await connection.fetchrow(
        "SELECT (SELECT max(position) FROM record), (SELECT max(number) FROM checkpoint)"
    )
    heads = await connection.fetch("SELECT table_name, seq, hash FROM head")
    return Standing(position or 0, {from_text(row[0]): Head(row[1], row[2]) for row in heads}, number or 0)


async def _last_checkpoint(connection: Any) -> Checkpoint | None:
    row = await connection.fetchrow(LAST_CHECKPOINT)
    return None if row is None else Checkpoint(*row)


async def _insert_checkpoint(connection: Any, checkpoint: Checkpoint) -> None:
    values = tuple(getattr(checkpoint, name) for name in Checkpoint.__struct_fields__)
    await connection.execute("INSERT INTO checkpoint VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)", *values)
    await connection.execute(MOVE_CHECKPOINT_HEAD, checkpoint.number, checkpoint.hash)
