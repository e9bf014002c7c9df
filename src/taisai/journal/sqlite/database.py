"""Connections to SQLite files, and their errors as the journal's own.

Enters: a path. Leaves: an apsw connection with the settings that durability needs, or a `JournalError`; `translated`
turns what SQLite raises later into one as well.

SQLite 3.51.3 or newer is required: from 3.7.0 to 3.51.2 a reset of the write-ahead log at the wrong moment could
corrupt a file. apsw bundles SQLite, so this depends on apsw's version, not on the system's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

import apsw

from taisai.journal.contract import (
    JournalDamaged,
    JournalFailed,
    JournalFull,
    JournalReadOnly,
    JournalUnreachable,
    NotAJournal,
    Progress,
)

OLDEST_SQLITE: Final = (3, 51, 3)
PRIVATE: Final = 0o600
"""The mode of a new journal, backup or lock file."""
BUSY_MS: Final = 5_000
WAL_PAGES: Final = 8_000
"""How far the write-ahead log grows (32 MB) before it is copied into the file: often-changed pages are copied less."""
WAL_BYTES_KEPT: Final = 64 * 1024 * 1024
WRITER_CACHE_KIB: Final = 64 * 1024
READER_CACHE_KIB: Final = 16 * 1024
CHECK_CACHE_KIB: Final = 64 * 1024
"""SQLite's integrity check goes back and forth between a table and its indexes."""

PAGES_AT_ONCE: Final = 1_000
"""How many pages are copied between two reports of progress."""
STATEMENTS_KEPT: Final = 128
"""Prepared statements that the writer caches: one for each number of rows in an insert, and the others."""


def require_sqlite(version: str | None = None) -> None:
    """Refuse a version of SQLite that may corrupt the file."""
    version = version or apsw.sqlite_lib_version()
    if tuple(int(part) for part in version.split(".")[:3]) < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        raise JournalFailed(
            f"SQLite {version} is too old: before {oldest} it may corrupt a journal (reset of the write-ahead log)."
            " Install a newer apsw, which bundles SQLite"
        )


def make_private(path: Path) -> None:
    """Create a file that its owner alone may read, unless it exists; SQLite gives what it puts beside it that mode."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE))
    except FileExistsError:
        pass
    except OSError as error:
        raise JournalUnreachable(f"{path} cannot be opened: {error.strerror}") from error


def readable_by_others(path: Path) -> bool:
    """Whether somebody beside its owner may read a file: a journal's entries hold hashes of passwords."""
    try:
        return bool(path.stat().st_mode & 0o077)
    except OSError:
        return False


def connect_writer(path: Path) -> apsw.Connection:
    """A connection for writing, to a new file if there is none. Nothing is changed in the file yet."""
    require_sqlite()
    make_private(path)
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    connection = apsw.Connection(str(path), flags=flags, statementcachesize=STATEMENTS_KEPT)
    try:
        if connection.readonly("main"):
            raise JournalReadOnly(f"{path} is read-only: it cannot be opened for writing")
        _configure(connection, WRITER_CACHE_KIB)
    except BaseException:
        connection.close()
        raise
    return connection


def make_durable(connection: apsw.Connection, path: Path) -> None:
    """Switch to a write-ahead log, and to commits that return once they are on disk."""
    ((mode,),) = connection.execute("PRAGMA journal_mode = WAL").fetchall()
    if mode != "wal":
        raise JournalFailed(f"{path} cannot have a write-ahead log: its file system does not allow one")
    for setting in (
        "synchronous = FULL",
        "foreign_keys = ON",
        f"wal_autocheckpoint = {WAL_PAGES}",
        f"journal_size_limit = {WAL_BYTES_KEPT}",
    ):
        connection.execute(f"PRAGMA {setting}").fetchall()


def connect_reader(path: Path, cache_kib: int = READER_CACHE_KIB) -> apsw.Connection:
    """A connection for reading, while others may write."""
    require_sqlite()
    try:
        return _opened_for_reading(str(path), apsw.SQLITE_OPEN_READONLY, cache_kib)
    except (apsw.ReadOnlyError, apsw.CantOpenError):
        if path.with_name(path.name + "-wal").exists():
            raise
        # Readers share a write-ahead log through a file beside it; where none can be made, nobody can write either.
        return _opened_for_reading(
            f"file:{quote(str(path))}?immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, cache_kib
        )


def _opened_for_reading(name: str, flags: int, cache_kib: int) -> apsw.Connection:
    connection = apsw.Connection(name, flags=flags)
    try:
        _configure(connection, cache_kib)
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _configure(connection: apsw.Connection, cache_kib: int) -> None:
    connection.set_busy_timeout(BUSY_MS)
    # A file may come from anywhere: its schema is not trusted, and its cells are checked before they are used.
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    for setting in ("cell_size_check = ON", f"cache_size = -{cache_kib}"):
        connection.execute(f"PRAGMA {setting}").fetchall()


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise what SQLite raises about a file as the errors of the contract."""
    try:
        yield
    except apsw.FullError as error:
        raise JournalFull(f"the disk of {path} is full: nothing was written") from error
    except apsw.NotADBError as error:
        raise NotAJournal(f"{path} is not an SQLite file: not a taisai journal, or badly damaged") from error
    except apsw.ReadOnlyError as error:
        raise JournalReadOnly(f"{path} is read-only") from error
    except apsw.CantOpenError as error:
        raise JournalUnreachable(f"{path} cannot be opened: {error}") from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise JournalFailed(f"{path} is locked by another program: {error}") from error
    except apsw.IOError as error:
        if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:  # no space for the log's index
            raise JournalFull(f"the disk of {path} is full: nothing was written") from error
        raise JournalFailed(f"reading or writing {path} failed: {error}") from error
    except (apsw.CorruptError, apsw.SQLError, UnicodeDecodeError) as error:
        raise JournalDamaged(f"{path} is damaged: {error}") from error
    except apsw.Error as error:
        raise JournalFailed(f"{path}: {error}") from error


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk, where the system can do that."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with suppress(OSError):  # some file systems cannot
                os.fsync(descriptor)
        finally:
            os.close(descriptor)


def copy_database(source: Path, draft: Path, progress: Progress | None = None) -> None:
    """Copy an SQLite file as it is at one moment, its write-ahead log included."""
    with translated(source):
        reader = connect_reader(source)
    try:
        with translated(draft):
            make_private(draft)
            writer = apsw.Connection(str(draft))
            try:
                # The open transaction shows one moment, however long the copying takes.
                with reader:
                    reader.execute("SELECT count(*) FROM sqlite_schema").fetchall()
                    _copy(reader, writer, progress)
                # A copy is one file, readable anywhere; the next writer switches back to a write-ahead log.
                writer.execute("PRAGMA journal_mode = DELETE").fetchall()
            finally:
                writer.close()
    finally:
        reader.close()


def _copy(reader: apsw.Connection, writer: apsw.Connection, progress: Progress | None) -> None:
    with writer.backup("main", reader, "main") as backup:
        while not backup.done:
            backup.step(PAGES_AT_ONCE)
            if progress is not None:
                progress(backup.page_count - backup.remaining, backup.page_count)
