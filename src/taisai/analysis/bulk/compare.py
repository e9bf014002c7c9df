"""What was paid against what was due.

Enters: a file of bets settled again and a file of what was paid (`returned`). Leaves: how many differ, by how much, and
the first of them. A paid file with the bets in the same order, with or without their keys (`layout`, `round`, `player`,
`box`), is read beside the other, batch by batch. One in another order, or with other bets, is matched by key: bets with
one key are then added up, and both files' keys are held in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own
import pyarrow.compute as pc  # type: ignore[import-untyped] # as above
from numpy.typing import NDArray

from taisai.analysis.bulk.files import BATCH, batches, demand, exact_sum, no_nulls, open_parquet, whole_numbers
from taisai.core.faults import InputFault

KEYS: Final = ("layout", "round", "player", "box")
FIRST: Final = 10
"""How many differences are told one by one."""

_INT64_MAX: Final = np.iinfo(np.int64).max


class Difference(NamedTuple):
    """A bet that was not paid what was due. None stands for a bet that one of the files does not have."""

    row: int | None
    """Its row among the bets, from 0; None where bets were matched by key."""
    layout: str
    round: int
    player: object
    box: str
    due: int | None
    paid: int | None


class Comparison(NamedTuple):
    """What differs between due and paid."""

    by_key: bool
    compared: int
    """Bets, or keys where bets were matched by key."""
    different: int
    underpaid: int
    """By how much altogether, over the bets that got too little."""
    overpaid: int
    first: tuple[Difference, ...]


def compare(settled_path: Path, paid_path: Path, *, size: int = BATCH) -> Comparison:
    """Compare `returned` of two files, row by row where they hold the same bets in the same order, else by key."""
    settled, paid = open_parquet(settled_path, "settled"), open_parquet(paid_path, "against")
    demand(paid.schema_arrow, ("returned",), "against")
    keys = [name for name in KEYS if name in paid.schema_arrow.names]
    if keys:
        demand(paid.schema_arrow, KEYS, "against")
    same_length = settled.metadata.num_rows == paid.metadata.num_rows
    if not keys and not same_length:
        counts = f"{paid.metadata.num_rows} rows for {settled.metadata.num_rows} bets"
        raise InputFault("against", f"{counts}, and no {', '.join(KEYS)} to match them by")
    ours = batches(settled, settled_path, "settled", columns=[*KEYS, "returned"], size=size)
    theirs = batches(paid, paid_path, "against", columns=[*keys, "returned"], size=size)
    found = _by_row(ours, theirs, with_keys=bool(keys)) if same_length else None
    if found is not None:
        return found
    return _by_key(
        _keyed(batches(settled, settled_path, "settled", columns=[*KEYS, "returned"], size=size), "settled"),
        _keyed(batches(paid, paid_path, "against", columns=[*KEYS, "returned"], size=size), "against"),
    )


def _by_row(ours: Iterator[Any], theirs: Iterator[Any], *, with_keys: bool) -> Comparison | None:
    """None when a row turns out to be another bet than the one beside it."""
    row = different = underpaid = overpaid = 0
    first: list[Difference] = []
    for settled, paid in _side_by_side(ours, theirs):
        if with_keys and not _same_keys(settled, paid, row):
            return None
        due, got = _returned(settled, row), _returned(paid, row)
        more = due - got
        places = np.flatnonzero(more)
        different += len(places)
        underpaid += exact_sum(np.maximum(more, 0))
        overpaid += exact_sum(np.maximum(-more, 0))
        for place in places[: FIRST - len(first)]:
            bet = settled.slice(place, 1).to_pylist()[0]
            first.append(_difference(row + int(place), {**bet, "due": int(due[place]), "paid": int(got[place])}))
        row += len(settled)
    return Comparison(False, row, different, underpaid, overpaid, tuple(first))


def _difference(row: int | None, bet: dict[str, Any]) -> Difference:
    return Difference(row, bet["layout"], bet["round"], bet["player"], bet["box"], bet["due"], bet["paid"])


def _side_by_side(ours: Iterator[Any], theirs: Iterator[Any]) -> Iterator[tuple[Any, Any]]:
    """Pieces of equal length: two files of the same rows need not be cut alike."""
    left = right = None
    while True:
        left = left or next(ours, None)
        right = right or next(theirs, None)
        if left is None or right is None:
            return
        length = min(len(left), len(right))
        yield left.slice(0, length), right.slice(0, length)
        left, right = left.slice(length), right.slice(length)


def _same_keys(settled: Any, paid: Any, first_row: int) -> bool:
    ours, theirs = _keys(settled, "settled", first_row), _keys(paid, "against", first_row)
    return all(pc.all(pc.equal(ours[name], theirs[name])).as_py() is not False for name in KEYS)


def _keys(rows: Any, field: str, first_row: int) -> dict[str, Any]:
    """The key columns in plain types, the same for both files: rounds as int64, the rest as text."""
    columns = {}
    for name in KEYS:
        kind = pa.int64() if name == "round" else pa.string()
        try:
            column = rows.column(name).cast(kind)
            no_nulls(column, name, first_row)
        except InputFault as fault:
            raise fault.under(field) from None
        except pa.ArrowException:
            raise InputFault(f"{field}.{name}", f"cannot be matched: {rows.column(name).type} given") from None
        columns[name] = column
    return columns


def _returned(rows: Any, first_row: int) -> NDArray[np.int64]:
    try:
        amounts = whole_numbers(rows, "returned", first_row)
        if len(amounts) and amounts.min() < 0:
            place = int((amounts < 0).argmax())
            raise InputFault("returned", f"row {first_row + place}: not negative, got {amounts[place]}")
    except InputFault as fault:
        raise fault.under("against") from None
    return amounts


def _keyed(rows: Iterator[Any], field: str) -> Any:
    """What each key was returned in all, as an Arrow table."""
    parts = []
    count = largest = 0
    for each in rows:
        amounts = _returned(each, count)
        largest = max(largest, int(amounts.max(initial=0)))
        parts.append(pa.table({**_keys(each, field, count), "returned": amounts}))
        count += len(each)
    # Arrow adds without looking whether the sum still fits.
    if largest * count > _INT64_MAX:
        raise InputFault(f"{field}.returned", f"{count} amounts of up to {largest} cannot be added in 64 bits")
    if not parts:
        kinds = {name: pa.int64() if name == "round" else pa.string() for name in KEYS}
        parts.append(pa.schema({**kinds, "returned": pa.int64()}).empty_table())
    return pa.concat_tables(parts).group_by(list(KEYS)).aggregate([("returned", "sum")])


def _by_key(ours: Any, theirs: Any) -> Comparison:
    both = ours.rename_columns([*KEYS, "due"]).join(
        theirs.rename_columns([*KEYS, "paid"]), keys=list(KEYS), join_type="full outer"
    )
    same = pc.fill_null(pc.equal(both["due"], both["paid"]), False)
    wrong = both.filter(pc.invert(same)).sort_by([(name, "ascending") for name in KEYS])
    due, paid = (pc.fill_null(wrong[name], 0).to_numpy() for name in ("due", "paid"))
    first = [_difference(None, each) for each in wrong.slice(0, FIRST).to_pylist()]
    under, over = exact_sum(np.maximum(due - paid, 0)), exact_sum(np.maximum(paid - due, 0))
    return Comparison(True, len(both), len(wrong), under, over, tuple(first))
