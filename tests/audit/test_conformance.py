"""The examiner's report: every clause with what keeps and proves it; one that no test holds is red."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from msgspec.structs import replace

from taisai.audit import conformance
from taisai.audit.conformance import Status, conformance_of, conformance_page
from tests.table.driver import shelf

BOOKS = [book.id for book in shelf().books()]


@pytest.mark.parametrize("book_id", BOOKS)
def test_every_clause_is_held_or_peoples_work(book_id: str) -> None:
    """The report has each clause and each reading once, and none of the clauses is red."""
    book = shelf().book(book_id)
    report = conformance_of(book, shelf().duties(book_id), "0")
    assert [line.id for line in report.clauses] == list(book.clauses)
    assert [line.id for line in report.readings] == list(book.interpretations)
    assert [line.id for line in report.clauses if line.status is Status.RED] == []
    assert [line.id for line in report.readings if line.status is Status.RED] == []
    assert sum(report.counts.values()) == len(report.clauses)
    assert sum(report.reading_counts.values()) == len(report.readings)
    assert report.digest == book.digest


def test_a_clause_shows_all_that_stands_behind_it() -> None:
    """Data, function, test, event, check of the audit and reading of pro rata and of the close are named."""
    report = conformance_of(shelf().book("rws-tai-sai-v6"), shelf().duties("rws-tai-sai-v6"), "0")
    lines = {line.id: line for line in report.clauses}
    assert "rule: pro-rata" in lines["5.1.1"].data
    assert "I6" in lines["5.1.1"].readings
    assert any(test.startswith("tests/core/test_prorata.py") for test in lines["5.1.1"].tests)
    closed = lines["5.7"]
    assert "taisai.table.handlers.betting:place_bet" in closed.functions
    assert "bet-withdrawn" in closed.events
    assert "taisai.audit.procedure.steps:in_order" in closed.checks
    flat = lines["5.5.2"]
    assert "taisai.table.handlers.facts:consequences" in flat.functions
    assert "fact-recorded" in flat.events
    assert "taisai.audit.procedure.facts:fact_recorded" in flat.checks
    assert "taisai.core.prorata:fix_stakes" in lines["5.1.1"].functions


@pytest.mark.parametrize("book_id", ["nz-division-9", "rws-open-cover-v3", "rws-tai-sai-v6", "rws-mini-dice-v3"])
def test_what_the_software_enforces_names_the_check_that_looks(book_id: str) -> None:
    """A clause that is a rule of the software has a check of the audit behind it."""
    report = conformance_of(shelf().book(book_id), shelf().duties(book_id), "0")
    assert [line.id for line in report.clauses if "rule" in line.duty and not line.checks] == []


def test_a_clause_without_a_test_is_red(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clause that no test holds is red, in the counts and on the page, unless it is people's work alone."""
    monkeypatch.setattr(conformance, "tests_holding", lambda _book, clause: () if clause == "5.11" else ("tests/x",))
    report = conformance_of(shelf().book("rws-tai-sai-v6"), shelf().duties("rws-tai-sai-v6"), "0")
    assert [line.id for line in report.clauses if line.status is Status.RED] == ["5.11"]
    assert report.counts["red"] == 1
    assert conformance_page(report).count('class="red"') == 1


def test_the_page_is_well_formed_and_escaped() -> None:
    """One page, nothing from elsewhere, and words of a book are text."""
    report = conformance_of(shelf().book("nz-division-9"), shelf().duties("nz-division-9"), "0")
    page = conformance_page(replace(report, title="<b>&"))
    ET.fromstring(page.removeprefix("<!doctype html>\n").replace('<meta charset="utf-8">', "").replace("<br>", "<br/>"))
    assert "http" not in page
    assert "&lt;b&gt;&amp;" in page


def test_the_same_rules_give_the_same_report() -> None:
    """The digest of the content depends on the content alone."""
    book, duties = shelf().book("rws-mini-dice-v3"), shelf().duties("rws-mini-dice-v3")
    assert conformance_of(book, duties, "0") == conformance_of(book, duties, "0")
    assert conformance_of(book, duties, "0").content != conformance_of(book, {}, "0").content
