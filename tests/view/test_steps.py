"""The next step of a round and what actions need: by the book, and never one that the table would refuse."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from taisai.core.rulebook import Fact
from taisai.core.rulebook import Step as BookStep
from taisai.table import commands as c
from taisai.table.actions import ACTIONS, name_of
from taisai.table.decide import may_begin
from taisai.table.people import Role
from taisai.table.rules import TableRules
from taisai.table.state import RoundPhase
from taisai.view.steps import NextStep, losers, needs, next_step, procedure_view
from tests.core.samples import LAYOUT_NAMES
from tests.table.driver import DEALER, NZ, ONE_OF_EACH_BOOK, OPEN_COVER, SUPERVISOR, SYSTEM, Deal
from tests.view.dealt import Step, as_json, steps_by_chance, steps_of_shifts

BY_NAME = {name_of(action): action for action in ACTIONS}


def assert_may_begin(step: Step, found: NextStep) -> None:
    """The dealer may take the step, or the house's own dealer where the house deals."""
    refused = [may_begin(step.rules, step.after, person, BY_NAME[found.do]) for person in (DEALER, SYSTEM)]
    assert None in refused, (found, refused)


def test_the_next_step_may_be_taken_in_every_shift() -> None:
    """Whatever the view proposes, whoever deals may begin: after every command of every shift."""
    proposed = set()
    for step in steps_of_shifts():
        if step.rules_after is None:
            continue
        found = next_step(step.rules, step.after)
        if found is not None:
            proposed.add(found.do)
            assert_may_begin(step, found)
    assert proposed == {
        "tumble", "open-bets", "close-bets", "draw-odds", "uncover", "announce", "enter", "amend-entry", "collect",
        "pay-next", "resolve-interruption", "attest",
    }  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUT_NAMES)
def test_the_next_step_may_be_taken_at_tables_dealt_by_chance(layout: str) -> None:
    """The same after each event of a table at which everything happens that can."""
    for step in steps_by_chance(layout, 5, moves=40):
        if step.rules_after is not None and (found := next_step(step.rules, step.after)) is not None:
            assert_may_begin(step, found)


@pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
def test_the_steps_lead_through_a_round(layout: str) -> None:
    """Doing what is proposed deals a whole round, in the order of the book's procedure."""
    deal = Deal(layout).open().seat(ann=1000)
    box = next(iter(deal.rules.book.layouts[layout.partition("/")[2]].boxes))
    done: list[str] = []
    while not deal.state.history:
        found = next_step(deal.rules, deal.state)
        assert found is not None
        done.append(found.do)
        match found.do:
            case "tumble":
                assert found.times is not UNSET
                deal.do(c.Tumble(found.times))
            case "uncover":
                deal.do(c.Uncover((1, 2, 3)))
            case "enter":
                for number in (1, 2, 3):
                    deal.do(c.Press(number))
                deal.do(c.Enter())
            case "close-bets":
                deal.bet("ann", box, 100)
                deal.do(c.CloseBets())
            case name:
                deal.do(BY_NAME[name]())
    assert tuple(done) == procedure_view(deal.rules).steps


def test_a_step_says_its_words() -> None:
    """The calls of the book come with the steps that are called, and nothing that does not belong to a step."""
    deal = Deal(NZ).open()
    calls = deal.rules.book.procedure.calls
    assert as_json(next_step(deal.rules, deal.state)) == {"do": "tumble", "times": 3}
    deal.do(c.Tumble(3))
    assert next_step(deal.rules, deal.state) == NextStep(do="open-bets", say=calls.open)
    deal.do(c.OpenBets())
    assert next_step(deal.rules, deal.state) == NextStep(do="close-bets", say=calls.close, bell=calls.bell)


def test_a_closed_or_suspended_table_has_no_next_step() -> None:
    """There is nothing to propose before the opening, nor between rounds while the table is suspended."""
    deal = Deal(NZ).set_up()
    assert next_step(deal.rules, deal.state) is None
    deal = Deal(NZ).open()
    deal.do(c.SuspendTable("a fuse"))
    assert next_step(deal.rules, deal.state) is None


def test_what_needs_a_second_person_is_named_with_who_may() -> None:
    """The dice are corrected freely until they are called; then with a supervisor and a reason."""
    deal = Deal(NZ).open().begin()
    deal.up_to(RoundPhase.UNCOVERED, 1, 2, 3)
    assert "correct-dice" not in needs(deal.state, DEALER)
    deal.up_to(RoundPhase.ANNOUNCED, 1, 2, 3)
    found = needs(deal.state, DEALER)["correct-dice"]
    assert found.reason
    assert found.second == (Role.SUPERVISOR, Role.PIT_MANAGER, Role.SHIFT_MANAGER)
    assert needs(deal.state, SUPERVISOR)["rule-on-line"].second == ()


def test_losers_are_collected_box_by_box() -> None:
    """What is taken from each losing box, and from whom, while it lies there; nothing before and nothing after."""
    deal = Deal(OPEN_COVER).open().seat(ann=1000, bob=1000).begin()
    deal.bet("ann", "big", 100)
    deal.bet("bob", "big", 50)
    deal.bet("bob", "small", 50)
    assert losers(deal.rules, deal.state) == ()
    deal.up_to(RoundPhase.UNCOVERED, 1, 2, 3)
    (big,) = losers(deal.rules, deal.state)
    assert (big.box, big.amount, set(big.players)) == ("big", 150, {"ann", "bob"})
    deal.up_to(RoundPhase.COLLECTED)
    assert losers(deal.rules, deal.state) == ()


@pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
def test_the_procedure_is_the_books(layout: str) -> None:
    """Device, tumbles, steps and voids are those of the book; lights are no step of a person."""
    rules: TableRules = Deal(layout).rules
    procedure, view = rules.book.procedure, procedure_view(rules)
    assert (view.device, view.tumbles_min, view.void_call) == (
        procedure.device,
        procedure.tumbles_min,
        procedure.calls.void,
    )
    assert len(view.steps) == sum(each.step is not BookStep.LIGHT for each in procedure.steps)
    named = [fact for fact in procedure.facts if fact != "interrupted"]
    assert [each.fact for each in view.facts][: len(named)] == named
    assert all(each.clauses and each.summary and each.then for each in view.facts[: len(named)])


@pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
def test_every_fact_that_can_happen_is_offered(layout: str) -> None:
    """What a book does not name can be recorded all the same; equipment that the table does not have cannot fail."""
    rules = Deal(layout).rules
    view = procedure_view(rules)
    offered, named = {each.fact for each in view.facts}, set(rules.book.procedure.facts)
    assert {each.fact for each in view.facts if each.then == ("record",)} == offered - named
    missing = set(Fact) - offered - {Fact.INTERRUPTED, Fact.ACTIVATED_BEFORE_CLOSE}
    assert missing == ({Fact.LIGHTS_FAULT} if not rules.has_lights else set()) | (
        {Fact.TERMINAL_DEAD} if not rules.has_terminal else set()
    )
