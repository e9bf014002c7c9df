"""Reports: meters that agree with the table, significant events, CSV and a page, and "No Activity" said."""

from __future__ import annotations

from fractions import Fraction
from zoneinfo import ZoneInfo

from taisai.audit.reports import ReportRequest, ReportRow, Span, make_report
from taisai.journal import MemoryJournal
from taisai.table.state import TableState
from tests.audit.samples import MADE_AT


def test_life_agrees_with_the_meters_of_the_tables(dealt: tuple[MemoryJournal, dict[str, TableState]]) -> None:
    """Rounds, voids, stakes, returns and drop are what the tables' own meters say."""
    journal, states = dealt
    report = make_report(journal, ReportRequest(span=Span.LIFE, made_at=MADE_AT))
    assert [row.table for row in report.rows] == sorted(states)
    for row in report.rows:
        meters = states[row.table].meters
        assert (row.rounds, row.voided, row.staked, row.returned) == (
            meters.rounds, meters.voided, meters.staked, meters.returned,
        )  # fmt: skip
        assert row.expected_216 == meters.expected_216
        assert row.win == row.staked - row.returned
        assert row.drop == states[row.table].shift.drop
        assert row.hold is not None
        assert row.actual_return is not None
        assert row.theoretical_return is not None
        assert 0 < row.theoretical_return < 1


def test_days_add_up_to_life(dealt: tuple[MemoryJournal, dict[str, TableState]]) -> None:
    """Whatever the span and the zone, the rows add up to the same."""
    journal, _ = dealt
    whole = make_report(journal, ReportRequest(span=Span.LIFE, made_at=MADE_AT))
    for span in (Span.DAY, Span.MONTH, Span.YEAR):
        parts = make_report(journal, ReportRequest(span=span, made_at=MADE_AT, zone=ZoneInfo("Asia/Singapore")))
        assert sum(row.staked for row in parts.rows) == sum(row.staked for row in whole.rows)
    one = make_report(journal, ReportRequest(span=Span.LIFE, made_at=MADE_AT, tables=frozenset({"NZ"})))
    assert [row.table for row in one.rows] == ["NZ"]


def test_significant_events_are_told(dealt: tuple[MemoryJournal, dict[str, TableState]]) -> None:
    """Voids, amendments with both people and the reason, and large wins are listed."""
    journal, states = dealt
    report = make_report(journal, ReportRequest(span=Span.LIFE, made_at=MADE_AT, large_win=1))
    kinds = [each.what for each in report.significant]
    assert kinds.count("round-voided") == sum(state.meters.voided for state in states.values())
    assert "bet-paid" in kinds
    usual = make_report(journal, ReportRequest(span=Span.LIFE, made_at=MADE_AT))
    assert "bet-paid" not in {each.what for each in usual.significant}
    amended = next(each for each in report.significant if each.what == "entry-amended")
    assert (amended.by, amended.authorised_by) == ("dan", "lee")
    assert "as the bot sees it" in amended.detail


def test_the_return_lies_in_its_interval(dealt: tuple[MemoryJournal, dict[str, TableState]]) -> None:
    """Dealt with fair dice, every table's return lies in its interval; what fair dice cannot give lies outside."""
    journal, _ = dealt
    rows = make_report(journal, ReportRequest(Span.LIFE, MADE_AT)).rows
    for row in rows:
        interval = row.return_interval
        assert interval is not None
        assert row.theoretical_return is not None
        assert interval[0] < row.theoretical_return < interval[1]
        assert not row.is_outside
        assert row._replace(returned=100 * row.staked).is_outside
        assert row._replace(measured=row.measured - 1).return_interval is None


def test_a_hundred_lost_triples_are_no_alarm() -> None:
    """The interval knows how skewed bets are: a hundred lost bets on a triple lie inside, twenty won ones do not."""
    staked, mean = 10_000, Fraction(8380, 10_000)
    lost = ReportRow(
        "life", "T1", rounds=100, staked=staked, expected_216=int(216 * staked * mean), variance=100 * 1229**2,
        farthest=18_000, measured=100,
    )  # fmt: skip
    assert not lost.is_outside
    assert lost._replace(returned=20 * 18_100).is_outside
