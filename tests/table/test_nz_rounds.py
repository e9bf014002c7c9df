"""Division 9 of New Zealand, clause by clause: the order of a round, and what happens when it goes wrong."""

from __future__ import annotations

import pytest

from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.parts import FixedBet
from taisai.table.people import Person, Role
from taisai.table.refusals import Code
from taisai.table.state import RoundPhase
from tests.table.driver import DEALER, NZ, NZ_2, PIT_MANAGER, SUPERVISOR, Deal, opened, player

LOSERS_AND_WINNERS = {"small": 100, "big": 50, "single:1": 20, "total:7": 10, "total:8": 30}


def bets_on(boxes: dict[str, int]) -> Deal:
    """A round with these bets of one player."""
    deal = opened(NZ, ann=1000).begin()
    for box, amount in boxes.items():
        deal.bet("ann", box, amount)
    return deal


# ------------------------------------------------------------------ the order of the round


@pytest.mark.clause("nz-division-9 §6.1")
def test_6_1_at_least_three_spins_and_then_the_call() -> None:
    """Two spins are not enough, three are, in one go or one by one; the call is the book's."""
    deal = opened(NZ, ann=100)
    assert deal.refused(c.OpenBets(), Code.WRONG_STEP).clauses == ("6.1",)
    deal.do(c.Tumble(2))
    assert "so far 2" in deal.refused(c.OpenBets(), Code.WRONG_STEP).sentence
    deal.do(c.Tumble(1), SUPERVISOR)
    deal.do(c.OpenBets())
    assert deal.last(e.BetsOpened).call == "Place your bets"
    deal.do(c.Tumble(3))
    assert deal.last(e.FactRecorded).fact == "tumbled-out-of-turn"
    deal.finish(1, 2, 4)
    assert deal.refused(c.OpenBets(), Code.WRONG_STEP).sentence.endswith("so far 0.")


@pytest.mark.clause("nz-division-9 §6.1")
def test_6_1_dice_that_were_touched_since_are_not_tumbled() -> None:
    """A new seal, another set, a look at the dice, a close: after each the dice are spun again before bets open."""
    touches: list[list[c.Action]] = [
        [c.SealDice("d1", "s2")],
        [c.InspectDice(sound=True)],
        [c.RetireDice("d1"), c.ReceiveDice("d2"), c.SealDice("d2", "s2")],
    ]
    for touch in touches:
        deal = opened(NZ)
        deal.do(c.Tumble(3))
        for each in touch:
            deal.do(each, SUPERVISOR)
        deal.refused(c.OpenBets(), Code.WRONG_STEP)
        deal.do(c.Tumble(3))
        deal.do(c.OpenBets())
    deal = opened(NZ)
    deal.do(c.Tumble(3))
    deal.do(c.CloseTable({}), SUPERVISOR)
    deal.do(c.CountFloat({100: 1}), SUPERVISOR)
    deal.check()
    deal.do(c.OpenTable(), SUPERVISOR)
    deal.refused(c.OpenBets(), Code.WRONG_STEP)


@pytest.mark.clause("nz-division-9 §6.1")
def test_6_1_a_spin_that_failed_before_any_bet_is_made_again() -> None:
    """Before bets open the dealer may spin once more; nothing is at stake yet."""
    deal = opened(NZ)
    deal.do(c.Tumble(3))
    deal.do(c.Tumble(3))
    deal.do(c.OpenBets())
    assert len(deal.happened(e.DiceTumbled)) == 2


@pytest.mark.clause("nz-division-9 §6.2")
def test_6_2_bets_are_open_from_the_call_to_the_call() -> None:
    """Nothing before "Place your bets"; everything until "No more bets"; nothing after."""
    deal = opened(NZ, ann=100)
    deal.do(c.Tumble(3))
    ann = player("ann")
    deal.refused(c.PlaceBet("ann", "small", 10), Code.BETS_NOT_OPEN, ann)
    deal.refused(c.CloseBets(), Code.BETS_NOT_OPEN)
    deal.do(c.OpenBets())
    deal.bet("ann", "small", 10).bet("ann", "small", 10)
    deal.do(c.WithdrawBet("ann", "small", 10), ann)
    deal.do(c.CloseBets())
    assert deal.state.round.bets == (FixedBet("ann", "small", 10, 10),)
    deal.refused(c.PlaceBet("ann", "small", 10), Code.BETS_CLOSED, ann)


@pytest.mark.clause("nz-division-9 §6.3")
@pytest.mark.parametrize(
    ("dice", "call"),
    [
        ((6, 1, 3), "1, 3, 6, total 10"),
        ((3, 4, 3), "double 3, 4, total 10"),
        ((6, 2, 6), "2, double 6, total 14"),
        ((5, 5, 5), "triple 5, total 15"),
    ],
)
def test_6_3_the_result_is_called_low_to_high(dice: tuple[int, int, int], call: str) -> None:
    """The book's forms of call, whichever way the dice lie."""
    deal = bets_on({"small": 10}).close()
    deal.refused(c.Announce(), Code.WRONG_STEP)
    deal.show(*dice)
    assert deal.last(e.ResultAnnounced).call == call


@pytest.mark.clause("nz-division-9 §6.4")
def test_6_4_the_result_is_entered_when_it_is_announced() -> None:
    """Numbers may be pressed from the reveal on; entered only with the announcement; collected only when entered."""
    deal = bets_on({"small": 10})
    deal.refused(c.Press(1), Code.WRONG_STEP)
    deal.close()
    deal.refused(c.Press(1), Code.WRONG_STEP)
    deal.do(c.Uncover((1, 2, 4)))
    deal.do(c.Press(1))
    deal.refused(c.Enter(), Code.WRONG_STEP)
    deal.do(c.Announce())
    refusal = deal.refused(c.Collect(), Code.WRONG_STEP)
    assert refusal.clauses == ("3.3(a)", "6.4", "6.5")
    for number in (2, 4):
        deal.do(c.Press(number), Person("gus", Role.SUPERVISOR))
    deal.do(c.Enter())
    deal.refused(c.Press(1), Code.WRONG_STEP)
    deal.refused(c.Enter(), Code.WRONG_STEP)
    deal.settle()


@pytest.mark.clause("nz-division-9 §6.5", "nz-division-9 §4.10")
def test_6_5_all_losers_are_collected_before_any_winner_is_paid() -> None:
    """Losers first and all at once, then winners in the order of the layout, each at its odds."""
    deal = bets_on(LOSERS_AND_WINNERS).close().result(1, 2, 4)
    assert deal.refused(c.PayNext(), Code.WRONG_STEP).clauses == ("6.5",)
    deal.refused(c.PayAll(), Code.WRONG_STEP)
    deal.do(c.Collect())
    assert {loss.box for loss in deal.last(e.LosersCollected).losses} == {"big", "total:8"}
    deal.refused(c.Collect(), Code.WRONG_STEP)
    deal.do(c.PayNext())
    deal.do(c.PayAll())
    paid = deal.happened(e.BetPaid)
    assert [(each.box, each.pays, each.winnings) for each in paid] == [
        ("small", 1, 100),
        ("total:7", 12, 120),
        ("single:1", 1, 20),
    ]
    assert deal.phase is RoundPhase.BETWEEN
    deal.refused(c.PayNext(), Code.WRONG_STEP)


@pytest.mark.clause("nz-division-9 §6.5")
def test_6_5_a_round_without_winners_ends_with_the_collection() -> None:
    """Nobody to pay, nobody to wait for: also when nobody bet at all."""
    bets_on({"big": 10}).up_to(RoundPhase.ENTERED, 1, 2, 4).do(c.Collect())
    deal = opened(NZ).begin().up_to(RoundPhase.ENTERED, 1, 2, 4)
    assert [type(what) for what in deal.do(c.Collect())] == [e.LosersCollected, e.RoundConcluded]


# ------------------------------------------------------------------ irregularities

VOIDS = [
    (Fact.NOT_FLAT, "7.1(a)"),
    (Fact.TUMBLER_FAULT, "7.1(b)"),
    (Fact.EXPOSED, "7.1(c)"),
    (Fact.NOT_ACTIVATED, "7.1(d)"),
]


@pytest.mark.clause(
    "nz-division-9 §7.1",
    "nz-division-9 §7.1(a)",
    "nz-division-9 §7.1(b)",
    "nz-division-9 §7.1(c)",
    "nz-division-9 §7.1(d)",
)
@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize(("why", "clause"), VOIDS)
def test_7_1_no_spin_returns_every_wager_announced_or_not(why: Fact, clause: str, announced: bool) -> None:
    """Each of the four reasons voids the round, before and after the close, and all stakes go back."""
    for phase in (RoundPhase.BETTING, RoundPhase.CLOSED):
        deal = bets_on(LOSERS_AND_WINNERS).up_to(phase)
        void = deal.void(why, announced=announced)
        assert (void.call, void.announced) == ("No spin" if announced else "", announced)
        assert void.clauses[:3] == ("7.1", "I19", clause)
        assert deal.funds("ann") == 1000
        assert deal.state.meters.voided == 1
        assert deal.state.meters.rounds == 0


@pytest.mark.clause("nz-division-9 §7.1", "nz-division-9 §7.1(a)")
@pytest.mark.parametrize("phase", list(RoundPhase)[3:])
def test_7_1_after_the_reveal_a_second_person_attests_what_voids(phase: RoundPhase) -> None:
    """Once faces are known one person's word holds the round; with a second it is void, until it is concluded."""
    for confirmed in (True, False):
        deal = bets_on({"small": 100, "single:1": 10, "big": 50}).up_to(phase, 1, 2, 4)
        deal.refused(c.Report(Fact.NOT_FLAT), Code.SECOND_PERSON_UNFIT, SUPERVISOR, SUPERVISOR)
        deal.do(c.Report(Fact.NOT_FLAT, "on the rim"))
        step: c.Action = c.PayAll() if phase is RoundPhase.COLLECTED else c.Collect()
        step = c.Announce() if phase is RoundPhase.UNCOVERED else step
        refusal = deal.refused(step, Code.ROUND_HELD)
        assert (refusal.clauses, refusal.allowed) == (("7.1(a)",), "attest")
        deal.refused(c.Report(Fact.NOT_FLAT), Code.NOTHING_TO_DO)
        deal.refused(c.Attest(Fact.EXPOSED, confirmed=True), Code.NOTHING_TO_DO, SUPERVISOR)
        deal.refused(c.Attest(Fact.NOT_FLAT, confirmed=True), Code.SECOND_PERSON_UNFIT)
        deal.refused(c.Attest(Fact.NOT_FLAT, confirmed=True), Code.SECOND_PERSON_UNFIT, Person("eve", Role.DEALER))
        if not confirmed:
            assert deal.refused(c.Attest(Fact.NOT_FLAT, confirmed=False), Code.REASON_NEEDED, SUPERVISOR).clauses
        deal.do(c.Attest(Fact.NOT_FLAT, confirmed=confirmed), SUPERVISOR, reason="looked at again")
        if confirmed:
            assert (deal.past.void, deal.funds("ann")) == ("not-flat", 1000)
            assert deal.state.meters.rounds == 0
        else:
            deal.up_to(RoundPhase.COLLECTED, 1, 2, 4).do(c.PayAll())
            assert deal.past.dice == (1, 2, 4)


@pytest.mark.clause("nz-division-9 §7.1")
def test_7_1_collected_and_paid_chips_go_back_as_postings_of_their_own() -> None:
    """Void after one winner was paid: what was collected and paid is undone, what still lies is handed back."""
    deal = bets_on({"small": 100, "single:1": 10, "big": 50}).up_to(RoundPhase.COLLECTED, 1, 2, 4)
    deal.do(c.PayNext())
    deal.do(c.CashOut("ann", deal.state.balance("player:ann")))
    deal.do(c.Report(Fact.NOT_FLAT), DEALER, SUPERVISOR)
    undone = deal.last(e.SettlementUndone).lines
    assert [(line.player, line.staked, line.returned) for line in undone] == [("ann", 150, 200)]
    assert (undone[0].taken, undone[0].owed) == (0, 50)
    assert [(part.box, part.amount) for part in deal.last(e.RoundVoided).handed] == [("single:1", 10)]
    assert deal.state.balance("debt:ann") == -50
    assert {line.box: line.returned for line in deal.past.lines} == {"big": 50, "single:1": 10, "small": 100}


@pytest.mark.clause("nz-division-9 §7.1")
def test_7_1_what_the_book_does_not_name_is_recorded_and_changes_nothing() -> None:
    """A fact of which the book says nothing is on record; the round goes on."""
    deal = bets_on({"small": 100})
    before = deal.state
    deal.do(c.Report(Fact.ACTIVATED_BEFORE_CLOSE, "seen by the pit"))
    assert deal.last(e.FactRecorded).then == ("record",)
    assert (deal.state.round, deal.state.ledger) == (before.round, before.ledger)
    deal.refused(c.Report(Fact.INTERRUPTED), Code.BAD_VALUE)
    deal.do(c.Tumble(2))
    assert deal.last(e.FactRecorded).fact == "tumbled-out-of-turn"
    assert deal.state.round.tumbles == 3


@pytest.mark.clause("nz-division-9 §7.1")
def test_7_1_found_after_the_round_it_is_recorded_and_no_money_moves() -> None:
    """I29: a late fact is on record with its round, and alerts people; nothing else follows."""
    deal = bets_on({"small": 100}).finish(1, 2, 4)
    before = deal.state
    deal.do(c.Report(Fact.NOT_FLAT, "the camera shows it", about=1), DEALER, SUPERVISOR, "seen")
    late = deal.last(e.FactRecorded)
    assert (late.late, late.round, late.clauses) == (True, 1, ("I29",))
    assert (deal.state.ledger, deal.state.history) == (before.ledger, before.history)
    deal.begin()
    deal.do(c.Report(Fact.EXPOSED, about=1))
    assert deal.last(e.FactRecorded).late
    deal.refused(c.Report(Fact.EXPOSED, about=7), Code.UNKNOWN)


@pytest.mark.clause("nz-division-9 §7.1(b)", "nz-division-9 §7.1(d)", "nz-division-9 §7.4")
def test_7_1_b_and_d_before_the_bets_there_is_no_spin() -> None:
    """A tumbler fault stops the table before any bet; one that was not started is simply started."""
    deal = opened(NZ, ann=1000)
    deal.do(c.Report(Fact.NOT_ACTIVATED))
    assert deal.last(e.FactRecorded).call == "No spin"
    deal.do(c.Tumble(3))
    refusal = deal.refused(c.Report(Fact.NOT_ACTIVATED), Code.CONTRADICTED)
    assert "tumbled 3 times" in refusal.sentence
    deal.do(c.Report(Fact.NOT_ACTIVATED), DEALER, SUPERVISOR, "typed by mistake")
    assert deal.last(e.FactRecorded).corrects == "the dice were tumbled 3 times for this round"
    deal.refused(c.OpenBets(), Code.WRONG_STEP)
    deal.do(c.Tumble(3))
    deal.do(c.Report(Fact.TUMBLER_FAULT, "it jams"))
    assert deal.last(e.FactRecorded).call == "No spin"
    assert deal.state.suspended == "the tumbler did not work correctly"
    assert deal.state.meters.voided == 0
    deal.do(c.ResumeTable(c.Mending.MENDED, "a new motor"), SUPERVISOR)
    deal.refused(c.OpenBets(), Code.WRONG_STEP)


@pytest.mark.clause("nz-division-9 §7.1(b)", "nz-division-9 §7.4")
def test_7_1_b_a_tumbler_that_failed_stops_the_table() -> None:
    """A tumbler fault is a malfunction: after the void no further game until a supervisor says why it is safe."""
    deal = bets_on({"small": 100}).close()
    deal.do(c.Report(Fact.TUMBLER_FAULT))
    assert deal.state.suspended == "the tumbler did not work correctly"
    deal.do(c.Tumble(3))
    assert (deal.last(e.FactRecorded).fact, deal.state.round.tumbles) == ("tumbled-out-of-turn", 0)
    deal.refused(c.OpenBets(), Code.TABLE_SUSPENDED)
    other = bets_on({"small": 100})
    other.do(c.Report(Fact.EXPOSED))
    assert not other.state.suspended


@pytest.mark.clause("nz-division-9 §7.2")
def test_7_2_a_wrong_entry_is_amended_under_the_supervisor_before_settlement() -> None:
    """A wrong entry blocks the collection; two people put it right to what the dice show, and the lights follow."""
    deal = bets_on(LOSERS_AND_WINNERS).close().show(1, 2, 4).enter(1, 2, 5)
    assert not deal.last(e.ResultEntered).matches
    assert deal.refused(c.Collect(), Code.ENTRY_WRONG).clauses == ("7.2",)
    right = c.AmendEntry((4, 2, 1))
    deal.refused(right, Code.SECOND_PERSON_NEEDED, reason="slip of the finger")
    assert deal.refused(right, Code.NOT_YOURS_TO_DO, player("ann")).clauses == ("7.2",)
    alone = bets_on(LOSERS_AND_WINNERS).close().show(1, 2, 4).enter(1, 2, 5)
    alone.do(right, SUPERVISOR, reason="under the supervisor is also by the supervisor")
    deal.refused(right, Code.SECOND_PERSON_UNFIT, second=Person("eve", Role.DEALER), reason="slip of the finger")
    deal.refused(right, Code.SECOND_PERSON_UNFIT, second=Person(DEALER.id, Role.SUPERVISOR), reason="slip")
    deal.refused(right, Code.REASON_NEEDED, second=SUPERVISOR)
    refusal = deal.refused(c.AmendEntry((1, 2, 6)), Code.ENTRY_WRONG, second=SUPERVISOR, reason="slip of the finger")
    assert refusal.allowed == "1, 2, 4"
    deal.do(right, second=SUPERVISOR, reason="slip of the finger")
    amended = deal.last(e.EntryAmended)
    assert (amended.before, amended.after) == ((1, 2, 5), (4, 2, 1))
    deal.refused(right, Code.NOTHING_TO_DO, second=SUPERVISOR, reason="slip of the finger")
    deal.settle()
    late = bets_on(LOSERS_AND_WINNERS).close().result(1, 2, 4)
    late.do(c.Collect())
    late.refused(right, Code.WRONG_STEP, second=SUPERVISOR, reason="too late")


@pytest.mark.clause("nz-division-9 §7.3", "nz-division-9 §7.4")
@pytest.mark.parametrize("fact", [Fact.LIGHTS_FAULT, Fact.TERMINAL_DEAD])
@pytest.mark.parametrize("phase", [RoundPhase.BETTING, RoundPhase.CLOSED, RoundPhase.ANNOUNCED, RoundPhase.ENTERED])
def test_7_3_without_lights_or_terminal_the_dice_decide_and_the_table_stops(phase: RoundPhase, fact: Fact) -> None:
    """The call settles the round without entry or lights; then no game until it is mended and proven by test runs."""
    deal = bets_on(LOSERS_AND_WINNERS).up_to(phase, 1, 2, 4)
    deal.do(c.Report(fact, "all dark"))
    deal.refused(c.Report(fact, "all dark"), Code.NOTHING_TO_DO)
    if phase is not RoundPhase.ENTERED:
        deal.up_to(RoundPhase.ANNOUNCED, 1, 2, 4)
    deal.settle()
    assert deal.funds("ann") == 1000 - 80 + 100 + 20 + 120
    assert deal.state.suspended
    assert deal.refused(c.OpenBets(), Code.TABLE_SUSPENDED).clauses == ("7.4",)
    mended = c.ResumeTable(c.Mending.MENDED, "a new fuse")
    assert deal.refused(mended, Code.CHECK_INCOMPLETE, SUPERVISOR).clauses == ("5.0(b)", "I28")
    deal.test_runs()
    deal.do(mended, SUPERVISOR)
    deal.begin().bet("ann", "small", 10).finish(1, 2, 4)


@pytest.mark.clause("nz-division-9 §7.4")
def test_7_4_a_procedure_does_without_the_terminal_until_it_is_mended() -> None:
    """Announced on the table's view, it settles every round by the dice; mending it needs the test runs again."""
    deal = bets_on({"small": 100}).up_to(RoundPhase.ANNOUNCED, 1, 2, 4)
    deal.do(c.Report(Fact.TERMINAL_DEAD))
    deal.settle()
    deal.do(c.ResumeTable(c.Mending.PROCEDURE, "two people read every result aloud"), SUPERVISOR)
    assert deal.state.procedure == "two people read every result aloud"
    for _ in range(2):
        deal.begin().bet("ann", "small", 10).close().show(1, 2, 4)
        deal.settle()
    mended = c.ResumeTable(c.Mending.MENDED, "the terminal was changed")
    deal.refused(c.ResumeTable(c.Mending.PROCEDURE, "another"), Code.NOTHING_TO_DO, SUPERVISOR)
    deal.refused(mended, Code.CHECK_INCOMPLETE, SUPERVISOR)
    deal.test_runs()
    deal.do(mended, SUPERVISOR)
    assert not deal.state.procedure
    deal.begin().bet("ann", "small", 10).close().show(1, 2, 4)
    deal.refused(c.Collect(), Code.WRONG_STEP)


@pytest.mark.clause("nz-division-9 §7.3", "nz-division-9 §7.4")
def test_7_4_a_void_does_not_make_a_light_fault_forgotten() -> None:
    """When the round with the failed lights is void, the table stops all the same, for every cause known."""
    lights, tumbler = "the winning areas did not light, or not correctly", "the tumbler did not work correctly"
    deal = bets_on({"small": 10}).close().result(1, 2, 4)
    deal.do(c.Report(Fact.LIGHTS_FAULT, "flicker"))
    deal.altered(c.Report(Fact.TUMBLER_FAULT))
    assert deal.state.suspended == f"{lights}; {tumbler}"
    twice = bets_on({"small": 10}).close().result(1, 2, 4)
    twice.do(c.SuspendTable("a smell of smoke"))
    twice.do(c.Report(Fact.LIGHTS_FAULT))
    twice.settle()
    assert twice.state.suspended == f"a smell of smoke; {lights}"


@pytest.mark.clause("nz-division-9 §7.4")
@pytest.mark.parametrize("by", c.Mending)
def test_7_4_no_further_game_until_mended_or_a_procedure_is_in_force(by: c.Mending) -> None:
    """Suspended in mid-round, the round is brought to its end, then nothing begins; resuming needs rank and words."""
    deal = bets_on({"small": 100})
    deal.do(c.SuspendTable("tumbler sticks"))
    deal.refused(c.PlaceBet("ann", "small", 10), Code.TABLE_SUSPENDED, player("ann"))
    deal.finish(1, 2, 4)
    deal.refused(c.OpenBets(), Code.TABLE_SUSPENDED)
    deal.refused(c.SuspendTable("tumbler sticks"), Code.NOTHING_TO_DO)
    deal.do(c.SuspendTable("smoke"))
    assert deal.state.suspended == "tumbler sticks; smoke"
    deal.refused(c.ResumeTable(by, "new belt"), Code.NOT_YOURS_TO_DO)
    deal.refused(c.ResumeTable(by, " "), Code.REASON_NEEDED, SUPERVISOR)
    deal.do(c.ResumeTable(by, "new belt"), SUPERVISOR)
    resumed = deal.last(e.TableResumed)
    assert (resumed.by, resumed.note, resumed.cause) == (by, "new belt", "tumbler sticks; smoke")
    deal.begin()


def test_a_suspension_says_what_is_wrong() -> None:
    """A cause is needed to suspend, and a suspension to resume."""
    deal = opened(NZ)
    deal.refused(c.SuspendTable("\t"), Code.REASON_NEEDED)
    deal.refused(c.ResumeTable(c.Mending.MENDED, ""), Code.NOT_SUSPENDED, SUPERVISOR)
    deal.do(c.SuspendTable("smoke"), PIT_MANAGER)
    assert deal.state.suspended == "smoke"


@pytest.mark.clause("nz-division-9 I25", "nz-division-9 §4.7")
def test_i25_chips_stay_until_the_whole_round_is_paid() -> None:
    """Whoever has been paid in their area waits all the same: nothing is handled before the last winner is paid."""
    deal = bets_on({"small": 100, "single:1": 10}).up_to(RoundPhase.COLLECTED, 1, 2, 4)
    deal.do(c.PayNext())
    assert deal.phase is RoundPhase.COLLECTED
    for do in (c.PlaceBet("ann", "big", 10), c.WithdrawBet("ann", "single:1")):
        assert "4.7" in deal.refused(do, Code.BETS_CLOSED, player("ann")).clauses
    deal.do(c.PayAll())


@pytest.mark.clause("nz-division-9 I30", "nz-division-9 §6.1", "nz-division-9 §7.1(d)")
def test_i30_fewer_than_three_spins_is_a_tumbler_that_was_not_activated() -> None:
    """Found after the call for bets, against a record of three, by two people: the spin is void under 7.1(d)."""
    deal = bets_on({"small": 100}).close()
    deal.altered(c.Report(Fact.TOO_FEW_TUMBLES, "the counter shows two"))
    assert deal.past.void == "too-few-tumbles"
    assert {"7.1(d)", "I30"} <= set(deal.past.clauses)


@pytest.mark.clause("nz-division-9 I1", "nz-division-9 §4.1(i)", "nz-division-9 §4.10")
def test_i1_two_five_or_six_is_the_combination_of_the_three() -> None:
    """The list prints "2,5 or 6": the box is 2-5-6, it wins on that roll alone, and it pays 30 to 1."""
    deal = opened(NZ_2, ann=1000).begin().bet("ann", "three:256", 10)
    deal.refused(c.PlaceBet("ann", "pair:25,6", 10), Code.UNKNOWN, player("ann"))
    deal.finish(6, 2, 5)
    assert deal.funds("ann") == 1300
