"""`taisai conformance`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import printed, refused


def test_the_report_is_shown_and_written(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """On the terminal, as plain values, and as one file of each form."""
    assert "0 red" in printed(capfd, "conformance", "rws-tai-sai-v6")
    report = json.loads(printed(capfd, "conformance", "rws-tai-sai-v6", "--json"))
    assert report["counts"]["red"] == 0
    page, plain = tmp_path / "report.html", tmp_path / "report.json"
    printed(capfd, "conformance", "rws-tai-sai-v6", "-o", str(page))
    printed(capfd, "conformance", "rws-tai-sai-v6", "-o", str(plain))
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads(plain.read_text(encoding="utf-8")) == report


def test_a_wrong_name_is_refused(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file of another form, and a book that is not there, are refused with their names."""
    assert "ends in .html or .json" in refused(capfd, "conformance", "rws-tai-sai-v6", "-o", str(tmp_path / "x.pdf"))
    assert "rws-tai-sai-v9" in refused(capfd, "conformance", "rws-tai-sai-v9")
