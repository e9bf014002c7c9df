"""Dealing. Committed dice: fixed before the first bet, opened at the uncovering, and read by nobody before."""

from __future__ import annotations

import pytest

from taisai.core.fair import commitment_of, roll_from
from taisai.core.rulebook import VoidReason
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.refusals import Code
from taisai.table.state import Round, RoundPhase
from tests.table.driver import DEALER, NZ, ONE_OF_EACH_BOOK, SUPERVISOR, SYSTEM, TAI_SAI, Deal, opened

BOOKS = pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
SECRET, OTHER = bytes(32), bytes(31) + b"\x01"
TWO = (DEALER, SUPERVISOR, "seen by both")


def commitment(number: int = 1, secret: bytes = SECRET) -> str:
    """What the driver's table is committed to."""
    return commitment_of(secret, "t1", number)


def dice(number: int = 1) -> c.Dice:
    """What the secret gives."""
    return roll_from(SECRET, "t1", number).faces


def committed(layout: str, phase: RoundPhase) -> Deal:
    """A committed round with a bet, at a phase before the uncovering."""
    deal = opened(layout, ann=1000)
    deal.do(c.CommitDice(commitment()))
    return deal.begin().bet("ann", "single:3", 100).up_to(phase)


@BOOKS
def test_a_committed_round_is_opened_by_its_secret_and_settled(layout: str) -> None:
    """Under every book: the commitment stands from before the call to the end of the round, and goes with it."""
    deal = committed(layout, RoundPhase.CLOSED)
    assert deal.happened(e.DiceCommitted) == [e.DiceCommitted(1, commitment())]
    assert deal.state.round.commitment == commitment()
    deal.do(c.Uncover(dice(), SECRET.hex()))
    assert deal.last(e.DiceUncovered) == e.DiceUncovered(dice(), SECRET.hex())
    deal.do(c.Announce())
    if deal.rules.has_terminal:
        deal.enter(*dice())
    deal.settle()
    assert (deal.past.dice, deal.past.commitment, deal.past.opening) == (dice(), commitment(), SECRET.hex())
    assert deal.state.round == Round(number=1)
    deal.replays()


def test_a_commitment_cannot_be_taken_back() -> None:
    """A second one before the round begins is refused, and so is one while it is played."""
    deal = opened(TAI_SAI, ann=100)
    deal.do(c.CommitDice(commitment()))
    for each in (commitment(), commitment(secret=OTHER)):
        assert "stay so" in deal.refused(c.CommitDice(each), Code.NOTHING_TO_DO).sentence
    deal.begin()
    deal.refused(c.CommitDice(commitment(2)), Code.ROUND_IN_PLAY)
    assert deal.state.round.commitment == commitment()


@BOOKS
def test_committed_dice_need_the_opening_that_fits_and_its_dice(layout: str) -> None:
    """Without the secret, with another one, with other dice or the same in another order: refused by the field."""
    deal = committed(layout, RoundPhase.CLOSED)
    one, two, three = dice()
    turned = next(each for each in ((two, one, three), (one, three, two), (1, 1, 1)) if each != dice())
    assert deal.refused(c.Uncover(dice()), Code.BAD_VALUE).sentence.startswith("opening: ")
    assert deal.refused(c.Uncover(dice(), OTHER.hex()), Code.BAD_VALUE).sentence.startswith("opening: ")
    for wrong in (turned, (one % 6 + 1, two, three)):
        refusal = deal.refused(c.Uncover(wrong, SECRET.hex()), Code.BAD_VALUE)
        assert (refusal.sentence[:6], refusal.allowed) == ("dice: ", ",".join(map(str, dice())))
    deal.do(c.Uncover(dice(), SECRET.hex()))


def test_a_commitment_to_another_round_or_table_does_not_open() -> None:
    """What was committed for round 1 opens no round 2; a commitment of another table opens nothing here."""
    for strange in (commitment(2), commitment_of(SECRET, "t2", 1)):
        deal = opened(TAI_SAI, ann=100)
        deal.do(c.CommitDice(strange))
        deal.begin().close()
        refusal = deal.refused(c.Uncover(dice(), SECRET.hex()), Code.BAD_VALUE)
        assert refusal.sentence.startswith("opening: it does not fit")


def test_dice_that_were_not_committed_have_no_opening() -> None:
    """An opening that nothing was fixed by proves nothing, and is refused."""
    deal = opened(TAI_SAI, ann=100).begin().close()
    assert deal.refused(c.Uncover((1, 2, 3), SECRET.hex()), Code.BAD_VALUE).sentence.startswith("opening: ")
    deal.do(c.Uncover((1, 2, 3)))
    assert deal.last(e.DiceUncovered) == e.DiceUncovered((1, 2, 3))


@BOOKS
@pytest.mark.parametrize("phase", [RoundPhase.BETTING, RoundPhase.CLOSED])
def test_interrupted_before_the_uncovering_committed_dice_are_read_by_nobody(layout: str, phase: RoundPhase) -> None:
    """Whoever claims to read them is refused; the round is void, and not opened."""
    deal = committed(layout, phase)
    deal.do(c.Interrupt("power"), SYSTEM)
    code = Code.WRONG_STEP if phase is RoundPhase.BETTING else Code.BAD_VALUE
    refusal = deal.refused(c.ResolveInterruption(dice(), dice()), code, *TWO)
    assert phase is RoundPhase.BETTING or refusal.sentence.startswith("readable: ")
    deal.do(c.ResolveInterruption(()), *TWO)
    assert (deal.past.void, deal.past.dice, deal.funds("ann")) == ("interrupted", None, 1000)
    assert (deal.past.commitment, deal.past.opening) == (commitment(), "")
    assert deal.state.round == Round(number=1)


def test_interrupted_after_the_uncovering_a_committed_round_goes_on() -> None:
    """The dice are on record, proven: the round is concluded with them."""
    deal = committed(TAI_SAI, RoundPhase.CLOSED)
    deal.do(c.Uncover(dice(), SECRET.hex()))
    deal.do(c.Interrupt("power"), SYSTEM)
    deal.do(c.ResolveInterruption(dice()), *TWO)
    assert (deal.phase, deal.state.round.commitment) == (RoundPhase.UNCOVERED, commitment())


def test_a_void_ends_the_commitment_unopened() -> None:
    """The next round is committed anew, to its own number."""
    deal = committed(TAI_SAI, RoundPhase.CLOSED)
    deal.void(VoidReason.NOT_FLAT)
    assert deal.state.round == Round(number=1)
    deal.do(c.CommitDice(commitment(2)))
    assert deal.last(e.DiceCommitted) == e.DiceCommitted(2, commitment(2))


def test_a_commitment_ends_when_the_table_closes_before_the_round_begins() -> None:
    """No bet was placed on it; on another day the round is committed anew."""
    deal = opened(TAI_SAI)
    deal.do(c.CommitDice(commitment()))
    deal.do(c.CloseTable({100: 1000, 5: 100}), SUPERVISOR)
    assert deal.state.round == Round()


def test_a_commitment_outlives_new_seals_and_inspections() -> None:
    """Whoever looks at the device between rounds makes the dice be tumbled again, not be committed again."""
    deal = opened(TAI_SAI)
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
