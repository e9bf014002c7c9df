"""`taisai backup` and `taisai restore`."""

from __future__ import annotations

from pathlib import Path

import pytest

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
