"""Rounds of a session one after the other, with everything that may end it: an absorbing chain.

Enters: one round as results and their ways, and what the player does: stakes by step, bankroll, stop-win, stop-loss.
Leaves: where the session stands after chosen rounds, and how it ended, round by round; as exact whole numbers, or as
floats. All terms of the recursion are positive, so errors of floats do not grow by cancellation: after n rounds each
chance is relatively wrong by at most n times the roundings of one round.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import reduce
from math import gcd
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taisai.analysis.session.free import CELLS_MOST, Weights, too_fine
from taisai.core.faults import InputFault

WORK_MOST: Final = 2 * 10**10
"""Multiplications of one walk at most: some twenty seconds."""
LIVE_MOST: Final = 8 * CELLS_MOST
"""Chances of all steps together, at most: 64 megabytes."""
EXACT_WORK_MOST: Final = 4 * 10**6
"""As `WORK_MOST`, for whole numbers."""

_CUT: Final = 1e-24
"""Outermost chances that are dropped when they come to no more than this; what is dropped is counted as error."""
_CUT_EVERY: Final = 8
_NEVER: Final = 1 << 62


class Step(NamedTuple):
    """What a plan stakes, as a multiple of its first stake, and the step that follows a win or a loss."""

    factor: int
    on_win: int
    on_loss: int


class Bounds(NamedTuple):
    """Where a session ends, in units of the lattice above the start."""

    ruin: tuple[int, ...]
    """For each step: under this the stake cannot be paid."""
    stop: int
    """Under this the player has lost enough."""
    target: int
    """From this on the player has won enough."""

    def floor(self, step: int) -> int:
        """The lowest place from which the next round is played."""
        return max(self.ruin[step], self.stop)


class Curves(NamedTuple):
    """Chances after each round, the start included; whole numbers are of `total**rounds`."""

    ruin: list[int] | list[float]
    stop: list[int] | list[float]
    target: list[int] | list[float]
    playing: list[int] | list[float]


class Walked(NamedTuple):
    """A session walked through: results after the rounds that were marked, and its curves."""

    marks: dict[int, Weights]
    curves: Curves


class Walk(NamedTuple):
    """What is walked."""

    round_ways: tuple[tuple[int, int], ...]
    staked: int
    steps: tuple[Step, ...]
    rounds: int
    bankroll: int | None
    stop_loss: int | None
    stop_win: int | None

    @property
    def unit(self) -> int:
        """The step of the lattice: every result is a multiple of it."""
        return reduce(gcd, (net for net, _ in self.round_ways)) or 1

    @property
    def bounds(self) -> Bounds:
        """The ends in units of the lattice: a division rounded up for `at least`, down and one more for `more than`."""
        unit = self.unit
        ruin = tuple(
            -_NEVER if self.bankroll is None else -((self.bankroll - self.staked * step.factor) // unit)
            for step in self.steps
        )
        return Bounds(
            ruin,
            -_NEVER if self.stop_loss is None else -self.stop_loss // unit + 1,
            _NEVER if self.stop_win is None else -(-self.stop_win // unit),
        )

    def moves(self) -> Iterator[tuple[int, int, int, int]]:
        """From step, to step, by how many units, in how many ways."""
        for place, step in enumerate(self.steps):
            for net, ways in self.round_ways:
                following = step.on_win if net > 0 else step.on_loss if net < 0 else place
                yield place, following, net * step.factor // self.unit, ways


def _too_long() -> InputFault:
    return InputFault("rounds", "too much work with these bets: fewer rounds, rounder stakes, or a nearer stop")


def walk_exact(walk: Walk, marks: Collection[int]) -> Walked:
    """The walk in whole numbers: ways out of all that so many rounds can go."""
    bounds, rounds = walk.bounds, walk.rounds
    total = sum(ways for _, ways in walk.round_ways)
    moves = list(walk.moves())
    live: list[dict[int, int]] = [{} for _ in walk.steps]
    live[0][0] = 1
    ended: dict[int, int] = {}
    ruin, stop, target, playing = [0], [0], [0], [total**rounds]
    found: dict[int, Weights] = {}
    work = 0
    for number in range(1, rounds + 1):
        work += sum(map(len, live)) * len(walk.round_ways)
        if work > EXACT_WORK_MOST:
            raise _too_long()
        then: list[dict[int, int]] = [{} for _ in walk.steps]
        for start, end, units, ways in moves:
            cells = then[end]
            for at, count in live[start].items():
                cells[at + units] = cells.get(at + units, 0) + count * ways
        rest = total ** (rounds - number)
        gone = [0, 0, 0]
        for place, cells in enumerate(then):
            floor = bounds.floor(place)
            for at in [at for at in cells if at < floor or at >= bounds.target]:
                count = cells.pop(at) * rest
                gone[2 if at >= bounds.target else 0 if at < bounds.ruin[place] else 1] += count
                ended[at] = ended.get(at, 0) + count
        live = then
        for curve, count in zip((ruin, stop, target), gone, strict=True):
            curve.append(curve[-1] + count)
        playing.append(sum(sum(cells.values()) for cells in live) * rest)
        if number in marks:
            now = dict(ended)
            for cells in live:
                for at, count in cells.items():
                    now[at] = now.get(at, 0) + count * rest
            places = sorted(now)
            found[number] = Weights([at * walk.unit for at in places], [now[at] for at in places], total**rounds, 0.0)
    return Walked(found, Curves(ruin, stop, target, playing))


class _Ended:
    """Chances of sessions that are over, by where they ended: a stretch under the floors, one from the target on."""

    def __init__(self, bounds: Bounds, unit: int, down: int, up: int) -> None:
        floors = [bounds.floor(place) for place in range(len(bounds.ruin))]
        self.lowest, self.highest = min(floors), max(floors)
        self.base = self.lowest - down
        self.bounds, self.target, self.unit = bounds, bounds.target, unit
        under = self.highest - self.base if self.highest > -_NEVER else 0
        over = up if bounds.target < _NEVER else 0
        if max(under, over, down + up) > CELLS_MOST:
            raise too_fine(max(under, over, down + up), unit)
        self.under, self.over = np.zeros(under), np.zeros(over)

    def take(self, live: NDArray[np.float64], low: int) -> tuple[float, float, float]:
        """Take out of the live chances what ended in this round: ruined, stopped, at the target."""
        gone = [0.0, 0.0, 0.0]
        width = live.shape[1]
        for place, cells in enumerate(live):
            ruin = min(max(self.bounds.ruin[place] - low, 0), width)
            floor = min(max(self.bounds.floor(place) - low, 0), width)
            ceiling = max(self.target - low, 0)
            if floor:
                gone[0] += float(cells[:ruin].sum()) if ruin else 0.0
                gone[1] += float(cells[ruin:floor].sum()) if floor > ruin else 0.0
                self.under[low - self.base : low - self.base + floor] += cells[:floor]
                cells[:floor] = 0.0
            if ceiling < width:
                gone[2] += float(cells[ceiling:].sum())
                self.over[: width - ceiling] += cells[ceiling:]
                cells[ceiling:] = 0.0
        return gone[0], gone[1], gone[2]

    def weights(self, live: NDArray[np.float64], low: int, error: float) -> Weights:
        """Everything, over or not, as results and chances."""
        stretches = [(low, live.sum(axis=0)), (self.base, self.under), (self.target, self.over)]
        now: dict[int, float] = {}
        for start, cells in stretches:
            for at in np.flatnonzero(cells).tolist():
                now[start + at] = now.get(start + at, 0.0) + float(cells[at])
        places = sorted(now)
        return Weights([at * self.unit for at in places], [now[at] for at in places], 1, error)


def walk_float(walk: Walk, marks: Collection[int]) -> Walked:
    """The walk in floats, over a window that grows with the chances and leaves out what does not matter."""
    bounds = walk.bounds
    total = sum(ways for _, ways in walk.round_ways)
    moves = [(start, end, units, ways / total) for start, end, units, ways in walk.moves()]
    down = max(0, -min(units for _, _, units, _ in moves))
    up = max(0, *(units for _, _, units, _ in moves))
    arrivals = max(sum(end == place for _, end, _, _ in moves) for place in range(len(walk.steps)))
    # A chance is rounded, its product is, and so is each addition; and each is at most half of eps.
    slip = (arrivals + 2) * float(np.finfo(np.float64).eps)
    ended = _Ended(bounds, walk.unit, down, up)
    live, low, lost, work = np.zeros((len(walk.steps), 1)), 0, 0.0, 0
    live[0, 0] = 1.0
    ruin, stop, target, playing = [0.0], [0.0], [0.0], [1.0]
    found: dict[int, Weights] = {}
    for number in range(1, walk.rounds + 1):
        width = live.shape[1]
        work += width * len(moves)
        if live.size > LIVE_MOST:
            raise too_fine(live.size, walk.unit)
        if work > WORK_MOST:
            raise _too_long()
        if width:
            then = np.zeros((len(walk.steps), width + down + up))
            for start, end, units, chance in moves:
                then[end, down + units : down + units + width] += chance * live[start]
            low -= down
            gone = ended.take(then, low)
            live, low, dropped = _cropped(then, low, ended, cut=number % _CUT_EVERY == 0)
            lost += dropped
        else:
            gone = (0.0, 0.0, 0.0)
        for curve, chance in zip((ruin, stop, target), gone, strict=True):
            curve.append(curve[-1] + chance)
        playing.append(float(live.sum()))
        if number in marks:
            found[number] = ended.weights(live, low, 1.1 * (number * slip + lost))
    return Walked(found, Curves(ruin, stop, target, playing))


def _cropped(
    live: NDArray[np.float64], low: int, ended: _Ended, *, cut: bool
) -> tuple[NDArray[np.float64], int, float]:
    """The live chances without the columns where no session goes on, and now and then without their far tails."""
    first = max(0, ended.lowest - low)
    last = max(first, min(live.shape[1], ended.target - low))
    live, low = live[:, first:last], low + first
    if not cut or not live.shape[1]:
        return live, low, 0.0
    columns = live.sum(axis=0)
    head = int(np.searchsorted(np.cumsum(columns), _CUT, side="right"))
    tail = int(np.searchsorted(np.cumsum(columns[::-1]), _CUT, side="right"))
    if head + tail >= columns.size:
        return live[:, :0], low, float(columns.sum())
    dropped = float(columns[:head].sum() + columns[columns.size - tail :].sum())
    return live[:, head : columns.size - tail], low + head, dropped
