"""`taisai clause`."""

from __future__ import annotations

import json

import pytest

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
