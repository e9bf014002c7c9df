"""The journal in an SQLite file: rights, settings, other programs' files, and what is left behind."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from taisai.journal import (
    Batch,
    JournalReadOnly,
    NotAJournal,
    SqliteJournal,
    open_journal,
)
from taisai.journal.sqlite.database import readable_by_others
from taisai.journal.sqlite.schema import APPLICATION_ID
from taisai.journal.verify import verify
from tests.journal.samples import copy_of, edit, fill, new, several, sign_checkpoint


def test_other_files_are_refused(tmp_path: Path) -> None:
    """Files that are not journals, SQLite or not, are refused and left as they are."""
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
    """A folder to be used with few rights: to the superuser no file is read-only."""
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
    """Continue as the user nobody, if this is the superuser."""
    if os.geteuid() == 0:
        os.seteuid(65534)


def test_a_read_only_file(sound: Path) -> None:
    """A read-only file can be read and verified, and is refused for writing."""
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
    """A read-only file is refused for writing even if its folder is writable."""
    with without_rights() as folder:
        path = copy_of(sound, folder / "journal.db")
        path.chmod(0o444)
        folder.chmod(0o777)
        drop_rights()
        with pytest.raises(JournalReadOnly, match=r"journal\.db is read-only"):
            SqliteJournal(path)


def test_a_writer_outside_the_lock_is_noticed(tmp_path: Path) -> None:
    """A write that bypasses the lock is noticed, and nothing is added."""
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


def test_the_settings_of_the_file(tmp_path: Path) -> None:
    """A journal has a write-ahead log, commits that wait for the disk, foreign keys, and its own application id."""
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


def test_a_new_journal_and_its_backup_are_their_owners_alone(tmp_path: Path) -> None:
    """Nobody else may read a journal, its write-ahead log, lock, key or backup: hashes of passwords are in it."""
    umask = os.umask(0)
    try:
        with SqliteJournal(tmp_path / "floor.db") as journal:
            journal.put("staff/ann", b"a hash")
            sign_checkpoint(journal, 1)
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
