"""`taisai audit`: a good journal, a tampered one, a missing one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from taisai.journal.signing import public_path
from tests.cli.journal.tampering import tamper
from tests.cli.running import printed, refused


def test_audit_of_a_good_journal(capfd: pytest.CaptureFixture[str], journal: Path) -> None:
    """A good journal has no finding and exit code 0, with its own key or one that is given."""
    assert "no finding" in printed(capfd, "audit", str(journal))
    words = ("audit", str(journal), "--public-key", str(public_path(journal)), "--json")
    found = json.loads(printed(capfd, *words))
    assert found["findings"] == []
    assert found["tables"]["T1"]["rounds"] > 5


def test_audit_of_a_tampered_journal(capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path) -> None:
    """One flipped byte of a bet is found, named, and gives exit code 1."""
    copy = tmp_path / "copy.db"
    shutil.copy(journal, copy)
    tamper(copy)
    found = json.loads(printed(capfd, "audit", str(copy), "--json", code=1))
    assert any(finding["code"] == "record-altered" and finding["table"] == "T1" for finding in found["findings"])
    assert "findings" in printed(capfd, "audit", str(copy), code=1)


def test_a_missing_journal_is_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file that is not there, or is no journal, is one clear line."""
    missing, foreign = tmp_path / "none.db", tmp_path / "foreign.db"
    foreign.write_text("hello", encoding="utf-8")
    for command in (("report",), ("replay", "--table", "T1"), ("explain", "--table", "T1", "--player", "p")):
        for file in (missing, foreign):
            assert str(file) in refused(capfd, command[0], str(file), *command[1:])
    assert str(missing) in refused(capfd, "audit", str(missing))
