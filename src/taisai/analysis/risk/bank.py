"""Ruin in the long run, and the bank for a given risk.

Enters: one round's results with their ways, from the side that holds the bank; a bank, or a chance of ruin. Leaves: the
chance that the bank is ever gone; the least bank that is gone with at most that chance.

The side with the edge (the house, on all but a few bets) drifts upwards, and is ruined early or never. The chance h(u)
from a bank of u is the mean of h over one round's results, 1 below zero and 0 at infinity: linear equations, solved
over a stretch beyond which h is at most 1e-15 by Lundberg's inequality, h(u) <= exp(-R u), where R is the positive root
of E exp(-R X) = 1. The side without an edge is ruined in the end with certainty: for it the chance to reach a goal
first is given, and the rounds that a bank lasts on average (Wald).
"""

from __future__ import annotations

from functools import reduce
from math import ceil, exp, gcd, inf, log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_banded  # type: ignore[import-untyped] # SciPy has no types of its own

from taisai.analysis.session.exact import Game
from taisai.core.faults import InputFault

CELLS_MOST: Final = 4 * 10**7
"""Numbers of the banded system, at most: some hundred megabytes."""
_NEGLIGIBLE: Final = 1e-15


class Ruin(NamedTuple):
    """Ruin in the long run, by bank."""

    unit: int
    """Banks are told apart in multiples of this."""
    chances: NDArray[np.float64]
    """The chance of ruin from a bank of 0, 1, 2, ... units; beyond them it is under 1e-15."""
    lundberg: float
    """R: each more of the bank by 1/R divides the chance by about e."""

    def of(self, bank: int) -> float:
        """The chance that this bank is ever gone: that a loss cannot be paid."""
        place = bank // self.unit
        return float(self.chances[place]) if place < self.chances.size else 0.0

    def bank(self, risk: float) -> int:
        """The least bank that is gone with at most this chance."""
        return (
            int(np.argmax(self.chances <= risk)) * self.unit
            if self.chances[-1] <= risk
            else self.chances.size * self.unit
        )


def turned(game: Game) -> Game:
    """The same round from the other side."""
    return Game(game.staked, tuple(sorted((-net, ways) for net, ways in game.ways)))


def adjustment(game: Game) -> float:
    """Lundberg's R: the positive root of E exp(-R X) = 1; infinite where nothing is ever lost."""
    if game.mean <= 0:
        raise InputFault("bank", "this side has no edge: in the long run it is ruined with certainty")
    if min(net for net, _ in game.ways) >= 0:
        return inf
    total = sum(ways for _, ways in game.ways)
    deepest = -min(net for net, _ in game.ways)

    def excess(root: float) -> float:
        """Log E exp(-R X), without overflow."""
        terms = [(-root * net, ways / total) for net, ways in game.ways]
        most = max(power for power, _ in terms)
        return most + log(sum(chance * exp(power - most) for power, chance in terms))

    low, high = 0.0, 1.0 / deepest
    while excess(high) < 0:
        low, high = high, 2 * high
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    return low


def ruin(game: Game) -> Ruin:
    """The chance of ruin in the long run, for the side whose results these are; it must have the edge."""
    root = adjustment(game)
    unit = reduce(gcd, (net for net, _ in game.ways)) or 1
    if root == inf:
        return Ruin(unit, np.zeros(1), root)
    total = sum(ways for _, ways in game.ways)
    moves = [(net // unit, ways / total) for net, ways in game.ways]
    up, down = max(net for net, _ in moves), -min(net for net, _ in moves)
    size = ceil(-log(_NEGLIGIBLE) / (root * unit)) + up + 1
    if size * (up + down + 1) > CELLS_MOST:
        raise InputFault("bets", "the results lie on too many amounts for the long run: choose rounder stakes")
    # Row u: h(u) - sum of p h(u + net) = the chance to fall under 0 at once; beyond the stretch h is 0.
    bands = np.zeros((up + down + 1, size))
    bands[up] = 1.0
    fallen = np.zeros(size)
    for net, chance in moves:
        first, last = max(0, -net), min(size, size - net)
        bands[up - net, first + net : last + net] -= chance
        if net < 0:
            fallen[: min(-net, size)] += chance
    chances = solve_banded((down, up), bands, fallen)
    return Ruin(unit, np.clip(chances, 0.0, 1.0), root)


def goal_first(game: Game, bank: int, goal: int) -> float:
    """The chance to win `goal` before the bank is gone, whoever has the edge."""
    unit = reduce(gcd, (net for net, _ in game.ways)) or 1
    total = sum(ways for _, ways in game.ways)
    moves = [(net // unit, ways / total) for net, ways in game.ways]
    up, down = max(0, *(net for net, _ in moves)), max(0, *(-net for net, _ in moves))
    # Places from which another round is played: the stake can be paid, and the goal is not reached.
    least, end = -(-game.staked // unit), bank // unit + -(-goal // unit)
    size = end - least
    place = bank // unit - least
    if place < 0:
        return 0.0
    if size * (up + down + 1) > CELLS_MOST:
        raise InputFault("goal", "too many amounts between ruin and the goal: choose rounder stakes or a nearer goal")
    bands = np.zeros((up + down + 1, size))
    bands[up] = 1.0
    reached = np.zeros(size)
    for net, chance in moves:
        first, last = max(0, -net), min(size, size - net)
        if last > first:
            bands[up - net, first + net : last + net] -= chance
        if net > 0:
            reached[max(0, size - net) :] += chance
    return float(np.clip(solve_banded((down, up), bands, reached)[place], 0.0, 1.0))
