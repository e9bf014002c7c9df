"""Backups, made while others write."""

from __future__ import annotations

import threading
from pathlib import Path

import apsw
import pytest

from taisai.journal import (
    Batch,
    JournalFull,
    JournalUnreachable,
    SigningError,
    SqliteJournal,
)
from taisai.journal.verify import verify
from tests.journal.samples import fill, several


def test_a_backup_while_others_write(tmp_path: Path) -> None:
    """A backup made while a thread appends is one moment of the journal: whole commits, and it verifies."""
    with SqliteJournal(tmp_path / "journal.db") as journal:
        journal.append([Batch("a", 0, several(0, 20_000))])
        enough = threading.Event()
        failures: list[BaseException] = []

        def append() -> None:
            step = 0
            try:
                while not enough.is_set():
                    journal.append([Batch("b", step * 7, several(step * 7, 7))])
                    step += 1
            except BaseException as error:
                failures.append(error)

        writer = threading.Thread(target=append)
        writer.start()
        try:
            places = []
            for number in range(3):
                before = journal.position()
                journal.backup(tmp_path / f"backup{number}.db")
                places.append((before, journal.position()))
        finally:
            enough.set()
            writer.join()
        assert failures == []
        for number, (before, after) in enumerate(places):
            with SqliteJournal(tmp_path / f"backup{number}.db", read_only=True) as backup:
                assert before <= backup.position() <= after
                assert backup.head("b").seq % 7 == 0
                assert list(verify(backup)) == []
        assert list(verify(journal)) == []


def test_a_backup_is_one_file(tmp_path: Path) -> None:
    """A backup is one file and a public key, without log or private key."""
    (tmp_path / "safe").mkdir()
    with SqliteJournal(tmp_path / "journal.db") as journal:
        fill(journal)
        journal.backup(tmp_path / "safe" / "backup.db")
    assert sorted(path.name for path in (tmp_path / "safe").iterdir()) == ["backup.db", "backup.db.pub"]


def test_a_backup_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A backup that fails raises the reason and leaves no file."""
    (tmp_path / "safe").mkdir()
    (tmp_path / "safe" / "other.db.pub").write_bytes(b"")

    def full(_reader: apsw.Connection, _writer: apsw.Connection, _progress: object) -> None:
        raise apsw.FullError

    with SqliteJournal(tmp_path / "journal.db") as journal:
        fill(journal)
        with pytest.raises(JournalUnreachable, match=r"the folder .*nowhere does not exist"):
            journal.backup(tmp_path / "nowhere" / "backup.db")
        with pytest.raises(SigningError, match="not a public key"):
            journal.backup(tmp_path / "safe" / "other.db")
        monkeypatch.setattr("taisai.journal.sqlite.database._copy", full)
        with pytest.raises(JournalFull, match=r"backup\.db.* is full"):
            journal.backup(tmp_path / "safe" / "backup.db")
    assert [path.name for path in (tmp_path / "safe").iterdir()] == ["other.db.pub"]


def test_a_backup_keeps_keys_apart(tmp_path: Path) -> None:
    """A backup is not written beside the public key of another journal."""
    for name in ("one", "two"):
        with SqliteJournal(tmp_path / f"{name}.db") as journal:
            fill(journal)
    (tmp_path / "backup.db.pub").write_bytes((tmp_path / "two.db.pub").read_bytes())
    with SqliteJournal(tmp_path / "one.db") as journal:
        with pytest.raises(JournalUnreachable, match="belongs to another journal"):
            journal.backup(tmp_path / "backup.db")
        (tmp_path / "backup.db.pub").write_bytes((tmp_path / "one.db.pub").read_bytes())
        journal.backup(tmp_path / "backup.db")
