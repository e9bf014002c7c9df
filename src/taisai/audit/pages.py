"""A report as CSV and as a page that needs nothing else.

Enters: a report. Leaves: text. The columns are declared once, for CSV, page and terminal. Every form has the title,
the interval and when the report was made; where there is nothing it says "No Activity" (R33).
"""

from __future__ import annotations

import html
import io
from base64 import b64encode
from collections.abc import Callable, Iterable
from fractions import Fraction
from hashlib import sha256
from typing import Final, NamedTuple

from taisai.audit.pictures import win_chart
from taisai.audit.reports import NO_ACTIVITY, Report, ReportRow, SignificantEvent
from taisai.outside import CsvWriter


class Column(NamedTuple):
    """A column of a report."""

    name: str
    value: Callable[[ReportRow], str | int | Fraction | None]
    """A share is a fraction; None where there is none."""
    brief: str = ""
    """Its heading in the terminal; empty when it does not fit there."""


def interval_text(row: ReportRow) -> str:
    """Where the actual return should lie, in words; whether it does."""
    interval = row.return_interval
    if interval is None:
        return ""
    return f"{interval[0]:.4f} to {interval[1]:.4f}" + (" OUTSIDE" if row.is_outside else "")


COLUMNS: Final = (
    Column("span", lambda row: row.span, "span"),
    Column("table", lambda row: row.table, "table"),
    Column("rounds", lambda row: row.rounds, "rounds"),
    Column("voided", lambda row: row.voided, "void"),
    Column("reversed", lambda row: row.reversed, "reversed"),
    Column("staked", lambda row: row.staked, "staked"),
    Column("returned", lambda row: row.returned, "returned"),
    Column("win", lambda row: row.win, "win"),
    Column("drop", lambda row: row.drop, "drop"),
    Column("fills", lambda row: row.fills),
    Column("credits", lambda row: row.credits),
    Column("hold", lambda row: row.hold, "hold"),
    Column("actual return", lambda row: row.actual_return, "actual"),
    Column("theoretical return", lambda row: row.theoretical_return, "theoretical"),
    Column("return at 99 %", interval_text, "at 99 %"),
)


EVENT_HEADS: Final = ("at", "table", "record", "event", "by", "authorised by", "detail")


def event_cells(event: SignificantEvent, at: str) -> tuple[object, ...]:
    """A significant event under `EVENT_HEADS`, its time as it is given."""
    return at, event.table, event.seq, event.what, event.by, event.authorised_by, event.detail


def _cells(row: ReportRow) -> list[str]:
    return [_text(column.value(row)) for column in COLUMNS]


def _text(value: str | int | Fraction | None) -> str:
    if value is None:
        return ""
    return f"{float(value):.6f}" if isinstance(value, Fraction) else str(value)


def to_csv(report: Report) -> str:
    """The rows of the report as CSV: one heading and one row for each span and table, as pandas and Polars read it.

    What the report is stands in columns of its own, so that a file says it however it is cut (R33).
    """
    out = io.StringIO()
    writer = CsvWriter(out)
    writer.writerow([*(column.name for column in COLUMNS), *_ABOUT])
    about = [report.title, report.interval, report.made_at.isoformat(timespec="seconds"), report.notice]
    nothing = [NO_ACTIVITY, *[""] * (len(COLUMNS) - 1)]
    writer.writerows([*cells, *about] for cells in [*map(_cells, report.rows)] or [nothing])
    return out.getvalue()


def events_to_csv(report: Report) -> str:
    """The significant events of the report as CSV: one heading and one row for each."""
    out = io.StringIO()
    writer = CsvWriter(out)
    writer.writerow(EVENT_HEADS)
    events = [event_cells(each, each.at.isoformat(timespec="seconds")) for each in report.significant]
    writer.writerows(events or [[NO_ACTIVITY, *[""] * (len(EVENT_HEADS) - 1)]])
    return out.getvalue()


_ABOUT: Final = ("report", "interval", "made at", "notice")
"""What a report is, after the columns of its rows."""


_STYLE: Final = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1d1d1d; }
table { border-collapse: collapse; margin: 1rem 0 2rem; width: 100%; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #d0d0d0; padding: .3rem .6rem; text-align: left; vertical-align: top; }
td.number, th.number { text-align: right; white-space: nowrap; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
.quiet { color: #5a5a5a; }
"""


def _row(cells: Iterable[object], numbers_from: int, numbers_to: int, tag: str = "td") -> str:
    """A row of a page's table; cells from one place up to another are numbers."""
    made = (
        f"<{tag}{' class=number' if numbers_from <= place < numbers_to else ''}>{html.escape(str(cell))}</{tag}>"
        for place, cell in enumerate(cells)
    )
    return f"<tr>{''.join(made)}</tr>"


def _table(caption: str, heads: Iterable[str], rows: Iterable[Iterable[object]], numbers: tuple[int, int]) -> str:
    body = "".join(_row(row, *numbers) for row in rows) or _row([NO_ACTIVITY], 1, 1)
    head = _row(heads, *numbers, tag="th")
    return f"<table><caption>{caption}</caption><thead>{head}</thead><tbody>{body}</tbody></table>"


STYLE_HASH: Final = "sha256-" + b64encode(sha256(_STYLE.encode()).digest()).decode()
"""What a server's security policy names so that the page may bring its own style."""


def to_html(report: Report) -> str:
    """The report as one page that needs nothing else."""
    title = html.escape(report.title)
    heads = [column.name for column in COLUMNS]
    events = (event_cells(each, f"{each.at:%Y-%m-%d %H:%M:%S}") for each in report.significant)
    made = f"{report.made_at:%Y-%m-%d %H:%M:%S %Z}"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1>"
        f'<p class="quiet">{html.escape(report.interval)}; made at {made}. Amounts in minor units.</p>'
        f"{f'<p><strong>{html.escape(report.notice)}</strong></p>' if report.notice else ''}"
        f"{win_chart(report.rows)}"
        f"{_table('Meters', heads, map(_cells, report.rows), (2, len(heads)))}"
        f"{_table('Significant events', EVENT_HEADS, events, (2, 3))}</body></html>\n"
    )
