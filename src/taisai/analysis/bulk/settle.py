"""Bulk settlement: columns of bets in, columns of winnings and returned chips out.

Enters: NumPy columns of box codes, stakes and roll codes, and a `BulkTable` made from the core's own pay tables.
Leaves: two int64 columns, exact to the last chip; an amount that would not fit is a fault, never a wrapped number.
Work goes through in chunks that stay in the processor's cache, so that memory beside the columns is that of one chunk.

Rows in messages count from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taisai.analysis.kernels import Kernel, is_compiled
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_ROLLS, DICE_COUNT
from taisai.core.faults import InputFault, shown
from taisai.core.rulebook import Layout

Amounts = NDArray[np.int64]
Codes = NDArray[np.integer[Any]]

VOID: Final = len(ALL_ROLLS)
"""The roll code of a void round: every bet goes back whole."""

CHUNK: Final = 65536
"""Bets at a time: what a chunk reads and writes stays in the cache of one core."""

COMPILE_FROM: Final = 20_000_000
"""`auto` takes the compiled kernel from so many bets on: for fewer, compiling it takes longer than it saves."""

_INT64_MAX: Final = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class BulkTable:
    """What every box of one or several layouts returns on every roll. Make one with `bulk_table`."""

    layouts: tuple[str, ...]
    codes: Mapping[str, Mapping[BoxName, int]] = field(repr=False)
    """By layout and box: the box code. Codes run on from one layout to the next, each in the layout's own order."""
    width: int
    """How many box codes there are."""
    multipliers: Amounts = field(repr=False)
    """At `roll code * width + box code`: chips returned for a chip at risk. 0 is lost, odds + 1 won, 1 void.

    As wide as the results: a take can then write straight into their column, which halves its cost.
    """

    @property
    def code_type(self) -> np.dtype[np.unsignedinteger[Any]]:
        """The smallest type that holds every box code."""
        return np.dtype(np.uint8) if self.width <= 256 else np.dtype(np.uint16)

    @property
    def surely_fits(self) -> int:
        """A stake up to this one fits 64 bits whatever it wins."""
        return int(_INT64_MAX // self.multipliers.max())

    def box_codes(self, names: Iterable[str], layout: str | None = None) -> NDArray[np.unsignedinteger[Any]]:
        """The codes of boxes by name. `layout` may be left out where the table has only one."""
        if layout is None and len(self.layouts) != 1:
            raise InputFault("layout", f"say which: this table has {', '.join(self.layouts)}")
        chosen = self.layouts[0] if layout is None else layout
        if chosen not in self.codes:
            raise InputFault("layout", f"this table has {', '.join(self.layouts)}, not {shown(chosen)}")
        known = self.codes[chosen]
        codes = []
        for name in names:
            code = known.get(BoxName(name))
            if code is None:
                raise InputFault("box", f"layout {chosen} has no box {shown(name)}")
            codes.append(code)
        return np.array(codes, dtype=self.code_type)


def bulk_table(*layouts: Layout) -> BulkTable:
    """The table of one layout, or of several side by side."""
    if not layouts:
        raise InputFault("layout", "a table needs at least one layout")
    codes: dict[str, Mapping[BoxName, int]] = {}
    width = 0
    for layout in layouts:
        if layout.name in codes:
            raise InputFault("layout", f"{layout.name} is given twice")
        codes[layout.name] = MappingProxyType({box: width + place for place, box in enumerate(layout.boxes)})
        width += len(layout.boxes)
    multipliers = np.ones((len(ALL_ROLLS) + 1, width), dtype=np.int64)
    for roll in ALL_ROLLS:
        multipliers[roll.index] = [
            pays + 1 if (pays := layout.pay_table[roll.index][box]) else 0 for layout in layouts for box in layout.boxes
        ]
    flat = multipliers.ravel()
    flat.setflags(write=False)
    return BulkTable(tuple(codes), MappingProxyType(codes), width, flat)


def roll_codes(faces: Iterable[NDArray[Any]], *, first_row: int = 0) -> NDArray[np.uint8]:
    """The roll codes of three columns of faces, die by die: a roll's place among the 216."""
    columns = [_column(f"d{die}", column) for die, column in enumerate(faces, start=1)]
    if len(columns) != DICE_COUNT:
        raise InputFault("dice", f"needs three columns of faces, got {len(columns)}")
    _same_length({f"d{die}": column for die, column in enumerate(columns, start=1)})
    result = np.zeros(len(columns[0]), dtype=np.uint8)
    for die, column in enumerate(columns, start=1):
        strange = (column < 1) | (column > 6)
        if strange.any():
            row = int(strange.argmax())
            raise InputFault(f"d{die}", f"row {first_row + row}: a face is from 1 to 6, got {column[row]}")
        result *= 6
        result += (column - 1).astype(np.uint8)
    return result


def settle_bulk(
    table: BulkTable,
    box: Codes,
    stake: Amounts,
    roll: Codes,
    *,
    at_risk: Amounts | None = None,
    out: tuple[Amounts, Amounts] | None = None,
    chunk: int = CHUNK,
    kernel: Kernel = "auto",
    first_row: int = 0,
) -> tuple[Amounts, Amounts]:
    """Winnings and returned chips of each bet.

    `at_risk` is what pro rata left of each stake, else all of it is; the rest goes back whatever the dice show.
    `out` takes the results into columns that are there already; after a fault they hold nothing of use. `first_row` is
    the number of the first row in messages, where the columns are part of longer ones.
    """
    columns: dict[str, NDArray[Any]] = {
        "box": _column("box", box),
        "stake": _column("stake", stake, amounts=True),
        "roll": _column("roll", roll),
    }
    if at_risk is not None:
        columns["at_risk"] = _column("at_risk", at_risk, amounts=True)
    count = _same_length(columns)
    if type(chunk) is not int or chunk < 1:
        raise InputFault("chunk", f"a whole number from 1 on, got {shown(chunk)}")
    if out is None:
        winnings, returned = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    else:
        winnings, returned = _checked_out(out, columns)
    job = _Job(table, box, stake, roll, at_risk, first_row)
    if is_compiled(kernel, count, COMPILE_FROM):
        _settle_compiled(job, winnings, returned)
    else:
        _settle_chunks(job, winnings, returned, chunk)
    return winnings, returned


@dataclass(frozen=True, slots=True)
class _Job:
    """The columns of one call, checked for type and length but not yet for their values."""

    table: BulkTable
    box: Codes
    stake: Amounts
    roll: Codes
    at_risk: Amounts | None
    first_row: int

    def part(self, start: int, stop: int) -> _Job:
        """Some of the rows."""
        risk = None if self.at_risk is None else self.at_risk[start:stop]
        rows = slice(start, stop)
        return _Job(self.table, self.box[rows], self.stake[rows], self.roll[rows], risk, self.first_row + start)


def _settle_chunks(job: _Job, winnings: Amounts, returned: Amounts, chunk: int) -> None:
    table = job.table
    count = len(job.stake)
    surely_fits = table.surely_fits
    places = np.empty(min(chunk, count), dtype=np.intp)
    # Worked out in the smallest type that holds them and widened at the end, places cost half as much.
    narrow_places = np.empty(len(places), dtype=np.min_scalar_type(len(table.multipliers)))
    # NumPy compares two columns three times as fast as a column and a number.
    nothing = np.zeros(len(places), dtype=np.int64)
    for start in range(0, count, chunk):
        part = job.part(start, min(start + chunk, count))
        if not _is_plain(part, surely_fits):
            _refuse(part)
        won, back = winnings[start : start + chunk], returned[start : start + chunk]
        place, narrow = places[: len(part.stake)], narrow_places[: len(part.stake)]
        np.copyto(narrow, part.roll, casting="unsafe")  # whatever the type of the codes, they were found in range
        np.multiply(narrow, table.width, out=narrow)
        np.add(narrow, part.box, out=narrow, casting="unsafe")
        np.copyto(place, narrow)
        # Every place is in range, so "clip" changes none; it only spares a second check, and a copy of the result.
        np.take(table.multipliers, place, out=back, mode="clip")
        risk = part.stake if part.at_risk is None else part.at_risk
        np.multiply(back, risk, out=back)
        # The difference of a lost bet is below zero; its winnings are 0.
        np.subtract(back, risk, out=won)
        if part.at_risk is not None:
            np.add(won, part.stake, out=back)
        np.maximum(won, nothing[: len(won)], out=won)


def _is_plain(part: _Job, surely_fits: int) -> bool:
    """Whether every value is in range at a glance; if not, `_refuse` looks row by row."""
    # Seen without its sign a negative stake is enormous, so one look finds both what is negative and what is too much.
    return bool(
        _within(part.box, part.table.width)
        and _within(part.roll, VOID + 1)
        and part.stake.view(np.uint64).max() <= surely_fits
        and (part.at_risk is None or (part.at_risk.view(np.uint64) <= part.stake.view(np.uint64)).all())
    )


def _within(codes: Codes, end: int) -> bool:
    return bool(codes.max() < end and (codes.dtype.kind == "u" or codes.min() >= 0))


def _refuse(part: _Job) -> None:
    """Raise the fault of the first row that has one; large stakes that fit after all have none."""
    table = part.table
    risk = part.stake if part.at_risk is None else part.at_risk
    wrong_box = (part.box < 0) | (part.box >= table.width)
    wrong_roll = (part.roll < 0) | (part.roll > VOID)
    wrong_stake = part.stake < 0
    wrong_risk = (risk < 0) | (risk > part.stake)
    unreadable = wrong_box | wrong_roll | wrong_stake | wrong_risk
    place = np.where(unreadable, 0, part.roll.astype(np.int64) * table.width + part.box.astype(np.int64))
    odds = np.maximum(table.multipliers[place] - 1, 0)
    # Divided, not multiplied: the product is what may not fit.
    too_much = ~unreadable & (odds > 0) & (risk > (_INT64_MAX - np.maximum(part.stake, 0)) // np.maximum(odds, 1))
    faulty = unreadable | too_much
    if not faulty.any():
        return
    row = int(faulty.argmax())
    where = f"row {part.first_row + row}"
    if wrong_box[row]:
        raise InputFault("box", f"{where}: a code is from 0 to {table.width - 1}, got {part.box[row]}")
    if wrong_roll[row]:
        raise InputFault("roll", f"{where}: a code is from 0 to {VOID - 1}, or {VOID} for void, got {part.roll[row]}")
    if wrong_stake[row]:
        raise InputFault("stake", f"{where}: a stake is not negative, got {part.stake[row]}")
    if wrong_risk[row]:
        raise InputFault("at_risk", f"{where}: from 0 to the stake of {part.stake[row]}, got {risk[row]}")
    raise InputFault("stake", f"{where}: {part.stake[row]} at {odds[row]} to 1 returns more than 64 bits can hold")


def _settle_compiled(job: _Job, winnings: Amounts, returned: Amounts) -> None:
    from taisai.analysis.bulk.compiled import settle_rows  # noqa: PLC0415 - an extra, and heavy

    risk = job.stake if job.at_risk is None else job.at_risk
    table = job.table
    fault = settle_rows(
        table.multipliers, table.width, table.surely_fits, job.box, job.stake, risk, job.roll, winnings, returned
    )
    if fault >= 0:
        _refuse(job.part(fault, fault + 1))


def _column(name: str, column: object, *, amounts: bool = False) -> NDArray[Any]:
    """The column itself, if it is one: whole numbers in one dimension, int64 for amounts."""
    if not isinstance(column, np.ndarray):
        raise InputFault(name, f"a NumPy array is needed, got {type(column).__name__}")
    if column.ndim != 1:
        raise InputFault(name, f"a column has one dimension, this has {column.ndim}")
    if column.dtype.kind not in "iu" or not column.dtype.isnative or (amounts and column.dtype != np.int64):
        raise InputFault(name, f"{'int64' if amounts else 'whole numbers'} needed, got {column.dtype}")
    return column


def _same_length(columns: Mapping[str, NDArray[Any]]) -> int:
    lengths = {name: len(column) for name, column in columns.items()}
    first, count = next(iter(lengths.items()))
    for name, length in lengths.items():
        if length != count:
            raise InputFault(name, f"{length} rows, but {first} has {count}")
    return count


def _checked_out(out: tuple[Amounts, Amounts], columns: Mapping[str, NDArray[Any]]) -> tuple[Amounts, Amounts]:
    count = len(columns["stake"])
    for name, column in zip(("winnings", "returned"), out, strict=True):
        _column(f"out.{name}", column, amounts=True)
        if len(column) != count:
            raise InputFault(f"out.{name}", f"{len(column)} rows, but stake has {count}")
        if not column.flags.writeable:
            raise InputFault(f"out.{name}", "cannot be written to")
        # Results are written while the bets of the same chunk are still read.
        if any(np.may_share_memory(column, given) for given in columns.values()):
            raise InputFault(f"out.{name}", "shares memory with a column of the bets")
    if np.may_share_memory(*out):
        raise InputFault("out", "winnings and returned share memory")
    return out
