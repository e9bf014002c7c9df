"""Opening a journal by its address."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.journal import (
    Batch,
    JournalUnreachable,
    MemoryJournal,
    open_journal,
)
from tests.journal.samples import new


def test_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path, sqlite:///path and memory: are accepted; after three slashes the path is taken literally."""
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
    """An invalid address is refused with the reason."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(JournalUnreachable, match=words):
        open_journal(address)


def test_a_missing_journal_is_not_made_for_reading(tmp_path: Path) -> None:
    """A missing journal is not made for reading, nor with `create` false."""
    for options in ({"read_only": True}, {"create": False}):
        with pytest.raises(JournalUnreachable, match="there is no journal at"):
            open_journal(tmp_path / "a.db", **options)
    assert list(tmp_path.iterdir()) == []
