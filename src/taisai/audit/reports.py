"""Reports: what tables did, by day, month, year or life.

Enters: the events of a journal and what is asked for. Leaves: a `Report`: rows of meters with win and hold, and the
significant events, those of the house among those of the tables. `pages` shows one; `history.reported` makes the same
from an export. Serves R28-R30, R33.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from fractions import Fraction
from math import log, sqrt
from typing import Final, NamedTuple

from taisai.journal.contract import Journal
from taisai.journal.record import Record
from taisai.streams.codec import KIND_OF, event_of
from taisai.streams.house_events import HOUSE_KINDS, HOUSE_STREAM, HouseEvent, LargeWin, house_event_of
from taisai.streams.narration import EVERYDAY, is_significant, narrate
from taisai.table import events as e
from taisai.table.declared import Significance
from taisai.table.notation.narration import output_of

NO_ACTIVITY: Final = "No Activity"
"""What a report says of an interval without events (R33)."""
INTERVAL_ERROR: Final = 0.01
"""Chance that the actual return of fair dice lies outside its interval, at most."""
LARGE_WIN: Final = 10_000_000
"""Winnings of one bet that are reported by default, in minor units."""


class Span(StrEnum):
    """How long a row of the report is."""

    DAY = "day"
    MONTH = "month"
    YEAR = "year"
    LIFE = "life"


_SPAN_FORMS: Final = {Span.DAY: "%Y-%m-%d", Span.MONTH: "%Y-%m", Span.YEAR: "%Y", Span.LIFE: "life"}


class ReportRequest(NamedTuple):
    """Which report is asked for."""

    span: Span
    made_at: datetime
    zone: tzinfo = UTC
    tables: frozenset[str] = frozenset()
    """Only these tables; all of them when there are none."""
    large_win: int = LARGE_WIN
    """A payment is significant from these winnings on."""

    def wants(self, table: str | None) -> bool:
        """Whether the report is about this table."""
        return not self.tables or table in self.tables

    def time_of(self, microseconds: int) -> datetime:
        """A time of the journal in the zone of the report."""
        return datetime.fromtimestamp(microseconds / 1_000_000, tz=self.zone)


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
    variance: int = 0
    """Of what goes back to players under fair dice."""
    farthest: int = 0
    """How far from its average a round lay at most that fair dice can give."""
    measured: int = 0
    """Rounds whose spread is on record: those of 0.1 have none."""

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

    @property
    def return_interval(self) -> tuple[float, float] | None:
        """Where the actual return lies with fair dice in at least 99 of 100 spans like this one.

        By Bernstein's inequality, from the variance and the bounds of the bets themselves: it holds for any number of
        rounds and however skewed the bets are. None where a round's spread is not on record.
        """
        theoretical = self.theoretical_return
        if theoretical is None or self.measured < self.rounds:
            return None
        needed = log(2 / INTERVAL_ERROR)
        third = needed * self.farthest / 3
        reach = (third + sqrt(third**2 + 2 * needed * self.variance)) / self.staked
        return max(0.0, float(theoretical) - reach), float(theoretical) + reach

    @property
    def is_outside(self) -> bool:
        """Whether the actual return lies outside its interval."""
        actual, interval = self.actual_return, self.return_interval
        return actual is not None and interval is not None and not interval[0] <= actual <= interval[1]


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
    virtual: tuple[str, ...] = ()
    """Tables that were dealt with virtual dice."""

    @property
    def notice(self) -> str:
        """What stands at the head of the report: which tables were not gaming; empty where all were (I23)."""
        if not self.virtual:
            return ""
        return f"Virtual dice at {', '.join(self.virtual)}: demonstration or training, unless the book admits them."

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


def make_report(journal: Journal, asked: ReportRequest) -> Report:
    """Go through a journal once."""
    rows: dict[tuple[str, str], ReportRow] = {}
    significant: list[SignificantEvent] = []
    virtual: set[str] = set()
    first: datetime | None = None
    last: datetime | None = None
    for record in journal.read_all():
        if record.table == HOUSE_STREAM:
            notice = _of_the_house(record, asked)
            if notice is None:
                continue
        elif not asked.wants(record.table):
            continue
        else:
            event = event_of(record)
            key = (span_name(asked.time_of(event.at), asked.span), record.table)
            if isinstance(event.what, e.DiceCommitted):
                virtual.add(record.table)
            rows[key] = _counted(rows.get(key) or ReportRow(*key), event.what)
            notice = _of_a_table(record, event, asked)
        if notice is not None:
            significant.append(notice)
        last = asked.time_of(record.at)
        first = first or last
    ordered = tuple(rows[key] for key in sorted(rows))
    made = (title_of(asked.span), first, last, asked.made_at, ordered, tuple(significant))
    return Report(*made, virtual=tuple(sorted(virtual)))


def significant_of(record: Record, asked: ReportRequest) -> SignificantEvent | None:
    """What is significant of a record; nothing when it concerns no table that is asked for."""
    if record.table == HOUSE_STREAM:
        return _of_the_house(record, asked)
    return _of_a_table(record, event_of(record), asked) if asked.wants(record.table) else None


def _of_a_table(record: Record, event: e.Event, asked: ReportRequest) -> SignificantEvent | None:
    what = event.what
    significance = what.declared.significance
    large = significance is Significance.LARGE_WIN and getattr(what, "winnings", 0) >= asked.large_win
    if significance is not Significance.ALWAYS and not large:
        return None
    # The mark before each line of the notation is for shifts, not for a report.
    detail = "; ".join(line.strip()[2:] for line in output_of(what))
    second = event.authorised_by.id if event.authorised_by is not None else ""
    words = f"{detail} ({event.reason})" if event.reason else detail
    at = asked.time_of(event.at)
    return SignificantEvent(at, record.table, record.seq, KIND_OF[type(what)], event.by.id, second, words)


def _of_the_house(record: Record, asked: ReportRequest) -> SignificantEvent | None:
    event: HouseEvent = house_event_of(record)
    if not is_significant(event.what) or (asked.tables and not asked.wants(getattr(event.what, "table", None))):
        return None
    if isinstance(event.what, LargeWin) and event.what.amount < asked.large_win:
        return None
    detail = f"{narrate(event.what)} ({event.reason})" if event.reason else narrate(event.what)
    at = asked.time_of(event.at)
    return SignificantEvent(at, HOUSE_STREAM, record.seq, record.kind, event.by, event.authorised_by, detail)


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
                variance=row.variance + what.deviation**2,
                farthest=max(row.farthest, what.farthest),
                measured=row.measured + (what.deviation > 0 or what.at_risk == 0),
                win=row.win + what.staked - what.returned,
            )
        case e.RoundReversed():
            row = row._replace(win=row.win - sum(line.staked - line.returned for line in what.lines))
        case _:
            pass
    return row._replace(**{meter: getattr(row, meter) + getattr(what, "amount", 1)})
