"""Reports: meters that agree with the table, significant events, CSV and a page, and "No Activity" said."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from taisai.audit.reports import NO_ACTIVITY, Report, Span, make_report, to_csv, to_html
from taisai.books import open_shelf
from taisai.journal import MemoryJournal
from taisai.table.state import TableState
from tests.audit.bot import Bot, deal
from tests.streams.keeper import TableKeeper

MADE_AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def dealt() -> tuple[MemoryJournal, dict[str, TableState]]:
    """Two tables, dealt for a while."""
    shelf = open_shelf(environment={})
    journal = MemoryJournal()
    states = {}
    for table, book, layout in (("NZ", "nz-division-9", "1"), ("SG<1>", "rws-tai-sai-v6", "C")):
        keeper = TableKeeper(journal, shelf.book, table)
        for _ in islice(deal(keeper, Bot(shelf.book(book), layout, 4, trouble=0.2)), 500):
            pass
        states[table] = keeper.state
    return journal, states


def test_life_agrees_with_the_meters_of_the_tables(dealt: tuple[MemoryJournal, dict[str, TableState]]) -> None:
    """Rounds, voids, stakes, returns and drop are what the tables' own meters say."""
    journal, states = dealt
    report = make_report(journal, span=Span.LIFE, made_at=MADE_AT)
    assert [row.table for row in report.rows] == sorted(states)
    for row in report.rows:
        meters = states[row.table].meters
        assert (row.rounds, row.voided, row.staked, row.returned) == (
            meters.rounds, meters.voided, meters.staked, meters.returned,
        )  # fmt: skip
        assert row.expected_216 == meters.expected_216
        assert row.win == row.staked - row.returned
        assert row.drop == states[row.table].shift.drop
        assert row.hold is not None
        assert row.actual_return is not None
        assert row.theoretical_return is not None
        assert 0 < row.theoretical_return < 1


def test_days_add_up_to_life(dealt: tuple[MemoryJournal, dict[str, TableState]]) -> None:
    """Whatever the span and the zone, the rows add up to the same."""
    journal, _ = dealt
    whole = make_report(journal, span=Span.LIFE, made_at=MADE_AT)
    for span in (Span.DAY, Span.MONTH, Span.YEAR):
        parts = make_report(journal, span=span, made_at=MADE_AT, zone=ZoneInfo("Asia/Singapore"))
        assert sum(row.staked for row in parts.rows) == sum(row.staked for row in whole.rows)
    one = make_report(journal, span=Span.LIFE, made_at=MADE_AT, tables=["NZ"])
    assert [row.table for row in one.rows] == ["NZ"]


def test_significant_events_are_told(dealt: tuple[MemoryJournal, dict[str, TableState]]) -> None:
    """Voids, amendments with both people and the reason, and large wins are listed."""
    journal, states = dealt
    report = make_report(journal, span=Span.LIFE, made_at=MADE_AT, large_win=1)
    kinds = [each.what for each in report.significant]
    assert kinds.count("round-voided") == sum(state.meters.voided for state in states.values())
    assert "bet-paid" in kinds
    assert "bet-paid" not in {each.what for each in make_report(journal, span=Span.LIFE, made_at=MADE_AT).significant}
    amended = next(each for each in report.significant if each.what == "entry-amended")
    assert (amended.by, amended.authorised_by) == ("dan", "lee")
    assert "as the bot sees it" in amended.detail


def test_csv_has_title_interval_and_rows(dealt: tuple[MemoryJournal, dict[str, TableState]]) -> None:
    """The CSV begins with what it is, and has every row."""
    report = make_report(dealt[0], span=Span.DAY, made_at=MADE_AT)
    rows = list(csv.reader(io.StringIO(to_csv(report))))
    assert [row[0] for row in rows[:3]] == ["title", "interval", "made at"]
    assert rows[4][:3] == ["span", "table", "rounds"]
    assert len(rows) == 4 + 1 + len(report.rows) + 2 + len(report.significant)


def test_the_page_is_well_formed_and_escaped(dealt: tuple[MemoryJournal, dict[str, TableState]]) -> None:
    """The page holds every row, and a table's name cannot become markup."""
    page = to_html(make_report(dealt[0], span=Span.DAY, made_at=MADE_AT))
    assert "SG&lt;1&gt;" in page
    body = page.partition("<body>")[2].partition("</body>")[0].replace(" class=number", "")
    assert len(ET.fromstring(f"<div>{body}</div>").findall("table")) == 2


def test_nothing_is_said_to_be_nothing() -> None:
    """An empty journal gives a report that says "No Activity"."""
    report = make_report(MemoryJournal(), span=Span.DAY, made_at=MADE_AT)
    assert report == Report("Tables by day", None, None, MADE_AT, (), ())
    assert report.interval == NO_ACTIVITY
    assert to_csv(report).count(NO_ACTIVITY) == 3
    assert to_html(report).count(NO_ACTIVITY) == 3


def test_the_page_has_a_picture_of_the_win(dealt: tuple[MemoryJournal, dict[str, TableState]]) -> None:
    """Each span has a bar with what was won, beside a mark for what was to be expected; an empty report has none."""
    report = make_report(dealt[0], span=Span.DAY, made_at=MADE_AT)
    page = to_html(report)
    spans = {row.span for row in report.rows}
    assert page.count("<title>") == len(spans) + 1
    for span in spans:
        won = sum(row.win for row in report.rows if row.span == span)
        assert f"<title>{span}: won {won:,}, expected " in page
    empty = report._replace(rows=())
    assert "<svg" not in to_html(empty)
