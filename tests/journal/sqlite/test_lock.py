"""The lock: one writer for each journal file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from taisai.journal import (
    Batch,
    JournalInUse,
    SqliteJournal,
)
from tests.journal.samples import new


def test_one_writer_in_a_process(tmp_path: Path) -> None:
    """A second writer is refused in the same process too, also under another name of the file; a reader is not."""
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
