"""Spark on a cluster of two worker processes gives what DuckDB and the audit give, by the same text."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from os import environ
from pathlib import Path
from typing import Any

import pyspark
import pytest

from taisai.audit.reports import Span, make_report
from taisai.cli import main
from taisai.history.engines import open_engine, require_java, start_spark
from taisai.history.folder import Export
from taisai.journal import MemoryJournal
from tests.history.asked import LORD_HOWE, answers, asked_for, exported, require_wrong_found, whole_house

CLUSTER = "local-cluster[2,1,1024]"
"""A master and two workers, each a process with one core and its own executor."""

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Spark on a cluster of its own. With so little data most of the time goes into starting, so little is compiled."""
    require_java()
    place = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.sql.shuffle.partitions": "1",
        "spark.driver.extraJavaOptions": QUICK,
        "spark.executor.extraJavaOptions": QUICK,
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.executor.memory": "512m",
        "spark.local.dir": str(place),
        "spark.sql.warehouse.dir": str(place / "warehouse"),
    }
    session = start_spark(CLUSTER, **settings)
    home = Path(environ.get("SPARK_HOME", Path(pyspark.__file__).parent))
    left = home / "work" / session.sparkContext.applicationId
    yield session
    session.stop()
    # What the workers of a local cluster wrote: they have no other place for it than Spark's own folder.
    shutil.rmtree(left)


@pytest.fixture(scope="module")
def journal() -> MemoryJournal:
    """A whole house, one table of which pays wrongly."""
    return whole_house(40, "rws-tai-sai-v6")


@pytest.fixture(scope="module")
def export(journal: MemoryJournal, tmp_path_factory: pytest.TempPathFactory) -> Export:
    """Its export."""
    return exported(journal, tmp_path_factory.mktemp("history") / "it's an export")


@pytest.mark.slow
def test_spark_gives_what_duckdb_gives(journal: MemoryJournal, export: Export, spark: Any) -> None:
    """Bets settled again, the report, fairness and rolls are equal on both engines, and to the audit."""
    with open_engine("spark", export) as engine:
        ours = answers(export, engine, span=Span.MONTH, zone=LORD_HOWE)
    with open_engine("duckdb", export) as engine:
        theirs = answers(export, engine, span=Span.MONTH, zone=LORD_HOWE)
    assert ours == theirs
    assert ours["report"] == make_report(journal, asked_for(Span.MONTH, LORD_HOWE))
    require_wrong_found(ours["resettled"])
    executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
    assert executors == 2


@pytest.mark.slow
def test_the_command_asks_spark(export: Export, spark: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """`--engine spark` of a command gives what it gives without."""
    assert spark.sparkContext.master == CLUSTER
    capfd.readouterr()
    assert main(("resettle", str(export.folder), "--engine", "spark", "--json")) == 1
    ours = json.loads(capfd.readouterr().out)
    assert main(("resettle", str(export.folder), "--json")) == 1
    assert ours == json.loads(capfd.readouterr().out)
    assert ours["right"] is False
