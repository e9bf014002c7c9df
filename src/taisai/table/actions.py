"""The declaration of every action: who may do it, when, with whom, and where it stands on the screens.

Enters: the types of `table.commands` and the handlers. Leaves: `ACTIONS`, which `decide` goes by, and the same as
plain values (`declared_actions`) with every action's form, from which the screens and the documentation are made.
Whoever adds an action declares it here, once. Groups show their actions in the order of this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct

from taisai.core.rulebook import Rule
from taisai.table import commands as c
from taisai.table.forms import form_of
from taisai.table.handlers import betting, chips, dealing, shared, shift, trouble
from taisai.table.people import (
    CREW,
    CREW_AND_SYSTEM,
    HOUSE,
    PIT_MANAGERS,
    PLAYERS_AND_CREW,
    SHIFT_MANAGERS,
    SUPERVISORS,
    Role,
)
from taisai.table.refusals import Code, Refusal
from taisai.table.state import RoundPhase, TablePhase, TableState

IN_ROUND: Final = frozenset(RoundPhase) - {RoundPhase.BETWEEN}
BETWEEN: Final = frozenset({RoundPhase.BETWEEN})
BETTING: Final = frozenset({RoundPhase.BETTING})
_CLOSED_BETS: Final = frozenset({RoundPhase.CLOSED})
_UNCOVERED: Final = frozenset({RoundPhase.UNCOVERED})
_PRESSED: Final = frozenset({RoundPhase.UNCOVERED, RoundPhase.ANNOUNCED})
_ANNOUNCED: Final = frozenset({RoundPhase.ANNOUNCED})
_SETTLING: Final = frozenset({RoundPhase.ANNOUNCED, RoundPhase.ENTERED})
_ENTERED: Final = frozenset({RoundPhase.ENTERED})
_COLLECTED: Final = frozenset({RoundPhase.COLLECTED})
_KNOWN: Final = frozenset({RoundPhase.UNCOVERED, RoundPhase.ANNOUNCED, RoundPhase.ENTERED})
_UNSETTLED: Final = IN_ROUND - {RoundPhase.COLLECTED}
_ALWAYS: Final = frozenset(RoundPhase)
_NEVER: Final[frozenset[RoundPhase]] = frozenset()
_ANY, _CLOSED, _OPEN = None, TablePhase.CLOSED, TablePhase.OPEN

Handler = Callable[..., shared.Decision]
WhoseHand = Callable[..., "Refusal | None"]


class Group(StrEnum):
    """Where an action stands: the screen, and the part of it."""

    PLAY_FELT = "play.felt"
    """A player's own felt."""
    DEAL_STEPS = "deal.steps"
    """The steps of a round on the dealer's desk; which one is next is the book's word."""
    DEAL_ENTRY = "deal.entry"
    """The entry terminal."""
    DEAL_PAY = "deal.pay"
    """Beside the payments and breaches that the desk lists."""
    DEAL_TROUBLE = "deal.trouble"
    DEAL_BOX = "deal.box"
    """For one box of the felt."""
    DEAL_PLAYERS = "deal.players"
    """Above the list of players."""
    DEAL_PLAYER = "deal.player"
    """For one player."""
    PIT_SET_UP = "pit.set-up"
    PIT_OPENING = "pit.opening"
    """The opening check of a closed table."""
    PIT_ROUND = "pit.round"
    PIT_TABLE = "pit.table"
    PIT_DICE = "pit.dice"
    PIT_RULINGS = "pit.rulings"
    PIT_DISPUTES = "pit.disputes"
    """For one dispute."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What is declared of an action."""

    handle: Handler
    """Decides the matter itself."""
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
    """Done before the table is set up; its handler finds out what stands in its way."""
    whose: WhoseHand | None = None
    """Whether the one who asks may do it for that player, in that way."""
    rule: Rule = Rule.ROLES
    """The rule cited when it comes at the wrong time."""
    of_round: bool = False
    """Meant for the round that was on the screen: a screen sends that round's number along."""
    house: frozenset[Role] | None = None
    """Who may do it at a table that the house deals; None for the same roles as at any other."""
    groups: tuple[Group, ...] = ()
    """Where it stands on the screens."""
    key: str = ""
    """Its key on the dealer's desk."""

    def alters_in(self, phase: RoundPhase) -> bool:
        """Whether it alters what stood in this phase, and so needs a reason and the second person, if one is named."""
        return self.reason and phase in self.alters


ACTIONS: Final[dict[type, Declaration]] = {
    # the round, step by step
    c.CommitDice: Declaration(
        dealing.commit_dice, CREW, _OPEN, BETWEEN, suspended=_NEVER, house=HOUSE, rule=Rule.BETS_OPEN
    ),
    c.Tumble: Declaration(
        dealing.tumble,
        CREW,
        _OPEN,
        suspended=IN_ROUND,
        house=HOUSE,
        rule=Rule.TUMBLE_COUNT,
        of_round=True,
        groups=(Group.DEAL_STEPS,),
    ),
    c.OpenBets: Declaration(
        dealing.open_bets,
        CREW,
        _OPEN,
        BETWEEN,
        suspended=_NEVER,
        house=HOUSE,
        rule=Rule.NO_BET_BEFORE_PAID,
        of_round=True,
        groups=(Group.DEAL_STEPS,),
    ),
    c.CloseBets: Declaration(
        dealing.close_bets,
        CREW,
        _OPEN,
        BETTING,
        house=HOUSE,
        rule=Rule.BETS_CLOSE,
        of_round=True,
        groups=(Group.DEAL_STEPS,),
    ),
    c.Uncover: Declaration(
        dealing.uncover,
        CREW,
        _OPEN,
        _CLOSED_BETS,
        house=HOUSE,
        rule=Rule.UPPERMOST_FACES,
        of_round=True,
        groups=(Group.DEAL_STEPS,),
    ),
    c.Announce: Declaration(
        dealing.announce,
        CREW,
        _OPEN,
        _UNCOVERED,
        house=HOUSE,
        rule=Rule.UPPERMOST_FACES,
        of_round=True,
        groups=(Group.DEAL_STEPS,),
    ),
    c.Press: Declaration(
        dealing.press,
        CREW,
        _OPEN,
        _PRESSED,
        house=HOUSE,
        rule=Rule.ENTRY_TERMINAL,
        of_round=True,
        groups=(Group.DEAL_ENTRY,),
    ),
    c.Enter: Declaration(
        dealing.enter,
        CREW,
        _OPEN,
        _ANNOUNCED,
        house=HOUSE,
        rule=Rule.ENTRY_TERMINAL,
        of_round=True,
        groups=(Group.DEAL_STEPS,),
    ),
    c.Collect: Declaration(
        dealing.collect,
        CREW,
        _OPEN,
        _SETTLING,
        house=HOUSE,
        rule=Rule.COLLECT_THEN_PAY,
        of_round=True,
        groups=(Group.DEAL_STEPS,),
    ),
    c.PayNext: Declaration(
        dealing.pay_next,
        CREW,
        _OPEN,
        _COLLECTED,
        house=HOUSE,
        rule=Rule.COLLECT_THEN_PAY,
        of_round=True,
        groups=(Group.DEAL_STEPS,),
    ),
    c.PayAll: Declaration(
        dealing.pay_all,
        CREW,
        _OPEN,
        _COLLECTED,
        house=HOUSE,
        rule=Rule.COLLECT_THEN_PAY,
        of_round=True,
        groups=(Group.DEAL_PAY,),
        key="a",
    ),
    # when something is wrong with the round
    c.VoidRound: Declaration(
        trouble.void_round,
        CREW,
        _OPEN,
        _UNSETTLED,
        second=SUPERVISORS,
        reason=True,
        alters=_KNOWN,
        house=CREW_AND_SYSTEM,
        rule=Rule.VOID_RETURNS_BETS,
        of_round=True,
        groups=(Group.DEAL_TROUBLE, Group.PIT_ROUND),
        key="v",
    ),
    c.ReportLights: Declaration(
        dealing.report_lights,
        CREW,
        _OPEN,
        _SETTLING,
        rule=Rule.DICE_DECIDE_OVER_LIGHTS,
        of_round=True,
        groups=(Group.DEAL_TROUBLE, Group.PIT_ROUND),
        key="l",
    ),
    c.AmendEntry: Declaration(
        dealing.amend_entry,
        CREW,
        _OPEN,
        _ENTERED,
        second=SUPERVISORS,
        reason=True,
        house=CREW_AND_SYSTEM,
        rule=Rule.ENTRY_AMENDED,
        of_round=True,
        groups=(Group.DEAL_TROUBLE, Group.PIT_ROUND),
        key="e",
    ),
    c.Interrupt: Declaration(
        trouble.interrupt,
        CREW_AND_SYSTEM,
        _OPEN,
        IN_ROUND,
        rule=Rule.INTERRUPTION_VOID,
        of_round=True,
        groups=(Group.DEAL_TROUBLE, Group.PIT_ROUND),
        key="i",
    ),
    c.ResolveInterruption: Declaration(
        trouble.resolve_interruption,
        CREW,
        _OPEN,
        second=SUPERVISORS,
        reason=True,
        interrupted=True,
        only=Code.NOT_INTERRUPTED,
        house=CREW_AND_SYSTEM,
        rule=Rule.INTERRUPTION_VOID,
        of_round=True,
        groups=(Group.DEAL_TROUBLE, Group.PIT_ROUND),
        key="o",
    ),
    # bets
    c.PlaceBet: Declaration(
        betting.place_bet,
        PLAYERS_AND_CREW,
        _OPEN,
        BETTING,
        suspended=_NEVER,
        whose=betting.wrong_hand,
        rule=Rule.NO_CHANGE_AFTER_CLOSE,
        of_round=True,
        groups=(Group.PLAY_FELT, Group.DEAL_TROUBLE, Group.DEAL_BOX, Group.DEAL_PLAYER),
        key="b",
    ),
    c.WithdrawBet: Declaration(
        betting.withdraw_bet,
        PLAYERS_AND_CREW,
        _OPEN,
        BETTING,
        whose=shared.not_for_themselves,
        rule=Rule.NO_CHANGE_AFTER_CLOSE,
        of_round=True,
        groups=(Group.PLAY_FELT, Group.DEAL_BOX, Group.DEAL_PLAYER),
    ),
    c.AdviseMinimum: Declaration(
        betting.advise_minimum,
        CREW,
        _OPEN,
        BETTING,
        rule=Rule.UNDER_MINIMUM_ADVISED,
        of_round=True,
        groups=(Group.DEAL_PAY, Group.DEAL_BOX),
    ),
    c.RejectExcess: Declaration(
        betting.reject_excess,
        CREW,
        _OPEN,
        BETTING,
        rule=Rule.EXCESS_REJECTED,
        of_round=True,
        groups=(Group.DEAL_PAY, Group.DEAL_BOX),
        key="x",
    ),
    c.CorrectBet: Declaration(
        trouble.correct_bet,
        CREW,
        _OPEN,
        _KNOWN,
        second=SUPERVISORS,
        reason=True,
        rule=Rule.MOVED_WAGER_CORRECTED,
        of_round=True,
        groups=(Group.DEAL_TROUBLE, Group.DEAL_BOX, Group.PIT_ROUND),
        key="m",
    ),
    c.RuleOnLine: Declaration(
        trouble.rule_on_line,
        SUPERVISORS,
        _OPEN,
        _UNSETTLED,
        reason=True,
        rule=Rule.LINE_TOUCHING_BETS,
        of_round=True,
        groups=(Group.DEAL_TROUBLE, Group.DEAL_BOX, Group.PIT_ROUND),
    ),
    # people and chips
    c.SitDown: Declaration(
        chips.sit_down,
        PLAYERS_AND_CREW,
        _OPEN,
        interrupted=True,
        whose=shared.not_for_themselves,
        groups=(Group.DEAL_PLAYERS,),
        key="n",
    ),
    c.BuyIn: Declaration(chips.buy_in, CREW, _OPEN, rule=Rule.CHANGE_BLOCK, groups=(Group.DEAL_PLAYER,)),
    c.CashOut: Declaration(chips.cash_out, CREW, _OPEN, rule=Rule.CHANGE_BLOCK, groups=(Group.DEAL_PLAYER,)),
    c.BringChips: Declaration(chips.bring_chips, CREW, _OPEN, rule=Rule.CHANGE_BLOCK, groups=(Group.DEAL_PLAYER,)),
    c.TakeColour: Declaration(chips.take_colour, CREW, _OPEN, rule=Rule.COLOUR_CHIPS, groups=(Group.DEAL_PLAYER,)),
    c.TurnInColour: Declaration(chips.turn_in_colour, CREW, _OPEN, rule=Rule.COLOUR_CHIPS, groups=(Group.DEAL_PLAYER,)),
    c.SettleDebt: Declaration(chips.settle_debt, CREW, _OPEN, groups=(Group.DEAL_PLAYER,)),
    c.WalkAway: Declaration(
        chips.walk_away,
        CREW_AND_SYSTEM,
        _OPEN,
        interrupted=True,
        rule=Rule.WALK_AWAY_SETTLED,
        groups=(Group.DEAL_PLAYER,),
    ),
    c.LeaveTable: Declaration(
        chips.leave_table,
        PLAYERS_AND_CREW,
        _OPEN,
        interrupted=True,
        whose=shared.not_for_themselves,
        groups=(Group.DEAL_PLAYER,),
    ),
    # the dice
    c.ReceiveDice: Declaration(
        shift.receive_dice,
        SUPERVISORS,
        _ANY,
        interrupted=True,
        rule=Rule.DICE_SET,
        groups=(Group.PIT_OPENING, Group.PIT_DICE),
    ),
    c.SealDice: Declaration(
        shift.seal_dice, SUPERVISORS, _ANY, BETWEEN, rule=Rule.DICE_SET, groups=(Group.PIT_OPENING, Group.PIT_DICE)
    ),
    c.InspectDice: Declaration(
        shift.inspect_dice,
        SUPERVISORS,
        _ANY,
        BETWEEN,
        rule=Rule.DICE_SET,
        groups=(Group.DEAL_TROUBLE, Group.PIT_DICE),
        key="d",
    ),
    c.RetireDice: Declaration(
        shift.retire_dice, SUPERVISORS, _ANY, BETWEEN, rule=Rule.DICE_SET, groups=(Group.PIT_DICE,)
    ),
    # the table and its shift
    c.SetUp: Declaration(shift.set_up, SUPERVISORS, _ANY, first=True, groups=(Group.PIT_SET_UP,)),
    c.AssignDealing: Declaration(shift.assign_dealing, HOUSE, _ANY, interrupted=True),
    c.CountFloat: Declaration(shift.count_float, SUPERVISORS, _CLOSED, groups=(Group.PIT_OPENING,)),
    c.TestRun: Declaration(shift.run_test, SUPERVISORS, _CLOSED, rule=Rule.OPENING_CHECK, groups=(Group.PIT_OPENING,)),
    c.CheckItem: Declaration(
        shift.check_item, SUPERVISORS, _CLOSED, rule=Rule.OPENING_CHECK, groups=(Group.PIT_OPENING,)
    ),
    c.OpenTable: Declaration(
        shift.open_table, SUPERVISORS, _CLOSED, rule=Rule.OPENING_CHECK, groups=(Group.PIT_OPENING,)
    ),
    c.SuspendTable: Declaration(
        shift.suspend,
        CREW,
        _OPEN,
        interrupted=True,
        rule=Rule.SUSPENDED_AFTER_MALFUNCTION,
        groups=(Group.DEAL_TROUBLE, Group.PIT_TABLE),
    ),
    c.ResumeTable: Declaration(
        shift.resume,
        SUPERVISORS,
        _OPEN,
        interrupted=True,
        only=Code.NOT_SUSPENDED,
        rule=Rule.SUSPENDED_AFTER_MALFUNCTION,
        groups=(Group.DEAL_TROUBLE, Group.PIT_TABLE),
    ),
    c.SetLimits: Declaration(
        shift.set_limits,
        SUPERVISORS,
        _ANY,
        BETWEEN,
        second=PIT_MANAGERS,
        reason=True,
        rule=Rule.LIMITS_SHOWN,
        groups=(Group.PIT_TABLE,),
    ),
    c.Fill: Declaration(chips.fill, SUPERVISORS, _OPEN, interrupted=True, groups=(Group.PIT_TABLE,)),
    c.Credit: Declaration(chips.credit, SUPERVISORS, _OPEN, interrupted=True, groups=(Group.PIT_TABLE,)),
    c.CloseTable: Declaration(shift.close_table, SUPERVISORS, _OPEN, BETWEEN, groups=(Group.PIT_TABLE,)),
    # rulings
    c.ReverseRounds: Declaration(
        trouble.reverse_rounds,
        SUPERVISORS,
        _OPEN,
        BETWEEN,
        second=PIT_MANAGERS,
        reason=True,
        rule=Rule.DAMAGED_DICE_VOID,
        groups=(Group.PIT_RULINGS,),
    ),
    c.MakeRuling: Declaration(
        trouble.make_ruling,
        SHIFT_MANAGERS,
        _ANY,
        interrupted=True,
        rule=Rule.SHIFT_MANAGER_DECIDES,
        groups=(Group.PIT_RULINGS,),
    ),
    c.NoteError: Declaration(
        trouble.note_error,
        CREW,
        _ANY,
        interrupted=True,
        rule=Rule.LATER_ROUND_UNTOUCHED,
        groups=(Group.DEAL_TROUBLE, Group.PIT_RULINGS),
    ),
    c.OpenDispute: Declaration(
        trouble.open_dispute,
        PLAYERS_AND_CREW,
        _ANY,
        interrupted=True,
        whose=shared.not_for_themselves,
        groups=(Group.DEAL_TROUBLE, Group.DEAL_PLAYER, Group.PIT_RULINGS),
    ),
    c.ResolveDispute: Declaration(
        trouble.resolve_dispute, SUPERVISORS, _ANY, interrupted=True, groups=(Group.PIT_DISPUTES,)
    ),
}
"""Every action, in the order in which the groups of the screens show them."""


def roles_for(action: type, state: TableState) -> frozenset[Role]:
    """Who may ask for an action at this table: where the house deals, the crew may stop a round but not deal it."""
    declared = ACTIONS[action]
    if state.dealt_by is c.DealtBy.HOUSE and declared.house is not None:
        return declared.house
    return declared.roles


def name_of(action: type[Struct]) -> str:
    """The stable name of an action."""
    return str(action.__struct_config__.tag)


def declared_actions() -> dict[str, dict[str, Any]]:
    """Every action by its name, as plain values: who, when, where on the screens, and its form."""
    return {name_of(action): _plain(action, declared) for action, declared in ACTIONS.items()}


def _plain(action: type[Struct], declared: Declaration) -> dict[str, Any]:
    phases = None if declared.round is None else [str(each) for each in RoundPhase if each in declared.round]
    return {
        "roles": [str(role) for role in Role if role in declared.roles],
        "table": None if declared.table is None else str(declared.table),
        "round": phases,
        "second": [str(role) for role in Role if role in (declared.second or ())],
        "reason": declared.reason,
        "of_round": declared.of_round,
        "groups": [str(group) for group in declared.groups],
        "key": declared.key,
        "fields": [
            {name: value for name, value in field._asdict().items() if value not in (None, "", ())}
            for field in form_of(action)
        ],
    }
