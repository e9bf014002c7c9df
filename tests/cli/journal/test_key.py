"""`taisai key`: shown as others need it, changed by people with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.cli import main
from taisai.journal import SqliteJournal
from taisai.journal.log.keys import vouched_by
from taisai.journal.log.note import Note, Verifier
from tests.cli.running import printed
from tests.house.test_proof import grow, prover_of, signed


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal with a log."""
    with SqliteJournal(tmp_path / "floor.db") as journal:
        grow(journal, 5)
        signed(prover_of(journal))
    return tmp_path / "floor.db"


def test_a_key_is_shown_and_rotated(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The key in one line, the change with a reason, the old key's word as a file."""
    before = Verifier.read(printed(capfd, "key", str(path)))
    word = path.with_name("word.txt")
    given = ("--change", "rotation", "--by", "kim", "--reason", "every year", "--word", str(word))
    assert "the old key's word for it" in printed(capfd, "key", str(path), *given)
    after = Verifier.read(printed(capfd, "key", str(path)))
    assert vouched_by(Note.read(word.read_text(encoding="utf-8")), before) == after != before


@pytest.mark.parametrize("change", ["loss", "compromise", "restart"])
def test_without_a_word_people_are_told(path: Path, change: str, capfd: pytest.CaptureFixture[str]) -> None:
    """The command says that nobody vouches for the new key."""
    said = printed(capfd, "key", str(path), "--change", change, "--by", "kim", "--reason", "gone")
    assert "The old key does not vouch for it" in said


def test_a_change_needs_a_person_and_a_reason(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing is changed without both."""
    assert main(["key", str(path), "--change", "loss", "--by", "kim"]) == 2
    assert "--reason" in capfd.readouterr().err
    assert main(["key", str(path), "--change", "nonsense"]) == 2
