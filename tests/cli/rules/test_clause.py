"""`taisai clause`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.books.helpers import change, write_book
from tests.cli.running import printed, refused


def test_a_clause_shows_words_duty_interpretation_and_tests(capfd: pytest.CaptureFixture[str]) -> None:
    """A clause tells what it says, what is owed, how it is read, who cites it and which tests hold it."""
    shown = printed(capfd, "clause", "rws-tai-sai-v6", "5.1.1")
    for part in ("pro rata", "duty: rule", "interpretation I6", "rule: pro-rata", "tests/core/test_prorata.py"):
        assert part in shown
    found = json.loads(printed(capfd, "clause", "rws-tai-sai-v6", "§5.1.1", "--json"))
    assert found["effective"].startswith("2023-10-06T08:00")
    assert found["tests"]
    assert json.loads(printed(capfd, "clause", "rws-mini-dice-v3", "i9", "--json"))["clauses"]


def test_a_beginning_of_clauses_lists_them(capfd: pytest.CaptureFixture[str]) -> None:
    """A number that only begins others, or none at all, lists them."""
    assert len(json.loads(printed(capfd, "clause", "rws-open-cover-v3", "5.1", "--json"))["cited_by"]) > 0
    listed = json.loads(printed(capfd, "clause", "nz-division-9", "4.1", "--json"))
    assert [each["id"] for each in listed][:2] == ["4.1(a)", "4.1(b)"]
    assert "no clause '99'" in refused(capfd, "clause", "nz-division-9", "99")
    assert printed(capfd, "clause", "rws-mini-dice-v3").count("\n") > 18


def test_a_clause_without_a_stated_duty_is_shown(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A book from elsewhere need not say what the software owes it; then no duty is shown."""
    folder = write_book(tmp_path / "mini", {"software.toml": None})
    change(folder, "book.toml", 'clause = "3"\nopen', 'clause = ["3", "6"]\nopen')
    shown = printed(capfd, "clause", "mini", "2", "--book-dir", str(folder))
    assert "duty" not in shown
    assert "in force from: 2024-01-01" in shown
    assert "Limits stand on the sign." in printed(capfd, "clause", "mini", "--book-dir", str(folder))
    found = json.loads(printed(capfd, "clause", "mini", "2", "--json", "--book-dir", str(folder)))
    assert (found["duties"], found["room"]) == ([], "")
