"""What people ask of a table: the result of the shift, exposure, meters, a player's last rounds, why a bet came out so.

Enters: a state. Leaves: figures and sentences; nothing is decided here. Serves R6, R26, R28, R29;
`rws-tai-sai-v6` §3.3, §3.5.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_COMBINATIONS, roll_of
from taisai.core.explain import clauses_behind, clauses_behind_void, why, why_void
from taisai.core.limits import Headroom, headroom_of
from taisai.core.money import Chips
from taisai.core.odds import RollResult
from taisai.core.prorata import Apportionment
from taisai.core.rulebook import VoidReason
from taisai.core.settlement import Ruling
from taisai.table.ledger import FLOAT
from taisai.table.rules import TableRules
from taisai.table.state import PaidLine, PastRound, TableState


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


class LayoutMeters(NamedTuple):
    """Meters of a layout over the table's life."""

    rounds: int
    voided: int
    reversed: int
    staked: int
    at_risk: int
    paid: int
    """All that went back to players."""
    theoretical_return: Fraction | None
    actual_return: Fraction | None


def meters(state: TableState) -> LayoutMeters:
    """Turnover, and what came back against what should have on average."""
    counted = state.meters
    theoretical = Fraction(counted.expected_216, 216 * counted.staked) if counted.staked else None
    actual = Fraction(counted.returned, counted.staked) if counted.staked else None
    return LayoutMeters(
        counted.rounds,
        counted.voided,
        counted.reversed,
        counted.staked,
        counted.at_risk,
        counted.returned,
        theoretical,
        actual,
    )


class Exposure(NamedTuple):
    """The worst that the bets now on the felt can do to the house."""

    staked: Chips
    loss: Chips
    """What the house loses on its worst roll; 0 when it cannot lose."""
    worst: RollResult


def exposure(rules: TableRules, state: TableState) -> Exposure:
    """Live exposure: over all rolls, of the bets as they lie; after the close, of what is at risk.

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
    results = []
    for roll in ALL_COMBINATIONS:
        table = layout.pay_table[roll.index]
        won = sum(amount * (pays + 1) for box, amount in at_risk.items() if (pays := table[BoxName(box)]))
        results.append(RollResult(roll, Chips(all_lost + won)))
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


class RecalledRound(NamedTuple):
    """A player's part in a past round: a replay, not a live table."""

    past: PastRound
    lines: tuple[PaidLine, ...]
    funds_before: int | None
    funds_after: int | None


def recall(state: TableState, player: str, count: int = 10) -> tuple[RecalledRound, ...]:
    """A player's last rounds, newest first, with his funds before and after."""
    mine = []
    for past in reversed(state.history):
        lines = tuple(line for line in past.lines if line.player == player)
        if lines:
            mine.append(RecalledRound(past, lines, past.funds_before.get(player), past.funds_after.get(player)))
        if len(mine) == count:
            break
    return tuple(mine)


class BetExplained(NamedTuple):
    """Why a bet came out as it did."""

    why: str
    clauses: tuple[str, ...]


def explain_line(rules: TableRules, state: TableState, past: PastRound, line: PaidLine) -> BetExplained:
    """The sentence and clauses of one settled bet."""
    bet = Bet(PlayerId(line.player), BoxName(line.box), Chips(line.stake))
    ruling = Ruling(bet, Chips(line.at_risk), line.pays, Chips(line.winnings), Chips(line.returned))
    if past.dice is None:
        rule = rules.book.procedure.voids[VoidReason(past.void)]
        return BetExplained(why_void(rule, ruling), clauses_behind_void(rules.book, rule))
    layout, limits = rules.at(state)
    roll = roll_of(past.dice)
    shared = sum(each.at_risk for each in past.lines if each.box == line.box)
    over = any(each.at_risk < each.stake for each in past.lines if each.box == line.box)
    share = Apportionment(Chips(shared), (), Chips(0), ()) if over else None
    under_minimum = line.stake < limits.of(bet.box).stake_min
    clauses = clauses_behind(rules.book, layout, roll, ruling, share, under_minimum=under_minimum)
    told = why(layout, roll, ruling, share)
    if past.reversed:
        told += " The round was reversed afterwards."
    return BetExplained(told, clauses)
