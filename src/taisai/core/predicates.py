"""Predicates over three dice: on which rolls an outcome of a bet applies.

Enters: a text such as `n(a) >= 2` or `total in 4..10 and not triple`, and values for its variables. Leaves: the set of
rolls on which it holds. Every term is symmetric in the dice, so their order can never matter and the 56 combinations
stand for all 216 rolls. A text is parsed by hand, once, when a book is read; nothing of it is run as code. Serves the
bet columns of all pay tables.

    either   = both {"or" both}
    both     = one {"and" one}
    one      = "not" one | "(" either ")" | "triple" | compared
    compared = number ("==" | "!=" | "<" | "<=" | ">" | ">=") number | number ["not"] "in" (range | set)
    number   = "7" | variable | "total" | "distinct" | "low" | "high" | "n" "(" (number | set) ")"
    set      = "{" (number | range) {"," (number | range)} "}"
    range    = number ".." number

A variable is one of a, b, c, d (a face) and t (a total); the bounds of a range are whole numbers or variables.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from taisai.core.dice import ALL_COMBINATIONS, Roll
from taisai.core.faults import InputFault, shown

Combinations = int
"""A set of the 56 combinations, as bits: bit N is `ALL_COMBINATIONS[N]`."""
Values = Mapping[str, int]
"""What the variables stand for."""

EVERY: Final[Combinations] = (1 << len(ALL_COMBINATIONS)) - 1
FACE_VARIABLES: Final = ("a", "b", "c", "d")
TOTAL_VARIABLE: Final = "t"
TEXT_MAX: Final = 500
_DEPTH_MAX: Final = 20
_NUMBER_MAX: Final = 18
_FACE_MAX: Final = 6

_Test = Callable[[Values], Combinations]
_Number = Callable[[Values], tuple[int, ...]]
"""A number on each of the 56 combinations."""
_Set = Callable[[Values], frozenset[int]]

_MEASURES: Final[Mapping[str, Callable[[Roll], int]]] = {
    "total": lambda roll: roll.total,
    "distinct": lambda roll: len(set(roll.faces)),
    "low": lambda roll: roll.low_to_high[0],
    "high": lambda roll: roll.low_to_high[2],
}
_COMPARED: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_NUMBERS: Final = f"a whole number, {', '.join(_MEASURES)} or n(...)"
_MARK: Final = re.compile(r"[0-9]+|[A-Za-z]+|[=!<>]=|=[<>]|\.\.|[<>(){},]|\S")
_MEANT: Final = {
    "=": "==",
    "=>": ">=",
    "=<": "<=",
    "≥": ">=",
    "≤": "<=",
    "≠": "!=",
    "&": "and",
    "|": "or",
    "-": "..",
    "–": "..",
    "…": "..",
    "sum": "total",
    "is": "==",
    "[": "{",
}


@cache
def _measured(measure: str) -> tuple[int, ...]:
    return tuple(map(_MEASURES[measure], ALL_COMBINATIONS))


@cache
def _dice_showing(faces: frozenset[int]) -> tuple[int, ...]:
    return tuple(sum(face in faces for face in roll.faces) for roll in ALL_COMBINATIONS)


def _where(holds: Iterable[bool]) -> Combinations:
    return sum(1 << place for place, true in enumerate(holds) if true)


TRIPLES: Final = _where(roll.is_triple for roll in ALL_COMBINATIONS)


def showing(face: int, dice: int) -> Combinations:
    """Where a face shows on exactly so many dice."""
    return _where(count == dice for count in _dice_showing(frozenset({face})))


def totalling(totals: Iterable[int]) -> Combinations:
    """Where the total is one of these."""
    wanted = frozenset(totals)
    return _where(total in wanted for total in _measured("total"))


def first_of(combinations: Combinations) -> Roll:
    """The first roll of a set that is not empty."""
    return ALL_COMBINATIONS[(combinations & -combinations).bit_length() - 1]


_WAYS: Final = tuple((1, 3, 6)[len(set(roll.faces)) - 1] for roll in ALL_COMBINATIONS)


def ways_of(combinations: Combinations) -> int:
    """Of how many of the 216 rolls a set consists."""
    return sum(ways for place, ways in enumerate(_WAYS) if combinations >> place & 1)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A parsed predicate; take one from `parse_predicate`."""

    text: str
    terms: frozenset[str]
    """The measures that it names: `total`, `n`, `triple`, ..."""
    _test: _Test

    def holds(self, values: Values) -> Combinations:
        """Where it holds, with these values for its variables."""
        return self._test(values)


def parse_predicate(text: str, variables: Iterable[str] = (), field_name: str = "when") -> Predicate:
    """Parse a predicate over these variables; `InputFault` names the character at which it goes wrong."""
    if len(text) > TEXT_MAX:
        raise InputFault(field_name, f"is longer than {TEXT_MAX} characters")
    return _Parser(text, frozenset(variables), field_name).whole()


class _Parser:
    """Reads marks from left to right; each method reads one form of the grammar."""

    def __init__(self, text: str, variables: frozenset[str], field_name: str) -> None:
        self._text, self._variables, self._field = text, variables, field_name
        self._marks = [(found[0], found.start()) for found in _MARK.finditer(text)]
        self._at = 0
        self._depth = 0
        self._terms: set[str] = set()

    def whole(self) -> Predicate:
        test = self._either()
        if self._mark:
            raise self._fault("and, or or the end")
        return Predicate(self._text, frozenset(self._terms), test)

    @property
    def _mark(self) -> str:
        return self._marks[self._at][0] if self._at < len(self._marks) else ""

    def _take(self, *wanted: str) -> str:
        """The next mark, if it is one of these; otherwise nothing."""
        mark = self._mark
        if mark not in wanted:
            return ""
        self._at += 1
        return mark

    def _must(self, wanted: str) -> None:
        if not self._take(wanted):
            raise self._fault(wanted)

    def _fault(self, wanted: str) -> InputFault:
        mark = self._mark
        found = f"got {shown(mark)}" if mark else "and it ends there"
        place = self._marks[self._at][1] if mark else len(self._text)
        meant = f"; write {_MEANT[mark]}" if mark in _MEANT else ""
        if meant.endswith(".."):
            meant = "; a range is written 4..10"
        if mark in {"+", "*", "/"}:
            meant = "; there is no arithmetic: write out each case, joined by `or`"
        elif mark in _COMPARED and wanted.startswith("and"):
            meant = "; compare one by one, joined by `and`, or write a range: total in 4..10"
        elif wanted.startswith("a face") and mark.isalpha() and len(mark) > 1:
            meant = "; faces are their numbers, 1 to 6"
        if mark.isalpha() and len(mark) == 1 and mark in (*FACE_VARIABLES, TOTAL_VARIABLE):
            meant = f"; the boxes' name has no {{{mark}}}"
        return InputFault(self._field, f"{shown(self._text)}: character {place + 1}: needs {wanted}, {found}{meant}")

    def _either(self) -> _Test:
        test = self._both()
        while self._take("or"):
            test = _joined(operator.or_, test, self._both())
        return test

    def _both(self) -> _Test:
        test = self._one()
        while self._take("and"):
            test = _joined(operator.and_, test, self._one())
        return test

    def _one(self) -> _Test:
        self._depth += 1
        if self._depth > _DEPTH_MAX:
            raise self._fault(f"brackets and nots at most {_DEPTH_MAX} deep")
        try:
            if self._take("not"):
                return _without(self._one())
            if self._take("("):
                test = self._either()
                self._must(")")
                return test
            if self._take("triple"):
                self._terms.add("triple")
                return lambda _: TRIPLES
            return self._compared()
        finally:
            self._depth -= 1

    def _compared(self) -> _Test:
        left = self._number(f"a test of the dice: triple, {_NUMBERS}")
        if sign := self._take(*_COMPARED):
            right, compare = self._number(_NUMBERS), _COMPARED[sign]
            return lambda values: _where(map(compare, left(values), right(values)))
        negated = self._take("not")
        if not self._take("in"):
            raise self._fault("in" if negated else f"a comparison: {' '.join(_COMPARED)} or in")
        members = self._set() if self._mark == "{" else self._range()
        return _without(_member(left, members)) if negated else _member(left, members)

    def _number(self, wanted: str) -> _Number:
        if measure := self._take(*_MEASURES):
            self._terms.add(measure)
            return lambda _: _measured(measure)
        if self._take("n"):
            self._terms.add("n")
            self._must("(")
            faces = (
                self._set(most=_FACE_MAX)
                if self._mark == "{"
                else _single(self._fixed("a face or a set of faces", _FACE_MAX))
            )
            self._must(")")
            return lambda values: _dice_showing(faces(values))
        fixed = self._fixed(wanted)
        return lambda values: (fixed(values),) * len(ALL_COMBINATIONS)

    def _fixed(self, wanted: str, most: int = _NUMBER_MAX) -> Callable[[Values], int]:
        """A whole number or a variable: the same on every roll."""
        mark = self._mark
        is_number = mark.isascii() and mark.isdecimal()
        least = 1 if most == _FACE_MAX else 0
        if is_number and (len(mark) > 2 or not least <= int(mark) <= most):
            raise self._fault("a face from 1 to 6" if least else f"a number up to {most}")
        if is_number:
            self._at += 1
            number = int(mark)
            return lambda _: number
        if not self._take(*self._variables):
            raise self._fault(wanted)
        return operator.itemgetter(mark)

    def _range(self, most: int = _NUMBER_MAX, *, open_ended: bool = True) -> _Set:
        """A range; inside a set also a single number."""
        least = self._fixed("a set {...} or a range such as 4..10" if open_ended else "a number", most)
        if not open_ended and self._mark != "..":
            return _single(least)
        self._must("..")
        last = self._fixed("a number", most)
        return lambda values: frozenset(range(least(values), last(values) + 1))

    def _set(self, most: int = _NUMBER_MAX) -> _Set:
        self._must("{")
        parts = [self._range(most, open_ended=False)]
        while self._take(","):
            parts.append(self._range(most, open_ended=False))
        self._must("}")
        return lambda values: frozenset().union(*(part(values) for part in parts))


def _joined(join: Callable[[int, int], int], one: _Test, two: _Test) -> _Test:
    return lambda values: join(one(values), two(values))


def _without(test: _Test) -> _Test:
    return lambda values: EVERY & ~test(values)


def _member(number: _Number, members: _Set) -> _Test:
    def holds(values: Values) -> Combinations:
        among = members(values)
        return _where(each in among for each in number(values))

    return holds


def _single(number: Callable[[Values], int]) -> _Set:
    return lambda values: frozenset({number(values)})
