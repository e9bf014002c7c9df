"""Open Cover and Mini Dice of Singapore, clause by clause: two short books that tumble only after the close."""

from __future__ import annotations

import pytest

from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.parts import FixedBet
from taisai.table.refusals import Code
from taisai.table.state import RoundPhase
from tests.table.driver import MINI_DICE, OPEN_COVER, SUPERVISOR, Deal, opened, player

BOOKS = pytest.mark.parametrize("layout", [OPEN_COVER, MINI_DICE])


def betting(layout: str) -> Deal:
    """A round with a bet of two players on one box."""
    return opened(layout, ann=1000, bob=1000).begin().bet("ann", "single:3", 100).bet("bob", "single:3", 50)


@pytest.mark.clause("rws-open-cover-v3 §1 Colour Chips", "rws-mini-dice-v3 §1 Colour Chips")
@BOOKS
def test_1_colour_chips_are_a_set_of_this_table(layout: str) -> None:
    """Only the table's own colours are played; they do not leave it, and a table is not closed while any are out."""
    deal = opened(layout, ann=500)
    refusal = deal.refused(c.TakeColour("ann", "gold", 25, 100), Code.UNKNOWN)
    assert (refusal.clauses, refusal.allowed) == (("1 Colour Chips",), "blue, green, red")
    deal.do(c.TakeColour("ann", "red", 25, 100))
    deal.refused(c.LeaveTable("ann"), Code.COLOUR_OUT, player("ann"))
    deal.refused(c.CloseTable({}), Code.COLOUR_OUT, SUPERVISOR)
    deal.do(c.TurnInColour("ann"))
    deal.do(c.LeaveTable("ann"), player("ann"))
    assert deal.last(e.PlayerLeft).amount == 500


@pytest.mark.clause("rws-open-cover-v3 §3.1", "rws-mini-dice-v3 §3.1")
@BOOKS
def test_3_1_bets_open_at_the_call(layout: str) -> None:
    """Nothing is placed before "Place your bets, please"."""
    deal = opened(layout, ann=100)
    refusal = deal.refused(c.PlaceBet("ann", "single:3", 10), Code.BETS_NOT_OPEN, player("ann"))
    assert refusal.clauses == ("3.1",)
    deal.do(c.OpenBets())
    assert deal.last(e.BetsOpened).call == "Place your bets, please"
    deal.bet("ann", "single:3", 10)


@pytest.mark.clause("rws-open-cover-v3 §3.2", "rws-mini-dice-v3 §3.2")
@BOOKS
def test_3_2_bets_close_at_the_call(layout: str) -> None:
    """The call "No more bets" fixes what lies there; there is no bell in these books."""
    deal = betting(layout)
    deal.do(c.CloseBets())
    closed = deal.last(e.BetsClosed)
    assert (closed.call, closed.bell) == ("No more bets", False)
    assert closed.bets == (FixedBet("ann", "single:3", 100, 100), FixedBet("bob", "single:3", 50, 50))
    deal.refused(c.CloseBets(), Code.BETS_CLOSED)


@pytest.mark.clause("rws-open-cover-v3 §3.3", "rws-mini-dice-v3 §3.3")
@BOOKS
def test_3_3_cash_chips_colour_chips_or_both(layout: str) -> None:
    """Both kinds lie in one box as one bet, and each comes back in its own kind."""
    deal = opened(layout, ann=500)
    deal.do(c.TakeColour("ann", "red", 25, 100))
    deal.begin().bet("ann", "single:3", 50).bet("ann", "single:3", 50, "red")
    deal.refused(c.PlaceBet("ann", "corner", 10), Code.UNKNOWN, player("ann"))
    refusal = deal.refused(c.PlaceBet("ann", "single:4", 355), Code.NOT_ENOUGH_CHIPS, player("ann"))
    assert refusal.clauses == ("3.3",)
    deal.close()
    assert deal.state.round.bets == (FixedBet("ann", "single:3", 100, 100, 50, "red"),)
    deal.result(3, 1, 2).settle()
    paid = deal.last(e.BetPaid)
    assert (paid.returned, paid.in_colour, paid.colour) == (200, 100, "red")
    assert (deal.state.balance("player:ann"), deal.state.balance("colour:red")) == (450, 150)


@pytest.mark.clause("rws-open-cover-v3 §3.4")
def test_3_4_the_tumbler_is_started_once_after_the_close() -> None:
    """Before the close it does not count; three tumbles are enough."""
    deal = opened(OPEN_COVER, ann=100)
    deal.do(c.Tumble(3))
    deal.begin()
    deal.do(c.CloseBets())
    assert deal.refused(c.Uncover((1, 2, 3)), Code.WRONG_STEP).clauses == ("3.4",)
    deal.do(c.Tumble(3))
    deal.do(c.Uncover((1, 2, 3)))


@pytest.mark.clause("rws-mini-dice-v3 §3.4")
def test_3_4_three_spins_of_the_cage_one_by_one_or_together() -> None:
    """The cage is turned by its handle: its spins add up, and with three the game is valid."""
    deal = betting(MINI_DICE)
    deal.do(c.Tumble(1))
    assert deal.last(e.FactRecorded).then == ("record",)
    deal.do(c.CloseBets())
    deal.do(c.Tumble(1))
    deal.do(c.Tumble(1))
    assert "tumbled 2 times" in deal.refused(c.Uncover((3, 1, 2)), Code.WRONG_STEP).sentence
    deal.do(c.Tumble(1))
    deal.result(3, 1, 2).settle()
    assert deal.funds("ann") == 1100


@pytest.mark.clause("rws-mini-dice-v3 §3.5", "rws-open-cover-v3 §3.5")
@BOOKS
def test_3_5_the_faces_are_recorded_as_they_lie_at_rest(layout: str) -> None:
    """Who uncovers records three faces once, after the tumble and before the call, and they are the result."""
    deal = betting(layout)
    deal.refused(c.Uncover((3, 3, 3)), Code.WRONG_STEP)
    deal.close().do(c.Uncover((6, 3, 1)), SUPERVISOR)
    assert (deal.record[-1].by, deal.state.round.dice) == (SUPERVISOR, (6, 3, 1))
    deal.refused(c.Uncover((3, 3, 3)), Code.WRONG_STEP)
    deal.do(c.Announce())
    assert deal.last(e.ResultAnnounced).call == "1, 3, 6, total 10"
    deal.settle()
    assert deal.past.dice == (6, 3, 1)


VOIDS = [
    (OPEN_COVER, Fact.DAMAGED_DICE, "5.1.1"),
    (OPEN_COVER, Fact.TOO_FEW_TUMBLES, "5.1.2"),
    (OPEN_COVER, Fact.NOT_FLAT, "5.1.3"),
    (OPEN_COVER, Fact.DICE_STACKED, "5.1.3"),
    (OPEN_COVER, Fact.ACTIVATED_BEFORE_CLOSE, "5.1.4"),
    (MINI_DICE, Fact.TOO_FEW_TUMBLES, "5.1.1"),
    (MINI_DICE, Fact.DICE_STACKED, "5.1.2"),
    (MINI_DICE, Fact.DAMAGED_DICE, "5.1.3"),
    (MINI_DICE, Fact.NOT_FLAT, "5.1.4"),
]


@pytest.mark.clause(
    "rws-open-cover-v3 §5.1",
    "rws-open-cover-v3 §5.1.1",
    "rws-open-cover-v3 §5.1.2",
    "rws-open-cover-v3 §5.1.3",
    "rws-open-cover-v3 §5.1.4",
    "rws-mini-dice-v3 §5.1",
    "rws-mini-dice-v3 §5.1.1",
    "rws-mini-dice-v3 §5.1.2",
    "rws-mini-dice-v3 §5.1.3",
    "rws-mini-dice-v3 §5.1.4",
)
@pytest.mark.parametrize(("layout", "why", "clause"), VOIDS)
def test_5_1_the_game_is_void_in_each_case(layout: str, why: Fact, clause: str) -> None:
    """Each reason of the book voids the game at once, under its clause, and every bet goes back."""
    for phase in (RoundPhase.BETTING, RoundPhase.CLOSED):
        deal = betting(layout).up_to(phase)
        void = deal.void(why)
        assert (void.call, void.clauses[:3]) == ("Void", ("5.1", "I19", clause))
        assert (deal.funds("ann"), deal.funds("bob")) == (1000, 1000)
        assert deal.past.dice is None


@pytest.mark.clause("rws-open-cover-v3 §5.1", "rws-mini-dice-v3 §5.1")
@BOOKS
def test_5_1_no_other_case_voids_the_game(layout: str) -> None:
    """Facts of which the book says nothing are recorded, and the game goes on."""
    deal = betting(layout)
    known = {why for book, why, _ in VOIDS if book == layout} | {Fact.INTERRUPTED}
    for why in sorted(set(Fact) - known - {Fact.LIGHTS_FAULT, Fact.TERMINAL_DEAD}):
        deal.do(c.Report(why))
        assert deal.last(e.FactRecorded).then == ("record",)
    assert deal.phase is RoundPhase.BETTING
    for why in (Fact.LIGHTS_FAULT, Fact.TERMINAL_DEAD):
        deal.refused(c.Report(why), Code.UNKNOWN)


@pytest.mark.clause("rws-open-cover-v3 §5.1.4")
def test_5_1_4_a_tumble_during_betting_is_a_fact_and_the_game_is_void() -> None:
    """Nobody needs to say so: the record of the tumble is enough; between games it is recorded and does not count."""
    deal = betting(OPEN_COVER)
    happened = deal.do(c.Tumble(3))
    assert [type(what) for what in happened] == [e.FactRecorded, e.RoundVoided]
    assert (deal.past.void, deal.funds("ann")) == ("activated-before-close", 1000)
    deal.do(c.Tumble(3))
    assert deal.last(e.FactRecorded).fact == "tumbled-out-of-turn"
    deal.begin().bet("ann", "small", 10).do(c.CloseBets())
    deal.refused(c.Uncover((1, 2, 3)), Code.WRONG_STEP)


@pytest.mark.clause("rws-open-cover-v3 §5.1.2")
@pytest.mark.parametrize("times", [0, 1, 2])
def test_5_1_2_fewer_than_three_tumbles_void_the_game_by_themselves(times: int) -> None:
    """A tumbler that was started and tumbled too little voids the game without anybody saying so."""
    deal = betting(OPEN_COVER)
    deal.do(c.CloseBets())
    happened = deal.do(c.Tumble(times))
    assert [type(what) for what in happened] == [e.DiceTumbled, e.FactRecorded, e.RoundVoided]
    assert deal.past.void == Fact.TOO_FEW_TUMBLES
    assert deal.funds("ann") == 1000


@pytest.mark.clause("rws-open-cover-v3 §5.1.1", "rws-mini-dice-v3 §5.1.3")
@BOOKS
def test_5_1_damaged_dice_stop_the_table_until_they_are_changed(layout: str) -> None:
    """After a void for damaged dice no game begins with that set; these books leave settled games alone."""
    deal = betting(layout).finish(3, 1, 2).begin().bet("ann", "single:3", 10)
    deal.void(Fact.DAMAGED_DICE)
    deal.refused(c.Report(Fact.DAMAGED_DICE), Code.NOTHING_TO_DO)
    deal.refused(c.OpenBets(), Code.CHECK_INCOMPLETE)
    assert deal.happened(e.RoundReversed) == []
    deal.do(c.RetireDice("d1", "chipped"), SUPERVISOR)
    deal.do(c.ReceiveDice("d2"), SUPERVISOR)
    deal.do(c.SealDice("d2", "s2"), SUPERVISOR)
    deal.begin()
    assert deal.state.history[0].reversed is False


@pytest.mark.clause("rws-open-cover-v3 §5.2", "rws-mini-dice-v3 §5.2")
@pytest.mark.parametrize(
    "phase",
    [phase for phase in RoundPhase if phase not in (RoundPhase.BETWEEN, RoundPhase.BETTING, RoundPhase.ENTERED)],
)
@BOOKS
def test_5_2_after_the_close_nothing_is_placed_raised_or_withdrawn(layout: str, phase: RoundPhase) -> None:
    """The dealer refuses it all until the round is settled, under clause 5.2."""
    deal = betting(layout).up_to(phase, 3, 1, 2)
    ann = player("ann")
    for refused in (
        c.PlaceBet("ann", "single:4", 10),
        c.PlaceBet("ann", "single:3", 10),
        c.WithdrawBet("ann", "single:3"),
    ):
        assert deal.refused(refused, Code.BETS_CLOSED, ann).clauses == ("5.2",)
    deal.refused(c.PlaceBet("ann", "single:3", 10, c.How.CALL), Code.BETS_CLOSED)


@BOOKS
def test_these_books_have_neither_terminal_nor_lights(layout: str) -> None:
    """Where the book has no terminal nothing is pressed or entered, and no lights can fail."""
    deal = betting(layout).close().show(3, 1, 2)
    for action in (c.Press(1), c.Enter()):
        deal.refused(action, Code.WRONG_STEP)
    deal.refused(c.Report(Fact.LIGHTS_FAULT, "dark"), Code.UNKNOWN)
    assert deal.state.round.lit == ()
    deal.settle()


@pytest.mark.clause("rws-open-cover-v3 I24", "rws-mini-dice-v3 I24")
@pytest.mark.parametrize("layout", [OPEN_COVER, MINI_DICE])
@pytest.mark.parametrize("times", [3, 4, 7])
def test_i24_three_times_is_at_least_three(layout: str, times: int) -> None:
    """More tumbles than three give a result like three."""
    deal = opened(layout, ann=100).begin().bet("ann", "single:1", 10)
    deal.do(c.CloseBets())
    deal.do(c.Tumble(times))
    deal.result(1, 2, 4).settle()
    assert deal.funds("ann") == 110
