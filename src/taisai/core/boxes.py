"""Betting boxes: what each is called and on which rolls it wins.

Enters: a name such as `three:221`. Leaves: a `Box` that knows its kind, its faces and when it wins. How much it then
pays is in the rule book. Serves `nz-division-9` §4.1; the bet columns of `rws-*` §4.1; `rws-mini-dice-v3` §1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from typing import Final, NewType, assert_never

from taisai.core.dice import FACES, Roll
from taisai.core.faults import InputFault, shown

BoxName = NewType("BoxName", str)
"""The text form of a box, the same in files, API, events and screens."""


class Kind(StrEnum):
    """The bet kinds that the software knows. A rule book chooses among them and sets the odds."""

    SMALL = "small"
    BIG = "big"
    ODD = "odd"
    EVEN = "even"
    SINGLE = "single"
    DOUBLE = "double"
    TRIPLE = "triple"
    ANY_TRIPLE = "any-triple"
    TOTAL = "total"
    PAIR = "pair"
    THREE = "three"
    FOUR = "four"
    FIELD = "field"


SMALL_TOTALS: Final = range(4, 11)
BIG_TOTALS: Final = range(11, 18)
BET_TOTALS: Final = range(4, 18)
FIELD_TOTALS: Final = frozenset({5, 6, 7, 8, 13, 14, 15, 16})

ONE_FACE_KINDS: Final = frozenset({Kind.SINGLE, Kind.DOUBLE, Kind.TRIPLE})
"""Kinds whose box is one face: a pay row of theirs may depend on how many dice show it."""


@dataclass(frozen=True, slots=True)
class Box:
    """One betting area: `name` is its identity, the rest follows from it."""

    name: BoxName
    kind: Kind = field(compare=False)
    faces: tuple[int, ...] = field(compare=False)
    """The faces in the order of the name; empty for kinds without faces."""
    total: int | None = field(compare=False)

    def __str__(self) -> str:
        return self.name


def wins(box: Box, roll: Roll) -> bool:
    """Whether a box wins on a roll, whatever it then pays."""
    match box.kind:
        case Kind.SMALL:
            return roll.total in SMALL_TOTALS and not roll.is_triple
        case Kind.BIG:
            return roll.total in BIG_TOTALS and not roll.is_triple
        case Kind.ODD:
            return roll.total % 2 == 1 and not roll.is_triple
        case Kind.EVEN:
            return roll.total % 2 == 0 and not roll.is_triple
        case Kind.SINGLE:
            return roll.count(box.faces[0]) >= 1
        case Kind.DOUBLE:
            return roll.count(box.faces[0]) >= 2
        case Kind.TRIPLE:
            return roll.count(box.faces[0]) == 3
        case Kind.ANY_TRIPLE:
            return roll.is_triple
        case Kind.TOTAL:
            return roll.total == box.total
        case Kind.PAIR:
            return all(face in roll.faces for face in box.faces)
        case Kind.THREE:
            return tuple(sorted(box.faces)) == roll.low_to_high
        case Kind.FOUR:
            return len(set(roll.faces)) == 3 and set(roll.faces) <= set(box.faces)
        case Kind.FIELD:
            return roll.total in FIELD_TOTALS
        case _:
            assert_never(box.kind)


def _every_box() -> Iterable[tuple[Kind, tuple[int, ...], int | None]]:
    for kind in (Kind.SMALL, Kind.BIG, Kind.ODD, Kind.EVEN):
        yield kind, (), None
    for kind in (Kind.SINGLE, Kind.DOUBLE, Kind.TRIPLE):
        for face in FACES:
            yield kind, (face,), None
    yield Kind.ANY_TRIPLE, (), None
    for total in BET_TOTALS:
        yield Kind.TOTAL, (), total
    for pair in combinations(FACES, 2):
        yield Kind.PAIR, pair, None
    for three in combinations(FACES, 3):
        yield Kind.THREE, three, None
    for double in FACES:
        for single in FACES:
            if single != double:
                yield Kind.THREE, (double, double, single), None
    for four in combinations(FACES, 4):
        yield Kind.FOUR, four, None
    yield Kind.FIELD, (), None


def _argument(faces: tuple[int, ...], total: int | None) -> str:
    return str(total) if total is not None else "".join(map(str, faces))


def _named(kind: Kind, faces: tuple[int, ...], total: int | None) -> Box:
    argument = _argument(faces, total)
    return Box(BoxName(f"{kind}:{argument}" if argument else str(kind)), kind, faces, total)


ALL_BOXES: Final[dict[BoxName, Box]] = {box.name: box for box in (_named(*parts) for parts in _every_box())}
"""Every box that any layout can have: 118 of them."""

_BY_KIND: Final = {kind: tuple(box for box in ALL_BOXES.values() if box.kind is kind) for kind in Kind}


def parse_box(text: str, field_name: str = "box") -> Box:
    """The box of that name; otherwise an `InputFault` that shows how boxes of its kind are written."""
    box = ALL_BOXES.get(BoxName(text))
    if box is not None:
        return box
    kind_text, _, argument = text.partition(":")
    if kind_text not in _BY_KIND:
        raise InputFault(field_name, f"unknown box {shown(text)}; kinds are {', '.join(Kind)}")
    kind = Kind(kind_text)
    raise InputFault(field_name, f"unknown box {shown(text)}; {_how_named(kind, argument)}")


def _how_named(kind: Kind, argument: str) -> str:
    turned = _same_faces(kind, argument)
    if turned is not None:
        return f"write {turned.name}"
    names = [box.name for box in _BY_KIND[kind]]
    if len(names) == 1:
        return f"the name is {names[0]}"
    return f"names run from {names[0]} to {names[-1]}"


def _same_faces(kind: Kind, argument: str) -> Box | None:
    """The box meant when the faces are right and only their order is not: `pair:52`, `four:6543`, `three:122`."""
    wanted = sorted(argument)
    for box in _BY_KIND[kind]:
        if box.faces and sorted(_argument(box.faces, None)) == wanted:
            return box
    return None


def parse_boxes(text: str, field_name: str = "boxes") -> tuple[Box, ...]:
    """Read a row's boxes: `small`, or one kind with its arguments, `total: 4 17`."""
    kind, colon, arguments = text.partition(":")
    if not colon:
        return (parse_box(text.strip(), field_name),)
    if not arguments.split():
        raise InputFault(field_name, f"{shown(text)} names no box after the colon")
    return tuple(parse_box(f"{kind.strip()}:{argument}", field_name) for argument in arguments.split())
