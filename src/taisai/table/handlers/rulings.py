"""Rulings: what people decide, each by those whom the book names, and resting on recorded facts.

A ground that the record contradicts is refused with that record. Serves `nz-division-9` §4.3, §4.9;
`rws-tai-sai-v6` §5.14; interpretations I12, I22.
"""

from __future__ import annotations

from taisai.core.bets import Bet, PlayerId, merge_bets
from taisai.core.boxes import BoxName
from taisai.core.money import Chips
from taisai.core.rulebook import Fact, Rule, Then
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.handlers.bets_on_felt import Parts, fixed_bets, handed_newest_first, voided
from taisai.table.handlers.facts import has_second
from taisai.table.handlers.shared import Decision
from taisai.table.ledger import FLOAT, player_account
from taisai.table.parts import FixedBet, Handed, ReversedLine
from taisai.table.people import SUPERVISORS
from taisai.table.refusals import Code, Refusal, cite
from taisai.table.rules import TableRules, listed, unknown_box
from taisai.table.state import RoundPhase, Stack, TableState

RULED = "ruling"
"""Why a round is void by a ruling of the shift manager."""


def correct_bet(rules: TableRules, state: TableState, command: c.Command, do: c.CorrectBet) -> Decision:
    """A bet that dealer or another patron moved goes back to where it lay.

    Where it never lay, or not so much of it, it goes only when two supervisors say that the dealer misplaced it, and a
    called bet not even then (I12).
    """
    if not rules.book.has(Rule.MOVED_WAGER_CORRECTED):
        sentence = "Under this book a bet is settled by where it lay at the close."
        return rules.refuse(Code.WRONG_STEP, sentence, Rule.SETTLED_BY_POSITION)
    layout, limits = rules.at(state)
    for field, box in (("lies_on", do.lies_on), ("belongs_on", do.belongs_on)):
        if BoxName(box) not in layout.boxes:
            return unknown_box(layout, box, field)
    if do.belongs_on == do.lies_on:
        return rules.refuse(Code.BAD_VALUE, "belongs_on: the box where it lies.", Rule.MOVED_WAGER_CORRECTED)
    bet = next((each for each in state.round.bets if (each.player, each.box) == (do.player, do.lies_on)), None)
    if bet is None or do.amount > bet.stake:
        lies = bet.stake if bet is not None else 0
        sentence = f"{do.player} has {lies} in {do.lies_on}."
        values = (("player", do.player), ("held", lies), ("box", do.lies_on))
        return rules.refuse(
            Code.NOT_ENOUGH_CHIPS, sentence, Rule.SETTLED_BY_POSITION, allowed=f"at most {lies}", values=values
        )
    refused = _never_lay_there(rules, state, command, do, bet)
    if refused is not None:
        return refused
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
    return [e.BetCorrected(do.player, do.lies_on, do.belongs_on, do.amount, fixed.bets, fixed.capacity, do.ground)]


def _never_lay_there(
    rules: TableRules, state: TableState, command: c.Command, do: c.CorrectBet, bet: FixedBet
) -> Refusal | None:
    if do.ground is not c.MoveGround.MISPLACED_BY_DEALER:
        lay = _most_on(state, do.player)
        lies = next(
            (each.stake for each in state.round.bets if (each.player, each.box) == (do.player, do.belongs_on)), 0
        )
        most = lay.get(do.belongs_on, 0)
        if do.amount <= most - lies:
            return None
        if most:
            sentence = f"On record: {do.player} never had more than {most} on {do.belongs_on}, where {lies} lies now."
            allowed = f"at most {max(most - lies, 0)}"
        else:
            known = allowed = listed(sorted(lay))
            sentence = f"On record: {do.player} had chips on {known} in this round, never on {do.belongs_on}."
        return rules.refuse(Code.CONTRADICTED, sentence, Rule.MOVED_WAGER_CORRECTED, allowed=allowed)
    if bet.called:
        sentence = "The dealer placed it as the player called it: players answer for their instructions."
        return rules.refuse(Code.CALL_BET, sentence, Rule.MOVED_WAGER_CORRECTED, Rule.PLAYER_ANSWERS)
    second = command.authorised_by
    if command.by.role not in SUPERVISORS or second is None or second.role not in SUPERVISORS:
        sentence = f"{do.player} never had chips on {do.belongs_on}: two supervisors say that the dealer misplaced it."
        return rules.refuse(
            Code.SECOND_PERSON_UNFIT, sentence, Rule.MOVED_WAGER_CORRECTED, allowed="by two supervisors"
        )
    return None


def _most_on(state: TableState, player: str) -> dict[str, int]:
    """The most that a player had on each box in this round, up to the close."""
    lay: dict[str, int] = {}
    for stack in state.round.stacks:
        if stack.player == player:
            lay[stack.box] = lay.get(stack.box, 0) + stack.amount
    for who, box, most in state.round.left:
        if who == player:
            lay[box] = max(lay.get(box, 0), most)
    return lay


def touch_line(rules: TableRules, state: TableState, command: c.Command, do: c.TouchLine) -> Decision:
    """A bet touches the line; recorded when the dice are known, it counts once a second person attests it (I22)."""
    layout, _ = rules.at(state)
    if BoxName(do.box) not in layout.boxes:
        return unknown_box(layout, do.box)
    if not _lies(state, do.player, do.box):
        return rules.refuse(Code.NOTHING_TO_DO, f"{do.player} has nothing in {do.box}.", Rule.LINE_TOUCHING_BETS)
    known = next((each for each in state.round.touching if (each.player, each.box) == (do.player, do.box)), None)
    attested = state.round.dice is None or has_second(command)
    if known is not None and (known.attested or not attested):
        return rules.refuse(Code.NOTHING_TO_DO, "That is on record already.", Rule.LINE_TOUCHING_BETS)
    return [e.LineTouched(do.player, do.box, attested)]


def _lies(state: TableState, player: str, box: str) -> bool:
    """Whether a player's bet lies in a box and is not settled."""
    current = state.round
    on_felt: tuple[Stack | FixedBet, ...] = current.bets or current.stacks
    settled = {(line.player, line.box) for line in current.lines} | {(loss.player, loss.box) for loss in current.losses}
    return any((each.player, each.box) == (player, box) for each in on_felt) and (player, box) not in settled


def rule_on_line(rules: TableRules, state: TableState, _command: c.Command, do: c.RuleOnLine) -> Decision:
    """A bet on the line is honoured where it lies, or goes back: it is no wager within a segment (I22)."""
    if not rules.book.has(Rule.LINE_TOUCHING_BETS):
        sentence = "Under this book a bet is settled by where it lies at the close."
        return rules.refuse(Code.WRONG_STEP, sentence, Rule.SETTLED_BY_POSITION, Rule.SHIFT_MANAGER_DECIDES)
    layout, _ = rules.at(state)
    if BoxName(do.box) not in layout.boxes:
        return unknown_box(layout, do.box)
    if not _lies(state, do.player, do.box):
        return rules.refuse(Code.NOTHING_TO_DO, f"{do.player} has nothing in {do.box}.", Rule.LINE_TOUCHING_BETS)
    touch = next((each for each in state.round.touching if (each.player, each.box) == (do.player, do.box)), None)
    if touch is None:
        sentence = f"It is not on record that {do.player}'s bet on {do.box} touches the line."
        return rules.refuse(Code.CONTRADICTED, sentence, Rule.LINE_TOUCHING_BETS, allowed="touch-line")
    if do.honoured:
        return [e.LineRuled(do.player, do.box, honoured=True, handed=None)]
    if touch.honoured and state.round.phase is not RoundPhase.BETTING:
        sentence = f"On record: {do.player}'s bet on {do.box} was honoured, and bets are closed."
        return rules.refuse(Code.CONTRADICTED, sentence, Rule.LINE_TOUCHING_BETS)
    if not touch.attested:
        sentence = "That it touches the line was recorded when the dice were known, by one person alone."
        return rules.refuse(
            Code.CONTRADICTED, sentence, Rule.LINE_TOUCHING_BETS, allowed="touch-line with a second person"
        )
    bet = next((each for each in state.round.bets if (each.player, each.box) == (do.player, do.box)), None)
    if bet is None:
        handed = handed_newest_first(state, do.player, do.box, state.round.stakes[do.player][do.box])
    else:
        handed = Handed(bet.player, bet.box, bet.stake, bet.in_colour, bet.colour)
    return [e.LineRuled(do.player, do.box, honoured=False, handed=handed)]


def make_ruling(rules: TableRules, state: TableState, _command: c.Command, do: c.MakeRuling) -> Decision:
    """What the book leaves open, the shift manager decides; it may void the round in play and move named amounts."""
    book = rules.book
    strange = next((clause for clause in do.considered if clause not in book.clauses), None)
    if strange is not None:
        return rules.refuse(Code.UNKNOWN, f"considered: no clause {strange}.", Rule.SHIFT_MANAGER_DECIDES)
    if (do.void_round or do.amounts) and not book.has(Rule.SHIFT_MANAGER_DECIDES):
        sentence = "This book gives nobody the right to void a round or to move money by a ruling."
        return rules.refuse(Code.UNKNOWN, sentence, Rule.VOID_RETURNS_BETS, allowed="the matter in words")
    clauses = rules.clauses(Rule.SHIFT_MANAGER_DECIDES)
    refused = _settled_by_a_fact(rules, state) if do.void_round else None
    if refused is None and do.void_round and state.round.phase is RoundPhase.BETWEEN:
        sentence = "No round is in play that could be void."
        refused = rules.refuse(Code.WRONG_STEP, sentence, Rule.LATER_ROUND_UNTOUCHED, Rule.SHIFT_MANAGER_DECIDES)
    about = do.about or state.round.number
    if refused is None and do.amounts:
        refused = _amounts_against_the_record(rules, state, about)
    lines = _named_amounts(rules, state, do.amounts) if refused is None else refused
    if isinstance(lines, Refusal):
        return lines
    of_round = about if lines else 0
    found: list[e.EventBody] = [e.Ruled(do.matter, do.decision, clauses, do.ground, do.considered, lines, of_round)]
    if do.void_round:
        cited = tuple(dict.fromkeys((*rules.clauses(Rule.VOID_RETURNS_BETS), *clauses)))
        found += voided(rules, state, RULED, cited, announced=True)
    return found


def _settled_by_a_fact(rules: TableRules, state: TableState) -> Refusal | None:
    """A fact of which the book says what follows leaves nothing to rule on."""
    for fact in state.round.facts:
        rule = rules.book.procedure.facts.get(Fact(fact))
        if rule is not None and rule.then != (Then.RECORD,):
            sentence = f"On record: {rule.summary}. What follows from that is the book's word ({cite(rule.clauses)})."
            return Refusal(Code.CONTRADICTED, sentence, rule.clauses)
    return None


def _amounts_against_the_record(rules: TableRules, state: TableState, about: int) -> Refusal | None:
    """No money moves by a ruling where the book says what a recorded fact makes of that round: it is void, or held."""
    if about > state.round.number:
        sentence = f"about: there has been no round {about}."
        return rules.refuse(Code.UNKNOWN, sentence, Rule.SHIFT_MANAGER_DECIDES, allowed=f"1 to {state.round.number}")
    if about == state.round.number and state.round.phase is not RoundPhase.BETWEEN:
        return _settled_by_a_fact(rules, state)
    past = next((each for each in state.history if each.number == about), None)
    if past is None or past.void in ("", RULED):
        return None
    sentence = f"On record: round {about} is void, {past.void}. What follows from that is the book's word."
    return Refusal(Code.CONTRADICTED, sentence, past.clauses)


def _named_amounts(rules: TableRules, state: TableState, amounts: dict[str, int]) -> tuple[ReversedLine, ...] | Refusal:
    """What a ruling moves; what a player does not have is owed."""
    paid = sum(amount for amount in amounts.values() if amount > 0)
    lines = []
    for player, amount in amounts.items():
        if player not in state.players:
            return Refusal(Code.NOT_SEATED, f"amounts: {player} is not at this table.", allowed="sit-down")
        if not amount:
            return Refusal(Code.BAD_VALUE, f"amounts: nothing for {player}.")
        taken = min(max(-amount, 0), state.balance(player_account(player)))
        lines.append(ReversedLine(player, 0, 0, max(amount, 0), taken, max(-amount, 0) - taken))
    if paid > state.balance(FLOAT):
        held = state.balance(FLOAT)
        sentence = f"The float holds {held}, {paid} is needed."
        values = (("held", held), ("amount", paid))
        return rules.refuse(Code.FLOAT_SHORT, sentence, Rule.SHIFT_MANAGER_DECIDES, allowed="fill", values=values)
    return tuple(lines)
