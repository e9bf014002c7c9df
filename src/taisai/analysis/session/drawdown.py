"""The largest drawdown of a session with a plan, a bankroll or stops.

Enters: a game and a manner of playing. Leaves: the chance of each depth, and quantiles of the largest drawdown: how far
under the best until then the player is at the worst moment, until the session ends.

A session stands at a step of its plan, at a best so far and so far under it; what it has won is the difference. Where
few such places are reached, sessions are counted place by place in whole numbers, whatever their amounts. Otherwise
one depth is walked at a time in floats, and a session that reaches it is counted and not walked further.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from taisai.analysis.session.exact import DRAWDOWN_LEVELS, Game, Manner, check_session, steps_of
from taisai.analysis.session.free import Weights
from taisai.analysis.session.walk import LIVE_MOST, Walk
from taisai.core.faults import InputFault

WORK_MOST: Final = 10**9
"""Multiplications for all depths together, at most: some seconds."""
COUNT_MOST: Final = 10**7
"""Moves that are counted one by one in whole numbers, at most: some seconds."""
COUNT_ROUNDS: Final = 12
"""Rounds of a session that may be counted so; longer ones meet the bound above after having wasted the time."""
_CUT: Final = 1e-24
"""Chances of the highest bests that are dropped when they come to no more than this."""


class _Depths:
    """Walks a session depth by depth, as long as the work is bearable."""

    def __init__(self, game: Game, manner: Manner) -> None:
        check_session(game, manner)
        self.walk = Walk(
            game.ways,
            game.staked,
            steps_of(game, manner),
            manner.rounds,
            manner.bankroll,
            manner.stop_loss,
            manner.stop_win,
        )
        self.bounds = self.walk.bounds
        self.unit = self.walk.unit
        total = sum(ways for _, ways in game.ways)
        self.moves = [(start, end, units, ways / total) for start, end, units, ways in self.walk.moves()]
        self.up = max(0, *(units for _, _, units, _ in self.moves))
        self.work = 0
        # A chance is rounded, its product is, and so is each addition; and each is at most half of eps.
        self.slack = manner.rounds * (len(self.moves) + 2) * float(np.finfo(np.float64).eps)

    def counted(self) -> Weights | None:
        """The largest drawdown in whole numbers; None where sessions stand at too many places."""
        if self.walk.rounds > COUNT_ROUNDS:
            return None
        moves: dict[int, list[tuple[int, int, int]]] = {}
        for start, end, units, ways in self.walk.moves():
            moves.setdefault(start, []).append((end, units, ways))
        total = sum(ways for _, ways in self.walk.round_ways)
        # Where nothing ends a session, what it has won does not matter, and every best so far may stand at 0.
        ends = any(limit is not None for limit in (self.walk.bankroll, self.walk.stop_loss, self.walk.stop_win))
        # By step, result, best so far and deepest so far.
        live = {(0, 0, 0, 0): 1}
        found: dict[int, int] = {}
        work = 0
        for left in range(self.walk.rounds, 0, -1):
            work += len(live) * len(self.walk.round_ways)
            if work > COUNT_MOST:
                return None
            then: dict[tuple[int, int, int, int], int] = {}
            for (step, net, best, deepest), count in live.items():
                for end, units, ways in moves[step]:
                    now = net + units
                    top = max(best, now)
                    lowest = max(deepest, top - now)
                    if now >= self.bounds.target or now < self.bounds.floor(end):
                        found[lowest] = found.get(lowest, 0) + count * ways * total ** (left - 1)
                        continue
                    place = (end, now, top, lowest) if ends else (end, now - top, 0, lowest)
                    then[place] = then.get(place, 0) + count * ways
            live = then
        for (_, _, _, deepest), count in live.items():
            found[deepest] = found.get(deepest, 0) + count
        depths = sorted(found)
        whole = total**self.walk.rounds
        return Weights([depth * self.unit for depth in depths], [found[depth] for depth in depths], whole, 0.0)

    @staticmethod
    def _too_much() -> InputFault:
        return InputFault("drawdown", "too much work with these bets: fewer rounds, rounder stakes, or a nearer stop")

    def chance(self, depth: int) -> float:
        """The chance to be so many units under the best so far at some time."""
        if depth <= 0:
            return 1.0
        live = np.zeros((len(self.walk.steps), 1, depth))
        live[0, 0, 0] = 1.0
        over = 0.0
        for number in range(1, self.walk.rounds + 1):
            self.work += live[0].size * len(self.moves)
            if self.work > WORK_MOST:
                raise self._too_much()
            live, gone = self._round(live, depth)
            over += gone
            live = self._ended(live)
            if number % 8 == 0:
                tops = np.cumsum(live.sum(axis=(0, 2))[::-1])
                live = live[:, : max(1, live.shape[1] - int(np.searchsorted(tops, _CUT, side="right")))]
            if not live.any():
                break
        return over

    def _round(self, live: NDArray[np.float64], depth: int) -> tuple[NDArray[np.float64], float]:
        """The chances after one more round, and what reached the depth in it."""
        bests = live.shape[1]
        if live.shape[0] * (bests + self.up) * depth > LIVE_MOST:
            raise self._too_much()
        then = np.zeros((live.shape[0], bests + self.up, depth))
        gone = 0.0
        for start, end, units, chance in self.moves:
            part = chance * live[start]
            if units <= 0:
                under = min(-units, depth)
                then[end, :bests, under:] += part[:, : depth - under]
                # Added up and not taken from 1, so that small chances keep their digits.
                gone += float(part[:, depth - under :].sum())
                continue
            then[end, :bests, : max(depth - units, 0)] += part[:, units:]
            for under in range(min(units, depth)):
                # A new best, higher by what the win is over what was missing.
                higher = units - under
                then[end, higher : higher + bests, 0] += part[:, under]
        return then, gone

    def _ended(self, live: NDArray[np.float64]) -> NDArray[np.float64]:
        """The chances without sessions that are over: at the target, ruined or stopped."""
        live = live[:, : max(1, min(live.shape[1], self.bounds.target))]
        net = np.arange(live.shape[1])[:, None] - np.arange(live.shape[2])[None, :]
        for step, cells in enumerate(live):
            cells[net < self.bounds.floor(step)] = 0.0
        return live


def stopped_drawdown_chances(game: Game, manner: Manner, depths: Sequence[int]) -> list[float]:
    """For each depth the chance that the player is at some time so far under the best until then."""
    walker = _Depths(game, manner)
    return [walker.chance(-(-depth // walker.unit)) for depth in depths]


def stopped_drawdown_quantiles(
    game: Game, manner: Manner, levels: Sequence[Fraction] = DRAWDOWN_LEVELS
) -> tuple[tuple[Fraction, int], ...]:
    """For each level the least depth that the largest drawdown stays at or under with at least this chance."""
    walker = _Depths(game, manner)
    few = walker.counted()
    if few is not None:
        return tuple(zip(levels, few.quantiles(levels), strict=True))
    known: dict[int, float] = {}

    def within(depth: int) -> float:
        """The chance of a drawdown of at most so many units."""
        if depth not in known:
            known[depth] = 1.0 - walker.chance(depth + 1)
        return known[depth]

    found = []
    for level in levels:
        low, high = -1, max(1, game.staked // walker.unit)
        while within(high) + walker.slack < level:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if within(middle) + walker.slack >= level else (middle, high)
        found.append((level, high * walker.unit))
    return tuple(found)
