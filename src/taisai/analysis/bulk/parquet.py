"""Every bet of a file settled again: Parquet or Arrow in and out.

Enters: bets (`layout`, `round`, `player`, `box`, `stake`, and `at_risk` where pro rata was applied) and rounds
(`layout`, `round`, the dice as `d1`, `d2`, `d3` or as a list `dice`, and `void`). Leaves: the bets with `winnings` and
`returned` beside them, and what differs from what was paid. Files of bets pass through batch by batch and may be of any
size; of each round 9 bytes stay in memory, and some 35 while they are put in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own
import pyarrow.compute as pc  # type: ignore[import-untyped] # as above
import pyarrow.parquet as pq  # type: ignore[import-untyped] # as above
from numpy.typing import NDArray

from taisai.analysis.bulk.compare import KEYS, Comparison, compare
from taisai.analysis.bulk.files import (
    BATCH,
    batches,
    demand,
    exact_sum,
    open_parquet,
    texts,
    whole_file,
    whole_numbers,
)
from taisai.analysis.bulk.settle import VOID, bulk_table, roll_codes, settle_bulk
from taisai.books import Shelf, open_shelf
from taisai.core.dice import DICE_COUNT
from taisai.core.faults import InputFault, shown
from taisai.outside import real_path

Progress = Callable[[int, int], None]
"""Told after each batch: bets done, and bets in all."""

RESULTS: Final = ("winnings", "returned")
_DICE: Final = ("d1", "d2", "d3")

_Codes = NDArray[np.int64]
_Rounds = dict[str, tuple[NDArray[np.int64], NDArray[np.uint8]]]
"""By layout: the numbers of its rounds in order, and the roll code of each."""


class Sums(NamedTuple):
    """What bets add up to, in Python's own whole numbers: a sum may be larger than any one amount."""

    bets: int
    staked: int
    winnings: int
    returned: int


class Resettled(NamedTuple):
    """What came of settling a file again."""

    sums: Sums
    comparison: Comparison | None
    """None when there was nothing to compare with."""


class Resettler:
    """Settles Arrow tables of bets against rounds that it has learnt."""

    def __init__(self, rounds: Iterable[Any], shelf: Shelf) -> None:
        """Learn the rounds from Arrow batches."""
        self._shelf = shelf
        self._rounds = _learn(rounds)
        layouts = [shelf.layout(name, "rounds.layout") for name in self._rounds]
        self._table = bulk_table(*layouts) if layouts else None

    def settle(self, bets: Any, *, first_row: int = 0) -> tuple[Any, Sums]:
        """A table or batch of bets with `winnings` and `returned` beside them, and their sums."""
        check_bets(bets.schema)
        try:
            stake = whole_numbers(bets, "stake", first_row)
            at_risk = whole_numbers(bets, "at_risk", first_row) if "at_risk" in bets.schema.names else None
            layout, layouts = texts(bets, "layout", first_row)
            box, boxes = texts(bets, "box", first_row)
            rolls = self._rolls(layout, layouts, whole_numbers(bets, "round", first_row), first_row)
            if self._table is None:  # then there are no bets either, or `_rolls` had refused them
                winnings = returned = stake
            else:
                codes = self._boxes(layout, layouts, box, boxes, first_row)
                winnings, returned = settle_bulk(
                    self._table, codes, stake, rolls, at_risk=at_risk, kernel="numpy", first_row=first_row
                )
        except InputFault as fault:
            raise fault.under("bets") from None
        settled = bets.append_column("winnings", pa.array(winnings)).append_column("returned", pa.array(returned))
        return settled, Sums(len(bets), exact_sum(stake), exact_sum(winnings), exact_sum(returned))

    def _rolls(self, layout: _Codes, names: list[str], numbers: _Codes, first_row: int) -> NDArray[np.uint8]:
        """The roll code of each bet's round."""
        rolls = np.empty(len(numbers), dtype=np.uint8)
        for code, name in enumerate(names):
            mine = np.flatnonzero(layout == code)
            wanted = numbers[mine]
            if name not in self._rounds:
                self._shelf.layout(name)  # a layout that no book has is a fault of its own
                raise InputFault("round", f"row {first_row + mine[0]}: {name} has no round {wanted[0]}")
            known, codes = self._rounds[name]
            place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
            missing = known[place] != wanted
            if missing.any():
                row = int(missing.argmax())
                raise InputFault("round", f"row {first_row + mine[row]}: {name} has no round {wanted[row]}")
            rolls[mine] = codes[place]
        return rolls

    def _boxes(self, layout: _Codes, layouts: list[str], box: _Codes, boxes: list[str], first_row: int) -> _Codes:
        """The box code of each bet, in the table of all layouts; -1 would be a box that the layout does not have."""
        assert self._table is not None
        codes = np.empty(len(box), dtype=np.int64)
        for number, name in enumerate(layouts):
            known: Any = self._table.codes[name]
            mine = np.flatnonzero(layout == number)
            codes[mine] = np.array([known.get(each, -1) for each in boxes], dtype=np.int64)[box[mine]]
        strange = codes < 0
        if strange.any():
            row = int(strange.argmax())
            which = f"layout {layouts[layout[row]]} has no box {shown(boxes[box[row]])}"
            raise InputFault("box", f"row {first_row + row}: {which}")
        return codes


def settle_tables(bets: Any, rounds: Any, shelf: Shelf) -> Any:
    """An Arrow table of bets settled against one of rounds."""
    return Resettler(rounds.to_batches(), shelf).settle(bets)[0]


def resettle(
    bets_path: Path,
    rounds_path: Path,
    out_path: Path,
    against: Path | None = None,
    progress: Progress | None = None,
    *,
    shelf: Shelf | None = None,
    batch: int = BATCH,
) -> Resettled:
    """Settle every bet of a Parquet file again, write them with their results, and say what differs from `against`.

    The file is written whole or not at all, and only when everything that was to be read could be.
    """
    read = [path for path in (bets_path, rounds_path, against) if path is not None]
    if real_path(out_path) in [real_path(path) for path in read]:
        raise InputFault("output", f"{out_path} is one of the files to be read")
    if not out_path.parent.is_dir():
        raise InputFault("output", f"no folder {out_path.parent}")
    rounds = open_parquet(rounds_path, "rounds")
    columns = _round_columns(rounds.schema_arrow)
    resettler = Resettler(
        batches(rounds, rounds_path, "rounds", columns=columns), open_shelf() if shelf is None else shelf
    )
    bets = open_parquet(bets_path, "bets")
    with whole_file(out_path) as unfinished:
        sums = _settle_file(resettler, batches(bets, bets_path, "bets", size=batch), bets, unfinished, progress)
        comparison = None if against is None else compare(unfinished, against, size=batch)
    return Resettled(sums, comparison)


def _settle_file(resettler: Resettler, rows: Iterator[Any], bets: Any, target: Path, progress: Progress | None) -> Sums:
    # A file without bets has its columns all the same.
    empty, sums = resettler.settle(bets.schema_arrow.empty_table())
    with pq.ParquetWriter(target, empty.schema) as writer:
        for each in rows:
            settled, more = resettler.settle(each, first_row=sums.bets)
            writer.write_batch(settled)
            sums = Sums(*(one + other for one, other in zip(sums, more, strict=True)))
            if progress is not None:
                progress(sums.bets, bets.metadata.num_rows)
    return sums


def check_bets(schema: Any) -> None:
    """Refuse bets that lack a column, or that have the results already."""
    demand(schema, (*KEYS, "stake"), "bets")
    for name in RESULTS:
        if name in schema.names:
            raise InputFault(f"bets.{name}", "bets come without their results; leave this column out")


def _learn(rounds: Iterable[Any]) -> _Rounds:
    parts: dict[str, list[tuple[_Codes, NDArray[np.uint8]]]] = {}
    row = 0
    for each in rounds:
        _round_columns(each.schema)
        try:
            numbers, codes = whole_numbers(each, "round", row), round_codes(each, row)
            layout, names = texts(each, "layout", row)
        except InputFault as fault:
            raise fault.under("rounds") from None
        for code, name in enumerate(names):
            mine = layout == code
            parts.setdefault(name, []).append((numbers[mine], codes[mine]))
        row += len(each)
    return {name: _in_order(name, found) for name, found in parts.items()}


def _in_order(name: str, found: list[tuple[_Codes, NDArray[np.uint8]]]) -> tuple[_Codes, NDArray[np.uint8]]:
    numbers = np.concatenate([each for each, _ in found])
    codes = np.concatenate([each for _, each in found])
    order = np.argsort(numbers)
    numbers, codes = numbers[order], codes[order]
    twice = np.flatnonzero(numbers[1:] == numbers[:-1])
    if len(twice):
        raise InputFault("rounds.round", f"{name} has round {numbers[twice[0]]} twice")
    return numbers, codes


def _round_columns(schema: Any) -> list[str]:
    """The columns of a table of rounds that are read."""
    dice = ("dice",) if "dice" in schema.names else _DICE
    demand(schema, ("layout", "round", *dice), "rounds")
    return ["layout", "round", *dice, *(["void"] if "void" in schema.names else [])]


def round_codes(rounds: Any, first_row: int) -> NDArray[np.uint8]:
    """The roll code of each round. A void round is void whatever dice lie in it, or none."""
    counts = np.ones(len(rounds), dtype=bool)
    if "void" in rounds.schema.names:
        column = rounds.column("void")
        if not (pa.types.is_boolean(column.type) or pa.types.is_null(column.type)):
            raise InputFault("void", f"true or false needed, got {column.type}")
        counts = ~column.cast(pa.bool_()).fill_null(False).to_numpy(zero_copy_only=False)
    faces = np.ones((DICE_COUNT, len(rounds)), dtype=np.int64)
    if counts.any():
        faces[:, counts] = _faces(rounds, counts, first_row)
    codes = roll_codes(faces, first_row=first_row)
    codes[~counts] = VOID
    return codes


def _faces(rounds: Any, counts: NDArray[np.bool_], first_row: int) -> NDArray[np.int64]:
    """The faces, a line a die, of the rounds that count; where one has none, the fault names its row."""
    rows = first_row + np.flatnonzero(counts)
    chosen = rounds.filter(pa.array(counts))
    if "dice" not in rounds.schema.names:
        for name in _DICE:
            _no_gap(chosen.column(name), name, rows)
        return np.stack([whole_numbers(chosen, name, first_row) for name in _DICE])
    dice = chosen.column("dice")
    _no_gap(dice, "dice", rows)
    if not (pa.types.is_list(dice.type) or pa.types.is_large_list(dice.type) or pa.types.is_fixed_size_list(dice.type)):
        raise InputFault("dice", f"a list of three faces needed, got {dice.type}")
    lengths = pc.list_value_length(dice).to_numpy(zero_copy_only=False)
    wrong = lengths != DICE_COUNT
    if wrong.any():
        place = int(wrong.argmax())
        raise InputFault("dice", f"row {rows[place]}: needs three faces, got {lengths[place]}")
    flat = pa.RecordBatch.from_arrays([dice.flatten()], names=["dice"])
    _no_gap(flat.column("dice"), "dice", rows.repeat(DICE_COUNT))
    return whole_numbers(flat, "dice", first_row).reshape(-1, DICE_COUNT).T


def _no_gap(column: Any, name: str, rows: NDArray[np.int64]) -> None:
    if column.null_count:
        row = rows[int(column.is_null().to_numpy(zero_copy_only=False).argmax())]
        raise InputFault(name, f"row {row}: no dice, and the round is not void")
