"""The limits advisor: the maximum of each kind of bet and the differential that hold a shift's loss.

Enters: a table's traffic, the most that a shift may lose, and with what chance. Leaves: the highest limits of a family
that keep to it, the figures of a shift under them, and the next higher ones, which do not.

The family has one number, the payout: what one box may cost the house on one roll. A kind's maximum is the payout by
its highest odds; the differential of a pair is the payout itself, for the two sides pay each other. A pair under a
differential needs no lower maximum than what its traffic stakes. Amounts are those of a sign: two digits and noughts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import reduce
from math import ceil, gcd, isqrt
from typing import Final, NamedTuple

from taisai.analysis.risk.chain import Chain, chain_of
from taisai.analysis.risk.shift import coarsened, rounds_of, value_at_risk
from taisai.analysis.risk.traffic import Excess, Traffic, rules_of
from taisai.analysis.risk.walk import results_after, worst_until
from taisai.analysis.session.free import CELLS_MOST
from taisai.core.boxes import BoxName
from taisai.core.faults import InputFault
from taisai.core.limits import OPPOSITE_BOXES, Limits, make_limits
from taisai.core.money import chips_of
from taisai.core.odds import box_odds
from taisai.core.rulebook import Layout, Rule, RuleBook

CHANCE: Final = Fraction(999, 1000)
"""The chance with which the loss stays under the amount when none is given."""
_CELLS_AIMS: Final = (CELLS_MOST // 8, CELLS_MOST)
"""Results that are told apart while limits are tried. Where there are more they are rounded, once for and once against
the house; the second number is tried where the first leaves open whether the loss is held."""


class Advised(NamedTuple):
    """Limits and what a shift under them comes to."""

    payout: int
    limits: Limits
    loss: int
    """The loss that is not exceeded with the chance asked for; where results were rounded, at most this."""
    loss_least: int
    """The same, at least."""
    mean: float
    """What the house is expected to win on a round, plans at their first step."""
    turnover: float
    """What is expected to be at risk on a round, plans at their first step."""
    kept: float
    """Part of the turnover without limits that is left."""


class Advice(NamedTuple):
    """What the advisor found."""

    risk: int
    chance: Fraction
    anytime: bool
    rounds: int
    excess: Excess
    """What becomes of stakes over the limits."""
    unlimited: Advised
    """The same traffic without maximum and differential."""
    best: Advised | None
    """The highest limits that hold the loss; None when none are needed, or not even the minimums hold it."""
    next_higher: Advised | None
    """The next higher ones, which do not hold it."""
    rounded: int
    """Results of a round were rounded, once down and once up, to multiples of at most this; 1 when none was."""

    @property
    def is_needed(self) -> bool:
        """Whether the loss needs any limit to be held."""
        return self.unlimited.loss > self.risk


def advise(
    book: RuleBook,
    layout: Layout,
    traffic: Traffic,
    hours: Fraction,
    *,
    risk: int,
    chance: Fraction = CHANCE,
    anytime: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> Advice:
    """The highest limits that keep the loss of a shift at or under `risk` with at least this chance.

    The loss is that of the whole shift, or with `anytime` the largest on the way. `progress` hears each payout tried.
    """
    chips_of(risk, "risk", at_least=1)
    if not 0 < chance < 1:
        raise InputFault("chance", f"between 0 and 1, got {chance}")
    judge = _Judge(book, layout, traffic, rounds_of(traffic, hours), chance=chance, risk=risk, anytime=anytime)
    unlimited = judge.without()
    payouts = list(judge.payouts())
    tried: dict[int, Advised] = {}
    low, high = -1, len(payouts)
    # Halving: the place `low` holds the loss and `high` does not, and both have been tried or lie outside.
    while unlimited.loss > risk and high - low > 1:
        middle = (low + high) // 2
        progress(payouts[middle])
        tried[middle] = judge.under(payouts[middle])
        if tried[middle].loss <= risk:
            low = middle
        else:
            high = middle
    return Advice(
        risk=risk,
        chance=chance,
        anytime=anytime,
        rounds=judge.rounds,
        excess=judge.excess,
        unlimited=unlimited,
        best=tried.get(low),
        next_higher=tried.get(high),
        rounded=judge.rounded,
    )


class _Judge:
    """Judges limits: what a shift loses under them."""

    def __init__(
        self,
        book: RuleBook,
        layout: Layout,
        traffic: Traffic,
        rounds: int,
        *,
        chance: Fraction,
        risk: int,
        anytime: bool,
    ) -> None:
        self.book, self.layout, self.traffic, self.risk = book, layout, traffic, risk
        self.rounds, self.chance, self.anytime = rounds, chance, anytime
        self.excess = rules_of(book, None, traffic.excess).excess
        self.unit = 1 if traffic.limits is None else int(traffic.limits.unit)
        self.minimums = {kind: self._minimum(kind) for kind in layout.kinds}
        self.demand = self._demand()
        self.odds: dict[str, int] = {}
        for name, box in layout.boxes.items():
            best = max(ceil(each.pays) for each in box_odds(layout, name).pay_ways)
            self.odds[box.kind] = max(self.odds.get(box.kind, 0), best)
        self.staked: float | None = None
        self.rounded = 1

    def _minimum(self, kind: str) -> int:
        limits = self.traffic.limits
        if limits is None:
            return 0
        box = next(box for box in self.layout.boxes.values() if box.kind == kind)
        return int(limits.of(box.name).stake_min)

    def _demand(self) -> dict[BoxName, int]:
        """What players would stake on each box of a round, at the most."""
        found: dict[BoxName, int] = {}
        for group in self.traffic.groups:
            factor = max(step.factor for step in group.steps)
            for box, stake in group.bets:
                found[box] = found.get(box, 0) + stake * factor * group.count
        return found

    def payouts(self) -> Iterator[int]:
        """Payouts to be tried, ascending: from every box at its minimum to the first that limits nothing."""
        kinds = {box: self.layout.boxes[box].kind for box in self.demand}
        floor = min(self.odds[kind] * max(self.minimums[kind], self.unit) for kind in kinds.values())
        top = max(stake * self.odds[kinds[box]] for box, stake in self.demand.items())
        scale = 1
        while True:
            for digits in range(10, 100):
                amount = digits * scale
                if amount >= floor:
                    yield amount
                if amount > top:
                    return
            scale *= 10

    def limits_of(self, payout: int) -> Limits:
        """The limits of the family with this payout."""
        pairs = {box: pair for pair, boxes in OPPOSITE_BOXES.items() for box in boxes}
        kinds: dict[str, dict[str, object]] = {}
        differential: dict[str, object] = {}
        for kind in self.layout.kinds:
            most = self._on_sign(payout // self.odds[kind])
            pair = pairs.get(BoxName(str(kind)))
            if pair is not None and self.book.has(Rule.DIFFERENTIAL):
                most = max(most, self._on_sign(max(self.demand.get(box, 0) for box in OPPOSITE_BOXES[pair]), up=True))
                differential[pair] = max(self._on_sign(payout), self.unit)
            least = self.minimums[kind]
            kinds[kind] = {"min": least, "max": max(most, least, self.unit)}
        return make_limits(unit=self.unit, kinds=kinds, differential=differential)

    def _on_sign(self, amount: int, *, up: bool = False) -> int:
        """The amount as a sign has it: two digits and noughts, and a multiple of the unit."""
        for step in (10 ** max(len(str(amount)) - 2, 0), self.unit):
            amount = -(-amount // step) * step if up else amount // step * step
        return amount

    def without(self) -> Advised:
        """The shift without maximum and differential; minimums stay."""
        minimums: dict[str, dict[str, object]] = {kind: {"min": least} for kind, least in self.minimums.items()}
        found = self._judged(0, make_limits(unit=self.unit, kinds=minimums))
        self.staked = found.turnover
        return found

    def under(self, payout: int) -> Advised:
        """The shift under the limits of this payout."""
        return self._judged(payout, self.limits_of(payout))

    def _judged(self, payout: int, limits: Limits) -> Advised:
        whole = chain_of(self.layout, rules_of(self.book, limits, self.excess), self.traffic)
        most, least, step = 0, 0, 1
        for aim in _CELLS_AIMS:
            step = self._step(whole, aim)
            most = self._loss(whole if step == 1 else coarsened(whole, step))
            least = most if step == 1 else self._loss(coarsened(whole, step, up=True))
            if not least <= self.risk < most:
                break
        self.rounded = max(self.rounded, step)
        # Of the first round: what plans do later depends on luck, not on the limits alone.
        turnover, mean = float(whole.turnover[0]), float(whole.mean())
        return Advised(payout, limits, most, least, mean, turnover, turnover / self.staked if self.staked else 1.0)

    def _loss(self, chain: Chain) -> int:
        """The loss that is not exceeded with the chance asked for."""
        if self.anytime:
            return worst_until(chain, self.rounds).quantiles((self.chance,))[0]
        return value_at_risk(results_after(chain, (self.rounds,))[self.rounds], self.chance)

    def _step(self, chain: Chain, aim: int) -> int:
        """To which multiples results are rounded so that they are not too many: shares lie on every unit."""
        fine = reduce(gcd, (move.net for moves in chain.states for move in moves)) or 1
        most = max(int(chain.variance(state)) for state in range(len(chain.states))) + 1
        step = -(-16 * isqrt(most * self.rounds) // aim)
        return 1 if step <= fine else step
