"""Spans of the calendar as quarters of an hour."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from taisai.audit.reports import Span
from taisai.core.faults import InputFault
from taisai.history import calendar
from tests.history.asked import (
    LORD_HOWE,
    SINGAPORE,
)


@pytest.mark.parametrize("zone", [UTC, SINGAPORE, LORD_HOWE, ZoneInfo("America/St_Johns"), ZoneInfo("Pacific/Apia")])
def test_the_calendar_is_that_of_python(zone: ZoneInfo) -> None:
    """Around changes of the clock, and a day that was left out, every quarter of an hour is in the zone's own day."""
    days = ["2011-10-01", "2011-11-05", "2011-11-06", "2011-12-29", "2011-12-30", "2012-03-31", "2012-04-01"]
    rows = calendar.quarters(days, Span.DAY, zone).to_pylist()
    assert len(rows) == len(days) * 96
    for row in rows:
        for us in (row["quarter_us"], row["quarter_us"] + calendar.QUARTER_US - 1):
            at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=us)
            assert at.strftime("%Y-%m-%d") in days
            assert row["span"] == at.astimezone(zone).strftime("%Y-%m-%d")


def test_a_zone_whose_day_begins_within_a_quarter_is_refused() -> None:
    """No zone of today is like this; who makes one is told, and gets no wrong day."""
    odd = timezone(timedelta(minutes=20, seconds=21))
    with pytest.raises(InputFault, match="--zone"):
        calendar.quarters(["2026-01-01"], Span.DAY, odd)
    assert len(calendar.quarters(["2026-01-01"], Span.LIFE, odd)) == 96
