"""Days, months and years of a time zone, as a small table that is joined.

Enters: the days of an export in UTC, a length of spans and a zone. Leaves: `quarters`: for each quarter of an hour in
UTC the span that it belongs to there. So both engines count by whole numbers alone, and neither needs to know a zone or
a calendar: all of that is Python's. Days begin at whole quarters of UTC everywhere since 1972.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any, Final

import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own

from taisai.audit.reports import Span, span_name
from taisai.core.faults import InputFault
from taisai.history.payouts import small_table

QUARTER_US: Final = 900_000_000
_QUARTER: Final = timedelta(minutes=15)
_A_DAY: Final = 96
_LAST: Final = timedelta(microseconds=1)
_EPOCH: Final = date(1970, 1, 1)


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
