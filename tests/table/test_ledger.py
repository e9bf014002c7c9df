"""The ledger: every event's postings balance, and broken ones stop the table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.core.rulebook import Fact
from taisai.table import events as e
from taisai.table.evolve import evolve, replay
from taisai.table.figures import table_result
from taisai.table.ledger import LedgerBroken, Posting, post, postings_of
from taisai.table.parts import Handed, Loss
from tests.table.driver import DEALER, TAI_SAI, opened
from tests.table.strategies import EVENT_TYPES, event_bodies, examples


@pytest.mark.parametrize("kind", EVENT_TYPES, ids=lambda kind: kind.__name__)
def test_the_postings_of_every_event_balance(kind: type[e.EventBody]) -> None:
    """Whatever its figures, an event makes and loses no money."""

    @given(what=event_bodies(kind))
    @examples(15)
    def balances(what: e.EventBody) -> None:
        postings = postings_of(what)
        assert sum(amount for _, amount in postings) == 0
        plenty = {account: 10**20 for account, _ in postings}
        assert sum(post(plenty, postings).values()) == sum(plenty.values())

    balances()


@given(
    balances=st.dictionaries(st.sampled_from(["float", "player:ann", "box:small"]), st.integers(1, 100)),
    postings=st.lists(
        st.builds(Posting, st.sampled_from(["float", "player:ann", "box:small", "cage"]), st.integers(-9, 9)),
        max_size=5,
    ),
)
@examples(200)
def test_postings_that_do_not_balance_or_overdraw_are_refused(
    balances: dict[str, int], postings: list[Posting]
) -> None:
    """Either money is conserved and nobody at the table is below nothing, or the table must stop."""
    kept = dict(balances)
    try:
        after = post(balances, postings)
    except LedgerBroken:
        touched = {account for account, _ in postings}
        final = {each: balances.get(each, 0) + sum(x for to, x in postings if to == each) for each in touched}
        overdrawn = any(amount < 0 for account, amount in final.items() if account != "cage")
        assert overdrawn or sum(amount for _, amount in postings) != 0
    else:
        assert sum(after.values()) == sum(balances.values())
        assert all(amount > 0 for account, amount in after.items() if account != "cage")
        assert 0 not in after.values()
    assert balances == kept


@pytest.mark.parametrize(
    ("what", "said"),
    [
        (e.BetWithdrawn(Handed("ann", "small", 50, 20)), "out of nothing"),
        (e.BetPaid("ann", "small", 0, 0, 1, 0, 0, in_colour=5), "5 in colour chips of no colour"),
        (e.BetPlaced("ann", "small", 10**6), "player:ann would stand at"),
        (e.CashedOut("eve", 1), "player:eve would stand at -1"),
        (e.Credited({100: 10**6}, 10**8), "float would stand at"),
        (e.LosersCollected((Loss("ann", "big", 10),)), "box:big would stand at -10"),
    ],
)
def test_an_event_that_breaks_the_ledger_stops_the_table(what: e.EventBody, said: str) -> None:
    """Neither money out of nothing nor an empty account lets the state move on, one by one or in a run."""
    deal = opened(TAI_SAI, ann=1000).begin()
    before = deal.state
    event = e.Event(deal.clock, DEALER, what)
    for go in (evolve, lambda state, each: replay(state, [each])):
        with pytest.raises(LedgerBroken, match=said):
            go(before, event)
    assert deal.state == before


# ------------------------------------------------------------------ the result of the shift


def test_a_void_and_a_reversal_cost_nobody_anything() -> None:
    """After both, all hold what they bought, and the win is nothing."""
    deal = opened(TAI_SAI, ann=1000, bob=1000)
    deal.begin().bet("ann", "small", 100).bet("bob", "big", 300).finish(1, 2, 4)
    deal.begin().bet("ann", "small", 100)
    deal.void(Fact.NOT_FLAT)
    deal.damage()
    assert (deal.funds("ann"), deal.funds("bob")) == (1000, 1000)
    assert table_result(deal.state).win == 0


# ------------------------------------------------------------------ chips in and out
