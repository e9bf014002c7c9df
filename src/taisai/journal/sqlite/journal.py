"""The journal in an SQLite file.

Enters: a path, batches of new records. Leaves: records on disk (write-ahead log, synchronous FULL), in one file with
one writer. Others may read the file at the same time, in this process or in another.

An apsw connection serves one thread at a time, so the writing and the reading connection each have a lock of their
own; a read never waits for a commit to reach the disk.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import apsw

from taisai.journal.backup import write_backup
from taisai.journal.chain import LARGEST, genesis, linked, snapshot_digest
from taisai.journal.contract import (
    DuplicateCommand,
    InvalidRecord,
    Journal,
    JournalClosed,
    JournalDamaged,
    JournalError,
    JournalFailed,
    JournalReadOnly,
    JournalUnreachable,
    NotAJournal,
    Progress,
    SequenceConflict,
    superseded,
)
from taisai.journal.keyvalue import after_prefix, check_entry, check_key
from taisai.journal.migrations import Migration, require_current, shipped
from taisai.journal.record import Batch, Checkpoint, Finding, Head, Record, Row, Snapshot, Standing
from taisai.journal.signing import Signer, key_path, public_beside, require_next
from taisai.journal.sqlite import schema
from taisai.journal.sqlite.database import (
    CHECK_CACHE_KIB,
    connect_reader,
    connect_writer,
    make_durable,
    sync_folder,
    translated,
)
from taisai.journal.sqlite.lock import WriterLock

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

CHUNK: Final = 1_000
"""How many records one query reads."""

ROWS_AT_ONCE: Final = 64
"""How many rows one statement writes. Every statement releases the interpreter's lock and waits to get it back, which
takes longer than writing a row: so a commit is one statement (a transaction by itself), for every number of rows whose
statement can be kept prepared."""
READ: Final = "SELECT * FROM record WHERE table_name = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
READ_ALL: Final = "SELECT * FROM record WHERE position > ? AND position <= ? ORDER BY position LIMIT ?"
LAST_OF_TABLE: Final = "SELECT seq, hash FROM record WHERE table_name = ? ORDER BY seq DESC LIMIT 1"
COMMAND: Final = "SELECT * FROM record WHERE table_name = ? AND command_id = ? ORDER BY seq"
HAS_COMMAND: Final = "SELECT 1 FROM record WHERE table_name = ? AND command_id = ? AND part = ?"
NEWEST_COMMANDS: Final = "SELECT seq, command_id FROM record WHERE table_name = ? AND seq < ? ORDER BY seq DESC LIMIT ?"
SNAPSHOT: Final = (
    "SELECT table_name, seq, format, state, record_hash, digest FROM snapshot WHERE table_name = ? AND seq = ?"
)
KEPT: Final = "SELECT seq, format FROM snapshot WHERE table_name = ?"
PRUNE: Final = "DELETE FROM snapshot WHERE table_name = ? AND seq = ?"
CHECKPOINTS: Final = "SELECT * FROM checkpoint WHERE number > ? AND number <= ? ORDER BY number LIMIT 100"

ENTRY: Final = "SELECT value FROM drawer WHERE name = ?"
ENTRIES: Final = "SELECT name, value FROM drawer WHERE name >= ? AND name > ? ORDER BY name LIMIT ?"
ENTRIES_UNTIL: Final = "SELECT name, value FROM drawer WHERE name >= ? AND name > ? AND name < ? ORDER BY name LIMIT ?"


class _KeyViolation(Exception):
    """A unique key refused a batch."""


class SqliteJournal(Journal):
    """A journal in one SQLite file."""

    def __init__(
        self,
        path: Path | str,
        *,
        read_only: bool = False,
        create: bool = True,
        migrations: tuple[Migration, ...] | None = None,
    ) -> None:
        self.path = Path(os.path.realpath(path))
        self._migrations = shipped(schema.PACKAGE) if migrations is None else migrations
        self._write_lock, self._read_lock = Lock(), Lock()
        self._heads: dict[str, Head] = {}
        self._position: int | None = None
        self._failed: str | None = None
        self._closed = False
        _check_place(self.path, must_exist=read_only or not create)
        self._lock = None if read_only else WriterLock(self.path)
        self._writer: apsw.Connection | None = None
        try:
            with translated(self.path):
                if not read_only:
                    self._writer = self._open_writer()
                self._reader = connect_reader(self.path)
                try:
                    version = schema.applied(self._reader, self.path, self._migrations)
                    if not version:
                        raise NotAJournal(f"{self.path} is empty: it is not a taisai journal")
                    require_current(version, self._migrations, str(self.path))
                except BaseException:
                    self._reader.close()
                    raise
        except BaseException:
            if self._writer is not None:
                self._writer.close()
            if self._lock is not None:
                self._lock.release()
            raise

    def _open_writer(self) -> apsw.Connection:
        connection = connect_writer(self.path)
        try:
            # Checked before anything is changed: the file may belong to another program.
            schema.applied(connection, self.path, self._migrations)
            make_durable(connection, self.path)
            schema.bring_up(connection, self.path, self._migrations)
            sync_folder(self.path.parent)
        except BaseException:
            connection.close()
            raise
        return connection

    def append(self, batches: Sequence[Batch]) -> dict[str, Head]:
        """Write all batches in one commit."""
        try:
            with self._writing(transaction=False) as connection:
                if self._position is None:
                    self._position = self._checked_position(connection)
                rows, heads = linked(batches, self._position, self._checked_head)
                try:
                    _write(connection, rows)
                except apsw.ConstraintError as error:
                    raise _KeyViolation from error
                # If the commit fails, `_undo` forgets both.
                self._position += len(rows)
                self._heads.update(heads)
        except _KeyViolation as violation:
            raise self._refusal(batches) from violation.__cause__
        return heads

    def read(self, table: str, after: int = 0, upto: int | None = None) -> Iterator[Record]:
        """The records of a table."""
        if upto is None:
            upto = next((row[0] for row in self._rows(LAST_OF_TABLE, (table,))), 0)
        while rows := self._rows(READ, (table, after, upto, CHUNK)):
            yield from [Record(*row) for row in rows]
            after = self._further(rows[-1][1], after)

    def read_all(self, after_position: int = 0, upto: int | None = None) -> Iterator[Record]:
        """The records of all tables in commit order."""
        if upto is None:
            upto = self.position()
        while rows := self._rows(READ_ALL, (after_position, upto, CHUNK)):
            yield from [Record(*row) for row in rows]
            after_position = self._further(rows[-1][2], after_position)

    def rows(self, after_position: int, upto: int, count: int) -> list[Row]:
        """Some records as plain tuples."""
        return self._rows(READ_ALL, (after_position, upto, count))

    def head(self, table: str) -> Head:
        """The end of a table's chain."""
        rows = self._rows("SELECT seq, hash FROM head WHERE table_name = ?", (table,))
        return Head(*rows[0]) if rows else Head(0, genesis(table))

    def position(self) -> int:
        """The position of the last record."""
        ((last,),) = self._rows("SELECT max(position) FROM record")
        return last or 0

    def tables(self) -> list[str]:
        """The names of all tables that have records."""
        return sorted(row[0] for row in self._rows("SELECT table_name FROM head"))

    def standing(self) -> Standing:
        """Position, heads and number of checkpoints at one moment."""
        with self._reading() as connection:
            connection.execute("BEGIN")
            try:
                return _standing(connection)
            finally:
                connection.execute("COMMIT")

    def find_command(self, table: str, command_id: str) -> list[Record]:
        """The records of a command."""
        return [Record(*row) for row in self._rows(COMMAND, (table, command_id))]

    def recent_commands(self, table: str, count: int) -> list[str]:
        """The ids of the last commands, newest first."""
        ids: dict[str, None] = {}
        before = LARGEST
        while len(ids) < count and (rows := self._rows(NEWEST_COMMANDS, (table, before, CHUNK))):
            ids.update(dict.fromkeys(row[1] for row in rows))
            before = -self._further(-rows[-1][0], -before)
        return list(ids)[:count]

    def save_snapshot(self, table: str, seq: int, format_number: int, state: bytes) -> None:
        """Store a table's state after a record."""
        with self._writing() as connection:
            record: Any = connection.execute(
                "SELECT hash FROM record WHERE table_name = ? AND seq = ?", (table, seq)
            ).fetchone()
            if record is None:
                raise InvalidRecord(table, f"there is no record {seq} that a snapshot could follow")
            digest = snapshot_digest(table, seq, format_number, record[0], state)
            connection.execute(
                "INSERT OR REPLACE INTO snapshot (table_name, seq, format, state, record_hash, digest)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (table, seq, format_number, state, record[0], digest),
            )
            kept: Any = connection.execute(KEPT, (table,)).fetchall()
            for old in superseded(kept):
                connection.execute(PRUNE, (table, old))

    def latest_snapshot(self, table: str, upto: int | None = None) -> Snapshot | None:
        """The newest intact snapshot."""
        seqs = self._rows(
            "SELECT s.seq FROM snapshot s JOIN record r ON (s.table_name, s.seq) = (r.table_name, r.seq)"
            " WHERE s.table_name = ? AND s.seq <= ? AND s.record_hash = r.hash ORDER BY s.seq DESC",
            (table, LARGEST if upto is None else upto),
        )
        for (seq,) in seqs:
            one = self._snapshot(table, seq)
            if one and snapshot_digest(one.table, one.seq, one.format, one.record_hash, one.state) == one.digest:
                return one
        return None

    def snapshots(self) -> Iterator[Snapshot]:
        """Every stored snapshot."""
        for table, seq in self._rows("SELECT table_name, seq FROM snapshot ORDER BY table_name, seq"):
            one = self._snapshot(table, seq)
            if one is not None:  # it may have been pruned in the meantime
                yield one

    def _snapshot(self, table: str, seq: int) -> Snapshot | None:
        return next((Snapshot(*row) for row in self._rows(SNAPSHOT, (table, seq))), None)

    def signer(self, *, make: bool) -> Signer:
        """The key beside the file."""
        return Signer.beside(self.path, make=make)

    def keep_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Store a checkpoint that was signed elsewhere."""
        with self._writing() as connection:
            require_next(checkpoint, _last_checkpoint(connection))
            _insert_checkpoint(connection, checkpoint)

    def checkpoints(self, after: int = 0, upto: int | None = None) -> Iterator[Checkpoint]:
        """The checkpoints in order."""
        while rows := self._rows(CHECKPOINTS, (after, LARGEST if upto is None else upto)):
            yield from [Checkpoint(*row) for row in rows]
            after = self._further(rows[-1][0], after)

    def put(self, key: str, value: bytes | None) -> None:
        """Store a value under a key, or delete the key."""
        self.put_all({key: value})

    def put_all(self, entries: Mapping[str, bytes | None], when: Mapping[str, bytes | None] | None = None) -> bool:
        """Write several entries in one commit, if others are as expected."""
        for key, value in entries.items():
            check_entry(key, value)
        with self._writing() as connection:
            for key, value in (when or {}).items():
                found: Any = connection.execute(ENTRY, (key,)).fetchone()
                if (None if found is None else found[0]) != value:
                    return False
            for key, value in entries.items():
                if value is None:
                    connection.execute("DELETE FROM drawer WHERE name = ?", (key,))
                else:
                    connection.execute("INSERT OR REPLACE INTO drawer VALUES (?, ?)", (key, value))
        return True

    def get(self, key: str) -> bytes | None:
        """The value under a key."""
        check_key(key)
        return next((row[0] for row in self._rows(ENTRY, (key,))), None)

    def entries(self, prefix: str = "", *, after: str = "", count: int | None = None) -> dict[str, bytes]:
        """The entries whose keys begin with `prefix`."""
        check_key(prefix)
        end, most = after_prefix(prefix), -1 if count is None else count
        if end is None:
            return dict(self._rows(ENTRIES, (prefix, after, most)))
        return dict(self._rows(ENTRIES_UNTIL, (prefix, after, end, most)))

    @property
    def leases(self) -> None:
        """None: the file's lock admits one writer."""
        return

    @property
    def key_file(self) -> Path:
        """Where the private key is, or will be made when the first head is signed: beside the file."""
        return key_path(self.path)

    def public_key(self) -> Ed25519PublicKey | None:
        """The public key beside the file, if there is one."""
        return public_beside(self.path)

    def self_check(self) -> Iterator[Finding]:
        """What SQLite finds wrong with the file, and what differs from the migrations' schema."""
        try:
            with translated(self.path):
                connection = connect_reader(self.path, CHECK_CACHE_KIB)
                try:
                    yield from _file_findings(connection, self._migrations)
                finally:
                    connection.close()
        except JournalError as error:
            yield Finding(None, None, None, "file-damaged", str(error))

    def backup(self, path: Path | str, progress: Progress | None = None) -> None:
        """Write everything into a new journal file."""
        with self._reading():
            pass  # raises when the journal is closed
        write_backup(self.path, Path(os.path.realpath(path)), progress)

    def close(self) -> None:
        """Release the file."""
        with self._write_lock, self._read_lock:
            if self._closed:
                return
            self._closed = True
            with translated(self.path), ExitStack() as last_to_first:
                if self._lock is not None:
                    last_to_first.callback(self._lock.release)
                if self._writer is not None:
                    last_to_first.callback(self._writer.close)
                last_to_first.callback(self._reader.close)

    @contextmanager
    def _reading(self) -> Iterator[apsw.Connection]:
        with self._read_lock:
            if self._closed:
                raise JournalClosed(f"the journal {self.path} is closed")
            with translated(self.path):
                yield self._reader

    def _rows(self, sql: str, values: tuple[apsw.SQLiteValue, ...] = ()) -> list[Any]:
        with self._reading() as connection:
            return connection.execute(sql, values).fetchall()

    @contextmanager
    def _writing(self, *, transaction: bool = True) -> Iterator[apsw.Connection]:
        """The writing connection, inside a transaction unless the caller's one statement is one by itself.

        At the end all changes are on disk, or none of them.
        """
        with self._write_lock:
            if self._closed:
                raise JournalClosed(f"the journal {self.path} is closed")
            if self._writer is None:
                raise JournalReadOnly(f"{self.path} was opened for reading only")
            if self._failed is not None:
                raise JournalFailed(f"{self._failed}: open the journal again")
            try:
                with translated(self.path):
                    if transaction:
                        self._writer.execute("BEGIN IMMEDIATE")
                    yield self._writer
                    if transaction:
                        self._writer.execute("COMMIT")
            except BaseException as error:
                self._undo(self._writer, error)
                raise

    def _undo(self, connection: apsw.Connection, error: BaseException) -> None:
        self._heads.clear()
        self._position = None
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except apsw.Error:
            self._failed = f"the last change to {self.path} could not be rolled back"
        if isinstance(error.__cause__, apsw.IOError):
            # After a failed write it is unknown what the system still has in memory and what is on disk.
            self._failed = f"the disk of {self.path} has failed"

    def _checked_position(self, connection: apsw.Connection) -> int:
        row: Any = connection.execute(
            "SELECT (SELECT max(position) FROM record), (SELECT sum(seq) FROM head)"
        ).fetchone()
        if row[0] != row[1]:
            raise JournalDamaged(
                f"{self.path} is damaged: its tables should have {row[1] or 0} records together and the last is"
                f" number {row[0] or 0}; nothing is added to it"
            )
        return row[0] or 0

    def _checked_head(self, table: str) -> Head:
        """The head of a table, after checking that it names the table's last record."""
        head = self._heads.get(table)
        if head is None:
            assert self._writer is not None
            stored: Any = self._writer.execute("SELECT seq, hash FROM head WHERE table_name = ?", (table,)).fetchone()
            last: Any = self._writer.execute(LAST_OF_TABLE, (table,)).fetchone()
            if stored != last:
                raise JournalDamaged(
                    f"{self.path} is damaged: the last record of table {table!r} is not the one that its head names;"
                    " nothing is added to it"
                )
            head = self._heads[table] = Head(0, genesis(table)) if stored is None else Head(*stored)
        return head

    def _refusal(self, batches: Sequence[Batch]) -> JournalError:
        """Why the unique keys refused some batches."""
        seen: set[tuple[str, str, int]] = set()
        for table, _, records in batches:
            for new in records:
                key = (table, new.command_id, new.part)
                if key in seen or self._rows(HAS_COMMAND, key):
                    return DuplicateCommand(table, new.command_id)
                seen.add(key)
        for table, expected, _ in batches:
            if (actual := self.head(table).seq) != expected:
                return SequenceConflict(table, expected, actual)
        return JournalDamaged(f"{self.path} is damaged: it refuses records that are not there")

    def _further(self, reached: object, before: int) -> int:
        """Where to continue reading; the index of a damaged file may lead back, and reading would never end."""
        if not isinstance(reached, int) or reached <= before:
            raise JournalDamaged(f"{self.path} is damaged: its records are not in order after {before}")
        return reached


def _write(connection: apsw.Connection, rows: Sequence[Row]) -> None:
    """Insert rows in one transaction; a trigger moves the heads of their tables."""
    if len(rows) <= ROWS_AT_ONCE:
        if rows:
            connection.execute(_insert(len(rows)), list(chain.from_iterable(rows)))
        return
    connection.execute("BEGIN IMMEDIATE")
    for first in range(0, len(rows), ROWS_AT_ONCE):
        some = rows[first : first + ROWS_AT_ONCE]
        connection.execute(_insert(len(some)), list(chain.from_iterable(some)))
    connection.execute("COMMIT")


@cache
def _insert(rows: int) -> str:
    row = f"({', '.join('?' * len(Record.__struct_fields__))})"
    return f"INSERT INTO record VALUES {', '.join([row] * rows)}"


def _check_place(path: Path, *, must_exist: bool) -> None:
    if not path.parent.is_dir():
        raise JournalUnreachable(f"the folder {path.parent} does not exist: make it first")
    if path.is_dir():
        raise JournalUnreachable(f"{path} is a folder, not a journal")
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if must_exist:
            raise JournalUnreachable(f"there is no journal at {path}") from None
        return
    except (OSError, ValueError) as error:
        raise JournalUnreachable(f"{path} cannot be opened: {getattr(error, 'strerror', None) or error}") from None
    if not stat.S_ISREG(mode):  # SQLite would wait for a pipe, and read a device for ever
        raise JournalUnreachable(f"{path} is a device or a pipe, not a journal")


def _standing(connection: apsw.Connection) -> Standing:
    """The standing, read in the transaction that the connection is in."""
    row: Any = connection.execute(
        "SELECT (SELECT max(position) FROM record), (SELECT max(number) FROM checkpoint)"
    ).fetchone()
    heads: Any = connection.execute("SELECT table_name, seq, hash FROM head").fetchall()
    return Standing(row[0] or 0, {table: Head(seq, digest) for table, seq, digest in heads}, row[1] or 0)


def _last_checkpoint(connection: apsw.Connection) -> Checkpoint | None:
    row: Any = connection.execute("SELECT * FROM checkpoint ORDER BY number DESC LIMIT 1").fetchone()
    return None if row is None else Checkpoint(*row)


def _insert_checkpoint(connection: apsw.Connection, checkpoint: Checkpoint) -> None:
    values = tuple(getattr(checkpoint, name) for name in Checkpoint.__struct_fields__)
    connection.execute("INSERT INTO checkpoint VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
    connection.execute("INSERT OR REPLACE INTO checkpoint_head VALUES (1, ?, ?)", (checkpoint.number, checkpoint.hash))


def _file_findings(connection: apsw.Connection, migrations: tuple[Migration, ...]) -> Iterator[Finding]:
    if schema.schema_of(connection) != schema.expected_schema(migrations):
        yield Finding(
            None, None, None, "schema-altered", "the file's tables, indexes or triggers are not as taisai made them"
        )
    heads: Any = connection.execute(
        "SELECT h.only, h.number, h.hash, c.number, c.hash FROM (SELECT 1)"
        " LEFT JOIN checkpoint_head h ON true"
        " LEFT JOIN (SELECT number, hash FROM checkpoint ORDER BY number DESC LIMIT 1) c ON true"
    ).fetchall()
    for only, head_number, head_hash, number, digest in heads:
        if (only or 1, head_number, head_hash) != (1, number, digest):
            sentence = f"the last checkpoint should be number {head_number}, and the last one there is number {number}"
            if head_number == number:
                sentence = f"checkpoint {number} is not the one that the file names as its last"
            yield Finding(None, None, None, "checkpoint-missing", sentence)
    # On a read-only connection SQLite skips the CHECKs; other checks find what those would about numbers.
    for row in connection.execute("PRAGMA integrity_check(100)"):
        if row != ("ok",):
            yield Finding(None, None, None, "file-damaged", f"SQLite finds the file damaged: {row[0]}")
    for row in connection.execute("PRAGMA foreign_key_check"):
        yield Finding(None, None, None, "file-damaged", f"row {row[1]} of {row[0]} refers to something that is missing")
