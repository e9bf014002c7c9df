"""A report as CSV and as a page."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET

from taisai.audit.pages import SafeCsv, to_csv, to_html
from taisai.audit.reports import NO_ACTIVITY, Report, ReportRequest, Span, make_report
from taisai.journal import MemoryJournal
from taisai.table.state import TableState
from tests.audit.samples import MADE_AT


def test_csv_has_title_interval_and_rows(dealt: tuple[MemoryJournal, dict[str, TableState]]) -> None:
    """The CSV begins with what it is, and has every row."""
    report = make_report(dealt[0], ReportRequest(span=Span.DAY, made_at=MADE_AT))
    rows = list(csv.reader(io.StringIO(to_csv(report))))
    assert [row[0] for row in rows[:3]] == ["title", "interval", "made at"]
    assert rows[4][:3] == ["span", "table", "rounds"]
    assert len(rows) == 4 + 1 + len(report.rows) + 2 + len(report.significant)


def test_the_page_is_well_formed_and_escaped(dealt: tuple[MemoryJournal, dict[str, TableState]]) -> None:
    """The page holds every row, and a table's name cannot become markup."""
    page = to_html(make_report(dealt[0], ReportRequest(span=Span.DAY, made_at=MADE_AT)))
    assert "SG&lt;1&gt;" in page
    body = page.partition("<body>")[2].partition("</body>")[0].replace(" class=number", "")
    assert len(ET.fromstring(f"<div>{body}</div>").findall("table")) == 2


def test_virtual_dice_are_said_on_every_form() -> None:
    """A report of tables that had virtual dice says so at its head: in CSV and on the page (I23)."""
    report = make_report(MemoryJournal(), ReportRequest(span=Span.LIFE, made_at=MADE_AT))
    assert "notice" not in to_csv(report)
    report = report._replace(virtual=("T1", "T2"))
    said = "Virtual dice at T1, T2: demonstration or training, unless the book admits them."
    assert f'notice,"{said}"' in to_csv(report)
    assert f"<strong>{said}</strong>" in to_html(report)


def test_nothing_is_said_to_be_nothing() -> None:
    """An empty journal gives a report that says "No Activity"."""
    report = make_report(MemoryJournal(), ReportRequest(span=Span.DAY, made_at=MADE_AT))
    assert report == Report("Tables by day", None, None, MADE_AT, (), ())
    assert report.interval == NO_ACTIVITY
    assert to_csv(report).count(NO_ACTIVITY) == 3
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


def test_a_text_is_neither_a_row_nor_a_formula() -> None:
    """Line breaks, a bare CR too, are written out, and what a spreadsheet would compute begins with an apostrophe."""
    out = io.StringIO()
    SafeCsv(out).writerow(["late\r=1+1", "=1+1", "@x", "-5", "+1.5", -7, "a\nb", "plain"])
    assert out.getvalue() == "late\\r=1+1,'=1+1,'@x,-5,+1.5,-7,a\\nb,plain\n"
