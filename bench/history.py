"""Bets of an export settled again by DuckDB, against a bare DuckDB join of the same columns, and the memory it takes.

The bets are made with NumPy, as an export would have them: a few hundred tables, twelve bets a round, several files.
Ours is the whole of `taisai resettle`: the join, the sums by table, the comparison with what was paid and with the
rounds. The bare join reads the same columns and adds up what is returned. Both run in a process of their own, whose
memory is measured, on as many threads as there are cores.

    python -m bench.history             with the number of bets below
    python -m bench.history 50000000    with as many
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import timeit
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own
import pyarrow.parquet as pq  # type: ignore[import-untyped] # as above

from bench.measure import Line
from taisai.books import open_shelf
from taisai.core.dice import ALL_ROLLS
from taisai.history.engines import MEMORY, open_engine
from taisai.history.folder import DataFile, Export, Manifest
from taisai.history.payouts import payouts
from taisai.history.resettled import resettle_history
from taisai.history.schema import arrow_schema, rules_key

BETS = 5_000_000
"""With 50 million the making alone takes more than a minute; the ratio is the same."""
FILES = 5
A_ROUND = 12
TABLES = 200
LAYOUTS = ("rws-tai-sai-v6/C", "nz-division-9/1")
REPEATS = 3
TARGET = 3.0
MEMORY_TARGET = 4_000_000_000
BARE = """
SELECT COUNT(b.table_name), SUM(b.stake - b.at_risk + b.at_risk * p.multiplier), SUM(b.winnings), SUM(b.returned)
FROM bets b JOIN pays p ON p.rules = b.rules AND p.box = b.box AND p.roll = b.roll
"""


def measured(bets: int = BETS) -> list[Line]:
    """Resettling against the bare join, and its memory against the four gigabytes it should keep to."""
    with tempfile.TemporaryDirectory(prefix="taisai-bench-") as folder:
        make_bets(Path(folder), bets)
        command = [sys.executable, "-m", "bench.history", "--settle", folder]
        done = subprocess.run(command, capture_output=True, check=True, cwd=Path(__file__).parent.parent)
    found = json.loads(done.stdout)
    each = f"{bets / 1e6:g} million bets"
    return [
        Line(f"resettle {each} of an export", "bare DuckDB join", found["ours"], found["bare"], TARGET),
        Line(f"bytes of memory, {each}", "4 GB", found["memory"] / bets, MEMORY_TARGET / bets, 1.0),
    ]


def make_bets(folder: Path, bets: int) -> None:
    """An export's files of bets and rounds, all paid right, and what the process that settles needs to know of them."""
    shelf = open_shelf(environment={})
    layouts = [shelf.layout(name) for name in LAYOUTS]
    keys = [rules_key(name, shelf.book(name.partition("/")[0]).digest) for name in LAYOUTS]
    names = sorted({str(box) for layout in layouts for box in layout.boxes})
    pays = [
        {(roll.index, str(box)): layout.pay_table[roll.index][box] for roll in ALL_ROLLS for box in layout.boxes}
        for layout in layouts
    ]
    # What a box returns per chip, by layout, roll and box; 0 also for a box that the layout does not have.
    multipliers = np.zeros((len(layouts), len(ALL_ROLLS), len(names)), dtype=np.int64)
    for number, odds_of in enumerate(pays):
        for roll in ALL_ROLLS:
            for place, box in enumerate(names):
                odds = odds_of.get((roll.index, box), 0)
                multipliers[number, roll.index, place] = odds + 1 if odds else 0
    of_layout = [np.array([names.index(str(box)) for box in layout.boxes]) for layout in layouts]
    chance = np.random.default_rng(7)
    files = []
    count = bets // FILES // A_ROUND * A_ROUND
    for number in range(FILES):
        files += _one_file(
            folder, number, count, chance=chance, keys=keys, names=names, multipliers=multipliers, of_layout=of_layout
        )
    (folder / "files.json").write_text(json.dumps({"rules": keys, "files": files}), encoding="utf-8")


def _one_file(
    folder: Path,
    number: int,
    count: int,
    *,
    chance: np.random.Generator,
    keys: list[str],
    names: list[str],
    multipliers: Any,
    of_layout: list[Any],
) -> list[list[Any]]:
    rounds = count // A_ROUND
    first = number * rounds
    table = np.arange(rounds) % TABLES
    layout = table % len(keys)
    roll = chance.integers(0, 216, rounds).astype(np.int16)
    starts = np.arange(0, count, A_ROUND)
    by_bet = np.repeat(np.arange(rounds), A_ROUND)
    box = np.empty(count, dtype=np.int64)
    for place, boxes in enumerate(of_layout):
        mine = layout[by_bet] == place
        box[mine] = chance.choice(boxes, int(mine.sum()))
    stake = chance.integers(1, 10_000, count) * 100
    multiplier = multipliers[layout[by_bet], roll[by_bet], box]
    returned = stake * multiplier
    winnings = np.where(multiplier > 0, returned - stake, 0)
    position = first * 40 + np.arange(rounds) * 40
    at = 1_772_000_000_000_000 + (first + np.arange(rounds)) * 300_000
    numbers = (first + np.arange(rounds)) // TABLES + 1
    nothing = np.zeros(count, dtype=np.int64)

    def words(codes: Any, of: list[str]) -> Any:
        return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(of)).cast(pa.string())

    tables = [f"T{place:03}" for place in range(TABLES)]
    players = [f"p{place}" for place in range(5_000)]
    columns = {
        "position": position[by_bet],
        "table_name": words(table[by_bet], tables),
        "round": numbers[by_bet],
        "line": np.tile(np.arange(A_ROUND), rounds),
        "at_us": at[by_bet],
        "rules": words(layout[by_bet], keys),
        "roll": roll[by_bet],
        "player": words(chance.integers(0, len(players), count), players),
        "box": words(box, names),
        "stake": stake,
        "at_risk": stake,
        "pays": pa.array(multiplier - 1, mask=multiplier == 0),
        "winnings": winnings,
        "returned": returned,
        "in_colour": nothing,
        "colour": pa.nulls(count, pa.string()),
    }
    none = np.zeros(rounds, dtype=np.int64)
    sums = {name: np.add.reduceat(amounts, starts) for name, amounts in (("staked", stake), ("returned", returned))}
    of_rounds = {
        "position": position,
        "table_name": words(table, tables),
        "round": numbers,
        "outcome": pa.array(["concluded"] * rounds),
        "at_us": at,
        "opened_us": at,
        "layout": words(layout, [key.partition("@")[0] for key in keys]),
        "digest": words(layout, keys),
        "rules": words(layout, keys),
        "dice_set": pa.array([""] * rounds),
        **{f"d{die + 1}": ((roll // 6 ** (2 - die)) % 6 + 1).astype(np.int16) for die in range(3)},
        "roll": roll,
        "follows": pa.array([True] * rounds),
        "bets": np.full(rounds, A_ROUND),
        "staked": sums["staked"],
        "at_risk": sums["staked"],
        "winnings": none,
        "returned": sums["returned"],
        "expected_216": none,
        "void": pa.array([""] * rounds),
    }
    files = []
    for dataset, made in (("bets", columns), ("rounds", of_rounds)):
        schema = arrow_schema(dataset)
        name = f"{dataset}-{number}.parquet"
        rows = pa.Table.from_arrays([pa.array(made[field.name], field.type) for field in schema], schema=schema)
        pq.write_table(rows, folder / name, compression="zstd", row_group_size=122_880)
        files.append([dataset, name, len(rows)])
    return files


def settle(folder: Path) -> dict[str, float]:
    """Resettle and join alternately: the best of each in nanoseconds per bet, and the peak memory."""
    made = json.loads((folder / "files.json").read_text(encoding="utf-8"))
    files = [DataFile(dataset, "", name, rows, 0, "") for dataset, name, rows in made["files"]]
    rules = tuple(made["rules"])
    export = Export(
        folder,
        [Manifest(genesis="", after=0, upto=1, before="", last="", tables={}, rules=rules, files=tuple(files))],
    )
    shelf = open_shelf(environment={})
    bets = export.rows("bets")
    best = {"ours": float("inf"), "bare": float("inf")}
    with open_engine("duckdb", export, memory=MEMORY) as engine:
        engine.put("pays", payouts(rules, shelf).pays)

        def ours() -> None:
            assert resettle_history(export, shelf, engine).is_right

        def bare() -> None:
            engine.query(BARE)

        for _ in range(REPEATS):
            for name, run in (("bare", bare), ("ours", ours)):
                best[name] = min(best[name], timeit.timeit(run, number=1) / bets * 1e9)
    return {**best, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


def main() -> None:
    """Measure, and print."""
    if sys.argv[1:2] == ["--settle"]:
        print(json.dumps(settle(Path(sys.argv[2]))))
        return
    for line in measured(int(sys.argv[1]) if len(sys.argv) > 1 else BETS):
        print(f"{line.what}: {line.ours_ns:.1f} against {line.bare_ns:.1f} ({line.against}), {line.ratio:.3f} times")


if __name__ == "__main__":
    main()
