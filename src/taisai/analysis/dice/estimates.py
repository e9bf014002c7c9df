"""How often faces come and dice keep them: estimates with confidence sequences.

Enters: the counts of a `DiceWatch`. Leaves: for each die and for all together the share of every face and the
retention, with bounds, and which face follows which. A confidence sequence holds the truth at all times together with
the stated confidence, so it may be read after every round. It inverts the same kind of bet that makes evidence: a
share is out when a bet against it would have made its owner rich.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, lgamma, log
from typing import Final, NamedTuple, TypeAlias

from taisai.analysis.dice.cells import kept_unordered
from taisai.analysis.dice.evidence import Check, checks_of, log_ratio_unordered
from taisai.analysis.dice.mixtures import Mixture, log_sum
from taisai.analysis.dice.watch import DiceWatch
from taisai.core.dice import DICE_COUNT, FACES
from taisai.core.faults import InputFault, shown

CONFIDENCE: Final = 0.95
_PRIOR: Final = 30.0
"""Throws that the first bet is worth: bounds are tightest after some hundreds."""
_STEPS: Final = 60
_KEEP_LEAST: Final = -0.2
"""A die that never shows its face again."""


_MOVES: Final = {"moves": None, "moves-1": 1, "moves-2": 2, "moves-3": 3, "moves-lag2": None}
"""The checks of which face follows which, and the die of each."""

Moves: TypeAlias = tuple[tuple[float, ...], ...]


class FaceEstimate(NamedTuple):
    """How often a face comes. The six bounds of a die hold together."""

    die: int | None
    """1, 2 or 3; None for all dice together."""
    face: int
    times: int
    throws: int
    share: float
    low: float
    high: float


class RetentionEstimate(NamedTuple):
    """How often a die keeps its face through a shake; negative when the same face comes too rarely.

    With a retention of r the face comes again with chance 1/6 + 5r/6.
    """

    die: int | None
    throws: int
    """Throws that followed another."""
    same: int | None
    """On how many of them the face stayed; None where the dice cannot be told apart."""
    retention: float
    low: float
    high: float


class MoveEstimate(NamedTuple):
    """Which face follows which: the belief of somebody who took the dice for fair at first, half and half."""

    die: int | None
    lag: int
    """1 for the roll before, 2 for the one before that."""
    log_e: float
    """Logarithm of the evidence that faces follow each other at all."""
    shares: Moves
    """By face before and face now."""


class Estimates(NamedTuple):
    """What is known of a set of dice."""

    confidence: float
    faces: tuple[FaceEstimate, ...]
    retention: tuple[RetentionEstimate, ...]
    moves: tuple[MoveEstimate, ...]

    def moves_of(self, lag: int) -> tuple[MoveEstimate, ...]:
        """What each of the three dice does: all alike, or each its own way if that is better supported."""
        together = next(each for each in self.moves if each.die is None and each.lag == lag)
        alone = tuple(each for each in self.moves if each.die is not None and each.lag == lag)
        apart = len(alone) == DICE_COUNT and sum(each.log_e for each in alone) > together.log_e
        return alone if apart else (together,) * DICE_COUNT

    def faces_of(self, die: int | None) -> tuple[FaceEstimate, ...]:
        """The six faces of one die, or of all together."""
        return tuple(each for each in self.faces if each.die == die)

    def retention_of(self, die: int | None) -> RetentionEstimate:
        """The retention of one die, or of all together."""
        return next(each for each in self.retention if each.die == die)


def confidence_of(confidence: object, field: str = "confidence") -> float:
    """A confidence that can be: over 0, under 1."""
    if not isinstance(confidence, float) or not 0 < confidence < 1:
        raise InputFault(field, f"is a number between 0 and 1, got {shown(confidence)}")
    return confidence


def share_bounds(count: int, throws: int, error: float) -> tuple[float, float]:
    """Bounds of a share near 1/6 that all hold together, for every number of throws, but with chance `error`."""
    hits, misses = _PRIOR / 6, 5 * _PRIOR / 6
    won = lgamma(hits + count) + lgamma(misses + throws - count) - lgamma(_PRIOR + throws)
    bound = won - (lgamma(hits) + lgamma(misses) - lgamma(_PRIOR)) + log(error)

    def likelihood(share: float) -> float:
        return _times_log(count, share) + _times_log(throws - count, 1 - share)

    best = count / throws if throws else 1 / 6
    low = _edge(likelihood, best, 0.0, bound) if count else 0.0
    high = _edge(likelihood, best, 1.0, bound) if count < throws else 1.0
    return low, high


def _times_log(times: int, share: float) -> float:
    if not times:
        return 0.0
    return times * log(share) if share > 0 else -inf


def _edge(likelihood: Callable[[float], float], inside: float, outside: float, bound: float) -> float:
    """Where the likelihood, which falls from `inside` to `outside`, crosses the bound; rounded outward."""
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        if likelihood(middle) > bound:
            inside = middle
        else:
            outside = middle
    return outside


def estimates(watch: DiceWatch, confidence: float = CONFIDENCE) -> Estimates:
    """Everything that the counts of a watch say."""
    error = 1 - confidence_of(confidence)
    dice: tuple[int | None, ...] = (None, *range(1, DICE_COUNT + 1)) if watch.ordered else (None,)
    faces = []
    for die in dice:
        counts = watch.counts("faces" if die is None else f"faces-{die}")
        throws = sum(counts)
        for face, count in zip(FACES, counts, strict=True):
            low, high = share_bounds(count, throws, error / 6)
            faces.append(FaceEstimate(die, face, count, throws, count / throws if throws else 1 / 6, low, high))
    retention = (
        tuple(_retention(die, watch.counts("keeps" if die is None else f"keeps-{die}"), error) for die in dice)
        if watch.ordered
        else (_retention_unordered(watch.counts("keeps"), error),)
    )
    moves = tuple(_moves(watch, check) for check in checks_of(ordered=watch.ordered) if check.name in _MOVES)
    return Estimates(confidence, tuple(faces), retention, moves)


def _moves(watch: DiceWatch, check: Check) -> MoveEstimate:
    counts = watch.counts(check.name)
    mixture = check.mixture
    if not isinstance(mixture, Mixture):  # pragma: no cover - products are bets on one roll
        raise TypeError(check.name)
    return MoveEstimate(_MOVES[check.name], check.look.back, mixture.log_e(counts), mixture.moves(counts))


def retention_from(same: Fraction) -> Fraction:
    """Retention from how often the face stayed."""
    return (6 * same - 1) / 5


def _retention(die: int | None, counts: tuple[int, ...], error: float) -> RetentionEstimate:
    other, same = counts
    throws = other + same
    low, high = ((6 * bound - 1) / 5 for bound in share_bounds(same, throws, error))
    best = float(retention_from(Fraction(same, throws))) if throws else 0.0
    return RetentionEstimate(die, throws, same, best, low, high)


def _grid() -> tuple[float, ...]:
    """Retentions to bet on where there is no closed form: the nearer to none, the closer together."""
    steps = [0.0004 * 1.25**step for step in range(36)]
    return (0.0, *(step for step in steps if step < 1), *(-step for step in steps if step < -_KEEP_LEAST))


def _retention_unordered(counts: tuple[int, ...], error: float) -> RetentionEstimate:
    seen = [(cell, count) for cell, count in zip(kept_unordered()[0], counts, strict=True) if count]

    def likelihood(keep: float) -> float:
        return sum(count * log_ratio_unordered(cell, keep) for cell, count in seen)

    grid = _grid()
    bound = log_sum(likelihood(keep) for keep in grid) - log(len(grid)) + log(error)
    left, right = _KEEP_LEAST + 1e-9, 1 - 1e-9
    for _ in range(2 * _STEPS):
        one, two = left + (right - left) / 3, right - (right - left) / 3
        left, right = (one, right) if likelihood(one) < likelihood(two) else (left, two)
    best = (left + right) / 2 if seen else 0.0
    low = _edge(likelihood, best, _KEEP_LEAST + 1e-9, bound)
    high = _edge(likelihood, best, 1 - 1e-9, bound)
    return RetentionEstimate(None, DICE_COUNT * sum(counts), None, best, low, high)
