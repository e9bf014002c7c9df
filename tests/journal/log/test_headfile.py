"""The head outside the database: whole or not there, and never something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.journal import SigningError
from taisai.journal.log.headfile import HeadFile
from taisai.journal.log.note import Checkpoint, Note
from tests.journal.log.test_tree import HOUSE


def note_of(size: int) -> Note:
    """A signed head."""
    text = str(Checkpoint("casino.example/floor", size, bytes(32)))
    return Note(text, (HOUSE.sign(text),))


def test_a_head_is_kept_and_replaced(tmp_path: Path) -> None:
    """What was written last is read, and nothing else lies around."""
    file = HeadFile(tmp_path / "floor.db.key")
    assert file.read() is None
    for size in (1, 2):
        file.write(note_of(size))
        assert file.read() == note_of(size)
    assert [path.name for path in tmp_path.iterdir()] == ["floor.db.head"]


@pytest.mark.parametrize("text", ["", "nonsense", "a\nb\n\n— a AAAAAAAA\n", "\x00" * 70_000])
def test_a_file_that_is_no_head_is_not_passed_over(tmp_path: Path, text: str) -> None:
    """A damaged file is not the same as none."""
    (tmp_path / "floor.db.head").write_text(text, encoding="utf-8")
    with pytest.raises(SigningError, match="cannot be read"):
        HeadFile(tmp_path / "floor.db.key").read()


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """The head goes nowhere: that is an error."""
    with pytest.raises(SigningError, match="cannot be written"):
        HeadFile(tmp_path / "gone" / "floor.db.key").write(note_of(1))
