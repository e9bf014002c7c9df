"""The journal in memory, beyond the contract: its key, and its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.journal import JournalClosed, MemoryJournal, SqliteJournal
from taisai.journal.verify import verify
from tests.journal.samples import NOON, content, fill, sign_checkpoint


def test_its_key_ends_with_it() -> None:
    """It signs with a key of its own, which is in no file and differs from one journal to the next."""
    with MemoryJournal() as one, MemoryJournal() as two:
        assert (one.public_key(), one.key_file) == (None, None)
        for journal in (one, two):
            sign_checkpoint(journal, NOON)
        assert one.public_key() is not None
        assert one.public_key() != two.public_key()


def test_its_backup_is_a_file_that_goes_on(tmp_path: Path) -> None:
    """A backup is a journal file with the same content and the public key, and can be appended to."""
    with MemoryJournal() as memory:
        fill(memory)
        memory.backup(tmp_path / "copy.db")
        before = content(memory)
    with SqliteJournal(tmp_path / "copy.db") as file:
        assert content(file) == before
        assert list(verify(file)) == []


def test_it_cannot_be_used_after_its_end() -> None:
    """Closing it ends its use, also in the middle of a read."""
    journal = MemoryJournal()
    fill(journal, 400)
    reading = journal.read_all()
    next(reading)
    journal.close()
    journal.close()
    with pytest.raises(JournalClosed, match="the journal in memory is closed"):
        journal.position()
    with pytest.raises(JournalClosed):
        list(reading)
