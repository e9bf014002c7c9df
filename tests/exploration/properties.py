"""What must hold of every step of every path, each with the clauses that say so.

Enters: a step: the state before, the command, its events, the state after. Leaves: whether it breaks the property. They
are written from the clauses, and look at what is on record, not at what `decide` thought.
"""

from __future__ import annotations

from typing import Final

from taisai.table import events as e
from taisai.table.people import Role
from taisai.table.rules import TableRules
from taisai.table.state import RoundPhase
from tests.exploration.explorer import MONEY, Property, Step

SETTLING: Final = (e.LosersCollected, e.BetPaid, e.RoundConcluded)
CHIPS: Final = (e.BetPlaced, e.BetWithdrawn)


def money_is_not_conserved(_rules: TableRules, step: Step) -> bool:
    """What is in all accounts together is the same before and after, and no box or hand holds less than nothing."""
    before, after = sum(step.before.ledger.values()), sum(step.after.ledger.values())
    negative = any(
        amount < 0 for account, amount in step.after.ledger.items() if account.startswith(("box:", "player:"))
    )
    return before != after or negative


def pays_what_was_not_tumbled(rules: TableRules, step: Step) -> bool:
    """No round is settled whose record shows fewer tumbles than the book asks for, unless people read the dice."""
    least = rules.book.procedure.tumbles_min
    settles = any(isinstance(event.what, SETTLING) for event in step.events)
    return settles and step.before.round.tumbles < least


def settles_without_dice(_rules: TableRules, step: Step) -> bool:
    """No round is settled on dice that are not on record."""
    return step.before.round.dice is None and any(isinstance(event.what, SETTLING) for event in step.events)


def moves_chips_after_the_close(_rules: TableRules, step: Step) -> bool:
    """Nothing is placed, raised or withdrawn but while bets are open."""
    moved = any(isinstance(event.what, CHIPS) for event in step.events)
    return moved and step.before.round.phase is not RoundPhase.BETTING


def acts_for_another(_rules: TableRules, step: Step) -> bool:
    """A player moves their own chips and nobody else's."""
    by = step.command.by
    moved = [event.what for event in step.events if isinstance(event.what, CHIPS)]
    names = {what.player if isinstance(what, e.BetPlaced) else what.handed.player for what in moved}
    return by.role is Role.PLAYER and bool(names - {by.id})


def settles_a_bet_twice(_rules: TableRules, step: Step) -> bool:
    """When a round is over, each bet of the close has been settled exactly once."""
    if not any(isinstance(event.what, e.RoundConcluded) for event in step.events):
        return False
    lines = [(line.player, line.box) for line in step.after.history[-1].lines]
    bets = [(bet.player, bet.box) for bet in step.before.round.bets]
    return sorted(lines) != sorted(bets)


def void_keeps_a_chip(_rules: TableRules, step: Step) -> bool:
    """After a void no chip of the round is left on the felt, and nobody has won or lost by it."""
    if not any(isinstance(event.what, e.RoundVoided) for event in step.events):
        return False
    return any(account.startswith("box:") and amount for account, amount in step.after.ledger.items())


def collects_late(_rules: TableRules, step: Step) -> bool:
    """Losers are collected before any winner is paid."""
    kinds = [type(event.what) for event in step.events]
    paid = e.BetPaid in kinds
    return paid and step.before.round.phase is not RoundPhase.COLLECTED and e.LosersCollected not in kinds


def begins_while_suspended(_rules: TableRules, step: Step) -> bool:
    """A suspended table begins no round."""
    return bool(step.before.suspended) and any(isinstance(event.what, e.BetsOpened) for event in step.events)


def decides_by_other_dice(_rules: TableRules, step: Step) -> bool:
    """A round is concluded on the dice that are on record, whatever the lights or the entry show."""
    return any(isinstance(event.what, e.RoundConcluded) and event.what.dice != step.before.round.dice
               for event in step.events)  # fmt: skip


PROPERTIES: Final = (
    Property(MONEY, ("rws-tai-sai-v6 §3.9", "nz-division-9 §6.5"), money_is_not_conserved),
    Property(
        "no path pays a round whose record shows too few tumbles",
        ("rws-tai-sai-v6 §5.5.1", "rws-open-cover-v3 §5.1.2", "rws-mini-dice-v3 §5.1.1", "nz-division-9 §6.1"),
        pays_what_was_not_tumbled,
    ),
    Property("no path pays without dice", ("rws-tai-sai-v6 §3.8", "nz-division-9 §4.2"), settles_without_dice),
    Property(
        "nothing moves after the close",
        ("rws-tai-sai-v6 §5.7", "rws-open-cover-v3 §5.2", "rws-mini-dice-v3 §5.2", "nz-division-9 §4.7"),
        moves_chips_after_the_close,
    ),
    Property("players move their own chips", ("rws-tai-sai-v6 §5.13", "nz-division-9 §4.6"), acts_for_another),
    Property("each bet is settled once", ("rws-tai-sai-v6 §3.9", "nz-division-9 §6.5"), settles_a_bet_twice),
    Property("a void returns everything", ("rws-tai-sai-v6 §5.12", "nz-division-9 §7.1"), void_keeps_a_chip),
    Property("collected, then paid", ("rws-tai-sai-v6 §3.9", "nz-division-9 §6.5"), collects_late),
    Property("a suspended table begins nothing", ("nz-division-9 §7.4",), begins_while_suspended),
    Property("the dice decide", ("rws-tai-sai-v6 §5.10", "nz-division-9 §7.3"), decides_by_other_dice),
)
