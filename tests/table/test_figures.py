"""The figures of a table: the result of a shift, exposure, headroom, chips to hand over."""

from __future__ import annotations

from fractions import Fraction

import pytest
from msgspec.structs import replace

from taisai.core.rulebook import Rule
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.figures import chips_for, exposure, headroom_in, table_result
from taisai.table.state import TableState
from tests.table.driver import LIMITS, NZ, SUPERVISOR, TAI_SAI, opened

TIGHT = replace(LIMITS, default=c.BoxLimit(50, 300), differential={"big-small": 100})


def test_exposure_is_the_worst_roll_for_the_house() -> None:
    """While betting of what lies there, after the close of what is at risk."""
    deal = opened(TAI_SAI, TIGHT, ann=5000).begin()
    assert exposure(deal.rules, deal.state).loss == 0
    deal.bet("ann", "triple:6", 50).felt("ann", "big", 400)
    worst = exposure(deal.rules, deal.state)
    assert (worst.staked, worst.loss, worst.worst.roll.faces) == (450, 50 * 180 - 400, (6, 6, 6))
    deal.do(c.CloseBets())
    fixed = exposure(deal.rules, deal.state)
    assert (fixed.staked, fixed.loss) == (450, 50 * 180 - 100)


def test_room_is_what_a_box_still_takes() -> None:
    """By its maximum, or by the differential where that is tighter."""
    deal = opened(TAI_SAI, TIGHT, ann=5000).begin().bet("ann", "small", 50).bet("ann", "total:9", 120)
    assert headroom_in(deal.rules, deal.state, "total:9").chips == 180
    assert headroom_in(deal.rules, deal.state, "small").chips == 50
    assert headroom_in(deal.rules, deal.state, "big").limit is Rule.DIFFERENTIAL


def test_chips_are_cut_out_largest_first() -> None:
    """As a dealer does; what no chip makes is left over."""
    assert chips_for(1230, (5, 100, 500)) == {500: 2, 100: 2, 5: 6}
    assert chips_for(503, (5, 100, 500)) == {500: 1, 0: 3}
    assert chips_for(0, (5,)) == {}


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
