"""Exact sessions: the whole distribution of what a player takes home, computed and not sampled.

Enters: the exact odds of a set of bets, and how they are played: rounds, bankroll, stop-win, stop-loss, plan. Leaves:
every result with its chance, quantiles, the chances of ruin, of the target and of being ahead, the expected number of
rounds, the largest drawdown. Fractions on demand for sessions of up to `EXACT_ROUNDS` rounds; floats otherwise, with a
bound on their error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from fractions import Fraction
from functools import reduce
from math import fsum, gcd
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taisai.analysis.session.free import CELLS_MOST, Weights, exact_weights, float_weights, too_fine
from taisai.analysis.session.walk import WORK_MOST, Curves, Step, Walk, Walked, walk_exact, walk_float
from taisai.core.faults import InputFault
from taisai.core.odds import BetsOdds

ROUNDS_MOST: Final = 1_000_000
EXACT_ROUNDS: Final = 300
"""Rounds of a session in fractions, at most."""
STEPS_MOST: Final = 200
"""Steps of a plan, at most."""
LEVELS: Final = tuple(Fraction(each, 100) for each in (1, 5, 25, 50, 75, 95, 99))
"""The quantiles that are given unless others are asked for."""
BANDS_MOST: Final = 60
"""Rounds at which the bands of a session are computed."""
DRAWDOWN_LEVELS: Final = tuple(Fraction(each, 100) for each in (50, 75, 95, 99))
_DEPTHS_AT_ONCE: Final = 64
_MEAN_WORK_MOST: Final = 10**9
"""Multiplications for the expected drawdown at most: some seconds."""

Number = Fraction | float


class Plan(StrEnum):
    """How stakes follow the results: a round is won when its result is positive, lost when it is negative."""

    FLAT = "flat"
    """The same stakes every round."""
    MARTINGALE = "martingale"
    """Doubled after a loss as far as the table maximum, which is staked until a win; after a win the first stake."""
    DALEMBERT = "dalembert"
    """One first stake more after a loss, one less after a win; within the first stake and the table maximum."""


class Game(NamedTuple):
    """One round: what is staked, and the player's results with their ways."""

    staked: int
    ways: tuple[tuple[int, int], ...]

    @property
    def mean(self) -> Fraction:
        """The expected result of a round."""
        return Fraction(sum(net * ways for net, ways in self.ways), sum(ways for _, ways in self.ways))

    @property
    def variance(self) -> Fraction:
        """The variance of the result of a round."""
        square = Fraction(sum(net * net * ways for net, ways in self.ways), sum(ways for _, ways in self.ways))
        return square - self.mean**2


def game_of(odds: BetsOdds) -> Game:
    """A round of these bets."""
    return Game(odds.staked, tuple((int(net), ways) for net, ways in odds.distribution))


class Manner(NamedTuple):
    """How a session is played; make one by name, and leave out what does not apply."""

    rounds: int
    bankroll: int | None = None
    """What the player has: ruined when it does not pay for the next round."""
    stop_win: int | None = None
    """Stops as soon as the result is this much or more."""
    stop_loss: int | None = None
    """Stops as soon as this much or more is lost."""
    plan: Plan = Plan.FLAT
    stake_max: int | None = None
    """The most that may be staked on a round; needed by plans that raise."""

    @property
    def is_free(self) -> bool:
        """Whether nothing ends the session early, and every round is the same."""
        return self.bankroll is self.stop_win is self.stop_loss is None and self.plan is Plan.FLAT


class SessionResult(NamedTuple):
    """A session's outcome. Numbers are fractions when asked for, otherwise floats."""

    rounds: int
    nets: tuple[int, ...]
    """Results of the session in minor units, ascending."""
    chances: tuple[Number, ...]
    mean: Number
    variance: Number
    quantiles: tuple[tuple[Fraction, int], ...]
    """For each level the least result that is reached or stayed under with at least this chance."""
    ahead: Number
    even: Number
    ruin: Number
    """Of not being able to pay for a next round, also after the last one."""
    target: Number
    """Of having stopped at the stop-win."""
    stopped: Number
    """Of having stopped at the stop-loss while another round could be paid."""
    playing: Number
    """Of having played to the end, with none of these."""
    expected_rounds: Number
    ruin_by_round: tuple[Number, ...]
    """After each round, the start included."""
    target_by_round: tuple[Number, ...]
    error_bound: float
    """No probability, cumulated ones included, is further than this from the truth; 0 for fractions."""


def session(game: Game, manner: Manner, *, exact: bool = False, levels: Sequence[Fraction] = LEVELS) -> SessionResult:
    """The outcome of a session."""
    check_session(game, manner, exact=exact)
    rounds = manner.rounds
    if manner.is_free:
        weights = exact_weights(game.ways, rounds) if exact else float_weights(game.ways, rounds)
        never, always = [0] * (rounds + 1), [weights.total] * (rounds + 1)
        curves = Curves(never, never, never, always)
    else:
        walked = _walked(game, manner, (rounds,), exact=exact)
        weights, curves = walked.marks[rounds], walked.curves
    return _result(game, manner, weights, curves, levels)


class Band(NamedTuple):
    """Quantiles of the result after so many rounds."""

    after: int
    nets: tuple[int, ...]


def bands(game: Game, manner: Manner, levels: Sequence[Fraction] = LEVELS) -> list[Band]:
    """The quantiles as the session goes on, at some sixty rounds; sessions that are over stay where they ended."""
    check_session(game, manner, exact=False)
    # An even stride: results of even and odd rounds of an even-money bet lie on different places, and would zigzag.
    stride = max(2, 2 * -(-manner.rounds // (2 * BANDS_MOST)))
    marks = sorted(range(manner.rounds, 0, -stride))
    if manner.is_free:
        found = {mark: float_weights(game.ways, mark) for mark in marks}
    else:
        found = _walked(game, manner, marks, exact=False).marks
    return [Band(0, (0,) * len(levels)), *(Band(mark, found[mark].quantiles(levels)) for mark in marks)]


def steps_of(game: Game, manner: Manner) -> tuple[Step, ...]:
    """The steps of the plan, the first stake first."""
    if manner.plan is Plan.FLAT:
        return (Step(1, 0, 0),)
    if manner.stake_max is None:
        raise InputFault("stake-max", f"{manner.plan} raises its stakes: give the table maximum")
    most = manner.stake_max // game.staked
    if manner.plan is Plan.MARTINGALE:
        factors = [1 << power for power in range(most.bit_length())]
        factors += [most] if most > factors[-1] else []
        return tuple(Step(factor, 0, min(at + 1, len(factors) - 1)) for at, factor in enumerate(factors))
    if most > STEPS_MOST:
        raise InputFault("stake-max", f"{manner.plan} has at most {STEPS_MOST} steps; this maximum gives {most}")
    return tuple(Step(at + 1, max(at - 1, 0), min(at + 1, most - 1)) for at in range(most))


def _walked(game: Game, manner: Manner, marks: Iterable[int], *, exact: bool) -> Walked:
    walk = Walk(
        game.ways,
        game.staked,
        steps_of(game, manner),
        manner.rounds,
        manner.bankroll,
        manner.stop_loss,
        manner.stop_win,
    )
    return (walk_exact if exact else walk_float)(walk, frozenset(marks))


def check_session(game: Game, manner: Manner, *, exact: bool = False) -> None:
    """A fault for what cannot be played, or is more than can be computed."""
    most = EXACT_ROUNDS if exact else ROUNDS_MOST
    if not 1 <= manner.rounds <= most:
        kind = "an exact session has" if exact else "a session has"
        raise InputFault("rounds", f"{kind} 1 to {most:,} rounds, got {manner.rounds:,}")
    for name, amount in (("stop-win", manner.stop_win), ("stop-loss", manner.stop_loss)):
        if amount is not None and amount < 1:
            raise InputFault(name, f"an amount is at least 1, got {amount}")
    for name, amount in (("bankroll", manner.bankroll), ("stake-max", manner.stake_max)):
        if amount is not None and amount < game.staked:
            raise InputFault(name, f"{amount} does not pay for one round, which stakes {game.staked}")


def _result(game: Game, manner: Manner, weights: Weights, curves: Curves, levels: Sequence[Fraction]) -> SessionResult:
    total, is_exact = weights.total, weights.error == 0.0

    def chance(weight: int | float) -> Number:
        return Fraction(int(weight), total) if is_exact else float(weight)

    def summed(values: Iterable[int | float]) -> Number:
        return Fraction(sum(int(value) for value in values), total) if is_exact else fsum(values)

    def curve(values: Sequence[int | float]) -> tuple[Number, ...]:
        return tuple(map(chance, values)) if is_exact else tuple(values)

    pairs = list(zip(weights.nets, weights.weights, strict=True))
    mean: Number
    variance: Number
    if manner.is_free:
        mean, variance = manner.rounds * game.mean, manner.rounds * game.variance
        if not is_exact:
            mean, variance = float(mean), float(variance)
    else:
        mean = summed(net * weight for net, weight in pairs)
        # About the middle, so that nothing is lost where floats are far from zero.
        variance = summed((net - round(mean)) ** 2 * weight for net, weight in pairs) - (mean - round(mean)) ** 2
    return SessionResult(
        rounds=manner.rounds,
        nets=tuple(weights.nets),
        chances=curve(weights.weights),
        mean=mean,
        variance=variance,
        quantiles=tuple(zip(levels, weights.quantiles(levels), strict=True)),
        ahead=summed(weight for net, weight in pairs if net > 0),
        even=summed(weight for net, weight in pairs if net == 0),
        ruin=chance(curves.ruin[-1]),
        target=chance(curves.target[-1]),
        stopped=chance(curves.stop[-1]),
        playing=chance(curves.playing[-1]),
        # A round is played by the sessions that are not over before it.
        expected_rounds=summed(curves.playing[:-1]),
        ruin_by_round=curve(curves.ruin),
        target_by_round=curve(curves.target),
        error_bound=weights.error,
    )


def drawdown_chances(game: Game, rounds: int, depths: Sequence[int]) -> list[float]:
    """For each depth the chance that the player, flat and unstopped, is at some time so far under the best until then.

    How far one is under the best so far is itself a walk, held at 0 by each new best; it is absorbed at the depth. All
    depths are walked at once, one a row.
    """
    check_session(game, Manner(rounds), exact=False)
    unit = reduce(gcd, (net for net, _ in game.ways)) or 1
    total = sum(ways for _, ways in game.ways)
    limits = np.array([max(-(-depth // unit), 0) for depth in depths], dtype=np.int64)
    width = max(int(limits.max(initial=0)), 1)
    if width > CELLS_MOST:
        raise too_fine(width, unit)
    if width * len(depths) * rounds * len(game.ways) > WORK_MOST:
        raise InputFault("rounds", "too much work for the drawdown of these bets: fewer rounds or rounder stakes")
    down = max(0, -min(net for net, _ in game.ways) // unit)
    is_over: NDArray[np.bool_] = np.arange(width + down)[None, :] >= limits[:, None]
    live = np.zeros((len(depths), width))
    live[:, 0] = limits > 0
    # What is absorbed is added up, not taken from 1, so that small chances keep their digits.
    over = np.where(limits > 0, 0.0, 1.0)
    for _ in range(rounds):
        then = np.zeros((len(depths), width + down))
        for net, ways in game.ways:
            under, chance = -net // unit, ways / total
            if under >= 0:
                then[:, under : under + width] += chance * live
            else:
                then[:, : max(width + under, 0)] += chance * live[:, -under:]
                then[:, 0] += chance * live[:, :-under].sum(axis=1)
        over += then.sum(axis=1, where=is_over)
        then[is_over] = 0.0
        live = then[:, :width]
    return [float(chance) for chance in over]


def drawdown_quantiles(
    game: Game, rounds: int, levels: Sequence[Fraction] = DRAWDOWN_LEVELS
) -> tuple[tuple[Fraction, int], ...]:
    """For each level the least depth that the largest drawdown stays at or under with at least this chance.

    Sought by narrowing: sixteen depths at a time, until neighbours on the lattice enclose the level.
    """
    unit = reduce(gcd, (net for net, _ in game.ways)) or 1
    worst = rounds * max(0, -min(net for net, _ in game.ways)) // unit
    # A first guess that grows: the drawdown is seldom larger than drift and some deviations together.
    reach = min(worst, int((abs(game.mean) * rounds + 4 * int((game.variance * rounds) ** 0.5)) / unit) + 1)
    while reach < worst and drawdown_chances(game, rounds, [(reach + 1) * unit])[0] > 1 - max(levels):
        reach = min(worst, 2 * reach)
    # What floats cannot tell from the level counts as reached.
    slack = rounds * (len(game.ways) + 2) * float(np.finfo(np.float64).eps)
    found = []
    for level in levels:
        low, high = -1, reach  # P(drawdown <= low) is under the level, P(drawdown <= high) is not
        while high - low > 1:
            tried = sorted({low + (high - low) * part // 17 for part in range(1, 17)} - {low, high}) or [low + 1]
            chances = drawdown_chances(game, rounds, [(each + 1) * unit for each in tried])
            for each, chance in zip(tried, chances, strict=True):
                if 1 - chance + slack >= level:
                    high = min(high, each)
                else:
                    low = max(low, each)
        found.append((level, high * unit))
    return tuple(found)


def drawdown_mean(game: Game, rounds: int) -> float | None:
    """The expected largest drawdown: the sum of the chances of all depths; None where that is too much work."""
    unit = reduce(gcd, (net for net, _ in game.ways)) or 1
    worst = rounds * max(0, -min(net for net, _ in game.ways)) // unit
    total, first, work = 0.0, 1, 0
    while first <= worst:
        depths = range(first, min(first + _DEPTHS_AT_ONCE, worst + 1))
        work += depths[-1] * len(depths) * rounds * len(game.ways)
        if work > _MEAN_WORK_MOST:
            return None
        chances = drawdown_chances(game, rounds, [depth * unit for depth in depths])
        total += fsum(chances)
        if chances[-1] < 1e-16:
            break
        first = depths[-1] + 1
    return total * unit
