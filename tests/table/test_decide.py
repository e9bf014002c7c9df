"""One rule behind three doors: `decide`, `can` and `may_begin` agree, whatever is asked in whatever state."""

from __future__ import annotations

from functools import cache
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.table import commands as c
from taisai.table.decide import can, decide, may_begin
from taisai.table.evolve import evolve
from taisai.table.people import Person
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import TableRules
from taisai.table.state import RoundPhase, TableState, snapshot_of, state_from
from tests.core.samples import LAYOUT_NAMES
from tests.table.driver import (
    DEALER,
    NZ,
    SHIFT_MANAGER,
    SUPERVISOR,
    TAI_SAI,
    TAI_SAI_C,
    Deal,
    opened,
    player,
    set_up_of,
    shelf,
)
from tests.table.invariants import check_event
from tests.table.strategies import ACTION_TYPES, PEOPLE, actions, commands, examples
from tests.table.test_whole_shifts import machine_of, one_move


@cache
def reachable() -> tuple[tuple[TableRules, TableState], ...]:
    """States of shifts dealt by chance under every layout, and tables before they open."""
    found = [(TableRules(shelf().book("nz-division-9")), TableState("t1"))]
    for layout in LAYOUT_NAMES:
        found.append((Deal(layout).set_up().rules, Deal(layout).set_up().state))
        chance = Random(f"gates {layout}")
        shift = machine_of(layout)()
        shift.open_table(tight=True, chips=20)
        for _ in range(70):
            one_move(shift, chance)
            found.append((shift.deal.rules, shift.deal.state))
    return tuple(found)


def states() -> st.SearchStrategy[tuple[TableRules, TableState]]:
    """Any of them."""
    return st.deferred(lambda: st.sampled_from(reachable()))


def test_the_states_are_of_every_kind() -> None:
    """The pool has every phase of the round, interrupted and suspended tables, colours, debts, committed dice."""
    pool = [state for _, state in reachable()]
    assert {state.round.phase for state in pool} == set(RoundPhase)
    assert len({state.phase for state in pool}) == 3
    assert any(state.suspended for state in pool)
    assert any(state.round.interrupted for state in pool)
    assert any(seat.colour for state in pool for seat in state.players.values())
    assert any(past.reversed for state in pool for past in state.history)
    assert any(state.round.commitment for state in pool)
    assert any(past.opening for state in pool for past in state.history)
    assert any(state.round.fixed for state in pool)


@given(at=states(), command=commands())
@examples(300)
def test_any_command_in_any_state_is_done_or_refused(at: tuple[TableRules, TableState], command: c.Command) -> None:
    """Never an exception: events that evolve and hold the invariants, or a refusal that leaves nothing behind."""
    rules, state = at
    assert msgspec.json.decode(msgspec.json.encode(command), type=c.Command) == command
    before = snapshot_of(state)
    found = decide(rules, state, command)
    assert decide(rules, state_from(before), command) == found
    assert snapshot_of(state) == before
    if isinstance(found, Refusal):
        assert can(rules, state, command) == found
        assert found.sentence
        return
    assert can(rules, state, command) is None
    assert found
    for event in found:
        assert (event.at, event.by, event.authorised_by) == (command.at, command.by, command.authorised_by)
        earlier, state = state, evolve(state, event)
        check_event(rules, earlier, event, state)


@pytest.mark.parametrize("kind", ACTION_TYPES, ids=lambda kind: kind.__name__)
def test_each_kind_of_action_in_many_states(kind: type[c.Action]) -> None:
    """For every action: in every state of the pool, by everybody, what `may_begin` refuses `decide` refuses alike."""

    @given(
        do=actions(kind),
        second=st.sampled_from([None, *PEOPLE]),
        reason=st.sampled_from(["", "seen"]),
        seed=st.integers(),
    )
    @examples(6)
    def holds(do: c.Action, second: Person | None, reason: str, seed: int) -> None:
        chance = Random(seed)
        for rules, state in chance.sample(reachable(), 12):
            for person in chance.sample(PEOPLE, 4):
                command = c.Command(id="c", at=state.at, by=person, do=do, authorised_by=second, reason=reason)
                begun, found = may_begin(rules, state, person, kind), decide(rules, state, command)
                if begun is not None:
                    assert isinstance(found, Refusal), f"{begun} but done"
                    assert found.code in (begun.code, Code.NOT_YOURS_TO_DO)
                    own = getattr(do, "player", person.id) == person.id and not isinstance(do, c.PlaceBet)
                    assert found.code is begun.code or not own

    holds()


def test_may_begin_greys_what_the_round_does_not_allow() -> None:
    """Through a whole round: each button is open exactly at its step, for who may press it."""
    deal = opened(NZ, ann=1000)
    seen: dict[RoundPhase, set[str]] = {}
    steps = (c.OpenBets, c.PlaceBet, c.CloseBets, c.Uncover, c.Announce, c.Press, c.Enter, c.Collect, c.PayAll)

    def look() -> None:
        allowed = {kind.__name__ for kind in steps if may_begin(deal.rules, deal.state, DEALER, kind) is None}
        seen[deal.phase] = allowed

    look()
    deal.begin().bet("ann", "small", 100)
    for phase in list(RoundPhase)[1:]:
        deal.up_to(phase, 1, 2, 4)
        look()
    assert seen == {
        RoundPhase.BETWEEN: {"OpenBets"},
        RoundPhase.BETTING: {"PlaceBet", "CloseBets"},
        RoundPhase.CLOSED: {"Uncover"},
        RoundPhase.UNCOVERED: {"Announce", "Press"},
        RoundPhase.ANNOUNCED: {"Press", "Enter", "Collect"},
        RoundPhase.ENTERED: {"Collect"},
        RoundPhase.COLLECTED: {"PayAll"},
    }


def test_may_begin_knows_suspended_and_interrupted_tables() -> None:
    """Resuming and resolving are open only while there is something to resume or resolve."""
    deal = opened(TAI_SAI, ann=100)

    def code(kind: type) -> str | None:
        refusal = may_begin(deal.rules, deal.state, SUPERVISOR, kind)
        return refusal.code if refusal else None

    assert (code(c.ResumeTable), code(c.ResolveInterruption)) == (Code.NOT_SUSPENDED, Code.NOT_INTERRUPTED)
    deal.begin().do(c.SuspendTable("smoke"))
    deal.do(c.Interrupt("power"))
    assert (code(c.ResumeTable), code(c.ResolveInterruption)) == (None, None)
    assert code(c.PlaceBet) is Code.TABLE_SUSPENDED
    assert code(c.CloseBets) is Code.ROUND_INTERRUPTED
    assert may_begin(deal.rules, deal.state, player("ann"), c.CloseBets) is not None


HELD = {
    "ReceiveDice", "SuspendTable", "ResumeTable", "SitDown", "LeaveTable", "WalkAway", "Fill", "Credit",
    "ResolveInterruption", "Report", "Attest", "MakeRuling", "NoteError", "OpenDispute", "ResolveDispute",
    "Tumble", "AdviseMinimum", "TouchLine",
}  # fmt: skip
"""What may be done while a round is interrupted: bets and chips on the felt are held, facts are recorded."""


def test_what_is_held_while_the_round_is_interrupted() -> None:
    """People, the cage and the record go on; the round, its bets and everybody's chips wait."""
    deal = opened(NZ, ann=100).begin()
    deal.do(c.SuspendTable("smoke"))
    deal.do(c.Interrupt("power"))
    codes = {kind.__name__: may_begin(deal.rules, deal.state, SHIFT_MANAGER, kind) for kind in ACTION_TYPES}
    waiting = {name for name, found in codes.items() if found is not None and found.code is Code.ROUND_INTERRUPTED}
    assert {name for name, found in codes.items() if found is None} == HELD | {"SetUp"}
    begins = {"CommitDice", "PlaceBet", "OpenBets"}
    assert begins == {name for name, found in codes.items() if found is not None and found.code is Code.TABLE_SUSPENDED}
    closed_only = {"CountFloat", "CheckItem", "OpenTable"}
    assert waiting == {kind.__name__ for kind in ACTION_TYPES} - HELD - closed_only - begins - {
        "SetUp",
        "AssignDealing",
        "TestSource",
        "SetClock",
    }


@pytest.mark.parametrize("layout", [NZ, TAI_SAI])
def test_a_suspended_table_begins_nothing_and_ends_what_it_began(layout: str) -> None:
    """Between rounds neither commitment nor call; in a round everything but new bets. A tumble is a fact."""
    deal = opened(layout, ann=100)
    deal.do(c.SuspendTable("smoke"))
    stopped = {
        kind.__name__
        for kind in ACTION_TYPES
        if (found := may_begin(deal.rules, deal.state, SHIFT_MANAGER, kind)) and found.code is Code.TABLE_SUSPENDED
    }
    assert stopped == {"CommitDice", "OpenBets", "PlaceBet"}
    playing = opened(layout, ann=100).begin().bet("ann", "small", 10)
    playing.do(c.SuspendTable("smoke"))
    playing.do(c.WithdrawBet("ann", "small"), player("ann"))
    playing.finish(1, 2, 4)


def test_a_table_asked_under_another_book_does_nothing() -> None:
    """A table is pinned to its book's digest: under any other, everything but a new set-up is refused."""
    deal = opened(NZ, ann=100).begin()
    deal.rules = TableRules(shelf().book("rws-tai-sai-v6"))
    refusal = deal.refused(c.CloseBets(), Code.WRONG_BOOK)
    assert "nz-division-9" in refusal.allowed
    deal.refused(c.PlaceBet("ann", "small", 10), Code.WRONG_BOOK, player("ann"))
    deal.refused(set_up_of(TAI_SAI), Code.ALREADY_SET_UP, SUPERVISOR)
    closed = Deal(NZ)
    closed.do(set_up_of(NZ), SUPERVISOR)
    closed.rules = TableRules(shelf().book("rws-tai-sai-v6"))
    closed.refused(c.CountFloat({5: 1}), Code.WRONG_BOOK, SUPERVISOR)
    closed.do(set_up_of(TAI_SAI), SUPERVISOR)
    closed.do(c.CountFloat({5: 1}), SUPERVISOR)


@pytest.mark.clause("rws-tai-sai-v6 §2.1.1", "nz-division-9 §3.2")
def test_a_box_is_taken_as_the_felt_prints_it() -> None:
    """A box named in the felt's order of faces is the box of that name, on record too; any other is still unknown."""
    deal = opened(TAI_SAI_C, ann=1000).begin().bet("ann", "four:6543", 100)
    assert deal.state.round.stakes == {"ann": {"four:3456": 100}}
    deal.do(c.WithdrawBet("ann", "four:5346"), DEALER)
    assert deal.state.round.stakes == {}
    assert deal.refused(c.PlaceBet("ann", "four:6666", 100, c.How.CALL), Code.UNKNOWN).field == "box"
