"""Setting a table up, opening and closing it; dice sets from their arrival to their retirement."""

from __future__ import annotations

from dataclasses import replace as with_fields
from typing import Any

import pytest
from msgspec.structs import replace

from taisai.core.rulebook import Fact, RuleBook
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import TableRules
from taisai.table.state import TablePhase, TableState
from tests.table.driver import (
    HOUR,
    LIMITS,
    NZ,
    NZ_2,
    ONE_OF_EACH_BOOK,
    OPEN_COVER,
    SECOND,
    SHIFT_MANAGER,
    SUPERVISOR,
    SYSTEM,
    TAI_SAI,
    Deal,
    opened,
    player,
    set_up_of,
    shelf,
)


def test_a_table_stands_under_an_approved_book_by_its_digest() -> None:
    """Another book, or the same one with another digest, is refused; the right one is recorded."""
    deal = Deal(NZ)
    assert deal.rules.book.digest[:16] in deal.refused(set_up_of(TAI_SAI), Code.WRONG_BOOK, SUPERVISOR).sentence
    deal.refused(replace(set_up_of(NZ), digest="f" * 64), Code.WRONG_BOOK, SUPERVISOR)
    deal.do(set_up_of(NZ), SUPERVISOR)
    assert deal.state.phase is TablePhase.CLOSED
    assert deal.state.set_up is not None
    assert deal.state.set_up.digest == deal.rules.book.digest


@pytest.mark.clause("rws-tai-sai-v6 §2.1.1")
def test_only_the_books_own_layouts_are_played() -> None:
    """A layout that the book does not have is refused, with those it has."""
    deal = Deal(TAI_SAI)
    refusal = deal.refused(replace(set_up_of(TAI_SAI), layout="B"), Code.UNKNOWN, SUPERVISOR)
    assert refusal.allowed == "A, C, E"
    assert "2.1.1" in refusal.clauses


@pytest.mark.parametrize(
    "wrong",
    [
        {"limits": replace(LIMITS, unit=0)},
        {"limits": replace(LIMITS, default=c.BoxLimit(12, 100))},
        {"limits": replace(LIMITS, default=c.BoxLimit(200, 100))},
        {"limits": replace(LIMITS, default=c.BoxLimit(-5, 100))},
        {"limits": replace(LIMITS, kinds={"corner": c.BoxLimit(5, 10)})},
        {"limits": replace(LIMITS, differential={"red-black": 5})},
        {"limits": replace(LIMITS, differential={"big-small": 10**16})},
        {"denominations": (100, 5)},
        {"denominations": (5, 5, 100)},
        {"denominations": (10, 100)},
        {"denominations": (5, 7)},
    ],
    ids=str,
)
def test_limits_and_chips_that_do_not_hold_are_refused(wrong: dict[str, Any]) -> None:
    """Limits in whole units, a minimum not above its maximum; chips ascending from the unit, each a multiple of it."""
    refusal = Deal(TAI_SAI).refused(replace(set_up_of(TAI_SAI), **wrong), Code.BAD_VALUE, SUPERVISOR)
    assert next(iter(wrong)) in refusal.sentence


def test_a_table_in_use_is_not_set_up_anew() -> None:
    """Not while it is open, in a round, or while its float is on the table; afterwards yes, with another layout."""
    deal = Deal(NZ)
    deal.do(set_up_of(NZ), SUPERVISOR)
    deal.do(set_up_of(NZ_2), SUPERVISOR)
    deal.do(set_up_of(NZ), SUPERVISOR)
    deal.set_up()
    assert deal.refused(set_up_of(NZ_2), Code.ALREADY_SET_UP, SUPERVISOR).allowed == "close-table"
    deal.check().do(c.OpenTable(), SUPERVISOR)
    deal.refused(set_up_of(NZ_2), Code.ALREADY_SET_UP, SUPERVISOR)
    deal.begin()
    deal.refused(set_up_of(NZ_2), Code.ALREADY_SET_UP, SUPERVISOR)
    deal.refused(c.CloseTable({}), Code.ROUND_IN_PLAY, SUPERVISOR)
    deal.finish(1, 2, 4).do(c.CloseTable({100: 1}), SUPERVISOR)
    deal.do(set_up_of(NZ_2), SUPERVISOR)
    assert deal.state.set_up is not None
    assert deal.state.set_up.layout == "2"


def test_the_float_is_counted_once_a_shift_and_before_the_opening() -> None:
    """Without a float the table stays closed; counted twice it is refused; a new shift counts anew."""
    deal = Deal(TAI_SAI)
    deal.do(set_up_of(TAI_SAI), SUPERVISOR)
    deal.do(c.ReceiveDice("d1"), SUPERVISOR)
    deal.refused(c.OpenTable(), Code.CHECK_INCOMPLETE, SUPERVISOR)
    deal.do(c.SealDice("d1", "s1"), SUPERVISOR)
    assert deal.refused(c.OpenTable(), Code.CHECK_INCOMPLETE, SUPERVISOR).allowed == "count-float"
    deal.do(c.CountFloat({100: 10, 5: 2}), SUPERVISOR)
    assert deal.last(e.FloatCounted).amount == 1010
    deal.refused(c.CountFloat({100: 10}), Code.NOTHING_TO_DO, SUPERVISOR)
    deal.do(c.OpenTable(), SUPERVISOR)
    deal.refused(c.CountFloat({100: 10}), Code.TABLE_OPEN, SUPERVISOR)
    deal.do(c.CloseTable({100: 10, 5: 2}), SUPERVISOR)
    deal.do(c.CountFloat({100: 20}), SUPERVISOR)
    assert (deal.state.shift.opener, deal.state.shift.drop, deal.state.shift.closer) == (2000, 0, None)


def test_players_and_their_chips_leave_with_the_close() -> None:
    """Players who are still there take their value chips along; what goes back to one who had left is owed to them."""
    deal = opened(TAI_SAI, ann=500, bob=500).begin().bet("bob", "big", 100).finish(1, 2, 4)
    deal.do(c.LeaveTable("bob"), player("bob"))
    deal.damage()
    assert (deal.state.balance("player:bob"), deal.state.balance("debt:bob")) == (0, 100)
    deal.do(c.CloseTable({100: 999}), SUPERVISOR)
    assert deal.last(e.TableClosed).leaving == {"ann": 500}
    assert deal.state.players == {}
    for do in (c.SitDown("ann"), c.BuyIn("ann", 5), c.OpenBets(), c.SuspendTable("x")):
        deal.refused(do, Code.TABLE_NOT_OPEN, SHIFT_MANAGER)


def test_rounds_are_numbered_through_the_life_of_a_table() -> None:
    """A close does not begin the count anew, and the record of rounds goes on."""
    deal = opened(TAI_SAI).begin().finish(1, 2, 4)
    deal.do(c.CloseTable({100: 1}), SUPERVISOR)
    deal.do(c.CountFloat({100: 1}), SUPERVISOR)
    deal.do(c.OpenTable(), SUPERVISOR)
    deal.begin()
    assert (deal.state.round.number, [past.number for past in deal.state.history]) == (2, [1])


def test_rounds_of_another_book_are_not_reversed_by_this_ones_clause() -> None:
    """A round belongs to the book that it was played under."""
    deal = opened(NZ, ann=100).begin().bet("ann", "small", 10).finish(1, 2, 4)
    deal.do(c.CloseTable({}), SUPERVISOR)
    deal.layout, deal.rules = TAI_SAI, TableRules(shelf().book("rws-tai-sai-v6"))
    deal.do(set_up_of(TAI_SAI), SUPERVISOR)
    deal.do(c.CountFloat({100: 1}), SUPERVISOR)
    deal.do(c.OpenTable(), SUPERVISOR)
    deal.damage()
    assert deal.happened(e.RoundReversed) == []


@pytest.mark.clause("nz-division-9 §3.4(d)")
def test_a_set_has_an_identity_for_life() -> None:
    """A name is received once; a retired set never comes back."""
    deal = Deal(NZ).set_up()
    deal.refused(c.ReceiveDice("d1"), Code.BAD_VALUE, SUPERVISOR)
    deal.refused(c.SealDice("d9", "s1"), Code.UNKNOWN, SUPERVISOR)
    deal.refused(c.RetireDice("d9"), Code.UNKNOWN, SUPERVISOR)
    deal.do(c.RetireDice("d1", "worn"), SUPERVISOR)
    assert deal.state.dice_in is None
    assert deal.state.dice_sets["d1"].retired_at == deal.clock
    deal.refused(c.ReceiveDice("d1"), Code.BAD_VALUE, SUPERVISOR)
    assert deal.refused(c.SealDice("d1", "s2"), Code.UNKNOWN, SUPERVISOR).allowed == "none"
    deal.refused(c.RetireDice("d1"), Code.UNKNOWN, SUPERVISOR)
    deal.refused(c.InspectDice(sound=True), Code.NOTHING_TO_DO, SUPERVISOR)
    deal.do(c.ReceiveDice("d3"), SUPERVISOR)
    deal.do(c.ReceiveDice("d2"), SUPERVISOR)
    assert deal.refused(c.SealDice("d9", "s1"), Code.UNKNOWN, SUPERVISOR).allowed == "d2, d3"
    deal.do(c.RetireDice("d3"), SUPERVISOR)
    assert deal.state.dice_in is None


def test_no_dice_before_the_table_is_set_up() -> None:
    """A new table takes nothing but a set-up."""
    deal = Deal(NZ)
    for do in (c.ReceiveDice("d1"), c.SealDice("d1", "s1"), c.InspectDice(sound=True), c.RetireDice("d1")):
        deal.refused(do, Code.NOT_SET_UP, SUPERVISOR)
    assert deal.state == TableState("t1")


@pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
def test_damaged_dice_stop_the_table_until_they_are_changed(layout: str) -> None:
    """Found damaged, the set suspends the table; it is not declared sound again, resumed with, or sealed in anew."""
    deal = opened(layout, ann=100)
    deal.do(c.InspectDice(sound=True, note="fine"), SUPERVISOR)
    assert deal.state.dice_sets["d1"].inspected_at == deal.clock
    assert [type(what) for what in deal.do(c.InspectDice(sound=False, note="chipped"), SUPERVISOR)] == [
        e.DiceInspected,
        e.FactRecorded,
        e.TableSuspended,
    ]
    deal.refused(c.OpenBets(), Code.TABLE_SUSPENDED)
    deal.refused(c.InspectDice(sound=True), Code.CONTRADICTED, SUPERVISOR)
    deal.refused(c.InspectDice(sound=False), Code.NOTHING_TO_DO, SUPERVISOR)
    deal.refused(c.SealDice("d1", "s2"), Code.BAD_VALUE, SUPERVISOR)
    refusal = deal.refused(c.ResumeTable(c.Mending.PROCEDURE, "go on"), Code.CHECK_INCOMPLETE, SUPERVISOR)
    assert refusal.allowed == "retire-dice, then seal-dice of another set"
    deal.do(c.RetireDice("d1"), SUPERVISOR)
    deal.refused(c.ResumeTable(c.Mending.MENDED, "go on"), Code.CHECK_INCOMPLETE, SUPERVISOR)
    deal.do(c.ReceiveDice("d2"), SUPERVISOR)
    deal.do(c.SealDice("d2", "s2"), SUPERVISOR)
    deal.do(c.ResumeTable(c.Mending.MENDED, "new set"), SUPERVISOR)
    deal.begin()


def test_damaged_dice_keep_a_closed_table_closed() -> None:
    """Before the opening there is nothing to suspend, but the table does not open with them."""
    deal = Deal(NZ).set_up()
    assert not any(isinstance(what, e.TableSuspended) for what in deal.do(c.InspectDice(sound=False), SUPERVISOR))
    deal.check()
    deal.refused(c.OpenTable(), Code.CHECK_INCOMPLETE, SUPERVISOR)


def test_damaged_in_a_round_the_next_one_does_not_begin() -> None:
    """A void for damaged dice marks the set, under the books that tumble first and those that do not."""
    deal = opened(TAI_SAI, ann=100).begin()
    deal.void(Fact.DAMAGED_DICE)
    assert deal.refused(c.OpenBets(), Code.CHECK_INCOMPLETE).clauses == ("2.2.1",)
    deal.do(c.Tumble(3))
    assert (deal.last(e.FactRecorded).fact, deal.state.round.tumbles) == ("tumbled-out-of-turn", 0)


def test_dice_are_not_touched_in_a_round() -> None:
    """While a round is in play no set is sealed, looked at or retired; one may arrive."""
    deal = opened(OPEN_COVER).begin()
    for do in (c.SealDice("d1", "s2"), c.InspectDice(sound=True), c.RetireDice("d1")):
        deal.refused(do, Code.ROUND_IN_PLAY, SUPERVISOR)
    deal.do(c.ReceiveDice("d2"), SUPERVISOR)


@pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
def test_a_set_that_has_been_in_for_a_day_warns_once(layout: str) -> None:
    """At 24 hours, not a second before, with the next round, and not again for the same set."""
    deal = opened(layout)
    sealed_at = deal.state.dice_sets["d1"].sealed_at
    assert sealed_at is not None
    if deal.tumbles_first:
        deal.do(c.Tumble(3))
    early = c.Command(id="early", at=sealed_at + 24 * HOUR - 1, by=SUPERVISOR, do=c.OpenBets())
    found = deal.decide(early)
    assert isinstance(found, list)
    assert [type(event.what) for event in found] == [e.BetsOpened]
    deal.clock = sealed_at + 24 * HOUR - SECOND  # the next command comes a second later
    deal.do(c.OpenBets())
    assert deal.happened(e.DiceOverdue) == [e.DiceOverdue("d1", 24)]
    deal.finish(1, 2, 4)
    deal.clock += 30 * HOUR
    deal.begin().finish(1, 2, 4)
    deal.do(c.SealDice("d1", "s2"), SUPERVISOR)
    deal.begin()
    assert len(deal.happened(e.DiceOverdue)) == 1


def test_a_new_seal_does_not_make_dice_younger() -> None:
    """What counts is how long the set has been in the tumbler; another set begins anew."""
    deal = opened(OPEN_COVER)
    deal.clock += 23 * HOUR
    deal.do(c.SealDice("d1", "s2"), SUPERVISOR)
    assert deal.state.dice_sets["d1"].seal == "s2"
    deal.clock += 2 * HOUR
    deal.begin().finish(1, 2, 4)
    assert len(deal.happened(e.DiceOverdue)) == 1
    deal.do(c.RetireDice("d1"), SUPERVISOR)
    deal.do(c.ReceiveDice("d2"), SUPERVISOR)
    deal.do(c.SealDice("d2", "s3"), SUPERVISOR)
    deal.begin().finish(1, 2, 4)
    assert len(deal.happened(e.DiceOverdue)) == 1
    deal.clock += 25 * HOUR
    deal.begin()
    assert [each.dice_set for each in deal.happened(e.DiceOverdue)] == ["d1", "d2"]


def test_a_set_sealed_at_the_beginning_of_time_grows_old_too() -> None:
    """A clock that begins at nothing is a clock."""
    deal = Deal(OPEN_COVER)
    deal.clock = -4 * SECOND  # set-up, float and receipt come before the seal
    deal.do(set_up_of(OPEN_COVER), SUPERVISOR)
    deal.do(c.CountFloat({5: 1}), SUPERVISOR)
    deal.do(c.ReceiveDice("d1"), SUPERVISOR)
    deal.do(c.SealDice("d1", "s1"), SUPERVISOR)
    assert deal.state.dice_sets["d1"].sealed_at == 0
    deal.do(c.OpenTable(), SUPERVISOR)
    deal.clock = 25 * HOUR
    deal.begin()
    assert deal.last(e.DiceOverdue).hours == 25


@pytest.mark.parametrize("by_us", [-HOUR, 24 * HOUR])
def test_a_jump_of_the_clock_moves_what_periods_are_measured_from(by_us: int) -> None:
    """The record says by how much; bets stay open for their least period, neither shorter nor longer."""
    deal = opened(TAI_SAI, ann=100)
    deal.do(c.AssignDealing(c.DealtBy.HOUSE, 36_000), SYSTEM)
    deal.do(c.OpenBets(), SYSTEM)
    opened_at = deal.state.round.opened_at
    deal.do(c.SetClock(by_us), SYSTEM)
    assert deal.last(e.ClockSet).by_us == by_us
    assert deal.state.round.opened_at == opened_at + by_us
    early = c.Command(id="early", at=opened_at + by_us + 35 * SECOND, by=SYSTEM, do=c.CloseBets())
    in_time = replace(early, at=opened_at + by_us + 36 * SECOND)
    assert isinstance(deal.decide(early), Refusal)
    assert not isinstance(deal.decide(in_time), Refusal)
    deal.do(c.SuspendTable("smoke"))
    deal.do(c.SetClock(-by_us), SYSTEM)
    deal.do(c.Interrupt("power"), SYSTEM)
    deal.do(c.SetClock(by_us), SYSTEM)
    deal.refused(c.SetClock(0), Code.NOTHING_TO_DO, SYSTEM)
    deal.replays()


def next_edition() -> RuleBook:
    """The next edition of New Zealand's book."""
    return with_fields(shelf().book("nz-division-9"), id="nz-next", digest="e" * 64, replaces="nz-division-9")


def test_a_table_in_use_takes_up_the_next_edition_between_rounds() -> None:
    """Limits, chips and float stay; a round in play is settled by the edition under which it began."""
    deal = opened(NZ)
    before = deal.state.set_up
    new = replace(set_up_of(NZ), book="nz-next", digest="e" * 64)
    deal.rules = TableRules(next_edition())
    deal.refused(replace(new, currency="USD"), Code.ALREADY_SET_UP, SUPERVISOR)
    assert before is not None
    deal.do(new, SUPERVISOR)
    assert deal.last(e.EditionTaken) == e.EditionTaken("nz-next", before.layout, "e" * 64, "nz-division-9")
    assert deal.state.phase is TablePhase.OPEN
    assert deal.state.set_up == replace(before, book="nz-next", digest="e" * 64)
    deal.replays()


def test_no_edition_is_taken_up_in_a_round_or_out_of_turn() -> None:
    """While bets are open, and for a book that does not replace the table's own, the set-up is refused."""
    new = replace(set_up_of(NZ), book="nz-next", digest="e" * 64)
    deal = opened(NZ)
    deal.rules = TableRules(with_fields(next_edition(), replaces="another"))
    deal.refused(new, Code.ALREADY_SET_UP, SUPERVISOR)
    deal = opened(NZ).begin()
    deal.rules = TableRules(next_edition())
    deal.refused(new, Code.ROUND_IN_PLAY, SUPERVISOR)


def test_a_table_under_a_book_that_was_edited_can_be_closed() -> None:
    """With another digest nothing is played, and between rounds the table still closes."""
    deal = opened(NZ)
    deal.rules = TableRules(with_fields(shelf().book("nz-division-9"), digest="e" * 64, formerly=()))
    deal.refused(c.Tumble(3), Code.WRONG_BOOK)
    deal.do(c.CloseTable({}), SUPERVISOR)
    assert deal.state.phase is TablePhase.CLOSED
