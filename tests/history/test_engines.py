"""Engines: what is refused, and progress."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest

from taisai.audit.reports import Span, make_report
from taisai.core.faults import InputFault
from taisai.history import engines
from taisai.history.engines import open_engine
from taisai.history.fairness import fairness, thrown
from taisai.history.folder import Export, open_export
from taisai.history.reported import report_history
from taisai.history.resettled import resettle_history
from taisai.journal import MemoryJournal
from taisai.streams.house_events import HOUSE_STREAM
from tests.history.asked import answers, asked_for, exported
from tests.history.dealt import SHELF, deal_bots, tell_house


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
    assert list(export.tables) == [HOUSE_STREAM]
    with open_engine("duckdb", export) as engine:
        assert resettle_history(export, SHELF, engine).is_right
        assert report_history(export, engine, asked_for(Span.DAY)) == make_report(journal, asked_for(Span.DAY))
        found = fairness(export, SHELF, engine)
        assert (found.all_faces.rounds, found.all_returns.rounds, found.alarms()) == (0, 0, [])
        with pytest.raises(InputFault, match="no table"):
            thrown(export, engine, "NZ")
        with pytest.raises(InputFault, match="--level"):
            fairness(export, SHELF, engine, level=1)
