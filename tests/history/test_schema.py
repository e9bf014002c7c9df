"""docs/history.md says what the columns of an export are."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq  # type: ignore[import-untyped] # has no types of its own
import pytest

from taisai.history.schema import DATASETS, MEANING, SQL_TYPES, TYPES, arrow_schema
from taisai.journal import MemoryJournal
from tests import ROOT
from tests.history.asked import exported
from tests.history.dealt import deal_bots

PAGE = ROOT / "docs" / "history.md"


@pytest.mark.parametrize("dataset", list(DATASETS))
def test_the_page_has_every_column(dataset: str) -> None:
    """Each column is on the page in its order, with its type and its words, and no other is."""
    part = PAGE.read_text(encoding="utf-8").partition(f"### `{dataset}`\n")[2].partition("\n#")[0]
    rows = [line for line in part.splitlines() if line.startswith("| `")]
    assert rows == [
        f"| `{each.name}` | {each.type}{', or null' if each.may_be_null else ''} | {each.words} |"
        for each in DATASETS[dataset]
    ]


def test_files_have_the_columns_of_the_page(tmp_path: Path) -> None:
    """What is written has exactly these columns, and nulls only where they may be."""
    journal = MemoryJournal()
    deal_bots(journal, 80)
    export = exported(journal, tmp_path)
    for dataset, columns in DATASETS.items():
        for path in export.paths(dataset):
            rows = pq.read_table(path, partitioning=None)
            assert rows.schema.equals(arrow_schema(dataset))
            told = [field.metadata[b"description"].decode() for field in rows.schema]
            assert told == [each.words for each in columns]
            assert rows.schema.metadata[b"description"].decode() == MEANING[dataset]
            nulls = {name for name in rows.schema.names if rows.column(name).null_count}
            assert nulls <= {each.name for each in columns if each.may_be_null}
    assert TYPES.keys() == SQL_TYPES.keys()
