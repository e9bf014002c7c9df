"""Facts: what went wrong, recorded when it happened or when it is found, and what the book makes of it.

Enters: the rules and a state, and what somebody of the crew saw. Leaves: the record of it and what follows: void,
re-roll, suspension, settlement by the dice. A fact is never refused because it is inconvenient; one that an earlier
record contradicts is a correction of that record, by two people with a reason. One that would undo a known result holds
the round until a second person attests it. Serves `nz-division-9` §7.1, §7.3, §7.4; `rws-open-cover-v3` §5.1;
`rws-tai-sai-v6` §5.5, §5.6, §5.10, §5.12; `rws-mini-dice-v3` §5.1; interpretations I11, I26, I27, I29, I30.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from taisai.core.explain import clauses_behind_void
from taisai.core.rulebook import Fact, FactRule, Rule, Then
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.handlers.bets_on_felt import suspended_by, undone_lines, voided
from taisai.table.handlers.shared import Decision
from taisai.table.ledger import postings_of
from taisai.table.people import CREW, SUPERVISORS, Role
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import TableRules, listed
from taisai.table.state import Played, RoundPhase, TablePhase, TableState

_BEFORE_REVEAL: Final = (RoundPhase.BETWEEN, RoundPhase.BETTING, RoundPhase.CLOSED)
_OF_A_SPIN: Final = (Fact.TUMBLER_FAULT, Fact.NOT_ACTIVATED, Fact.LIGHTS_FAULT, Fact.TERMINAL_DEAD, Fact.DAMAGED_DICE)
"""Facts that can be found between rounds without a spin on record."""


def report(rules: TableRules, state: TableState, command: c.Command, do: c.Report) -> Decision:
    """A fact is recorded, and what the book makes of it follows."""
    dice_set = _damaged_set(state, do.dice_set) if do.fact is Fact.DAMAGED_DICE else ""
    refused = _not_here(rules, state, do.fact, dice_set) or _unfit_second(rules, command)
    if refused is not None:
        return refused
    about = do.about if do.about is not None else command.round
    newest = state.round.number + (state.round.phase is RoundPhase.BETWEEN and _of_next_spin(state, do))
    if about is not None and about > newest:
        sentence = f"about: there has been no round {about}."
        return rules.refuse(Code.UNKNOWN, sentence, Rule.FOUND_LATE, allowed=f"1 to {newest}")
    if _is_over(state, do, about):
        number = state.round.number if about is None else about
        if not number:
            sentence = "No round has been played that it could be of."
            return rules.refuse(Code.NOTHING_TO_DO, sentence, Rule.FOUND_LATE)
        clauses = rules.clauses(Rule.FOUND_LATE)
        late = e.FactRecorded(do.fact, number, (Then.RECORD,), clauses, do.note, late=True)
        return [late]
    return recorded(rules, state, command, do.fact, do.note, announced=do.announced, dice_set=dice_set)


def _damaged_set(state: TableState, named: str | None) -> str:
    """The set that is damaged: the one in the tumbler when none is named."""
    return named or state.dice_in or ""


def _is_over(state: TableState, do: c.Report, about: int | None) -> bool:
    """Whether the fact is of a round that is over. Damage of dice is of the set, whenever it is found."""
    if do.fact is Fact.DAMAGED_DICE:
        return False
    if about is not None and about < state.round.number:
        return True
    if state.round.phase is not RoundPhase.BETWEEN:
        return False
    return do.about == state.round.number or not _of_next_spin(state, do)


def _of_next_spin(state: TableState, do: c.Report) -> bool:
    """Whether a fact found between rounds can be of the spin for the next one."""
    return state.round.tumbles > 0 or do.fact in _OF_A_SPIN


def _not_here(rules: TableRules, state: TableState, fact: Fact, dice_set: str) -> Refusal | None:
    """Equipment that this table does not have."""
    if fact is Fact.INTERRUPTED:
        sentence = "fact: an interruption is recorded as what stopped the round."
        return rules.refuse(Code.BAD_VALUE, sentence, Rule.INTERRUPTION_VOID, allowed="interrupt")
    if (fact is Fact.LIGHTS_FAULT and not rules.has_lights) or (fact is Fact.TERMINAL_DEAD and not rules.has_terminal):
        what = "lights" if fact is Fact.LIGHTS_FAULT else "entry terminal"
        return Refusal(Code.UNKNOWN, f"fact: this book has no {what}.")
    if fact is Fact.DAMAGED_DICE:
        known = listed(sorted(state.dice_sets))
        if not dice_set:
            sentence = "No dice are in the tumbler: say which set is damaged."
            return rules.refuse(Code.NOTHING_TO_DO, sentence, Rule.DICE_SET, allowed=f"with dice_set of {known}")
        if dice_set not in state.dice_sets:
            sentence = f"dice_set: this table never had a set {dice_set}."
            return rules.refuse(Code.UNKNOWN, sentence, Rule.DICE_SET, allowed=known)
        if not state.dice_sets[dice_set].sound:
            sentence = f"Dice set {dice_set} is on record as damaged."
            return Refusal(Code.NOTHING_TO_DO, sentence, _of_dice(rules), "retire-dice")
    return None


def _of_dice(rules: TableRules) -> tuple[str, ...]:
    """The clauses about the set of dice; where a book has none, those about damage."""
    return rules.clauses(Rule.DICE_SET) or rules.clauses_of_fact(Fact.DAMAGED_DICE)


def _unfit_second(rules: TableRules, command: c.Command) -> Refusal | None:
    if command.authorised_by is None or has_second(command):
        return None
    sentence = "The one who attests must be another person of the crew, and one of the two a supervisor."
    clauses = rules.clauses(Rule.ROLES) or rules.clauses(Rule.VOID_RETURNS_BETS)
    return Refusal(Code.SECOND_PERSON_UNFIT, sentence, clauses, "with another person who is supervisor")


def has_second(command: c.Command) -> bool:
    """Whether two people of the crew stand behind a command, one of them at least a supervisor."""
    by, second = command.by, command.authorised_by
    if by.role is Role.SYSTEM:  # the house's own dealer acts by the record, in its own name
        return True
    if second is None or second.id == by.id or second.role not in CREW:
        return False
    return second.role in SUPERVISORS or by.role in SUPERVISORS


def contradiction(rules: TableRules, state: TableState, fact: Fact) -> str:
    """The record that speaks against a fact of the round in play; empty when there is none."""
    current = state.round
    tumbled = f"the dice were tumbled {current.tumbles} times for this round"
    match fact:
        case Fact.TOO_FEW_TUMBLES if current.tumbles >= rules.book.procedure.tumbles_min:
            return tumbled
        case Fact.NOT_ACTIVATED if current.tumbles:
            return tumbled
        case Fact.EXPOSED | Fact.ACTIVATED_BEFORE_CLOSE if current.tumbles and current.tumbled_after_close:
            return f"{tumbled}, after the close"
        case _:
            return ""


def recorded(
    rules: TableRules,
    state: TableState,
    command: c.Command,
    fact: Fact,
    note: str,
    *,
    announced: bool = True,
    dice_set: str = "",
) -> Decision:
    """A fact of the round in play, of the spin before it, or of a set of dice."""
    if fact in state.round.facts and not dice_set:
        return Refusal(Code.NOTHING_TO_DO, f"{fact} is on record for this round.", rules.clauses_of_fact(fact))
    against = contradiction(rules, state, fact)
    if against and not (has_second(command) and command.reason.strip()):
        sentence = f"On record: {against}. A record is put right by two people, with a reason."
        clauses = rules.clauses_of_fact(fact) or rules.clauses(Rule.TUMBLE_COUNT)
        return Refusal(Code.CONTRADICTED, sentence, clauses, "with a supervisor and a reason")
    if undoes_result(rules, state, fact, dice_set) and not has_second(command):
        held = next((each for each in state.held if (each.fact, each.dice_set) == (fact, dice_set)), None)
        if held is not None:
            sentence = f"{held.by.id} recorded that already; a second person says whether it is so."
            return Refusal(Code.NOTHING_TO_DO, sentence, rules.clauses_of_fact(fact), "attest")
        then, clauses = _then(rules, state, fact, dice_set), rules.clauses_of_fact(fact)
        return [e.FactRecorded(fact, _number(state), then, clauses, note, attested=False, dice_set=dice_set)]
    return consequences(rules, state, fact, note, corrects=against, announced=announced, dice_set=dice_set)


def _then(rules: TableRules, state: TableState, fact: Fact, dice_set: str) -> tuple[Then, ...]:
    """What the book makes of a fact. Dice that are not in the tumbler touch the rounds played with them alone."""
    then = rules.book.procedure.then(fact)
    if not dice_set or dice_set == state.dice_in:
        return then
    return (Then.VOID_ROUNDS_OF_SET,) if Then.VOID_ROUNDS_OF_SET in then else (Then.RECORD,)


def undoes_result(rules: TableRules, state: TableState, fact: Fact, dice_set: str) -> bool:
    """Whether a result that is known, of this round or of settled ones, would not stand."""
    then = _then(rules, state, fact, dice_set)
    if Then.VOID_ROUNDS_OF_SET in then and _affected(rules, state, dice_set):
        return True
    if dice_set and dice_set != state.dice_in:
        return False
    ends = {Then.VOID_ROUND, Then.VOID_ROUNDS_OF_SET, Then.RE_ROLL}
    known = state.round.phase not in _BEFORE_REVEAL or state.round.fixed is not None  # virtual dice, from the close
    return known and not ends.isdisjoint(then)


def _affected(rules: TableRules, state: TableState, dice_set: str) -> list[Played]:
    """The rounds settled with a set since it was last found sound, under this book: others are another book's."""
    return [each for each in state.unproven.get(dice_set, ()) if each.book in ("", rules.book.id)]


def _number(state: TableState) -> int:
    """The round that a fact is of: between rounds, the next."""
    return state.round.number + (state.round.phase is RoundPhase.BETWEEN)


def consequences(
    rules: TableRules,
    state: TableState,
    fact: Fact,
    note: str,
    *,
    corrects: str = "",
    announced: bool = True,
    dice_set: str = "",
) -> list[e.EventBody]:
    """The record of a fact, and everything that follows from it now."""
    procedure = rules.book.procedure
    rule, then = procedure.facts.get(fact), _then(rules, state, fact, dice_set)
    in_round = state.round.phase is not RoundPhase.BETWEEN
    of_round = not dice_set or dice_set == state.dice_in
    ends = rule is not None and of_round and (rule.voids or Then.RE_ROLL in then)
    call = procedure.calls.void if ends and announced and not in_round and fact is not Fact.DAMAGED_DICE else ""
    found: list[e.EventBody] = [
        e.FactRecorded(fact, _number(state), then, rules.clauses_of_fact(fact), note, call, corrects, dice_set=dice_set)
    ]
    if rule is None:
        return found
    if in_round and ends:
        re_roll = Then.RE_ROLL in then and state.round.phase is not RoundPhase.COLLECTED
        call = procedure.calls.void if announced else ""
        if re_roll:
            found.append(e.RollVoided(state.round.number, rule.reason, call, rule.clauses))
        else:
            clauses = clauses_behind_void(rules.book, rule)
            found += voided(rules, state, rule.reason, clauses, announced=announced)
    if Then.VOID_ROUNDS_OF_SET in then:
        found += _rounds_of_set(rules, state, rule, dice_set, found)
    if Then.SUSPEND in then and (ends or not in_round) and state.phase is TablePhase.OPEN:
        earlier = next((each.cause for each in found if isinstance(each, e.TableSuspended)), state.suspended)
        found = [each for each in found if not isinstance(each, e.TableSuspended)]
        found += suspended_by(replace(state, suspended=earlier), [rule.summary])
    return found


def _rounds_of_set(
    rules: TableRules, state: TableState, rule: FactRule, dice_set: str, before: Iterable[e.EventBody]
) -> list[e.EventBody]:
    """Every round settled with a set since it was last found sound, void after all (I11)."""
    balances = dict(state.ledger)
    for what in before:
        for account, amount in postings_of(what):
            balances[account] = balances.get(account, 0) + amount
    clauses = clauses_behind_void(rules.book, rule)
    found: list[e.EventBody] = []
    for played in _affected(rules, state, dice_set):
        lines = undone_lines(balances, played.players, state.players)
        found.append(e.RoundReversed(played.number, lines, clauses, rule.reason))
    return found


def attest(rules: TableRules, state: TableState, command: c.Command, do: c.Attest) -> Decision:
    """Somebody else says whether the fact that holds the round is so; if it is, what follows from it follows."""
    held = next((each for each in state.held if each.fact == do.fact), None)
    if held is None:
        known = listed(each.fact for each in state.held)
        sentence = f"No {do.fact} waits for a second person."
        return Refusal(Code.NOTHING_TO_DO, sentence, rules.clauses_of_fact(do.fact), known)
    one_is_supervisor = command.by.role in SUPERVISORS or held.by.role in SUPERVISORS
    if command.by.id == held.by.id or not one_is_supervisor:
        sentence = f"{held.by.id} recorded it: another person attests it, and one of the two is a supervisor."
        return Refusal(Code.SECOND_PERSON_UNFIT, sentence, rules.clauses_of_fact(do.fact), "by another supervisor")
    attested = e.FactAttested(do.fact, held.round, do.confirmed, held.dice_set)
    if do.confirmed:
        return [attested, *consequences(rules, state, do.fact, held.note, dice_set=held.dice_set)]
    if not command.reason.strip():
        sentence = f"Say why it is not so: {held.by.id} recorded it."
        return Refusal(Code.REASON_NEEDED, sentence, rules.clauses_of_fact(do.fact), "with a reason")
    return [attested]


def inspect_dice(rules: TableRules, state: TableState, command: c.Command, do: c.InspectDice) -> Decision:
    """The set in the tumbler is looked at. A damaged one stops the table until it is changed, and more by the book.

    Dice that were tumbled for the next round have been seen: they are tumbled again.
    """
    if state.dice_in is None:
        return rules.refuse(Code.NOTHING_TO_DO, "No dice are in the tumbler.", Rule.DICE_SET, allowed="seal-dice")
    if do.sound:
        if not state.dice_sets[state.dice_in].sound:
            sentence = f"Dice set {state.dice_in} was found damaged: it is changed, not looked at again."
            return Refusal(Code.CONTRADICTED, sentence, _of_dice(rules), "retire-dice")
        damaged = (Fact.DAMAGED_DICE, state.dice_in)
        held = next((each for each in state.held if (each.fact, each.dice_set) == damaged), None)
        if held is not None:
            sentence = f"{held.by.id} recorded that set {state.dice_in} is damaged; a second person says whether it is."
            return Refusal(Code.CONTRADICTED, sentence, _of_dice(rules), "attest")
        return [e.DiceInspected(state.dice_in, sound=True, note=do.note)]
    refused = _not_here(rules, state, Fact.DAMAGED_DICE, state.dice_in) or _unfit_second(rules, command)
    if refused is not None:
        return refused
    followed = recorded(rules, state, command, Fact.DAMAGED_DICE, do.note, dice_set=state.dice_in)
    if isinstance(followed, Refusal):
        return followed
    found: list[e.EventBody] = [e.DiceInspected(state.dice_in, sound=False, note=do.note), *followed]
    if state.phase is TablePhase.OPEN and not any(isinstance(each, e.TableSuspended) for each in followed):
        found += suspended_by(state, [f"dice set {state.dice_in} is damaged"])
    return found
