"""Bets on the felt: whose they are, how much of each is at risk, and how the chips go back.

Enters: the stacks of the round in play. Leaves: bets as the core settles them, and the parts in which chips are
handed back: newest first, in the chips that they are.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from taisai.core.bets import Bet, PlayerId, merge_bets
from taisai.core.boxes import BoxName
from taisai.core.limits import Limits
from taisai.core.money import Chips
from taisai.core.prorata import fix_stakes
from taisai.core.rulebook import Fact, Then
from taisai.table import events as e
from taisai.table.ledger import FLOAT, player_account
from taisai.table.parts import FixedBet, FlagRaised, Handed, ReversedLine
from taisai.table.rules import TableRules
from taisai.table.state import Round, RoundPhase, TableState

Parts = dict[tuple[str, str], tuple[int, str | None, bool]]
"""Of each player's bet in a box: how much is in colour, which colour, and whether any was called."""


def handed_newest_first(state: TableState, player: str, box: str, amount: int) -> Handed:
    """A player's chips out of a box, newest stacks first, in the kind of chips that was placed."""
    left, in_colour, colour = amount, 0, None
    for stack in reversed(state.round.stacks):
        if not left:
            break
        if stack.player == player and stack.box == box:
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


def suspended_by(state: TableState, causes: Iterable[str]) -> list[e.EventBody]:
    """The suspension for these causes, together with what suspends the table already."""
    known = state.suspended.split("; ") if state.suspended else []
    named = list(dict.fromkeys([*known, *causes]))
    return [e.TableSuspended("; ".join(named))] if named != known else []


def after_malfunction(rules: TableRules, state: TableState) -> list[e.EventBody]:
    """Once the round is over: the table is suspended for what failed in it, where the book says so."""
    facts = rules.book.procedure.facts
    ruled = [facts[Fact(fact)] for fact in state.round.facts if fact in facts]
    causes = [rule.summary for rule in ruled if Then.SUSPEND in rule.then]
    return suspended_by(state, causes) if causes else []


def undone_lines(
    balances: dict[str, int], players: Mapping[str, tuple[int, int]], seated: Container[str]
) -> tuple[ReversedLine, ...]:
    """What each player, by what they staked and got back, gives or gets so that it never was.

    `balances` follows, so that several rounds can be undone one after another. What a player no longer has is owed,
    and so is what the float cannot hand over, or cannot hand to a player who has left.
    """
    lines = []
    for player, (staked, returned) in sorted(players.items()):
        account = player_account(player)
        back, won = max(staked - returned, 0), max(returned - staked, 0)
        taken = min(won, balances.get(account, 0))
        given = min(back, max(balances.get(FLOAT, 0), 0)) if player in seated else 0
        balances[account] = balances.get(account, 0) + given - taken
        balances[FLOAT] = balances.get(FLOAT, 0) + taken - given
        lines.append(ReversedLine(player, staked, returned, given, taken, won - taken, back - given))
    return tuple(lines)


def voided(
    rules: TableRules, state: TableState, reason: str, clauses: tuple[str, ...], *, announced: bool
) -> list[e.EventBody]:
    """What makes the round in play void: every bet goes back, in the chips it was made of, and what was settled."""
    current = state.round
    call = rules.book.procedure.calls.void if announced else ""
    found: list[e.EventBody] = []
    if current.phase is RoundPhase.COLLECTED:
        on_felt, settled = _half_settled(current)
        if settled:
            found.append(e.SettlementUndone(current.number, undone_lines(dict(state.ledger), settled, state.players)))
        handed = tuple(on_felt)
    elif current.bets:
        handed = tuple(Handed(bet.player, bet.box, bet.stake, bet.in_colour, bet.colour) for bet in current.bets)
    else:
        handed = tuple(handed_newest_first(state, bet.player, bet.box, bet.stake) for bet in merged(state))
    void = e.RoundVoided(current.number, reason, announced, call, handed, clauses)
    return [*found, void, *after_malfunction(rules, state)]


def _half_settled(current: Round) -> tuple[list[Handed], dict[str, tuple[int, int]]]:
    """What still lies on the felt, and what each player staked and got back of what does not."""
    collected = {(loss.player, loss.box): loss.amount for loss in current.losses}
    lines = {(line.player, line.box): line for line in current.lines}
    on_felt: list[Handed] = []
    settled: dict[str, tuple[int, int]] = {}
    for bet in current.bets:
        line = lines.get((bet.player, bet.box))
        staked, returned = settled.get(bet.player, (0, 0))
        if line is not None:
            settled[bet.player] = (staked + line.stake, returned + line.returned)
        elif (bet.player, bet.box) in collected:
            # What was at risk has been collected; the rest lies there still.
            lost = collected[bet.player, bet.box]
            rest = bet.stake - lost
            settled[bet.player] = (staked + lost, returned)
            on_felt.append(Handed(bet.player, bet.box, rest, *_in_colour(bet, rest)))
        else:
            on_felt.append(Handed(bet.player, bet.box, bet.stake, bet.in_colour, bet.colour))
    return on_felt, settled


def _in_colour(bet: FixedBet, amount: int) -> tuple[int, str | None]:
    """How much of what is left of a bet goes back in its colour."""
    in_colour = min(bet.in_colour, amount)
    return (in_colour, bet.colour) if in_colour else (0, None)
