"""What became of a player's bets, and why: the last rounds, and a sentence with its clauses for each bet.

Enters: a state, or a past round with its rule book. Leaves: lines and sentences; nothing is decided here. A past round
is explained by what ruled it (its layout, its limits, which of them a box was over), not by what rules the table now.
Serves R6, R26.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import BoxName
from taisai.core.dice import roll_of
from taisai.core.explain import Money, Over, clauses_behind, clauses_behind_void, over_limit, why, why_void
from taisai.core.money import NO_CURRENCY, Chips, written
from taisai.core.rulebook import RuleBook
from taisai.core.settlement import Ruling
from taisai.table.rules import limits_of
from taisai.table.state import PaidLine, PastRound, TableState


class RecalledRound(NamedTuple):
    """A player's part in a past round: a replay, not a live table."""

    past: PastRound
    lines: tuple[PaidLine, ...]
    funds_before: int | None
    funds_after: int | None


def recall(state: TableState, player: str, count: int = 10) -> tuple[RecalledRound, ...]:
    """A player's last rounds, newest first, with their funds before and after."""
    mine = []
    for past in reversed(state.history):
        lines = tuple(line for line in past.lines if line.player == player)
        if lines:
            mine.append(RecalledRound(past, lines, past.funds_before.get(player), past.funds_after.get(player)))
        if len(mine) == count:
            break
    return tuple(mine)


def currency_of(state: TableState) -> str:
    """The currency in which a table's amounts are written."""
    return NO_CURRENCY if state.set_up is None else state.set_up.currency


class BetExplained(NamedTuple):
    """Why a bet came out as it did."""

    why: str
    clauses: tuple[str, ...]
    over: Over | None = None
    """The limit by which less than the whole stake was at risk."""


def explain_line(book: RuleBook, past: PastRound, line: PaidLine, currency: str = NO_CURRENCY) -> BetExplained:
    """The sentence and clauses of one settled bet, by the book under which its round was played."""
    if past.book != book.id:
        return BetExplained(f"The round was played under another rule book, {past.book}.", ())
    money = partial(written, currency=currency)
    bet = Bet(PlayerId(line.player), BoxName(line.box), Chips(line.stake))
    ruling = Ruling(bet, Chips(line.at_risk), line.pays, Chips(line.winnings), Chips(line.returned))
    if past.dice is None:
        rule = book.procedure.voids.get(past.void)
        if rule is None:
            sentence = "The round is void by a ruling of the shift manager. The whole stake goes back to the player."
            return BetExplained(sentence, past.clauses)
        return BetExplained(why_void(rule, ruling, money), clauses_behind_void(book, rule))
    printed, roll = book.layouts[past.layout], roll_of(past.dice)
    layout = printed.drawn.get(past.draw, printed)
    limits = None if past.limits is None else limits_of(past.limits)
    most = past.capacity.get(line.box)
    over = None if limits is None or most is None else over_limit(limits, bet.box, Chips(most))
    under_minimum = limits is not None and line.stake < limits.of(bet.box).stake_min
    clauses = clauses_behind(book, layout, roll, ruling, over, under_minimum=under_minimum)
    sentence = why(layout, roll, ruling, over, money)
    if past.reversed:
        sentence += f" {_void_after_all(book, past, line.player, money)}"
        clauses = tuple(dict.fromkeys((*clauses, *past.clauses)))
    return BetExplained(sentence, clauses, over if line.at_risk < line.stake else None)


def _void_after_all(book: RuleBook, past: PastRound, player: str, money: Money) -> str:
    """What became of a settled bet when its round was void afterwards."""
    rule = book.procedure.voids.get(past.void)
    why_so = f": {rule.summary}" if rule is not None else ""
    parts = [
        f"{words} {money(amount)}"
        for line in past.undone
        if line.player == player
        for words, amount in (
            ("the player got back", line.given_back),
            ("the player gave back", line.taken),
            ("the player owes", line.owed),
            ("the house owes the player", line.owing),
        )
        if amount
    ]
    return f"The round was void afterwards{why_so}; over all bets of the round {', '.join(parts) or 'nothing moved'}."
