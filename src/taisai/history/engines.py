"""Who runs the queries: DuckDB in this process, or Spark on as many machines as there are.

Enters: an export, small tables, a text of `queries`. Leaves: an Arrow table, the same from both. An engine reads the
files that the manifests name and no others. DuckDB keeps to a limit of memory and puts the rest into a temporary
folder; Spark keeps to that of its workers, which must reach the export under the same path.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from os import environ
from pathlib import Path
from typing import Any, Final, Protocol

from taisai.core.faults import InputFault, shown
from taisai.history.folder import FIELD, Export
from taisai.history.schema import DATASETS, arrow_schema, sql_schema
from taisai.journal.contract import Progress
from taisai.outside import real_path

ENGINES: Final = ("duckdb", "spark")
ENGINE_FIELD: Final = "--engine"
MEMORY: Final = "2GB"
"""What DuckDB may take."""
LOCAL_MASTER: Final = "local[*]"
NO_JAVA: Final = (
    "Spark needs Java 17 or newer, and there is no `java`: install one "
    "(on Debian: apt-get install default-jre-headless)"
)
_LOOK_S: Final = 0.2
_GLOB_SIGNS: Final = frozenset("*?[]{}\\")


class Engine(Protocol):
    """Runs queries over one export."""

    name: str

    def put(self, name: str, rows: Any) -> None:
        """Have a small Arrow table under a name, in place of what had it."""
        ...

    def query(self, text: str) -> Any:
        """What a query gives, as an Arrow table."""
        ...


@contextmanager
def open_engine(
    choice: str, export: Export, progress: Progress | None = None, *, memory: str = MEMORY
) -> Iterator[Engine]:
    """An engine by its name over an export: `duckdb`, `spark`, or `spark:` and the address of a Spark master."""
    name, _, master = choice.partition(":")
    signs = sorted(_GLOB_SIGNS & set(str(real_path(export.folder))))
    if signs:
        raise InputFault(FIELD, f"{export.folder} has {' '.join(signs)} in its path, which engines read as a pattern")
    match name:
        case "duckdb" if not master:
            with _duckdb(export, progress, memory) as engine:
                yield engine
        case "spark":
            with _spark(export, master) as engine:
                yield engine
        case _:
            raise InputFault(ENGINE_FIELD, f"duckdb, spark or spark:MASTER, got {shown(choice)}")


# ------------------------------------------------------------------ DuckDB


class DuckEngine:
    """DuckDB in this process."""

    name = "duckdb"

    def __init__(self, base: Any, progress: Progress | None) -> None:
        self._base = base
        self._progress = progress

    def put(self, name: str, rows: Any) -> None:
        """Have a small table under a name."""
        self._base.register("arrow_rows", rows)
        self._base.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM arrow_rows")
        self._base.unregister("arrow_rows")

    def query(self, text: str) -> Any:
        """What a query gives; who waits is told how far it is."""
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(self._run, text)
            try:
                return self._awaited(running)
            except BaseException:
                self._base.interrupt()
                raise

    def _run(self, text: str) -> Any:
        import duckdb  # noqa: PLC0415 - an extra, and heavy

        try:
            return self._base.sql(text).to_arrow_table()
        except duckdb.Error as error:
            raise InputFault(FIELD, f"DuckDB cannot answer: {_first_line(error)}") from None

    def _awaited(self, running: Future[Any]) -> Any:
        while True:
            with suppress(NotYet):
                return running.result(_LOOK_S)
            if self._progress is not None:
                self._progress(max(0, round(self._base.query_progress() * 10)), 1000)


@contextmanager
def _duckdb(export: Export, progress: Progress | None, memory: str) -> Iterator[DuckEngine]:
    try:
        import duckdb  # noqa: PLC0415 - an extra, and heavy
    except ImportError:
        raise InputFault(ENGINE_FIELD, "duckdb needs the extra `history`: pip install 'taisai[history]'") from None
    with tempfile.TemporaryDirectory(prefix="taisai-duckdb-") as spare:
        settings: dict[str, Any] = {
            "memory_limit": memory,
            "temp_directory": spare,
            "preserve_insertion_order": "false",
        }
        base = duckdb.connect(config=settings)
        try:
            for dataset in DATASETS:
                paths = export.paths(dataset)
                if paths:
                    names = ", ".join("'" + str(real_path(path)).replace("'", "''") + "'" for path in paths)
                    source = f"read_parquet([{names}], hive_partitioning = false)"
                else:
                    base.register("none_" + dataset, arrow_schema(dataset).empty_table())
                    source = "none_" + dataset
                base.execute(f"CREATE TEMP VIEW {dataset} AS SELECT * FROM {source}")
            yield DuckEngine(base, progress)
        except duckdb.Error as error:
            raise InputFault(FIELD, f"DuckDB cannot read the export: {_first_line(error)}") from None
        finally:
            base.close()


# ------------------------------------------------------------------ Spark


class SparkEngine:
    """Spark, through a session of its own."""

    name = "spark"

    def __init__(self, session: Any) -> None:
        self._session = session

    def put(self, name: str, rows: Any) -> None:
        """Have a small table under a name, sent whole to every worker."""
        from pyspark.sql.functions import broadcast  # noqa: PLC0415 - an extra, and heavy

        broadcast(self._session.createDataFrame(rows)).createOrReplaceTempView(name)

    def query(self, text: str) -> Any:
        """What a query gives."""
        from py4j.protocol import Py4JError  # type: ignore[import-untyped] # noqa: PLC0415 - no types; comes with Spark
        from pyspark.errors import PySparkException  # noqa: PLC0415 - an extra, and heavy

        try:
            return self._session.sql(text).toArrow()
        except (PySparkException, Py4JError) as error:
            raise InputFault(FIELD, f"Spark cannot answer: {_first_line(error)}") from None


@contextmanager
def _spark(export: Export, master: str) -> Iterator[SparkEngine]:
    if find_spec("pyspark") is None:
        raise InputFault(ENGINE_FIELD, "spark needs the extra `spark`: pip install 'taisai[spark]'")
    require_java()
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra, and heavy

    active = SparkSession.getActiveSession()
    started = None if active is not None else start_spark(master)
    base = active if active is not None else started
    assert base is not None
    try:
        session = base.newSession()
        session.conf.set("spark.sql.ansi.enabled", "true")
        for dataset in DATASETS:
            paths = [str(real_path(path)) for path in export.paths(dataset)]
            # Told the columns, Spark need not look for them in the files, and has them without any file.
            columns = sql_schema(dataset)
            rows = session.read.schema(columns).parquet(*paths) if paths else session.createDataFrame([], columns)
            rows.createOrReplaceTempView(dataset)
        yield SparkEngine(session)
    finally:
        if started is not None:
            started.stop()


def start_spark(master: str = "", **settings: str) -> Any:
    """Start Spark: on this machine, or as part of the cluster whose master is named; what SPARK_HOME says holds."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra, and heavy

    builder: Any = SparkSession.builder
    builder = builder.appName("taisai").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "true" if sys.stderr.isatty() else "false")
    where = master or ("" if "SPARK_HOME" in environ else LOCAL_MASTER)
    if where:
        builder = builder.master(where)
    if where.startswith("local"):
        builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def require_java() -> None:
    """Refuse to go on without Java, and say how to have it."""
    home = environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (home and (Path(home) / "bin" / "java").is_file()):
        raise InputFault(ENGINE_FIELD, NO_JAVA)


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
