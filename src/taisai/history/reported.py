"""A report over an export, equal to that of the audit to the last cent.

Enters: an export and an engine. Leaves: a `Report` of `audit.reports`: the meters are added up by the engine, and of
the events only those that may be significant are read and told here. Serves R28-R30, R33.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own

from taisai.audit.reports import (
    LARGE_WIN,
    SIGNIFICANT_KINDS,
    Report,
    ReportRow,
    SignificantEvent,
    Span,
    kinds_of,
    significant_of,
    title_of,
)
from taisai.history import calendar, queries
from taisai.history.engines import Engine
from taisai.history.folder import Export
from taisai.history.payouts import small_table
from taisai.journal.record import Record
from taisai.table.declared import Significance


def report_history(
    export: Export,
    engine: Engine,
    *,
    span: Span,
    made_at: datetime,
    zone: tzinfo = UTC,
    tables: Iterable[str] = (),
    large_win: int = LARGE_WIN,
) -> Report:
    """The report of some tables, or all."""
    wanted = frozenset(tables)
    put_wanted(engine, wanted or export.game_tables)
    engine.put("quarters", calendar.quarters(export.days, span, zone))
    rows = tuple(
        ReportRow(str(span_of), str(table), *map(int, numbers))
        for span_of, table, *numbers in (row.values() for row in engine.query(queries.METERS).to_pylist())
    )
    # Python's order of text is by code point; an engine's need not be.
    ordered = tuple(sorted(rows, key=lambda row: (row.span, row.table)))
    significant, places = _significant(engine, wanted, zone, large_win)
    bounds = engine.query(queries.BOUNDS).to_pylist()[0]
    ends = [(each.at, place) for each, place in zip(significant, places, strict=True)]
    if bounds["first_us"] is not None:
        ends += [(_at(bounds[f"{end}_us"], zone), bounds[f"{end}_position"]) for end in ("first", "last")]
    ends.sort(key=lambda end: end[1])
    first, last = (ends[0][0], ends[-1][0]) if ends else (None, None)
    return Report(title_of(span), first, last, made_at, ordered, significant)


def put_wanted(engine: Engine, tables: Iterable[str]) -> None:
    """Have the tables that are asked for under the name that queries know."""
    engine.put("wanted", small_table({"table_name": pa.string()}, [(table,) for table in sorted(tables)]))


def _significant(
    engine: Engine, wanted: frozenset[str], zone: tzinfo, large_win: int
) -> tuple[tuple[SignificantEvent, ...], list[int]]:
    """The significant events, and their positions."""
    kinds: list[tuple[str, int | None]] = [(kind, None) for kind in sorted(SIGNIFICANT_KINDS)]
    kinds += [(kind, large_win) for kind in sorted(kinds_of(Significance.LARGE_WIN))]
    engine.put("kinds", small_table({"kind": pa.string(), "least": pa.int64()}, kinds))
    found, places = [], []
    for row in engine.query(queries.SIGNIFICANT).to_pylist():
        event = significant_of(_record(row), wanted, zone, large_win)
        if event is not None:
            found.append(event)
            places.append(int(row["position"]))
    return tuple(found), places


def _record(row: dict[str, Any]) -> Record:
    """The record of a row, without the hashes: they are not needed to tell it."""
    return Record(
        row["table_name"], row["seq"], row["position"], row["kind"], row["version"], row["at_us"], row["command_id"],
        row["part"], row["by_whom"], row["body"].encode(), b"", b"",
    )  # fmt: skip


def _at(microseconds: int, zone: tzinfo) -> datetime:
    return datetime.fromtimestamp(microseconds / 1_000_000, tz=zone)
