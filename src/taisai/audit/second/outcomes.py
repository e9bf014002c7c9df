"""A second reading of a book's pay rows, for layouts whose pay tables nobody has typed in a second time.

What enters: the rows of a layout as the book writes them, as plain values. What leaves: for every combination of the
dice the boxes that win, with their odds to 1, a push being 0. It shares no code with the reader and works another way:
a predicate becomes postfix by precedence and is worked out on the three dice themselves, roll by roll.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

Dice = tuple[int, int, int]

COMBINATIONS: tuple[Dice, ...] = tuple(combinations_with_replacement((1, 2, 3, 4, 5, 6), 3))


class Row(NamedTuple):
    """A pay row: its boxes with the pattern of each (`double:4`, `double:{a}`), when it applies, what it pays."""

    boxes: Sequence[tuple[str, str]]
    whens: Sequence[str]  # one for each box
    dice: int | None
    totals: Sequence[int] | None
    pays: object


_PRECEDENCE = {
    "or": 1, "and": 2, "not": 3,
    "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "in": 4, "not in": 4,
    ",": 5, "..": 6, "n": 7,
}  # fmt: skip


def postfix(text: str) -> list[str]:
    """A predicate with its operators behind their operands."""
    out: list[str] = []
    waiting: list[str] = []
    operand_before = False
    for mark in re.findall(r"\d+|[a-z]+|[=!<>]=|\.\.|[<>(){},]", text):
        if mark in "({":
            waiting.append(mark)
            operand_before = False
        elif mark in ")}":
            while waiting[-1] not in "({":
                out.append(waiting.pop())
            waiting.pop()
            if mark == "}":
                out.append("set")
            operand_before = True
        elif mark == "not" and operand_before:
            waiting.append("not in")  # The word `in` that follows is taken with it.
        elif mark in _PRECEDENCE:
            sign = mark
            if mark == "in" and waiting and waiting[-1] == "not in":
                sign = waiting.pop()
            # `not` and `n` stand before their operand, so nothing that waits is due when they come.
            while (
                sign not in ("not", "n")
                and waiting
                and waiting[-1] not in "({"
                and _PRECEDENCE[waiting[-1]] >= _PRECEDENCE[sign]
            ):
                out.append(waiting.pop())
            waiting.append(sign)
            operand_before = False
        else:
            out.append(mark)
            operand_before = True
    return out + waiting[::-1]


def holds(program: Sequence[str], values: Mapping[str, int], dice: Dice) -> bool:
    """Whether a predicate in postfix is true of three dice."""
    measures: dict[str, Any] = {
        "total": sum(dice),
        "distinct": len({*dice}),
        "low": min(dice),
        "high": max(dice),
        "triple": dice.count(dice[0]) == 3,
        **values,
    }
    stack: list[Any] = []
    for mark in program:
        if mark.isdigit():
            stack.append(int(mark))
        elif mark in measures:
            stack.append(measures[mark])
        elif mark == "set":
            stack.append(_as_set(stack.pop()))
        elif mark == "n":
            faces = _as_set(stack.pop())
            stack.append(sum(1 for face in dice if face in faces))
        elif mark == "not":
            stack.append(not stack.pop())
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(_joined(mark, left, right))
    (answer,) = stack
    return bool(answer)


def _as_set(value: Any) -> set[int]:
    return value if isinstance(value, set) else {value}


def _joined(mark: str, left: Any, right: Any) -> Any:
    joined: dict[str, Callable[[], Any]] = {
        "or": lambda: left or right,
        "and": lambda: left and right,
        "==": lambda: left == right,
        "!=": lambda: left != right,
        "<": lambda: left < right,
        "<=": lambda: left <= right,
        ">": lambda: left > right,
        ">=": lambda: left >= right,
        "in": lambda: left in right,
        "not in": lambda: left not in right,
        ",": lambda: _as_set(left) | _as_set(right),
        "..": lambda: {*range(left, right + 1)},
    }
    return joined[mark]()


def values_of(name: str, pattern: str) -> dict[str, int]:
    """What the variables of a pattern stand for in a name: `three:{a}{a}{b}` and `three:221` give a 2 and b 1."""
    letters = re.findall(r"\{(\w)\}", pattern)
    figures = name.partition(":")[2]
    if letters == ["t"]:
        return {"t": int(figures)}
    return {letter: int(figure) for letter, figure in zip(letters, figures, strict=True)} if letters else {}


def odds_of(pays: object) -> Fraction:
    """Odds to 1 as a book writes them; a push is 0."""
    if pays == "push":
        return Fraction(0)
    if isinstance(pays, int):
        return Fraction(pays)
    amount, word, unit = str(pays).split()
    return Fraction(amount) / Fraction(unit) - (1 if word == "for" else 0)


def outcomes(rows: Sequence[Row], raised: Mapping[str, object] | None = None) -> dict[Dice, dict[str, Fraction]]:
    """By combination, low to high: the boxes that are paid and their odds. `ValueError` when two rows pay one box.

    `raised` are the odds, as written, of boxes that the draw of the round raised.
    """
    table: dict[Dice, dict[str, Fraction]] = {dice: {} for dice in COMBINATIONS}
    for row in rows:
        for (name, pattern), when in zip(row.boxes, row.whens, strict=True):
            program, values = postfix(when), values_of(name, pattern)
            odds = odds_of((raised or {}).get(name, row.pays))
            for dice in COMBINATIONS:
                if row.dice is not None and dice.count(values["a"]) != row.dice:
                    continue
                if row.totals is not None and sum(dice) not in row.totals:
                    continue
                if holds(program, values, dice):
                    if name in table[dice]:
                        raise ValueError(f"two rows pay {name} on {dice}")
                    table[dice][name] = odds
    return table
