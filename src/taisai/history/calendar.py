"""Days, months and years of a time zone, as a small table that is joined.

Enters: the days of an export, a length of spans and a zone. Leaves: `quarters`: for each quarter of an hour in
UTC the span that it belongs to there. So both engines count by whole numbers alone, and neither needs to know a zone or
a calendar: all of that is Python's. Days begin at whole quarters of UTC everywhere since 1972.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own

from taisai.audit.reports import Span, span_name
from taisai.core.faults import InputFault, shown
from taisai.history.payouts import small_table

QUARTER_US: Final = 900_000_000
_QUARTER: Final = timedelta(minutes=15)
_A_DAY: Final = 96
_LAST: Final = timedelta(microseconds=1)
_EPOCH: Final = date(1970, 1, 1)
_BEGIN: Final = datetime(1970, 1, 1, tzinfo=UTC)


class HouseDays:
    """The days and hours of one time zone, for any moment; remembered by the quarter of an hour."""

    def __init__(self, zone: str) -> None:
        try:
            self._zone = ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise InputFault("--zone", f"a time zone such as Asia/Singapore, got {shown(zone)}") from None
        self._known: dict[int, tuple[int, int]] = {}

    def at(self, at_us: int) -> tuple[int, int]:
        """The day since 1970 and the hour of a moment; raises `OverflowError` for one that no calendar has."""
        quarter = at_us // QUARTER_US
        found = self._known.get(quarter)
        if found is None:
            there = (_BEGIN + quarter * _QUARTER).astimezone(self._zone)
            found = self._known[quarter] = ((there.date() - _EPOCH).days, there.hour)
        return found


def around(days: Iterable[str]) -> list[str]:
    """These days and their neighbours: a day of any zone lies within them in UTC."""
    found: set[date] = set()
    for name in days:
        day = date.fromisoformat(name)
        found.add(day)
        with suppress(OverflowError):
            found.add(day - timedelta(days=1))
        with suppress(OverflowError):
            found.add(day + timedelta(days=1))
    return [each.isoformat() for each in sorted(found)]


def quarters(days: Iterable[str], span: Span, zone: tzinfo) -> Any:
    """The span of each quarter of an hour of these days, by its first microsecond."""
    rows = []
    for name in days:
        day = date.fromisoformat(name)
        first = (day - _EPOCH).days * _A_DAY
        at = datetime(day.year, day.month, day.day, tzinfo=UTC)
        for place in range(_A_DAY):
            begin = at + place * _QUARTER
            found = span_name(begin.astimezone(zone), span)
            if found != span_name((begin + (_QUARTER - _LAST)).astimezone(zone), span):
                raise InputFault("--zone", f"a day of {zone} begins within a quarter of an hour on {name}")
            rows.append(((first + place) * QUARTER_US, found))
    return small_table({"quarter_us": pa.int64(), "span": pa.string()}, rows)
