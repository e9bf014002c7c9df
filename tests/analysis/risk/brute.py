"""Shifts by brute force: every sequence of rolls, voids and players there or not, in fractions.

Stakes and results come from the core; nothing is taken from the analysis but the description of the traffic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from taisai.analysis.risk.traffic import Excess, Traffic
from taisai.analysis.session.exact import Plan
from taisai.core.bets import Bet, PlayerId, totals_by_box
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS
from taisai.core.limits import headroom_of
from taisai.core.money import Chips
from taisai.core.prorata import fix_stakes
from taisai.core.rulebook import Layout, RuleBook
from taisai.core.settlement import Ruling, settle

WAYS = {each: sum(roll.low_to_high == each.faces for roll in ALL_ROLLS) for each in ALL_COMBINATIONS}


class Shift(NamedTuple):
    """One way that a shift may go."""

    win: int
    behind: int
    """The most that the house was behind on the way."""
    turnover: int
    chance: Fraction


def shifts(book: RuleBook, layout: Layout, traffic: Traffic, rounds: int) -> Iterator[Shift]:
    """Every way that so many rounds may go."""
    players = [group for group in traffic.groups for _ in range(group.count)]
    states: dict[tuple[int, int, int, tuple[int, ...]], Fraction] = {(0, 0, 0, (1,) * len(players)): Fraction(1)}
    for _ in range(rounds):
        then: dict[tuple[int, int, int, tuple[int, ...]], Fraction] = {}
        for (win, behind, turnover, factors), chance in states.items():
            for won, risked, after, part in _round(book, layout, traffic, factors):
                key = win + won, max(behind, -(win + won)), turnover + risked, after
                then[key] = then.get(key, Fraction(0)) + chance * part
        states = then
    for (win, behind, turnover, _), chance in states.items():
        yield Shift(win, behind, turnover, chance)


def _round(
    book: RuleBook, layout: Layout, traffic: Traffic, factors: tuple[int, ...]
) -> Iterator[tuple[int, int, tuple[int, ...], Fraction]]:
    players = [group for group in traffic.groups for _ in range(group.count)]
    for there in product((True, False), repeat=len(players)):
        here = Fraction(1)
        for is_there, group in zip(there, players, strict=True):
            here *= group.attendance if is_there else 1 - group.attendance
        if not here:
            continue
        bets = [
            Bet(PlayerId(f"p{seat}"), box, Chips(stake * factors[seat]))
            for seat, group in enumerate(players)
            if there[seat]
            for box, stake in group.bets
        ]
        risk = at_risk(book, traffic, bets)
        for roll, ways in WAYS.items():
            settled = settle(layout, roll, bets, risk).rulings
            won, after = _after(traffic, factors, settled)
            yield won, sum(risk), after, here * Fraction(ways, 216) * (1 - traffic.void)
        if traffic.void:
            yield 0, 0, factors, here * traffic.void


def at_risk(book: RuleBook, traffic: Traffic, bets: list[Bet]) -> list[Chips]:
    """What is at risk of each bet, by the core."""
    limits = traffic.limits
    if limits is None:
        return [bet.stake for bet in bets]
    if traffic.excess is not Excess.REFUSED:
        return list(fix_stakes(book, limits, bets).at_risk)
    taken: list[Bet] = []
    found = []
    for bet in bets:
        headroom = headroom_of(book, limits, totals_by_box(taken), bet.box).chips
        is_taken = bet.stake >= limits.of(bet.box).stake_min and (headroom is None or bet.stake <= headroom)
        taken += [bet] if is_taken else []
        found.append(bet.stake if is_taken else Chips(0))
    return found


def _after(traffic: Traffic, factors: tuple[int, ...], rulings: Sequence[Ruling]) -> tuple[int, tuple[int, ...]]:
    players = [group for group in traffic.groups for _ in range(group.count)]
    nets: dict[str, int] = {}
    for ruling in rulings:
        nets[ruling.bet.player] = nets.get(ruling.bet.player, 0) + ruling.returned - ruling.bet.stake
    after = list(factors)
    for seat, group in enumerate(players):
        net = nets.get(f"p{seat}", 0)
        most = (group.stake_max or group.staked) // group.staked
        if group.plan is Plan.MARTINGALE and net:
            after[seat] = 1 if net > 0 else min(2 * factors[seat], most)
        elif group.plan is Plan.DALEMBERT and net:
            after[seat] = max(factors[seat] - 1, 1) if net > 0 else min(factors[seat] + 1, most)
    return -sum(nets.values()), tuple(after)
