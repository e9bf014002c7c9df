"""Bets on the felt: whose they are, how much of each is at risk, and how the chips go back.

Enters: the stacks of the round in play. Leaves: bets as the core settles them, and the parts in which chips are
handed back: newest first, in the chips that they are.
"""

from __future__ import annotations

from typing import NamedTuple

from taisai.core.bets import Bet, PlayerId, merge_bets
from taisai.core.boxes import BoxName
from taisai.core.explain import clauses_behind_void
from taisai.core.limits import Limits
from taisai.core.money import Chips
from taisai.core.prorata import fix_stakes
from taisai.core.rulebook import Rule, VoidReason
from taisai.table import events as e
from taisai.table.parts import FixedBet, FlagRaised, Handed
from taisai.table.rules import TableRules
from taisai.table.state import TableState

Parts = dict[tuple[str, str], tuple[int, str | None, bool]]
"""Of each player's bet in a box: how much is in colour, which colour, and whether any was called."""


def handed_newest_first(state: TableState, player: str, box: str, amount: int) -> Handed:
    """A player's chips out of a box, newest stacks first, in the kind of chips that was placed."""
    left, in_colour, colour = amount, 0, None
    for stack in reversed(state.round.stacks):
        if left and stack.player == player and stack.box == box:
            taken = min(left, stack.amount)
            left -= taken
            if stack.colour is not None:
                in_colour += taken
                colour = stack.colour
    return Handed(player, box, amount, in_colour, colour)


def merged(state: TableState) -> tuple[Bet, ...]:
    """The bets on the felt: one for each player and box, in order of first placing."""
    return merge_bets(
        Bet(PlayerId(stack.player), BoxName(stack.box), Chips(stack.amount)) for stack in state.round.stacks
    )


class FixedBets(NamedTuple):
    """Bets as they stand after the close: what of each is at risk, flags, and the capacity of boxes that were over."""

    bets: tuple[FixedBet, ...]
    flags: tuple[FlagRaised, ...]
    capacity: dict[str, int]


def fixed_bets(rules: TableRules, limits: Limits, bets: tuple[Bet, ...], parts: Parts) -> FixedBets:
    """Bets with what of each is at risk; `parts` says what of a bet is in colour, and whether it was called."""
    fixed = fix_stakes(rules.book, limits, bets)
    made = tuple(
        FixedBet(bet.player, bet.box, bet.stake, at_risk, *parts[bet.player, bet.box])
        for bet, at_risk in zip(bets, fixed.at_risk, strict=True)
    )
    flags = tuple(
        FlagRaised(flag.code, flag.box, flag.player, flag.amount, flag.clauses, flag.text) for flag in fixed.flags
    )
    return FixedBets(made, flags, {box: share.capacity for box, share in fixed.shared.items()})


def after_malfunction(rules: TableRules, state: TableState, why: VoidReason | None = None) -> list[e.EventBody]:
    """Once the round is over: the table is suspended when its equipment failed, where the book says so."""
    if not rules.book.has(Rule.SUSPENDED_AFTER_MALFUNCTION):
        return []
    faults = [f"lights: {state.round.lights_fault}"] if state.round.lights_fault else []
    if why is VoidReason.TUMBLER_FAULT:
        faults.append("the tumbler did not work correctly")
    if not faults:
        return []
    return [e.TableSuspended("; ".join([state.suspended, *faults] if state.suspended else faults))]


def voided(rules: TableRules, state: TableState, why: VoidReason, *, announced: bool) -> e.RoundVoided:
    """The event that hands every bet back, in the chips it was made of."""
    void = rules.book.procedure.voids.get(why)
    clauses = rules.clauses(Rule.VOID_RETURNS_BETS) if void is None else clauses_behind_void(rules.book, void)
    current = state.round
    if current.bets:
        handed = tuple(Handed(bet.player, bet.box, bet.stake, bet.in_colour, bet.colour) for bet in current.bets)
    else:
        handed = tuple(handed_newest_first(state, bet.player, bet.box, bet.stake) for bet in merged(state))
    call = rules.book.procedure.calls.void if announced else ""
    return e.RoundVoided(current.number, why, announced, call, handed, clauses)
