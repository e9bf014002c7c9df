"""Spans of the calendar as quarters of an hour."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from taisai.audit.reports import Span
from taisai.core.faults import InputFault
from taisai.history import calendar
from taisai.history.calendar import HouseDays, around
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


def test_a_day_lies_within_its_neighbours() -> None:
    """A day of any zone is covered by the same day in UTC and those beside it; the ends of the calendar have one."""
    assert around(["2026-03-01", "2026-03-02"]) == ["2026-02-28", "2026-03-01", "2026-03-02", "2026-03-03"]
    assert around(["0001-01-01"]) == ["0001-01-01", "0001-01-02"]
    assert around(["9999-12-31"]) == ["9999-12-30", "9999-12-31"]


def test_days_and_hours_are_those_of_the_zone() -> None:
    """Midnight in Tokyo is 15 o'clock in UTC; moments before 1970 and beyond any calendar are no exception."""
    days = HouseDays("Asia/Tokyo")
    assert days.at(15 * 3_600_000_000 - 1) == (0, 23)
    assert days.at(15 * 3_600_000_000) == (1, 0)
    assert HouseDays("UTC").at(-1) == (-1, 23)
    with pytest.raises(OverflowError):
        days.at(10**18)
