"""The figures of a table: the result of the shift, exposure, the headroom of a box, chips to hand over.

Enters: a state. Leaves: amounts; nothing is decided here. Serves R28, R29; `rws-tai-sai-v6` §3.3, §3.5.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import NamedTuple

from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_COMBINATIONS
from taisai.core.limits import Headroom, headroom_of
from taisai.core.money import Chips
from taisai.core.odds import RollResult
from taisai.table.ledger import FLOAT
from taisai.table.rules import TableRules
from taisai.table.state import TableState


class TableResult(NamedTuple):
    """The shift in the figures of a casino: win = drop + closer + credits - opener - fills."""

    opener: int
    fills: int
    credits: int
    drop: int
    closer: int
    """Counted at the close; while the table is open, what the float holds by the books."""
    win: int
    hold: Fraction | None
    """Win for each unit of drop; None while nothing has been dropped."""


def table_result(state: TableState) -> TableResult:
    """The result of the current or last shift."""
    shift = state.shift
    closer = state.balance(FLOAT) if shift.closer is None else shift.closer
    win = shift.drop + closer + shift.credits - shift.opener - shift.fills
    hold = Fraction(win, shift.drop) if shift.drop else None
    return TableResult(shift.opener, shift.fills, shift.credits, shift.drop, closer, win, hold)


class Exposure(NamedTuple):
    """The worst that the bets now on the felt can do to the house."""

    staked: Chips
    loss: Chips
    """What the house loses on its worst roll; 0 when it cannot lose."""
    worst: RollResult


def exposure(rules: TableRules, state: TableState) -> Exposure:
    """Live exposure: over all rolls and draws, of the bets as they lie; after the close, of what is at risk.

    Summed by box over the 56 combinations, since no order of the dice changes a payment: screens ask for it often.
    """
    layout, _ = rules.at(state)
    at_risk = state.round.totals
    staked = sum(at_risk.values())
    if state.round.bets:
        at_risk = {}
        for bet in state.round.bets:
            at_risk[bet.box] = at_risk.get(bet.box, 0) + bet.at_risk
        staked = sum(bet.stake for bet in state.round.bets)
    all_lost = -sum(at_risk.values())
    by_box = [(BoxName(box), amount) for box, amount in at_risk.items()]
    results = []
    for _, drawn in layout.outcomes:
        for roll in ALL_COMBINATIONS:
            if drawn.whole_pays is not None:
                table = drawn.whole_pays[roll.index]
                won = sum([amount * (pays + 1) for box, amount in by_box if (pays := table[box])])
            else:
                won = ceil(sum(amount * drawn.back(box, roll) for box, amount in by_box))
            results.append(RollResult(roll, Chips(all_lost + won), drawn.draw))
    worst = max(results, key=lambda result: result.net)
    return Exposure(Chips(staked), Chips(max(worst.net, 0)), worst)


def headroom_in(rules: TableRules, state: TableState, box: str) -> Headroom:
    """How much more a box takes now."""
    _, limits = rules.at(state)
    return headroom_of(rules.book, limits, state.round.totals, BoxName(box))  # type: ignore[arg-type] # names are text in the journal


def chips_for(amount: int, denominations: tuple[int, ...]) -> dict[int, int]:
    """Fewest chips for an amount, largest first, as a dealer cuts them out; what no chip makes is left over under 0."""
    handed = {}
    left = amount
    for chip in sorted(denominations, reverse=True):
        count, left = divmod(left, chip)
        if count:
            handed[chip] = count
    if left:
        handed[0] = left
    return handed
