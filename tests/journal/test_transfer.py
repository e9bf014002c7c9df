"""Copying one journal into another."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.journal import (
    InvalidRecord,
    JournalDamaged,
    MemoryJournal,
    SqliteJournal,
)
from taisai.journal.transfer import copy
from tests.journal.samples import NOON, content, copy_of, edit, sign_checkpoint


def test_a_journal_is_copied_into_an_empty_one_only(sound: Path) -> None:
    """A copy has the same hashes; a journal that already has records is refused as a target."""
    with SqliteJournal(sound, read_only=True) as source, MemoryJournal() as target:
        copy(source, target)
        assert content(target) == content(source)
        with pytest.raises(Exception, match="only be copied into an empty one"):
            copy(source, target)


def test_a_journal_with_entries_is_not_empty() -> None:
    """A target with settings or checkpoints is not empty, and is refused."""
    with MemoryJournal() as source, MemoryJournal() as kept, MemoryJournal() as signed:
        kept.put("setting", b"mine")
        sign_checkpoint(signed, NOON)
        for target in (kept, signed):
            with pytest.raises(InvalidRecord, match="only be copied into an empty one"):
                copy(source, target)


def test_a_copy_of_a_tampered_journal_is_noticed(sound: Path, tmp_path: Path) -> None:
    """A journal whose hashes differ after copying was tampered with, and the copy raises."""
    path = copy_of(sound, tmp_path / "journal.db")
    edit(path, "UPDATE record SET at = at + 1 WHERE position = 5")
    with (
        SqliteJournal(path, read_only=True) as source,
        MemoryJournal() as target,
        pytest.raises(JournalDamaged, match="the copy differs"),
    ):
        copy(source, target)
