"""Trouble. Interruptions at every phase of the round, under every book, with every number of readable dice."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.books import read_book
from taisai.core.rulebook import Rule
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.refusals import Code
from taisai.table.rules import TableRules
from taisai.table.state import RoundPhase
from tests.books.helpers import write_book
from tests.table.driver import (
    DEALER,
    NZ,
    ONE_OF_EACH_BOOK,
    OPEN_COVER,
    SUPERVISOR,
    SYSTEM,
    TAI_SAI,
    Deal,
    opened,
    player,
)

IN_ROUND = [phase for phase in RoundPhase if phase is not RoundPhase.BETWEEN]
EVERY_PHASE = [
    (layout, phase)
    for layout in ONE_OF_EACH_BOOK
    for phase in IN_ROUND
    if phase is not RoundPhase.ENTERED or layout == NZ  # the only book with an entry terminal
]
BOOKS = pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
COUNTS = pytest.mark.parametrize("count", [0, 1, 2, 3])
LIE = (3, 1, 5)


def interrupted(layout: str, phase: RoundPhase) -> Deal:
    """A round with a winner and a loser, interrupted at a phase."""
    deal = opened(layout, ann=1000, bob=1000).begin().bet("ann", "single:3", 100).bet("bob", "single:4", 50)
    if phase is not RoundPhase.BETTING:
        deal.up_to(phase, *LIE)
    deal.do(c.Interrupt("power"), SYSTEM)
    return deal


def resolve(deal: Deal, readable: tuple[int, ...], dice: c.Dice | None) -> list[e.EventBody]:
    """Dealer and supervisor say which dice can be read."""
    return deal.do(c.ResolveInterruption(readable, dice), DEALER, SUPERVISOR, "by torchlight")


@pytest.mark.clause("rws-tai-sai-v6 §5.4", "rws-tai-sai-v6 §5.4.1", "rws-tai-sai-v6 §5.4.2")
@COUNTS
@pytest.mark.parametrize(("layout", "phase"), EVERY_PHASE)
def test_5_4_an_interruption_at_any_phase_with_any_readable_dice(layout: str, phase: RoundPhase, count: int) -> None:
    """Established from the first die read after a valid tumble: concluded; with none, or in open betting: void."""
    deal = interrupted(layout, phase)
    readable = LIE[:count]
    known = phase not in (RoundPhase.BETTING, RoundPhase.CLOSED)
    if known and not count:
        two = (DEALER, SUPERVISOR, "by torchlight")
        refusal = deal.refused(c.ResolveInterruption((), None), Code.CONTRADICTED, *two)
        assert set(refusal.clauses) == set(deal.rules.clauses(Rule.INTERRUPTION_CONCLUDED))
        readable = LIE
    resolve(deal, readable, LIE if readable else None)
    assert not deal.state.round.interrupted
    if known or (count and phase is RoundPhase.CLOSED):
        assert deal.state.round.dice == LIE
        assert deal.phase is (phase if known else RoundPhase.UNCOVERED)
        deal.up_to(RoundPhase.COLLECTED, *LIE).do(c.PayAll())
        assert (deal.funds("ann"), deal.funds("bob")) == (1100, 950)
    else:
        tumbled_before = layout == NZ and phase is RoundPhase.BETTING and count
        assert (deal.past.void, deal.past.dice) == ("exposed" if tumbled_before else "interrupted", None)
        assert (deal.funds("ann"), deal.funds("bob")) == (1000, 1000)
    deal.replays()


@pytest.mark.clause("rws-tai-sai-v6 §5.4.2")
@pytest.mark.parametrize("layout", [layout for layout in ONE_OF_EACH_BOOK if layout != NZ])
def test_5_4_2_dice_that_were_not_tumbled_for_this_round_establish_nothing(layout: str) -> None:
    """Interrupted between the close and the tumble, the dice still show the last round: the round is void."""
    deal = opened(layout, ann=1000).begin().bet("ann", "single:3", 100)
    deal.do(c.CloseBets())
    deal.do(c.Interrupt("power"), SYSTEM)
    resolve(deal, LIE, LIE)
    assert deal.last(e.InterruptionResolved).readable == LIE, "what could be read is on record as it was"
    assert (deal.past.void, deal.funds("ann")) == ("interrupted", 1000)


@pytest.mark.clause("rws-tai-sai-v6 §5.4", "rws-tai-sai-v6 §5.5.3")
def test_5_4_dice_that_can_be_read_while_bets_are_open_were_exposed() -> None:
    """Tumbled before the close and readable in open betting: that is 5.5.3, and nobody has to say "none"."""
    deal = opened(TAI_SAI, ann=1000).begin().bet("ann", "single:3", 100)
    deal.do(c.Tumble(3))
    deal.do(c.Interrupt("power"), SYSTEM)
    resolve(deal, LIE, LIE)
    assert (deal.past.void, deal.past.clauses) == ("exposed", ("1.9", "5.12", "5.5.3"))


@BOOKS
def test_while_interrupted_bets_are_held_and_nothing_else_happens(layout: str) -> None:
    """Bets stay where they are and visible; the round takes no step until it is resolved."""
    deal = interrupted(layout, RoundPhase.BETTING)
    for action in (c.CloseBets(), c.OpenBets(), c.Collect(), c.Interrupt("again"), c.BuyIn("ann", 10)):
        assert "power" in deal.refused(action, Code.ROUND_INTERRUPTED).sentence
    deal.refused(c.PlaceBet("ann", "single:3", 10), Code.ROUND_INTERRUPTED, player("ann"))
    deal.refused(c.WithdrawBet("ann", "single:3"), Code.ROUND_INTERRUPTED, player("ann"))
    assert deal.state.round.stakes == {"ann": {"single:3": 100}, "bob": {"single:4": 50}}
    deal.do(c.WalkAway("ann"), SYSTEM)
    deal.do(c.SitDown("cas"), player("cas"))
    deal.do(c.Fill({100: 1}), SUPERVISOR)


def test_an_interruption_is_resolved_by_two_people_who_agree_with_the_record() -> None:
    """Rank and reason are needed; faces on record are not talked away."""
    deal = interrupted(TAI_SAI, RoundPhase.UNCOVERED)
    said = c.ResolveInterruption((3,), LIE)
    deal.refused(said, Code.SECOND_PERSON_NEEDED, reason="by torchlight")
    deal.refused(said, Code.SECOND_PERSON_UNFIT, SUPERVISOR, SUPERVISOR, "by torchlight")
    deal.refused(said, Code.SECOND_PERSON_UNFIT, DEALER, SYSTEM, "by torchlight")
    deal.refused(said, Code.REASON_NEEDED, DEALER, SUPERVISOR)
    two = (DEALER, SUPERVISOR, "by torchlight")
    for other in (c.ResolveInterruption((6,)), c.ResolveInterruption((3, 3)), c.ResolveInterruption(())):
        assert deal.refused(other, Code.CONTRADICTED, *two).allowed == "3, 1, 5"
    resolve(deal, (1,), (5, 3, 1))
    assert deal.last(e.InterruptionResolved).readable == LIE
    deal.refused(said, Code.NOT_INTERRUPTED, *two)


@pytest.mark.parametrize(
    ("readable", "dice"), [((3,), None), ((3, 3), LIE), ((6,), LIE), ((3, 1, 5), (3, 1, 6)), ((1, 1, 1), (1, 1, 2))]
)
def test_the_dice_named_must_hold_the_faces_read(readable: tuple[int, ...], dice: c.Dice | None) -> None:
    """With a die read, three faces are named, and each face read is among them as often as it was read."""
    deal = interrupted(TAI_SAI, RoundPhase.CLOSED)
    deal.refused(c.ResolveInterruption(readable, dice), Code.BAD_VALUE, DEALER, SUPERVISOR, "by torchlight")


def test_between_rounds_an_interruption_is_recorded_and_there_is_nothing_to_resolve() -> None:
    """Without a round in play a spin that was made does not count, and no round is interrupted."""
    deal = opened(NZ)
    deal.do(c.Tumble(3))
    deal.do(c.Interrupt("power"), SYSTEM)
    assert (deal.last(e.FactRecorded).fact, deal.state.round.tumbles) == ("interrupted", 0)
    deal.refused(c.OpenBets(), Code.WRONG_STEP)
    deal = opened(OPEN_COVER)
    deal.do(c.Interrupt("power"), SYSTEM)
    deal.refused(c.ResolveInterruption(()), Code.NOT_INTERRUPTED, DEALER, SUPERVISOR, "by torchlight")
    deal.begin().do(c.Interrupt(""), SYSTEM)
    assert deal.state.round.interrupted == "not said"


def test_a_wrong_entry_outlives_an_interruption() -> None:
    """The round goes on where it stood: what was entered wrongly is still to be amended."""
    deal = opened(NZ, ann=1000).begin().bet("ann", "small", 100).close().show(*LIE).enter(3, 1, 6)
    deal.do(c.Interrupt("power"), SYSTEM)
    resolve(deal, LIE, LIE)
    deal.refused(c.Collect(), Code.ENTRY_WRONG)
    deal.altered(c.AmendEntry(LIE))
    deal.settle()


def test_a_house_book_without_that_void_reason_still_ends_the_round(tmp_path: Path) -> None:
    """A book that does not speak of interruptions voids by the house procedure, without an exception."""
    book = read_book(write_book(tmp_path / "mini"))
    deal = Deal("mini/A", c.TableLimits(1, c.BoxLimit(1, 100)), rules=TableRules(book))
    deal.do(c.SetUp("mini", "A", book.digest, deal.limits, "NZD", (1, 100)), SUPERVISOR)
    deal.do(c.CountFloat({100: 5}), SUPERVISOR)
    deal.do(c.ReceiveDice("d1"), SUPERVISOR)
    deal.do(c.SealDice("d1", "s1"), SUPERVISOR)
    deal.check().do(c.OpenTable(), SUPERVISOR)
    deal.seat(ann=50).begin().bet("ann", "small", 10).do(c.Interrupt("power"), SYSTEM)
    resolve(deal, (), None)
    assert (deal.past.void, deal.funds("ann")) == ("interrupted", 50)
