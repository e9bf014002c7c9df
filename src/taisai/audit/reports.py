"""Reports: what tables did, by day, month, year or life.

Enters: the events of a journal. Leaves: rows of meters with win and hold, and the significant events, the house's
among the tables'; as values, CSV or a page. Every report has a title, its interval and when it was made; an interval
without events says "No Activity".
Serves R28-R30, R33.
"""

from __future__ import annotations

import csv
import html
import io
from base64 import b64encode
from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256
from typing import Final, NamedTuple

from taisai.audit.pictures import win_chart
from taisai.journal.contract import Journal
from taisai.journal.record import Record
from taisai.streams.codec import KIND_OF, event_of
from taisai.streams.house_events import (
    EVERYDAY,
    HOUSE,
    HOUSE_KINDS,
    HouseEvent,
    LargeWin,
    house_event_of,
    house_told,
    is_significant,
)
from taisai.table import events as e
from taisai.table.declared import Significance
from taisai.table.notation.narration import told

NO_ACTIVITY: Final = "No Activity"
LARGE_WIN: Final = 10_000_000
"""Winnings of one bet that are reported by default, in minor units."""


class Span(StrEnum):
    """How long a row of the report is."""

    DAY = "day"
    MONTH = "month"
    YEAR = "year"
    LIFE = "life"


_SPAN_FORMS: Final = {Span.DAY: "%Y-%m-%d", Span.MONTH: "%Y-%m", Span.YEAR: "%Y", Span.LIFE: "life"}


class ReportRow(NamedTuple):
    """One table over one span."""

    span: str
    table: str
    rounds: int = 0
    voided: int = 0
    reversed: int = 0
    staked: int = 0
    returned: int = 0
    drop: int = 0
    fills: int = 0
    credits: int = 0
    expected_216: int = 0
    win: int = 0
    """What players staked less what went back to them, reversals included."""

    @property
    def hold(self) -> Fraction | None:
        """Win for each unit dropped."""
        return Fraction(self.win, self.drop) if self.drop else None

    @property
    def actual_return(self) -> Fraction | None:
        """What came back to players for each unit staked."""
        return Fraction(self.returned, self.staked) if self.staked else None

    @property
    def theoretical_return(self) -> Fraction | None:
        """What should come back on average."""
        return Fraction(self.expected_216, 216 * self.staked) if self.staked else None


class SignificantEvent(NamedTuple):
    """Something a regulator wants to see."""

    at: datetime
    table: str
    seq: int
    what: str
    by: str
    authorised_by: str
    detail: str


class Report(NamedTuple):
    """A report, ready to be shown."""

    title: str
    first: datetime | None
    """The first and last event that it is about."""
    last: datetime | None
    made_at: datetime
    rows: tuple[ReportRow, ...]
    significant: tuple[SignificantEvent, ...]

    @property
    def interval(self) -> str:
        """From when to when, in words."""
        if self.first is None or self.last is None:
            return NO_ACTIVITY
        return f"{self.first:%Y-%m-%d %H:%M} to {self.last:%Y-%m-%d %H:%M} {self.first:%Z}".rstrip()


def kinds_of(significance: Significance) -> frozenset[str]:
    """The kinds of table events that are declared so significant."""
    return frozenset(kind for each, kind in KIND_OF.items() if each.declared.significance is significance)


SIGNIFICANT_KINDS: Final = kinds_of(Significance.ALWAYS) | {
    kind for each, kind in HOUSE_KINDS.items() if each not in EVERYDAY
}
"""Kinds of events that may be significant whatever their amount; a payment is from an amount on."""


def span_name(at: datetime, span: Span) -> str:
    """The span that a time belongs to, by the calendar of its own zone."""
    return at.strftime(_SPAN_FORMS[span])


def title_of(span: Span) -> str:
    """The title of a report."""
    return f"Tables by {span}" if span is not Span.LIFE else "Tables, all their life"


def make_report(
    journal: Journal,
    *,
    span: Span,
    made_at: datetime,
    zone: tzinfo = UTC,
    tables: Iterable[str] = (),
    large_win: int = LARGE_WIN,
) -> Report:
    """Go through a journal once."""
    wanted = frozenset(tables)
    rows: dict[tuple[str, str], ReportRow] = {}
    significant: list[SignificantEvent] = []
    first: datetime | None = None
    last: datetime | None = None
    for record in journal.read_all():
        if record.table == HOUSE:
            notice = _of_the_house(record, wanted, zone, large_win)
            if notice is not None:
                significant.append(notice)
                first = first or notice.at
                last = notice.at
            continue
        if wanted and record.table not in wanted:
            continue
        event = event_of(record)
        at = datetime.fromtimestamp(event.at / 1_000_000, tz=zone)
        first = first or at
        last = at
        key = (span_name(at, span), record.table)
        rows[key] = _counted(rows.get(key) or ReportRow(*key), event.what)
        notice = _of_a_table(record, event, at, large_win)
        if notice is not None:
            significant.append(notice)
    ordered = tuple(rows[key] for key in sorted(rows))
    return Report(title_of(span), first, last, made_at, ordered, tuple(significant))


def significant_of(record: Record, wanted: frozenset[str], zone: tzinfo, large_win: int) -> SignificantEvent | None:
    """What is significant of a record; nothing for a table that is not wanted, when some are."""
    if record.table == HOUSE:
        return _of_the_house(record, wanted, zone, large_win)
    if wanted and record.table not in wanted:
        return None
    event = event_of(record)
    return _of_a_table(record, event, datetime.fromtimestamp(event.at / 1_000_000, tz=zone), large_win)


def _of_a_table(record: Record, event: e.Event, at: datetime, large_win: int) -> SignificantEvent | None:
    detail = _detail(event.what, large_win)
    if detail is None:
        return None
    second = event.authorised_by.id if event.authorised_by is not None else ""
    told = f"{detail} ({event.reason})" if event.reason else detail
    return SignificantEvent(at, record.table, record.seq, KIND_OF[type(event.what)], event.by.id, second, told)


def _of_the_house(record: Record, wanted: frozenset[str], zone: tzinfo, large_win: int) -> SignificantEvent | None:
    """A significant event of the house; with tables chosen, only what concerns one of them."""
    event: HouseEvent = house_event_of(record)
    if not is_significant(event.what) or (wanted and getattr(event.what, "table", None) not in wanted):
        return None
    if isinstance(event.what, LargeWin) and event.what.amount < large_win:
        return None
    at = datetime.fromtimestamp(event.at / 1_000_000, tz=zone)
    detail = f"{house_told(event.what)} ({event.reason})" if event.reason else house_told(event.what)
    return SignificantEvent(at, HOUSE, record.seq, record.kind, event.by, event.authorised_by, detail)


def _counted(row: ReportRow, what: e.EventBody) -> ReportRow:
    """The row with an event in it. A round counts as one and has sums of its own; all else is counted in money."""
    meter = what.declared.counted
    match what:
        case _ if meter is None:
            return row
        case e.RoundConcluded():
            row = row._replace(
                staked=row.staked + what.staked,
                returned=row.returned + what.returned,
                expected_216=row.expected_216 + what.expected_216,
                win=row.win + what.staked - what.returned,
            )
        case e.RoundReversed():
            row = row._replace(win=row.win - sum(line.staked - line.returned for line in what.lines))
        case _:
            pass
    return row._replace(**{meter: getattr(row, meter) + getattr(what, "amount", 1)})


def _detail(what: e.EventBody, large_win: int) -> str | None:
    """What is significant of an event, in words; None when nothing is."""
    significance = what.declared.significance
    large = significance is Significance.LARGE_WIN and getattr(what, "winnings", 0) >= large_win
    if significance is not Significance.ALWAYS and not large:
        return None
    # The mark before each line of the notation is for shifts, not for a report.
    return "; ".join(line.strip()[2:] for line in told(what))


_COLUMNS: Final = (
    "span", "table", "rounds", "voided", "reversed", "staked", "returned", "win", "drop", "fills", "credits",
    "hold", "actual return", "theoretical return",
)  # fmt: skip


def _cells(row: ReportRow) -> list[str]:
    shares = (row.hold, row.actual_return, row.theoretical_return)
    numbers = (
        row.rounds, row.voided, row.reversed, row.staked, row.returned, row.win, row.drop, row.fills, row.credits,
    )  # fmt: skip
    return [row.span, row.table, *map(str, numbers), *("" if each is None else f"{float(each):.6f}" for each in shares)]


def to_csv(report: Report) -> str:
    """The report as CSV: a heading of its own, the rows, the significant events."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["title", report.title])
    writer.writerow(["interval", report.interval])
    writer.writerow(["made at", report.made_at.isoformat(timespec="seconds")])
    writer.writerow([])
    writer.writerow(_COLUMNS)
    writer.writerows(map(_cells, report.rows))
    if not report.rows:
        writer.writerow([NO_ACTIVITY])
    writer.writerow([])
    writer.writerow(["at", "table", "record", "event", "by", "authorised by", "detail"])
    for each in report.significant:
        at = each.at.isoformat(timespec="seconds")
        writer.writerow([at, each.table, each.seq, each.what, each.by, each.authorised_by, each.detail])
    if not report.significant:
        writer.writerow([NO_ACTIVITY])
    return out.getvalue()


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
    events = (
        (f"{each.at:%Y-%m-%d %H:%M:%S}", each.table, each.seq, each.what, each.by, each.authorised_by, each.detail)
        for each in report.significant
    )
    heads = ("at", "table", "record", "event", "by", "authorised by", "detail")
    made = f"{report.made_at:%Y-%m-%d %H:%M:%S %Z}"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1>"
        f'<p class="quiet">{html.escape(report.interval)}; made at {made}. Amounts in minor units.</p>'
        f"{win_chart(report.rows)}"
        f"{_table('Meters', _COLUMNS, map(_cells, report.rows), (2, len(_COLUMNS)))}"
        f"{_table('Significant events', heads, events, (2, 3))}</body></html>\n"
    )
