"""The crew's view: balances, exposure, breaches, payouts, and which buttons may be pressed."""

from __future__ import annotations

import msgspec
import pytest
from msgspec import UNSET

from taisai.table import commands as c
from taisai.table.actions import ACTIONS, name_of
from taisai.table.decide import decide, may_begin
from taisai.table.people import CREW, Person
from taisai.table.refusals import Refusal
from taisai.table.state import RoundPhase, TablePhase, TableState
from taisai.view.crew import CrewView, crew_view, moves
from tests.core.samples import LAYOUT_NAMES
from tests.table.driver import DEALER, NZ, SHIFT_MANAGER, SUPERVISOR, TAI_SAI, Deal
from tests.view.dealt import Step, as_json, steps_by_chance, steps_of_shifts


def test_a_new_table_has_figures_and_no_rules() -> None:
    """Before the set-up there is nothing to do by a book: what follows from the rules is absent."""
    view = crew_view(None, TableState("T1"), SUPERVISOR)
    assert (view.float, view.moves, view.needs, view.result.hold) == (0, {}, {}, None)
    absent = {"next", "procedure", "losers", "opening", "breaches", "exposure", "payouts"}
    assert absent.isdisjoint(as_json(view))
    assert all(getattr(view, name) is UNSET for name in absent)


def test_figures_of_a_shift() -> None:
    """Float, drop and funds are the ledger's; the result is counted as a casino counts it."""
    deal = Deal(NZ).open().seat(ann=1000, bob=400)
    view = crew_view(deal.rules, deal.state, DEALER)
    assert (view.drop, view.funds) == (1400, {"ann": 1000, "bob": 400})
    assert (view.result.opener, view.result.drop, view.result.win, view.result.hold) == (100_500, 1400, 0, 0.0)
    assert view.result.closer == view.float == 100_500 - 1400


def test_breaches_name_box_player_and_clauses() -> None:
    """A bet found under the minimum names its player; a box over its maximum names nobody."""
    deal = Deal(TAI_SAI, c.TableLimits(5, c.BoxLimit(100, 500))).open().seat(ann=2000).begin()
    deal.felt("ann", "small", 50)
    deal.felt("ann", "big", 600)
    found = {(each.box, each.player, each.amount) for each in crew_view(deal.rules, deal.state, DEALER).breaches or ()}
    assert found == {("small", "ann", 50), ("big", None, 100)}
    assert all(each.clauses for each in crew_view(deal.rules, deal.state, DEALER).breaches or ())


def test_payouts_say_which_chips_to_hand_over() -> None:
    """Once the dice are known every bet has its payment, in chips of the winnings, and is marked when it is done."""
    deal = Deal(NZ).open().seat(ann=1000, bob=1000).begin()
    deal.bet("ann", "small", 105)
    deal.bet("bob", "big", 50)
    assert crew_view(deal.rules, deal.state, DEALER).payouts == ()
    deal.up_to(RoundPhase.UNCOVERED, 1, 2, 3)
    payouts = {each.player: each for each in crew_view(deal.rules, deal.state, DEALER).payouts or ()}
    assert (payouts["ann"].pays, payouts["ann"].returned, payouts["ann"].chips) == (1, 210, {100: 1, 5: 1})
    assert (payouts["bob"].pays, payouts["bob"].returned, payouts["bob"].chips) == (None, 0, {})
    assert as_json(crew_view(deal.rules, deal.state, DEALER))["payouts"][0]["chips"] == {"100": 1, "5": 1}
    assert not payouts["ann"].done


def test_exposure_is_there_while_the_table_is_open() -> None:
    """The worst roll of the bets that lie, from the opening to the close of the table."""
    deal = Deal(NZ).set_up()
    assert crew_view(deal.rules, deal.state, SUPERVISOR).exposure is UNSET
    deal = Deal(NZ).open().seat(ann=1000).begin()
    deal.bet("ann", "small", 100)
    exposure = crew_view(deal.rules, deal.state, DEALER).exposure
    assert exposure is not UNSET
    assert (exposure.staked, exposure.loss) == (100, 100)
    assert sum(exposure.dice) in range(4, 11)


def assert_right(step: Step, person: Person) -> None:
    """A view agrees with the ledger, and a button is grey exactly when the table would refuse."""
    state = step.after
    view = crew_view(step.rules_after, state, person)
    assert view.funds == {name: state.funds(name) for name in state.players}
    assert all(debt < 0 for debt in view.debts.values())
    if step.rules_after is None:
        return
    assert set(view.moves) == {name_of(action) for action, asked in ACTIONS.items() if person.role in asked.roles}
    assert set(view.needs) <= set(view.moves)
    for action in ACTIONS:
        if name_of(action) in view.moves:
            assert view.moves[name_of(action)] == may_begin(step.rules, state, person, action)
    payouts = () if view.payouts is UNSET else view.payouts
    assert {(each.player, each.box) for each in payouts if each.done} == (
        {(line.player, line.box) for line in state.round.lines} if payouts else set()
    )
    assert sum(sum(chip * count for chip, count in each.chips.items() if chip) for each in payouts) <= sum(
        each.returned for each in payouts
    )
    assert (view.exposure is UNSET) == (state.phase is not TablePhase.OPEN)
    assert (view.breaches == ()) or state.round.phase is RoundPhase.BETTING


@pytest.mark.parametrize("person", [DEALER, SUPERVISOR, SHIFT_MANAGER], ids=lambda person: str(person.role))
def test_every_view_of_every_shift(person: Person) -> None:
    """In every shift, for each post, the view agrees with the ledger and with what the table would decide."""
    for step in steps_of_shifts():
        assert_right(step, person)


@pytest.mark.parametrize("layout", LAYOUT_NAMES)
def test_every_view_of_a_table_dealt_by_chance(layout: str) -> None:
    """The same at tables at which everything happens that can."""
    for step in steps_by_chance(layout, 4, moves=30):
        assert_right(step, SUPERVISOR)


def test_a_grey_button_is_what_a_command_would_be_refused_with() -> None:
    """What the view greys out, the table refuses with the same code, in every shift."""
    refused = 0
    for step in steps_of_shifts():
        assert step.command is not None
        if step.rules_before is None or step.command.by.role not in CREW:
            continue
        greyed = moves(step.rules, step.before, step.command.by)[name_of(type(step.command.do))]
        assert greyed is None, "the shift carried it out"
        again = moves(step.rules, step.after, step.command.by)[name_of(type(step.command.do))]
        if again is not None:
            found = decide(step.rules, step.after, step.command)
            assert isinstance(found, Refusal)
            assert found.code == again.code
            refused += 1
    assert refused > 50


def test_a_client_can_read_the_view_back() -> None:
    """What is encoded decodes to the same view."""
    for step in steps_of_shifts()[::10]:
        view = crew_view(step.rules_after, step.after, SUPERVISOR)
        assert msgspec.json.decode(msgspec.json.encode(view), type=CrewView) == view
