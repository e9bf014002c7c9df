"""Many rounds of the same bets, with nothing to stop them: a power of one round's distribution.

Enters: one round as results and their ways. Leaves: the result of so many rounds, as exact whole numbers or as floats
with a bound on their error.

A round is a polynomial (a power of x for each result, its ways the coefficient), and N rounds are its N-th power.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from math import gcd, log, log2
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taisai.core.faults import InputFault

CELLS_MOST: Final = 1 << 20
"""Results that are told apart at most: some hundred megabytes while they are computed."""

_TAIL: Final = 1e-21
"""Probability that the window of the floats leaves out on each side, at most."""


class Weights(NamedTuple):
    """Results in minor units, ascending, and what each weighs: whole numbers of `total`, or floats of a total of 1."""

    nets: list[int]
    weights: list[int] | list[float]
    total: int
    error: float
    """No sum of weights is further than this from the truth; 0 for whole numbers."""

    def quantiles(self, levels: Sequence[Fraction]) -> tuple[int, ...]:
        """For each level the least result that is reached or stayed under with at least this chance.

        Floats cannot tell whether a chance is exactly the level or misses it by their error: within it, it counts as
        reached. A session of a few rounds often meets a level exactly, and its floats may lie on either side.
        """
        if self.error == 0.0:
            places = [self._place(level) for level in levels]
        else:
            # Chances of more than each result: high levels compare small numbers, which keep their digits.
            over = np.cumsum(np.asarray(self.weights[::-1], dtype=np.longdouble))[::-1]
            over = np.append(over[1:], np.longdouble(0))
            slack = self.error + over.size * float(np.finfo(np.longdouble).eps)
            places = [int(np.argmax(over <= float(1 - level) + slack)) for level in levels]
        return tuple(self.nets[place] for place in places)

    def _place(self, level: Fraction) -> int:
        reached = 0
        for place, weight in enumerate(self.weights):
            reached += int(weight)
            if reached >= level * self.total:
                return place
        raise AssertionError("the weights do not add up to their total")  # pragma: no cover - they do


class _Lattice(NamedTuple):
    """Results of a round as `least + step * place`, so that places are small whole numbers from 0 on."""

    least: int
    step: int
    ways: dict[int, int]


def _lattice(round_ways: tuple[tuple[int, int], ...]) -> _Lattice:
    least = min(net for net, _ in round_ways)
    step = reduce(gcd, (net - least for net, _ in round_ways)) or 1
    return _Lattice(least, step, {(net - least) // step: ways for net, ways in round_ways})


def too_fine(cells: int, step: int) -> InputFault:
    """The fault of a session whose results are too many to be told apart."""
    return InputFault(
        "bets",
        f"the results lie on {cells:,} multiples of {step}, at most {CELLS_MOST:,} are told apart: "
        "choose stakes with a larger common divisor, or fewer rounds",
    )


def exact_weights(round_ways: tuple[tuple[int, int], ...], rounds: int) -> Weights:
    """The power in whole numbers.

    From Q = P^N follows P Q' = N P' Q, which gives each coefficient of Q from those before it (Knuth, The Art of
    Computer Programming 2, §4.7): as many steps as results times ways to come from, where multiplication would take
    the square. The division is exact.
    """
    lattice = _lattice(round_ways)
    cells = rounds * max(lattice.ways) + 1
    if cells > CELLS_MOST // 8:
        raise too_fine(cells, lattice.step)
    first = lattice.ways[0]
    others = [(place, ways) for place, ways in lattice.ways.items() if place]
    powers = [first**rounds]
    for at in range(1, cells):
        total = sum((place * (rounds + 1) - at) * ways * powers[at - place] for place, ways in others if place <= at)
        powers.append(total // (at * first))
    start = rounds * lattice.least
    kept = [(start + lattice.step * at, ways) for at, ways in enumerate(powers) if ways]
    return Weights([net for net, _ in kept], [ways for _, ways in kept], sum(lattice.ways.values()) ** rounds, 0.0)


def float_weights(round_ways: tuple[tuple[int, int], ...], rounds: int) -> Weights:
    """The power in floats, through the characteristic function, in the longest floats of the machine.

    Only a window of the lattice is computed: what lies outside wraps around into it, and is at most `_TAIL` on each
    side by Chernoff's inequality. The error of the characteristic function at one frequency is `slip` (its roots of
    unity and its sum), that of its power at most `rounds * slip * |f|^(rounds - 1)`; the inverse transform takes the
    mean of these over all frequencies for each cell, and a sum of cells is wrong by at most their number times that.
    """
    lattice = _lattice(round_ways)
    total = sum(lattice.ways.values())
    low, high = _window(lattice, total, rounds)
    if high - low + 1 > CELLS_MOST:
        raise too_fine(high - low + 1, lattice.step)
    size = 1 << (high - low + 1).bit_length()
    unit = float(np.finfo(np.longdouble).eps)
    roots = _roots(size)
    wave = np.zeros(size // 2 + 1, dtype=np.clongdouble)
    frequencies = np.arange(size // 2 + 1, dtype=np.int64)
    for place, ways in lattice.ways.items():
        wave += roots[frequencies * (place % size) % size] * (np.longdouble(ways) / total)
    powers = _power(wave, rounds)
    # The window begins at `low`: turned back by so many places.
    cells = np.fft.irfft(powers * roots[frequencies * (-low % size) % size], size)[: high - low + 1]
    slip = (len(lattice.ways) + 20) * unit
    size_of = np.abs(wave).astype(np.float64)
    # The other half of the spectrum mirrors this one, hence twice.
    spread = 2.0 * float(np.sum(size_of ** (rounds - 1))) / size
    transform = 8 * unit * log2(size) * float(np.sqrt(2.0 * np.sum(size_of ** (2 * rounds)) / size))
    noise = rounds * slip * spread + transform / size**0.5 + 2 * _TAIL
    # What the error alone can make of an empty cell is left out, and counted as error once more.
    chances = np.clip(cells, 0.0, 1.0).astype(np.float64)
    kept = np.flatnonzero(chances > noise)
    error = 2 * size * noise + float(np.finfo(np.float64).eps)
    start = rounds * lattice.least + lattice.step * low
    return Weights([start + lattice.step * at for at in kept.tolist()], chances[kept].tolist(), 1, error)


def _roots(size: int) -> NDArray[np.clongdouble]:
    """The roots of unity exp(-2 pi i k / size); angles are kept under pi, where they are the least wrong."""
    turns = np.arange(size, dtype=np.longdouble)
    turns[turns > size // 2] -= size
    angles = turns * (8 * np.arctan(np.longdouble(1)) / size)
    found = np.empty(size, dtype=np.clongdouble)
    found.real, found.imag = np.cos(angles), -np.sin(angles)
    return found


def _power(values: NDArray[np.clongdouble], exponent: int) -> NDArray[np.clongdouble]:
    """Powers by repeated squaring."""
    found = np.ones_like(values)
    while exponent:
        if exponent & 1:
            found *= values
        exponent >>= 1
        if exponent:
            values = values * values
    return found


def _window(lattice: _Lattice, total: int, rounds: int) -> tuple[int, int]:
    """First and last place of the power outside which at most `_TAIL` lies on each side.

    Chernoff: P(S >= a) <= M(t)^N exp(-t a) for every t > 0, so a = (N log M(t) - log tail) / t will do, whichever t;
    the least over a grid is taken, and never more than the whole lattice.
    """
    places = np.array(list(lattice.ways), dtype=np.float64)
    chances = np.array([ways / total for ways in lattice.ways.values()])
    most = float(places.max()) or 1.0
    tilts = np.geomspace(1e-7, 800.0, 240) / most
    # The largest place is taken out of the exponent, which would be too large for a float otherwise.
    growth = np.log(chances @ np.exp(np.outer(places - most, tilts))) + most * tilts
    above = (rounds * growth - log(_TAIL)) / tilts
    below = (rounds * np.log(chances @ np.exp(-np.outer(places, tilts))) - log(_TAIL)) / tilts
    whole = rounds * max(lattice.ways)
    return max(0, int(-below.min()) - 1), min(whole, int(above.min()) + 2)
