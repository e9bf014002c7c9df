"""When a round is stopped or disputed: interruptions, errors found later, claims of players.

Nothing is edited: each of these is a new event that names what it is about. Serves `rws-tai-sai-v6` §5.4, §5.8;
interpretations I5, I14.
"""

from __future__ import annotations

from taisai.bounds import DISPUTES_OF_PLAYER, DISPUTES_OF_ROUND, DISPUTES_OPEN
from taisai.core.rulebook import Fact, Rule
from taisai.core.settlement import is_established
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.handlers.facts import consequences
from taisai.table.handlers.shared import Decision
from taisai.table.people import Role
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import TableRules, listed
from taisai.table.state import Round, RoundPhase, TableState


def interrupt(rules: TableRules, state: TableState, _command: c.Command, do: c.Interrupt) -> Decision:
    """The round stops where it is; bets stay held and visible. Between rounds a spin that was made does not count."""
    if state.round.phase is RoundPhase.BETWEEN:
        return consequences(rules, state, Fact.INTERRUPTED, do.cause, announced=False)
    return [e.RoundInterrupted(state.round.number, do.cause or "not said", state.round.phase)]


def resolve_interruption(
    rules: TableRules, state: TableState, _command: c.Command, do: c.ResolveInterruption
) -> Decision:
    """With any die read the round is concluded from the dice as they lie; with none it is void."""
    current = state.round
    established = current.dice or current.fixed
    if established is not None:
        return _resolved_on_record(rules, current, established, do)
    layout, _ = rules.at(state)
    if do.readable and current.commitment:
        sentence = "readable: virtual dice that were not uncovered cannot be read by anybody."
        return rules.refuse(Code.BAD_VALUE, sentence, Rule.INTERRUPTION_VOID, allowed="readable = none")
    if do.readable and (do.dice is None or not _contains(do.dice, do.readable)):
        sentence = "dice: the three faces as they lie, the readable ones among them."
        return rules.refuse(Code.BAD_VALUE, sentence, Rule.INTERRUPTION_CONCLUDED)
    outcome = is_established(layout, do.readable) and current.tumbles >= rules.book.procedure.tumbles_min
    resolved = e.InterruptionResolved(current.number, do.readable, None)
    if outcome and current.phase is RoundPhase.BETTING:
        # Dice of this round that can be read while bets are open were exposed before the close.
        exposed = rules.book.procedure.facts.get(Fact.EXPOSED)
        if exposed is not None and exposed.voids:
            return [resolved, *consequences(rules, state, Fact.EXPOSED, current.interrupted)]
    if not outcome or current.phase is RoundPhase.BETTING:
        return [resolved, *consequences(rules, state, Fact.INTERRUPTED, current.interrupted)]
    return [e.InterruptionResolved(current.number, do.readable, do.dice)]


def _resolved_on_record(rules: TableRules, current: Round, dice: c.Dice, do: c.ResolveInterruption) -> Decision:
    """The result was on record before the interruption: the round goes on where it stood.

    That no die can be read contradicts it, but for virtual dice, which nobody reads.
    """
    agrees = (
        (do.readable or current.commitment)
        and _contains(dice, do.readable)
        and (do.dice is None or sorted(do.dice) == sorted(dice))
    )
    if not agrees:
        shown = ", ".join(map(str, dice))
        sentence = f"On record before the interruption: the dice show {shown}."
        return rules.refuse(Code.CONTRADICTED, sentence, Rule.INTERRUPTION_CONCLUDED, allowed=shown)
    return [e.InterruptionResolved(current.number, dice, None)]


def _contains(dice: c.Dice, readable: tuple[int, ...]) -> bool:
    return all(dice.count(face) >= readable.count(face) for face in readable)


def _unknown_round(state: TableState, number: int) -> Refusal | None:
    if number > state.round.number:
        return Refusal(Code.UNKNOWN, f"There has been no round {number}.", allowed=f"1 to {state.round.number}")
    return None


def note_error(_rules: TableRules, state: TableState, _command: c.Command, do: c.NoteError) -> Decision:
    """An error found later is recorded; the rounds since then stay as they are."""
    return _unknown_round(state, do.round) or [e.ErrorNoted(do.round, do.what)]


def open_dispute(_rules: TableRules, state: TableState, command: c.Command, do: c.OpenDispute) -> Decision:
    """A player's claim about a round; what is beyond the bounds of a player's own screen, the crew records."""
    refused = _unknown_round(state, do.round)
    if refused is not None:
        return refused
    if do.dispute in state.disputes:
        return Refusal(Code.BAD_VALUE, f"dispute: {do.dispute} is open or was.")
    refused = _too_many(state, do) if command.by.role is Role.PLAYER else None
    if refused is not None:
        return refused
    return [e.DisputeOpened(do.dispute or _next_number(state), do.player, do.round, do.claim)]


def _next_number(state: TableState) -> str:
    """The number of the record that a dispute stands in, which no other dispute of the table has."""
    number = state.seq + 1
    while str(number) in state.disputes:
        number += 1
    return str(number)


def _too_many(state: TableState, do: c.OpenDispute) -> Refusal | None:
    unresolved = [each.player for each in state.disputes.values() if not each.resolution]
    of_round = sum((each.player, each.round) == (do.player, do.round) for each in state.disputes.values())
    counts = (
        (unresolved.count(do.player), DISPUTES_OF_PLAYER, "open disputes of one player"),
        (of_round, DISPUTES_OF_ROUND, f"disputes of one player about round {do.round}"),
        (len(unresolved), DISPUTES_OPEN, "open disputes at this table"),
    )
    for count, most, what in counts:
        if count >= most:
            sentence = f"There are {count} {what}; more are recorded by the crew."
            return Refusal(Code.TOO_MUCH, sentence, allowed="ask the dealer or the supervisor")
    return None


def resolve_dispute(_rules: TableRules, state: TableState, _command: c.Command, do: c.ResolveDispute) -> Decision:
    """A supervisor ends a dispute."""
    dispute = state.disputes.get(do.dispute)
    if dispute is None or dispute.resolution:
        known = listed(sorted(name for name, each in state.disputes.items() if not each.resolution))
        return Refusal(Code.UNKNOWN, f"No dispute {do.dispute} is open.", allowed=known)
    return [e.DisputeResolved(do.dispute, do.resolution)]
