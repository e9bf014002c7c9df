"""Dealing. Virtual dice: committed before the first bet, fixed and opened by the close, read by nobody before."""

from __future__ import annotations

import pytest

from taisai.core.fair import commitment_of, roll_from
from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.refusals import Code
from taisai.table.state import Round, RoundPhase
from tests.table.driver import DEALER, NZ, ONE_OF_EACH_BOOK, SECOND, SUPERVISOR, SYSTEM, TAI_SAI, Deal, opened, player

BOOKS = pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
SECRET, OTHER = bytes(32), bytes(31) + b"\x01"
TWO = (DEALER, SUPERVISOR, "seen by both")


BROUGHT = ("0f" * 16, "a1" * 16)


def commitment(number: int = 1, secret: bytes = SECRET) -> str:
    """What the driver's table is committed to."""
    return commitment_of(secret, "t1", number)


def dice(*brought: str, number: int = 1) -> c.Dice:
    """What the secret gives with what players brought."""
    return roll_from(SECRET, "t1", number, brought).faces


def virtual(layout: str, **funds: int) -> Deal:
    """An open table for demonstration, where virtual dice may be dealt."""
    deal = opened(layout).seat(**funds)
    deal.do(c.AssignDealing(c.DealtBy.PEOPLE, purpose=c.Purpose.DEMO), SYSTEM)
    return deal


def committed(layout: str) -> Deal:
    """A committed round with a bet."""
    deal = virtual(layout, ann=1000, bob=1000)
    deal.do(c.CommitDice(commitment()))
    return deal.begin().bet("ann", "single:3", 100)


def bring(deal: Deal, name: str, contribution: str) -> None:
    """A bet with a player's own part in the dice."""
    deal.do(c.PlaceBet(name, "single:3", 100, contribution=contribution), player(name))


@BOOKS
def test_a_committed_round_is_opened_by_its_secret_and_settled(layout: str) -> None:
    """Under every book: the close opens the house's part in the same decision, and the dice are what all parts give."""
    deal = committed(layout)
    bring(deal, "bob", BROUGHT[1])
    bring(deal, "ann", BROUGHT[0])
    assert deal.happened(e.DiceCommitted) == [e.DiceCommitted(1, commitment(), 2)]
    deal.close(SECRET.hex())
    fixed = dice(*BROUGHT)
    closed, opened_with = [each for each in deal.record if isinstance(each.what, (e.BetsClosed, e.DiceOpened))]
    assert opened_with.what == e.DiceOpened(1, SECRET.hex(), BROUGHT, fixed)
    assert closed.at == opened_with.at
    assert (deal.state.round.fixed, deal.state.round.dice) == (fixed, None)
    deal.do(c.Uncover(fixed))
    assert deal.last(e.DiceUncovered) == e.DiceUncovered(fixed, SECRET.hex())
    deal.do(c.Announce())
    if deal.rules.has_terminal:
        deal.enter(*fixed)
    deal.settle()
    assert (deal.past.dice, deal.past.commitment, deal.past.opening) == (fixed, commitment(), SECRET.hex())
    assert deal.past.contributions == {"bob": BROUGHT[1], "ann": BROUGHT[0]}
    assert deal.state.round == Round(number=1, stepped_at=deal.state.at)
    deal.replays()


def test_what_a_player_brings_last_counts_and_is_recorded_once() -> None:
    """The same part again adds nothing to the record; another replaces it; at physical dice it is left out."""
    deal = committed(TAI_SAI)
    for each in (BROUGHT[0], BROUGHT[0], BROUGHT[1]):
        bring(deal, "ann", each)
    assert [what.contribution for what in deal.happened(e.BetPlaced)] == ["", BROUGHT[0], "", BROUGHT[1]]
    assert deal.state.round.contributions == {"ann": BROUGHT[1]}
    deal.do(c.WithdrawBet("ann", "single:3"), player("ann"))
    assert deal.state.round.contributions == {"ann": BROUGHT[1]}
    physical = opened(TAI_SAI, ann=1000).begin()
    bring(physical, "ann", BROUGHT[0])
    assert (physical.last(e.BetPlaced).contribution, physical.state.round.contributions) == ("", {})


@pytest.mark.parametrize("how", c.BY_CREW)
def test_nobody_of_the_crew_brings_a_players_part(how: c.How) -> None:
    """A bet that the crew puts down leaves a player's part of the dice alone: who knew the secret could choose it."""
    deal = committed(TAI_SAI)
    bring(deal, "ann", BROUGHT[0])
    for by in (DEALER, SUPERVISOR):
        theirs = c.PlaceBet("ann", "single:3", 100, how, contribution=BROUGHT[1])
        assert deal.refused(theirs, Code.NOT_YOURS_TO_DO, by).sentence.startswith("contribution: ")
        deal.do(c.PlaceBet("ann", "single:3", 100, how), by)
    assert deal.state.round.contributions == {"ann": BROUGHT[0]}


def test_the_time_of_the_close_is_fixed_with_the_call_for_bets() -> None:
    """A committed round is not opened without it, closes no sooner, and takes and returns no bet after it."""
    deal = opened(TAI_SAI, ann=1000)
    deal.do(c.AssignDealing(c.DealtBy.PEOPLE, 30_000, c.Purpose.DEMO), SYSTEM)
    deal.do(c.CommitDice(commitment()))
    assert deal.refused(c.OpenBets(), Code.BAD_VALUE).sentence.startswith("betting_ms: ")
    assert deal.refused(c.OpenBets(29_999), Code.BAD_VALUE).allowed == "30000 or more"
    deal.do(c.OpenBets(60_000))
    closes_at = deal.clock + 60_000_000
    assert deal.last(e.BetsOpened).closes_at == deal.state.round.closes_at == closes_at
    deal.clock = closes_at - SECOND - 1  # the driver's next command comes a second later
    bring(deal, "ann", BROUGHT[0])
    deal.clock = closes_at - SECOND - 1
    assert "1 ms are left" in deal.refused(c.CloseBets(SECRET.hex()), Code.WRONG_STEP).sentence
    deal.clock = closes_at - SECOND
    late = c.PlaceBet("ann", "single:3", 100, contribution=BROUGHT[1])
    deal.refused(late, Code.BETS_CLOSED, player("ann"))
    deal.clock = closes_at - SECOND
    deal.refused(c.WithdrawBet("ann", "single:3"), Code.BETS_CLOSED, player("ann"))
    deal.clock = closes_at + 60_000_000
    deal.do(c.CloseBets(SECRET.hex()))
    assert deal.state.round.fixed == dice(BROUGHT[0])


def test_a_commitment_cannot_be_taken_back() -> None:
    """A second one before the round begins is refused, and so is one while it is played."""
    deal = virtual(TAI_SAI, ann=100)
    deal.do(c.CommitDice(commitment()))
    for each in (commitment(), commitment(secret=OTHER)):
        assert "stay so" in deal.refused(c.CommitDice(each), Code.NOTHING_TO_DO).sentence
    deal.begin()
    deal.refused(c.CommitDice(commitment(2)), Code.ROUND_IN_PLAY)
    assert deal.state.round.commitment == commitment()


@BOOKS
def test_committed_dice_need_the_opening_that_fits_and_its_dice(layout: str) -> None:
    """Without the secret, or with another one, bets do not close; other dice, or another order, are not uncovered."""
    deal = committed(layout)
    deal.clock = deal.state.round.closes_at
    one, two, three = dice()
    turned = next(each for each in ((two, one, three), (one, three, two), (1, 1, 1)) if each != dice())
    assert deal.refused(c.CloseBets(), Code.BAD_VALUE).sentence.startswith("opening: ")
    assert deal.refused(c.CloseBets(OTHER.hex()), Code.BAD_VALUE).sentence.startswith("opening: ")
    deal.close(SECRET.hex())
    for wrong in (turned, (one % 6 + 1, two, three)):
        refusal = deal.refused(c.Uncover(wrong), Code.BAD_VALUE)
        assert (refusal.sentence[:6], refusal.allowed) == ("dice: ", ",".join(map(str, dice())))
    deal.do(c.Uncover(dice()))


def test_a_commitment_to_another_round_or_table_does_not_open() -> None:
    """What was committed for round 1 opens no round 2; a commitment of another table opens nothing here."""
    for strange in (commitment(2), commitment_of(SECRET, "t2", 1), commitment_of(SECRET, "t1", 1, form=1)):
        deal = virtual(TAI_SAI, ann=100)
        deal.do(c.CommitDice(strange))
        deal.begin()
        deal.clock = deal.state.round.closes_at
        refusal = deal.refused(c.CloseBets(SECRET.hex()), Code.BAD_VALUE)
        assert refusal.sentence.startswith("opening: it does not fit")


def test_dice_that_were_not_committed_have_no_opening() -> None:
    """An opening that nothing was fixed by proves nothing, and is refused."""
    deal = opened(TAI_SAI, ann=100).begin()
    assert deal.refused(c.CloseBets(SECRET.hex()), Code.BAD_VALUE).sentence.startswith("opening: ")
    deal.close().do(c.Uncover((1, 2, 3)))
    assert deal.last(e.DiceUncovered) == e.DiceUncovered((1, 2, 3))


@BOOKS
def test_interrupted_before_the_close_virtual_dice_have_no_roll(layout: str) -> None:
    """Whoever claims to read them is refused; the round is void, and its secret is published afterwards."""
    deal = committed(layout)
    bring(deal, "ann", BROUGHT[0])
    deal.do(c.Interrupt("power"), SYSTEM)
    refusal = deal.refused(c.ResolveInterruption(dice(), dice()), Code.BAD_VALUE, *TWO)
    assert refusal.sentence.startswith("readable: ")
    deal.do(c.ResolveInterruption(()), *TWO)
    assert (deal.past.void, deal.past.dice, deal.funds("ann")) == ("interrupted", None, 1000)
    assert (deal.past.commitment, deal.past.opening) == (commitment(), "")
    assert deal.state.round == Round(number=1, stepped_at=deal.state.at)
    deal.refused(c.OpenDice(1, OTHER.hex()), Code.BAD_VALUE)
    deal.refused(c.OpenDice(2, SECRET.hex()), Code.UNKNOWN)
    deal.do(c.OpenDice(1, SECRET.hex()))
    assert deal.last(e.DiceOpened) == e.DiceOpened(1, SECRET.hex(), (BROUGHT[0],), None)
    assert (deal.past.opening, deal.past.dice) == (SECRET.hex(), None)
    deal.refused(c.OpenDice(1, SECRET.hex()), Code.NOTHING_TO_DO)
    deal.replays()


@pytest.mark.clause("rws-tai-sai-v6 §5.4", "rws-tai-sai-v6 §5.4.1")
@BOOKS
def test_interrupted_after_the_close_a_round_of_virtual_dice_is_concluded(layout: str) -> None:
    """The close has fixed the dice, covered as they are: an outcome is established (I5), and nobody reads another."""
    deal = committed(layout).close(SECRET.hex())
    deal.do(c.Interrupt("power"), SYSTEM)
    deal.refused(c.ResolveInterruption((), (dice()[0] % 6 + 1, *dice()[1:])), Code.CONTRADICTED, *TWO)
    deal.do(c.ResolveInterruption(()), *TWO)
    assert (deal.phase, deal.state.round.fixed) == (RoundPhase.CLOSED, dice())
    deal.result(*dice()).settle()
    assert (deal.past.void, deal.past.dice) == ("", dice())


def test_after_the_close_a_void_takes_two_people_and_a_reason() -> None:
    """The dice are known to the house then, though covered: one person alone does not void the round any more."""
    deal = committed(TAI_SAI).close(SECRET.hex())
    deal.do(c.Report(Fact.NOT_FLAT), *TWO)
    assert (deal.past.opening, deal.past.dice) == (SECRET.hex(), None)


def test_a_void_ends_the_commitment() -> None:
    """The next round is committed anew, to its own number."""
    deal = committed(TAI_SAI)
    deal.void(Fact.EXPOSED)
    assert deal.state.round == Round(number=1, stepped_at=deal.state.at)
    deal.do(c.CommitDice(commitment(2), OTHER.hex()))
    assert deal.last(e.DiceCommitted) == e.DiceCommitted(2, commitment(2), 2, OTHER.hex())


def test_a_commitment_ends_when_the_table_closes_before_the_round_begins() -> None:
    """No bet was placed on it; on another day the round is committed anew."""
    deal = virtual(TAI_SAI)
    deal.do(c.CommitDice(commitment()))
    deal.do(c.CloseTable({100: 1000, 5: 100}), SUPERVISOR)
    assert deal.state.round == Round()


def test_a_commitment_outlives_new_seals_and_inspections() -> None:
    """Whoever looks at the device between rounds makes the dice be tumbled again, not be committed again."""
    deal = virtual(TAI_SAI)
    deal.do(c.CommitDice(commitment()))
    deal.do(c.Tumble(3))
    deal.do(c.InspectDice(sound=True), SUPERVISOR)
    assert (deal.state.round.tumbles, deal.state.round.commitment) == (0, commitment())


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
