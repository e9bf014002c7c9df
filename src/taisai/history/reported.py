"""A report over an export, equal to that of the audit to the last cent.

Enters: an export, an engine, and what is asked for. Leaves: a `Report` of `audit.reports`: the engine adds the meters
up, and only the events that may be significant are read here and put into words. Serves R28-R30, R33.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own

from taisai.audit.reports import (
    SIGNIFICANT_KINDS,
    Report,
    ReportRequest,
    ReportRow,
    SignificantEvent,
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


def report_history(export: Export, engine: Engine, asked: ReportRequest) -> Report:
    """The report of some tables, or all."""
    put_wanted(engine, asked.tables or export.game_tables)
    engine.put("quarters", calendar.quarters(calendar.around(export.days), asked.span, asked.zone))
    rows = (
        ReportRow(str(span), str(table), *map(int, numbers))
        for span, table, *numbers in (row.values() for row in engine.query(queries.METERS).to_pylist())
    )
    # Python's order of text is by code point; an engine's need not be.
    ordered = tuple(sorted(rows, key=lambda row: (row.span, row.table)))
    significant, ends = _significant(engine, asked)
    bounds = engine.query(queries.BOUNDS).to_pylist()[0]
    if bounds["first_us"] is not None:
        ends += [(bounds[f"{end}_position"], asked.time_of(bounds[f"{end}_us"])) for end in ("first", "last")]
    first, last = (min(ends)[1], max(ends)[1]) if ends else (None, None)
    virtual = tuple(sorted(str(row["table_name"]) for row in engine.query(queries.VIRTUAL).to_pylist()))
    return Report(title_of(asked.span), first, last, asked.made_at, ordered, significant, virtual)


def put_wanted(engine: Engine, tables: Iterable[str]) -> None:
    """Have the tables that are asked for under the name that queries know."""
    engine.put("wanted", small_table({"table_name": pa.string()}, [(table,) for table in sorted(tables)]))


def _significant(
    engine: Engine, asked: ReportRequest
) -> tuple[tuple[SignificantEvent, ...], list[tuple[int, datetime]]]:
    """The significant events, and the position and time of each."""
    kinds: list[tuple[str, int | None]] = [(kind, None) for kind in sorted(SIGNIFICANT_KINDS)]
    kinds += [(kind, asked.large_win) for kind in sorted(kinds_of(Significance.LARGE_WIN))]
    engine.put("kinds", small_table({"kind": pa.string(), "least": pa.int64()}, kinds))
    significant, places = [], []
    for row in engine.query(queries.SIGNIFICANT).to_pylist():
        notice = significant_of(_record(row), asked)
        if notice is not None:
            significant.append(notice)
            places.append((int(row["position"]), notice.at))
    return tuple(significant), places


def _record(row: dict[str, Any]) -> Record:
    """The record of a row, without the hashes: they are not needed to tell it."""
    return Record(
        row["table_name"], row["seq"], row["position"], row["kind"], row["version"], row["at_us"], row["command_id"],
        row["part"], row["by_whom"], row["body"].encode(), b"", b"",
    )  # fmt: skip
