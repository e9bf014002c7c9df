"""One round of a whole table, as moves of a chain: what the house wins, and what players do next.

Enters: a layout, the rules of the table, its traffic. Leaves: for each state of the players' plans the house's results
with their ways, as exact whole numbers. Players of a table bet on the same roll, so their results are not independent:
each is summed over the 216 rolls before anything else is done with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taisai.analysis.risk.traffic import Group, TableRules, Traffic
from taisai.analysis.session.exact import Plan
from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS
from taisai.core.faults import InputFault
from taisai.core.money import Chips
from taisai.core.rulebook import Layout

STATES_MOST: Final = 512
"""States of all players' plans together."""
CROWDS_MOST: Final = 4096
"""Ways in which players may be there or not, where limits make these matter."""
RESULTS_MOST: Final = 20_000
"""Results of one round, at most."""

_WAYS: Final = tuple(
    sum(roll.low_to_high == combination.faces for roll in ALL_ROLLS) for combination in ALL_COMBINATIONS
)


class Move(NamedTuple):
    """What a round may do: the house's result, the state that follows, and in how many ways."""

    net: int
    then: int
    ways: int


class Risked(NamedTuple):
    """A result of a round in the first state, with what was at risk for it, and in how many ways."""

    net: int
    risk: int
    ways: int


class Chain(NamedTuple):
    """The table's rounds: by state of the plans, the first state first."""

    states: tuple[tuple[Move, ...], ...]
    total: int
    """Ways of a round, the same in every state."""
    turnover: tuple[Fraction, ...]
    """By state: what is expected to be at risk on a round."""
    risked: tuple[Risked, ...]
    """Results and what was at risk for them, in the first state."""

    def mean(self, state: int = 0) -> Fraction:
        """The house's expected result of a round."""
        return Fraction(sum(move.net * move.ways for move in self.states[state]), self.total)

    def variance(self, state: int = 0) -> Fraction:
        """The variance of the house's result of a round."""
        square = Fraction(sum(move.net**2 * move.ways for move in self.states[state]), self.total)
        return square - self.mean(state) ** 2


def _too_many(what: str) -> InputFault:
    return InputFault("traffic", f"{what}: too many to be computed; `taisai simulate` takes this traffic")


def chain_of(layout: Layout, rules: TableRules, traffic: Traffic) -> Chain:
    """The chain of a table. Players who leave are not computed, and are a fault."""
    leaving = next((group for group in traffic.groups if group.leaves), None)
    if leaving is not None:
        raise InputFault(
            "traffic",
            f"players who leave ({leaving.name}) are not computed but simulated: `taisai simulate`, or leave out "
            "bankroll, stop_win, stop_loss, visit_rounds and walk_away",
        )
    builder = _Builder(layout, rules, traffic)
    states = list(builder.places)
    ways_void = 216 * builder.crowd_total * traffic.void.numerator
    scale = traffic.void.denominator - traffic.void.numerator
    total = 216 * builder.crowd_total * traffic.void.denominator
    found, turnover = [], []
    risked: dict[tuple[int, int], int] = {}
    for place, state in enumerate(states):
        moves: dict[tuple[int, int], int] = {}
        staked = 0
        for net, then, ways, risk in builder.moves(state):
            key = net, builder.places[then]
            moves[key] = moves.get(key, 0) + ways * scale
            if len(moves) > RESULTS_MOST * len(states):
                raise _too_many("results of one round")
            staked += risk * ways * scale
            if place == 0:
                risked[net, risk] = risked.get((net, risk), 0) + ways * scale
        if ways_void:
            moves[0, place] = moves.get((0, place), 0) + ways_void
        found.append(tuple(Move(net, then, ways) for (net, then), ways in sorted(moves.items())))
        turnover.append(Fraction(staked, total))
    if ways_void:
        risked[0, 0] = risked.get((0, 0), 0) + ways_void
    joint = tuple(Risked(net, risk, ways) for (net, risk), ways in sorted(risked.items()))
    return Chain(tuple(found), total, tuple(turnover), joint)


def round_nets(layout: Layout, rules: TableRules, traffic: Traffic) -> tuple[int, ...]:
    """The house's result on each of the 216 rolls when everybody is there at the first step."""
    builder = _Builder(layout, rules, replace(traffic, groups=tuple(_all_there(traffic.groups))))
    by_faces = dict.fromkeys((roll.low_to_high for roll in ALL_ROLLS), 0)
    risked = builder.risked(next(iter(builder.places)), tuple(group.count for group in builder.groups))
    nets = -(builder.pays @ risked[0]).sum(axis=1)
    for combination, net in zip(ALL_COMBINATIONS, nets.tolist(), strict=True):
        by_faces[combination.faces] = net
    return tuple(by_faces[roll.low_to_high] for roll in ALL_ROLLS)


def _all_there(groups: Sequence[Group]) -> Iterator[Group]:
    for group in groups:
        yield replace(group, attendance=Fraction(1))


class _Builder:
    """Works out rounds: who is there, what is at risk, what each roll does."""

    def __init__(self, layout: Layout, rules: TableRules, traffic: Traffic) -> None:
        self.rules = rules
        self.groups = [each for group in traffic.groups for each in _alike(group)]
        self.boxes: list[BoxName] = list(dict.fromkeys(box for group in self.groups for box, _ in group.bets))
        pays = [
            [roll_pays or -1 for roll_pays in map(layout.pay_table[roll.index].__getitem__, self.boxes)]
            for roll in ALL_COMBINATIONS
        ]
        self.pays: NDArray[np.int64] = np.array(pays, dtype=np.int64)
        self.steps = [group.steps for group in self.groups]
        staked = sum(
            group.staked * group.count * max(step.factor for step in steps)
            for group, steps in zip(self.groups, self.steps, strict=True)
        )
        if staked * int(self.pays.max()) > np.iinfo(np.int64).max:
            raise InputFault("traffic", "stakes too large: what they win does not fit 64 bits")
        sizes = [len(steps) for steps in self.steps]
        if prod(sizes) > STATES_MOST:
            raise _too_many(f"{prod(sizes):,} states of the plans together")
        self.places = {state: place for place, state in enumerate(product(*map(range, sizes)))}
        # Without limits nobody's bets touch another's: flat players who come and go are added up roll by roll.
        self.added = [
            place
            for place, group in enumerate(self.groups)
            if rules.limits is None and group.plan is Plan.FLAT and group.attendance < 1
        ]
        self.crowd_total = prod(group.attendance.denominator**group.count for group in self.groups)
        counted = [
            group.count + 1
            for place, group in enumerate(self.groups)
            if group.attendance < 1 and place not in self.added
        ]
        if prod(counted) * len(self.places) > CROWDS_MOST:
            raise _too_many(f"{prod(counted):,} ways to be there or not")
        self.sums = self._sums()

    def _sums(self) -> list[dict[tuple[int, int], int]]:
        """For each combination: what the added players win together and have at risk, and in how many ways."""
        found = []
        for combination in range(len(ALL_COMBINATIONS)):
            sums = {(0, 0): 1}
            for place in self.added:
                group = self.groups[place]
                stakes = np.array([dict(group.bets).get(box, 0) for box in self.boxes], dtype=np.int64)
                net = int(self.pays[combination] @ stakes)
                then: dict[tuple[int, int], int] = {}
                for count, ways in _counts(group):
                    for (won, risk), before in sums.items():
                        key = won + count * net, risk + count * group.staked
                        then[key] = then.get(key, 0) + before * ways
                sums = then
                if len(sums) > RESULTS_MOST:
                    raise _too_many("results of one round")
            found.append(sums)
        return found

    def moves(self, state: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...], int, int]]:
        """The house's result, the state that follows, the ways, and what was at risk."""
        for crowd, ways in self._crowds():
            risked, owners = self.risked(state, crowd)
            nets = self.pays @ risked
            whole = nets.sum(axis=1).tolist()
            on_risk = int(risked.sum())
            for place, combination_ways in enumerate(_WAYS):
                then = self._then(state, owners, nets[place].tolist())
                for (won, risk), added in self.sums[place].items():
                    yield -(whole[place] + won), then, ways * added * combination_ways, on_risk + risk

    def risked(self, state: tuple[int, ...], crowd: tuple[int, ...]) -> tuple[NDArray[np.int64], list[int]]:
        """What is at risk, by box and player, and the group of each player."""
        owners = [place for place, count in enumerate(crowd) for _ in range(count)]
        bets = [
            Bet(PlayerId(str(player)), box, Chips(stake * self.steps[place][state[place]].factor))
            for player, place in enumerate(owners)
            for box, stake in self.groups[place].bets
        ]
        found = np.zeros((len(self.boxes), len(owners)), dtype=np.int64)
        rows = {box: row for row, box in enumerate(self.boxes)}
        for bet, risk in zip(bets, self.rules.at_risk(bets), strict=True):
            found[rows[bet.box], int(bet.player)] = risk
        return found, owners

    def _then(self, state: tuple[int, ...], owners: list[int], nets: list[int]) -> tuple[int, ...]:
        then = list(state)
        seen: dict[int, int] = {}
        for place, net in zip(owners, nets, strict=True):
            if len(self.steps[place]) == 1:
                continue
            sign = (net > 0) - (net < 0)
            if seen.setdefault(place, sign) != sign:
                raise _too_many("limits that divide players of one group")
            step = self.steps[place][state[place]]
            then[place] = step.on_win if sign > 0 else step.on_loss if sign < 0 else state[place]
        return tuple(then)

    def _crowds(self) -> Iterator[tuple[tuple[int, ...], int]]:
        choices = [[(0, 1)] if place in self.added else list(_counts(group)) for place, group in enumerate(self.groups)]
        for chosen in product(*choices):
            yield tuple(count for count, _ in chosen), prod(ways for _, ways in chosen)


def _alike(group: Group) -> Iterator[Group]:
    """Players who always stand at the same step of the plan: those who come and go each stand at their own."""
    if group.attendance < 1 and group.plan is not Plan.FLAT:
        for _ in range(group.count):
            yield replace(group, count=1)
    else:
        yield group


def _counts(group: Group) -> Iterator[tuple[int, int]]:
    """How many of a group are there, and in how many of `denominator ** count` ways."""
    there, of = group.attendance.numerator, group.attendance.denominator
    if there == of:
        yield group.count, 1
        return
    for count in range(group.count + 1):
        yield count, comb(group.count, count) * there**count * (of - there) ** (group.count - count)
