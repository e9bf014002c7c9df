"""Rolls from files, gathered by set of dice.

Enters: a text with a roll a line (`1 2 3`, `1,2,3`, `123`), a CSV with columns, or Parquet. Leaves: for each set of
dice its rolls in order, and which of them follow the one before. Faults name the line or row.

Columns are `d1`, `d2`, `d3` or `dice`; `void` marks rounds without a result; `dice_set` names the dice in the tumbler.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taisai.analysis.dice.paths import Indices
from taisai.core.dice import DICE_COUNT, Roll, parse_roll
from taisai.core.faults import InputFault, shown

_COLUMNS: Final = (("d1", "d2", "d3"), ("die1", "die2", "die3"), ("die_1", "die_2", "die_3"), ("dice",), ("roll",))
_TRUE: Final = frozenset({"1", "true", "yes", "y"})
_FALSE: Final = frozenset({"", "0", "false", "no", "n"})
_PARQUET_MARK: Final = b"PAR1"


class Thrown(NamedTuple):
    """The rolls of one set of dice."""

    name: str
    """Of the set; empty when nobody named it."""
    rolls: Indices
    follows: NDArray[np.bool_]
    """Whether the dice lay untouched since the roll before."""


class Gathering:
    """Rolls as they come, by set of dice. A set that comes back goes on where it was."""

    def __init__(self) -> None:
        self._sets: dict[str, tuple[bytearray, bytearray]] = {}
        self._name = ""
        self._follows = False

    def put_in(self, dice_set: str) -> None:
        """The set that is in the tumbler from now on."""
        if dice_set != self._name:
            self._name = dice_set
            self._follows = False

    def gap(self) -> None:
        """The dice were touched, or thrown without a result that counts."""
        self._follows = False

    def add(self, roll: Roll | int) -> None:
        """A roll, or its place in `ALL_ROLLS`."""
        rolls, follows = self._sets.setdefault(self._name, (bytearray(), bytearray()))
        rolls.append(roll if isinstance(roll, int) else roll.index)
        follows.append(self._follows)
        self._follows = True

    def sets(self) -> tuple[Thrown, ...]:
        """All sets, in the order they first came."""
        return tuple(
            Thrown(name, np.frombuffer(bytes(rolls), dtype=np.uint8), np.frombuffer(bytes(follows), dtype=np.bool_))
            for name, (rolls, follows) in self._sets.items()
        )


def read_rolls(path: Path) -> tuple[Thrown, ...]:
    """The rolls of a file, by set of dice."""
    with path.open("rb") as file:
        is_parquet = file.read(len(_PARQUET_MARK)) == _PARQUET_MARK
    gathering = Gathering()
    if is_parquet:
        _gather_parquet(path, gathering)
    else:
        with path.open(encoding="utf-8-sig", newline="") as text:
            try:
                _gather_text(path, enumerate(text, start=1), gathering)
            except UnicodeDecodeError:
                raise InputFault(str(path), "is neither text in UTF-8, Parquet, nor a journal") from None
    found = gathering.sets()
    if not found:
        raise InputFault(str(path), "has no rolls")
    return found


def _gather_text(path: Path, lines: Iterator[tuple[int, str]], gathering: Gathering) -> None:
    heading: _Heading | None = None
    first = True
    for number, line in lines:
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            if heading is not None:
                heading.gather(text, gathering)
            elif first and any(map(str.isalpha, text)):
                heading = _Heading(text)
            else:
                gathering.add(parse_roll(text.replace(";", ","), "roll"))
            first = False
        except InputFault as fault:
            raise InputFault(f"{path}, line {number}", str(fault)) from None


class _Heading:
    """The first line of a CSV: which column is what."""

    def __init__(self, line: str) -> None:
        self._mark = next((mark for mark in (";", "\t") if mark in line), ",")
        names = [name.strip().lower() for name in self._cut(line)]
        dice = next((columns for columns in _COLUMNS if set(columns) <= set(names)), None)
        if dice is None:
            raise InputFault("", f"no columns d1, d2, d3 and no column dice; the columns are {', '.join(names)}")
        self._count = len(names)
        self._dice = [names.index(name) for name in dice]
        self._void = names.index("void") if "void" in names else None
        self._set = names.index("dice_set") if "dice_set" in names else None

    def gather(self, line: str, gathering: Gathering) -> None:
        values = [value.strip() for value in self._cut(line)]
        if len(values) != self._count:
            raise InputFault("", f"{self._count} columns needed, got {len(values)}")
        if self._set is not None:
            gathering.put_in(values[self._set])
        if self._void is not None and _is_void(values[self._void]):
            gathering.gap()
            return
        gathering.add(_roll([values[place] for place in self._dice]))

    def _cut(self, line: str) -> list[str]:
        return next(csv.reader([line], delimiter=self._mark))


def _roll(values: Sequence[str]) -> Roll:
    return parse_roll(values[0] if len(values) == 1 else ",".join(values), "roll")


def _is_void(text: str) -> bool:
    word = text.lower()
    if word not in _TRUE | _FALSE:
        raise InputFault("void", f"true or false needed, got {shown(text)}")
    return word in _TRUE


def _gather_parquet(path: Path, gathering: Gathering) -> None:
    from taisai.analysis.bulk.files import batches, demand, open_parquet, texts  # noqa: PLC0415 - Arrow is heavy
    from taisai.analysis.bulk.parquet import round_codes  # noqa: PLC0415 - as above
    from taisai.analysis.bulk.settle import VOID  # noqa: PLC0415 - only for Parquet

    file: Any = open_parquet(path, "rolls")
    names = file.schema_arrow.names
    dice = ["dice"] if "dice" in names else [f"d{die + 1}" for die in range(DICE_COUNT)]
    demand(file.schema_arrow, dice, str(path))
    columns = [*dice, *(name for name in ("void", "dice_set") if name in names)]
    row = 0
    for each in batches(file, path, "rolls", columns=columns):
        try:
            codes = round_codes(each, row).tolist()
            places, sets = texts(each, "dice_set", row) if "dice_set" in names else (None, [])
        except InputFault as fault:
            raise InputFault(str(path), str(fault)) from None
        for offset, code in enumerate(codes):
            if places is not None:
                gathering.put_in(sets[places[offset]])
            if code == VOID:
                gathering.gap()
            else:
                gathering.add(code)
        row += len(each)
