"""The ledger: every event's postings balance, broken ones stop the table, and the result is what casinos expect."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.core.rulebook import VoidReason
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.evolve import evolve, replay
from taisai.table.figures import table_result
from taisai.table.ledger import LedgerBroken, Posting, post, postings_of
from taisai.table.parts import Handed, Loss
from taisai.table.refusals import Code
from taisai.table.state import TableState
from tests.table.driver import DEALER, NZ, SUPERVISOR, TAI_SAI, Deal, opened, player
from tests.table.strategies import HAPPENING_TYPES, examples, happenings


@pytest.mark.parametrize("kind", HAPPENING_TYPES, ids=lambda kind: kind.__name__)
def test_the_postings_of_every_event_balance(kind: type[e.EventBody]) -> None:
    """Whatever its figures, an event makes and loses no money."""

    @given(what=happenings(kind))
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
    """Even of events that no table would make: the fast way and the plain way give one state, or both stop."""
    start = TableState("t1", ledger={"float": 50, "player:ann": 40, "colour:red": 20, "box:small": 30, "cage": -140})
    events = [e.Event(place, DEALER, what) for place, what in enumerate(run)]
    plain: TableState | None = start
    try:
        for event in events:
            assert plain is not None
            plain = evolve(plain, event)
    except LedgerBroken:
        plain = None
    try:
        fast: TableState | None = replay(start, events)
    except LedgerBroken:
        fast = None
    assert fast == plain


# ------------------------------------------------------------------ the result of the shift


def test_win_is_drop_plus_closer_plus_credits_less_opener_less_fills() -> None:
    """The figures of a casino: what the house won over the felt, however chips came and went."""
    deal = opened(NZ, ann=1000, bob=500)
    deal.do(c.BringChips("bob", 300))
    deal.do(c.Fill({100: 20}), SUPERVISOR)
    deal.do(c.Credit({100: 5}), SUPERVISOR)
    deal.begin().bet("ann", "small", 100).bet("bob", "total:7", 10).finish(1, 2, 4)
    deal.begin().bet("ann", "big", 400).finish(1, 2, 4)
    deal.do(c.CashOut("bob", 100))
    result = table_result(deal.state)
    assert (result.opener, result.fills, result.credits, result.drop) == (100_500, 2000, 500, 1500)
    assert result.win == -100 - 120 + 400
    assert result.hold == Fraction(180, 1500)
    held = result.closer
    count = {100: held // 100, 5: held % 100 // 5}
    deal.do(c.CloseTable(count), SUPERVISOR)
    assert table_result(deal.state) == result
    assert deal.state.balance("variance") == deal.state.balance("float") == 0
    assert deal.last(e.TableClosed).leaving == {"ann": 700, "bob": 820}
    assert deal.state.ledger == {"cage": 180, "patrons": -180}


@pytest.mark.parametrize("off", [-200, 200])
def test_a_count_that_differs_from_the_books_is_a_variance(off: int) -> None:
    """A short or long count is booked as such, and the win is by the count."""
    deal = opened(NZ, ann=500)
    deal.do(c.CloseTable({100: (100_000 + off) // 100}), SUPERVISOR)
    assert deal.state.balance("variance") == -off
    assert table_result(deal.state).win == off
    assert table_result(deal.state).closer == 100_000 + off


def test_without_a_drop_there_is_no_hold() -> None:
    """Hold is of the drop: with none there is none."""
    assert table_result(opened(NZ).state).hold is None
    assert table_result(TableState("t1")).win == 0


def test_the_float_must_hold_what_is_paid() -> None:
    """Buy-ins, credits and winners wait for a fill; winners that can be paid are paid one by one."""
    deal = opened(NZ, ann=5000)
    deal.do(c.Credit({100: 950}), SUPERVISOR)
    assert deal.state.balance("float") == 500
    assert deal.refused(c.BuyIn("ann", 505), Code.FLOAT_SHORT).allowed == "fill"
    deal.refused(c.Credit({100: 6}), Code.FLOAT_SHORT, SUPERVISOR)
    deal.begin().bet("ann", "small", 400).bet("ann", "total:7", 50).close().result(1, 2, 4)
    deal.do(c.Collect())
    deal.refused(c.PayAll(), Code.FLOAT_SHORT)
    deal.do(c.PayNext())
    deal.refused(c.PayNext(), Code.FLOAT_SHORT)
    deal.do(c.Fill({100: 5}), SUPERVISOR)
    deal.do(c.PayNext())
    assert deal.funds("ann") == 5000 + 400 + 600


def test_a_void_and_a_reversal_cost_nobody_anything() -> None:
    """After both, all hold what they bought, and the win is nothing."""
    deal = opened(TAI_SAI, ann=1000, bob=1000)
    deal.begin().bet("ann", "small", 100).bet("bob", "big", 300).finish(1, 2, 4)
    deal.begin().bet("ann", "small", 100)
    deal.void(VoidReason.NOT_FLAT)
    deal.altered(c.ReverseRounds((1,)))
    assert (deal.funds("ann"), deal.funds("bob")) == (1000, 1000)
    assert table_result(deal.state).win == 0


# ------------------------------------------------------------------ chips in and out


def test_chips_come_and_go_in_whole_chips_for_those_at_the_table() -> None:
    """Buy-in, chips from elsewhere and cash-out, each refused where it cannot be made of chips or nobody sits."""
    deal = opened(NZ, ann=100)
    off_unit: list[c.Action] = [c.BuyIn("ann", 12), c.BringChips("ann", 12), c.CashOut("ann", 12)]
    for do in off_unit:
        deal.refused(do, Code.BAD_VALUE)
    strangers: list[c.Action] = [c.BuyIn("eve", 10), c.BringChips("eve", 10), c.CashOut("eve", 10), c.LeaveTable("eve")]
    for do in strangers:
        deal.refused(do, Code.NOT_SEATED)
    deal.do(c.BringChips("ann", 50))
    deal.refused(c.CashOut("ann", 155), Code.NOT_ENOUGH_CHIPS)
    deal.do(c.CashOut("ann", 10))
    deal.refused(c.SitDown("ann"), Code.NOTHING_TO_DO, player("ann"))
    deal.do(c.LeaveTable("ann"), player("ann"))
    assert deal.last(e.PlayerLeft).amount == 140
    assert "ann" not in deal.state.players


def test_an_odd_remainder_can_be_cashed_out_whole() -> None:
    """Chips found on the felt may be off the unit; what is left in hand leaves in one go."""
    deal = opened(NZ, ann=100).begin().felt("ann", "small", 7)
    deal.refused(c.CashOut("ann", 92), Code.BAD_VALUE)
    deal.do(c.CashOut("ann", 93))
    assert deal.funds("ann") == 0


@pytest.mark.parametrize("do", [c.Fill, c.Credit])
def test_fills_and_credits_are_counts_of_the_tables_chips(do: type[c.Fill] | type[c.Credit]) -> None:
    """Unknown chips, nothing at all, and more than any table holds are refused."""
    deal = opened(NZ)
    assert deal.refused(do({7: 1}), Code.BAD_VALUE, SUPERVISOR).allowed == "5, 100, 500"
    deal.refused(do({}), Code.BAD_VALUE, SUPERVISOR)
    deal.refused(do({5: 0}), Code.BAD_VALUE, SUPERVISOR)
    small = Deal(NZ)
    small.do(c.SetUp("nz-division-9", "1", small.rules.book.digest, small.limits, "NZD", (5, 10**15)), SUPERVISOR)
    small.refused(c.CountFloat({10**15: 10**9}), Code.BAD_VALUE, SUPERVISOR)
    small.refused(c.CountFloat({}), Code.BAD_VALUE, SUPERVISOR)
    small.do(c.CountFloat({10**15: 1}), SUPERVISOR)
