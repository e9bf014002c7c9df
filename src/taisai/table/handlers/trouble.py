"""When something is wrong: voids, interruptions, corrections, reversals, rulings, disputes.

Nothing is edited: each of these is a new event that names what it corrects. Serves `nz-division-9` §4.3, §4.9, §7.1;
`rws-open-cover-v3` §5.1; `rws-tai-sai-v6` §5.4-5.6, §5.8, §5.12, §5.14; `rws-mini-dice-v3` §5.1; interpretations I5,
I11, I12, I14.
"""

from __future__ import annotations

from taisai.core.bets import Bet, PlayerId, merge_bets
from taisai.core.boxes import BoxName
from taisai.core.explain import clauses_behind_void
from taisai.core.money import Chips
from taisai.core.rulebook import Rule, VoidReason, VoidScope
from taisai.core.settlement import is_established
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.handlers.bets_on_felt import Parts, after_malfunction, fixed_bets, handed_newest_first, voided
from taisai.table.handlers.shared import Decision
from taisai.table.ledger import FLOAT, player_account
from taisai.table.parts import FixedBet, ReversedLine
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import TableRules, listed, unknown_box
from taisai.table.state import PastRound, RoundPhase, Stack, TableState


def void_round(rules: TableRules, state: TableState, _command: c.Command, do: c.VoidRound) -> Decision:
    """The round is void for a reason of the book; after the reveal that takes a second person and a reason."""
    voids = rules.book.procedure.voids
    if do.why is VoidReason.INTERRUPTED:
        sentence = "An interruption is recorded first; which dice can be read then decides."
        return rules.refuse(Code.NOT_INTERRUPTED, sentence, Rule.INTERRUPTION_VOID, allowed="interrupt")
    if do.why not in voids:
        sentence = f"This book has no void reason {do.why}."
        return rules.refuse(Code.UNKNOWN, sentence, Rule.VOID_RETURNS_BETS, allowed=listed(voids))
    return [voided(rules, state, do.why, announced=do.announced), *after_malfunction(rules, state, do.why)]


def interrupt(_rules: TableRules, state: TableState, _command: c.Command, do: c.Interrupt) -> Decision:
    """The round stops where it is; bets stay held and visible."""
    return [e.RoundInterrupted(state.round.number, do.cause or "not said", state.round.phase)]


def resolve_interruption(
    rules: TableRules, state: TableState, _command: c.Command, do: c.ResolveInterruption
) -> Decision:
    """With any die read the round is concluded from the dice as they lie; with none it is void."""
    current = state.round
    if current.dice is not None:
        return _resolved_on_record(rules, current.number, current.dice, do)
    layout, _ = rules.at(state)
    resolved = e.InterruptionResolved(current.number, do.readable, None)
    if not is_established(layout, do.readable):
        return [resolved, voided(rules, state, VoidReason.INTERRUPTED, announced=True)]
    if current.phase is RoundPhase.BETTING:
        sentence = "Betting was open: dice that can be read now were exposed before the close."
        return rules.refuse(Code.WRONG_STEP, sentence, Rule.INTERRUPTION_VOID, allowed="readable = none")
    if current.tumbles < rules.book.procedure.tumbles_min:
        sentence = "The dice were not tumbled for this round: what they show is no outcome of it."
        return rules.refuse(Code.WRONG_STEP, sentence, Rule.INTERRUPTION_VOID, allowed="readable = none")
    if current.commitment:
        sentence = "readable: virtual dice that were not uncovered cannot be read by anybody."
        return rules.refuse(Code.BAD_VALUE, sentence, Rule.INTERRUPTION_VOID, allowed="readable = none")
    if do.dice is None or not _contains(do.dice, do.readable):
        sentence = "dice: the three faces as they lie, the readable ones among them."
        return rules.refuse(Code.BAD_VALUE, sentence, Rule.INTERRUPTION_CONCLUDED)
    return [e.InterruptionResolved(current.number, do.readable, do.dice)]


def _resolved_on_record(rules: TableRules, number: int, dice: c.Dice, do: c.ResolveInterruption) -> Decision:
    """The result was on record before the interruption: the round goes on where it stood."""
    if not _contains(dice, do.readable) or (do.dice is not None and sorted(do.dice) != sorted(dice)):
        shown = ", ".join(map(str, dice))
        sentence = f"dice: {shown} was on record before the interruption."
        return rules.refuse(Code.BAD_VALUE, sentence, Rule.INTERRUPTION_CONCLUDED, allowed=shown)
    return [e.InterruptionResolved(number, dice, None)]


def _contains(dice: c.Dice, readable: tuple[int, ...]) -> bool:
    return all(dice.count(face) >= readable.count(face) for face in readable)


def correct_bet(rules: TableRules, state: TableState, _command: c.Command, do: c.CorrectBet) -> Decision:
    """A bet that dealer or another patron moved goes back where it belongs; never a call bet."""
    if not rules.book.has(Rule.MOVED_WAGER_CORRECTED):
        sentence = "Under this book a bet is settled by where it lay at the close."
        return rules.refuse(Code.WRONG_STEP, sentence, Rule.SETTLED_BY_POSITION)
    layout, limits = rules.at(state)
    strange = next((box for box in (do.lies_on, do.belongs_on) if BoxName(box) not in layout.boxes), None)
    if strange is not None:
        return unknown_box(rules, layout, strange)
    if do.belongs_on == do.lies_on:
        return rules.refuse(Code.BAD_VALUE, "belongs_on: the box where it lies.", Rule.MOVED_WAGER_CORRECTED)
    bet = next((each for each in state.round.bets if (each.player, each.box) == (do.player, do.lies_on)), None)
    if bet is not None and bet.called:
        sentence = "A call bet is not corrected: players answer for their instructions."
        return rules.refuse(Code.CALL_BET, sentence, Rule.MOVED_WAGER_CORRECTED, Rule.PLAYER_ANSWERS)
    if bet is None or do.amount > bet.stake:
        lies = bet.stake if bet is not None else 0
        sentence = f"{do.player} has {lies} in {do.lies_on}."
        return rules.refuse(Code.NOT_ENOUGH_CHIPS, sentence, Rule.SETTLED_BY_POSITION, allowed=f"at most {lies}")
    moved_colour = max(0, do.amount - (bet.stake - bet.in_colour))
    amounts: list[Bet] = []
    parts: Parts = {}
    for each in state.round.bets:
        stays = each.stake - (do.amount if each is bet else 0)
        if stays:
            amounts.append(Bet(PlayerId(each.player), BoxName(each.box), Chips(stays)))
        parts[each.player, each.box] = (each.in_colour - (moved_colour if each is bet else 0), each.colour, each.called)
    amounts.append(Bet(PlayerId(do.player), BoxName(do.belongs_on), Chips(do.amount)))
    in_colour, colour, called = parts.get((do.player, do.belongs_on), (0, None, False))
    parts[do.player, do.belongs_on] = (in_colour + moved_colour, colour or bet.colour, called)
    fixed = fixed_bets(rules, limits, merge_bets(amounts), parts)
    return [e.BetCorrected(do.player, do.lies_on, do.belongs_on, do.amount, fixed.bets, fixed.capacity)]


def rule_on_line(rules: TableRules, state: TableState, _command: c.Command, do: c.RuleOnLine) -> Decision:
    """A bet on the line is honoured where it lies; while betting is open it may go back instead."""
    layout, _ = rules.at(state)
    if state.round.phase is not RoundPhase.BETTING and not do.honoured:
        sentence = "After the close a bet stays where it lies."
        return rules.refuse(
            Code.BETS_CLOSED, sentence, Rule.NO_CHANGE_AFTER_CLOSE, allowed="honoured, or a ruling of the shift manager"
        )
    if BoxName(do.box) not in layout.boxes:
        return unknown_box(rules, layout, do.box)
    on_felt: tuple[Stack | FixedBet, ...] = state.round.bets or state.round.stacks
    if not any((each.player, each.box) == (do.player, do.box) for each in on_felt):
        return rules.refuse(Code.NOTHING_TO_DO, f"{do.player} has nothing in {do.box}.", Rule.LINE_TOUCHING_BETS)
    if do.honoured:
        return [e.LineRuled(do.player, do.box, honoured=True, handed=None)]
    stake = state.round.stakes[do.player][do.box]
    handed = handed_newest_first(state, do.player, do.box, stake)
    return [e.LineRuled(do.player, do.box, honoured=False, handed=handed)]


def reverse_rounds(rules: TableRules, state: TableState, _command: c.Command, do: c.ReverseRounds) -> Decision:
    """Rounds played with damaged dice are void after all: stakes back, winnings recovered, the rest a debt."""
    void = rules.book.procedure.voids.get(VoidReason.DAMAGED_DICE)
    if void is None or void.scope is not VoidScope.AFFECTED_ROUNDS:
        sentence = "This book does not void settled rounds."
        return rules.refuse(Code.UNKNOWN, sentence, Rule.VOID_RETURNS_BETS)
    named = sorted(set(do.rounds))
    past = {each.number: each for each in state.history if each.number in named}
    for each in past.values():
        if not rules.book.matches(each.digest):
            return Refusal(Code.WRONG_BOOK, f"Round {each.number} was played under another book.")
    if named[-1] > state.round.number:
        allowed = f"1 to {state.round.number}"
        return rules.refuse(
            Code.UNKNOWN, f"There has been no round {named[-1]}.", Rule.DAMAGED_DICE_VOID, allowed=allowed
        )
    found: list[e.EventBody] = []
    balances = dict(state.ledger)
    standing = [each for each in past.values() if not each.void and not each.reversed]
    for each in standing:
        lines = _reversed_lines(each, balances)
        found.append(e.RoundReversed(each.number, lines, clauses_behind_void(rules.book, void)))
        if balances.get(FLOAT, 0) < 0:
            sentence = f"The float is {-balances[FLOAT]} short of what goes back for round {each.number}."
            return Refusal(Code.FLOAT_SHORT, sentence, allowed="fill")
    if len(standing) < len(past):
        number = next(each.number for each in past.values() if each not in standing)
        return rules.refuse(Code.NOTHING_TO_DO, f"Round {number} is void already.", Rule.DAMAGED_DICE_VOID)
    if len(past) < len(named):
        oldest = state.history[0].number
        sentence = f"Round {named[0]} is not among those kept."
        return rules.refuse(Code.TOO_OLD, sentence, Rule.DAMAGED_DICE_VOID, allowed=f"{oldest} or later")
    return found


def _reversed_lines(past: PastRound, balances: dict[str, int]) -> tuple[ReversedLine, ...]:
    """Each player's part; `balances` follows, so that several rounds can be reversed one after another."""
    lines = []
    for player in dict.fromkeys(line.player for line in past.lines):
        staked = sum(line.stake for line in past.lines if line.player == player)
        returned = sum(line.returned for line in past.lines if line.player == player)
        account = player_account(player)
        back, won = max(staked - returned, 0), max(returned - staked, 0)
        taken = min(won, balances.get(account, 0))
        balances[account] = balances.get(account, 0) + back - taken
        balances[FLOAT] = balances.get(FLOAT, 0) + taken - back
        lines.append(ReversedLine(player, staked, returned, back, taken, won - taken))
    return tuple(lines)


def make_ruling(rules: TableRules, _state: TableState, _command: c.Command, do: c.MakeRuling) -> Decision:
    """What the book leaves open, the shift manager decides."""
    return [e.Ruled(do.matter, do.decision, rules.clauses(Rule.SHIFT_MANAGER_DECIDES))]


def _unknown_round(state: TableState, number: int) -> Refusal | None:
    if number > state.round.number:
        return Refusal(Code.UNKNOWN, f"There has been no round {number}.", allowed=f"1 to {state.round.number}")
    return None


def note_error(_rules: TableRules, state: TableState, _command: c.Command, do: c.NoteError) -> Decision:
    """An error found later is recorded; the rounds since then stay as they are."""
    return _unknown_round(state, do.round) or [e.ErrorNoted(do.round, do.what)]


def open_dispute(_rules: TableRules, state: TableState, _command: c.Command, do: c.OpenDispute) -> Decision:
    """A player's claim about a round."""
    refused = _unknown_round(state, do.round)
    if refused is not None:
        return refused
    if do.dispute in state.disputes:
        return Refusal(Code.BAD_VALUE, f"dispute: {do.dispute} is open or was.")
    return [e.DisputeOpened(do.dispute, do.player, do.round, do.claim)]


def resolve_dispute(_rules: TableRules, state: TableState, _command: c.Command, do: c.ResolveDispute) -> Decision:
    """A supervisor ends a dispute."""
    dispute = state.disputes.get(do.dispute)
    if dispute is None or dispute.resolution:
        known = listed(sorted(name for name, each in state.disputes.items() if not each.resolution))
        return Refusal(Code.UNKNOWN, f"No dispute {do.dispute} is open.", allowed=known)
    return [e.DisputeResolved(do.dispute, do.resolution)]
