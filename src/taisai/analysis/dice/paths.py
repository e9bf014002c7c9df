"""Evidence over time for whole files and many tumblers at once.

Enters: rolls as columns of places in `ALL_ROLLS`, one row a tumbler. Leaves: the logarithm of the evidence after every
round, the same to rounding as `watch` gives round by round; the watch at the end; when each tumbler alarms.
Work is done in chunks; only the path itself is as long as the rolls. Also tumblers drawn by chance, fair or not, to
measure all this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import factorial, log
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, gammaln  # type: ignore[import-untyped] # SciPy has no types of its own

from taisai.analysis.dice.evidence import LAG_MOST, LEVEL, Check, checks_of
from taisai.analysis.dice.gathering import Indices
from taisai.analysis.dice.mixtures import SIDES, Mixture, Shuffle, subsets
from taisai.analysis.dice.watch import FORMAT, DiceWatch, level_of
from taisai.core.dice import ALL_ROLLS, FACES
from taisai.core.faults import InputFault

Floats: TypeAlias = NDArray[np.float64]

_CHUNK: Final = 1 << 14
"""Rounds, over all tumblers, that are worked on at a time."""
_SORTED_CHANCE: Final = 1e-6


class Watched(NamedTuple):
    """A set of dice watched from its first roll to its last."""

    path: Floats
    """Logarithm of the evidence after each round."""
    by_check: Floats
    """The same for each check, one row a check."""
    watch: DiceWatch


def is_sorted(rolls: Indices) -> bool:
    """Whether so many rolls are written by size, from low to high or from high to low, that somebody sorted them.

    Of rolls whose order means something 26 % (56 of 216) come sorted either way. More of them than fair dice have once
    in a million files, and the order means nothing, also if some rolls are not sorted.
    """
    one, two, three = rolls // 36, rolls // 6 % 6, rolls % 6
    rising, falling = (one <= two) & (two <= three), (one >= two) & (two >= three)
    most = max(np.count_nonzero(rising), np.count_nonzero(falling))
    return bool(most) and float(bdtrc(most - 1, len(rolls), 56 / 216)) < _SORTED_CHANCE


@cache
def _increments(place: int, *, ordered: bool) -> NDArray[np.uint8]:
    """What a check counts up, a row a cell: by roll, or by earlier roll and roll now."""
    check = checks_of(ordered=ordered)[place]
    rows = [check.cells_of(before, now) for before in (ALL_ROLLS if check.lag else ALL_ROLLS[:1]) for now in ALL_ROLLS]
    cells = np.array([cell for row in rows for cell in row])
    owners = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    found = np.bincount(cells * len(rows) + owners, minlength=check.size * len(rows))
    return found.astype(np.uint8).reshape(check.size, len(rows))


class _Tally:
    """The counts of one check for every tumbler, and the evidence after each round of a chunk."""

    def __init__(self, check: Check, increments: NDArray[np.uint8], tumblers: int) -> None:
        self.check = check
        self._increments = increments
        self.counts = np.zeros((check.size, tumblers), dtype=np.int32)

    def chunk(self, rolls: Indices, earlier: Sequence[tuple[Indices, NDArray[np.bool_]]]) -> Floats:
        """`earlier` has for each lag the roll so many rounds before, and whether it is followed."""
        if self.check.lag:
            before, follows = earlier[self.check.lag - 1]
            steps = self._increments[:, before.astype(np.int32) * 216 + rolls] * follows
        else:
            steps = self._increments[:, rolls]
        counts = np.cumsum(steps, axis=2, dtype=np.int32)
        counts += self.counts[:, :, None]
        self.counts = counts[:, :, -1].copy()
        return _log_e(self.check.mixture, counts)


def _log_e(mixture: Mixture, counts: NDArray[np.int32]) -> Floats:
    """`Mixture.log_e` for many counts at once; the first axis of `counts` is the cells."""
    flat = counts.reshape(len(counts), -1)
    logs = [each.log_share + _weighed(flat, each.log_ratios) for each in mixture.points]
    logs += [_log_shuffle(each, flat) for each in mixture.shuffles]
    if mixture.urns:
        totals = flat.reshape(mixture.rows, -1, flat.shape[1]).sum(axis=1)
        fair = _weighed(flat, mixture.log_nulls)
        for urn in mixture.urns:
            log_e = urn.log_start - fair
            for alpha in sorted(set(urn.alphas)):
                cells = [cell for cell, each in enumerate(urn.alphas) if each == alpha]
                log_e += _log_gamma(alpha, flat[cells]).sum(axis=0)
            logs.append(log_e - _log_gamma(urn.sizes[0], totals).sum(axis=0))
    return _log_sum(logs).reshape(counts.shape[1:])


def _weighed(counts: NDArray[np.int32], weights: Sequence[float]) -> Floats:
    """The sum of the counts, each by its weight. Cells of one weight are added first: most have few different ones."""
    found: Floats = np.zeros(counts.shape[1])
    for weight in sorted({*weights} - {0.0}):
        found += weight * counts[[cell for cell, each in enumerate(weights) if each == weight]].sum(axis=0)
    return found


def _log_gamma(start: float, counts: NDArray[np.integer[Any]]) -> Floats:
    """The logarithm of gamma at whole steps from a start: looked up, for there are few different ones."""
    least, most = int(counts.min(initial=0)), int(counts.max(initial=0))
    found: Floats = gammaln(start + np.arange(least, most + 1))[counts - least]
    return found


def _log_shuffle(shuffle: Shuffle, counts: NDArray[np.int32]) -> Floats:
    # Sums and not a product of matrices: the library of the latter starts threads, which wait for each other in vain.
    logs: Floats = np.stack([sum(ratio * counts[cell] for cell, ratio in form) for form in shuffle.forms])
    logs = logs.reshape(SIDES, SIDES, -1)
    tops = logs.max(axis=1)
    matrix = np.exp(logs - tops[:, None]).reshape(SIDES**2, -1)
    ways: list[Floats] = [np.ones(counts.shape[1])]
    for (before, cell), *more in subsets()[1:]:
        each = ways[before] * matrix[cell]
        for other, column in more:
            each += ways[other] * matrix[column]
        ways.append(each)
    with np.errstate(divide="ignore"):
        log_e: Floats = shuffle.log_share + tops.sum(axis=0) + np.log(ways[-1] / factorial(SIDES))
    return log_e


def _log_sum(logs: Sequence[Floats]) -> Floats:
    most = logs[0].copy()
    for each in logs[1:]:
        np.maximum(most, each, out=most)
    return most + np.log(sum(np.exp(each - most) for each in logs))


def _chunks(
    rolls: Indices, follows: NDArray[np.bool_], tallies: Sequence[_Tally], per_chunk: int
) -> Iterator[tuple[slice, list[Floats]]]:
    tumblers, rounds = rolls.shape
    step = max(1, per_chunk // max(1, tumblers))
    # A roll follows the one before the last if both steps are whole.
    linked = [follows]
    for _ in range(1, LAG_MOST):
        linked.append(follows & np.concatenate(([False], linked[-1][:-1])))
    shifted = []
    for lag in range(1, LAG_MOST + 1):
        before = np.zeros_like(rolls)
        before[:, lag:] = rolls[:, :-lag]
        shifted.append(before)
    for start in range(0, rounds, step):
        part = slice(start, min(start + step, rounds))
        earlier = [(before[:, part], link[part]) for before, link in zip(shifted, linked, strict=True)]
        yield part, [tally.chunk(rolls[:, part], earlier) for tally in tallies]


def _tallies(tumblers: int, *, ordered: bool) -> list[_Tally]:
    return [
        _Tally(check, _increments(place, ordered=ordered), tumblers)
        for place, check in enumerate(checks_of(ordered=ordered))
    ]


def _weighted(checks: Sequence[_Tally], logs: Sequence[Floats]) -> Floats:
    return _log_sum([log(tally.check.weight) + each for tally, each in zip(checks, logs, strict=True)])


def _follows(rounds: int, follows: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    given = np.full(rounds, fill_value=True) if follows is None else follows.copy()
    if given.shape != (rounds,):
        raise InputFault("follows", f"needs one mark a round, {rounds}, got {given.shape}")
    given[:1] = False
    return given


def watch_rolls(
    rolls: Indices,
    follows: NDArray[np.bool_] | None = None,
    *,
    level: float = LEVEL,
    ordered: bool = True,
    per_chunk: int = _CHUNK,
) -> Watched:
    """Watch one set of dice: the evidence after each round and the watch at the end, ready to go on live.

    `follows` is false for a roll whose dice were touched, or thrown unseen, since the one before.
    """
    rounds = len(rolls)
    marks = _follows(rounds, follows)
    tallies = _tallies(1, ordered=ordered)
    path, by_check = np.empty(rounds), np.empty((len(tallies), rounds))
    for part, logs in _chunks(rolls[None, :], marks, tallies, per_chunk):
        by_check[:, part] = [each[0] for each in logs]
        path[part] = _weighted(tallies, logs)[0]
    passed = np.flatnonzero(path >= -log(level_of(level)))
    state: dict[str, object] = {
        "format": FORMAT,
        "level": level,
        "ordered": ordered,
        "rounds": rounds,
        **_ends(rolls, marks),
        "peak": max(0.0, float(path.max())) if rounds else 0.0,
        "alarm_round": int(passed[0]) + 1 if passed.size else None,
        "counts": {tally.check.name: tally.counts[:, 0].tolist() for tally in tallies},
    }
    return Watched(path, by_check, DiceWatch.from_state(state))


def _ends(rolls: Indices, follows: NDArray[np.bool_]) -> dict[str, object]:
    """The first and the last rolls as a watch remembers them."""
    first, last = [int(each) for each in rolls[:1]], [int(each) for each in rolls[-1:]]
    while len(first) < min(LAG_MOST, len(rolls)) and follows[len(first)]:
        first.append(int(rolls[len(first)]))
    while len(last) < min(LAG_MOST, len(rolls)) and follows[-len(last)]:
        last.append(int(rolls[-len(last) - 1]))
    return {"first": first, "begun": len(first) == LAG_MOST or len(first) < len(rolls), "last": last}


def alarm_rounds(
    rolls: Indices, *, level: float = LEVEL, ordered: bool = True, per_chunk: int = _CHUNK
) -> NDArray[np.int64]:
    """For many tumblers, one a row, the round of the alarm; 0 for none."""
    alarms = np.zeros(len(rolls), dtype=np.int64)
    bound = -log(level_of(level))
    together = max(1, per_chunk // 256)
    for first in range(0, len(rolls), together):
        some = rolls[first : first + together]
        tallies = _tallies(len(some), ordered=ordered)
        for part, logs in _chunks(some, _follows(rolls.shape[1], None), tallies, per_chunk):
            passed = _weighted(tallies, logs) >= bound
            found = np.where(passed.any(axis=1), part.start + passed.argmax(axis=1) + 1, 0)
            now = alarms[first : first + together]
            now[now == 0] = found[now == 0]
    return alarms


def draw_tumblers(
    tumblers: int,
    rounds: int,
    seed: int,
    *,
    retention: float | Sequence[float] = 0.0,
    faces: Sequence[float] | None = None,
    leads: Sequence[int] = FACES,
    lag: int = 1,
    step: int = 0,
) -> Indices:
    """Tumblers drawn by chance, one a row: each die keeps its face with `retention`, otherwise falls by `faces`.

    A die that keeps its face shows what that face leads to: itself, or by `leads` another one. The face is that of
    `lag` rolls before, of the die `step` places before it.
    """
    chance = np.random.default_rng(seed)
    shape = (tumblers, rounds, 3)
    if faces is None:
        fallen = chance.integers(0, 6, shape, dtype=np.int8)
    else:
        bounds = np.cumsum(faces)[:-1]
        fallen = np.searchsorted(bounds, chance.random(shape), side="right").astype(np.int8)
    keeps = np.asarray(retention, dtype=np.float64)
    if keeps.any():
        stays = chance.random(shape) < keeps
        to = np.array(leads, dtype=np.int8) - 1
        for at in range(lag, rounds):
            before = np.roll(fallen[:, at - lag], step, axis=1)
            fallen[:, at] = np.where(stays[:, at], to[before], fallen[:, at])
    one, two, three = np.moveaxis(fallen.astype(np.uint8), 2, 0)
    rolls: Indices = 36 * one + 6 * two + three
    return rolls
