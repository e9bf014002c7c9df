"""`taisai report` over a journal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import printed, refused


def test_report_shows_days_and_writes_files(capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path) -> None:
    """A report on the screen, as JSON, as CSV, and as a page."""
    assert "Significant events" in printed(capfd, "report", str(journal))
    rows = json.loads(printed(capfd, "report", str(journal), "--by", "life", "--json"))["rows"]
    assert rows[0]["table"] == "T1"
    assert printed(capfd, "report", str(journal), "--csv").startswith("span,table,rounds,")
    assert printed(capfd, "report", str(journal), "--csv", "--events").startswith("at,table,record,")
    assert "--events" in refused(capfd, "report", str(journal), "--events")
    page, sheet = tmp_path / "day.html", tmp_path / "day.csv"
    printed(capfd, "report", str(journal), "--zone", "Asia/Singapore", "-o", str(page))
    printed(capfd, "report", str(journal), "-o", str(sheet))
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert sheet.read_text(encoding="utf-8").startswith("span,table,rounds,")
    assert "No Activity" in printed(capfd, "report", str(journal), "--table", "T9")
    assert "--zone" in refused(capfd, "report", str(journal), "--zone", "Moon/Base")
    assert "--output" in refused(capfd, "report", str(journal), "-o", str(tmp_path / "x.pdf"))


def test_par_sheet_of_a_table(journal: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The PAR sheet of what really was at risk at a table names the rounds, the hold and the bets."""
    page = tmp_path / "par.html"
    found = json.loads(printed(capfd, "par", "nz-division-9/1", "--journal", str(journal), "--json", "-o", str(page)))
    assert found["lines"][0]["name"].startswith("table ")
    assert "standard deviations from what is expected" in found["played"]["hold"]
    assert found["played"]["hold"] in page.read_text(encoding="utf-8")
