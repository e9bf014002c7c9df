"""What events make of a state: one by one and in runs, whatever the rules are today."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.evolve import evolve, replay
from taisai.table.ledger import LedgerBroken, post, postings_of
from taisai.table.people import Person, Role
from taisai.table.state import TableState
from tests.table.driver import (
    DEALER,
    LIMITS,
    TAI_SAI,
    opened,
)
from tests.table.strategies import examples


def test_limits_of_a_table_without_set_up_replay_to_nothing() -> None:
    """`evolve` refuses nothing: an event that finds no set-up leaves the state as it was."""
    event = e.Event(1, Person("sue", Role.SUPERVISOR), e.LimitsSet(LIMITS, LIMITS))
    assert evolve(TableState("t1"), event) == TableState("t1", seq=1, at=1)


def test_steps_of_the_round_have_a_time_and_bets_have_none() -> None:
    """`stepped_at` is the time of the last step, however much people do meanwhile."""
    deal = opened(TAI_SAI, ann=1000).begin()
    begun = deal.clock
    deal.bet("ann", "small", 100).bet("ann", "big", 100)
    assert (deal.state.round.stepped_at, deal.state.at) == (begun, deal.clock)
    deal.do(c.CloseBets())
    closed = deal.clock
    deal.do(c.SitDown("bob"))
    assert (deal.state.round.stepped_at, deal.state.at) == (closed, deal.clock)


def test_a_run_of_bets_replays_as_one_by_one() -> None:
    """Bets that follow each other, in value and in colour, to the last chip, come out the same in one go."""
    deal = opened(TAI_SAI, ann=100, bob=1000)
    deal.do(c.TakeColour("bob", "red", 25, 100))
    deal.begin().bet("ann", "small", 50).bet("ann", "small", 50).bet("bob", "big", 100, "red").bet("bob", "big", 10)
    assert (deal.state.balance("player:ann"), deal.state.balance("colour:red")) == (0, 0)
    deal.replays()
    deal.felt("bob", "big", 889)
    assert deal.state.balance("player:bob") == 1
    deal.replays()
    deal.finish(1, 2, 4)
    deal.replays()


figures = st.integers(-30, 60)


runs = st.lists(
    st.one_of(
        st.builds(
            e.BetPlaced,
            st.sampled_from(["ann", "bob"]),
            st.sampled_from(["small", "big"]),
            figures,
            colour=st.sampled_from([None, "red"]),
        ),
        st.builds(
            e.BetPaid,
            player=st.sampled_from(["ann", "bob"]),
            box=st.sampled_from(["small", "big"]),
            stake=figures,
            at_risk=figures,
            pays=st.just(1),
            winnings=figures,
            returned=figures,
            in_colour=st.integers(0, 9),
            colour=st.sampled_from([None, "red"]),
        ),
        st.just(e.MinimumAdvised("ann", "small", 1, 2)),
    ),
    max_size=6,
)


@given(run=runs)
@examples(150)
def test_any_run_of_events_replays_as_one_by_one(run: list[e.EventBody]) -> None:
    """Even of events that no table would make: the fast way and the plain way give one state, or both stop.

    And one that is posted in place is posted as its postings say: a ledger that they break is not moved on.
    """
    start = TableState("t1", ledger={"float": 50, "player:ann": 40, "colour:red": 20, "box:small": 30, "cage": -140})
    events = [e.Event(place, DEALER, what) for place, what in enumerate(run)]
    plain: TableState | None = start
    try:
        for event in events:
            assert plain is not None
            before, plain = plain, evolve(plain, event)
            assert plain.ledger == post(before.ledger, postings_of(event.what))
    except LedgerBroken:
        plain = None
    try:
        fast: TableState | None = replay(start, events)
    except LedgerBroken:
        fast = None
    assert fast == plain


def test_meters_count_rounds_and_returns() -> None:
    """Turnover, what came back and what should have on average, exact; voids and reversals beside them."""
    deal = opened(TAI_SAI, ann=5000).begin().bet("ann", "small", 100).finish(1, 2, 4)
    deal.begin().bet("ann", "small", 100).finish(6, 6, 5)
    deal.begin().bet("ann", "small", 100).void(Fact.NOT_FLAT)
    deal.damage()
    counted = deal.state.meters
    assert (counted.rounds, counted.voided, counted.reversed) == (2, 1, 2)
    assert (counted.staked, counted.at_risk, counted.winnings, counted.returned) == (200, 200, 100, 200)
    assert counted.expected_216 == counted.staked * 2 * 105, "Small wins on 105 rolls of 216"
    # A bet of 100 on Small gives back 200 or nothing: a deviation of 99.96 and 102.78 from the average, rounded up.
    assert (counted.variance, counted.farthest, counted.measured) == (2 * 100**2, 103, 2)
