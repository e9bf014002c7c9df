"""Betting: limits while it is open, and what is fixed at the close, under Tai Sai version 6 and other books."""

from __future__ import annotations

from random import Random

import pytest

from taisai.core.bets import Bet, PlayerId, merge_bets
from taisai.core.boxes import BoxName
from taisai.core.limits import Per
from taisai.core.money import Chips
from taisai.core.prorata import fix_stakes
from taisai.core.rulebook import Rule
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.handlers.betting import Breach, breaches
from taisai.table.parts import Handed
from taisai.table.refusals import Code
from taisai.table.rules import limits_of
from tests.table.driver import (
    MINI_DICE,
    NZ,
    ONE_OF_EACH_BOOK,
    OPEN_COVER,
    PIT_MANAGER,
    SHIFT_MANAGER,
    SUPERVISOR,
    TAI_SAI,
    TAI_SAI_C,
    Deal,
    opened,
    player,
)
from tests.table.strategies import TORTURE

ANN, BOB = player("ann"), player("bob")


def limits(unit: int = 5, least: int = 50, most: int = 1000, **pairs: int) -> c.TableLimits:
    """Limits for every box, with a differential for Big and Small, or Odd and Even."""
    return c.TableLimits(
        unit, c.BoxLimit(least, most), {}, {name.replace("_", "-"): chips for name, chips in pairs.items()}
    )


def table(layout: str = TAI_SAI, **pairs: int) -> Deal:
    """Betting is open; everybody has chips."""
    return opened(layout, limits(**pairs), ann=5000, bob=5000, cas=5000).begin()


def over(deal: Deal) -> list[tuple[str, Rule, int]]:
    """The boxes that the dealer sees over a limit."""
    return [(each.box, each.rule, each.amount) for each in breaches(deal.rules, deal.state) if each.player is None]


# ------------------------------------------------------------------ while betting is open


@pytest.mark.clause("rws-tai-sai-v6 §3.4")
def test_3_4_a_bet_outside_the_limits_is_refused_with_the_limit_named() -> None:
    """Under the minimum and over the maximum, each refusal says what would be allowed, by its clauses."""
    deal = table()
    refusal = deal.refused(c.PlaceBet("ann", "small", 45), Code.UNDER_MINIMUM, ANN)
    assert (refusal.allowed, refusal.clauses) == ("at least 50", ("3.3", "3.4", "5.2", "I21"))
    refusal = deal.refused(c.PlaceBet("ann", "small", 1005), Code.OVER_MAXIMUM, ANN)
    assert (refusal.allowed, refusal.clauses) == ("at most 1000", ("3.3", "3.4", "5.1", "I32", "3.5"))
    assert refusal.sentence == "1005 would take small over its maximum; there is room for 1000."
    deal.bet("ann", "total:9", 50)
    assert deal.refused(c.PlaceBet("ann", "small", 45), Code.UNDER_MINIMUM, ANN).allowed == "at least 50"
    deal.bet("ann", "small", 50).bet("ann", "small", 5)
    assert deal.refused(c.PlaceBet("ann", "small", 946), Code.BAD_VALUE, ANN).allowed == "multiples of 5"
    deal.bet("ann", "small", 945)
    assert deal.refused(c.PlaceBet("ann", "small", 5), Code.OVER_MAXIMUM, ANN).allowed == "at most 0"


@pytest.mark.clause("rws-tai-sai-v6 §3.5")
def test_3_5_what_others_leave_in_a_box_is_anyones_to_take() -> None:
    """The maximum is of the box: the room that one player leaves is open to everybody, that player included."""
    deal = table().bet("ann", "small", 600)
    assert deal.refused(c.PlaceBet("bob", "small", 405), Code.OVER_MAXIMUM, BOB).allowed == "at most 400"
    deal.bet("bob", "small", 300).bet("cas", "small", 100)
    assert deal.state.round.totals["small"] == 1000


@pytest.mark.clause("rws-tai-sai-v6 §1.3", "rws-tai-sai-v6 §3.4")
@pytest.mark.parametrize(("one", "other", "pair"), [("big", "small", "big_small"), ("odd", "even", "odd_even")])
def test_1_3_the_differential_is_between_the_sides_of_all_players(one: str, other: str, pair: str) -> None:
    """One side may be ahead by the differential; whatever the other side takes gives it room, whoever bets it."""
    deal = table(TAI_SAI_C, **{pair: 200})
    refusal = deal.refused(c.PlaceBet("ann", one, 205), Code.OVER_DIFFERENTIAL, ANN)
    assert (refusal.allowed, refusal.clauses) == ("at most 200", ("1.3", "3.3", "3.4", "5.1", "I32", "3.5"))
    deal.bet("ann", one, 200).bet("bob", other, 300).bet("ann", one, 300)
    assert deal.refused(c.PlaceBet("cas", one, 50), Code.OVER_DIFFERENTIAL, player("cas")).allowed == "at most 0"
    deal.bet("cas", other, 400)


@pytest.mark.clause("rws-tai-sai-v6 §3.4")
def test_3_4_of_two_limits_the_maximum_is_named_and_the_room_is_what_both_leave() -> None:
    """Over the maximum and the differential at once: the code of the first, the room of the tighter."""
    deal = table(big_small=200)
    refusal = deal.refused(c.PlaceBet("ann", "big", 1005), Code.OVER_MAXIMUM, ANN)
    assert refusal.allowed == "at most 200"
    assert set(refusal.clauses) == {"1.3", "3.3", "3.4", "3.5", "5.1", "I32"}


def test_felt_bets_are_accepted_whatever_their_size_and_shown() -> None:
    """Chips found on the felt break every limit, off the unit too; the dealer sees each breach with its clause."""
    deal = table(big_small=200).felt("ann", "big", 1203).felt("bob", "small", 7).felt("cas", "total:9", 1100)
    assert breaches(deal.rules, deal.state) == [
        Breach("big", None, Rule.DIFFERENTIAL, 996, ("1.3", "3.3", "3.4", "5.1", "I32")),
        Breach("total:9", None, Rule.MAXIMUM, 100, ("3.3", "3.4", "5.1", "I32")),
        Breach("small", "bob", Rule.MINIMUM, 43, ("3.3", "3.4", "5.2", "I21")),
    ]
    deal.do(c.CloseBets())
    assert breaches(deal.rules, deal.state) == []


def test_a_withdrawal_on_the_lighter_side_may_break_a_differential() -> None:
    """A player may always take back, though the pair is then out of balance; the dealer sees it."""
    deal = table(big_small=200).bet("ann", "small", 200).bet("bob", "big", 400)
    deal.do(c.WithdrawBet("ann", "small"), ANN)
    assert over(deal) == [("big", Rule.DIFFERENTIAL, 200)]
    deal.do(c.RejectExcess("big"))
    assert over(deal) == []
    assert deal.state.round.totals == {"big": 200}


@pytest.mark.clause("rws-tai-sai-v6 §5.1.1", "rws-tai-sai-v6 §1.3")
def test_sides_are_weighed_as_placed() -> None:
    """A player within every limit is not cut because others overfilled the side opposite, whenever it is noticed."""
    by_kind = {"small": c.BoxLimit(50, 300), "big": c.BoxLimit(50, 5000)}
    several = c.TableLimits(5, c.BoxLimit(50, 1000), by_kind, {"big-small": 200})
    deal = opened(TAI_SAI, several, ann=5000, bob=5000).begin().felt("ann", "small", 900).felt("bob", "big", 700)
    assert over(deal) == [("small", Rule.MAXIMUM, 600)]
    deal.do(c.CloseBets())
    assert {bet.box: bet.at_risk for bet in deal.state.round.bets} == {"small": 300, "big": 700}


@pytest.mark.clause("rws-tai-sai-v6 §5.1", "rws-tai-sai-v6 I32")
def test_5_1_excess_is_rejected_newest_first() -> None:
    """The chips put down last go back first, across players, in the chips that they are, and only as many as needed."""
    deal = table().bet("ann", "small", 400).bet("bob", "small", 300).felt("ann", "small", 250).felt("cas", "small", 200)
    deal.refused(c.RejectExcess("big"), Code.NOTHING_TO_DO)
    deal.refused(c.RejectExcess("corner"), Code.UNKNOWN)
    deal.do(c.RejectExcess("small"))
    rejected = deal.last(e.ExcessRejected)
    assert rejected.limit == "maximum"
    assert rejected.handed == (Handed("cas", "small", 150),)
    assert deal.state.round.stakes == {"ann": {"small": 650}, "bob": {"small": 300}, "cas": {"small": 50}}
    deal.refused(c.RejectExcess("small"), Code.NOTHING_TO_DO)
    deal.felt("bob", "small", 300).felt("ann", "small", 30).do(c.RejectExcess("small"))
    assert {part.player: part.amount for part in deal.last(e.ExcessRejected).handed} == {"ann": 30, "bob": 300}
    deal.felt("bob", "small", 3).do(c.RejectExcess("small"))
    assert deal.last(e.ExcessRejected).handed == (Handed("bob", "small", 3),)


@pytest.mark.clause("rws-tai-sai-v6 §5.1")
def test_5_1_excess_in_colour_is_rejected_in_whole_chips() -> None:
    """A colour chip cannot be cut: the whole chip goes back, in its colour."""
    deal = opened(TAI_SAI, limits(), ann=5000)
    deal.do(c.TakeColour("ann", "red", 100, 2000))
    deal.begin().bet("ann", "small", 500).felt("ann", "small", 600, "red").felt("ann", "small", 50)
    deal.do(c.RejectExcess("small"))
    assert deal.last(e.ExcessRejected).handed == (Handed("ann", "small", 150, 100, "red"),)
    assert deal.state.balance("colour:red") == 1500


@pytest.mark.clause("rws-tai-sai-v6 §5.2")
def test_5_2_a_player_under_the_minimum_is_told_and_may_raise_or_withdraw() -> None:
    """The dealer advises whoever is under, and nobody else; who may then raise it to the minimum or take it back."""
    deal = table().felt("ann", "small", 20).felt("bob", "small", 30).bet("cas", "small", 50)
    deal.do(c.AdviseMinimum("ann", "small"))
    assert deal.last(e.MinimumAdvised) == e.MinimumAdvised("ann", "small", 20, 50)
    assert deal.refused(c.AdviseMinimum("cas", "small"), Code.NOTHING_TO_DO).clauses == ("5.2", "I21")
    deal.refused(c.AdviseMinimum("ann", "big"), Code.NOTHING_TO_DO)
    deal.refused(c.AdviseMinimum("ann", "corner"), Code.UNKNOWN)
    assert deal.refused(c.PlaceBet("ann", "small", 25), Code.UNDER_MINIMUM, ANN).allowed == "at least 30"
    deal.felt("ann", "total:9", 7)
    assert deal.refused(c.PlaceBet("ann", "total:9", 40), Code.UNDER_MINIMUM, ANN).allowed == "at least 45"
    deal.bet("ann", "total:9", 45).do(c.WithdrawBet("ann", "total:9"))
    deal.bet("ann", "small", 30)
    deal.refused(c.AdviseMinimum("ann", "small"), Code.NOTHING_TO_DO)
    deal.do(c.WithdrawBet("bob", "small"), BOB)
    assert deal.state.round.stakes == {"ann": {"small": 50}, "cas": {"small": 50}}


def test_a_withdrawal_leaves_nothing_under_the_minimum_and_breaks_no_chip() -> None:
    """All of a bet may go, or so much that the minimum stays; in whole chips; no more than lies there."""
    deal = table().bet("ann", "small", 100)
    refusal = deal.refused(c.WithdrawBet("ann", "small", 60), Code.UNDER_MINIMUM, ANN)
    assert refusal.allowed == "withdraw 100, or at most 50"
    assert deal.refused(c.WithdrawBet("ann", "small", 3), Code.BAD_VALUE, ANN).allowed == "multiples of 5, or all of it"
    assert deal.refused(c.WithdrawBet("ann", "small", 105), Code.NOT_ENOUGH_CHIPS, ANN).allowed == "at most 100"
    deal.refused(c.WithdrawBet("ann", "big"), Code.NOTHING_TO_DO, ANN)
    deal.refused(c.WithdrawBet("ann", "corner"), Code.UNKNOWN, ANN)
    deal.refused(c.WithdrawBet("ann", "small"), Code.NOT_YOURS_TO_DO, BOB)
    deal.do(c.WithdrawBet("ann", "small", 50), ANN)
    assert deal.refused(c.WithdrawBet("ann", "small", 5), Code.UNDER_MINIMUM, ANN).allowed == "withdraw 50"
    assert deal.state.round.stakes == {"ann": {"small": 50}}
    deal.do(c.WithdrawBet("ann", "small", 50), SUPERVISOR)
    assert (deal.state.round.stakes, deal.funds("ann")) == ({}, 5000)
    deal.felt("ann", "small", 51)
    assert deal.refused(c.WithdrawBet("ann", "small", 50), Code.UNDER_MINIMUM, ANN).allowed == "withdraw 51"


# ------------------------------------------------------------------ at the close


@pytest.mark.clause("rws-tai-sai-v6 §5.1.1")
def test_5_1_1_what_was_not_rejected_is_settled_pro_rata() -> None:
    """Two players over the maximum win on their share of it; the rest comes back untouched."""
    deal = table().bet("ann", "small", 1000).felt("bob", "small", 500)
    deal.finish(1, 2, 4)
    lines = {line.player: (line.stake, line.at_risk, line.winnings, line.returned) for line in deal.past.lines}
    assert lines == {"ann": (1000, 665, 665, 1665), "bob": (500, 335, 335, 835)}


@pytest.mark.clause("rws-tai-sai-v6 §5.1.1")
def test_5_1_1_a_loser_gets_back_what_was_over() -> None:
    """Only the share is collected; what was not at risk is paid back after the collection, and only then."""
    deal = table(big_small=200).bet("ann", "big", 200).felt("bob", "big", 200).close().result(1, 2, 4)
    deal.do(c.Collect())
    assert {loss.player: loss.amount for loss in deal.last(e.LosersCollected).losses} == {"ann": 100, "bob": 100}
    assert deal.state.balance("box:big") == 200
    deal.do(c.PayAll())
    assert (deal.funds("ann"), deal.funds("bob")) == (4900, 4900)
    assert [(line.pays, line.returned) for line in deal.past.lines] == [(None, 100), (None, 100)]


@pytest.mark.clause("rws-tai-sai-v6 §5.1.2", "rws-tai-sai-v6 §5.2.1")
def test_5_1_2_and_5_2_1_a_bet_under_the_minimum_stands_whole() -> None:
    """In a full box it is not pro-rated, in another it simply stands; it wins or loses accordingly, and is flagged."""
    deal = table().bet("ann", "small", 1000).felt("bob", "small", 45).felt("cas", "big", 5)
    deal.do(c.CloseBets())
    at_risk = {bet.player: bet.at_risk for bet in deal.state.round.bets}
    assert at_risk == {"ann": 955, "bob": 45, "cas": 5}
    flags = {(flag.code, flag.player, flag.box) for flag in deal.state.round.flags}
    assert flags == {("under-minimum", "bob", "small"), ("under-minimum", "cas", "big"), ("pro-rata", None, "small")}
    deal.do(c.Tumble(3))
    deal.result(1, 2, 4).settle()
    assert (deal.funds("bob"), deal.funds("cas")) == (5045, 4995)


def test_minimums_that_do_not_fit_are_flagged_and_stand() -> None:
    """With more players than the box has room for, all stand at the minimum and the box is flagged."""
    deal = opened(TAI_SAI, c.TableLimits(5, c.BoxLimit(100, 250)), ann=500, bob=500, cas=500).begin()
    for name in ("ann", "bob", "cas"):
        deal.felt(name, "small", 120)
    deal.do(c.CloseBets())
    assert [bet.at_risk for bet in deal.state.round.bets] == [100, 100, 100]
    assert [(flag.code, flag.amount) for flag in deal.state.round.flags] == [("pro-rata", 250), ("over-capacity", 50)]


@pytest.mark.parametrize(("layout", "box"), [(NZ, "small"), (OPEN_COVER, "small"), (MINI_DICE, "field")])
def test_other_books_refuse_excess_and_never_pro_rate(layout: str, box: str) -> None:
    """House limits refuse; chips found in excess are flagged and wholly at risk; a differential is not theirs."""
    deal = table(layout).bet("ann", box, 1000)
    assert deal.refused(c.PlaceBet("bob", box, 50), Code.OVER_MAXIMUM, BOB).clauses == ("I16",)
    deal.felt("bob", box, 500)
    assert over(deal) == [(box, Rule.MAXIMUM, 500)]
    deal.do(c.CloseBets())
    assert [bet.at_risk for bet in deal.state.round.bets] == [1000, 500]
    assert [(flag.code, flag.amount) for flag in deal.state.round.flags] == [("over-maximum", 500)]
    fresh = opened(layout)
    two = (SUPERVISOR, PIT_MANAGER, "busy night")
    assert "no differential" in fresh.refused(c.SetLimits(limits(big_small=100)), Code.BAD_VALUE, *two).sentence


def test_the_close_fixes_what_core_prorata_gives() -> None:
    """Whatever lies there, what is at risk is `fix_stakes` of the merged bets, flags included."""
    chance = Random("close")
    for _ in range(25 * TORTURE):
        own = limits(
            least=5 * chance.randint(0, 20), most=5 * chance.randint(20, 80), big_small=5 * chance.randint(0, 40)
        )
        deal = opened(TAI_SAI, own, ann=5000, bob=5000, cas=5000).begin()
        laid = []
        for _ in range(chance.randint(1, 9)):
            name, box = chance.choice(["ann", "bob", "cas"]), chance.choice(["small", "big", "total:9"])
            amount = chance.choice([5 * chance.randint(1, 60), chance.randint(1, 300)])
            deal.felt(name, box, amount)
            laid.append(Bet(PlayerId(name), BoxName(box), Chips(amount)))
        deal.do(c.CloseBets())
        fixed = fix_stakes(deal.rules.book, limits_of(own), merge_bets(laid))
        assert [bet.at_risk for bet in deal.state.round.bets] == list(fixed.at_risk)
        assert [flag.text for flag in deal.state.round.flags] == [flag.text for flag in fixed.flags]


# ------------------------------------------------------------------ changing them


def test_limits_change_between_rounds_by_two_people() -> None:
    """Before and after are recorded with both names; not in a round, not to another unit, not to nonsense."""
    deal = table(big_small=200)
    wider = c.SetLimits(limits(most=2000))
    two = (SUPERVISOR, SHIFT_MANAGER, "busy night")
    assert deal.refused(wider, Code.ROUND_IN_PLAY, *two).clauses == ("3.3", "3.4")
    deal.finish(1, 2, 4)
    deal.refused(wider, Code.NOT_YOURS_TO_DO, second=PIT_MANAGER, reason="busy night")
    deal.refused(wider, Code.SECOND_PERSON_NEEDED, SUPERVISOR, reason="busy night")
    deal.refused(wider, Code.SECOND_PERSON_UNFIT, PIT_MANAGER, SUPERVISOR, "busy night")
    deal.refused(wider, Code.REASON_NEEDED, SUPERVISOR, PIT_MANAGER)
    for bad in (limits(unit=1), limits(least=2000), limits(least=51), limits(odd_even=3), limits(nobody=5)):
        deal.refused(c.SetLimits(bad), Code.BAD_VALUE, *two)
    deal.do(wider, *two)
    changed = deal.last(e.LimitsSet)
    assert (changed.before, changed.after) == (limits(big_small=200), limits(most=2000))
    deal.begin().bet("ann", "small", 2000)


# ------------------------------------------------------------------ a maximum for each player


def each_table() -> Deal:
    """Betting is open under a book that leaves it to the sign whom a maximum limits."""
    sign = c.TableLimits(5, c.BoxLimit(50, 1000, Per.PLAYER), {"total:4/17": c.BoxLimit(10, 100)})
    return opened(NZ, sign, ann=5000, bob=5000, cas=5000).begin()


def test_a_maximum_for_each_player_refuses_who_is_over_it() -> None:
    """What others have there takes no room away; a group of boxes has its own maximum, for all together."""
    deal = each_table().bet("ann", "small", 1000).bet("bob", "small", 400)
    refusal = deal.refused(c.PlaceBet("bob", "small", 605), Code.OVER_MAXIMUM, BOB)
    assert refusal.sentence == "605 would take bob in small over the maximum; there is room for 600."
    assert refusal.allowed == "at most 600"
    deal.bet("bob", "small", 600).bet("ann", "total:17", 60)
    assert deal.refused(c.PlaceBet("bob", "total:17", 50), Code.OVER_MAXIMUM, BOB).allowed == "at most 40"
    deal.replays()


def test_what_is_over_a_players_maximum_goes_back_to_that_player() -> None:
    """The dealer sees who is over and by how much; the newest chips of those players go back, of nobody else's."""
    deal = each_table().felt("ann", "small", 900).felt("bob", "small", 1200).felt("ann", "small", 300)
    deal.felt("cas", "small", 500)
    seen = [(each.player, each.rule, each.amount) for each in breaches(deal.rules, deal.state)]
    assert seen == [("ann", Rule.MAXIMUM, 200), ("bob", Rule.MAXIMUM, 200)]
    [rejected] = deal.do(c.RejectExcess("small"))
    assert isinstance(rejected, e.ExcessRejected)
    assert {part.player: part.amount for part in rejected.handed} == {"ann": 200, "bob": 200}
    assert deal.state.round.totals["small"] == 2500
    deal.refused(c.RejectExcess("small"), Code.NOTHING_TO_DO)
    deal.replays()


@pytest.mark.clause("nz-division-9 I31", "rws-open-cover-v3 I31", "rws-tai-sai-v6 I31", "rws-mini-dice-v3 I31")
@pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
def test_i31_a_bet_over_the_maximum_is_refused_whole(layout: str) -> None:
    """No part of it is taken, and the player is told how much the box still takes."""
    deal = opened(layout, c.TableLimits(5, c.BoxLimit(10, 100)), ann=1000).begin().bet("ann", "single:1", 60)
    refusal = deal.refused(c.PlaceBet("ann", "single:1", 45), Code.OVER_MAXIMUM, ANN)
    assert refusal.allowed == "at most 40"
    assert deal.state.round.totals == {"single:1": 60}
