"""An export as views of a DuckDB file, for analysts.

Enters: an export and the name of a file. Leaves: a DuckDB database with one view for each dataset, each column with its
description, and the view `hours`: stakes, win and drop by book, currency and hour of the house's day. The views read
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
WITH played AS (
    SELECT book, currency, house_day, house_hour, sign, sign * staked AS staked, sign * (staked - returned) AS win,
           0 AS cash
    FROM (SELECT *, CASE outcome WHEN 'concluded' THEN 1 WHEN 'reversed' THEN -1 ELSE 0 END AS sign FROM rounds)
), under AS (
    SELECT table_name, position, body ->> '$.what.book' AS book,
           LAST_VALUE(body ->> '$.what.currency' IGNORE NULLS) OVER (PARTITION BY table_name ORDER BY position)
               AS currency
    FROM events WHERE kind IN ('table-set-up', 'edition-taken')
), bought AS (
    SELECT u.book, u.currency, p.house_day, p.house_hour, 0 AS sign, 0 AS staked, 0 AS win, p.amount AS cash
    FROM postings p ASOF JOIN under u ON p.table_name = u.table_name AND p.position >= u.position
    WHERE p.account = 'drop' AND p.amount > 0
)
SELECT book, currency, house_day, house_hour,
       CAST(COUNT(*) FILTER (sign = 1) AS BIGINT) AS rounds,
       CAST(SUM(staked) AS BIGINT) AS staked,
       CAST(SUM(win) AS BIGINT) AS win,
       CAST(SUM(cash) AS BIGINT) AS "drop"
FROM (FROM played UNION ALL FROM bought)
GROUP BY ALL
"""
HOURS_MEANING: Final = (
    "Rounds, stakes, win and drop by book, currency and hour of the house's day; reversals are taken off."
)


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
