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

from taisai.core.rulebook import Rule, Step
from taisai.table import commands as c
from taisai.table.forms import form_of
from taisai.table.handlers import betting, chips, dealing, facts, rulings, shared, shift, trouble
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
_AFTER_CLOSE: Final = _KNOWN | {RoundPhase.CLOSED}
_ALWAYS: Final = frozenset(RoundPhase)
_NEVER: Final[frozenset[RoundPhase]] = frozenset()
_SUPERVISORS_AND_SYSTEM: Final = SUPERVISORS | HOUSE
_ANY, _CLOSED, _OPEN = None, TablePhase.CLOSED, TablePhase.OPEN

Handler = Callable[..., shared.Decision]
WhoseHand = Callable[..., "Refusal | None"]


class Nature(StrEnum):
    """What kind of thing an action is, which says when it can be refused."""

    ACT = "act"
    """An act of the game: refused when the book does not allow it now."""
    FACT = "fact"
    """What happened: never refused because it is inconvenient. Rank, form and existence are checked."""
    RULING = "ruling"
    """What somebody decides: by those whom the book names, and refused when the record contradicts it."""


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
    nature: Nature = Nature.ACT
    second: frozenset[Role] | None = None
    """Who must authorise it, beside the one who asks."""
    alone: frozenset[Role] = frozenset()
    """Who needs nobody beside them."""
    reason: bool = False
    alters: frozenset[RoundPhase] = _ALWAYS
    """When it needs the second person and the reason."""
    suspended: frozenset[RoundPhase] = _ALWAYS
    """When it is allowed while the table is suspended: the round in play is brought to its end."""
    interrupted: bool = False
    """Allowed while the round is interrupted."""
    held: bool = True
    """Allowed while a fact waits for a second person to attest it."""
    late: bool = False
    """Also about a round that is over."""
    only: Code | None = None
    """NOT_SUSPENDED or NOT_INTERRUPTED: done only while the table or the round is."""
    first: bool = False
    """Done before the table is set up; its handler finds out what stands in its way."""
    brings: bool = False
    """Brings money to the table, or takes it away: no account holds more than a table can (`bounds`)."""
    any_book: bool = False
    """Done though the book at hand is not the one that the table stands under: what winds a table down."""
    whose: WhoseHand | None = None
    """Whether the one who asks may do it for that player, in that way."""
    rule: Rule | None = None
    """The rule cited when it comes at the wrong time, unless it is a step of the round."""
    step: Step | None = None
    """The step of the book's procedure, whose clause is cited when it comes at the wrong time."""
    rank: Rule | None = None
    """The rule that says who may do it."""
    equipment: bool = False
    """It starts the tumbler or uses the terminal, which the book keeps from everybody else."""
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
_step = partial(
    Declaration, roles=CREW, table=_OPEN, house=HOUSE, held=False, of_round=True, rank=Rule.ROLES,
    groups=(Group.DEAL_STEPS,),
)  # fmt: skip
_trouble = partial(
    Declaration, nature=Nature.FACT, roles=CREW, table=_OPEN, of_round=True, rank=Rule.ROLES,
    groups=(Group.DEAL_TROUBLE, Group.PIT_ROUND),
)  # fmt: skip
_bets = partial(Declaration, table=_OPEN, of_round=True, held=False, rank=Rule.STAFF_BETS)
_chips = partial(Declaration, roles=CREW, table=_OPEN, groups=(Group.DEAL_PLAYER,))
_dice = partial(Declaration, roles=SUPERVISORS, table=_ANY, round=BETWEEN, rule=Rule.DICE_SET)
_opening = partial(
    Declaration, roles=SUPERVISORS, table=_CLOSED, rule=Rule.OPENING_CHECK, rank=Rule.OPENING_CHECK,
    groups=(Group.PIT_OPENING,),
)  # fmt: skip
_table = partial(Declaration, roles=SUPERVISORS, table=_OPEN, groups=(Group.PIT_TABLE,))
_ruling = partial(Declaration, nature=Nature.RULING, table=_ANY, interrupted=True, groups=(Group.PIT_RULINGS,))

ACTIONS: Final[dict[type, Declaration]] = {
    # the round, step by step
    c.CommitDice: _step(
        dealing.commit_dice, round=BETWEEN, suspended=_NEVER, rule=Rule.BETS_OPEN, of_round=False, groups=()
    ),
    c.Tumble: _step(
        dealing.tumble, nature=Nature.FACT, held=True, interrupted=True, rule=Rule.TUMBLE_COUNT, equipment=True
    ),
    c.OpenBets: _step(
        dealing.open_bets, round=BETWEEN, suspended=_NEVER, rule=Rule.NO_BET_BEFORE_PAID, step=Step.OPEN_BETS
    ),
    c.CloseBets: _step(dealing.close_bets, round=BETTING, rule=Rule.BETS_CLOSE),
    c.DrawOdds: _step(dealing.draw_odds, round=_CLOSED_BETS, rule=Rule.PAY_TABLE),
    c.Uncover: _step(dealing.uncover, round=_CLOSED_BETS, step=Step.UNCOVER, equipment=True),
    c.Announce: _step(dealing.announce, round=_UNCOVERED, step=Step.ANNOUNCE),
    c.Press: _step(dealing.press, round=_PRESSED, rule=Rule.ENTRY_TERMINAL, equipment=True, groups=(Group.DEAL_ENTRY,)),
    c.Enter: _step(dealing.enter, round=_ANNOUNCED, step=Step.ENTER, equipment=True),
    c.Collect: _step(dealing.collect, round=_SETTLING, step=Step.COLLECT),
    c.PayNext: _step(dealing.pay_next, round=_COLLECTED, step=Step.PAY),
    c.PayAll: _step(dealing.pay_all, round=_COLLECTED, step=Step.PAY, groups=(Group.DEAL_PAY,), key="a"),
    # when something is wrong with the round
    c.Report: _trouble(
        facts.report, table=_ANY, late=True, second=SUPERVISORS, interrupted=True, house=CREW_AND_SYSTEM,
        rule=Rule.VOID_RETURNS_BETS, key="v",
    ),
    c.Attest: _trouble(
        facts.attest, table=_ANY, interrupted=True, of_round=False, rule=Rule.VOID_RETURNS_BETS, key="t"
    ),
    c.CorrectDice: _trouble(
        dealing.correct_dice, held=False, round=_KNOWN, second=SUPERVISORS, reason=True, alters=_SETTLING,
        step=Step.UNCOVER, key="c",
    ),
    c.AmendEntry: _trouble(
        dealing.amend_entry, nature=Nature.RULING, held=False, round=_ENTERED, second=SUPERVISORS, alone=SUPERVISORS,
        reason=True, house=CREW_AND_SYSTEM, rule=Rule.ENTRY_AMENDED, rank=Rule.ENTRY_AMENDED, key="e",
    ),
    c.OpenDice: _step(
        dealing.open_dice, table=_ANY, round=BETWEEN, of_round=False, rule=Rule.VOID_RETURNS_BETS, groups=()
    ),
    c.Interrupt: _trouble(
        trouble.interrupt, table=_ANY, roles=CREW_AND_SYSTEM, rule=Rule.INTERRUPTION_VOID, key="i"
    ),
    c.ResolveInterruption: _trouble(
        trouble.resolve_interruption, held=False, second=SUPERVISORS, reason=True, interrupted=True,
        only=Code.NOT_INTERRUPTED, house=CREW_AND_SYSTEM, rule=Rule.INTERRUPTION_VOID, key="o",
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
        betting.advise_minimum, nature=Nature.FACT, held=True, interrupted=True, roles=CREW, round=BETTING,
        rule=Rule.UNDER_MINIMUM_ADVISED,
        groups=(Group.DEAL_PAY, Group.DEAL_BOX),
    ),
    c.RejectExcess: _bets(
        betting.reject_excess, roles=CREW_AND_SYSTEM, round=BETTING, rule=Rule.EXCESS_REJECTED, key="x",
        groups=(Group.DEAL_PAY, Group.DEAL_BOX),
    ),
    c.CorrectBet: _bets(
        rulings.correct_bet, nature=Nature.RULING, roles=CREW, round=_AFTER_CLOSE, second=SUPERVISORS, reason=True,
        house=HOUSE, rule=Rule.MOVED_WAGER_CORRECTED, rank=Rule.MOVED_WAGER_CORRECTED, key="m",
        groups=(Group.DEAL_TROUBLE, Group.DEAL_BOX, Group.PIT_ROUND),
    ),
    c.TouchLine: _bets(
        rulings.touch_line, nature=Nature.FACT, held=True, interrupted=True, roles=CREW, round=IN_ROUND,
        second=SUPERVISORS,
        house=HOUSE, rule=Rule.LINE_TOUCHING_BETS, groups=(Group.DEAL_TROUBLE, Group.DEAL_BOX, Group.PIT_ROUND),
    ),
    c.RuleOnLine: _bets(
        rulings.rule_on_line, nature=Nature.RULING, roles=SUPERVISORS, round=IN_ROUND, reason=True,
        house=HOUSE, rule=Rule.LINE_TOUCHING_BETS, rank=Rule.LINE_TOUCHING_BETS,
        groups=(Group.DEAL_TROUBLE, Group.DEAL_BOX, Group.PIT_ROUND),
    ),
    # people and chips
    c.SitDown: _chips(
        chips.sit_down, roles=PLAYERS_AND_CREW, interrupted=True, whose=shared.not_for_themselves, key="n",
        groups=(Group.DEAL_PLAYERS,),
    ),
    c.BuyIn: _chips(chips.buy_in, brings=True, rule=Rule.CHANGE_BLOCK),
    c.CashOut: _chips(chips.cash_out, any_book=True, rule=Rule.CHANGE_BLOCK),
    c.BringChips: _chips(chips.bring_chips, brings=True, rule=Rule.CHANGE_BLOCK),
    c.TakeColour: _chips(chips.take_colour, rule=Rule.COLOUR_CHIPS),
    c.TurnInColour: _chips(chips.turn_in_colour, any_book=True, rule=Rule.COLOUR_CHIPS),
    c.SettleDebt: _chips(chips.settle_debt),
    c.WalkAway: _chips(
        chips.walk_away, nature=Nature.FACT, roles=CREW_AND_SYSTEM, interrupted=True, rule=Rule.WALK_AWAY_SETTLED
    ),
    c.LeaveTable: _chips(
        chips.leave_table, roles=PLAYERS_AND_CREW, interrupted=True, whose=shared.not_for_themselves
    ),
    # the dice
    c.ReceiveDice: _dice(
        shift.receive_dice, round=None, interrupted=True, groups=(Group.PIT_OPENING, Group.PIT_DICE)
    ),
    c.SealDice: _dice(shift.seal_dice, groups=(Group.PIT_OPENING, Group.PIT_DICE)),
    c.InspectDice: _dice(
        facts.inspect_dice, nature=Nature.FACT, second=SUPERVISORS, groups=(Group.DEAL_TROUBLE, Group.PIT_DICE), key="d"
    ),
    c.RetireDice: _dice(shift.retire_dice, held=False, groups=(Group.PIT_DICE,)),
    # the table and its shift
    c.SetUp: _table(
        shift.set_up, roles=_SUPERVISORS_AND_SYSTEM, table=_ANY, first=True, groups=(Group.PIT_SET_UP,)
    ),
    c.AssignDealing: _table(shift.assign_dealing, roles=HOUSE, table=_ANY, interrupted=True, groups=()),
    c.TestSource: _opening(shift.run_source_test, roles=HOUSE, table=_ANY, nature=Nature.FACT, groups=()),
    c.SetClock: _table(shift.set_clock, roles=HOUSE, table=_ANY, interrupted=True, nature=Nature.FACT, groups=()),
    c.CountFloat: _opening(shift.count_float, brings=True, house=_SUPERVISORS_AND_SYSTEM, rule=None, rank=None),
    c.TestRun: _opening(
        shift.run_test, nature=Nature.FACT, table=_ANY, round=BETWEEN, rule=Rule.TEST_RUNS,
        groups=(Group.PIT_OPENING, Group.PIT_TABLE),
    ),
    c.CheckItem: _opening(shift.check_item, nature=Nature.FACT),
    c.OpenTable: _opening(shift.open_table, house=_SUPERVISORS_AND_SYSTEM),
    c.SuspendTable: _table(
        shift.suspend, roles=CREW, interrupted=True, rule=Rule.SUSPENDED_AFTER_MALFUNCTION,
        rank=Rule.SUSPENDED_AFTER_MALFUNCTION,
        groups=(Group.DEAL_TROUBLE, Group.PIT_TABLE),
    ),
    c.ResumeTable: _table(
        shift.resume, nature=Nature.RULING, interrupted=True, only=Code.NOT_SUSPENDED,
        rule=Rule.SUSPENDED_AFTER_MALFUNCTION, rank=Rule.SUSPENDED_AFTER_MALFUNCTION,
        groups=(Group.DEAL_TROUBLE, Group.PIT_TABLE),
    ),
    c.SetLimits: _table(
        shift.set_limits, table=_ANY, round=BETWEEN, second=PIT_MANAGERS, reason=True, rule=Rule.MINIMUM
    ),
    c.Fill: _table(chips.fill, brings=True, interrupted=True),
    c.Credit: _table(chips.credit, interrupted=True),
    c.CloseTable: _table(shift.close_table, brings=True, round=BETWEEN, held=False, any_book=True),
    # rulings
    c.MakeRuling: _ruling(
        rulings.make_ruling, brings=True, roles=SHIFT_MANAGERS, held=False, rule=Rule.SHIFT_MANAGER_DECIDES,
        rank=Rule.SHIFT_MANAGER_DECIDES,
    ),
    c.NoteError: _ruling(
        trouble.note_error, nature=Nature.FACT, roles=CREW, rule=Rule.LATER_ROUND_UNTOUCHED,
        groups=(Group.DEAL_TROUBLE, Group.PIT_RULINGS),
    ),
    c.OpenDispute: _ruling(
        trouble.open_dispute, nature=Nature.FACT, roles=PLAYERS_AND_CREW, whose=shared.not_for_themselves,
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
        "nature": str(declared.nature),
        "reason": declared.reason,
        "of_round": declared.of_round,
        "groups": [str(group) for group in declared.groups],
        "key": declared.key,
        "fields": [
            {name: value for name, value in field._asdict().items() if value not in (None, "", ())}
            for field in form_of(action)
        ],
    }
