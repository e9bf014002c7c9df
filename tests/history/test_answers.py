"""What is asked of an export by DuckDB is what the audit says of the journal, to the last cent."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow.parquet as pq  # type: ignore[import-untyped] # has no types of its own
import pytest
from scipy.special import chdtrc  # type: ignore[import-untyped] # SciPy has no types of its own

from taisai.analysis.dice.files import Gathering
from taisai.audit.reports import Span
from taisai.audit.run import Audit
from taisai.books.shelf import Shelf
from taisai.cli.maths.dice import _gather
from taisai.core.dice import ALL_ROLLS
from taisai.core.faults import InputFault
from taisai.history import calendar, engines
from taisai.history.engines import Engine, open_engine
from taisai.history.fairness import Faces, Fairness, Returns, chance_of, fairness, layout_of, thrown
from taisai.history.folder import Export, open_export
from taisai.history.reported import report_history
from taisai.history.resettled import resettle_history
from taisai.journal import MemoryJournal
from taisai.streams.house_events import HOUSE
from tests.history.asked import LORD_HOWE, MADE_AT, answers, exported, report_of_audit, require_wrong_found, whole_house
from tests.history.dealt import SHELF, content, deal_bots, tell_house

SINGAPORE = ZoneInfo("Asia/Singapore")


@pytest.fixture(scope="module")
def journal() -> MemoryJournal:
    """A whole house, one table of which pays wrongly."""
    return whole_house(220)


@pytest.fixture(scope="module")
def export(journal: MemoryJournal, tmp_path_factory: pytest.TempPathFactory) -> Export:
    """Its export."""
    return exported(journal, tmp_path_factory.mktemp("history") / "it's an export", step=900)


@pytest.fixture(scope="module")
def engine(export: Export) -> Iterator[Engine]:
    """DuckDB over it."""
    with open_engine("duckdb", export) as opened:
        yield opened


def test_resettling_finds_what_was_paid_wrongly(export: Export, engine: Engine) -> None:
    """Every bet of every layout is settled again; the wrong payments are found, and nothing else."""
    found = resettle_history(export, SHELF, engine)
    require_wrong_found(found)
    assert found.total.bets == export.rows("bets") > 300
    # The wrong table's rounds were concluded with sums that its bets do not have any more.
    assert [each.table for each in found.unlike_rounds] == ["wrong"]


def test_resettled_sums_are_those_of_the_audit(journal: MemoryJournal, export: Export, engine: Engine) -> None:
    """What was due is what the tables' own meters say was returned, with what voids gave back."""
    audit = Audit(SHELF.book)
    list(audit.findings(journal, None))
    voided = {
        table: sum(
            row["returned"] for row in content(export)["bets"] if row["table_name"] == table and row["roll"] == 216
        )
        for table in export.game_tables
    }
    found = {each.table: each for each in resettle_history(export, SHELF, engine).tables}
    for table, state in audit.states.items():
        if table != "wrong" and table in found:
            assert found[table].due == state.meters.returned + voided[table]
            assert found[table].due_winnings == state.meters.winnings
            assert found[table].staked == state.meters.staked + voided[table]
    assert len(found) > 15


def test_bets_under_unknown_rules_are_not_settled(export: Export, engine: Engine) -> None:
    """Without the books nothing can be settled, and that is said of each rule instead of passing for right."""
    found = resettle_history(export, Shelf({}), engine)
    assert (found.total.known, found.total.different, found.is_right) == (0, 0, False)
    assert found.missing == tuple(export.rules)
    assert found.first[0].due is None
    assert found.first[0].position == content(export)["bets"][0]["position"]


def test_a_lost_bet_is_missed(tmp_path: Path) -> None:
    """Bets that do not add up to their rounds are told, though each of them is right."""
    journal = MemoryJournal()
    deal_bots(journal, 100, trouble=0)
    export = exported(journal, tmp_path)
    path = export.paths("bets")[0]
    rows = pq.read_table(path, partitioning=None)
    pq.write_table(rows.slice(1), path)
    with open_engine("duckdb", export) as engine:
        found = resettle_history(export, SHELF, engine)
    assert found.total.different == 0
    lost = rows.slice(0, 1).to_pylist()[0]
    assert [(each.table, each.bets_of_rounds - each.bets) for each in found.unlike_rounds] == [(lost["table_name"], 1)]
    assert not found.is_right


@pytest.mark.parametrize("span", list(Span))
@pytest.mark.parametrize("zone", [UTC, SINGAPORE, LORD_HOWE])
def test_reports_are_those_of_the_audit(
    journal: MemoryJournal, export: Export, engine: Engine, span: Span, zone: ZoneInfo
) -> None:
    """The whole report is the audit's, by day, month, year and life, in any zone."""
    made = report_history(export, engine, span=span, made_at=MADE_AT, zone=zone, large_win=5_000)
    assert made == report_of_audit(journal, span=span, zone=zone)
    assert len({row.table for row in made.rows}) == len(export.game_tables)
    assert sum(row.reversed for row in made.rows) >= 2
    assert {"bet-paid", "round-reversed", "house.table-disabled"} <= {each.what for each in made.significant}


@pytest.mark.parametrize("tables", [("NZ",), ("NZ", "mini 'd'"), ("no such table",)])
def test_reports_of_some_tables(
    journal: MemoryJournal, export: Export, engine: Engine, tables: tuple[str, ...]
) -> None:
    """The report of some tables, and of what concerns them in the house, is the audit's; so is that of none."""
    made = report_history(export, engine, span=Span.DAY, made_at=MADE_AT, tables=tables, large_win=5_000)
    assert made == report_of_audit(journal, span=Span.DAY, tables=tables)


def test_rolls_are_those_of_the_journal(journal: MemoryJournal, export: Export, engine: Engine) -> None:
    """Each table's rolls by set of dice, which follow the one before, and its layout are as the journal gives them."""
    several = 0
    for table in export.game_tables:
        gathering = Gathering()
        layout = _gather(journal, table, gathering)
        ours, theirs = thrown(export, engine, table), gathering.sets()
        assert [each.name for each in ours] == [each.name for each in theirs]
        for one, other in zip(ours, theirs, strict=True):
            assert one.rolls.tolist() == other.rolls.tolist()
            assert one.follows.tolist() == other.follows.tolist()
        assert layout_of(export, table) == layout
        several += len(ours) > 1
    assert several


def test_fairness_is_that_of_the_report(journal: MemoryJournal, export: Export, engine: Engine) -> None:
    """Returns are the audit's, the books' own expectation agrees with the journal's, and faces are those rolled."""
    found = fairness(export, SHELF, engine)
    life = {row.table: row for row in report_of_audit(journal, span=Span.LIFE).rows if row.rounds}
    assert {each.table for each in found.returns} == set(life)
    for each in found.returns:
        row = life[each.table]
        assert (each.actual, each.theoretical) == (row.actual_return, row.theoretical_return)
        assert each.recounted_216 == each.expected_216 == row.expected_216
        assert each.is_recounted
    rolled = [row["roll"] for row in content(export)["rounds"] if row["outcome"] == "concluded"]
    faces = [face for roll in rolled for face in ALL_ROLLS[roll].faces]
    assert found.all_faces.times == tuple(faces.count(face) for face in range(1, 7))
    assert found.all_faces.by_die[0] == tuple(
        sum(ALL_ROLLS[roll].faces[0] == face for roll in rolled) for face in range(1, 7)
    )
    squares = sum(
        (216 * row["returned"] - row["expected_216"]) ** 2
        for row in content(export)["rounds"]
        if row["outcome"] == "concluded"
    )
    assert found.all_returns.squares == squares
    assert fairness(export, Shelf({}), engine).all_returns.recounted_216 is None
    some = fairness(export, SHELF, engine, tables=["NZ"])
    assert [each.table for each in some.returns] == ["NZ"]
    assert {each.table for each in some.faces} == {"NZ"}


def test_unfair_dice_and_returns_are_alarms() -> None:
    """A loaded face, a return far from its expectation and one the books do not expect are alarms; fair is none."""
    fair = Faces("A", "D1", 200, (100,) * 6, ((0,) * 6,) * 3)
    loaded = fair._replace(table="B", times=(160, 88, 88, 88, 88, 88))
    right = Returns("A", 200, 200_000, 190_000, 216 * 194_000, 216**2 * 200 * 1_000**2, 216 * 194_000)
    generous = right._replace(table="B", returned=9_000_000)
    assert generous.chance == 0
    other = right._replace(table="C", recounted_216=216 * 194_001)
    few = generous._replace(table="D", rounds=99)
    found = Fairness(0.001, (fair, loaded), (right, generous, other, few), ())
    assert [each.table for each in found.alarms()] == ["B", "B", "C", ""]
    assert found.bound == 0.001 / 7
    assert Fairness(0.001, (fair,), (right,), ()).alarms() == []
    assert Fairness(0.001, (), (few,), ()).alarms() == []
    assert loaded.chi_square == Fraction(60**2 + 5 * 12**2, 100)
    assert fair.chance == 1
    assert right.deviation == pytest.approx(-4_000 / (200**0.5 * 1_000))


@pytest.mark.parametrize("chi_square", [0.0, 0.5, 4.35, 11.07, 60.0])
def test_the_chance_of_a_chi_square(chi_square: float) -> None:
    """The closed form for five degrees of freedom is what SciPy says."""
    assert chance_of(chi_square) == pytest.approx(chdtrc(5, chi_square), rel=1e-9)


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


# ------------------------------------------------------------------ what is refused


def test_engines_that_are_none_are_refused(export: Export) -> None:
    """Only the two engines are known, and DuckDB has no master."""
    for choice in ("sqlite", "", "duckdb:somewhere"):
        with pytest.raises(InputFault, match="--engine: duckdb, spark"), open_engine(choice, export):
            pass


def test_without_java_spark_says_how_to_have_it(export: Export, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault says what is missing and how it is installed."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(InputFault, match="apt-get install default-jre-headless"), open_engine("spark", export):
        pass


def test_a_path_that_engines_would_not_read_is_refused(journal: MemoryJournal, tmp_path: Path) -> None:
    """A star in the path of an export would be read as a pattern."""
    there = exported(journal, tmp_path / "a*b")
    with pytest.raises(InputFault, match="which engines read as a pattern"), open_engine("duckdb", there):
        pass


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    """Bytes that were changed in a file of the right size are DuckDB's fault to tell, in one line."""
    journal = MemoryJournal()
    deal_bots(journal, 60)
    export = exported(journal, tmp_path)
    path = export.paths("bets")[0]
    path.write_bytes(b"x" * path.stat().st_size)
    with (
        pytest.raises(InputFault, match="DuckDB cannot") as fault,
        open_engine("duckdb", open_export(tmp_path)) as engine,
    ):
        resettle_history(export, SHELF, engine)
    assert "\n" not in str(fault.value)
    assert path.name in str(fault.value)


def test_progress_is_told(export: Export, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a query runs, who waits is told how far it is, of a thousand."""
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(engines, "_LOOK_S", 0.0)
    with open_engine("duckdb", export, lambda done, whole: told.append((done, whole))) as engine:
        answers(export, engine, span=Span.LIFE, zone=UTC)
    assert told
    assert all(0 <= done <= whole == 1000 for done, whole in told)


def test_an_export_of_the_house_alone_can_be_asked(tmp_path: Path) -> None:
    """Without rounds and bets the answers are empty, not errors."""
    journal = MemoryJournal()
    tell_house(journal, 1_771_000_000_000_000)
    export = exported(journal, tmp_path)
    assert [file.dataset for file in export.files()] == ["events"]
    assert list(export.tables) == [HOUSE]
    with open_engine("duckdb", export) as engine:
        assert resettle_history(export, SHELF, engine).is_right
        assert report_history(export, engine, span=Span.DAY, made_at=MADE_AT) == report_of_audit(journal, span=Span.DAY)
        found = fairness(export, SHELF, engine)
        assert (found.all_faces.rounds, found.all_returns.rounds, found.alarms()) == (0, 0, [])
        with pytest.raises(InputFault, match="no table"):
            thrown(export, engine, "NZ")
        with pytest.raises(InputFault, match="--level"):
            fairness(export, SHELF, engine, level=1)
