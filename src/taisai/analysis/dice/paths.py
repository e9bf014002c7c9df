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

from taisai.analysis.dice.cells import LAG_MOST, ROLL_OF_SIDE, TRIPLES, TURNS, Before, Look, side
from taisai.analysis.dice.evidence import LEVEL, WINDOW, Check, checks_of, logs_of
from taisai.analysis.dice.gathering import Indices
from taisai.analysis.dice.mixtures import SIDES, Mixture, Product, Shuffle, permanent
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


_SIDE_OF: Final = np.array([side(roll) for roll in ALL_ROLLS], dtype=np.int32)


@cache
def _befores(look: Look) -> tuple[Before, ...]:
    """Everything that a check may see before a roll, in the order of `_Earlier.codes`."""
    if look is Look.ROLL:
        return (Before(ALL_ROLLS[0], ALL_ROLLS[0], 0),)
    if look is Look.TURN:
        return tuple(Before(ALL_ROLLS[0], ALL_ROLLS[0], number) for number in range(TURNS))
    if look is Look.SIDES_2:
        return tuple(Before(last, earlier, 0) for last in ROLL_OF_SIDE for earlier in ROLL_OF_SIDE)
    if look is Look.STEPS:
        # Each die by itself: one that is alike on all three dice stands for each of them.
        return tuple(Before(last, earlier, 0) for last in TRIPLES for earlier in TRIPLES)
    return tuple(Before(last, last, 0) for last in ALL_ROLLS)


@cache
def _increments(place: int, *, ordered: bool) -> NDArray[np.uint8]:
    """What a check counts up, a row a cell: by what was before, and by roll; of steps by one die's face instead."""
    check = checks_of(ordered=ordered)[place]
    alone = check.look is Look.STEPS
    nows = TRIPLES if alone else ALL_ROLLS
    rows = [check.cells_of(before, now)[: 1 if alone else None] for before in _befores(check.look) for now in nows]
    cells = np.array([cell for row in rows for cell in row], dtype=np.int64)
    owners = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    found = np.bincount(cells * len(rows) + owners, minlength=check.size * len(rows))
    return found.astype(np.uint8).reshape(check.size, len(rows))


class _Rolls(NamedTuple):
    """Some rounds of all tumblers, with what was before each roll."""

    start: int
    """Rounds before the first one."""
    now: Indices
    back: tuple[Indices, ...]
    """For each lag the roll so many rounds before."""
    follows: tuple[NDArray[np.bool_], ...]
    """For each lag whether that one is followed without a gap."""

    def part(self, first: int, end: int) -> _Rolls:
        """Some of these rounds."""
        return _Rolls(
            self.start + first,
            self.now[:, first:end],
            tuple(each[:, first:end] for each in self.back),
            tuple(each[first:end] for each in self.follows),
        )

    def places(self, look: Look) -> tuple[NDArray[np.int32], ...]:
        """Columns of `_increments`: one for each roll, or for each die."""
        if look is Look.STEPS:
            return tuple(
                36 * (self.back[0] // way % 6).astype(np.int32) + 6 * (self.back[1] // way % 6) + self.now // way % 6
                for way in (36, 6, 1)
            )
        before: NDArray[np.int32]
        if look is Look.ROLL:
            before = np.zeros(self.now.shape, dtype=np.int32)
        elif look is Look.TURN:
            turns = (self.start + np.arange(self.now.shape[1], dtype=np.int32)) % TURNS
            before = np.broadcast_to(turns, self.now.shape)
        elif look is Look.SIDES_2:
            before = 3 * _SIDE_OF[self.back[0]] + _SIDE_OF[self.back[1]]
        else:
            before = self.back[look.back - 1].astype(np.int32)
        return (before * len(ALL_ROLLS) + self.now,)


class _Tally:
    """The counts of one check for every tumbler, and the evidence after each round of a chunk."""

    def __init__(self, check: Check, increments: NDArray[np.uint8], tumblers: int, every: int) -> None:
        self.check = check
        self._increments = increments
        self._every = every
        self.counts = np.zeros((check.size, tumblers), dtype=np.int32)
        self.carried: Floats = np.zeros(tumblers)

    def chunk(self, rolls: _Rolls) -> Floats:
        """The logarithm of the wealth after each of these rounds, or after every so many; of parts nothing."""
        check = self.check
        if check.parts:
            return np.zeros((len(rolls.now), rolls.now.shape[1] // self._every))
        if not check.window:
            return self._counted(rolls)
        found: list[Floats] = []
        length, first = rolls.now.shape[1], 0
        while first < length:
            place, inside = divmod(rolls.start + first, check.window)
            if place and not inside:
                self.carried = self.carried + _carried(_log_e(check.mixture, self.counts), place - 1)
                self.counts[:] = 0
            end = min(length, first + check.window - inside)
            log_e = self._counted(rolls.part(first, end))
            found.append(self.carried[:, None] + _carried(log_e, place))
            first = end
        return np.concatenate(found, axis=1)

    def _counted(self, rolls: _Rolls) -> Floats:
        look = self.check.look
        columns = rolls.places(look)
        steps = self._increments[:, columns[0]]
        for column in columns[1:]:
            steps = steps + self._increments[:, column]
        if look.back:
            steps = steps * rolls.follows[look.back - 1]
        if self._every > 1:
            steps = steps.reshape(*steps.shape[:2], -1, self._every).sum(axis=3, dtype=np.int32)
        counts = np.cumsum(steps, axis=2, dtype=np.int32)
        counts += self.counts[:, :, None]
        self.counts = counts[:, :, -1].copy()
        return _log_e(self.check.mixture, counts)


def _carried(log_e: Floats, place: int) -> Floats:
    """`evidence.carried` for many at once."""
    return np.logaddexp(log(place), log_e) - log(place + 1) if place else np.zeros_like(log_e)


def _log_e(mixture: Mixture | Product, counts: NDArray[np.int32]) -> Floats:
    """`log_e` of a mixture for many counts at once; the first axis of `counts` is the cells."""
    if isinstance(mixture, Product):
        rows = counts.reshape(mixture.rows, mixture.each.size, *counts.shape[1:])
        whole: Floats = np.sum([_log_e(mixture.each, row) for row in rows], axis=0)
        return whole
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
    ways = permanent(np.exp(logs - tops[:, None]).reshape(SIDES**2, -1))
    with np.errstate(divide="ignore"):
        log_e: Floats = shuffle.log_share + tops.sum(axis=0) + np.log(ways / factorial(SIDES))
    cells, ratio = shuffle.common
    log_e += ratio * counts[:cells].sum(axis=0)
    return log_e


def _log_sum(logs: Sequence[Floats]) -> Floats:
    most = logs[0].copy()
    for each in logs[1:]:
        np.maximum(most, each, out=most)
    return most + np.log(sum(np.exp(each - most) for each in logs))


def _chunks(
    rolls: Indices, follows: NDArray[np.bool_], tallies: Sequence[_Tally], per_chunk: int, every: int = 1
) -> Iterator[tuple[slice, list[Floats]]]:
    tumblers, rounds = rolls.shape
    step = max(1, per_chunk // max(1, tumblers) // every) * every
    # A roll follows the one before the last if both steps are whole.
    linked = [follows]
    for _ in range(1, LAG_MOST):
        linked.append(follows & np.concatenate(([False], linked[-1][:-1])))
    shifted = []
    for lag in range(1, LAG_MOST + 1):
        before = np.zeros_like(rolls)
        before[:, lag:] = rolls[:, :-lag]
        shifted.append(before)
    whole = _Rolls(0, rolls, tuple(shifted), tuple(linked))
    for start in range(0, rounds, step):
        end = min(start + step, rounds)
        some = whole.part(start, end)
        yield slice(start, end), logs_of([each.check for each in tallies], [each.chunk(some) for each in tallies])


def _tallies(tumblers: int, *, ordered: bool, every: int = 1) -> list[_Tally]:
    return [
        _Tally(check, _increments(place, ordered=ordered), tumblers, every)
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
        "last": _last(rolls, marks),
        "peak": max(0.0, float(path.max())) if rounds else 0.0,
        "alarm_round": int(passed[0]) + 1 if passed.size else None,
        "counts": {tally.check.name: tally.counts[:, 0].tolist() for tally in tallies if not tally.check.parts},
        "carried": {tally.check.name: float(tally.carried[0]) for tally in tallies if tally.check.window},
    }
    return Watched(path, by_check, DiceWatch.from_state(state))


def _last(rolls: Indices, follows: NDArray[np.bool_]) -> list[int]:
    """The last rolls as a watch remembers them."""
    last = [int(each) for each in rolls[-1:]]
    while len(last) < min(LAG_MOST, len(rolls)) and follows[-len(last)]:
        last.append(int(rolls[-len(last) - 1]))
    return last


def alarm_rounds(
    rolls: Indices, *, level: float = LEVEL, ordered: bool = True, every: int = 1, per_chunk: int = _CHUNK
) -> NDArray[np.int64]:
    """For many tumblers, one a row, the round of the alarm; 0 for none. Looked at after every so many rounds."""
    if every < 1 or rolls.shape[1] % every or WINDOW % every:
        raise InputFault("every", f"divides the rounds and {WINDOW}, got {every}")
    alarms = np.zeros(len(rolls), dtype=np.int64)
    bound = -log(level_of(level))
    together = max(1, per_chunk // 256)
    for first in range(0, len(rolls), together):
        some = rolls[first : first + together]
        now = alarms[first : first + together]
        tallies = _tallies(len(some), ordered=ordered, every=every)
        for part, logs in _chunks(some, _follows(rolls.shape[1], None), tallies, per_chunk, every):
            passed = _weighted(tallies, logs) >= bound
            found = np.where(passed.any(axis=1), part.start + every * (passed.argmax(axis=1) + 1), 0)
            now[now == 0] = found[now == 0]
            if now.all():
                break
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
