"""Columns of bets settled through files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from taisai.analysis.bulk.parquet import resettle
from tests.analysis.bulk.samples import BETS, ROUNDS, SHELF, kept


@pytest.fixture
def again(tmp_path: Path) -> Callable[..., Any]:
    """Settles columns of bets and rounds through files; gives what `resettle` gives."""

    def run(bets: Any = BETS, rounds: Any = ROUNDS, paid: Any = None, **options: Any) -> Any:
        against = None if paid is None else kept(tmp_path, "paid", paid)
        files = kept(tmp_path, "bets", bets), kept(tmp_path, "rounds", rounds), tmp_path / "out.parquet"
        return resettle(*files, against, shelf=SHELF, **options)

    return run
