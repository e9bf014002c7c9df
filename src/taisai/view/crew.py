"""What the crew sees beyond the public view: balances, float, exposure, breaches, what may be done next and why not.

Enters: a table's durable state, its rules, and who looks: what may be done depends on their role. Leaves: a `CrewView`.
Serves R28, R29; `rws-tai-sai-v6` §3.3.
"""

from __future__ import annotations

from typing import Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from taisai.core.dice import roll_of
from taisai.core.rulebook import OpeningItem
from taisai.table.actions import ACTIONS, name_of
from taisai.table.commands import Dice
from taisai.table.decide import may_begin
from taisai.table.figures import chips_for, exposure, table_result
from taisai.table.handlers.betting import breaches
from taisai.table.handlers.dealing import rulings_of
from taisai.table.handlers.shift import runs_left
from taisai.table.ledger import DROP, FLOAT
from taisai.table.people import Person
from taisai.table.refusals import Refusal
from taisai.table.rules import TableRules
from taisai.table.state import (
    TEST_RUN_ITEM,
    Check,
    DiceSet,
    Dispute,
    HeldFact,
    Meters,
    RoundPhase,
    TablePhase,
    TableState,
)
from taisai.view.steps import (
    LosingBox,
    Need,
    NextStep,
    ProcedureView,
    losers,
    needs,
    next_step,
    procedure_view,
)

_SHOWS_PAYMENTS: Final = frozenset(
    {RoundPhase.UNCOVERED, RoundPhase.ANNOUNCED, RoundPhase.ENTERED, RoundPhase.COLLECTED}
)


class ResultFigures(Struct, frozen=True):
    """The shift in the figures of a casino: win = drop + closer + credits - opener - fills."""

    opener: int
    fills: int
    credits: int
    drop: int
    closer: int
    """Counted at the close; while the table is open, what the float holds by the books."""
    win: int
    hold: float | None
    """Win for each unit of drop; null while nothing has been dropped."""


class BreachView(Struct, frozen=True):
    """A box over a limit, or a player under the minimum, while bets are open."""

    box: str
    player: str | None
    """Null when the box as a whole is over."""
    rule: str
    amount: int
    """By how much."""
    clauses: tuple[str, ...]


class RunToMake(Struct, frozen=True):
    """A test run that is to be made: the dice to enter, and the areas that must light."""

    dice: Dice
    lit: tuple[str, ...]


class TestRuns(Struct, frozen=True):
    """The test runs of an opening check."""

    coverage: str
    done: int
    failed: int
    left: int
    next: RunToMake | None


class ExposureView(Struct, frozen=True):
    """The most that the house can lose on the bets that lie now, and on which dice."""

    staked: int
    loss: int
    dice: Dice


class Payout(Struct, frozen=True, kw_only=True):
    """A bet as the dice decide it, with the chips to hand over."""

    player: str
    box: str
    stake: int
    at_risk: int
    pays: int | str | None
    winnings: int
    returned: int
    chips: dict[int, int]
    """The winnings, which the dealer puts beside the stake on the felt: how many of each denomination; under 0, what no
    chip makes."""
    done: bool


class CrewView(Struct, frozen=True, kw_only=True):
    """What the crew of a table sees. What follows from the rules is absent until the table is set up."""

    seq: int
    float: int
    drop: int
    funds: dict[str, int]
    """Chips in hand, by player."""
    dice_in: str | None
    dice_sets: dict[str, DiceSet]
    checks: dict[str, Check]
    held: tuple[HeldFact, ...]
    """Facts that wait for a second person."""
    kept: dict[str, int]
    """What is kept for players who walked away."""
    disputes: dict[str, Dispute]
    meters: Meters
    debts: dict[str, int]
    """Of the players who owe something."""
    moves: dict[str, Refusal | None]
    """For each action of this role: null when it may be tried, else why not."""
    needs: dict[str, Need]
    """The actions that need a second person or a reason now."""
    result: ResultFigures
    next: NextStep | UnsetType | None = UNSET
    procedure: ProcedureView | UnsetType = UNSET
    losers: tuple[LosingBox, ...] | UnsetType = UNSET
    opening: tuple[OpeningItem, ...] | UnsetType = UNSET
    """The items of the opening check."""
    test_runs: TestRuns | UnsetType = UNSET
    """What the lights are proven by, where the book has test runs."""
    breaches: tuple[BreachView, ...] | UnsetType = UNSET
    exposure: ExposureView | UnsetType = UNSET
    """While the table is open."""
    payouts: tuple[Payout, ...] | UnsetType = UNSET
    """Every bet in the order of payment, once the dice are known."""


def crew_view(rules: TableRules | None, state: TableState, person: Person) -> CrewView:
    """What this member of the crew may see; `rules` is None before the table is set up."""
    result = table_result(state)
    view = CrewView(
        seq=state.seq,
        float=state.balance(FLOAT),
        drop=state.balance(DROP),
        funds={player: state.funds(player) for player in state.players},
        dice_in=state.dice_in,
        dice_sets=state.dice_sets,
        checks=state.checks,
        held=state.held,
        kept={player: state.funds(player) for player, seat in state.players.items() if not seat.present},
        disputes=state.disputes,
        meters=state.meters,
        debts={name: debt for name in state.players if (debt := state.balance(f"debt:{name}"))},
        moves={},
        needs={},
        result=ResultFigures(*result[:-1], None if result.hold is None else float(result.hold)),
    )
    if rules is None:
        return view
    return replace(
        view,
        moves=moves(rules, state, person),
        needs=needs(state, person),
        next=next_step(rules, state),
        procedure=procedure_view(rules),
        losers=losers(rules, state),
        opening=rules.book.procedure.opening,
        test_runs=_test_runs(rules, state),
        breaches=tuple(BreachView(*each) for each in breaches(rules, state)),
        exposure=_exposure(rules, state) if state.phase is TablePhase.OPEN else UNSET,
        payouts=payouts(rules, state),
    )


def _test_runs(rules: TableRules, state: TableState) -> TestRuns | UnsetType:
    if state.set_up is None or not any(item.item == TEST_RUN_ITEM for item in rules.book.procedure.opening):
        return UNSET
    layout, _ = rules.at(state)
    left = runs_left(rules, state)
    upcoming = RunToMake(left[0], layout.lit(roll_of(left[0]))) if left else None
    passed = list(state.tested.values())
    return TestRuns(str(state.set_up.coverage), passed.count(True), passed.count(False), len(left), upcoming)


def _exposure(rules: TableRules, state: TableState) -> ExposureView:
    staked, loss, worst = exposure(rules, state)
    return ExposureView(staked, loss, worst.roll.faces)


def moves(rules: TableRules, state: TableState, person: Person) -> dict[str, Refusal | None]:
    """For each action of this person's role: None when they may try it, else why not."""
    found: dict[str, Refusal | None] = {}
    for action, asked in ACTIONS.items():
        if person.role in asked.roles:
            found[name_of(action)] = may_begin(rules, state, person, action)
    return found


def payouts(rules: TableRules, state: TableState) -> tuple[Payout, ...]:
    """Every bet settled by the dice as they lie, in the order of payment, with the chips to hand over."""
    if state.round.phase not in _SHOWS_PAYMENTS or state.set_up is None or state.round.dice is None:
        return ()
    layout, _ = rules.at(state)
    paid = {(line.player, line.box) for line in state.round.lines}
    chips = state.set_up.denominations
    return tuple(
        Payout(
            player=ruling.bet.player,
            box=ruling.bet.box,
            stake=ruling.bet.stake,
            at_risk=ruling.at_risk,
            pays=ruling.pays,
            winnings=ruling.winnings,
            returned=ruling.returned,
            chips=chips_for(ruling.winnings, chips),
            done=(ruling.bet.player, ruling.bet.box) in paid,
        )
        for ruling in rulings_of(layout, state.round)
    )
