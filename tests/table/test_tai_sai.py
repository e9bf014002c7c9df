"""Tai Sai version 6 of Singapore, clause by clause: the round and its irregularities; limits are in `test_limits`."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.people import Person, Role
from taisai.table.refusals import Code
from taisai.table.state import HISTORY_ROUNDS, RoundPhase
from tests.table.driver import (
    DEALER,
    PIT_MANAGER,
    SHIFT_MANAGER,
    STAFF,
    SUPERVISOR,
    SYSTEM,
    TAI_SAI,
    Deal,
    opened,
    player,
)


def betting(**bets: int) -> Deal:
    """A round with bets of ann on small and bob on big."""
    deal = opened(TAI_SAI, ann=1000, bob=1000).begin()
    return deal.bet("ann", "small", bets.get("small", 100)).bet("bob", "big", bets.get("big", 50))


@pytest.mark.clause("rws-tai-sai-v6 §1.9", "rws-tai-sai-v6 §5.12")
@pytest.mark.parametrize("phase", [RoundPhase.BETTING, RoundPhase.CLOSED, RoundPhase.UNCOVERED, RoundPhase.ANNOUNCED])
def test_1_9_a_void_round_has_no_result_and_returns_every_bet(phase: RoundPhase) -> None:
    """Even with faces on record a void round keeps none of them, and each bet comes back in its chips."""
    deal = opened(TAI_SAI, ann=1000, bob=1000)
    deal.do(c.TakeColour("ann", "red", 25, 100))
    deal.begin().bet("ann", "small", 50).bet("ann", "small", 75, "red").bet("bob", "big", 50)
    deal.up_to(phase, 1, 2, 4)
    deal.altered(c.Report(Fact.NOT_FLAT))
    assert (deal.past.dice, deal.past.void) == (None, "not-flat")
    assert (deal.state.balance("player:ann"), deal.state.balance("colour:red")) == (900, 100)
    assert deal.funds("bob") == 1000
    assert deal.last(e.RoundVoided).clauses == ("1.9", "5.12", "5.5.2")
    assert deal.state.meters.winnings == 0


@pytest.mark.clause("rws-tai-sai-v6 §3.2")
def test_3_2_bets_open_at_the_call() -> None:
    """The round begins with the dealer's words, which also fix the rules in force."""
    deal = opened(TAI_SAI, ann=100)
    assert deal.refused(c.PlaceBet("ann", "small", 10), Code.BETS_NOT_OPEN, player("ann")).clauses == ("3.2",)
    deal.do(c.OpenBets())
    opened_with = deal.last(e.BetsOpened)
    assert (opened_with.call, opened_with.digest) == ("Place your Bets, please", deal.rules.book.digest)
    deal.bet("ann", "small", 10)


@pytest.mark.clause("rws-tai-sai-v6 §3.6", "rws-tai-sai-v6 §5.7")
@pytest.mark.parametrize("phase", [RoundPhase.CLOSED, RoundPhase.UNCOVERED, RoundPhase.ANNOUNCED, RoundPhase.COLLECTED])
def test_3_6_and_5_7_nothing_after_no_more_bets(phase: RoundPhase) -> None:
    """Placing, raising, withdrawing, by whomever and however, is refused from the closing call to the last payment."""
    deal = betting().up_to(phase, 1, 2, 4)
    assert deal.last(e.BetsClosed).call == "No more Bets"
    for who in (player("ann"), SUPERVISOR):
        how = c.How.PLACED if who.role is Role.PLAYER else c.How.STAFF
        for box in ("small", "total:9"):
            assert deal.refused(c.PlaceBet("ann", box, 10, how), Code.BETS_CLOSED, who).clauses == ("5.7",)
        deal.refused(c.WithdrawBet("ann", "small"), Code.BETS_CLOSED, who)
    deal.refused(c.CloseBets(), Code.BETS_CLOSED)


@pytest.mark.clause("rws-tai-sai-v6 §3.7")
@pytest.mark.parametrize("when", [RoundPhase.BETWEEN, RoundPhase.BETTING, RoundPhase.CLOSED])
def test_3_7_a_covered_tumble_of_three_before_or_after_the_close(when: RoundPhase) -> None:
    """Three tumbles at any time up to the reveal make the tumble valid; without them nothing is uncovered."""
    deal = opened(TAI_SAI, ann=100)
    if when is RoundPhase.BETWEEN:
        deal.do(c.Tumble(3))
    deal.do(c.OpenBets())
    if when is RoundPhase.BETTING:
        deal.do(c.Tumble(4))
    deal.do(c.CloseBets())
    if when is RoundPhase.CLOSED:
        assert deal.refused(c.Uncover((1, 2, 3)), Code.WRONG_STEP).clauses == ("3.7", "I4")
        deal.do(c.Tumble(3))
    deal.do(c.Uncover((1, 2, 3)))
    deal.do(c.Tumble(3))
    assert deal.last(e.FactRecorded).fact == "tumbled-out-of-turn"
    assert deal.state.round.dice == (1, 2, 3)


@pytest.mark.clause("rws-tai-sai-v6 §3.9")
def test_3_9_losers_are_collected_and_winners_paid() -> None:
    """Losing bets go to the float, winning ones come back with their odds."""
    deal = betting().finish(1, 2, 4)
    assert (deal.funds("ann"), deal.funds("bob")) == (1100, 950)
    assert [type(event.what) for event in deal.record[-3:]] == [e.LosersCollected, e.BetPaid, e.RoundConcluded]


@pytest.mark.clause("rws-tai-sai-v6 §5.3")
def test_5_3_who_walks_away_is_settled_all_the_same() -> None:
    """Nobody bets, raises or withdraws for a player who is gone; they are paid into chips that wait for them."""
    deal = betting()
    deal.do(c.WalkAway("ann"), SYSTEM)
    deal.refused(c.WalkAway("ann"), Code.NOTHING_TO_DO)
    assert deal.refused(c.LeaveTable("ann"), Code.ROUND_IN_PLAY).clauses == ("5.3",)
    for how in (c.How.CALL, c.How.STAFF, c.How.FELT):
        for box in ("small", "big"):
            assert deal.refused(c.PlaceBet("ann", box, 10, how), Code.WALKED_AWAY).clauses == ("5.3",)
    for who in (DEALER, SUPERVISOR, player("ann")):
        assert deal.refused(c.WithdrawBet("ann", "small"), Code.WALKED_AWAY, who).clauses == ("5.3",)
    deal.finish(1, 2, 4)
    assert deal.past.lines[-1].winnings == 100
    assert (deal.state.players["ann"].present, deal.funds("ann")) == (False, 1100)
    deal.refused(c.CashOut("ann", 1100), Code.WALKED_AWAY)
    deal.do(c.SitDown("ann"), player("ann"))
    assert deal.state.players["ann"].present
    deal.begin().bet("ann", "small", 10)
    deal.refused(c.WalkAway("eve"), Code.NOT_SEATED)


@pytest.mark.clause("rws-tai-sai-v6 §5.5", "rws-tai-sai-v6 §5.5.1")
@pytest.mark.parametrize("times", [0, 1, 2])
@pytest.mark.parametrize("phase", [RoundPhase.BETTING, RoundPhase.CLOSED])
def test_5_5_1_fewer_than_three_tumbles_void_this_round_and_no_other(phase: RoundPhase, times: int) -> None:
    """A short tumble in the round voids it; the round before keeps its result and its settlement."""
    deal = betting().finish(1, 2, 4)
    first = deal.past
    deal.begin().bet("ann", "small", 100)
    if phase is RoundPhase.CLOSED:
        deal.do(c.CloseBets())
    deal.do(c.Tumble(times))
    assert deal.past.void == "too-few-tumbles"
    assert deal.last(e.RoundVoided).clauses == ("1.9", "5.12", "5.5.1")
    assert deal.state.history[0] == first
    assert deal.funds("ann") == 1100


@pytest.mark.clause("rws-tai-sai-v6 §5.5.1")
def test_5_5_1_a_short_tumble_before_the_call_is_made_again() -> None:
    """Before the round begins there is nothing to void: the dealer tumbles again, and two and two are not four."""
    deal = opened(TAI_SAI, ann=100)
    deal.do(c.Tumble(2))
    deal.do(c.Tumble(2))
    deal.do(c.OpenBets())
    deal.do(c.CloseBets())
    deal.refused(c.Uncover((1, 2, 3)), Code.WRONG_STEP)
    deal.do(c.Tumble(3))
    deal.do(c.Uncover((1, 2, 3)))


@pytest.mark.clause("rws-tai-sai-v6 §5.5", "rws-tai-sai-v6 §5.5.2", "rws-tai-sai-v6 §5.5.3")
@pytest.mark.parametrize(("why", "clause"), [(Fact.NOT_FLAT, "5.5.2"), (Fact.EXPOSED, "5.5.3")])
def test_5_5_2_and_5_5_3_void_this_round_and_leave_earlier_ones(why: Fact, clause: str) -> None:
    """A die that is not flat, or seen before the close, voids the current round only."""
    deal = betting().finish(1, 2, 4)
    first = deal.past
    deal.begin()
    deal.do(c.Tumble(3))
    deal.bet("ann", "small", 100)
    assert deal.void(why).clauses == ("1.9", "5.12", clause)
    assert deal.state.history == (first, deal.past)
    assert deal.funds("ann") == 1100
    assert not deal.state.suspended


@pytest.mark.clause("rws-tai-sai-v6 §5.5.1", "rws-tai-sai-v6 §5.5.3")
def test_5_5_a_fact_against_the_record_is_a_correction_of_it() -> None:
    """Too few after "tumbled 3 times", exposed though tumbled after the close: two people and a reason, or refused."""
    deal = betting()
    deal.do(c.CloseBets())
    deal.do(c.Tumble(3))
    for fact, clause in ((Fact.TOO_FEW_TUMBLES, "5.5.1"), (Fact.EXPOSED, "5.5.3")):
        refusal = deal.refused(c.Report(fact), Code.CONTRADICTED)
        assert (refusal.clauses, "tumbled 3 times" in refusal.sentence) == ((clause,), True)
        deal.refused(c.Report(fact), Code.CONTRADICTED, DEALER, SUPERVISOR)
    deal.do(c.Report(Fact.TOO_FEW_TUMBLES), DEALER, SUPERVISOR, "the counter shows two")
    assert deal.last(e.FactRecorded).corrects == "the dice were tumbled 3 times for this round"
    assert (deal.past.void, deal.funds("ann")) == ("too-few-tumbles", 1000)


@pytest.mark.clause("rws-tai-sai-v6 §5.6")
def test_5_6_damaged_dice_void_every_round_since_the_set_was_found_sound() -> None:
    """The round in play and all settled since the last sound inspection, the house's wins too, and no other (I11)."""
    deal = betting().finish(1, 2, 4)
    deal.do(c.InspectDice(sound=True), SUPERVISOR)
    deal.begin().bet("ann", "small", 100).finish(1, 2, 4)
    deal.begin().bet("bob", "big", 200).finish(1, 2, 4)
    deal.begin().bet("bob", "big", 50)
    held = deal.do(c.Report(Fact.DAMAGED_DICE, "a chipped corner"))
    assert [type(what) for what in held] == [e.FactRecorded]
    deal.refused(c.CloseBets(), Code.ROUND_HELD)
    deal.refused(c.Attest(Fact.DAMAGED_DICE, confirmed=True), Code.SECOND_PERSON_UNFIT)
    deal.do(c.Attest(Fact.DAMAGED_DICE, confirmed=True), SUPERVISOR)
    assert [past.void for past in deal.state.history] == ["", "damaged-dice", "damaged-dice", "damaged-dice"]
    assert [what.round for what in deal.happened(e.RoundReversed)] == [2, 3]
    assert (deal.funds("ann"), deal.funds("bob")) == (1100, 950), "round 1 stands"
    assert deal.last(e.RoundReversed).clauses == ("1.9", "5.12", "5.6", "I11")
    assert deal.state.meters.reversed == 2
    assert deal.refused(c.OpenBets(), Code.CHECK_INCOMPLETE).clauses == ("2.2.1",)
    deal.refused(c.InspectDice(sound=True), Code.CONTRADICTED, SUPERVISOR)


@pytest.mark.clause("rws-tai-sai-v6 §5.6")
def test_5_6_rounds_of_another_set_stand() -> None:
    """A new set is in the tumbler: only what was played with it is void."""
    deal = betting().finish(1, 2, 4)
    for do in (c.RetireDice("d1"), c.ReceiveDice("d2"), c.SealDice("d2", "s2")):
        deal.do(do, SUPERVISOR)
    deal.begin().bet("ann", "small", 100).finish(1, 2, 4)
    deal.damage()
    assert [past.reversed for past in deal.state.history] == [False, True]
    assert (deal.funds("ann"), deal.funds("bob")) == (1100, 950)


@pytest.mark.clause("rws-tai-sai-v6 §5.6")
def test_5_6_what_is_gone_is_owed_either_way() -> None:
    """Winnings that a player took away are a debt, and so is what the float cannot hand back: nothing is refused."""
    deal = betting(small=500).finish(1, 2, 4)
    deal.do(c.CashOut("ann", 1200))
    deal.do(c.Credit({100: deal.state.balance("float") // 100}), SUPERVISOR)
    left = deal.state.balance("float")
    deal.damage()
    lines = {line.player: (line.given_back, line.taken, line.owed, line.owing) for line in deal.past.undone}
    assert lines == {"ann": (0, 300, 200, 0), "bob": (50, 0, 0, 0)}
    assert left < 300
    assert (deal.state.balance("debt:ann"), deal.state.balance("claims")) == (-200, 200)
    deal.do(c.BringChips("ann", 200))
    deal.refused(c.SettleDebt("ann", 250), Code.NOT_ENOUGH_CHIPS)
    deal.do(c.SettleDebt("ann", 200))
    assert deal.state.balance("debt:ann") == deal.state.balance("claims") == 0
    deal.refused(c.SettleDebt("bob", 10), Code.NOTHING_TO_DO)


@pytest.mark.clause("rws-tai-sai-v6 §5.6")
def test_5_6_a_short_float_leaves_the_house_owing() -> None:
    """Lost stakes that the float cannot hand back are owed to the player, and paid when it can."""
    deal = opened(TAI_SAI, ann=5000).begin().bet("ann", "big", 4000).finish(1, 2, 4)
    deal.do(c.Credit({100: deal.state.balance("float") // 100 - 10}), SUPERVISOR)
    held = deal.state.balance("float")
    deal.damage()
    assert deal.state.balance("debt:ann") == 4000 - held
    assert deal.refused(c.SettleDebt("ann", 10), Code.FLOAT_SHORT).allowed == "fill"
    deal.do(c.Fill({100: 60}), SUPERVISOR)
    assert deal.refused(c.SettleDebt("ann", 5000), Code.NOTHING_TO_DO).allowed == f"at most {4000 - held}"
    deal.do(c.SettleDebt("ann", 4000 - held))
    assert (deal.funds("ann"), deal.state.balance("claims")) == (5000, 0)


@pytest.mark.clause("rws-tai-sai-v6 §5.6")
def test_5_6_every_round_since_the_inspection_however_many() -> None:
    """Rounds that are no longer kept for recall are void with the others."""
    deal = opened(TAI_SAI, ann=5000)
    for _ in range(HISTORY_ROUNDS + 2):
        deal.begin().bet("ann", "small", 10).finish(1, 2, 4)
    deal.damage()
    assert [what.round for what in deal.happened(e.RoundReversed)] == list(range(1, HISTORY_ROUNDS + 3))
    assert deal.funds("ann") == 5000


@pytest.mark.clause("rws-tai-sai-v6 §5.8")
def test_5_8_an_error_found_later_changes_no_later_round() -> None:
    """Noted with its round, it moves no chip and touches no record; a round that is not there cannot have one."""
    deal = betting().finish(1, 2, 4)
    deal.begin().bet("ann", "small", 100)
    before = deal.state
    deal.do(c.NoteError(1, "bob's bet lay on small"))
    assert deal.last(e.ErrorNoted).round == 1
    assert (deal.state.ledger, deal.state.round, deal.state.history) == (before.ledger, before.round, before.history)
    deal.refused(c.NoteError(3, "not dealt yet"), Code.UNKNOWN)
    deal.finish(1, 2, 4)
    assert deal.funds("ann") == 1200


@pytest.mark.clause("rws-tai-sai-v6 §5.9")
def test_5_9_bets_are_settled_where_they_lie_at_the_close() -> None:
    """No correction in this book: who misplaced a bet, alone or through staff, bears it."""
    deal = betting()
    deal.do(c.PlaceBet("bob", "big", 100, c.How.STAFF))
    deal.up_to(RoundPhase.ANNOUNCED, 1, 2, 4)
    move = c.CorrectBet("bob", "big", "small", 150, c.MoveGround.MOVED_BY_PATRON)
    refusal = deal.refused(move, Code.WRONG_STEP, SUPERVISOR, PIT_MANAGER, "moved")
    assert refusal.clauses == ("5.9",)
    deal.settle()
    assert deal.funds("bob") == 850


@pytest.mark.clause("rws-tai-sai-v6 §5.10")
def test_5_10_when_the_lights_fail_the_dice_decide() -> None:
    """The winning areas light with the call; a fault is recorded, the dice decide, and the next round may begin."""
    deal = betting().close().show(1, 2, 4)
    assert set(deal.last(e.AreasLit).lit) == set(deal.state.round.lit)
    assert "small" in deal.state.round.lit
    deal.do(c.Report(Fact.LIGHTS_FAULT, "big lit"))
    deal.settle()
    assert (deal.funds("ann"), deal.funds("bob")) == (1100, 950)
    assert not deal.state.suspended
    deal.begin()


@pytest.mark.clause("rws-tai-sai-v6 §5.13")
@pytest.mark.parametrize("who", [person for person in STAFF if person.role not in (Role.AUDITOR, Role.SYSTEM)])
def test_5_13_pit_employees_place_for_a_player_who_answers_for_it(who: Person) -> None:
    """Any pit employee may; the bet is the player's, the record names the hand; a player never for another."""
    deal = opened(TAI_SAI, ann=1000, bob=10).begin()
    deal.do(c.PlaceBet("ann", "small", 100, c.How.STAFF), who)
    assert deal.record[-1].by == who
    assert deal.state.round.stakes == {"ann": {"small": 100}}
    refusal = deal.refused(c.PlaceBet("ann", "small", 100, c.How.STAFF), Code.NOT_YOURS_TO_DO, player("bob"))
    assert refusal.clauses == ("5.9", "5.13")
    deal.refused(c.PlaceBet("ann", "small", 100), Code.NOT_YOURS_TO_DO, who)


@pytest.mark.clause("rws-tai-sai-v6 §5.14")
def test_5_14_what_the_book_leaves_open_the_shift_manager_decides() -> None:
    """Nobody below may rule; a ruling names its ground and the clauses considered, and may void the round in play."""
    deal = betting()
    ruling = c.MakeRuling("a die fell out", "void", c.RulingGround.NOT_COVERED, ("5.5",), void_round=True)
    for who in (*STAFF, player("ann")):
        if who is not SHIFT_MANAGER:
            assert deal.refused(ruling, Code.NOT_YOURS_TO_DO, who).clauses == ("5.14",)
    strange = c.MakeRuling("x", "x", c.RulingGround.MEANING, ("9.9",))
    deal.refused(strange, Code.UNKNOWN, SHIFT_MANAGER)
    deal.do(ruling, SHIFT_MANAGER)
    assert deal.last(e.Ruled).considered == ("5.5",)
    assert (deal.past.void, deal.past.clauses) == ("ruling", ("1.9", "5.12", "5.14"))
    assert (deal.funds("ann"), deal.funds("bob")) == (1000, 1000)
    deal.refused(ruling, Code.WRONG_STEP, SHIFT_MANAGER)


@pytest.mark.clause("rws-tai-sai-v6 §5.14", "rws-tai-sai-v6 §5.8")
def test_5_14_a_wrong_payment_found_later_is_put_right_by_named_amounts() -> None:
    """Money moves between the house and named players, later rounds are left alone; what is gone is owed."""
    deal = betting().finish(1, 2, 4).begin().bet("ann", "small", 100)
    before = deal.state
    amounts = {"ann": -2000, "bob": 50}
    deal.do(c.MakeRuling("round 1", "paid twice", c.RulingGround.NOT_COVERED, ("5.8",), amounts=amounts), SHIFT_MANAGER)
    assert (deal.funds("ann"), deal.state.balance("debt:ann"), deal.funds("bob")) == (0, -1000, 1000)
    assert (deal.state.round, deal.state.history) == (before.round, before.history)
    refused = (({"eve": 5}, Code.NOT_SEATED), ({"bob": 0}, Code.BAD_VALUE), ({"bob": 10**9}, Code.FLOAT_SHORT))
    for wrong, code in refused:
        again = c.MakeRuling("x", "x", c.RulingGround.NOT_COVERED, ("5.8",), amounts=wrong)
        deal.refused(again, code, SHIFT_MANAGER)


@pytest.mark.clause("rws-tai-sai-v6 §5.14", "rws-tai-sai-v6 §5.10")
def test_5_14_a_fact_that_has_its_consequence_leaves_nothing_to_rule_on() -> None:
    """Lights that failed: the dice decide, and no ruling voids that round."""
    deal = betting().close().show(1, 2, 4)
    deal.do(c.Report(Fact.LIGHTS_FAULT, "dark"))
    void = c.MakeRuling("the lights", "void", c.RulingGround.MEANING, ("5.10",), void_round=True)
    refusal = deal.refused(void, Code.CONTRADICTED, SHIFT_MANAGER)
    assert refusal.clauses == ("5.10",)
    paid = c.MakeRuling("the lights", "as lit", c.RulingGround.MEANING, ("5.10",), amounts={"ann": 50})
    assert deal.refused(paid, Code.CONTRADICTED, SHIFT_MANAGER).clauses == ("5.10",)


@pytest.mark.clause("rws-tai-sai-v6 §5.14", "rws-tai-sai-v6 §5.5", "rws-tai-sai-v6 §5.6", "rws-tai-sai-v6 §1.9")
def test_5_14_nobody_pays_by_a_ruling_what_a_void_round_would_have_won() -> None:
    """A round that is void by a fact has no result: amounts of it are refused, amounts of another round are not."""
    deal = betting().finish(1, 2, 4).begin().bet("ann", "small", 100)
    deal.void(Fact.EXPOSED)
    as_won = c.MakeRuling("round 2", "as won", c.RulingGround.NOT_COVERED, ("5.8",), amounts={"ann": 100})
    assert "round 2 is void, exposed" in deal.refused(as_won, Code.CONTRADICTED, SHIFT_MANAGER).sentence
    late = replace(as_won, about=3)
    assert deal.refused(late, Code.UNKNOWN, SHIFT_MANAGER).allowed == "1 to 2"
    deal.do(replace(as_won, about=1), SHIFT_MANAGER)
    assert deal.last(e.Ruled).about == 1
    deal.damage()
    assert (
        "round 1 is void, damaged-dice"
        in deal.refused(replace(as_won, about=1), Code.CONTRADICTED, SHIFT_MANAGER).sentence
    )


def test_a_dispute_is_opened_once_and_ended_once() -> None:
    """A player claims in their own name, a supervisor ends it; both stay on record."""
    deal = betting().finish(1, 2, 4)
    claim = c.OpenDispute("q1", "bob", 1, "my chips lay on small")
    deal.refused(claim, Code.NOT_YOURS_TO_DO, player("ann"))
    deal.refused(c.OpenDispute("q1", "bob", 2, "x"), Code.UNKNOWN, player("bob"))
    deal.do(claim, player("bob"))
    deal.refused(claim, Code.BAD_VALUE, player("bob"))
    assert deal.refused(c.ResolveDispute("q2", "x"), Code.UNKNOWN, SUPERVISOR).allowed == "q1"
    deal.refused(c.ResolveDispute("q1", "x"), Code.NOT_YOURS_TO_DO)
    deal.do(c.ResolveDispute("q1", "the camera shows big"), SUPERVISOR)
    assert deal.state.disputes["q1"].resolution == "the camera shows big"
    assert deal.refused(c.ResolveDispute("q1", "x"), Code.UNKNOWN, SUPERVISOR).allowed == "none"


def test_a_dispute_without_a_name_is_numbered() -> None:
    """A dispute without a name is called by the number of its record; no other dispute has that name."""
    deal = betting().finish(1, 2, 4)
    number = str(deal.state.seq + 2)
    deal.do(c.OpenDispute(number, "bob", 1, "named as the next would be"), player("bob"))
    deal.do(c.OpenDispute("", "bob", 1, "my chips lay on small"), player("bob"))
    assert sorted(deal.state.disputes) == [number, str(int(number) + 1)]
