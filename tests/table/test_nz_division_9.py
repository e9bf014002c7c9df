"""Division 9 of New Zealand, clause by clause: equipment, wagers, the opening check and the round."""

from __future__ import annotations

import pytest

from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.handlers.shift import runs_left
from taisai.table.parts import Loss
from taisai.table.people import Person, Role
from taisai.table.refusals import Code
from taisai.table.state import RoundPhase, TablePhase
from tests.table.driver import (
    AUDITOR,
    DEALER,
    NZ,
    NZ_2,
    PIT_MANAGER,
    SHIFT_MANAGER,
    SUPERVISOR,
    SYSTEM,
    Deal,
    opened,
    player,
)

BETWEEN_AND_AFTER = [phase for phase in RoundPhase if phase is not RoundPhase.BETTING]


def round_at(phase: RoundPhase) -> Deal:
    """A table with a winner and a loser on the felt, at a phase of its round; small wins."""
    deal = opened(NZ, ann=1000, bob=1000)
    if phase is not RoundPhase.BETWEEN:
        deal.begin().bet("ann", "small", 100).bet("bob", "big", 50)
        if phase is not RoundPhase.BETTING:
            deal.up_to(phase, 1, 2, 4)
    return deal


# ------------------------------------------------------------------ equipment


@pytest.mark.clause("nz-division-9 §3.1")
def test_3_1_cash_of_a_buy_in_goes_into_the_drop_box() -> None:
    """A buy-in moves cash into the drop, chips out of the float, and the drop leaves with the close."""
    deal = opened(NZ, ann=300)
    assert deal.state.balance("drop") == 300
    assert deal.state.balance("float") == 100_500 - 300
    assert deal.state.balance("player:ann") == 300
    deal.do(c.BuyIn("ann", 200))
    assert deal.state.balance("drop") == deal.state.shift.drop == 500
    deal.do(c.CloseTable({100: 1000}), SUPERVISOR)
    assert deal.last(e.TableClosed).drop == 500
    assert deal.state.balance("drop") == 0


@pytest.mark.clause("nz-division-9 §3.3(a)", "nz-division-9 §6.4")
def test_3_3_a_the_display_shows_the_last_three_numbers_pressed() -> None:
    """Six buttons; whatever was pressed before, the display holds the last three, and these are entered."""
    deal = round_at(RoundPhase.ANNOUNCED)
    shown = []
    for number in (6, 5, 1, 2, 4):
        deal.do(c.Press(number))
        shown.append(deal.state.round.pressed)
    assert shown == [(6,), (6, 5), (6, 5, 1), (5, 1, 2), (1, 2, 4)]
    deal.do(c.Enter())
    entered = deal.last(e.ResultEntered)
    assert (entered.dice, entered.matches) == ((1, 2, 4), True)
    assert deal.state.round.pressed == ()


@pytest.mark.clause("nz-division-9 §3.3(a)", "nz-division-9 §6.4")
@pytest.mark.parametrize("pressed", [(), (1,), (1, 2)])
def test_3_3_a_an_incomplete_entry_is_refused(pressed: tuple[int, ...]) -> None:
    """The entry button does nothing until three numbers are shown; the refusal says what is shown."""
    deal = round_at(RoundPhase.ANNOUNCED)
    for number in pressed:
        deal.do(c.Press(number))
    refusal = deal.refused(c.Enter(), Code.ENTRY_INCOMPLETE)
    assert (", ".join(map(str, pressed)) or "none") in refusal.sentence
    assert refusal.clauses == ("3.3(a)", "6.4")


@pytest.mark.clause("nz-division-9 §3.3(b)")
def test_3_3_b_every_winning_area_lights_and_no_other() -> None:
    """The areas that light are all those that win on the numbers entered, bet on or not."""
    deal = round_at(RoundPhase.ENTERED)
    assert set(deal.state.round.lit) == {
        "small", "total:7", "single:1", "single:2", "single:4", "pair:12", "pair:14", "pair:24",
    }  # fmt: skip


@pytest.mark.clause("nz-division-9 §3.4(a)", "nz-division-9 §3.4(b)")
def test_3_4_a_b_a_colour_has_one_declared_value_while_it_is_out() -> None:
    """What a colour is worth is declared when it is taken and stands until all of it is turned in."""
    deal = opened(NZ, ann=1000)
    deal.do(c.TakeColour("ann", "red", 25, 500))
    assert (deal.state.players["ann"].colour, deal.state.players["ann"].value) == ("red", 25)
    refusal = deal.refused(c.TakeColour("ann", "red", 5, 100), Code.COLOUR_OUT)
    assert refusal.clauses == ("3.4(a)", "3.4(b)")
    deal.do(c.TakeColour("ann", "red", 25, 100))
    assert deal.state.balance("colour:red") == 600
    deal.do(c.TurnInColour("ann"))
    assert deal.state.players["ann"].colour is None
    deal.do(c.TakeColour("ann", "red", 5, 100))
    assert deal.state.players["ann"].value == 5


@pytest.mark.clause("nz-division-9 §3.4(c)")
def test_3_4_c_chips_are_exchanged_over_the_change_block() -> None:
    """Buy-in, colour change and cash-out are recorded by the crew, and nothing is lost on the way."""
    deal = opened(NZ, ann=500)
    deal.do(c.TakeColour("ann", "blue", 10, 200))
    deal.do(c.TurnInColour("ann"))
    deal.do(c.CashOut("ann", 500))
    assert deal.funds("ann") == 0
    kinds = [type(event.what) for event in deal.record[-3:]]
    assert kinds == [e.ColourTaken, e.ColourTurnedIn, e.CashedOut]
    refusal = deal.refused(c.BuyIn("ann", 100), Code.NOT_YOURS_TO_DO, player("ann"))
    assert "dealer" in refusal.allowed


@pytest.mark.clause("nz-division-9 §3.4(d)", "nz-division-9 §3.4(e)")
def test_3_4_d_e_one_set_of_dice_is_in_the_tumbler_under_a_seal() -> None:
    """A set is known by its name, sealed in under a seal of its own, one at a time; a new seal is looked at anew."""
    deal = Deal(NZ).set_up()
    sealed = deal.state.dice_sets["d1"]
    assert (deal.state.dice_in, sealed.seal, sealed.sealed_at) == ("d1", "s1", deal.clock)
    deal.do(c.ReceiveDice("d2"), SUPERVISOR)
    refusal = deal.refused(c.SealDice("d2", "s2"), Code.BAD_VALUE, SUPERVISOR)
    assert refusal.clauses == ("3.4(d)", "3.4(e)")
    deal.do(c.RetireDice("d1"), SUPERVISOR)
    deal.check()
    refusal = deal.refused(c.OpenTable(), Code.CHECK_INCOMPLETE, SUPERVISOR)
    assert refusal.clauses == ("3.4(d)", "3.4(e)")
    deal.do(c.SealDice("d2", "s2"), SUPERVISOR)
    assert deal.refused(c.OpenTable(), Code.CHECK_INCOMPLETE, SUPERVISOR).allowed == "check-item"
    deal.do(c.CheckItem("seal", passed=True), SUPERVISOR)
    deal.do(c.OpenTable(), SUPERVISOR)
    assert deal.state.dice_in == "d2"


@pytest.mark.clause("nz-division-9 §3.4(f)", "nz-division-9 §6.2")
def test_3_4_f_the_bell_rings_at_no_more_bets() -> None:
    """The closing call is the book's, with the bell, and from then on betting is closed."""
    deal = round_at(RoundPhase.BETTING)
    deal.do(c.CloseBets())
    closed = deal.last(e.BetsClosed)
    assert (closed.call, closed.bell) == ("No more bets", True)
    deal.refused(c.CloseBets(), Code.BETS_CLOSED)
    deal.refused(c.PlaceBet("ann", "small", 10), Code.BETS_CLOSED, player("ann"))


# ------------------------------------------------------------------ wagers


@pytest.mark.clause("nz-division-9 §4.2", "nz-division-9 §1.0")
def test_4_2_the_uppermost_faces_decide() -> None:
    """The three faces recorded are the result, and their sum is the total called."""
    deal = round_at(RoundPhase.BETTING).close().show(6, 1, 5)
    announced = deal.last(e.ResultAnnounced)
    assert (announced.call, announced.total) == ("1, 5, 6, total 12", 12)
    deal.enter(5, 6, 1).settle()
    assert [(line.player, line.winnings) for line in deal.past.lines] == [("ann", 0), ("bob", 50)]


@pytest.mark.clause("nz-division-9 §4.3")
def test_4_3_wagers_are_chips_in_a_marked_segment() -> None:
    """Value and colour chips count, but only chips that are there, in whole chips, in a box of the layout."""
    deal = opened(NZ, ann=500)
    deal.do(c.TakeColour("ann", "red", 25, 100))
    deal.begin().bet("ann", "small", 50).bet("ann", "small", 75, "red")
    assert deal.state.round.totals == {"small": 125}
    ann = player("ann")
    assert deal.refused(c.PlaceBet("ann", "odd", 50), Code.UNKNOWN, ann).clauses == ("3.2", "App. 1")
    deal.refused(c.PlaceBet("ann", "the line", 50), Code.UNKNOWN, ann)
    deal.refused(c.PlaceBet("ann", "big", 12), Code.BAD_VALUE, ann)
    deal.refused(c.PlaceBet("ann", "big", 30, colour="red"), Code.BAD_VALUE, ann)
    refusal = deal.refused(c.PlaceBet("ann", "big", 400), Code.NOT_ENOUGH_CHIPS, ann)
    assert (refusal.clauses, refusal.allowed) == (("4.3",), "at most 350")


@pytest.mark.clause("nz-division-9 §4.3")
def test_4_3_a_wager_that_touches_the_line_is_ruled_on_with_a_reason() -> None:
    """Touching the line is a recorded fact; a supervisor honours the wager, or hands it back, until it is settled."""
    deal = round_at(RoundPhase.BETTING)
    honour = c.RuleOnLine("ann", "small", honoured=True)
    deal.refused(honour, Code.NOT_YOURS_TO_DO)
    deal.refused(honour, Code.REASON_NEEDED, SUPERVISOR)
    assert deal.refused(honour, Code.CONTRADICTED, SUPERVISOR, reason="x").allowed == "touch-line"
    deal.do(c.TouchLine("ann", "small"))
    deal.refused(c.TouchLine("ann", "small"), Code.NOTHING_TO_DO)
    deal.do(honour, SUPERVISOR, reason="clear where it was meant")
    assert deal.record[-1].reason == "clear where it was meant"
    deal.do(c.TouchLine("bob", "big"))
    deal.do(c.RuleOnLine("bob", "big", honoured=False), SUPERVISOR, reason="nobody can tell")
    assert (deal.state.round.totals, deal.funds("bob")) == ({"small": 100}, 1000)
    deal.refused(c.RuleOnLine("bob", "big", honoured=True), Code.NOTHING_TO_DO, SUPERVISOR, reason="x")
    deal.refused(c.RuleOnLine("bob", "edge", honoured=True), Code.UNKNOWN, SUPERVISOR, reason="x")
    deal.refused(c.TouchLine("bob", "edge"), Code.UNKNOWN)
    deal.refused(c.TouchLine("bob", "big"), Code.NOTHING_TO_DO)


@pytest.mark.clause("nz-division-9 §4.3")
def test_4_3_a_ruling_stands_once_bets_are_closed() -> None:
    """A wager that was honoured is not handed back when the dice show that it wins or loses."""
    deal = round_at(RoundPhase.BETTING)
    deal.do(c.TouchLine("bob", "big"))
    deal.do(c.RuleOnLine("bob", "big", honoured=True), SUPERVISOR, reason="clear where it was meant")
    deal.up_to(RoundPhase.ENTERED, 1, 2, 4)
    again = c.RuleOnLine("bob", "big", honoured=False)
    refusal = deal.refused(again, Code.CONTRADICTED, SUPERVISOR, reason="it loses")
    assert refusal.sentence == "On record: bob's bet on big was honoured, and bets are closed."
    assert refusal.clauses == ("4.3", "I22")


@pytest.mark.clause("nz-division-9 §4.3")
@pytest.mark.parametrize("phase", [RoundPhase.CLOSED, RoundPhase.UNCOVERED, RoundPhase.ENTERED])
def test_4_3_a_wager_that_is_not_honoured_neither_wins_nor_loses(phase: RoundPhase) -> None:
    """It goes back whole by a ruling until it is settled; recorded with the dice known, two people saw it (I22)."""
    deal = round_at(phase)
    out = c.RuleOnLine("bob", "big", honoured=False)
    known = phase is not RoundPhase.CLOSED
    deal.do(c.TouchLine("bob", "big"))
    assert deal.last(e.LineTouched).attested is not known
    if known:
        deal.refused(out, Code.CONTRADICTED, SUPERVISOR, reason="half in the box")
        deal.do(c.TouchLine("bob", "big"), DEALER, SUPERVISOR)
    deal.do(out, SUPERVISOR, reason="half in the box")
    assert deal.funds("bob") == 1000
    if phase is not RoundPhase.ENTERED:
        deal.up_to(RoundPhase.ENTERED, 1, 2, 4)
    deal.settle()
    assert [line.player for line in deal.past.lines] == ["ann"]


@pytest.mark.clause("nz-division-9 §4.4")
def test_4_4_no_wager_before_the_last_winner_is_paid() -> None:
    """With one winner still waiting neither bets nor the next round open; once that one is paid both do."""
    deal = opened(NZ, ann=1000, bob=1000).begin().bet("ann", "small", 100).bet("bob", "single:1", 50)
    deal.up_to(RoundPhase.COLLECTED, 1, 2, 4)
    deal.do(c.PayNext())
    assert deal.phase is RoundPhase.COLLECTED
    deal.refused(c.PlaceBet("ann", "small", 100), Code.BETS_CLOSED, player("ann"))
    assert deal.refused(c.OpenBets(), Code.ROUND_IN_PLAY).clauses == ("4.4",)
    deal.do(c.PayNext())
    refusal = deal.refused(c.PlaceBet("ann", "small", 100), Code.BETS_NOT_OPEN, player("ann"))
    assert refusal.clauses == ("6.1", "4.4")
    deal.begin().bet("ann", "small", 100)


@pytest.mark.clause("nz-division-9 §4.5")
def test_4_5_a_spoken_wager_needs_its_chips_and_time() -> None:
    """The dealer puts a called bet down only with the player's chips, only before the close; it is kept as a call."""
    deal = opened(NZ, ann=60).begin()
    refusal = deal.refused(c.PlaceBet("ann", "small", 65, c.How.CALL), Code.NOT_ENOUGH_CHIPS)
    assert refusal.clauses == ("4.5",)
    deal.refused(c.PlaceBet("ann", "small", 50, c.How.CALL), Code.NOT_YOURS_TO_DO, player("ann"))
    deal.do(c.PlaceBet("ann", "small", 50, c.How.CALL))
    assert deal.state.round.stacks[0].how is c.How.CALL
    deal.close()
    assert [bet.called for bet in deal.state.round.bets] == [True]
    deal.refused(c.PlaceBet("ann", "small", 10, c.How.CALL), Code.BETS_CLOSED)


@pytest.mark.clause("nz-division-9 §4.6")
def test_4_6_the_record_says_who_placed_for_whom() -> None:
    """A wager that the dealer put down is the player's, and both names stand in the record."""
    deal = opened(NZ, ann=500).begin()
    deal.do(c.PlaceBet("ann", "small", 50, c.How.STAFF))
    placed = deal.record[-1]
    assert isinstance(placed.what, e.BetPlaced)
    assert (placed.by, placed.what.player, placed.what.how) == (DEALER, "ann", c.How.STAFF)
    refusal = deal.refused(c.PlaceBet("ann", "small", 50), Code.NOT_YOURS_TO_DO, player("bob"))
    assert refusal.clauses == ("4.6",)


@pytest.mark.clause("nz-division-9 §4.7")
@pytest.mark.parametrize("phase", BETWEEN_AND_AFTER)
def test_4_7_after_the_close_nobody_places_raises_or_withdraws(phase: RoundPhase) -> None:
    """At every phase but open betting, player and crew alike are refused, for a new box and an old one."""
    deal = round_at(phase)
    code = Code.BETS_NOT_OPEN if phase is RoundPhase.BETWEEN else Code.BETS_CLOSED
    for box in ("small", "total:9"):
        refusal = deal.refused(c.PlaceBet("ann", box, 50), code, player("ann"))
        assert ("4.7" in refusal.clauses) == (code is Code.BETS_CLOSED)
        for how in (c.How.CALL, c.How.STAFF, c.How.FELT):
            deal.refused(c.PlaceBet("ann", box, 50, how), code)
        deal.refused(c.WithdrawBet("ann", box), code, player("ann"))
        deal.refused(c.WithdrawBet("ann", box), code, SUPERVISOR)
    deal.refused(c.RejectExcess("small"), code)


@pytest.mark.clause("nz-division-9 §4.8")
def test_4_8_nobody_touches_a_losing_wager() -> None:
    """When the dice are known a loser can be neither withdrawn nor moved by its player; it is collected."""
    deal = round_at(RoundPhase.ENTERED)
    refusal = deal.refused(c.WithdrawBet("bob", "big"), Code.BETS_CLOSED, player("bob"))
    assert "4.8" in refusal.clauses
    move = c.CorrectBet("bob", "big", "small", 50, c.MoveGround.MOVED_BY_PATRON)
    assert deal.refused(move, Code.NOT_YOURS_TO_DO, player("bob")).clauses == ("4.9", "I12")
    deal.settle()
    assert deal.last(e.LosersCollected).losses == (Loss("bob", "big", 50),)
    assert deal.funds("bob") == 950


@pytest.mark.clause("nz-division-9 §4.9")
@pytest.mark.parametrize("phase", [RoundPhase.CLOSED, RoundPhase.UNCOVERED, RoundPhase.ANNOUNCED, RoundPhase.ENTERED])
def test_4_9_a_moved_wager_is_put_back_by_two_people(phase: RoundPhase) -> None:
    """From the close until it is settled, a moved wager goes back to where it lay, by whoever moved it."""
    deal = opened(NZ, ann=1000, bob=1000).begin().bet("ann", "small", 100).bet("bob", "small", 50)
    deal.do(c.WithdrawBet("bob", "small"), player("bob"))
    deal.bet("bob", "big", 50).up_to(phase, 1, 2, 4)
    move = c.CorrectBet("bob", "big", "small", 50, c.MoveGround.MOVED_BY_PATRON)
    deal.refused(move, Code.SECOND_PERSON_NEEDED, reason="pushed by a sleeve")
    deal.refused(move, Code.SECOND_PERSON_UNFIT, SUPERVISOR, SUPERVISOR, "pushed by a sleeve")
    deal.refused(move, Code.REASON_NEEDED, second=SUPERVISOR)
    deal.do(move, second=SUPERVISOR, reason="pushed by a sleeve")
    corrected = deal.record[-1]
    assert (corrected.by, corrected.authorised_by, corrected.reason) == (DEALER, SUPERVISOR, "pushed by a sleeve")
    assert deal.last(e.BetCorrected).ground == "moved-by-patron"
    if phase is not RoundPhase.ENTERED:
        deal.up_to(RoundPhase.ENTERED, 1, 2, 4)
    deal.settle()
    assert deal.funds("bob") == 1050


@pytest.mark.clause("nz-division-9 §4.9")
def test_4_9_no_wager_goes_where_it_never_lay() -> None:
    """The record says where a player's chips lay; only two supervisors may say that the dealer misplaced them."""
    deal = opened(NZ, ann=1000).begin().bet("ann", "big", 50).up_to(RoundPhase.ENTERED, 1, 2, 4)
    for ground in (c.MoveGround.MOVED_BY_DEALER, c.MoveGround.MOVED_BY_PATRON):
        refusal = deal.refused(
            c.CorrectBet("ann", "big", "small", 50, ground), Code.CONTRADICTED, SUPERVISOR, PIT_MANAGER, "moved"
        )
        assert (refusal.clauses, refusal.allowed) == (("4.9", "I12"), "big")
        assert "never on small" in refusal.sentence
    misplaced = c.CorrectBet("ann", "big", "small", 50, c.MoveGround.MISPLACED_BY_DEALER)
    deal.refused(misplaced, Code.SECOND_PERSON_UNFIT, DEALER, SUPERVISOR, "on the camera")
    deal.do(misplaced, SUPERVISOR, PIT_MANAGER, "on the camera")
    deal.settle()
    assert deal.funds("ann") == 1050


@pytest.mark.clause("nz-division-9 §4.9")
def test_4_9_settled_where_it_lies_and_part_of_it_may_be_moved() -> None:
    """Without a correction the position stands; a correction may move a part, onto another bet of the same player."""
    deal = opened(NZ, ann=1000).begin().bet("ann", "small", 100)
    deal.do(c.WithdrawBet("ann", "small", 60), player("ann"))
    deal.bet("ann", "big", 100).up_to(RoundPhase.ENTERED, 1, 2, 4)
    deal.altered(c.CorrectBet("ann", "big", "small", 60, c.MoveGround.MOVED_BY_DEALER))
    bets = {bet.box: bet.stake for bet in deal.state.round.bets}
    assert bets == {"big": 40, "small": 100}
    deal.settle()
    assert deal.funds("ann") == 1000 - 40 + 100


@pytest.mark.clause("nz-division-9 §4.9")
def test_4_9_no_more_goes_back_than_lay_there() -> None:
    """A loser does not join a winner: what never lay on the winning box is not put there, however small a bet is."""
    deal = opened(NZ, ann=1000).begin().bet("ann", "small", 60)
    deal.do(c.WithdrawBet("ann", "small", 10), player("ann"))
    deal.bet("ann", "big", 100).up_to(RoundPhase.ENTERED, 1, 2, 4)
    two = (SUPERVISOR, PIT_MANAGER, "moved")
    for ground in (c.MoveGround.MOVED_BY_DEALER, c.MoveGround.MOVED_BY_PATRON):
        refusal = deal.refused(c.CorrectBet("ann", "big", "small", 11, ground), Code.CONTRADICTED, *two)
        assert refusal.sentence == "On record: ann never had more than 60 on small, where 50 lies now."
        assert (refusal.clauses, refusal.allowed) == (("4.9", "I12"), "at most 10")
    deal.do(c.CorrectBet("ann", "big", "small", 10, c.MoveGround.MOVED_BY_PATRON), *two)
    refusal = deal.refused(
        c.CorrectBet("ann", "big", "small", 1, c.MoveGround.MOVED_BY_PATRON), Code.CONTRADICTED, *two
    )
    assert refusal.allowed == "at most 0"


@pytest.mark.clause("nz-division-9 §4.9")
@pytest.mark.parametrize("phase", [RoundPhase.BETTING, RoundPhase.COLLECTED])
def test_4_9_nothing_is_corrected_before_the_close_or_after_settlement(phase: RoundPhase) -> None:
    """Before the close players move their own, and once losers are collected a wager stays where it is."""
    deal = round_at(phase)
    move = c.CorrectBet("bob", "big", "small", 50, c.MoveGround.MOVED_BY_PATRON)
    refusal = deal.refused(move, Code.WRONG_STEP, SUPERVISOR, PIT_MANAGER, "moved")
    assert refusal.clauses == ("4.9", "I12")


@pytest.mark.clause("nz-division-9 §4.9")
def test_4_9_a_call_bet_is_not_corrected_where_the_dealer_misplaced_it() -> None:
    """What the dealer misplaced on a player's call stays; one rightly placed and then moved goes back (I12)."""
    deal = opened(NZ, ann=1000).begin().bet("ann", "small", 50)
    deal.do(c.WithdrawBet("ann", "small"), player("ann"))
    deal.do(c.PlaceBet("ann", "big", 50, c.How.CALL))
    deal.up_to(RoundPhase.ENTERED, 1, 2, 4)
    two = (SUPERVISOR, PIT_MANAGER, "misheard")
    wrong, moved = c.MoveGround.MISPLACED_BY_DEALER, c.MoveGround.MOVED_BY_PATRON
    assert "4.9" in deal.refused(c.CorrectBet("ann", "big", "total:9", 50, wrong), Code.CALL_BET, *two).clauses
    deal.refused(c.CorrectBet("ann", "big", "small", 500, moved), Code.NOT_ENOUGH_CHIPS, *two)
    deal.refused(c.CorrectBet("ann", "small", "small", 50, moved), Code.BAD_VALUE, *two)
    deal.refused(c.CorrectBet("ann", "big", "odd", 50, moved), Code.UNKNOWN, *two)
    deal.refused(c.CorrectBet("ann", "odd", "big", 50, moved), Code.UNKNOWN, *two)
    deal.do(c.CorrectBet("ann", "big", "small", 50, moved), *two)


def test_a_corrected_wager_keeps_its_colour() -> None:
    """Value chips of a mixed bet move first; what was in colour comes back in colour, wherever it lies."""
    deal = opened(NZ, ann=1000)
    deal.do(c.TakeColour("ann", "red", 25, 100))
    deal.begin().bet("ann", "big", 50).bet("ann", "big", 100, "red")
    deal.up_to(RoundPhase.UNCOVERED, 1, 2, 4)
    deal.altered(c.CorrectBet("ann", "big", "small", 75, c.MoveGround.MISPLACED_BY_DEALER))
    assert {bet.box: (bet.stake, bet.in_colour) for bet in deal.state.round.bets} == {
        "big": (75, 75),
        "small": (75, 25),
    }
    deal.altered(c.Report(Fact.NOT_FLAT))
    assert (deal.state.balance("colour:red"), deal.state.balance("player:ann")) == (100, 900)


# ------------------------------------------------------------------ the opening check


@pytest.mark.clause("nz-division-9 §5.0")
def test_5_0_the_table_does_not_open_before_a_supervisor_has_checked_everything() -> None:
    """Without any check, with a dealer's check, and with a failed one the table stays closed."""
    deal = Deal(NZ).set_up()
    refusal = deal.refused(c.OpenTable(), Code.CHECK_INCOMPLETE, SUPERVISOR)
    assert refusal.sentence.endswith("power, test-run, tumbler, seal.")
    for who in (DEALER, AUDITOR, player("ann")):
        deal.refused(c.CheckItem("power", passed=True), Code.NOT_YOURS_TO_DO, who)
        deal.refused(c.OpenTable(), Code.NOT_YOURS_TO_DO, who)
    deal.check()
    deal.do(c.CheckItem("tumbler", passed=False, note="grinds"), SUPERVISOR)
    assert deal.refused(c.OpenTable(), Code.CHECK_INCOMPLETE, SUPERVISOR).sentence.endswith(": tumbler.")
    deal.do(c.CheckItem("tumbler", passed=True), SUPERVISOR)
    deal.do(c.OpenTable(), SUPERVISOR)
    assert deal.state.phase is TablePhase.OPEN
    assert deal.state.checks["tumbler"].by == SUPERVISOR.id
    deal.refused(c.CheckItem("bell", passed=True), Code.TABLE_OPEN, SUPERVISOR)


@pytest.mark.clause("nz-division-9 §5.0(a)", "nz-division-9 §5.0(c)", "nz-division-9 §5.0(d)")
@pytest.mark.parametrize(("item", "clause"), [("power", "5.0(a)"), ("tumbler", "5.0(c)"), ("seal", "5.0(d)")])
def test_5_0_a_c_d_each_item_is_needed(item: str, clause: str) -> None:
    """Power, tumbler and seal: each alone keeps the table closed until it is recorded, under its clause."""
    deal = Deal(NZ).set_up().check(item)
    refusal = deal.refused(c.OpenTable(), Code.CHECK_INCOMPLETE, SUPERVISOR)
    assert refusal.sentence == f"The opening check is not complete: {item}."
    assert clause in refusal.clauses
    deal.refused(c.CheckItem("lamp", passed=True), Code.UNKNOWN, SUPERVISOR)
    deal.do(c.CheckItem(item, passed=True), SUPERVISOR)
    deal.do(c.OpenTable(), SUPERVISOR)


@pytest.mark.clause("nz-division-9 §5.0(b)")
@pytest.mark.parametrize(
    ("layout", "coverage", "runs"), [(NZ, "areas", 17), (NZ_2, "areas", 56), (NZ, "kinds", 3), (NZ_2, "kinds", 3)]
)
def test_5_0_b_test_runs_light_every_area_or_kind(layout: str, coverage: str, runs: int) -> None:
    """The terminal's item stands on runs that cover what the house chose, as few as can be; the record says which."""
    deal = Deal(layout).set_up(coverage=c.Coverage(coverage)).check("test-run")
    left = runs_left(deal.rules, deal.state)
    assert len(left) == runs
    refusal = deal.refused(c.CheckItem("test-run", passed=True), Code.CHECK_INCOMPLETE, SUPERVISOR)
    assert refusal.clauses == ("5.0(b)", "I28")
    deal.do(c.CheckItem("test-run", passed=False), SUPERVISOR)
    deal.do(c.TestRun(left[0], lit_correctly=False), SUPERVISOR)
    for dice in left[1:]:
        deal.do(c.TestRun(dice, lit_correctly=True), SUPERVISOR)
    assert runs_left(deal.rules, deal.state) == (left[0],), "a roll that failed is made again"
    deal.refused(c.CheckItem("test-run", passed=True), Code.CHECK_INCOMPLETE, SUPERVISOR)
    deal.do(c.TestRun(left[0], lit_correctly=True), SUPERVISOR)
    deal.do(c.CheckItem("test-run", passed=True), SUPERVISOR)
    assert deal.last(e.ItemChecked).coverage == coverage
    deal.do(c.OpenTable(), SUPERVISOR)
    deal.refused(c.TestRun((1, 2, 3), lit_correctly=True), Code.TABLE_OPEN, SUPERVISOR)


@pytest.mark.clause("nz-division-9 §5.0(b)")
def test_5_0_b_a_test_run_that_fails_afterwards_undoes_the_check() -> None:
    """Lights that fail after they passed are not proven: a good run and the item again."""
    deal = Deal(NZ).set_up().check()
    deal.do(c.TestRun((4, 5, 6), lit_correctly=False), SUPERVISOR)
    assert deal.refused(c.OpenTable(), Code.CHECK_INCOMPLETE, SUPERVISOR).sentence.endswith(": test-run.")
    deal.refused(c.CheckItem("test-run", passed=True), Code.CHECK_INCOMPLETE, SUPERVISOR)


@pytest.mark.clause("nz-division-9 §5.0")
def test_5_0_each_opening_has_a_check_of_its_own() -> None:
    """Neither a close nor another layout lets yesterday's check stand."""
    deal = opened(NZ)
    deal.do(c.CloseTable({100: 1000, 5: 100}), SUPERVISOR)
    assert (deal.state.checks, deal.state.tested) == ({}, {})
    deal.check()
    deal.do(c.SetUp("nz-division-9", "2", deal.rules.book.digest, deal.limits, "NZD", (5, 100)), SUPERVISOR)
    deal.do(c.CountFloat({100: 10}), SUPERVISOR)
    refusal = deal.refused(c.OpenTable(), Code.CHECK_INCOMPLETE, SUPERVISOR)
    assert "power, test-run" in refusal.sentence


@pytest.mark.clause("nz-division-9 §6.6")
def test_6_6_only_those_named_touch_tumbler_and_terminal() -> None:
    """Strangers are refused at tumbler, cover and terminal by 6.6; elsewhere by the clause that names the dealer."""
    strangers = (player("ann"), AUDITOR, SYSTEM)
    by_clause: dict[c.Action, str] = {
        c.Tumble(3): "6.6",
        c.Uncover((1, 2, 3)): "6.6",
        c.Press(1): "6.6",
        c.Enter(): "6.6",
        c.OpenBets(): "6.1",
        c.CloseBets(): "6.2",
        c.Announce(): "6.3",
        c.Collect(): "6.5",
        c.PayAll(): "6.5",
        c.Report(Fact.NOT_FLAT): "7.1",
    }
    deal = round_at(RoundPhase.ANNOUNCED)
    for hand, clause in by_clause.items():
        for who in strangers:
            clauses = deal.refused(hand, Code.NOT_YOURS_TO_DO, who, SUPERVISOR, "x").clauses
            assert clause in clauses
            assert clause == "6.6" or "6.6" not in clauses
    for who in (DEALER, SUPERVISOR, PIT_MANAGER, SHIFT_MANAGER, Person("eve", Role.DEALER)):
        deal.do(c.Press(1), who)
