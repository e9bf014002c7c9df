"""A report as CSV and as a page."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from importlib import import_module

import pytest

from taisai.audit.pages import events_to_csv, to_csv, to_html
from taisai.audit.reports import NO_ACTIVITY, Report, ReportRequest, Span, make_report
from taisai.journal import MemoryJournal
from taisai.table.state import TableState
from tests.audit.samples import MADE_AT


def test_csv_is_one_table(dealt: tuple[MemoryJournal, dict[str, TableState]]) -> None:
    """The CSV is a heading and the rows, all equally wide; what the report is stands in every row (R33)."""
    report = make_report(dealt[0], ReportRequest(span=Span.DAY, made_at=MADE_AT))
    head, *rows = csv.reader(io.StringIO(to_csv(report)))
    assert head[:3] == ["span", "table", "rounds"]
    assert head[-4:] == ["report", "interval", "made at", "notice"]
    assert len(rows) == len(report.rows)
    assert {len(row) for row in rows} == {len(head)}
    assert {tuple(row[-4:-1]) for row in rows} == {(report.title, report.interval, MADE_AT.isoformat())}
    head, *events = csv.reader(io.StringIO(events_to_csv(report)))
    assert (head[0], len(events)) == ("at", len(report.significant))
    assert {len(row) for row in events} == {len(head)}


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_csv_loads(dealt: tuple[MemoryJournal, dict[str, TableState]], name: str) -> None:
    """The CSV is read as it is by pandas and Polars, numbers as numbers."""
    library = import_module(name)
    report = make_report(dealt[0], ReportRequest(span=Span.DAY, made_at=MADE_AT))
    frame = library.read_csv(io.StringIO(to_csv(report)))
    assert [int(each) for each in frame["staked"]] == [row.staked for row in report.rows]
    assert int(frame["win"].sum()) == sum(row.win for row in report.rows)
    assert len(library.read_csv(io.StringIO(events_to_csv(report)))) == len(report.significant)


def test_the_page_is_well_formed_and_escaped(dealt: tuple[MemoryJournal, dict[str, TableState]]) -> None:
    """The page holds every row, and a table's name cannot become markup."""
    page = to_html(make_report(dealt[0], ReportRequest(span=Span.DAY, made_at=MADE_AT)))
    assert "SG&lt;1&gt;" in page
    body = page.partition("<body>")[2].partition("</body>")[0].replace(" class=number", "")
    assert len(ET.fromstring(f"<div>{body}</div>").findall("table")) == 2


def test_virtual_dice_are_said_on_every_form() -> None:
    """A report of tables that had virtual dice says so at its head: in CSV and on the page (I23)."""
    report = make_report(MemoryJournal(), ReportRequest(span=Span.LIFE, made_at=MADE_AT))
    assert to_csv(report).endswith(",\n")
    report = report._replace(virtual=("T1", "T2"))
    said = "Virtual dice at T1, T2: demonstration or training, unless the book admits them."
    assert to_csv(report).endswith(f',"{said}"\n')
    assert f"<strong>{said}</strong>" in to_html(report)


def test_nothing_is_said_to_be_nothing() -> None:
    """An empty journal gives a report that says "No Activity"."""
    report = make_report(MemoryJournal(), ReportRequest(span=Span.DAY, made_at=MADE_AT))
    assert report == Report("Tables by day", None, None, MADE_AT, (), ())
    assert report.interval == NO_ACTIVITY
    assert to_csv(report).count(NO_ACTIVITY) == 2
    assert events_to_csv(report).count(NO_ACTIVITY) == 1
    assert to_html(report).count(NO_ACTIVITY) == 3


def test_the_page_has_a_picture_of_the_win(dealt: tuple[MemoryJournal, dict[str, TableState]]) -> None:
    """Each span has a bar with what was won, beside a mark for what was to be expected; an empty report has none."""
    report = make_report(dealt[0], ReportRequest(span=Span.DAY, made_at=MADE_AT))
    page = to_html(report)
    spans = {row.span for row in report.rows}
    assert page.count("<title>") == len(spans) + 1
    for span in spans:
        won = sum(row.win for row in report.rows if row.span == span)
        assert f"<title>{span}: won {won:,}, expected " in page
    empty = report._replace(rows=())
    assert "<svg" not in to_html(empty)
