"""What people ask of a table: exposure, room, meters, a player's last rounds, why a bet came out as it did."""

from __future__ import annotations

from fractions import Fraction

import pytest
from msgspec.structs import replace

from taisai.core.rulebook import Rule, VoidReason
from taisai.table import commands as c
from taisai.table.recall import chips_for, explain_line, exposure, headroom_in, meters, recall
from taisai.table.state import TableState
from tests.table.driver import LIMITS, NZ, ONE_OF_EACH_BOOK, TAI_SAI, Deal, opened

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
    assert (
        headroom_in(deal.rules, deal.state, "total:9").chips,
        headroom_in(deal.rules, deal.state, "small").chips,
    ) == (
        180,
        50,
    )
    assert headroom_in(deal.rules, deal.state, "big").limit is Rule.DIFFERENTIAL


def test_meters_count_rounds_and_returns() -> None:
    """Turnover and return, actual against theoretical, exact; voids and reversals beside them."""
    assert meters(TableState("t1")).actual_return is None
    deal = opened(TAI_SAI, ann=5000).begin().bet("ann", "small", 100).finish(1, 2, 4)
    deal.begin().bet("ann", "small", 100).finish(6, 6, 5)
    deal.begin().bet("ann", "small", 100).void(VoidReason.NOT_FLAT)
    deal.altered(c.ReverseRounds((1,)))
    counted = meters(deal.state)
    assert (counted.rounds, counted.voided, counted.reversed, counted.staked, counted.paid) == (2, 1, 1, 200, 200)
    assert counted.at_risk == 200
    assert counted.theoretical_return == Fraction(2 * 105, 216)
    assert counted.actual_return == 1


def test_a_player_recalls_his_last_rounds_with_funds_before_and_after() -> None:
    """Newest first, his own lines only, at most as many as asked for."""
    deal = opened(NZ, ann=1000, bob=1000)
    for number in range(4):
        deal.begin().bet("bob", "big", 10)
        if number != 1:
            deal.bet("ann", "small", 100)
        deal.finish(1, 2, 4)
    mine = recall(deal.state, "ann", 2)
    assert [(each.past.number, each.funds_before, each.funds_after) for each in mine] == [
        (4, 1200, 1300),
        (3, 1100, 1200),
    ]
    assert [line.box for line in mine[0].lines] == ["small"]
    assert [each.past.number for each in recall(deal.state, "ann")] == [4, 3, 1]
    assert recall(deal.state, "eve") == ()


@pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
def test_every_bet_of_a_round_explains_itself(layout: str) -> None:
    """Won, lost and void: a sentence and at least one clause each."""
    deal = opened(layout, ann=1000).begin().bet("ann", "single:1", 100).bet("ann", "single:6", 50).finish(1, 2, 4)
    won, lost = (next(line for line in deal.past.lines if line.box == box) for box in ("single:1", "single:6"))
    assert "wins 100" in explain_line(deal.rules, deal.state, deal.past, won).why
    assert "loses" in explain_line(deal.rules, deal.state, deal.past, lost).why
    deal.begin().bet("ann", "single:1", 100).void(VoidReason.NOT_FLAT)
    void = explain_line(deal.rules, deal.state, deal.past, deal.past.lines[0])
    assert "does not lie flat" in void.why
    assert void.clauses


def test_pro_rata_under_the_minimum_and_a_reversal_are_explained() -> None:
    """The limits that touched a bet, and a reversal afterwards, are part of its story."""
    deal = opened(TAI_SAI, TIGHT, ann=5000, bob=5000).begin().felt("ann", "total:7", 400).felt("bob", "total:7", 10)
    deal.felt("bob", "single:1", 5).finish(1, 2, 4)
    told = {(line.player, line.box): explain_line(deal.rules, deal.state, deal.past, line) for line in deal.past.lines}
    assert "pro rata" in told["ann", "total:7"].why
    assert "5.1.1" in told["ann", "total:7"].clauses
    assert "stays whole" in told["bob", "total:7"].why
    assert "5.1.2" in told["bob", "total:7"].clauses
    assert "5.2.1" in told["bob", "single:1"].clauses
    assert "capacity" not in told["bob", "single:1"].why
    deal.altered(c.ReverseRounds((1,)))
    assert explain_line(deal.rules, deal.state, deal.past, deal.past.lines[0]).why.endswith("reversed afterwards.")


def test_chips_are_cut_out_largest_first() -> None:
    """As a dealer does; what no chip makes is left over."""
    assert chips_for(1230, (5, 100, 500)) == {500: 2, 100: 2, 5: 6}
    assert chips_for(503, (5, 100, 500)) == {500: 1, 0: 3}
    assert chips_for(0, (5,)) == {}


def test_funds_of_a_stranger_are_nothing() -> None:
    """Who is not at the table has nothing on it."""
    assert Deal(NZ).funds("eve") == 0
