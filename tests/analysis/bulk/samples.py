"""Bets and rounds, and what the core makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own
import pyarrow.parquet as pq  # type: ignore[import-untyped] # has no types of its own

from taisai.books import open_shelf
from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import BoxName
from taisai.core.dice import roll_of
from taisai.core.money import Chips
from taisai.core.settlement import settle, settle_void

SHELF = open_shelf(environment={})
C = "rws-tai-sai-v6/C"
MINI = next(iter(SHELF.book("rws-mini-dice-v3").layouts.values())).name
ROUNDS: dict[str, Any] = {
    "layout": [C, MINI, C, C],
    "round": [3, 1, 1, 2],
    "d1": [1, 2, 1, None],
    "d2": [2, 2, 1, None],
    "d3": [3, 5, 1, None],
    "void": [False, None, False, True],
}


BETS: dict[str, Any] = {
    "layout": [C, C, C, C, MINI, C],
    "round": [1, 1, 2, 3, 1, 3],
    "player": ["ann", "bob", "ann", "ann", "bob", "ann"],
    "box": ["triple:1", "small", "small", "small", next(iter(SHELF.layout(MINI).boxes)), "small"],
    "stake": [100, 200, 300, 400, 500, 600],
}


def kept(tmp_path: Path, name: str, columns: dict[str, Any] | Any, **options: Any) -> Path:
    """A Parquet file of these columns."""
    path = tmp_path / f"{name}.parquet"
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), path, **options)
    return path


def without(columns: dict[str, Any], *names: str) -> dict[str, Any]:
    """The columns without some."""
    return {name: values for name, values in columns.items() if name not in names}


def by_core() -> list[tuple[int, int]]:
    """Winnings and returned of `BETS`, by the core."""
    expected = []
    for row in pa.table(BETS).to_pylist():
        at = next(
            each
            for each in pa.table(ROUNDS).to_pylist()
            if (each["layout"], each["round"]) == (row["layout"], row["round"])
        )
        layout = SHELF.layout(row["layout"])
        bets = [Bet(PlayerId(row["player"]), BoxName(row["box"]), Chips(row["stake"]))]
        dice = [at["d1"], at["d2"], at["d3"]]
        done = settle_void(layout, bets) if at["void"] else settle(layout, roll_of(dice), bets)
        expected.append(done.outcomes[0][1:])
    return expected


def results(table: Any) -> list[tuple[int, int]]:
    """The two columns of results."""
    return list(zip(table["winnings"].to_pylist(), table["returned"].to_pylist(), strict=True))


DUE = [back for _, back in by_core()]
KEYS = without(BETS, "stake")


def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Bets, rounds and the place for the output."""
    return kept(tmp_path, "bets", BETS), kept(tmp_path, "rounds", ROUNDS), tmp_path / "out.parquet"
