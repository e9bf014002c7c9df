"""`decide`: whether a command is allowed, and what then happens.

Enters: the rules, a state, a command. Leaves: events, or one refusal. One rule stands behind three doors: `decide`
acts on it, `can` asks it of a whole command, `may_begin` asks the part that needs no details, for greying buttons.
Deterministic: time and dice come with the command.

Order of refusals (`refusals.Code`): who asks; then the table; then the round; then the second person and the reason;
then the matter itself. So whenever `may_begin` refuses, `decide` refuses with the same code, unless the details show
that it is not the asker's to do, which comes before all else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from taisai.core.rulebook import Rule
from taisai.table import commands as c
from taisai.table.events import Event, EventBody
from taisai.table.handlers import betting, chips, dealing, shift, trouble
from taisai.table.people import (
    CREW,
    CREW_AND_SYSTEM,
    PIT_MANAGERS,
    PLAYERS_AND_CREW,
    SHIFT_MANAGERS,
    SUPERVISORS,
    Person,
    Role,
)
from taisai.table.refusals import Code, Refusal, comes_before
from taisai.table.rules import TableRules
from taisai.table.state import RoundPhase, SetUpState, TablePhase, TableState

_IN_ROUND: Final = frozenset(RoundPhase) - {RoundPhase.BETWEEN}
_BETWEEN: Final = frozenset({RoundPhase.BETWEEN})
_BETTING: Final = frozenset({RoundPhase.BETTING})
_KNOWN: Final = frozenset({RoundPhase.UNCOVERED, RoundPhase.ANNOUNCED, RoundPhase.ENTERED})
_UNSETTLED: Final = _IN_ROUND - {RoundPhase.COLLECTED}
_ALWAYS: Final = frozenset(RoundPhase)
_NEVER: Final[frozenset[RoundPhase]] = frozenset()

Handler = Callable[..., "list[EventBody] | Refusal"]
WhoseHand = Callable[..., "Refusal | None"]


@dataclass(frozen=True, slots=True)
class Needs:
    """What an action needs before its matter is looked at."""

    roles: frozenset[Role]
    table: TablePhase | None
    """The phase the table must be in; None for any but new."""
    round: frozenset[RoundPhase] | None = None
    """The phases the round must be in; None for any."""
    second: frozenset[Role] | None = None
    """Who must authorise it, beside the one who asks."""
    reason: bool = False
    alters: frozenset[RoundPhase] = _ALWAYS
    """When it needs the second person and the reason."""
    suspended: frozenset[RoundPhase] = _ALWAYS
    """When it is allowed while the table is suspended: the round in play is brought to its end."""
    interrupted: bool = False
    """Allowed while the round is interrupted."""
    only: Code | None = None
    """NOT_SUSPENDED or NOT_INTERRUPTED: done only while the table or the round is."""
    first: bool = False
    """Done before the table is set up; it finds out itself what stands in its way."""
    whose: WhoseHand | None = None
    """Whether the one who asks may do it for that player, in that way."""
    rule: Rule = Rule.ROLES
    """The rule cited when it comes at the wrong time."""


_ANY, _CLOSED, _OPEN = None, TablePhase.CLOSED, TablePhase.OPEN

ACTIONS: Final[dict[type, tuple[Needs, Handler]]] = {
    c.SetUp: (Needs(SUPERVISORS, _ANY, first=True), shift.set_up),
    c.CountFloat: (Needs(SUPERVISORS, _CLOSED), shift.count_float),
    c.ReceiveDice: (Needs(SUPERVISORS, _ANY, interrupted=True, rule=Rule.DICE_SET), shift.receive_dice),
    c.SealDice: (Needs(SUPERVISORS, _ANY, _BETWEEN, rule=Rule.DICE_SET), shift.seal_dice),
    c.InspectDice: (Needs(SUPERVISORS, _ANY, _BETWEEN, rule=Rule.DICE_SET), shift.inspect_dice),
    c.RetireDice: (Needs(SUPERVISORS, _ANY, _BETWEEN, rule=Rule.DICE_SET), shift.retire_dice),
    c.TestRun: (Needs(SUPERVISORS, _CLOSED, rule=Rule.OPENING_CHECK), shift.run_test),
    c.CheckItem: (Needs(SUPERVISORS, _CLOSED, rule=Rule.OPENING_CHECK), shift.check_item),
    c.OpenTable: (Needs(SUPERVISORS, _CLOSED, rule=Rule.OPENING_CHECK), shift.open_table),
    c.SuspendTable: (Needs(CREW, _OPEN, interrupted=True, rule=Rule.SUSPENDED_AFTER_MALFUNCTION), shift.suspend),
    c.ResumeTable: (
        Needs(SUPERVISORS, _OPEN, interrupted=True, only=Code.NOT_SUSPENDED, rule=Rule.SUSPENDED_AFTER_MALFUNCTION),
        shift.resume,
    ),
    c.SetLimits: (
        Needs(SUPERVISORS, _ANY, _BETWEEN, second=PIT_MANAGERS, reason=True, rule=Rule.LIMITS_SHOWN),
        shift.set_limits,
    ),
    c.CloseTable: (Needs(SUPERVISORS, _OPEN, _BETWEEN), shift.close_table),
    c.SitDown: (Needs(PLAYERS_AND_CREW, _OPEN, interrupted=True, whose=chips.not_himself), chips.sit_down),
    c.LeaveTable: (Needs(PLAYERS_AND_CREW, _OPEN, interrupted=True, whose=chips.not_himself), chips.leave_table),
    c.WalkAway: (Needs(CREW_AND_SYSTEM, _OPEN, interrupted=True, rule=Rule.WALK_AWAY_SETTLED), chips.walk_away),
    c.BuyIn: (Needs(CREW, _OPEN, rule=Rule.CHANGE_BLOCK), chips.buy_in),
    c.BringChips: (Needs(CREW, _OPEN, rule=Rule.CHANGE_BLOCK), chips.bring_chips),
    c.CashOut: (Needs(CREW, _OPEN, rule=Rule.CHANGE_BLOCK), chips.cash_out),
    c.TakeColour: (Needs(CREW, _OPEN, rule=Rule.COLOUR_CHIPS), chips.take_colour),
    c.TurnInColour: (Needs(CREW, _OPEN, rule=Rule.COLOUR_CHIPS), chips.turn_in_colour),
    c.Fill: (Needs(SUPERVISORS, _OPEN, interrupted=True), chips.fill),
    c.Credit: (Needs(SUPERVISORS, _OPEN, interrupted=True), chips.credit),
    c.SettleDebt: (Needs(CREW, _OPEN), chips.settle_debt),
    c.CommitDice: (Needs(CREW, _OPEN, _BETWEEN, suspended=_NEVER, rule=Rule.BETS_OPEN), dealing.commit_dice),
    c.Tumble: (Needs(CREW, _OPEN, suspended=_IN_ROUND, rule=Rule.TUMBLE_COUNT), dealing.tumble),
    c.OpenBets: (Needs(CREW, _OPEN, _BETWEEN, suspended=_NEVER, rule=Rule.NO_BET_BEFORE_PAID), dealing.open_bets),
    c.PlaceBet: (
        Needs(
            PLAYERS_AND_CREW,
            _OPEN,
            _BETTING,
            suspended=_NEVER,
            whose=betting.wrong_hand,
            rule=Rule.NO_CHANGE_AFTER_CLOSE,
        ),
        betting.place_bet,
    ),
    c.WithdrawBet: (
        Needs(PLAYERS_AND_CREW, _OPEN, _BETTING, whose=chips.not_himself, rule=Rule.NO_CHANGE_AFTER_CLOSE),
        betting.withdraw_bet,
    ),
    c.AdviseMinimum: (Needs(CREW, _OPEN, _BETTING, rule=Rule.UNDER_MINIMUM_ADVISED), betting.advise_minimum),
    c.RejectExcess: (Needs(CREW, _OPEN, _BETTING, rule=Rule.EXCESS_REJECTED), betting.reject_excess),
    c.CloseBets: (Needs(CREW, _OPEN, _BETTING, rule=Rule.BETS_CLOSE), dealing.close_bets),
    c.Uncover: (Needs(CREW, _OPEN, frozenset({RoundPhase.CLOSED}), rule=Rule.UPPERMOST_FACES), dealing.uncover),
    c.Announce: (Needs(CREW, _OPEN, frozenset({RoundPhase.UNCOVERED}), rule=Rule.UPPERMOST_FACES), dealing.announce),
    c.Press: (
        Needs(CREW, _OPEN, frozenset({RoundPhase.UNCOVERED, RoundPhase.ANNOUNCED}), rule=Rule.ENTRY_TERMINAL),
        dealing.press,
    ),
    c.Enter: (Needs(CREW, _OPEN, frozenset({RoundPhase.ANNOUNCED}), rule=Rule.ENTRY_TERMINAL), dealing.enter),
    c.AmendEntry: (
        Needs(CREW, _OPEN, frozenset({RoundPhase.ENTERED}), second=SUPERVISORS, reason=True, rule=Rule.ENTRY_AMENDED),
        dealing.amend_entry,
    ),
    c.ReportLights: (
        Needs(CREW, _OPEN, frozenset({RoundPhase.ANNOUNCED, RoundPhase.ENTERED}), rule=Rule.DICE_DECIDE_OVER_LIGHTS),
        dealing.report_lights,
    ),
    c.Collect: (
        Needs(CREW, _OPEN, frozenset({RoundPhase.ANNOUNCED, RoundPhase.ENTERED}), rule=Rule.COLLECT_THEN_PAY),
        dealing.collect,
    ),
    c.PayNext: (Needs(CREW, _OPEN, frozenset({RoundPhase.COLLECTED}), rule=Rule.COLLECT_THEN_PAY), dealing.pay_next),
    c.PayAll: (Needs(CREW, _OPEN, frozenset({RoundPhase.COLLECTED}), rule=Rule.COLLECT_THEN_PAY), dealing.pay_all),
    c.VoidRound: (
        Needs(CREW, _OPEN, _UNSETTLED, second=SUPERVISORS, reason=True, alters=_KNOWN, rule=Rule.VOID_RETURNS_BETS),
        trouble.void_round,
    ),
    c.Interrupt: (Needs(CREW_AND_SYSTEM, _OPEN, _IN_ROUND, rule=Rule.INTERRUPTION_VOID), trouble.interrupt),
    c.ResolveInterruption: (
        Needs(
            CREW,
            _OPEN,
            second=SUPERVISORS,
            reason=True,
            interrupted=True,
            only=Code.NOT_INTERRUPTED,
            rule=Rule.INTERRUPTION_VOID,
        ),
        trouble.resolve_interruption,
    ),
    c.CorrectBet: (
        Needs(CREW, _OPEN, _KNOWN, second=SUPERVISORS, reason=True, rule=Rule.MOVED_WAGER_CORRECTED),
        trouble.correct_bet,
    ),
    c.RuleOnLine: (
        Needs(SUPERVISORS, _OPEN, _UNSETTLED, reason=True, rule=Rule.LINE_TOUCHING_BETS),
        trouble.rule_on_line,
    ),
    c.ReverseRounds: (
        Needs(SUPERVISORS, _OPEN, _BETWEEN, second=PIT_MANAGERS, reason=True, rule=Rule.DAMAGED_DICE_VOID),
        trouble.reverse_rounds,
    ),
    c.Rule: (Needs(SHIFT_MANAGERS, _ANY, interrupted=True, rule=Rule.SHIFT_MANAGER_DECIDES), trouble.rule),
    c.NoteError: (Needs(CREW, _ANY, interrupted=True, rule=Rule.LATER_ROUND_UNTOUCHED), trouble.note_error),
    c.OpenDispute: (Needs(PLAYERS_AND_CREW, _ANY, interrupted=True, whose=chips.not_himself), trouble.open_dispute),
    c.ResolveDispute: (Needs(SUPERVISORS, _ANY, interrupted=True), trouble.resolve_dispute),
}
"""Every action: what it needs, and who decides the matter."""


def decide(rules: TableRules, state: TableState, command: c.Command) -> list[Event] | Refusal:
    """The events of an allowed command, or why it is refused."""
    needs, handle = ACTIONS[type(command.do)]
    if command.by.role not in needs.roles:
        return _not_yours(rules, needs, command.by)
    refused = None if needs.whose is None else needs.whose(rules, command, command.do)
    if refused is None and command.round is not None and command.round != state.round.number:
        refused = _round_over(command.round, state)
    if refused is None:
        refused = _gate(rules, state, needs)
    if refused is not None:
        return refused
    found = handle(rules, state, command, command.do)
    if needs.reason and state.round.phase in needs.alters:
        refused = _alteration(rules, needs, command)
        if refused is not None and not (isinstance(found, Refusal) and comes_before(found, refused)):
            return refused
    if isinstance(found, Refusal):
        return found
    at, by, authorised_by, reason = command.at, command.by, command.authorised_by, command.reason
    return [Event(at, by, what, authorised_by, reason) for what in found]


def can(rules: TableRules, state: TableState, command: c.Command) -> Refusal | None:
    """Why a command would be refused; None when it is allowed."""
    found = decide(rules, state, command)
    return found if isinstance(found, Refusal) else None


def may_begin(rules: TableRules, state: TableState, person: Person, action: type) -> Refusal | None:
    """Why a person cannot do this kind of thing now, whatever the details; None when he may try."""
    needs, _ = ACTIONS[action]
    return _gate(rules, state, needs) if person.role in needs.roles else _not_yours(rules, needs, person)


def _gate(rules: TableRules, state: TableState, needs: Needs) -> Refusal | None:
    """The table, then the round."""
    if needs.first:
        return None
    set_up = state.set_up
    if set_up is None:
        return _not_set_up()
    if set_up.digest != rules.book.digest:
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
    if needs.only is Code.NOT_SUSPENDED and not state.suspended:
        return rules.refuse(needs.only, "The table is not suspended.", needs.rule)
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
        return _wrong_step(rules, wanted, current.phase, needs.rule)
    return None


def _alteration(rules: TableRules, needs: Needs, command: c.Command) -> Refusal | None:
    """Two people and a reason, where an action alters what stood."""
    if needs.second is not None:
        second = command.authorised_by
        wanted = " or ".join(sorted(needs.second))
        if second is None:
            return rules.refuse(
                Code.SECOND_PERSON_NEEDED,
                "A second person must authorise this.",
                needs.rule,
                allowed=f"with a {wanted}",
            )
        if second.id == command.by.id or second.role not in needs.second:
            return rules.refuse(
                Code.SECOND_PERSON_UNFIT,
                "The one who authorises must be another person, of the right rank.",
                needs.rule,
                allowed=f"with another person who is {wanted}",
            )
    if not command.reason.strip():
        return rules.refuse(Code.REASON_NEEDED, "Say why: a reason is recorded with this.", needs.rule)
    return None


def _not_yours(rules: TableRules, needs: Needs, by: Person) -> Refusal:
    who = " or ".join(sorted(needs.roles))
    article = "An" if by.role is Role.AUDITOR else "A"
    return rules.refuse(Code.NOT_YOURS_TO_DO, f"{article} {by.role} may not do this.", Rule.ROLES, allowed=f"by {who}")


def _round_over(meant: int, state: TableState) -> Refusal:
    sentence = f"This was meant for round {meant}; the table has round {state.round.number}."
    return Refusal(Code.ROUND_OVER, sentence, allowed=f"round {state.round.number}")


def _not_set_up() -> Refusal:
    return Refusal(Code.NOT_SET_UP, "The table is not set up.", allowed="set-up")


def _wrong_table(rules: TableRules, needs: Needs) -> Refusal:
    if needs.table is TablePhase.OPEN:
        return rules.refuse(Code.TABLE_NOT_OPEN, "The table is not open.", Rule.OPENING_CHECK, allowed="open-table")
    return Refusal(Code.TABLE_OPEN, "The table is open; this is done while it is closed.", allowed="close-table")


def _wrong_book(set_up: SetUpState) -> Refusal:
    pinned = f"{set_up.book} with digest {set_up.digest[:16]}…"
    return Refusal(Code.WRONG_BOOK, f"The table stands under {pinned}; this is not it.", allowed=f"book {pinned}")


def _wrong_step(rules: TableRules, wanted: frozenset[RoundPhase], phase: RoundPhase, rule: Rule) -> Refusal:
    if wanted is _BETWEEN:
        sentence = f"A round is in play ({phase}): it must be settled first."
        return rules.refuse(Code.ROUND_IN_PLAY, sentence, rule)
    if wanted is _BETTING and rule is Rule.NO_CHANGE_AFTER_CLOSE:
        return _no_bet_now(rules, phase)
    if wanted is _BETTING:
        code = Code.BETS_NOT_OPEN if phase is RoundPhase.BETWEEN else Code.BETS_CLOSED
        return rules.refuse(code, "Betting is not open.", rule, Rule.BETS_CLOSE)
    order = ", ".join(each for each in RoundPhase if each in wanted)
    return rules.refuse(Code.WRONG_STEP, f"The round is at {phase}; this comes at {order}.", rule)


def _no_bet_now(rules: TableRules, phase: RoundPhase) -> Refusal:
    """For who would place, raise or withdraw."""
    if phase is RoundPhase.BETWEEN:
        sentence = "Betting is not open: wait for the dealer's call."
        return rules.refuse(
            Code.BETS_NOT_OPEN, sentence, Rule.BETS_OPEN, Rule.NO_BET_BEFORE_PAID, allowed="after open-bets"
        )
    sentence = "No more bets: nothing is placed, raised or withdrawn until this round is paid."
    return rules.refuse(
        Code.BETS_CLOSED, sentence, Rule.NO_CHANGE_AFTER_CLOSE, Rule.NO_TOUCHING_LOSERS, allowed="in the next round"
    )
