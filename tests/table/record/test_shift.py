"""What the events of a shift make of a state: dice that are proven, and equipment that is not."""

from __future__ import annotations

from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table.record.shift import SHIFT, unproved, with_dice
from taisai.table.state import TEST_RUN_ITEM, DiceSet
from tests.table.driver import NZ, SUPERVISOR, TAI_SAI, opened


def test_a_sound_inspection_proves_the_rounds_so_far() -> None:
    """Rounds are remembered by their set until it is found sound."""
    deal = opened(TAI_SAI, ann=100).begin().bet("ann", "small", 10).finish(1, 2, 4)
    assert [(each.number, each.players) for each in deal.state.unproven["d1"]] == [(1, {"ann": (10, 20)})]
    deal.do(c.InspectDice(sound=True), SUPERVISOR)
    assert deal.state.unproven["d1"] == ()


def test_equipment_stays_on_record_until_it_is_mended() -> None:
    """A procedure keeps the fault; only mending ends it."""
    deal = opened(NZ)
    deal.do(c.Report(Fact.LIGHTS_FAULT, "dark"))
    deal.do(c.ResumeTable(c.Mending.PROCEDURE, "read aloud"), SUPERVISOR)
    assert (deal.state.faults, deal.state.procedure, deal.state.suspended) == (("lights-fault",), "read aloud", "")
    deal.test_runs().do(c.ResumeTable(c.Mending.MENDED, "a fuse"), SUPERVISOR)
    assert (deal.state.faults, deal.state.procedure) == ((), "")


def test_parts_of_a_state_are_replaced_alone() -> None:
    """A set of dice, and the check of the test runs, without anything else."""
    deal = opened(NZ)
    assert with_dice(deal.state, "d2", DiceSet(1)).dice_sets.keys() == {"d1", "d2"}
    assert "test-run" not in unproved(deal.state, TEST_RUN_ITEM)
    assert len(SHIFT) > 20
