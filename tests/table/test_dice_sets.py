"""Dice sets: each has an identity, a seal and a life; damaged ones stop the table; a day in the tumbler warns."""

from __future__ import annotations

import pytest

from taisai.core.rulebook import VoidReason
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.refusals import Code
from taisai.table.state import TableState
from tests.table.driver import (
    HOUR,
    NZ,
    ONE_OF_EACH_BOOK,
    OPEN_COVER,
    SECOND,
    SUPERVISOR,
    TAI_SAI,
    Deal,
    opened,
    set_up_of,
)


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
        e.TableSuspended,
    ]
    deal.refused(c.OpenBets(), Code.TABLE_SUSPENDED)
    deal.refused(c.InspectDice(sound=True), Code.BAD_VALUE, SUPERVISOR)
    deal.do(c.InspectDice(sound=False), SUPERVISOR)
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
    assert len(deal.do(c.InspectDice(sound=False), SUPERVISOR)) == 1
    deal.check()
    deal.refused(c.OpenTable(), Code.CHECK_INCOMPLETE, SUPERVISOR)


def test_damaged_in_a_round_the_next_one_does_not_begin() -> None:
    """A void for damaged dice marks the set, under the books that tumble first and those that do not."""
    deal = opened(TAI_SAI, ann=100).begin()
    deal.void(VoidReason.DAMAGED_DICE)
    assert deal.refused(c.Tumble(3), Code.CHECK_INCOMPLETE).clauses == ("2.2.1",)
    deal.refused(c.OpenBets(), Code.CHECK_INCOMPLETE)


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
