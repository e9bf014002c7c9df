"""Hold as it is reported: what the house wins of what was really at risk, not of what was expected to be.

Enters: the rounds of a table. Leaves: quantiles of win divided by turnover. Both are left to chance: rounds are void,
and players come and go.

A hold is at most h when the win less h times the turnover is at most 0, and that is a sum of independent rounds. Its
distribution is a power, taken through the Fourier transform, on a lattice: a result between two places goes to both,
so that its mean stays. Such slips are independent and without drift; by Bernstein's inequality their sum is, but for a
chance of 1e-9, no more than half of `within` of the turnover; the other half is how far the search goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import log, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np

from taisai.analysis.risk.chain import Chain
from taisai.analysis.risk.walk import results_after

CELLS: Final = 1 << 17
"""Places of the lattice."""
_NEGLIGIBLE: Final = 1e-9


class HoldQuantiles(NamedTuple):
    """Holds by level, and how far they are from the truth at most (0 when they are exact)."""

    holds: tuple[tuple[Fraction, float], ...]
    within: float


def hold_quantiles(chain: Chain, rounds: int, levels: Sequence[Fraction]) -> HoldQuantiles | None:
    """For each level the hold that is reached or stayed under with this chance.

    A shift without anything at risk has no hold and is left out. None where plans make what is at risk depend on what
    happened before.
    """
    risks = {each.risk for each in chain.risked}
    if len(chain.states) > 1 or risks == {0}:
        return None
    if len(risks) == 1:
        turnover = rounds * risks.pop()
        nets = results_after(chain, (rounds,))[rounds].quantiles(levels)
        return HoldQuantiles(tuple((level, net / turnover) for level, net in zip(levels, nets, strict=True)), 0.0)
    search = _Search(chain, rounds)
    return HoldQuantiles(tuple((level, search.least(float(level))) for level in levels), search.within)


class _Search:
    """Looks for the least hold that a chance reaches."""

    def __init__(self, chain: Chain, rounds: int) -> None:
        self.rounds = rounds
        self.nets = np.array([each.net for each in chain.risked], dtype=np.float64)
        self.risks = np.array([each.risk for each in chain.risked], dtype=np.float64)
        self.chances = np.array([each.ways / chain.total for each in chain.risked])
        self.turnover = rounds * float(chain.turnover[0])
        self.mean = rounds * float(chain.mean()) / self.turnover
        self.deviation = self._spread(self.mean) / self.turnover
        self.step = 2 * self._reach(self.mean) / CELLS
        # Bernstein once more: each slip is at most a step, and its variance at most a quarter of its square.
        needed = log(2 / _NEGLIGIBLE)
        self.within = 2 * self.step * (sqrt(rounds * needed / 2) + needed / 3) / self.turnover
        self.nothing = float(self.chances[self.risks == 0].sum()) ** rounds

    def _values(self, hold: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return self.nets - hold * self.risks

    def _spread(self, hold: float) -> float:
        """The deviation of the win less the hold of the turnover."""
        values = self._values(hold)
        return sqrt(self.rounds * float(self.chances @ (values - self.chances @ values) ** 2))

    def _reach(self, hold: float) -> float:
        """How far from its mean the sum lies but for a negligible chance (Bernstein's inequality), and some room."""
        values, spread, needed = self._values(hold), self._spread(hold), log(2 / _NEGLIGIBLE)
        farthest = float(np.abs(values - self.chances @ values).max())
        return 1.2 * (needed * farthest / 3 + sqrt((needed * farthest / 3) ** 2 + 2 * needed * spread**2))

    def least(self, level: float) -> float:
        """The least hold that is reached or stayed under with at least this chance."""
        guess = self.mean + NormalDist().inv_cdf(level) * self.deviation
        stride = self.deviation / 16
        low, high = guess - stride, guess + stride
        while self.chance(high) < level:
            low, high, stride = high, high + 2 * stride, 2 * stride
        while self.chance(low) >= level:
            low, high, stride = low - 2 * stride, low, 2 * stride
        while high - low > self.within / 2:
            middle = (low + high) / 2
            low, high = (low, middle) if self.chance(middle) >= level else (middle, high)
        return high

    def chance(self, hold: float) -> float:
        """The chance of at most this hold."""
        places = self._values(hold) / self.step
        below = np.floor(places).astype(np.int64)
        upper = places - below
        cells = np.bincount(below % CELLS, self.chances * (1 - upper), CELLS)
        cells += np.bincount((below + 1) % CELLS, self.chances * upper, CELLS)
        summed = np.fft.irfft(np.fft.rfft(cells) ** self.rounds, CELLS)
        # The sum is known but for multiples of the number of cells: it lies about its mean.
        first = round(self.rounds * float(self.chances @ places)) - CELLS // 2
        upto = min(max(1 - first, 0), CELLS)
        reached = float(np.take(summed, np.arange(first, first + upto) % CELLS).sum())
        return (reached - self.nothing) / (1 - self.nothing)
