"""The declaration of every action: who may do it, when, with whom, and where it stands on the screens.

Enters: the types of `table.commands` and the handlers. Leaves: `ACTIONS`, which `decide` goes by, and the same as
plain values (`declared_actions`) with every action's form, from which the screens and the documentation are made.
Whoever adds an action declares it here, once. Groups show their actions in the order of this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
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


# What the actions of a section have in common; an action may say otherwise.
_step = partial(Declaration, roles=CREW, table=_OPEN, house=HOUSE, of_round=True, groups=(Group.DEAL_STEPS,))
_trouble = partial(Declaration, roles=CREW, table=_OPEN, of_round=True, groups=(Group.DEAL_TROUBLE, Group.PIT_ROUND))
_bets = partial(Declaration, table=_OPEN, of_round=True)
_chips = partial(Declaration, roles=CREW, table=_OPEN, groups=(Group.DEAL_PLAYER,))
_dice = partial(Declaration, roles=SUPERVISORS, table=_ANY, round=BETWEEN, rule=Rule.DICE_SET)
_opening = partial(Declaration, roles=SUPERVISORS, table=_CLOSED, rule=Rule.OPENING_CHECK, groups=(Group.PIT_OPENING,))
_table = partial(Declaration, roles=SUPERVISORS, table=_OPEN, groups=(Group.PIT_TABLE,))
_ruling = partial(Declaration, table=_ANY, interrupted=True, groups=(Group.PIT_RULINGS,))

ACTIONS: Final[dict[type, Declaration]] = {
    # the round, step by step
    c.CommitDice: _step(
        dealing.commit_dice, round=BETWEEN, suspended=_NEVER, rule=Rule.BETS_OPEN, of_round=False, groups=()
    ),
    c.Tumble: _step(dealing.tumble, suspended=IN_ROUND, rule=Rule.TUMBLE_COUNT),
    c.OpenBets: _step(dealing.open_bets, round=BETWEEN, suspended=_NEVER, rule=Rule.NO_BET_BEFORE_PAID),
    c.CloseBets: _step(dealing.close_bets, round=BETTING, rule=Rule.BETS_CLOSE),
    c.Uncover: _step(dealing.uncover, round=_CLOSED_BETS, rule=Rule.UPPERMOST_FACES),
    c.Announce: _step(dealing.announce, round=_UNCOVERED, rule=Rule.UPPERMOST_FACES),
    c.Press: _step(dealing.press, round=_PRESSED, rule=Rule.ENTRY_TERMINAL, groups=(Group.DEAL_ENTRY,)),
    c.Enter: _step(dealing.enter, round=_ANNOUNCED, rule=Rule.ENTRY_TERMINAL),
    c.Collect: _step(dealing.collect, round=_SETTLING, rule=Rule.COLLECT_THEN_PAY),
    c.PayNext: _step(dealing.pay_next, round=_COLLECTED, rule=Rule.COLLECT_THEN_PAY),
    c.PayAll: _step(dealing.pay_all, round=_COLLECTED, rule=Rule.COLLECT_THEN_PAY, groups=(Group.DEAL_PAY,), key="a"),
    # when something is wrong with the round
    c.VoidRound: _trouble(
        trouble.void_round, round=_UNSETTLED, second=SUPERVISORS, reason=True, alters=_KNOWN, house=CREW_AND_SYSTEM,
        rule=Rule.VOID_RETURNS_BETS, key="v",
    ),
    c.ReportLights: _trouble(
        dealing.report_lights, round=_SETTLING, rule=Rule.DICE_DECIDE_OVER_LIGHTS, key="l"
    ),
    c.AmendEntry: _trouble(
        dealing.amend_entry, round=_ENTERED, second=SUPERVISORS, reason=True, house=CREW_AND_SYSTEM,
        rule=Rule.ENTRY_AMENDED, key="e",
    ),
    c.Interrupt: _trouble(
        trouble.interrupt, roles=CREW_AND_SYSTEM, round=IN_ROUND, rule=Rule.INTERRUPTION_VOID, key="i"
    ),
    c.ResolveInterruption: _trouble(
        trouble.resolve_interruption, second=SUPERVISORS, reason=True, interrupted=True, only=Code.NOT_INTERRUPTED,
        house=CREW_AND_SYSTEM, rule=Rule.INTERRUPTION_VOID, key="o",
    ),
    # bets
    c.PlaceBet: _bets(
        betting.place_bet, roles=PLAYERS_AND_CREW, round=BETTING, suspended=_NEVER, whose=betting.wrong_hand,
        rule=Rule.NO_CHANGE_AFTER_CLOSE, key="b",
        groups=(Group.PLAY_FELT, Group.DEAL_TROUBLE, Group.DEAL_BOX, Group.DEAL_PLAYER),
    ),
    c.WithdrawBet: _bets(
        betting.withdraw_bet, roles=PLAYERS_AND_CREW, round=BETTING, whose=shared.not_for_themselves,
        rule=Rule.NO_CHANGE_AFTER_CLOSE, groups=(Group.PLAY_FELT, Group.DEAL_BOX, Group.DEAL_PLAYER),
    ),
    c.AdviseMinimum: _bets(
        betting.advise_minimum, roles=CREW, round=BETTING, rule=Rule.UNDER_MINIMUM_ADVISED,
        groups=(Group.DEAL_PAY, Group.DEAL_BOX),
    ),
    c.RejectExcess: _bets(
        betting.reject_excess, roles=CREW, round=BETTING, rule=Rule.EXCESS_REJECTED, key="x",
        groups=(Group.DEAL_PAY, Group.DEAL_BOX),
    ),
    c.CorrectBet: _bets(
        trouble.correct_bet, roles=CREW, round=_KNOWN, second=SUPERVISORS, reason=True,
        rule=Rule.MOVED_WAGER_CORRECTED, key="m", groups=(Group.DEAL_TROUBLE, Group.DEAL_BOX, Group.PIT_ROUND),
    ),
    c.RuleOnLine: _bets(
        trouble.rule_on_line, roles=SUPERVISORS, round=_UNSETTLED, reason=True, rule=Rule.LINE_TOUCHING_BETS,
        groups=(Group.DEAL_TROUBLE, Group.DEAL_BOX, Group.PIT_ROUND),
    ),
    # people and chips
    c.SitDown: _chips(
        chips.sit_down, roles=PLAYERS_AND_CREW, interrupted=True, whose=shared.not_for_themselves, key="n",
        groups=(Group.DEAL_PLAYERS,),
    ),
    c.BuyIn: _chips(chips.buy_in, rule=Rule.CHANGE_BLOCK),
    c.CashOut: _chips(chips.cash_out, rule=Rule.CHANGE_BLOCK),
    c.BringChips: _chips(chips.bring_chips, rule=Rule.CHANGE_BLOCK),
    c.TakeColour: _chips(chips.take_colour, rule=Rule.COLOUR_CHIPS),
    c.TurnInColour: _chips(chips.turn_in_colour, rule=Rule.COLOUR_CHIPS),
    c.SettleDebt: _chips(chips.settle_debt),
    c.WalkAway: _chips(chips.walk_away, roles=CREW_AND_SYSTEM, interrupted=True, rule=Rule.WALK_AWAY_SETTLED),
    c.LeaveTable: _chips(
        chips.leave_table, roles=PLAYERS_AND_CREW, interrupted=True, whose=shared.not_for_themselves
    ),
    # the dice
    c.ReceiveDice: _dice(
        shift.receive_dice, round=None, interrupted=True, groups=(Group.PIT_OPENING, Group.PIT_DICE)
    ),
    c.SealDice: _dice(shift.seal_dice, groups=(Group.PIT_OPENING, Group.PIT_DICE)),
    c.InspectDice: _dice(shift.inspect_dice, groups=(Group.DEAL_TROUBLE, Group.PIT_DICE), key="d"),
    c.RetireDice: _dice(shift.retire_dice, groups=(Group.PIT_DICE,)),
    # the table and its shift
    c.SetUp: _table(shift.set_up, table=_ANY, first=True, groups=(Group.PIT_SET_UP,)),
    c.AssignDealing: _table(shift.assign_dealing, roles=HOUSE, table=_ANY, interrupted=True, groups=()),
    c.CountFloat: _opening(shift.count_float, rule=Rule.ROLES),
    c.TestRun: _opening(shift.run_test),
    c.CheckItem: _opening(shift.check_item),
    c.OpenTable: _opening(shift.open_table),
    c.SuspendTable: _table(
        shift.suspend, roles=CREW, interrupted=True, rule=Rule.SUSPENDED_AFTER_MALFUNCTION,
        groups=(Group.DEAL_TROUBLE, Group.PIT_TABLE),
    ),
    c.ResumeTable: _table(
        shift.resume, interrupted=True, only=Code.NOT_SUSPENDED, rule=Rule.SUSPENDED_AFTER_MALFUNCTION,
        groups=(Group.DEAL_TROUBLE, Group.PIT_TABLE),
    ),
    c.SetLimits: _table(
        shift.set_limits, table=_ANY, round=BETWEEN, second=PIT_MANAGERS, reason=True, rule=Rule.LIMITS_SHOWN
    ),
    c.Fill: _table(chips.fill, interrupted=True),
    c.Credit: _table(chips.credit, interrupted=True),
    c.CloseTable: _table(shift.close_table, round=BETWEEN),
    # rulings
    c.ReverseRounds: _ruling(
        trouble.reverse_rounds, roles=SUPERVISORS, table=_OPEN, round=BETWEEN, interrupted=False,
        second=PIT_MANAGERS, reason=True, rule=Rule.DAMAGED_DICE_VOID,
    ),
    c.MakeRuling: _ruling(trouble.make_ruling, roles=SHIFT_MANAGERS, rule=Rule.SHIFT_MANAGER_DECIDES),
    c.NoteError: _ruling(
        trouble.note_error, roles=CREW, rule=Rule.LATER_ROUND_UNTOUCHED,
        groups=(Group.DEAL_TROUBLE, Group.PIT_RULINGS),
    ),
    c.OpenDispute: _ruling(
        trouble.open_dispute, roles=PLAYERS_AND_CREW, whose=shared.not_for_themselves,
        groups=(Group.DEAL_TROUBLE, Group.DEAL_PLAYER, Group.PIT_RULINGS),
    ),
    c.ResolveDispute: _ruling(trouble.resolve_dispute, roles=SUPERVISORS, groups=(Group.PIT_DISPUTES,)),
}  # fmt: skip
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
