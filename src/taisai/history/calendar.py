"""Days, months and years of a time zone, as small tables that are joined.

Enters: the first and last day of an export in UTC, and a zone. Leaves: `offsets` (from when to when the zone is how far
from UTC) and `spans` (a local day: the span it belongs to). So both engines count days by whole numbers alone, and
neither needs to know a zone: all of that is Python's.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any, Final

import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own

from taisai.audit.reports import Span, span_name
from taisai.history.payouts import small_table

DAY_US: Final = 86_400_000_000
_SECOND_US: Final = 1_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def offsets(first: str, last: str, zone: tzinfo) -> Any:
    """The zone's distance from UTC, for all times of these days."""
    begin, end = _second(first), _second(last) + DAY_US // _SECOND_US
    rows = [
        (since * _SECOND_US, until * _SECOND_US, offset * _SECOND_US)
        for since, until, offset in _pieces(begin, end, zone)
    ]
    return small_table({"from_us": pa.int64(), "to_us": pa.int64(), "offset_us": pa.int64()}, rows)


def spans(first: str, last: str, span: Span) -> Any:
    """The span of each local day, by its first microsecond in local time. No zone is a whole day from UTC."""
    day, end = date.fromisoformat(first) - timedelta(days=1), date.fromisoformat(last) + timedelta(days=1)
    rows = []
    while day <= end:
        at = datetime(day.year, day.month, day.day, tzinfo=UTC)
        rows.append((_second(day.isoformat()) * _SECOND_US, span_name(at, span)))
        day += timedelta(days=1)
    return small_table({"day_us": pa.int64(), "span": pa.string()}, rows)


def _pieces(begin: int, end: int, zone: tzinfo) -> Iterator[tuple[int, int, int]]:
    """From when to when, in seconds, and how far from UTC."""
    since, offset, seen = begin, _offset(begin, zone), begin
    while seen < end:
        ahead = min(seen + 3600, end)
        there = _offset(ahead, zone)
        if there != offset:
            low, high = seen, ahead
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if _offset(middle, zone) == offset else (low, middle)
            yield since, high, offset
            since, offset = high, there
        seen = ahead
    yield since, end, offset


def _offset(second: int, zone: tzinfo) -> int:
    away = (_EPOCH + timedelta(seconds=second)).astimezone(zone).utcoffset()
    return 0 if away is None else int(away.total_seconds())


def _second(day: str) -> int:
    return (date.fromisoformat(day) - date(1970, 1, 1)).days * 86_400
