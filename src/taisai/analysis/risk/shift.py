"""The house's side: what a table wins in an hour and in a shift, what it risks, the float that suffices.

Enters: a layout, the rules of the table and its traffic (`traffic`), hours. Leaves: the whole distribution of the
house's win, its quantiles, the chance of a loss, value at risk and expected shortfall, the float that suffices with a
given chance, turnover and hold. Computed and not sampled, with a bound on the error of floats; fractions on demand for
up to `EXACT_ROUNDS` rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import fsum
from typing import Final, NamedTuple

from taisai.analysis.risk.chain import Chain, chain_of, round_nets
from taisai.analysis.risk.hold import HoldQuantiles, hold_quantiles
from taisai.analysis.risk.traffic import TableRules, Traffic
from taisai.analysis.risk.walk import results_after, worst_until
from taisai.analysis.session.exact import LEVELS, Number
from taisai.analysis.session.free import Weights
from taisai.core.faults import InputFault
from taisai.core.rulebook import Layout

ROUNDS_MOST: Final = 100_000
EXACT_ROUNDS: Final = 100
"""Rounds of a shift in fractions, at most."""
VALUE_LEVEL: Final = Fraction(99, 100)
"""The level of value at risk and expected shortfall when none is given."""
FLOAT_LEVEL: Final = Fraction(999, 1000)
"""The chance with which the float suffices when none is given."""
HOURS_MOST: Final = 24 * 31
MARKS_MOST: Final = 24
"""Moments of the shift for which the house's win is given, at most."""


class Mark(NamedTuple):
    """The house's win up to a moment of the shift."""

    rounds: int
    hours: Fraction
    mean: Number
    deviation: float
    loss: Number
    """The chance to be behind."""
    quantiles: tuple[tuple[Fraction, int], ...]
    value_at_risk: int
    turnover: Number


class ShiftResult(NamedTuple):
    """A shift of a table from the house's side; money in minor units, numbers fractions when asked for."""

    players: int
    rounds: int
    hours: Fraction
    rounds_per_hour: int
    turnover: Number
    """What is expected to be at risk in the shift."""
    mean: Number
    """What the house is expected to win."""
    variance: Number
    nets: tuple[int, ...]
    """What the house may win in the shift, ascending."""
    chances: tuple[Number, ...]
    quantiles: tuple[tuple[Fraction, int], ...]
    loss: Number
    """The chance that the house loses in the shift."""
    level: Fraction
    value_at_risk: int
    """The loss that is not exceeded with the chance `level`; negative when even then the house wins."""
    shortfall: Number
    """The expected loss of the worst shifts, as many as `level` leaves out."""
    float_level: Fraction
    float_needed: int
    """The least float that never runs out in the shift, with the chance `float_level`."""
    worst: tuple[int, ...]
    """How far the house may be behind at the worst moment, ascending."""
    worst_chances: tuple[Number, ...]
    hold: Number
    """What the house is expected to win, of the turnover that is expected."""
    holds: HoldQuantiles | None
    """Win of the turnover that there was; None where it was not computed."""
    drop: int | None
    """What players buy, where every group says so."""
    marks: tuple[Mark, ...]
    """The hours of the shift, one by one where they are few."""
    nets_by_roll: tuple[int, ...]
    """What the house wins on each of the 216 rolls with everybody there, plans at their first step."""
    error_bound: float
    """No chance, cumulated ones included, is further than this from the truth; 0 for fractions."""

    @property
    def hold_of_drop(self) -> float | None:
        """Win of what players bought, expected."""
        return None if self.drop is None else float(self.mean) / self.drop


def shift_result(
    layout: Layout,
    rules: TableRules,
    traffic: Traffic,
    hours: Fraction,
    *,
    exact: bool = False,
    level: Fraction = VALUE_LEVEL,
    float_level: Fraction = FLOAT_LEVEL,
    levels: Sequence[Fraction] = LEVELS,
    coarse: int | None = None,
) -> ShiftResult:
    """A shift of so many hours. `coarse` rounds the house's results down to its multiples, so that it looks worse."""
    rounds = rounds_of(traffic, hours, exact=exact)
    for name, each in (("level", level), ("float-level", float_level)):
        if not 0 < each < 1:
            raise InputFault(name, f"a chance is between 0 and 1, got {each}")
    chain = chain_of(layout, rules, traffic)
    if coarse is not None:
        chain = coarsened(chain, coarse)
    every = _moments(traffic, rounds)
    found = results_after(chain, every, exact=exact)
    at_worst = worst_until(chain, rounds, exact=exact)
    whole = found[rounds]
    staked = _turnovers(chain, every, exact=exact)
    mean, variance = _moments_of(chain, whole, rounds)
    marks = tuple(
        Mark(
            mark,
            Fraction(mark, traffic.rounds_per_hour),
            *_mean_and_deviation(chain, found[mark], mark),
            _below(found[mark], 0),
            tuple(zip(levels, found[mark].quantiles(levels), strict=True)),
            value_at_risk(found[mark], level),
            staked[mark],
        )
        for mark in sorted(every)
    )
    buys = [group.buy_in for group in traffic.groups]
    drop = sum((buy or 0) * group.count for buy, group in zip(buys, traffic.groups, strict=True))
    at_risk = value_at_risk(whole, level)
    return ShiftResult(
        players=traffic.players,
        rounds=rounds,
        hours=hours,
        rounds_per_hour=traffic.rounds_per_hour,
        turnover=staked[rounds],
        mean=mean,
        variance=variance,
        nets=tuple(whole.nets),
        chances=_chances(whole),
        quantiles=tuple(zip(levels, whole.quantiles(levels), strict=True)),
        loss=_below(whole, 0),
        level=level,
        value_at_risk=at_risk,
        shortfall=_shortfall(whole, level, at_risk),
        float_level=float_level,
        float_needed=at_worst.quantiles((float_level,))[0],
        worst=tuple(at_worst.nets),
        worst_chances=_chances(at_worst),
        hold=mean / staked[rounds] if staked[rounds] else 0.0,
        holds=hold_quantiles(chain, rounds, levels),
        drop=None if None in buys else drop,
        marks=marks,
        nets_by_roll=round_nets(layout, rules, traffic),
        error_bound=max(whole.error, at_worst.error),
    )


def rounds_of(traffic: Traffic, hours: Fraction, *, exact: bool = False) -> int:
    """The rounds that a table deals in so many hours; a last one that does not fit is not dealt."""
    if not 0 < hours <= HOURS_MOST:
        raise InputFault("hours", f"more than 0 and at most {HOURS_MOST}, got {float(hours):g}")
    rounds = int(hours * traffic.rounds_per_hour)
    most = EXACT_ROUNDS if exact else ROUNDS_MOST
    if not 1 <= rounds <= most:
        kind = "in fractions a shift has" if exact else "a shift has"
        raise InputFault("hours", f"{kind} 1 to {most:,} rounds, these are {rounds:,}")
    return rounds


def coarsened(chain: Chain, step: int, *, up: bool = False) -> Chain:
    """The chain with every result rounded to a multiple of the step: down, against the house, or up."""
    if step < 1:
        raise InputFault("coarse", f"an amount is at least 1, got {step}")
    over = step - 1 if up else 0
    states = tuple(
        tuple(move._replace(net=(move.net + over) // step * step) for move in moves) for moves in chain.states
    )
    return chain._replace(states=states)


def _moments(traffic: Traffic, rounds: int) -> set[int]:
    """The ends of the hours, or of every so many hours, and of the shift."""
    pace = traffic.rounds_per_hour
    stride = -(-rounds // (pace * MARKS_MOST)) * pace
    return {*range(stride, rounds + 1, stride), min(pace, rounds), rounds}


def _moments_of(chain: Chain, whole: Weights, rounds: int) -> tuple[Number, Number]:
    """Mean and variance: of one round, multiplied, where all rounds are alike; else of the distribution."""
    if len(chain.states) == 1:
        mean, variance = rounds * chain.mean(), rounds * chain.variance()
        return (mean, variance) if whole.error == 0.0 else (float(mean), float(variance))
    if whole.error == 0.0:
        pairs = list(zip(whole.nets, map(int, whole.weights), strict=True))
        exact_mean = Fraction(sum(net * weight for net, weight in pairs), whole.total)
        square = Fraction(sum(net * net * weight for net, weight in pairs), whole.total)
        return exact_mean, square - exact_mean**2
    near = fsum(net * weight for net, weight in zip(whole.nets, whole.weights, strict=True))
    return near, fsum((net - near) ** 2 * weight for net, weight in zip(whole.nets, whole.weights, strict=True))


def _turnovers(chain: Chain, every: set[int], *, exact: bool) -> dict[int, Number]:
    """What is expected to be at risk up to each of these rounds."""
    if len(chain.states) == 1:
        return {mark: mark * chain.turnover[0] if exact else float(mark * chain.turnover[0]) for mark in every}
    now: list[Number] = [Fraction(0) if exact else 0.0] * len(chain.states)
    now[0] = Fraction(1) if exact else 1.0
    reached: Number = Fraction(0) if exact else 0.0
    stakes: list[Number] = list(chain.turnover) if exact else [float(each) for each in chain.turnover]
    # Moves between two states taken together: a round has many results, but few steps follow.
    links: dict[tuple[int, int], int] = {}
    for state, moves in enumerate(chain.states):
        for move in moves:
            links[state, move.then] = links.get((state, move.then), 0) + move.ways
    chances: dict[tuple[int, int], Number] = {
        link: Fraction(ways, chain.total) if exact else ways / chain.total for link, ways in links.items()
    }
    found: dict[int, Number] = {}
    for number in range(1, max(every) + 1):
        reached += sum(one * two for one, two in zip(now, stakes, strict=True))
        then: list[Number] = [Fraction(0) if exact else 0.0] * len(now)
        for (state, after), chance in chances.items():
            then[after] += now[state] * chance
        now = then
        if number in every:
            found[number] = reached
    return found


def _mean_and_deviation(chain: Chain, weights: Weights, rounds: int) -> tuple[Number, float]:
    mean, variance = _moments_of(chain, weights, rounds)
    return mean, float(variance) ** 0.5


def _chances(weights: Weights) -> tuple[Number, ...]:
    if weights.error == 0.0:
        return tuple(Fraction(int(weight), weights.total) for weight in weights.weights)
    return tuple(weights.weights)


def _below(weights: Weights, net: int) -> Number:
    """The chance of a result under this."""
    under = [weight for at, weight in zip(weights.nets, weights.weights, strict=True) if at < net]
    return Fraction(sum(map(int, under)), weights.total) if weights.error == 0.0 else fsum(under)


def value_at_risk(weights: Weights, level: Fraction) -> int:
    """The least loss that is not exceeded with at least this chance; a win counts as a negative loss."""
    return _turned(weights).quantiles((level,))[0]


def _turned(weights: Weights) -> Weights:
    """The house's losses in place of its wins."""
    back: list[int] | list[float] = weights.weights[::-1]
    return Weights([-net for net in reversed(weights.nets)], back, weights.total, weights.error)


def _shortfall(weights: Weights, level: Fraction, at_risk: int) -> Number:
    """The mean of the worst losses, of a weight of 1 - level together (Acerbi and Tasche, 2002)."""
    pairs = [(-net, weight) for net, weight in zip(weights.nets, weights.weights, strict=True) if -net > at_risk]
    if weights.error == 0.0:
        beyond = Fraction(sum(int(weight) for _, weight in pairs), weights.total)
        lost = Fraction(sum(loss * int(weight) for loss, weight in pairs), weights.total)
        return (lost + at_risk * (1 - level - beyond)) / (1 - level)
    rest = float(1 - level) - fsum(weight for _, weight in pairs)
    return (fsum(loss * weight for loss, weight in pairs) + at_risk * rest) / float(1 - level)
