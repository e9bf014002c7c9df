"""Files: what is opened, what is refused, and in which words."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from taisai.journal import (
    Batch,
    JournalDamaged,
    JournalError,
    JournalFailed,
    JournalFull,
    JournalInUse,
    JournalReadOnly,
    JournalUnreachable,
    MemoryJournal,
    NotAJournal,
    SqliteJournal,
    UnknownFormat,
    open_journal,
)
from taisai.journal.migrations import Migration, shipped
from taisai.journal.sqlite.database import readable_by_others, require_sqlite, translated
from taisai.journal.sqlite.schema import APPLICATION_ID, PACKAGE
from taisai.journal.verify import verify
from tests.journal.samples import content, copy_of, edit, fill, new, several


def test_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path, sqlite:///path and memory: are understood; three slashes are followed by the path as it is."""
    monkeypatch.chdir(tmp_path)
    with open_journal("memory:") as journal:
        assert isinstance(journal, MemoryJournal)
    for address in ("a.db", Path("b.db"), "sqlite:///c.db", f"sqlite:///{tmp_path}/d.db", str(tmp_path / "e f%20.db")):
        with open_journal(address) as journal:
            journal.append([Batch("t", 0, [new()])])
    assert sorted(path.name for path in tmp_path.glob("*.db")) == ["a.db", "b.db", "c.db", "d.db", "e f%20.db"]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("", "needs an address"),
        ("mysql://house/journal", "'mysql' is not a known kind"),
        ("sqlite:", "names no file"),
        ("sqlite://a.db", "names no file"),
        ("sqlite:///", "names no file"),
        ("memory:x", "'memory' is not a known kind"),
        ("nowhere/a.db", "the folder .*nowhere does not exist"),
        ("sqlite:///nowhere/a.db", "the folder .*nowhere does not exist"),
        (".", "is a folder"),
    ],
)
def test_a_wrong_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, words: str) -> None:
    """An address that leads nowhere is refused in words."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(JournalUnreachable, match=words):
        open_journal(address)


def test_a_missing_journal_is_not_made_for_reading(tmp_path: Path) -> None:
    """Who only reads, or says that the journal must be there, makes no new one."""
    for options in ({"read_only": True}, {"create": False}):
        with pytest.raises(JournalUnreachable, match="there is no journal at"):
            open_journal(tmp_path / "a.db", **options)
    assert list(tmp_path.iterdir()) == []


def test_something_else_is_refused(tmp_path: Path) -> None:
    """Other files, SQLite's included, are refused, and left as they are."""
    text, other, empty = tmp_path / "text.db", tmp_path / "other.db", tmp_path / "empty.db"
    text.write_text("The quick brown fox jumps over the lazy dog. " * 50, encoding="ascii")
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE bets (stake)")
    empty.write_bytes(b"")
    for path in (text, other):
        before = path.read_bytes()
        for read_only in (False, True):
            with pytest.raises(NotAJournal, match=rf"{path.name} is .*not a taisai journal"):
                open_journal(path, read_only=read_only)
        assert path.read_bytes() == before
    with pytest.raises(NotAJournal, match="is empty: it is not a taisai journal"):
        open_journal(empty, read_only=True)
    with open_journal(empty) as journal:
        assert journal.tables() == []


@contextmanager
def without_rights() -> Iterator[Path]:
    """A folder, and nobody's rights while in it: to the superuser no file is read-only."""
    folder = Path(tempfile.mkdtemp())
    root = os.geteuid() == 0
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(folder)


def drop_rights() -> None:
    """Go on as nobody, if this is the superuser."""
    if os.geteuid() == 0:
        os.seteuid(65534)


def test_a_read_only_file(sound: Path) -> None:
    """A file that may not be written to can be read and verified, and is refused for writing, in words."""
    with without_rights() as folder:
        path = copy_of(sound, folder / "journal.db")
        Path(f"{path}.pub").chmod(0o444)
        path.chmod(0o444)
        folder.chmod(0o555)
        drop_rights()
        with pytest.raises(JournalReadOnly, match=r"journal\.db cannot be opened for writing"):
            SqliteJournal(path)
        with SqliteJournal(path, read_only=True) as journal:
            assert list(verify(journal)) == []
            with pytest.raises(JournalReadOnly, match="was opened for reading only"):
                journal.append([Batch("a", 0, [new()])])
        assert sorted(one.name for one in folder.iterdir()) == ["journal.db", "journal.db.pub"]


def test_a_read_only_file_in_a_folder_that_is_not(sound: Path) -> None:
    """A file that may not be written to is refused for writing also where its folder could be written to."""
    with without_rights() as folder:
        path = copy_of(sound, folder / "journal.db")
        path.chmod(0o444)
        folder.chmod(0o777)
        drop_rights()
        with pytest.raises(JournalReadOnly, match=r"journal\.db is read-only"):
            SqliteJournal(path)


def test_one_writer_in_a_process(tmp_path: Path) -> None:
    """A second writer is refused in the same process too, also by another name of the file; a reader is not."""
    path, link = tmp_path / "journal.db", tmp_path / "link.db"
    with SqliteJournal(path) as journal:
        link.symlink_to(path)
        for name in (path, link):
            with pytest.raises(JournalInUse, match=f"process {os.getpid()} is writing"):
                SqliteJournal(name)
        with SqliteJournal(link, read_only=True) as reader:
            journal.append([Batch("a", 0, [new()])])
            assert [one.seq for one in reader.read("a")] == [1]
    SqliteJournal(link).close()


def test_a_writer_outside_the_lock_is_noticed(tmp_path: Path) -> None:
    """Somebody who writes past the lock cannot double a place: the journal notices and adds nothing."""
    path = tmp_path / "journal.db"
    with SqliteJournal(path) as journal:
        journal.append([Batch("a", 0, several(0, 3))])
        edit(
            path,
            "INSERT INTO record SELECT table_name, 4, 4, kind, version, at, 'rogue', part, by_whom, body, hash, hash"
            " FROM record WHERE position = 3",
        )
        with pytest.raises(Exception, match="is damaged"):
            journal.append([Batch("a", 3, [new("c")])])
        assert journal.position() == 4


def test_an_old_sqlite_is_refused() -> None:
    """An SQLite that may corrupt a write-ahead log is refused; the one that apsw brings is not."""
    require_sqlite()
    for version in ("3.51.3", "3.51.3.1", "3.52.0", "4.0.0"):
        require_sqlite(version)
    for version in ("3.51.2", "3.40.1", "3.9.0"):
        with pytest.raises(JournalFailed, match=rf"SQLite {version} is too old: before 3\.51\.3 it may corrupt"):
            require_sqlite(version)


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (apsw.FullError("x"), JournalFull, "is full: nothing was written"),
        (apsw.NotADBError("x"), NotAJournal, "is not an SQLite file"),
        (apsw.ReadOnlyError("x"), JournalReadOnly, "is read-only"),
        (apsw.CantOpenError("x"), JournalUnreachable, "cannot be opened"),
        (apsw.BusyError("x"), JournalFailed, "is locked by another program"),
        (apsw.IOError("x"), JournalFailed, "reading or writing .* failed"),
        (apsw.CorruptError("x"), JournalDamaged, "is damaged"),
        (apsw.NoMemError("x"), JournalFailed, "a.db: x"),
    ],
)
def test_what_sqlite_says_is_translated(error: apsw.Error, kind: type[JournalError], words: str) -> None:
    """Every error of SQLite becomes one of the journal's, in words that name the file."""
    with pytest.raises(kind, match=words) as told, translated(Path("a.db")):
        raise error
    assert "a.db" in str(told.value)


def test_no_room_for_the_index_of_the_log() -> None:
    """A disk without room for the index of the write-ahead log is a full disk."""
    error = apsw.IOError("disk I/O error")
    error.extendedresult = apsw.SQLITE_IOERR_SHMSIZE  # type: ignore[attr-defined]  # apsw sets it, its stubs do not say so
    with pytest.raises(JournalFull), translated(Path("a.db")):
        raise error


def test_the_settings_of_the_file(tmp_path: Path) -> None:
    """A journal has a write-ahead log, commits that wait for the disk, foreign keys, and our mark in its header."""
    with SqliteJournal(tmp_path / "journal.db") as journal:
        assert journal._writer is not None
        settings = {
            name: journal._writer.execute(f"PRAGMA {name}").fetchall()[0][0]
            for name in ("journal_mode", "synchronous", "foreign_keys", "application_id", "user_version")
        }
    assert settings == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "application_id": APPLICATION_ID,
        "user_version": 4,
    }
    assert (tmp_path / "journal.db").read_bytes()[68:72] == b"tsJ1"


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """After closing there are the file, its key, its public key and the lock's file."""
    with SqliteJournal(tmp_path / "journal.db") as journal:
        fill(journal)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "journal.db",
        "journal.db.key",
        "journal.db.lock",
        "journal.db.pub",
    ]
    assert stat.S_IMODE((tmp_path / "journal.db.key").stat().st_mode) == 0o600


def old_journal(path: Path) -> None:
    """A journal of the first form, with records, as an older taisai left it."""
    connection = apsw.Connection(str(path))
    first = shipped(PACKAGE)[0]
    connection.execute(first.sql)
    connection.execute("INSERT INTO migration VALUES (?, ?, ?)", (first.number, first.name, first.checksum))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 1")
    connection.close()


def test_an_older_form_is_brought_up(tmp_path: Path) -> None:
    """A journal of an older form is brought up to date when it is opened for writing, and keeps its records."""
    path = tmp_path / "journal.db"
    old_journal(path)
    with MemoryJournal() as memory:
        fill(memory, 2)
        rows = [tuple(getattr(one, name) for name in one.__struct_fields__) for one in memory.read_all()]
        heads = [(table, *memory.head(table)) for table in memory.tables()]
        before = content(memory)[:3]
    connection = apsw.Connection(str(path))
    connection.executemany(f"INSERT INTO record VALUES ({'?, ' * 11}?)", rows)
    connection.executemany("INSERT INTO head VALUES (?, ?, ?)", heads)
    connection.close()
    with pytest.raises(UnknownFormat, match="has version 1, and version 4 is needed: open it once for writing"):
        SqliteJournal(path, read_only=True)
    with SqliteJournal(path) as journal:
        assert content(journal)[:3] == before
        journal.sign_checkpoint(1)
        assert list(verify(journal)) == []
    with SqliteJournal(path, read_only=True) as journal:
        assert list(verify(journal)) == []


def test_a_newer_form_is_refused(sound: Path, tmp_path: Path) -> None:
    """A journal that a newer taisai has brought up is refused, and left as it is."""
    path = copy_of(sound, tmp_path / "journal.db")
    newer = (*shipped(PACKAGE), Migration(5, "more", "CREATE TABLE more (a INTEGER) STRICT;"))
    with SqliteJournal(path, migrations=newer) as journal:
        assert list(verify(journal)) == []
    before = path.read_bytes()
    for read_only in (True, False):
        with pytest.raises(
            UnknownFormat, match="made by a newer taisai: its schema has version 5, and this one knows up to 4"
        ):
            SqliteJournal(path, read_only=read_only)
    assert path.read_bytes() == before


def test_an_altered_migration_is_refused(sound: Path, tmp_path: Path) -> None:
    """A journal whose migrations are not the ones of this taisai is refused."""
    path = copy_of(sound, tmp_path / "journal.db")
    first, second, *others = shipped(PACKAGE)
    altered = (first, second._replace(sql=second.sql + "-- an afterthought\n"), *others)
    for read_only in (True, False):
        with pytest.raises(UnknownFormat, match=r"migration 2 \(checkpoints\) is not the one that this taisai has"):
            SqliteJournal(path, read_only=read_only, migrations=altered)


def test_a_migration_that_fails_changes_nothing(sound: Path, tmp_path: Path) -> None:
    """A migration is applied whole or not at all."""
    path = copy_of(sound, tmp_path / "journal.db")
    broken = (
        *shipped(PACKAGE),
        Migration(5, "broken", "CREATE TABLE more (a INTEGER) STRICT; CREATE TABLE record (a);"),
    )
    with pytest.raises(Exception, match="table record already exists"):
        SqliteJournal(path, migrations=broken)
    with SqliteJournal(path) as journal:
        assert list(verify(journal)) == []


def test_the_migrations_are_numbered() -> None:
    """The migrations that are shipped are numbered from 1 without gaps."""
    assert [one.number for one in shipped(PACKAGE)] == list(range(1, len(shipped(PACKAGE)) + 1))
    assert [one.name for one in shipped(PACKAGE)] == ["records", "checkpoints", "drawer", "heads"]


def test_a_new_journal_and_its_backup_are_their_owners_alone(tmp_path: Path) -> None:
    """Nobody else may read a journal, its write-ahead log, lock, key or backup: hashes of passwords are in it."""
    umask = os.umask(0)
    try:
        with SqliteJournal(tmp_path / "floor.db") as journal:
            journal.put("staff/ann", b"a hash")
            journal.sign_checkpoint(1)
            journal.backup(tmp_path / "copy.db")
            modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    finally:
        os.umask(umask)
    public = {name for name, mode in modes.items() if mode != 0o600}
    assert public == {"floor.db.pub", "copy.db.pub"}
    assert {"floor.db", "floor.db-wal", "floor.db-shm", "floor.db.lock", "floor.db.key", "copy.db"} <= modes.keys()
    assert not readable_by_others(tmp_path / "floor.db")
    assert readable_by_others(tmp_path / "floor.db.pub")
    assert not readable_by_others(tmp_path / "nowhere")
