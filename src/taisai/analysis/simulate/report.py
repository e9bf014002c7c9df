"""What a simulation says, and how sure it is.

Enters: a tally. Leaves: estimates with confidence bounds: of means by their standard error over independent shifts, of
chances exactly (Clopper and Pearson, 1934), of quantiles by the order of shifts, which needs no assumption about their
distribution, of ratios by the standard error over shifts as clusters.
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Final, NamedTuple

from scipy.special import betaincinv, ndtri  # type: ignore[import-untyped] # SciPy has no types
from scipy.stats import binom, chi2  # type: ignore[import-untyped] # as above

from taisai.analysis.session.exact import LEVELS
from taisai.analysis.simulate.table import Job
from taisai.analysis.simulate.tally import DIGITS, ENDS, GroupTally, Share, Sums, Tally
from taisai.core.faults import InputFault

CONFIDENCE: Final = Fraction(99, 100)
FLOAT_LEVEL: Final = Fraction(999, 1000)
_FEW: Final = 20
"""Visits under which a standard error is not relied on."""


class Estimate(NamedTuple):
    """A figure and the bounds between which it lies with the confidence asked for."""

    value: float
    low: float
    high: float


class QuantileEstimate(NamedTuple):
    """A quantile of the shifts; a bound is None where too few shifts were played to have it."""

    level: Fraction
    value: int
    low: int | None
    high: int | None


class GroupReport(NamedTuple):
    """One group of players."""

    name: str
    players: int
    visits: int
    result: Estimate
    """What the group wins in a shift."""
    turnover: float
    """What it has at risk in a shift."""
    rounds: float
    """Rounds that one visit lasts."""
    ahead: Estimate
    """Of visits that end ahead."""
    ends: tuple[tuple[str, Estimate], ...]
    """Of visits by how they end."""


class Report(NamedTuple):
    """A simulation in figures; money in minor units, of the house unless a group's."""

    seed: int
    confidence: Fraction
    shifts: int
    shift_rounds: int
    rounds: int
    voids: int
    cut: int
    """Rounds in which limits took something off the stakes."""
    win: Estimate
    """What the house wins in a shift."""
    deviation: float
    win_per_round: Estimate
    turnover: Estimate
    """What is at risk in a shift."""
    hold: Estimate
    """Win of turnover."""
    loss: Estimate
    """The chance that the house loses a shift."""
    quantiles: tuple[QuantileEstimate, ...]
    """Of the house's win in a shift; rounded down to one part in 1024."""
    float_needed: QuantileEstimate
    """The float that suffices for a shift; rounded up to one part in 1024."""
    groups: tuple[GroupReport, ...]
    fairness: float
    """The chance that fair dice deviate so much or more from equal counts of all rolls (chi-square)."""


def report_of(
    job: Job, tally: Tally, *, confidence: Fraction = CONFIDENCE, float_level: Fraction = FLOAT_LEVEL
) -> Report:
    """The figures of a simulation."""
    if not 0 < confidence < 1:
        raise InputFault("confidence", f"between 0 and 1, got {confidence}")
    if not tally.shifts:
        raise InputFault("rounds", "nothing was played")
    wins = sorted(tally.wins.items())
    # A float that was rounded down would be too small: the upper edge of what was rounded.
    worst = sorted((_edge(value), count) for value, count in tally.worst.items())
    win = _mean(tally.hold.part, tally.shifts, confidence)
    return Report(
        seed=job.seed,
        confidence=confidence,
        shifts=tally.shifts,
        shift_rounds=job.shift_rounds,
        rounds=tally.rounds,
        voids=tally.voids,
        cut=tally.cut,
        win=win,
        deviation=_deviation(tally.hold.part, tally.shifts),
        win_per_round=Estimate(*(each / job.shift_rounds for each in win)),
        turnover=_mean(tally.hold.whole, tally.shifts, confidence),
        hold=_ratio(tally.hold, tally.shifts, confidence),
        loss=_chance(tally.losses, tally.shifts, confidence),
        quantiles=tuple(_quantile(wins, tally.shifts, level, confidence) for level in LEVELS),
        float_needed=_quantile(worst, tally.shifts, float_level, confidence),
        groups=tuple(_group(job, place, group, tally.shifts, confidence) for place, group in enumerate(tally.groups)),
        fairness=_fairness(tally.rolls),
    )


def _edge(value: int) -> int:
    return value + (1 << max(value.bit_length() - DIGITS, 0)) - 1


def _group(job: Job, place: int, group: GroupTally, shifts: int, confidence: Fraction) -> GroupReport:
    visits = group.ahead.whole.total
    return GroupReport(
        name=job.groups[place].name,
        players=job.groups[place].count,
        visits=visits,
        result=_mean(group.hold.part, shifts, confidence),
        turnover=group.hold.whole.total / shifts,
        rounds=group.played.total / visits,
        ahead=_part(group.ahead, shifts, confidence),
        ends=tuple((name, _part(share, shifts, confidence)) for name, share in zip(ENDS, group.ends, strict=True)),
    )


def _deviation(sums: Sums, count: int) -> float:
    if count == 1:
        return float("inf")
    # In whole numbers until the end: nothing is lost where the mean is large.
    return sqrt(Fraction(count * sums.squares - sums.total**2, count * (count - 1)))


def _reach(confidence: Fraction) -> float:
    return float(ndtri(0.5 + float(confidence) / 2))


def _mean(sums: Sums, count: int, confidence: Fraction) -> Estimate:
    mean, reach = sums.total / count, _reach(confidence) * _deviation(sums, count) / count**0.5
    return Estimate(mean, mean - reach, mean + reach)


def _ratio(share: Share, count: int, confidence: Fraction) -> Estimate:
    """A ratio of two sums over independent shifts, by the delta method; exact where the whole does not vary."""
    part, whole = share.part, share.whole
    if not whole.total:
        return Estimate(0.0, 0.0, 0.0)
    ratio = Fraction(part.total, whole.total)
    if count == 1:
        return Estimate(float(ratio), float("-inf"), float("inf"))
    squares = part.squares - 2 * ratio * share.products + ratio**2 * whole.squares
    deviation = sqrt(Fraction(squares, count - 1))
    reach = _reach(confidence) * deviation / count**0.5 / (whole.total / count)
    return Estimate(float(ratio), float(ratio) - reach, float(ratio) + reach)


def _part(share: Share, count: int, confidence: Fraction) -> Estimate:
    """A part of visits.

    Where hardly any or nearly all are counted, a standard error says too little: the bounds are then at least those
    of one visit a shift.
    """
    value, low, high = _ratio(share, count, confidence)
    if min(share.part.total, share.whole.total - share.part.total) < _FEW:
        _, lower, higher = _chance(round(value * count), count, confidence)
        low, high = min(low, lower), max(high, higher)
    return Estimate(value, max(low, 0.0), min(high, 1.0))


def _chance(hits: int, count: int, confidence: Fraction) -> Estimate:
    """Clopper and Pearson: the bounds are never too narrow, whatever the chance."""
    outside = (1 - float(confidence)) / 2
    low = 0.0 if hits == 0 else float(betaincinv(hits, count - hits + 1, outside))
    high = 1.0 if hits == count else float(betaincinv(hits + 1, count - hits, 1 - outside))
    return Estimate(hits / count, low, high)


def _quantile(counts: list[tuple[int, int]], shifts: int, level: Fraction, confidence: Fraction) -> QuantileEstimate:
    """A quantile between two of the ordered shifts: how many lie under it is binomial, whatever they are."""
    outside = (1 - float(confidence)) / 2
    low = int(binom.ppf(outside, shifts, float(level)))
    high = int(binom.ppf(1 - outside, shifts, float(level))) + 1
    rank = -(-level.numerator * shifts // level.denominator)
    return QuantileEstimate(
        level,
        _ranked(counts, max(rank, 1)),
        _ranked(counts, low) if low >= 1 else None,
        _ranked(counts, high) if high <= shifts else None,
    )


def _ranked(counts: list[tuple[int, int]], rank: int) -> int:
    """The shift of this rank, from 1."""
    for value, count in counts:
        rank -= count
        if rank <= 0:
            return value
    raise AssertionError("fewer shifts than counted")  # pragma: no cover - ranks are within the count


def _fairness(rolls: list[int]) -> float:
    total = sum(rolls)
    if not total:
        return 1.0
    statistic = Fraction(len(rolls) * sum(count * count for count in rolls), total) - total
    return float(chi2.sf(float(statistic), len(rolls) - 1))
