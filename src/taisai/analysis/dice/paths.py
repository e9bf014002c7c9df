"""Evidence over time for whole files and many tumblers at once.

Enters: rolls as columns of places in `ALL_ROLLS`, one row a tumbler. Leaves: the logarithm of the evidence after every
round, the same to rounding as `dice_watch` gives round by round; the watch at the end; when each tumbler alarms.
Work is done in chunks; only the path itself is as long as the rolls. Also tumblers drawn by chance, fair or not, to
measure all this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import log
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln  # type: ignore[import-untyped] # SciPy has no types of its own

from taisai.analysis.dice.evidence import LEVEL, Check, Mixture, checks_of
from taisai.analysis.dice.watch import FORMAT, DiceWatch, level_of
from taisai.core.dice import ALL_ROLLS
from taisai.core.faults import InputFault

Indices: TypeAlias = NDArray[np.uint8]
"""Rolls as places in `ALL_ROLLS`, as `bulk.roll_codes` makes them."""
Floats: TypeAlias = NDArray[np.float64]

_CHUNK: Final = 1 << 16
"""Rounds, over all tumblers, that are worked on at a time."""
_SORTED_LEAST: Final = 20


class Watched(NamedTuple):
    """A set of dice watched from its first roll to its last."""

    path: Floats
    """Logarithm of the evidence after each round."""
    by_check: Floats
    """The same for each check, one row a check."""
    watch: DiceWatch


def is_sorted(rolls: Indices) -> bool:
    """Whether the rolls were written down by size: all of them from low to high, or from high to low.

    Of twenty fair rolls this happens by chance once in 10^11.
    """
    one, two, three = rolls // 36, rolls // 6 % 6, rolls % 6
    rising, falling = (one <= two) & (two <= three), (one >= two) & (two >= three)
    return len(rolls) >= _SORTED_LEAST and bool(rising.all() or falling.all())


@cache
def _cells(place: int, *, ordered: bool) -> NDArray[np.int8]:
    """The cells of a check by roll, or by roll before and roll now: a column each."""
    check = checks_of(ordered=ordered)[place]
    if check.lagged:
        rows = [check.cells_of(before, now) for before in ALL_ROLLS for now in ALL_ROLLS]
    else:
        rows = [check.cells_of(None, now) for now in ALL_ROLLS]
    return np.ascontiguousarray(np.array(rows, dtype=np.int8).T)


class _Tally:
    """The counts of one check for every tumbler, and the evidence after each round of a chunk."""

    def __init__(self, check: Check, cells: NDArray[np.int8], tumblers: int) -> None:
        self.check = check
        self._cells = cells
        self.counts = np.zeros((tumblers, check.size), dtype=np.int64)

    def chunk(self, rolls: Indices, before: Indices, follows: NDArray[np.bool_]) -> Floats:
        cells = self._cells[:, before.astype(np.int32) * 216 + rolls if self.check.lagged else rolls]
        counts = np.empty((self.check.size, *rolls.shape), dtype=np.int64)
        for cell in range(self.check.size):
            hits = sum((each == cell).astype(np.int8) for each in cells)
            if self.check.lagged:
                hits = hits * follows
            np.cumsum(hits, axis=1, dtype=np.int64, out=counts[cell])
            counts[cell] += self.counts[:, cell, None]
        self.counts = counts[:, :, -1].T.copy()
        return _log_e(self.check.mixture, counts)


def _log_e(mixture: Mixture, counts: NDArray[np.int64]) -> Floats:
    """`Mixture.log_e` for many counts at once; the first axis of `counts` is the cells."""
    logs = []
    total = counts.sum(axis=0)
    for point in mixture.points:
        # Most points make all cells but a few likelier alike.
        usual = max(set(point.log_ratios), key=point.log_ratios.count)
        log_e = point.log_share + usual * total
        for ratio in sorted(set(point.log_ratios) - {usual}):
            cells = [cell for cell, each in enumerate(point.log_ratios) if each == ratio]
            log_e += (ratio - usual) * (counts[cells].sum(axis=0) if len(cells) > 1 else counts[cells[0]])
        logs.append(log_e)
    if mixture.urns:
        least, most = counts.min(axis=(1, 2)), counts.max(axis=(1, 2))
        totals = np.arange(total.max() + 1)
        for urn in mixture.urns:
            log_e = urn.log_start - gammaln(urn.size + totals)[total]
            for cell, alpha in enumerate(urn.alphas):
                spread = np.arange(least[cell], most[cell] + 1)
                log_e += (gammaln(alpha + spread) - mixture.log_nulls[cell] * spread)[counts[cell] - least[cell]]
            logs.append(log_e)
    return _log_sum(logs)


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
    for start in range(0, rounds, step):
        part = slice(start, min(start + step, rounds))
        before = np.zeros((tumblers, part.stop - part.start), dtype=np.uint8)
        before[:, 1:] = rolls[:, part.start : part.stop - 1]
        if start:
            before[:, 0] = rolls[:, start - 1]
        yield part, [tally.chunk(rolls[:, part], before, follows[part]) for tally in tallies]


def _tallies(tumblers: int, *, ordered: bool) -> list[_Tally]:
    return [
        _Tally(check, _cells(place, ordered=ordered), tumblers)
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
        "first": int(rolls[0]) if rounds else None,
        "last": int(rolls[-1]) if rounds else None,
        "peak": max(0.0, float(path.max())) if rounds else 0.0,
        "alarm_round": int(passed[0]) + 1 if passed.size else None,
        "counts": {tally.check.name: tally.counts[0].tolist() for tally in tallies},
    }
    return Watched(path, by_check, DiceWatch.from_state(state))


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
) -> Indices:
    """Tumblers drawn by chance, one a row: each die keeps its face with `retention`, otherwise falls by `faces`."""
    chance = np.random.default_rng(seed)
    shape = (tumblers, rounds, 3)
    if faces is None:
        fallen = chance.integers(0, 6, shape, dtype=np.int8)
    else:
        bounds = np.cumsum(faces)[:-1]
        fallen = np.searchsorted(bounds, chance.random(shape), side="right").astype(np.int8)
    keeps = np.asarray(retention, dtype=np.float64)
    if keeps.any():
        falls = chance.random(shape) >= keeps
        falls[:, 0] = True
        since = np.where(falls, np.arange(rounds)[:, None], 0)
        np.maximum.accumulate(since, axis=1, out=since)
        fallen = np.take_along_axis(fallen, since, axis=1)
    one, two, three = np.moveaxis(fallen.astype(np.uint8), 2, 0)
    rolls: Indices = 36 * one + 6 * two + three
    return rolls
