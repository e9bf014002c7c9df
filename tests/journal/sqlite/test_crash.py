"""Killed processes, truncated logs and failing disks: what was acknowledged is there, and nothing is half done."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from taisai.journal import Batch, JournalError, JournalFailed, JournalFull, JournalInUse, SqliteJournal
from taisai.journal.verify import verify, verify_file
from tests import ROOT
from tests.journal.samples import NOON, TABLES, content, copy_of, fill, several, sign_checkpoint
from tests.journal.sqlite.writer import commit


@contextmanager
def writing(path: Path, seed: int) -> Iterator[subprocess.Popen[str]]:
    """A process that writes; it is killed at the end."""
    command = [sys.executable, "-m", "tests.journal.sqlite.writer", str(path), str(seed)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def check_commits(journal: SqliteJournal) -> dict[int, int]:
    """Check that every commit is there with all its records or not at all; the size of each."""
    # One reading: a live journal has grown by the time of a second one.
    parts = [one.body.split(b" ", 2) for one in journal.read_all()]
    sizes = Counter(int(commit) for commit, _, _ in parts)
    said = {int(commit): int(size) for commit, size, _ in parts}
    assert dict(sizes) == said
    assert sorted(sizes) == list(range(1, len(sizes) + 1))
    return said


@pytest.mark.parametrize("life", range(2))
def test_killed_at_any_moment(tmp_path: Path, life: int) -> None:
    """After five SIGKILLs every acknowledged commit is there, none is there in part, and the journal verifies."""
    path, chance = tmp_path / "journal.db", random.Random(life)
    acknowledged: dict[int, int] = {}
    ends: dict[str, int] = {}
    for seed in range(5 * life, 5 * life + 5):
        with writing(path, seed) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(chance.randrange(1, 60))]
            process.kill()
            lines += process.stdout.readlines()
        for line in lines:
            if line.endswith("\n"):  # the last one may be cut off
                number, size, *places = line.split()
                acknowledged[int(number)] = int(size)
                ends.update((place.split("=")[0], int(place.split("=")[1])) for place in places)
        with SqliteJournal(path, read_only=True) as journal:
            assert list(verify(journal)) == []
            written = check_commits(journal)
            assert acknowledged.items() <= written.items()
            assert len(written) - max(acknowledged) <= 1
            assert all(journal.head(table).seq >= seq for table, seq in ends.items())
    assert len(acknowledged) > 25


def test_a_second_writer_is_refused_at_once(tmp_path: Path) -> None:
    """While one process writes, another may read and not write; after the first is killed it may."""
    path = tmp_path / "journal.db"
    with writing(path, 1) as process:
        with pytest.raises(JournalInUse, match=rf"process {process.pid} is writing to .*journal\.db"):
            SqliteJournal(path)
        with SqliteJournal(path, read_only=True) as reader:
            check_commits(reader)
            assert list(verify(reader)) == []
        reader_only = tmp_path / "backup.db"
        with SqliteJournal(path, read_only=True) as reader:
            reader.backup(reader_only)
        assert list(verify_file(reader_only)) == []
    with SqliteJournal(path) as journal:
        check_commits(journal)
        with pytest.raises(JournalInUse):
            SqliteJournal(path)


@pytest.mark.parametrize("seed", range(3))
def test_power_lost(tmp_path: Path, seed: int) -> None:
    """A write-ahead log cut at any byte, as after a loss of power, leaves whole commits and a journal that verifies."""
    chance = random.Random(seed)
    path, copy = tmp_path / "journal.db", tmp_path / "copy.db"
    with SqliteJournal(path) as journal:
        for number in range(1, 25):
            commit(journal, number, chance)
        sign_checkpoint(journal, NOON)
        # By another process: a file that is opened and closed in this one loses SQLite's locks.
        subprocess.run(["cp", str(path), f"{path}-wal", f"{path}.pub", str(tmp_path / "..")], check=True)
    saved = tmp_path / ".."
    log = (saved / "journal.db-wal").read_bytes()
    counts = set()
    for _ in range(12):
        shutil.copyfile(saved / "journal.db", copy)
        shutil.copyfile(saved / "journal.db.pub", f"{copy}.pub")
        cut = chance.randrange(len(log))
        noise = chance.randbytes(chance.choice([0, 0, 3000]))
        Path(f"{copy}-wal").write_bytes(log[:cut] + noise)
        Path(f"{copy}-shm").unlink(missing_ok=True)
        try:
            journal = SqliteJournal(copy)
        except JournalError:
            pytest.fail("the journal does not open after the loss of power")
        with journal:
            counts.add(len(check_commits(journal)))
            assert list(verify(journal)) == []
            commit(journal, journal.position() + 1, chance)
        for ending in ("-wal", ".lock"):
            Path(f"{copy}{ending}").unlink(missing_ok=True)
    assert len(counts) > 3


class FaultyFile(apsw.VFSFile):
    """A file whose writing fails after some calls."""

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - the name is apsw's
        """Write, or fail."""
        Faults.count("write")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802 - the name is apsw's
        """Make durable, or fail."""
        Faults.count("sync")
        super().xSync(flags)


class Faults(apsw.VFS):
    """A file system that fails on demand."""

    base = "unix"
    left: int | None = None
    what = "write"
    error: type[apsw.Error] = apsw.FullError

    def __init__(self) -> None:
        super().__init__("faulty", self.base, makedefault=True)

    @classmethod
    def count(cls, what: str) -> None:
        """Fail when it is due."""
        if cls.left is not None and what == cls.what:
            cls.left -= 1
            if cls.left < 0:
                raise cls.error("on purpose")

    def xOpen(self, name: Any, flags: list[int]) -> FaultyFile:  # noqa: N802 - the name is apsw's
        """A file that may fail."""
        return FaultyFile(self.base, name, flags)


@pytest.fixture
def faults() -> Iterator[type[Faults]]:
    """A file system that fails on demand."""
    usual = apsw.vfs_names()[0]
    vfs = Faults()
    Faults.left = None
    yield Faults
    vfs.unregister()
    apsw.set_default_vfs(usual)


@pytest.mark.parametrize("after", range(8))
def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, faults: type[Faults], after: int) -> None:
    """When the disk fills up at the nth write, nothing of the commit is there; with space again, appending works."""
    with SqliteJournal(tmp_path / "journal.db") as journal:
        fill(journal)
        before = content(journal)
        batches = [Batch(table, journal.head(table).seq, several(900, 40)) for table in TABLES]
        faults.what, faults.error, faults.left = "write", apsw.FullError, after
        with pytest.raises(JournalFull, match=r"is full: nothing was written"):
            journal.append(batches)
        faults.left = None
        assert content(journal) == before
        assert list(verify(journal)) == []
        journal.append(batches)
        assert list(verify(journal)) == []


@pytest.mark.parametrize("what", ["write", "sync"])
def test_a_failing_disk_stops_the_writing(tmp_path: Path, faults: type[Faults], what: str) -> None:
    """When the disk fails, the journal refuses writes until it is reopened; what was acknowledged is there."""
    with SqliteJournal(tmp_path / "journal.db") as journal:
        fill(journal)
        before = journal.position()
        faults.what, faults.error, faults.left = what, apsw.IOError, 0
        with pytest.raises(JournalFailed):
            journal.append([Batch("x", 0, several(0, 5))])
        faults.left = None
        with pytest.raises(JournalFailed, match="open the journal again"):
            journal.append([Batch("x", 0, several(0, 5))])
        assert len(list(journal.read_all(0, before))) == before
    with SqliteJournal(tmp_path / "journal.db") as journal:
        assert list(verify(journal)) == []
        assert journal.position() in {before, before + 5}
        journal.append([Batch("y", 0, several(0, 5))])
        assert list(verify(journal)) == []


def test_a_page_limit_is_a_full_disk(tmp_path: Path) -> None:
    """SQLite's own page limit counts as a full disk, for records, snapshots and checkpoints."""
    path = tmp_path / "journal.db"
    with SqliteJournal(path) as journal:
        fill(journal)
        before = content(journal)
        assert journal._writer is not None
        journal._writer.execute("PRAGMA max_page_count = 1").fetchall()
        for call in (
            lambda: journal.append([Batch("x", 0, several(0, 500))]),
            lambda: journal.save_snapshot(TABLES[0], 1, 1, bytes(100_000)),
        ):
            with pytest.raises(JournalFull, match=r"journal\.db is full"):
                call()
            assert content(journal) == before
        journal._writer.execute("PRAGMA max_page_count = 100000").fetchall()
        journal.append([Batch("x", 0, several(0, 500))])
        assert list(verify(journal)) == []
    copy_of(path, tmp_path / "copy.db")
