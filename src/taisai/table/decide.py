"""`decide`: whether a command is allowed, and what then happens.

Enters: the rules, a state, a command. Leaves: events, or one refusal. One rule stands behind three doors: `decide`
acts on it, `can` asks it of a whole command, `may_begin` asks the part that needs no details, for greying buttons.
`may_authorise` says who must authorise what may begin.
Deterministic: time and dice come with the command.

Order of refusals (`refusals.Code`): who asks; then the table; then the round; then the second person and the reason;
then the matter itself. So whenever `may_begin` refuses, `decide` refuses with the same code, unless the details show
that it is not the asker's to do, which comes before all else.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from taisai.core.rulebook import Fact, Rule
from taisai.table import commands as c
from taisai.table.actions import ACTIONS, BETTING, BETWEEN, Declaration, roles_for
from taisai.table.events import Event
from taisai.table.handlers.shared import too_much_money
from taisai.table.people import HOUSE, Person, Role
from taisai.table.refusals import Code, Refusal, comes_before
from taisai.table.rules import BOX_FIELDS, TableRules, by_its_name
from taisai.table.state import Round, RoundPhase, SetUpState, TablePhase, TableState

_OF_THE_HOUSE: Final = frozenset({Code.TOO_MUCH, Code.WRONG_BOOK, Code.ALREADY_SET_UP})
"""Bounds and approvals of the house: no clause of a book is behind them."""
_OF_THE_MOMENT: Final = frozenset({Rule.NO_CHANGE_AFTER_CLOSE, Rule.VOID_RETURNS_BETS})
"""Rules that say when something is done, and nothing of the matter itself."""


def decide(rules: TableRules, state: TableState, command: c.Command) -> list[Event] | Refusal:
    """The events of an allowed command, or why it is refused."""
    needs = ACTIONS[type(command.do)]
    roles = needs.roles if needs.house is None else roles_for(type(command.do), state)
    if command.by.role not in roles:
        return _not_yours(rules, roles, needs, command.by)
    refused = None if needs.whose is None else needs.whose(rules, command, command.do)
    if refused is None and command.round is not None and command.round != state.round.number and not needs.late:
        refused = _round_over(rules, command.round, state, needs)
    if refused is None:
        refused = _gate(rules, state, needs)
    if refused is not None:
        return refused
    found = needs.handle(rules, state, command, command.do)
    if isinstance(found, Refusal) and found.field in BOX_FIELDS:
        printed = by_its_name(rules, state, command.do, found.field)
        if printed is not None:
            return decide(rules, state, replace(command, do=printed))
    if needs.reason and needs.alters_in(_known(state.round)):
        refused = _alteration(rules, state, needs, command)
        if refused is not None and not (isinstance(found, Refusal) and comes_before(found, refused)):
            return refused
    if isinstance(found, Refusal):
        of_the_matter = not found.clauses and found.code not in _OF_THE_HOUSE and needs.rule not in _OF_THE_MOMENT
        return replace(found, clauses=_behind(rules, needs)) if of_the_matter else found
    refused = too_much_money(state, found) if needs.brings else None
    if refused is not None:
        return refused
    at, by, authorised_by, reason = command.at, command.by, command.authorised_by, command.reason
    return [Event(at, by, what, authorised_by, reason) for what in found]


def can(rules: TableRules, state: TableState, command: c.Command) -> Refusal | None:
    """Why a command would be refused; None when it is allowed."""
    found = decide(rules, state, command)
    return found if isinstance(found, Refusal) else None


def may_begin(rules: TableRules, state: TableState, person: Person, action: type) -> Refusal | None:
    """Why a person cannot do this kind of thing now, whatever the details; None when they may try."""
    needs = ACTIONS[action]
    roles = roles_for(action, state)
    return _gate(rules, state, needs) if person.role in roles else _not_yours(rules, roles, needs, person)


def may_authorise(rules: TableRules, state: TableState, person: Person, action: type) -> frozenset[Role]:
    """The roles of which one must authorise this kind of thing, done by this person now.

    Empty when no second person is asked for, and when the person cannot do it now, whoever authorises it. A fact may
    come with a second person who attests it, and without.
    """
    needs = ACTIONS[action]
    if needs.second is None or person.role in needs.alone:
        return frozenset()
    if needs.reason and not needs.alters_in(_known(state.round)):
        return frozenset()
    return needs.second if may_begin(rules, state, person, action) is None else frozenset()


def _known(current: Round) -> RoundPhase:
    """How far a round has come for those who would alter it: virtual dice are known from the close (I5)."""
    is_fixed = current.fixed is not None and current.phase is RoundPhase.CLOSED
    return RoundPhase.UNCOVERED if is_fixed else current.phase


def _gate(rules: TableRules, state: TableState, needs: Declaration) -> Refusal | None:
    """Whether the table, and then the round, is in a state for it."""
    if needs.first:
        return None
    set_up = state.set_up
    if set_up is None:
        return _not_set_up()
    if set_up.digest != rules.book.digest and not needs.any_book and not rules.book.matches(set_up.digest):
        return _wrong_book(set_up)
    if needs.table is not None and state.phase is not needs.table:
        return _wrong_table(rules, needs)
    current = state.round
    if state.suspended and current.phase not in needs.suspended:
        return rules.refuse(
            Code.TABLE_SUSPENDED,
            f"The table is suspended: {state.suspended}.",
            Rule.SUSPENDED_AFTER_MALFUNCTION,
            allowed="a supervisor records that it is mended, or a safe procedure (resume-table)",
        )
    if needs.only is Code.NOT_SUSPENDED and not (state.suspended or state.procedure):
        return rules.refuse(needs.only, "The table is not suspended.", *_cited(needs.rule))
    if state.held and not needs.held:
        return _held(rules, state)
    if needs.only is Code.NOT_INTERRUPTED and not current.interrupted:
        return rules.refuse(needs.only, "The round is not interrupted.", Rule.INTERRUPTION_CONCLUDED)
    if current.interrupted and not needs.interrupted:
        return rules.refuse(
            Code.ROUND_INTERRUPTED,
            f"The round is interrupted: {current.interrupted}.",
            Rule.INTERRUPTION_CONCLUDED,
            Rule.INTERRUPTION_VOID,
            allowed="dealer and supervisor say which dice can be read (resolve-interruption)",
        )
    wanted = needs.round
    if wanted is not None and current.phase not in wanted:
        return _wrong_step(rules, wanted, current.phase, needs)
    return None


def _alteration(rules: TableRules, state: TableState, needs: Declaration, command: c.Command) -> Refusal | None:
    """An action that alters what is on record needs a second person and a reason.

    Where the house deals, its own dealer acts by the record and in its own name: no second person is made up for it.
    """
    cited = _behind(rules, needs)
    by_record = command.by.role is Role.SYSTEM and state.dealt_by is c.DealtBy.HOUSE
    if needs.second is not None and command.by.role not in needs.alone and not by_record:
        second = command.authorised_by
        wanted = " or ".join(sorted(needs.second))
        if second is None:
            sentence = "A second person must authorise this."
            return Refusal(Code.SECOND_PERSON_NEEDED, sentence, cited, f"with a {wanted}")
        if second.id == command.by.id or second.role not in needs.second:
            sentence = "The one who authorises must be another person, of the right rank."
            return Refusal(Code.SECOND_PERSON_UNFIT, sentence, cited, f"with another person who is {wanted}")
    if not command.reason.strip():
        return Refusal(Code.REASON_NEEDED, "Say why: a reason is recorded with this.", cited)
    return None


def _not_yours(rules: TableRules, roles: frozenset[Role], needs: Declaration, by: Person) -> Refusal:
    if by.role in needs.roles:
        sentence = "The house's own dealer deals this table: the crew may stop it, and not deal it."
        allowed = "suspend-table, interrupt or report"
        return Refusal(Code.NOT_YOURS_TO_DO, sentence, _of_rank(rules, needs), allowed)
    who = " or ".join(sorted(roles - HOUSE or roles))
    article = "An" if by.role is Role.AUDITOR else "A"
    sentence = f"{article} {by.role} may not do this."
    return Refusal(Code.NOT_YOURS_TO_DO, sentence, _of_rank(rules, needs), f"by {who}")


def _of_rank(rules: TableRules, needs: Declaration) -> tuple[str, ...]:
    """The clauses that say who may do it: of the book's dealer, of its equipment, or else of the act itself."""
    of_equipment = needs.rank is Rule.ROLES and not needs.equipment and "dealer" not in rules.book.terms
    named = () if of_equipment else rules.clauses(*_cited(needs.rank))
    return named or (() if needs.rule in _OF_THE_MOMENT and needs.rank is not Rule.ROLES else _behind(rules, needs))


def _cited(rule: Rule | None) -> tuple[Rule, ...]:
    return () if rule is None else (rule,)


def _held(rules: TableRules, state: TableState) -> Refusal:
    held = state.held[0]
    sentence = f"On record: {held.fact}. The round is held until a second person says whether it is so."
    return Refusal(Code.ROUND_HELD, sentence, rules.clauses_of_fact(Fact(held.fact)), "attest")


def _behind(rules: TableRules, needs: Declaration) -> tuple[str, ...]:
    """The clauses behind an action: of its step, or of the rule that it is done by."""
    return rules.step_clauses(needs.step) if needs.step is not None else rules.clauses(*_cited(needs.rule))


def _round_over(rules: TableRules, meant: int, state: TableState, needs: Declaration) -> Refusal:
    sentence = f"This was meant for round {meant}; the table has round {state.round.number}."
    return Refusal(Code.ROUND_OVER, sentence, _behind(rules, needs), f"round {state.round.number}")


def _not_set_up() -> Refusal:
    return Refusal(Code.NOT_SET_UP, "The table is not set up.", allowed="set-up")


def _wrong_table(rules: TableRules, needs: Declaration) -> Refusal:
    if needs.table is TablePhase.OPEN:
        return rules.refuse(Code.TABLE_NOT_OPEN, "The table is not open.", Rule.OPENING_CHECK, allowed="open-table")
    sentence = "The table is open; this is done while it is closed."
    return Refusal(Code.TABLE_OPEN, sentence, _behind(rules, needs), "close-table")


def _wrong_book(set_up: SetUpState) -> Refusal:
    pinned = f"{set_up.book} with digest {set_up.digest[:16]}…"
    sentence = f"The table stands under {pinned}; the book at hand is another."
    return Refusal(Code.WRONG_BOOK, sentence, allowed=f"book {pinned}; between rounds also cash-out and close-table")


def _wrong_step(rules: TableRules, wanted: frozenset[RoundPhase], phase: RoundPhase, needs: Declaration) -> Refusal:
    cited = _cited(needs.rule)
    if wanted is BETWEEN:
        sentence = f"A round is in play ({phase}): it must be settled first."
        return Refusal(Code.ROUND_IN_PLAY, sentence, rules.clauses(*cited) or _behind(rules, needs))
    if wanted is BETTING and needs.rule is Rule.NO_CHANGE_AFTER_CLOSE:
        return _no_bet_now(rules, phase)
    if wanted is BETTING:
        code = Code.BETS_NOT_OPEN if phase is RoundPhase.BETWEEN else Code.BETS_CLOSED
        return rules.refuse(code, "Betting is not open.", *cited, Rule.BETS_CLOSE)
    order = ", ".join(each for each in RoundPhase if each in wanted)
    values = (("phase", phase), ("wanted", " ".join(each for each in RoundPhase if each in wanted)))
    sentence = f"The round is at {phase}; this comes at {order}."
    return Refusal(Code.WRONG_STEP, sentence, _behind(rules, needs), values=values)


def _no_bet_now(rules: TableRules, phase: RoundPhase) -> Refusal:
    """The refusal of a bet that would be placed, raised or withdrawn now."""
    if phase is RoundPhase.BETWEEN:
        sentence = "Betting is not open: wait for the dealer's call."
        return rules.refuse(
            Code.BETS_NOT_OPEN, sentence, Rule.BETS_OPEN, Rule.NO_BET_BEFORE_PAID, allowed="after open-bets"
        )
    sentence = "No more bets: nothing is placed, raised or withdrawn until this round is paid."
    return rules.refuse(
        Code.BETS_CLOSED, sentence, Rule.NO_CHANGE_AFTER_CLOSE, Rule.NO_TOUCHING_LOSERS, allowed="in the next round"
    )
