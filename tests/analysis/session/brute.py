"""Sessions by brute force: every sequence of results played out, in fractions; shares no code with the package."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from taisai.analysis.session.exact import Game, Manner, Plan


class Played(NamedTuple):
    """One way that a session may go."""

    net: int
    rounds: int
    end: str
    drawdown: int
    chance: Fraction


def played(game: Game, manner: Manner) -> Iterator[Played]:
    """Every sequence of results, played until something ends it."""
    total = sum(ways for _, ways in game.ways)
    for sequence in product(game.ways, repeat=manner.rounds):
        chance = Fraction(1)
        for _, ways in sequence:
            chance *= Fraction(ways, total)
        yield _one(game, manner, [net for net, _ in sequence], chance)


def _one(game: Game, manner: Manner, nets: list[int], chance: Fraction) -> Played:
    most = (manner.stake_max or game.staked) // game.staked
    net = best = drawdown = rounds = 0
    factor = 1
    end = "playing"
    for result in nets:
        net += result * factor
        rounds += 1
        best = max(best, net)
        drawdown = max(drawdown, best - net)
        factor = _next(manner.plan, factor, result, most)
        if manner.stop_win is not None and net >= manner.stop_win:
            end = "target"
        elif manner.bankroll is not None and manner.bankroll + net < game.staked * factor:
            end = "ruin"
        elif manner.stop_loss is not None and net <= -manner.stop_loss:
            end = "stopped"
        if end != "playing":
            break
    return Played(net, rounds, end, drawdown, chance)


def _next(plan: Plan, factor: int, result: int, most: int) -> int:
    if plan is Plan.FLAT or result == 0:
        return factor
    if plan is Plan.MARTINGALE:
        return 1 if result > 0 else min(2 * factor, most)
    return max(factor - 1, 1) if result > 0 else min(factor + 1, most)
