"""`taisai views`."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from tests.cli.running import printed, refused


def test_views_by_one_command(capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path) -> None:
    """An export with the house's zone, then its views; another zone, an unknown one and no export are refused."""
    folder, file = str(tmp_path / "history"), tmp_path / "floor.duckdb"
    printed(capfd, "export", str(journal), folder, "--zone", "Asia/Singapore")
    assert "rounds, bets, placements, postings, events, hours" in printed(capfd, "views", folder, str(file))
    with duckdb.connect(str(file), read_only=True) as base:
        found = base.execute("SELECT COUNT(*) FROM rounds").fetchone()
        assert found is not None
        assert found[0] > 0
    assert "has the days of Asia/Singapore" in refused(capfd, "export", str(journal), folder, "--zone", "UTC")
    assert "a time zone such as" in refused(capfd, "export", str(journal), str(tmp_path / "b"), "--zone", "Mars/Base")
    assert "is not an export" in refused(capfd, "views", str(tmp_path), str(file))
