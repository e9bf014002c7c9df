"""Chips come and go in whole chips; a colour is one player's, at one value, and pays in kind."""

from __future__ import annotations

import pytest

from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.handlers.shared import colour_out
from taisai.table.refusals import Code
from taisai.table.state import RoundPhase
from tests.table.driver import MINI_DICE, NZ, OPEN_COVER, SUPERVISOR, TAI_SAI, Deal, opened, player

ANN, BOB = player("ann"), player("bob")
COLOUR_CLAUSES = ("nz-division-9 §3.4(a)", "rws-open-cover-v3 §1 Colour Chips", "rws-mini-dice-v3 §1 Colour Chips")


def coloured(layout: str = NZ, chips: int = 300, value: int = 25, amount: int = 500) -> Deal:
    """Ann plays red; bob has value chips."""
    deal = Deal(layout).open(colours={"red": c.ColourSet(chips), "blue": c.ColourSet(300)}).seat(ann=5000, bob=5000)
    deal.do(c.TakeColour("ann", "red", value, amount))
    return deal


@pytest.mark.clause(*COLOUR_CLAUSES)
@pytest.mark.parametrize("layout", [NZ, OPEN_COVER, TAI_SAI, MINI_DICE])
def test_a_colour_is_one_players_alone(layout: str) -> None:
    """Another can neither take it nor bet with it, nor can a player have two; free colours are named."""
    deal = coloured(layout)
    refusal = deal.refused(c.TakeColour("bob", "red", 25, 100), Code.COLOUR_NOT_YOURS)
    assert (refusal.allowed, "ann" in refusal.sentence) == ("blue", True)
    deal.refused(c.TakeColour("ann", "blue", 25, 100), Code.COLOUR_OUT)
    deal.do(c.TakeColour("bob", "blue", 5, 100))
    deal.begin()
    assert deal.refused(c.PlaceBet("bob", "single:3", 25, colour="red"), Code.COLOUR_NOT_YOURS, BOB).allowed == "blue"
    deal.refused(c.PlaceBet("ann", "single:3", 25, colour="gold"), Code.COLOUR_NOT_YOURS, ANN)
    deal.refused(c.PlaceBet("bob", "single:3", 25, c.How.FELT, "red"), Code.COLOUR_NOT_YOURS)
    deal.do(c.SitDown("cas"), player("cas"))
    refusal = deal.refused(c.PlaceBet("cas", "single:3", 25, colour="red"), Code.COLOUR_NOT_YOURS, player("cas"))
    assert refusal.allowed == "value chips"


def test_colour_is_taken_for_value_chips_in_whole_chips() -> None:
    """Unknown colours, odd amounts, values off the unit and chips the player does not have are refused."""
    deal = opened(NZ, ann=100)
    deal.refused(c.TakeColour("ann", "gold", 25, 50), Code.UNKNOWN)
    deal.refused(c.TakeColour("ann", "red", 25, 60), Code.BAD_VALUE)
    deal.refused(c.TakeColour("ann", "red", 7, 70), Code.BAD_VALUE)
    deal.refused(c.TakeColour("eve", "red", 25, 50), Code.NOT_SEATED)
    deal.refused(c.TakeColour("ann", "red", 25, 125), Code.NOT_ENOUGH_CHIPS)
    deal.do(c.TakeColour("ann", "red", 25, 100))
    assert deal.funds("ann") == 100


def test_no_more_chips_are_out_than_the_set_has() -> None:
    """Chips on the felt are out as well: a set of 20 does not grow by betting it."""
    deal = coloured(chips=20)
    deal.refused(c.TakeColour("ann", "red", 25, 25), Code.NOT_ENOUGH_CHIPS)
    deal.begin().bet("ann", "small", 250, "red")
    assert colour_out(deal.state, "red") == 500
    assert "20 red chips" in deal.refused(c.TakeColour("ann", "red", 25, 25), Code.NOT_ENOUGH_CHIPS).sentence
    deal.up_to(RoundPhase.ENTERED, 6, 6, 5)
    assert colour_out(deal.state, "red") == 500
    deal.settle()
    assert colour_out(deal.state, "red") == 250
    deal.do(c.TakeColour("ann", "red", 25, 250))


def test_colour_is_turned_in_before_leaving_and_not_from_the_felt() -> None:
    """Not with chips in a box, at any phase; then all of it at once; then its player may leave, and another take it."""
    deal = coloured().begin().bet("ann", "small", 50, "red")
    for phase in list(RoundPhase)[1:]:
        deal.up_to(phase, 1, 2, 4)
        deal.refused(c.TurnInColour("ann"), Code.ROUND_IN_PLAY)
        deal.refused(c.LeaveTable("ann"), Code.ROUND_IN_PLAY, ANN)
    deal.do(c.PayAll())
    deal.refused(c.LeaveTable("ann"), Code.COLOUR_OUT, ANN)
    deal.refused(c.CloseTable({}), Code.COLOUR_OUT, SUPERVISOR)
    deal.do(c.TurnInColour("ann"))
    assert deal.last(e.ColourTurnedIn).amount == 550
    deal.refused(c.TurnInColour("ann"), Code.NOTHING_TO_DO)
    deal.refused(c.TurnInColour("eve"), Code.NOT_SEATED)
    deal.do(c.LeaveTable("ann"), ANN)
    deal.do(c.TakeColour("bob", "red", 5, 100))


def test_a_winner_in_colour_is_paid_in_colour() -> None:
    """Stake and winnings come in the colour; of a mixed bet in proportion, in whole chips, the rest in value."""
    deal = coloured().begin().bet("ann", "small", 50, "red").bet("ann", "total:7", 25, "red").bet("ann", "total:7", 10)
    deal.finish(1, 2, 4)
    paid = {each.box: (each.returned, each.in_colour) for each in deal.happened(e.BetPaid)}
    assert paid == {"small": (100, 100), "total:7": (455, 325)}
    assert 455 * 25 // 35 == 325
    assert deal.state.balance("colour:red") == 500 - 75 + 425
    assert deal.funds("ann") == 5000 + 50 + 420


def test_what_the_set_cannot_pay_is_paid_in_value_chips() -> None:
    """A rack that runs out pays the rest in value: the stake back in colour, and as much of the win as there is."""
    deal = coloured(chips=20).begin().bet("ann", "small", 100, "red").bet("ann", "total:7", 50, "red")
    deal.finish(1, 2, 4)
    paid = [(each.box, each.returned, each.in_colour) for each in deal.happened(e.BetPaid)]
    assert paid == [("small", 200, 100), ("total:7", 650, 50)]
    assert colour_out(deal.state, "red") == 500
    lost = coloured(chips=20).begin().bet("ann", "big", 100, "red").bet("ann", "total:7", 50, "red").finish(1, 2, 4)
    assert lost.last(e.BetPaid).in_colour == 150


def test_the_rack_is_counted_down_payment_by_payment() -> None:
    """Paid one by one or all together, the same chips go out."""
    ways = []
    for pay in (c.PayNext, c.PayAll):
        deal = coloured(chips=30).begin()
        for box in ("small", "single:1", "single:2", "total:7"):
            deal.bet("ann", box, 75, "red")
        deal.close().result(1, 2, 4).do(c.Collect())
        while deal.phase is RoundPhase.COLLECTED:
            deal.do(pay())
        ways.append([(each.box, each.in_colour) for each in deal.happened(e.BetPaid)])
        assert colour_out(deal.state, "red") == 750
    assert ways[0] == ways[1]


def test_a_pro_rata_remainder_comes_back_in_whole_colour_chips_and_value() -> None:
    """A colour bet cut by pro rata: what is left over of a chip is paid in value chips, won or lost."""
    limits = c.TableLimits(5, c.BoxLimit(10, 320))
    for dice, in_colour, in_value in (((1, 2, 4), 800, 20), ((6, 6, 5), 175, 5)):
        deal = opened(TAI_SAI, limits, ann=5000)
        deal.do(c.TakeColour("ann", "red", 25, 500))
        deal.begin().felt("ann", "small", 500, "red")
        deal.finish(*dice)
        paid = deal.last(e.BetPaid)
        assert (paid.at_risk, paid.in_colour, paid.returned - paid.in_colour) == (320, in_colour, in_value)


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
