"""An export as views of a DuckDB file, for analysts.

Enters: an export and the name of a file. Leaves: a DuckDB database with one view for each dataset, each column with its
description, and the view `hours`: what was staked and won by book, currency and hour of the house's day. The views read
the folder `current`, so they show what is committed when they are asked, also while an export goes on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from taisai.core.faults import InputFault
from taisai.history.current import CURRENT, publish
from taisai.history.folder import FIELD, Export
from taisai.history.schema import DATASETS, MEANING, sql_schema
from taisai.outside import real_path

HOURS: Final = """
CREATE OR REPLACE VIEW hours AS
SELECT book, currency, house_day, house_hour,
       CAST(COUNT(*) FILTER (sign = 1) AS BIGINT) AS rounds,
       CAST(SUM(sign * r.staked) AS BIGINT) AS staked,
       CAST(SUM(sign * (r.staked - r.returned)) AS BIGINT) AS win
FROM (SELECT *, CASE outcome WHEN 'concluded' THEN 1 WHEN 'reversed' THEN -1 ELSE 0 END AS sign FROM rounds) r
GROUP BY ALL
"""
HOURS_MEANING: Final = "Rounds, stakes and win by book, currency and hour of the house's day; reversals are taken off."


def write_views(export: Export, file: Path) -> list[str]:
    """Make or renew the views in a DuckDB file; their names."""
    import duckdb  # noqa: PLC0415 - an extra, and heavy

    if publish(export) is None:
        raise InputFault(FIELD, f"{export.folder} is on a disk without links, which the views need")
    try:
        with duckdb.connect(str(file)) as base:
            for dataset in DATASETS:
                base.execute(f"CREATE OR REPLACE VIEW {dataset} AS {_source(export, dataset)}")
                base.execute(f"COMMENT ON VIEW {dataset} IS {_quoted(MEANING[dataset])}")
                for column in DATASETS[dataset]:
                    base.execute(f"COMMENT ON COLUMN {dataset}.{column.name} IS {_quoted(column.words)}")
            base.execute(HOURS)
            base.execute(f"COMMENT ON VIEW hours IS {_quoted(HOURS_MEANING)}")
    except duckdb.Error as error:
        raise InputFault("FILE", f"DuckDB cannot write {file}: {str(error).splitlines()[0]}") from None
    return [*DATASETS, "hours"]


def _source(export: Export, dataset: str) -> str:
    if not export.files(dataset):
        columns: Any = (each.split(" ") for each in sql_schema(dataset).split(", "))
        return f"SELECT {', '.join(f'CAST(NULL AS {kind}) AS {name}' for name, kind in columns)} WHERE false"
    pattern = real_path(export.folder) / CURRENT / dataset / "*" / "*.parquet"
    return f"SELECT * FROM read_parquet({_quoted(str(pattern))}, hive_partitioning = false)"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
