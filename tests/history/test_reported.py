"""A report over an export is that of the audit."""

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from taisai.audit.reports import Span, make_report
from taisai.history.engines import Engine
from taisai.history.folder import Export
from taisai.history.reported import report_history
from taisai.journal import MemoryJournal
from tests.history.asked import (
    LORD_HOWE,
    SINGAPORE,
    asked_for,
)


@pytest.mark.parametrize("span", list(Span))
@pytest.mark.parametrize("zone", [UTC, SINGAPORE, LORD_HOWE])
def test_reports_are_those_of_the_audit(
    journal: MemoryJournal, export: Export, engine: Engine, span: Span, zone: ZoneInfo
) -> None:
    """The whole report is the audit's, by day, month, year and life, in any zone."""
    made = report_history(export, engine, asked_for(span, zone))
    assert made == make_report(journal, asked_for(span, zone))
    assert len({row.table for row in made.rows}) == len(export.game_tables)
    assert sum(row.reversed for row in made.rows) >= 2
    assert {"bet-paid", "round-reversed", "house.table-disabled"} <= {each.what for each in made.significant}


@pytest.mark.parametrize("tables", [("NZ",), ("NZ", "mini 'd'"), ("no such table",)])
def test_reports_of_some_tables(
    journal: MemoryJournal, export: Export, engine: Engine, tables: tuple[str, ...]
) -> None:
    """The report of some tables, and of what concerns them in the house, is the audit's; so is that of none."""
    made = report_history(export, engine, asked_for(Span.DAY, tables=tables))
    assert made == make_report(journal, asked_for(Span.DAY, tables=tables))
