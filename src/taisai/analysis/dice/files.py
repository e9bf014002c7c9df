"""Rolls from files.

Enters: a text with a roll a line (`1 2 3`, `1,2,3`, `1+2+3`, `123`; numbered lines too), a text of one line with many
rolls, a CSV with columns, JSON, JSON Lines, or Parquet. Leaves: the rolls by set of dice and tumbler (`gathering`).
Faults name the line, row or item, and say how a roll is written.

Columns and keys are `d1`, `d2`, `d3` or `dice`; `void` marks rounds without a result; `dice_set` names the dice in the
tumbler, and `tumbler` the tumbler where several take turns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from taisai.analysis.dice.gathering import Gathering, Thrown
from taisai.core.dice import DICE_COUNT, Roll, parse_roll, roll_of
from taisai.core.faults import InputFault, shown
from taisai.outside import csv_rows, open_file, read_bytes

_COLUMNS: Final = (("d1", "d2", "d3"), ("die1", "die2", "die3"), ("die_1", "die_2", "die_3"), ("dice",), ("roll",))
_LISTS: Final = ("rolls", "throws", "results", "rounds", "data")
"""Keys of a JSON object under which its rolls may lie."""
_TRUE: Final = frozenset({"1", "true", "yes", "y"})
_FALSE: Final = frozenset({"", "0", "false", "no", "n"})
_PARQUET_MARK: Final = b"PAR1"
_MARKS: Final = (";", "|", "/", "+")
"""What may stand between faces instead of a comma."""
_NUMBERED: Final = re.compile(r"(?:#|no\.?|round|roll|throw)?\s*(\d+)\s*(?:[:)\]=]|\.(?=\s))\s*(.*)", re.IGNORECASE)
ROLLS_BYTES_MAX: Final = 64 * 1024 * 1024
"""Of a file of rolls that is text: some ten million rolls. Parquet has no such bound."""
HOW: Final = (
    "write a roll a line, as 1 2 3, 1,2,3, 1+2+3 or 123; or a heading with columns d1, d2, d3 or dice; or JSON, as "
    "[[1, 2, 3], …]"
)


def read_rolls(path: Path) -> tuple[Thrown, ...]:
    """The rolls of a file, by set of dice and tumbler."""
    with open_file(path) as file:
        is_parquet = file.read(len(_PARQUET_MARK)) == _PARQUET_MARK
    gathering = Gathering()
    if is_parquet:
        _gather_parquet(path, gathering)
    else:
        content = read_bytes(path, ROLLS_BYTES_MAX)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InputFault(str(path), "is neither text in UTF-8, Parquet, nor a journal") from None
        if text.lstrip()[:1] in ("[", "{"):
            _gather_json(path, text, gathering)
        else:
            _gather_text(path, text, gathering)
    found = gathering.sets()
    if not found:
        raise InputFault(str(path), "has no rolls")
    return found


# ------------------------------------------------------------------ text


def _gather_text(path: Path, text: str, gathering: Gathering) -> None:
    lines = [
        (number, line.strip())
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and (not line.strip().startswith("#") or _NUMBERED.fullmatch(line.strip()))
    ]
    if not lines:
        return
    heading: _Heading | None = None
    counts = _Counting()
    for place, (number, line) in enumerate(lines):
        try:
            if heading is not None:
                heading.gather(line, gathering)
            elif not place and any(map(str.isalpha, line)) and not _NUMBERED.fullmatch(line):
                heading = _Heading(line)
            elif len(lines) == 1:
                for roll in _many(line):
                    gathering.add(roll)
            else:
                gathering.add(_line(line, counts))
        except InputFault as fault:
            more = f"; {HOW}" if not place else ""
            raise InputFault(f"{path}, line {number}", f"{fault}{more}") from None


class _Counting:
    """Numbers before the faces of each line, without any mark after them: 1, 2, 3, and so on."""

    def __init__(self) -> None:
        self.next: int | None = None

    def takes(self, mark: str) -> bool:
        """Whether this is the next number; the first one is 0 or 1."""
        if not mark.isdecimal() or int(mark) not in ((0, 1) if self.next is None else (self.next,)):
            return False
        self.next = int(mark) + 1
        return True


def _line(text: str, counts: _Counting) -> Roll:
    """The roll of a line, whatever stands between its faces and whether or not the line is numbered."""
    numbered = _NUMBERED.fullmatch(text)
    if numbered is not None:
        return parse_roll(_with_commas(numbered[2]), "roll")
    marks = _with_commas(text).replace(",", " ").split()
    if len(marks) == DICE_COUNT + 1 and counts.takes(marks[0]):
        return parse_roll(" ".join(marks[1:]), "roll")
    return parse_roll(_with_commas(text), "roll")


def _with_commas(text: str) -> str:
    for mark in _MARKS:
        if mark in text:
            return text.replace(mark, ",")
    return text


def _many(text: str) -> list[Roll]:
    """The rolls of a file's only line: one, or several beside each other."""
    numbered = _NUMBERED.fullmatch(text)
    if numbered is not None:
        return [parse_roll(_with_commas(numbered[2]), "roll")]
    parts = text.split()
    if len(parts) > 1 and all(len(part) >= DICE_COUNT for part in parts):
        return [parse_roll(_with_commas(part.strip(",;|")), "roll") for part in parts]
    for mark in (";", "|", ","):
        pieces = [piece for piece in text.split(mark) if piece.strip()]
        if len(pieces) > 1 and all(len(piece.split()) == DICE_COUNT for piece in pieces):
            return [parse_roll(piece, "roll") for piece in pieces]
    faces = _with_commas(text).replace(",", " ").split()
    if len(faces) > DICE_COUNT and len(faces) % DICE_COUNT == 0 and all(len(face) == 1 for face in faces):
        return [parse_roll(" ".join(faces[at : at + DICE_COUNT]), "roll") for at in range(0, len(faces), DICE_COUNT)]
    return [parse_roll(_with_commas(text), "roll")]


class _Heading:
    """The first line of a CSV: which column is what."""

    def __init__(self, line: str) -> None:
        self._mark = next((mark for mark in (";", "\t") if mark in line), ",")
        self._names = [name.strip().lower() for name in self._cut(line)]
        _dice_of(self._names)

    def gather(self, line: str, gathering: Gathering) -> None:
        values = [value.strip() for value in self._cut(line)]
        if len(values) != len(self._names):
            raise InputFault("", f"{len(self._names)} columns needed, got {len(values)}")
        _gather_row(dict(zip(self._names, values, strict=True)), gathering)

    def _cut(self, line: str) -> list[str]:
        return next(csv_rows([line], "", delimiter=self._mark))


def _dice_of(names: Sequence[str]) -> tuple[str, ...]:
    """The names of the columns with the faces."""
    found = next((columns for columns in _COLUMNS if set(columns) <= set(names)), None)
    if found is None:
        raise InputFault("", f"no columns d1, d2, d3 and no column dice; the columns are {', '.join(names) or 'none'}")
    return found


def _gather_row(row: Mapping[str, object], gathering: Gathering) -> None:
    """A row of a CSV or an object of JSON."""
    gathering.put_in(_word(row, "dice_set"), _word(row, "tumbler"))
    if _is_void(row.get("void", "")):
        gathering.gap()
        return
    values = [row[name] for name in _dice_of(list(row))]
    gathering.add(_roll(values[0] if len(values) == 1 else values))


def _word(row: Mapping[str, object], name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value)


def _is_void(value: object) -> bool:
    word = "" if value is None else str(value).lower()
    if word not in _TRUE | _FALSE:
        raise InputFault("void", f"true or false needed, got {shown(value)}")
    return word in _TRUE


def _roll(value: object) -> Roll:
    """A roll as text, or as a list of faces."""
    if isinstance(value, str):
        return parse_roll(_with_commas(value), "roll")
    if isinstance(value, list) and all(isinstance(face, str) for face in value):
        return parse_roll(",".join(value), "roll")
    return roll_of(value, "roll") if isinstance(value, list) else parse_roll(str(value), "roll")


# ------------------------------------------------------------------ JSON


def _gather_json(path: Path, text: str, gathering: Gathering) -> None:
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        if len(lines) == 1 or not _is_json(lines[0][1]):
            raise InputFault(str(path), f"is not JSON that can be read: {error}") from None
        for number, line in lines:
            try:
                _gather_item(msgspec.json.decode(line), gathering)
            except (InputFault, msgspec.DecodeError, RecursionError) as fault:
                raise InputFault(f"{path}, line {number}", str(fault)) from None
        return
    for number, item in enumerate(_items(path, value), start=1):
        try:
            _gather_item(item, gathering)
        except InputFault as fault:
            raise InputFault(f"{path}, roll {number}", str(fault)) from None


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _items(path: Path, value: object) -> Sequence[object]:
    """The rolls of a JSON document: a list, a list under a known key, columns, or one roll alone."""
    if isinstance(value, dict):
        names = {str(name).lower(): each for name, each in value.items()}
        inner = next((names[name] for name in _LISTS if isinstance(names.get(name), list)), None)
        if inner is not None:
            return _items(path, inner)
        columns = next((each for each in _COLUMNS if set(each) <= set(names)), None)
        if columns is None:
            raise InputFault(str(path), f"no list of rolls under {', '.join(_LISTS)}; the keys are {', '.join(names)}")
        lists = [names[name] for name in columns]
        if len(columns) == DICE_COUNT and all(isinstance(each, list) for each in lists):
            if len({len(each) for each in lists}) > 1:
                raise InputFault(str(path), f"{', '.join(columns)} have not as many faces as each other")
            return [list(faces) for faces in zip(*lists, strict=True)]
        inside = lists[0]
        return inside if isinstance(inside, list) and inside and isinstance(inside[0], list | str) else [value]
    assert isinstance(value, list)
    if value and all(type(face) is int for face in value):
        if len(value) % DICE_COUNT:
            raise InputFault(str(path), f"{len(value)} faces in a row: rolls have three each")
        return [value[at : at + DICE_COUNT] for at in range(0, len(value), DICE_COUNT)]
    return value


def _gather_item(item: object, gathering: Gathering) -> None:
    if isinstance(item, dict):
        _gather_row({str(name).lower(): value for name, value in item.items()}, gathering)
    elif isinstance(item, list | str) or type(item) is int:
        gathering.add(_roll(item))
    else:
        raise InputFault("roll", f"three faces needed, as [1, 2, 3], got {shown(item)}")


# ------------------------------------------------------------------ Parquet


def _gather_parquet(path: Path, gathering: Gathering) -> None:
    from taisai.analysis.bulk.files import batches, demand, open_parquet, texts  # noqa: PLC0415 - Arrow is heavy
    from taisai.analysis.bulk.parquet import round_codes  # noqa: PLC0415 - as above
    from taisai.analysis.bulk.settle import VOID  # noqa: PLC0415 - only for Parquet

    file: Any = open_parquet(path, "rolls")
    names = file.schema_arrow.names
    dice = ["dice"] if "dice" in names else [f"d{die + 1}" for die in range(DICE_COUNT)]
    demand(file.schema_arrow, dice, str(path))
    labels = [name for name in ("dice_set", "tumbler") if name in names]
    columns = [*dice, *(["void"] if "void" in names else []), *labels]
    row = 0
    for each in batches(file, path, "rolls", columns=columns):
        try:
            codes = round_codes(each, row).tolist()
            words = {name: texts(each, name, row) for name in labels}
        except InputFault as fault:
            raise InputFault(str(path), str(fault)) from None
        for offset, code in enumerate(codes):
            named = {name: known[places[offset]] for name, (places, known) in words.items()}
            gathering.put_in(named.get("dice_set", ""), named.get("tumbler", ""))
            if code == VOID:
                gathering.gap()
            else:
                gathering.add(code)
        row += len(each)
