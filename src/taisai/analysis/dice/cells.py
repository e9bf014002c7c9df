"""What a roll is counted as.

Enters: a roll, and what a check knows of the rolls before it. Leaves: the cells that it is counted in. Serves R23.

A check looks at the roll alone, at one of the three rolls before it, at the last two rolls together, or at the number
of the round. Where the dice are not told apart, a cell minds no order of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cache
from itertools import permutations
from typing import Final, NamedTuple, TypeAlias

from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, DICE_COUNT, FACES, Roll

SIDES: Final = 6
LAG_MOST: Final = 3
"""How many rolls a check looks back, at most."""
TURNS: Final = 6
"""Rounds are counted in turn up to so many: what comes every second, third or sixth round is seen."""

Cells: TypeAlias = tuple[int, ...]


class Look(Enum):
    """What a check knows of the past, and how many rolls back that reaches."""

    ROLL = ("the roll alone", 0)
    TURN = ("the number of the round", 0)
    LAST = ("the last roll", 1)
    LAST_2 = ("the roll before the last", 2)
    LAST_3 = ("the third last roll", 3)
    SIDES_2 = ("the sides of the last two rolls", 2)
    STEPS = ("each die's last two faces", 2)

    @property
    def back(self) -> int:
        """How many rolls it looks back."""
        return self.value[1]


class Before(NamedTuple):
    """What was before a roll, as far as a check looks at it."""

    roll: Roll
    """The earlier roll that it looks at; the roll itself where it looks at none."""
    earlier: Roll
    """The one before that, where it looks at two."""
    number: int
    """How many rounds were watched before."""


def seen_by(look: Look, last: Sequence[Roll], now: Roll, number: int) -> Before | None:
    """What a check sees of the rolls that this one follows, the last one first; None where there are too few."""
    back = look.back
    if len(last) < back:
        return None
    if look in (Look.SIDES_2, Look.STEPS):
        return Before(last[0], last[1], number)
    roll = last[back - 1] if back else now
    return Before(roll, roll, number)


CellsOf: TypeAlias = Callable[[Before, Roll], Cells]


def shares(values: Sequence[int]) -> tuple[float, ...]:
    """The chances of what all 216 rolls come to, in ascending order."""
    counts = Counter(values)
    return tuple(counts[value] / len(ALL_ROLLS) for value in sorted(counts))


# ------------------------------------------------------------------ what a roll comes to

_PLACE_OF: Final = {roll.faces: place for place, roll in enumerate(ALL_COMBINATIONS)}


def combination(roll: Roll) -> int:
    """Which of the 56 combinations it is."""
    return _PLACE_OF[roll.low_to_high]


def kind_of_faces(roll: Roll) -> int:
    """0 three equal faces, 1 two, 2 none."""
    return len(set(roll.faces)) - 1


def total_of(roll: Roll) -> int:
    """The total, from 0 on."""
    return roll.total - DICE_COUNT


def side(roll: Roll) -> int:
    """0 a triple, 1 Small, 2 Big."""
    return 0 if len(set(roll.faces)) == 1 else 1 if roll.total <= 10 else 2


def parity(roll: Roll) -> int:
    """1 for an odd total."""
    return roll.total % 2


def even_money(roll: Roll) -> int:
    """Even-money bets together: 0 a triple, 1 Small and even, 2 Small and odd, 3 Big and even, 4 Big and odd."""
    return 0 if side(roll) == 0 else 2 * side(roll) - 1 + parity(roll)


# ------------------------------------------------------------------ the roll alone


def each_face(_: Before, now: Roll) -> Cells:
    """The faces of all dice."""
    return tuple(face - 1 for face in now.faces)


def face_of(die: int, _: Before, now: Roll) -> Cells:
    """The face of one die."""
    return (now.faces[die] - 1,)


def face_of_each(_: Before, now: Roll) -> Cells:
    """Die and face."""
    return tuple(SIDES * die + face - 1 for die, face in enumerate(now.faces))


def pair_of(one: int, two: int, _: Before, now: Roll) -> Cells:
    """The faces of two dice together."""
    return (6 * now.faces[one] + now.faces[two] - 7,)


def value_of(value: Callable[[Roll], int], _: Before, now: Roll) -> Cells:
    """What the roll comes to."""
    return (value(now),)


def faces_by(value: Callable[[Before], int], before: Before, now: Roll) -> Cells:
    """The faces of all dice, by what was before."""
    row = SIDES * value(before)
    return tuple(row + face - 1 for face in now.faces)


def turn(turns: int, before: Before) -> int:
    """Which round it is in turn."""
    return before.number % turns


def last(value: Callable[[Roll], int], before: Before) -> int:
    """What the earlier roll came to."""
    return value(before.roll)


# ------------------------------------------------------------------ from roll to roll, dice told apart


def same(before: int, now: int) -> int:
    """1 for the same face again."""
    return int(before == now)


def turned(before: int, now: int) -> int:
    """0 the same face again, 1 the opposite one, 2 one of the four beside it."""
    return 0 if before == now else 1 if before + now == 7 else 2


def move(before: int, now: int) -> int:
    """Face before and face now."""
    return 6 * before + now - 7


def of_die(die: int, relation: Callable[[int, int], int], before: Before, now: Roll) -> Cells:
    """How one die stands to what it showed."""
    return (relation(before.roll.faces[die], now.faces[die]),)


def of_dice(relation: Callable[[int, int], int], step: int, before: Before, now: Roll) -> Cells:
    """Of each die with the one so many places further on: 0 is the die itself."""
    one, two, three = now.faces[step:] + now.faces[:step]
    a, b, c = before.roll.faces
    return relation(a, one), relation(b, two), relation(c, three)


def which_keep(before: Before, now: Roll) -> Cells:
    """Which of the dice show the face they had, as bits."""
    return (sum(same(*faces) << die for die, faces in enumerate(zip(before.roll.faces, now.faces, strict=True))),)


def keeps_by_kind(before: Before, now: Roll) -> Cells:
    """How many equal faces the earlier roll had, and whether a die keeps its own."""
    row = 2 * kind_of_faces(before.roll)
    return tuple(row + cell for cell in of_dice(same, 0, before, now))


def _steps(before: Before, now: Roll) -> Sequence[tuple[int, int, int]]:
    return list(zip(before.earlier.faces, before.roll.faces, now.faces, strict=True))


def keeps_again(before: Before, now: Roll) -> Cells:
    """Whether a die kept its face the last time, and whether it does now."""
    return tuple(2 * same(first, second) + same(second, third) for first, second, third in _steps(before, now))


def steps(before: Before, now: Roll) -> Cells:
    """The last two faces of each die and the face now."""
    return tuple(36 * first + 6 * second + third - 43 for first, second, third in _steps(before, now))


# ------------------------------------------------------------------ from roll to roll, dice not told apart


@cache
def kept_unordered() -> tuple[tuple[tuple[int, ...], ...], dict[tuple[int, int], int]]:
    """Retention when the dice cannot be told apart: the cells, and which one each pair of rolls falls into.

    With the roll before known only as a set of faces, each die may have been any of the three. A cell says for the six
    orders of the roll now on how many of them 0, 1, 2 or 3 dice show the face they had.
    """
    cells: dict[tuple[int, ...], int] = {}
    cell_of: dict[tuple[int, int], int] = {}
    for before in ALL_COMBINATIONS:
        for now in ALL_COMBINATIONS:
            alike = [sum(map(int.__eq__, before.faces, order)) for order in permutations(now.faces)]
            cell = tuple(alike.count(dice) for dice in range(DICE_COUNT + 1))
            cell_of[combination(before), combination(now)] = cells.setdefault(cell, len(cells))
    return tuple(cells), cell_of


def kept_cells(before: Before, now: Roll) -> Cells:
    """The cell of `kept_unordered`."""
    return (kept_unordered()[1][combination(before.roll), combination(now)],)


def kept_by_kind(before: Before, now: Roll) -> Cells:
    """The same, by how many equal faces the earlier roll had."""
    return (len(kept_unordered()[0]) * kind_of_faces(before.roll) + kept_cells(before, now)[0],)


def met(before: int, to: int, many: int) -> int:
    """The cell of `met_cells` for a face now when so many dice showed another one before."""
    return SIDES + (SIDES * before + to) * DICE_COUNT + many - 1


def met_cells(before: Before, now: Roll) -> Cells:
    """How often each face came at all, and how often when one, two or three dice showed each face before."""
    shown = Counter(before.roll.faces)
    return (
        *(face - 1 for face in now.faces),
        *(met(old - 1, new - 1, many) for old, many in shown.items() for new in now.faces),
    )


def rank_of(place: int, before: Before, now: Roll) -> Cells:
    """The lowest, middle or highest face, before and now."""
    return (move(before.roll.low_to_high[place], now.low_to_high[place]),)


def after(value: Callable[[Roll], int], values: int, before: Before, now: Roll) -> Cells:
    """What the earlier roll came to, and what this one does."""
    return (values * value(before.roll) + value(now),)


def side_after_two(before: Before, now: Roll) -> Cells:
    """The sides of three rolls."""
    return (9 * side(before.earlier) + 3 * side(before.roll) + side(now),)


ROLL_OF_SIDE: Final = tuple(next(roll for roll in ALL_ROLLS if side(roll) == each) for each in range(3))
"""A roll of each side."""
TRIPLES: Final = tuple(ALL_ROLLS[43 * (face - 1)] for face in FACES)
"""The triple of each face."""
