"""`taisai backup` and `taisai restore`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from taisai.cli.journal.backup import record
from taisai.journal import open_journal
from taisai.journal.contract import Progress
from taisai.journal.sqlite.journal import SqliteJournal
from taisai.streams.house_events import JournalRestored
from tests.cli.journal.tampering import tamper
from tests.cli.running import printed, refused


def test_backup_and_restore(capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path) -> None:
    """A backup audits clean, comes back only when it is sound, and overwrites only by force."""
    copy, target = tmp_path / "copy.db", tmp_path / "restored.db"
    assert "records copied" in printed(capfd, "backup", str(journal), str(copy))
    assert "is sound" in printed(capfd, "restore", str(copy), str(target))
    assert "no finding" in printed(capfd, "audit", str(target))
    assert refused(capfd, "restore", str(copy), str(target))
    assert refused(capfd, "backup", str(journal), str(copy))
    tamper(copy)
    assert refused(capfd, "restore", str(copy), str(tmp_path / "other.db"))


def test_a_backup_counts_what_is_in_the_copy(
    capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables go on playing while the journal is copied: what they write meanwhile is not counted."""
    with open_journal(journal, read_only=True) as opened:
        there = opened.position()
    before = SqliteJournal.backup

    def backup(self: SqliteJournal, target: Path, progress: Progress | None = None) -> None:
        before(self, target, progress)
        with open_journal(journal) as writing:
            record(writing, JournalRestored("another.db", 1))

    monkeypatch.setattr(SqliteJournal, "backup", backup)
    assert f"{there:,} records copied" in printed(capfd, "backup", str(journal), str(tmp_path / "copy.db"))


def test_a_folder_of_backups_keeps_some_days(
    capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copies are named by time and readable by their owner alone; old ones go, other files and the newest stay."""
    folder = tmp_path / "backups"
    folder.mkdir()
    old = folder / "floor-20200101T000000Z.db"
    for each in (old, folder / "floor-20200101T000000Z.db.pub", folder / "floor-notes.db"):
        each.touch()
    monkeypatch.setenv("TAISAI_JOURNAL", str(journal))
    told = tmp_path / "taisai.prom"
    said = printed(capfd, "backup", "--into", str(folder), "--keep-days", "14", "--metrics", str(told))
    assert re.search(r"^taisai_backup_timestamp_seconds \d{10}$", told.read_text(encoding="ascii"), re.MULTILINE)
    assert "records copied" in said
    assert "floor-20200101T000000Z.db removed" in said.replace("\n", "")
    [made] = folder.glob("floor-2*.db")
    assert made.stat().st_mode & 0o777 == 0o600
    assert (folder / "floor-notes.db").exists()
    assert not list(folder.glob("floor-2020*"))


def test_a_backup_without_a_place_or_a_journal_is_refused(
    capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each missing or contradicting part is named."""
    monkeypatch.delenv("TAISAI_JOURNAL", raising=False)
    assert "TARGET" in refused(capfd, "backup", str(journal))
    assert "TARGET" in refused(capfd, "backup", str(journal), str(tmp_path / "a.db"), "--into", str(tmp_path))
    assert "JOURNAL" in refused(capfd, "backup", "--into", str(tmp_path))
    assert "there is no folder" in refused(capfd, "backup", str(journal), "--into", str(tmp_path / "none"))
    assert "--keep-days" in refused(capfd, "backup", str(journal), "--into", str(tmp_path), "--keep-days", "0")
