"""Evidence that what came back to players is not what fair dice return.

Enters: rounds that were played, in classes of about the same spread: for each class how far the returns were from their
expectation, and the variance and bounds that the bets themselves have under fair dice. Leaves: an e-value, which may be
looked at any time.

For a round whose result X has mean 0 and variance V and is at most M, E exp(tX) <= exp(V (exp(tM) - tM - 1) / M^2)
(Bennett 1962). So exp(t sum X - sum V (...)) is on average 1 at most whenever it is looked at, whatever people bet and
whatever they base it on, and by Ville's inequality it ever passes 1/level with chance `level` at most. Nothing is
estimated from the results: a hundred lost bets on a triple say little, because their variance is that of a triple.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, expm1, inf, log
from typing import Final, NamedTuple

TILTS: Final = tuple(0.5 / 2.5**step for step in range(7))
"""Deviations a round, in standard deviations, that are bet on; each both ways and with the same share."""


class Spread(NamedTuple):
    """Rounds whose bets spread about alike. Amounts are of any unit, the variance of its square."""

    scale: int
    """The variance of a round that the bet is sized by; known from the bets before the dice fall."""
    rounds: int
    difference: int
    """What came back to players, less what returns on average."""
    variance: int
    """Of all these rounds together, under fair dice."""
    above: int
    """No round returns more than this over its average."""
    below: int
    """No round returns less than this under its average."""


def log_evidence(spreads: Iterable[Spread]) -> float:
    """Logarithm of the e-value against fair returns, too much and too little together."""
    up, down = [0.0] * len(TILTS), [0.0] * len(TILTS)
    for spread in spreads:
        if not spread.variance:
            continue
        deviation = spread.scale**0.5
        for place, tilt in enumerate(TILTS):
            by = tilt / deviation
            up[place] += by * spread.difference - _cumulant(by, spread.variance, spread.above)
            down[place] -= by * spread.difference + _cumulant(by, spread.variance, spread.below)
    logs = up + down
    most = max(logs)
    return most + log(sum(exp(each - most) for each in logs) / len(logs))


def _cumulant(tilt: float, variance: int, bound: int) -> float:
    """Bennett's bound on the logarithm of E exp(tilt * X)."""
    reach = tilt * bound
    if reach > 600:
        return inf
    # Of a small reach the exponential less its first terms keeps no digits: half a square is what is left.
    shape = (expm1(reach) - reach) / reach**2 if reach > 1e-4 else 0.5 + reach / 6
    return variance * tilt**2 * shape
