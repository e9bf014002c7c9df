"""What became of a player's bets, and why: the last rounds, and a sentence with its clauses for each bet.

Enters: a state, or a past round with its rule book. Leaves: lines and sentences; nothing is decided here. A past round
is explained by what ruled it (its layout, limits and the capacity of its boxes), not by what rules the table now.
Serves R6, R26.
"""

from __future__ import annotations

from typing import NamedTuple

from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import BoxName
from taisai.core.dice import roll_of
from taisai.core.explain import clauses_behind, clauses_behind_void, why, why_void
from taisai.core.money import Chips
from taisai.core.rulebook import RuleBook, VoidReason
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


class BetExplained(NamedTuple):
    """Why a bet came out as it did."""

    why: str
    clauses: tuple[str, ...]


def explain_line(book: RuleBook, past: PastRound, line: PaidLine) -> BetExplained:
    """The sentence and clauses of one settled bet, by the book under which its round was played."""
    if past.book != book.id:
        return BetExplained(f"The round was played under another rule book, {past.book}.", ())
    bet = Bet(PlayerId(line.player), BoxName(line.box), Chips(line.stake))
    ruling = Ruling(bet, Chips(line.at_risk), line.pays, Chips(line.winnings), Chips(line.returned))
    if past.dice is None:
        rule = book.procedure.voids[VoidReason(past.void)]
        return BetExplained(why_void(rule, ruling), clauses_behind_void(book, rule))
    layout, roll = book.layouts[past.layout], roll_of(past.dice)
    over = past.capacity.get(line.box)
    capacity = None if over is None else Chips(over)
    under_minimum = past.limits is not None and line.stake < limits_of(past.limits).of(bet.box).stake_min
    clauses = clauses_behind(book, layout, roll, ruling, capacity, under_minimum=under_minimum)
    sentence = why(layout, roll, ruling, capacity)
    if past.reversed:
        sentence += " The round was reversed afterwards."
    return BetExplained(sentence, clauses)
