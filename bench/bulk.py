"""Bulk settlement of ten million bets on one core, against a copy of the same columns, a plain loop and a DuckDB join.

The copy moves every column that settling reads (box, stake, roll) and writes (winnings, returned), with NumPy, into
memory that has been written to before. The plain loop settles a slice, from lists and a flat table. DuckDB joins the
bets with the pay table by box and roll, on one thread, columns in and columns out.
"""

from __future__ import annotations

import timeit
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.measure import Line
from taisai.analysis.bulk.settle import bulk_table, settle_bulk
from taisai.analysis.kernels import Kernel
from taisai.books import open_shelf

LAYOUT = "rws-tai-sai-v6/C"
BETS = 10_000_000
SLICE = 200_000
REPEATS = 9
COPY_TARGET, COMPILED_TARGET, LOOP_TARGET = 3.0, 1.5, 1 / 30


def measured() -> list[Line]:
    """NumPy and, where it is installed, the compiled kernel against a copy; NumPy against the plain loop."""
    table = bulk_table(open_shelf(environment={}).layout(LAYOUT))
    chance = np.random.default_rng(7)
    box = chance.integers(0, table.width, BETS, dtype=np.uint8)
    roll = chance.integers(0, 216, BETS, dtype=np.uint8)
    stake = chance.integers(1, 10_000, BETS) * 100
    winnings, returned = np.zeros(BETS, dtype=np.int64), np.zeros(BETS, dtype=np.int64)
    columns: tuple[NDArray[Any], ...] = (box, stake, roll, winnings, returned)
    copies = tuple(np.ones_like(column) for column in columns)

    def copied() -> None:
        for target, column in zip(copies, columns, strict=True):
            np.copyto(target, column)

    def settled(kernel: Kernel) -> None:
        settle_bulk(table, box, stake, roll, out=(winnings, returned), kernel=kernel)

    lists = box[:SLICE].tolist(), stake[:SLICE].tolist(), roll[:SLICE].tolist()
    flat, width = table.multipliers.tolist(), table.width

    def looped() -> None:
        won, back = [], []
        for code, staked, side in zip(*lists, strict=True):
            multiplier = flat[side * width + code]
            back.append(staked * multiplier)
            won.append(staked * (multiplier - 1) if multiplier else 0)

    joined = _duckdb(columns[:3], table.multipliers, table.width)

    kernels: list[Kernel] = ["numpy"] if find_spec("numba") is None else ["numpy", "numba"]
    for kernel in kernels:
        settled(kernel)  # compiles it, and writes to the memory once
    runs: dict[str, tuple[Callable[[], None], int]] = {"copy": (copied, BETS), "loop": (looped, SLICE)}
    if joined is not None:
        runs["join"] = (joined, BETS)
    runs |= {kernel: (partial(settled, kernel), BETS) for kernel in kernels}
    best = dict.fromkeys(runs, float("inf"))
    # Interleaved, so that other load on the machine affects all of them alike.
    for _ in range(REPEATS):
        for name, (run, bets) in runs.items():
            best[name] = min(best[name], timeit.timeit(run, number=1) / bets * 1e9)
    targets = {"numpy": COPY_TARGET, "numba": COMPILED_TARGET}
    against_copy = [
        Line(f"settle in bulk, {kernel}", "NumPy copy of the same columns", best[kernel], best["copy"], targets[kernel])
        for kernel in kernels
    ]
    lines = [
        *against_copy,
        Line("settle in bulk, numpy", "plain Python loop", best["numpy"], best["loop"], LOOP_TARGET),
    ]
    if "join" in best:
        lines.append(Line("settle in bulk, numpy", "DuckDB join, one thread", best["numpy"], best["join"], None))
    return lines


def _duckdb(columns: tuple[NDArray[Any], ...], multipliers: NDArray[np.int64], width: int) -> Callable[[], None] | None:
    """The same settlement as a join, where DuckDB is installed; the bets are loaded into its own table beforehand."""
    if find_spec("duckdb") is None:
        return None
    import duckdb  # noqa: PLC0415 - for development only, and heavy

    base = duckdb.connect(config={"threads": 1})
    box, stake, roll = columns
    pays = {
        "roll": np.repeat(np.arange(217, dtype=np.uint8), width),
        "box": np.tile(np.arange(width, dtype=np.uint8), 217),
        "multiplier": multipliers,
    }
    base.register("bets_columns", {"box": box, "stake": stake, "roll": roll})
    base.register("pays_columns", pays)
    base.execute("create table bets as select * from bets_columns")
    base.execute("create table pays as select * from pays_columns")
    query = """
        select case when multiplier > 0 then stake * (multiplier - 1) else 0 end as winnings,
               stake * multiplier as returned
        from bets join pays on bets.box = pays.box and bets.roll = pays.roll
    """

    def joined() -> None:
        base.sql(query).fetchnumpy()

    return joined
