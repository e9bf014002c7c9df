"""`taisai report`: what tables did, by day, month, year or life."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cyclopts import Parameter

from taisai.audit.pages import COLUMNS, event_cells, events_to_csv, to_csv, to_html
from taisai.audit.reports import LARGE_WIN, NO_ACTIVITY, Report, ReportRequest, Span, make_report
from taisai.cli.history.engine import EngineChoice, is_folder, opened_export, require_no_engine
from taisai.cli.show import AsJson, console, grid, print_json
from taisai.core.faults import InputFault
from taisai.core.odds import percent
from taisai.journal import open_journal


def report(
    journal: Annotated[str, Parameter(help="The journal: a file, its address, or the folder of an export.")],
    /,
    *,
    by: Annotated[Span, Parameter(help="Length of a row.")] = Span.DAY,
    table: Annotated[tuple[str, ...], Parameter(help="Only this table; may be given several times.", negative=())] = (),
    zone: Annotated[str, Parameter(help="Time zone of the days, such as Asia/Singapore.")] = "UTC",
    large_win: Annotated[int, Parameter(help="Report winnings of a bet from this amount on.")] = LARGE_WIN,
    csv: Annotated[bool, Parameter(help="Print CSV, which pandas and Polars read.", negative=())] = False,
    events: Annotated[bool, Parameter(help="As CSV: the significant events instead of the rows.", negative=())] = False,
    output: Annotated[
        Path | None, Parameter(name=("--output", "-o"), help="Write a page (.html) or CSV (.csv).")
    ] = None,
    engine: EngineChoice = None,
    json: AsJson = False,
) -> None:
    """Meters, win and hold, voids and significant events, by day, month, year or life.

    Over the folder of an export (see `taisai export`) the report is the same, made by DuckDB or Spark.

    Examples:
      taisai report floor.db
      taisai report floor.db --by month --zone Asia/Singapore -o july.html
      taisai report floor.db --by life --csv > life.csv
      taisai report floor.db --events -o events.csv
      taisai report history/ --by year --engine spark
    """
    try:
        where = ZoneInfo(zone) if zone != "UTC" else UTC
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputFault("--zone", f"unknown time zone {zone!r}; write for example Asia/Singapore") from None
    if output is not None and output.suffix.lower() not in (".html", ".csv"):
        raise InputFault("--output", f"the file's name ends in .html or .csv, got {output.name!r}")
    if events and not csv and (output is None or output.suffix.lower() != ".csv"):
        raise InputFault("--events", "is for CSV: add --csv, or -o FILE.csv; every other form has the events in it")
    as_csv = events_to_csv if events else to_csv
    asked = ReportRequest(by, datetime.now(where), where, frozenset(table), large_win)
    if is_folder(journal):
        with opened_export(journal, engine, "reporting") as (export, opened_engine):
            from taisai.history.reported import report_history  # noqa: PLC0415 - an extra, and heavy

            made = report_history(export, opened_engine, asked)
    else:
        require_no_engine(engine, journal)
        with open_journal(journal, read_only=True) as opened:
            made = make_report(opened, asked)
    if output is not None:
        text = to_html(made) if output.suffix.lower() == ".html" else as_csv(made)
        output.write_text(text, encoding="utf-8")
    elif csv:
        sys.stdout.write(as_csv(made))
    elif json:
        print_json(_plain(made))
    else:
        _show(made)


def _show(made: Report) -> None:
    out = console()
    out.print(f"[bold]{made.title}[/]  {made.interval}; made at {made.made_at:%Y-%m-%d %H:%M:%S %Z}", soft_wrap=True)
    if made.notice:
        out.print(f"[bold]{made.notice}[/]", soft_wrap=True)
    if not made.rows:
        out.print(NO_ACTIVITY)
    shown = [column for column in COLUMNS if column.brief]
    table = grid(*(column.brief if at < 2 else (column.brief, "right") for at, column in enumerate(shown)))
    for row in made.rows:
        table.add_row(*(_cell(column.value(row)) for column in shown))
    if made.rows:
        out.print(table)
    events = grid("at", "table", ("record", "right"), "event", "by", "with", "detail", title="Significant events")
    for each in made.significant:
        events.add_row(*map(str, event_cells(each, f"{each.at:%Y-%m-%d %H:%M:%S}")))
    out.print(events if made.significant else f"Significant events: {NO_ACTIVITY}")


def _cell(value: str | int | Fraction | None) -> str:
    match value:
        case None:
            return ""
        case Fraction():
            return percent(value)
        case int():
            return f"{value:,}"
        case str():
            return value


def _plain(made: Report) -> dict[str, object]:
    return {
        "title": made.title,
        "interval": made.interval,
        "made_at": made.made_at,
        "notice": made.notice,
        "rows": [
            {
                **row._asdict(),
                "hold": row.hold,
                "actual_return": row.actual_return,
                "theoretical_return": row.theoretical_return,
                "return_interval": row.return_interval,
                "outside": row.is_outside,
            }
            for row in made.rows
        ],
        "significant": [each._asdict() for each in made.significant],
    }
