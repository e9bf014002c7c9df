"""What is asked of a tumbler's dice, and how evidence is counted.

Enters: rolls, one after the other. Leaves: for each question the cell that a roll falls into, and the evidence that the
counts of those cells hold against fair dice. Serves R23.

Evidence is an e-value: the wealth of somebody who began with 1 and bet on the dice at fair odds. While the dice are
fair it passes 1/level, at any time and however often it is looked at, with probability `level` at most (Ville). Each
check bets by a mixture: Dirichlet-multinomials over all ways to be unfair, and a few single ways that are known of
dice, so that those are found early. The checks share the first unit by their weights, and their wealth added together
is again an e-value: that one sum holds the level over all checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from math import exp, lgamma, log
from operator import add, mul
from typing import Final, NamedTuple, TypeAlias

from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, DICE_COUNT, FACES, Roll

Cells: TypeAlias = tuple[int, ...]
CellsOf: TypeAlias = Callable[[Roll | None, Roll], Cells]
"""From the roll before, if the dice were not touched since, and the roll now: the cells that are counted up by one."""

LEVEL: Final = 0.001
"""Chance of an alarm from fair dice, for the whole life of a set of dice."""

_KEEPS: Final = ((0.02, 0.56), (0.05, 0.26), (0.12, 0.10), (0.35, 0.08))
"""Retentions that are bet on, and the share of each: chances that a die keeps its face through a shake."""
_HEAVIER: Final = ((0.025, 0.25), (0.05, 0.40), (0.10, 0.20), (0.20, 0.15))
"""How much more often one face may come, and the share of each."""
_HEAVIER_SHARE: Final = 0.75
"""Of the wealth on faces: what goes on one heavier face; the rest goes on all ways."""


class Urn(NamedTuple):
    """A Dirichlet-multinomial: bets on all ways to be unfair, most on those near to fair."""

    alphas: tuple[float, ...]
    size: float
    """The alphas added together."""
    log_start: float
    """Logarithm of its share, and what the alphas alone come to."""


class Point(NamedTuple):
    """One way to be unfair: for each cell the logarithm of how much likelier it becomes."""

    log_share: float
    log_ratios: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Mixture:
    """How a check bets on its cells. The shares of all urns and points add up to 1."""

    log_nulls: tuple[float, ...]
    """Logarithm of the chance of each cell when the dice are fair; empty when there are points only."""
    urns: tuple[Urn, ...]
    points: tuple[Point, ...]

    def log_e(self, counts: Sequence[int]) -> float:
        """Logarithm of the wealth after these counts."""
        logs = [log_share + sum(map(mul, counts, log_ratios)) for log_share, log_ratios in self.points]
        if self.urns:
            total, fair = sum(counts), sum(map(mul, counts, self.log_nulls))
            logs.extend(
                log_start + sum(map(lgamma, map(add, alphas, counts))) - lgamma(size + total) - fair
                for alphas, size, log_start in self.urns
            )
        return log_sum(logs)


class Check(NamedTuple):
    """One question to the dice."""

    name: str
    title: str
    weight: float
    """Its share of the first unit."""
    mixture: Mixture
    size: int
    """Number of cells."""
    lagged: bool
    """Whether it looks at the roll before as well."""
    cells_of: CellsOf


def log_sum(logs: Iterable[float]) -> float:
    """Logarithm of a sum whose parts are given as logarithms."""
    parts = tuple(logs)
    most = max(parts)
    return most + log(sum(exp(part - most) for part in parts))


def combined_log_e(checks: Sequence[Check], logs: Sequence[float]) -> float:
    """Logarithm of the wealth of all checks together."""
    return log_sum(log(check.weight) + each for check, each in zip(checks, logs, strict=True))


def _mixture(nulls: Sequence[float], sizes: Sequence[float], share: float, points: Sequence[Point] = ()) -> Mixture:
    """Urns of these sizes have `share` of the wealth together; the greater the size, the nearer to fair."""
    urns = []
    for size in sizes:
        alphas = tuple(size * null for null in nulls)
        urns.append(Urn(alphas, size, log(share / len(sizes)) + lgamma(size) - sum(map(lgamma, alphas))))
    return Mixture(tuple(map(log, nulls)), tuple(urns), tuple(points))


def _faces() -> Mixture:
    points = [
        Point(
            log(_HEAVIER_SHARE * share / 6),
            tuple(log(1 + 6 * more) if face == heavier else log(1 - 6 * more / 5) for face in FACES),
        )
        for more, share in _HEAVIER
        for heavier in FACES
    ]
    return _mixture((1 / 6,) * 6, (60.0, 300.0), 1 - _HEAVIER_SHARE, points)


def _keeps() -> Mixture:
    """Cells: another face, the same face."""
    return Mixture((), (), tuple(Point(log(share), (log(1 - keep), log(1 + 5 * keep))) for keep, share in _KEEPS))


def _pairs() -> Mixture:
    """Half of the wealth goes on two dice that show one face too often, as if they clung together."""
    points = [
        Point(
            log(1 / 6),
            tuple(log(1 + 5 * cling) if cell % 7 == 0 else log(1 - cling) for cell in range(36)),
        )
        for cling in (0.05, 0.15, 0.4)
    ]
    return _mixture((1 / 36,) * 36, (600.0,), 0.5, points)


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
            same = [sum(map(int.__eq__, before.faces, order)) for order in permutations(now.faces)]
            cell = tuple(same.count(dice) for dice in range(DICE_COUNT + 1))
            cell_of[before.index, now.index] = cells.setdefault(cell, len(cells))
    return tuple(cells), cell_of


def log_ratio_unordered(cell: tuple[int, ...], keep: float) -> float:
    """Logarithm of how much likelier a cell of `kept_unordered` becomes when each die keeps its face so often."""
    orders = sum(count * (1 + 5 * keep) ** dice * (1 - keep) ** (DICE_COUNT - dice) for dice, count in enumerate(cell))
    return log(orders / 6)


def _keeps_unordered() -> Mixture:
    cells = kept_unordered()[0]
    points = (Point(log(share), tuple(log_ratio_unordered(cell, keep) for cell in cells)) for keep, share in _KEEPS)
    return Mixture((), (), tuple(points))


def _sorted_index(roll: Roll) -> int:
    low, middle, high = roll.low_to_high
    return 36 * (low - 1) + 6 * (middle - 1) + high - 1


def _kept_cells(before: Roll | None, now: Roll) -> Cells:
    if before is None:
        return ()
    return (kept_unordered()[1][_sorted_index(before), _sorted_index(now)],)


def _same(before: int, now: int) -> int:
    return int(before == now)


def _turn(before: int, now: int) -> int:
    """0 the same face again, 1 the opposite one, 2 one of the four beside it."""
    return 0 if before == now else 1 if before + now == 7 else 2


def _of_die(die: int, relation: Callable[[int, int], int]) -> CellsOf:
    return lambda before, now: () if before is None else (relation(before.faces[die], now.faces[die]),)


def _of_dice(relation: Callable[[int, int], int]) -> CellsOf:
    return lambda before, now: () if before is None else tuple(map(relation, before.faces, now.faces))


def _face_of(die: int) -> CellsOf:
    return lambda _, now: (now.faces[die] - 1,)


def _pair_of(one: int, two: int) -> CellsOf:
    return lambda _, now: (6 * now.faces[one] + now.faces[two] - 7,)


def _total(_: Roll | None, now: Roll) -> Cells:
    return (now.total - 3,)


def _alike(_: Roll | None, now: Roll) -> Cells:
    return (len(set(now.faces)) - 1,)


_TOTAL_WAYS: Final = tuple(sum(roll.total == total for roll in ALL_ROLLS) / 216 for total in range(3, 19))
_ALIKE_WAYS: Final = tuple(sum(len(set(roll.faces)) == count for roll in ALL_ROLLS) / 216 for count in (1, 2, 3))


@cache
def checks_of(*, ordered: bool = True) -> tuple[Check, ...]:
    """The checks, with weights that add up to 1.

    With `ordered`, the first number of a roll is always the same die. Dice that look alike are written down in any
    order, often from low to high; then only checks that do not mind the order are made.
    """
    faces = _faces()
    totals, alike = _mixture(_TOTAL_WAYS, (60.0, 300.0), 1.0), _mixture(_ALIKE_WAYS, (100.0,), 1.0)
    if not ordered:
        keeps, size = _keeps_unordered(), len(kept_unordered()[0])
        return (
            Check("keeps", "dice keep their faces", 0.5, keeps, size, True, _kept_cells),
            Check("faces", "faces, all dice", 0.28, faces, 6, False, lambda _, now: tuple(f - 1 for f in now.faces)),
            Check("totals", "totals", 0.10, totals, 16, False, _total),
            Check("alike", "equal faces in a roll", 0.12, alike, 3, False, _alike),
        )
    turns, pairs = _mixture((1 / 6, 1 / 6, 4 / 6), (30.0, 300.0), 1.0), _pairs()
    dice = range(DICE_COUNT)
    return (
        Check("keeps", "dice keep their faces", 0.5, _keeps(), 2, True, _of_dice(_same)),
        *(Check(f"keeps-{i + 1}", f"die {i + 1} keeps its face", 0.03, _keeps(), 2, True, _of_die(i, _same))
          for i in dice),
        Check("turns", "same, opposite or adjacent face", 0.05, turns, 3, True, _of_dice(_turn)),
        Check("faces", "faces, all dice", 0.16, faces, 6, False, lambda _, now: tuple(f - 1 for f in now.faces)),
        *(Check(f"faces-{i + 1}", f"faces, die {i + 1}", 0.03, faces, 6, False, _face_of(i)) for i in dice),
        Check("totals", "totals", 0.05, totals, 16, False, _total),
        *(Check(f"pair-{i + 1}-{j + 1}", f"dice {i + 1} and {j + 1} together", 0.01, pairs, 36, False, _pair_of(i, j))
          for i, j in combinations(dice, 2)),
        Check("alike", "equal faces in a roll", 0.03, alike, 3, False, _alike),
    )  # fmt: skip
