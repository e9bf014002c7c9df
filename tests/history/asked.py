"""What is asked of an export, in one place: the tests ask DuckDB and Spark the same, and compare with the audit."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from taisai.audit.reports import ReportRequest, Span
from taisai.history.engines import Engine
from taisai.history.export import Exporter
from taisai.history.fairness import fairness, thrown
from taisai.history.folder import Export, open_export
from taisai.history.reported import report_history
from taisai.history.resettled import HistoryResettled, resettle_history
from taisai.journal import Batch, Journal, MemoryJournal
from taisai.streams.codec import records_of
from taisai.table.events import BetPaid, Event
from tests.history.dealt import SHELF, deal_bots, deal_shifts, shifts, tell_house

MADE_AT = datetime(2026, 5, 1, tzinfo=UTC)
WRONG = 3
"""How many payments of `wrongly_paid` are wrong."""
OVERPAID = 7
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")
"""Half an hour of summer time: no zone is stranger."""


SINGAPORE = ZoneInfo("Asia/Singapore")


def whole_house(commands: int, book: str = "*") -> MemoryJournal:
    """Tables of all kinds, or the written shifts of one book only, and a table that pays wrongly now and then."""
    journal = MemoryJournal()
    tell_house(journal, 1_771_000_000_000_000)
    deal_bots(journal, commands)
    deal_shifts(journal, book)
    wrongly_paid(journal)
    tell_house(journal, 1_775_000_000_000_000)
    return journal


def wrongly_paid(journal: Journal) -> None:
    """A written shift again, at a table `wrong` where the first payments are too much."""
    left = WRONG
    for table, command, events in shifts("rws-tai-sai-v6"):
        if table != "rws-tai-sai-v6 evening":
            continue
        told: list[Event] = []
        for event in events:
            what = event.what
            if isinstance(what, BetPaid) and left:
                left -= 1
                more = msgspec.structs.replace(
                    what, winnings=what.winnings + OVERPAID, returned=what.returned + OVERPAID
                )
                told.append(msgspec.structs.replace(event, what=more))
            else:
                told.append(event)
        journal.append([Batch("wrong", journal.head("wrong").seq, records_of(command, told))])
    assert not left


def exported(journal: MemoryJournal, folder: Path, *, step: int = 100_000, upto: int | None = None) -> Export:
    """The journal's export, as a reader opens it."""
    with Exporter(journal, folder, step=step) as exporter:
        exporter.run(upto)
    return open_export(folder)


def answers(export: Export, engine: Engine, *, span: Span, zone: tzinfo) -> dict[str, Any]:
    """Everything that is asked of an export."""
    return {
        "resettled": resettle_history(export, SHELF, engine),
        "report": report_history(export, engine, asked_for(span, zone)),
        "fairness": fairness(export, SHELF, engine),
        "thrown": [(each.name, each.rolls.tolist(), each.follows.tolist()) for each in thrown(export, engine, "NZ")],
    }


def asked_for(span: Span, zone: tzinfo = UTC, tables: tuple[str, ...] = ()) -> ReportRequest:
    """A report with many significant events."""
    return ReportRequest(span, MADE_AT, zone, frozenset(tables), 5_000)


def require_wrong_found(found: HistoryResettled) -> None:
    """The wrong payments are found, each by name, and nothing else is."""
    assert not found.is_right
    assert {each.table: each.different for each in found.tables if each.different} == {"wrong": WRONG}
    assert (found.total.overpaid, found.total.underpaid) == (WRONG * OVERPAID, 0)
    assert [each.paid - (each.due or 0) for each in found.first] == [OVERPAID] * WRONG
    assert {each.table for each in found.first} == {"wrong"}
    assert found.missing == ()
