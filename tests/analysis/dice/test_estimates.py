"""Estimates: bounds that hold at all times, and shrink."""

from __future__ import annotations

import numpy as np
import pytest

from taisai.analysis.dice.estimates import estimates, share_bounds
from taisai.analysis.dice.paths import draw_tumblers, watch_rolls
from taisai.analysis.dice.watch import DiceWatch
from taisai.core.dice import roll_of
from taisai.core.faults import InputFault


def test_bounds_hold_at_all_times_together() -> None:
    """Of 400 dice watched for 600 throws, at most a tenth ever leave their bounds of 90 %."""
    sixes = np.cumsum(np.random.default_rng(1).random((400, 600)) < 1 / 6, axis=1)
    bounds = {}
    left = 0
    for die in sixes.tolist():
        for throws, count in enumerate(die, start=1):
            if (count, throws) not in bounds:
                bounds[count, throws] = share_bounds(count, throws, 0.1)
            low, high = bounds[count, throws]
            if not low <= 1 / 6 <= high:
                left += 1
                break
    assert 0 < left <= 40


@pytest.mark.parametrize("count", [0, 3, 100, 167, 999, 1000])
def test_bounds_lie_around_the_share(count: int) -> None:
    """The share that was seen lies within its bounds, which are wider the smaller the error may be."""
    low, high = share_bounds(count, 1000, 0.05)
    assert 0 <= low <= count / 1000 <= high <= 1
    wider = share_bounds(count, 1000, 0.001)
    assert wider[0] <= low
    assert wider[1] >= high
    if count < 500:
        assert high - low < 0.13


def test_nothing_is_known_before_the_first_throw() -> None:
    """Without throws the bounds are those of any share."""
    assert share_bounds(0, 0, 0.05) == (0.0, 1.0)
    for ordered in (True, False):
        known = estimates(DiceWatch(ordered=ordered))
        assert {(each.low, each.high) for each in known.faces} == {(0.0, 1.0)}
        assert known.retention_of(None).throws == 0
        assert known.retention_of(None).low == pytest.approx(-0.2)
        assert known.retention_of(None).high == pytest.approx(1)


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("retention", [0.0, 0.15, 0.6])
def test_retention_is_found(ordered: bool, retention: float) -> None:
    """The retention that tumblers were drawn with lies within its bounds, which exclude others."""
    watch = watch_rolls(draw_tumblers(1, 4000, 12, retention=retention)[0], ordered=ordered).watch
    kept = estimates(watch).retention_of(None)
    assert kept.low <= retention <= kept.high
    assert kept.low <= kept.retention <= kept.high
    assert kept.retention == pytest.approx(retention, abs=0.03)
    assert kept.high - kept.low < 0.09
    assert kept.throws == 3 * 3999


def test_each_die_has_its_own_estimate() -> None:
    """Shares and retention are those of the counts, die by die and together."""
    watch = DiceWatch()
    for faces in ((1, 2, 3), (1, 2, 4), (1, 5, 4)):
        watch.see(roll_of(faces))
    known = estimates(watch)
    assert [each.times for each in known.faces_of(1)] == [3, 0, 0, 0, 0, 0]
    assert [each.share for each in known.faces_of(None)] == [3 / 9, 2 / 9, 1 / 9, 2 / 9, 1 / 9, 0]
    assert [each.same for each in known.retention] == [4, 2, 1, 1]
    assert known.retention_of(1).retention == 1
    assert known.retention_of(None).retention == pytest.approx((6 * 4 / 6 - 1) / 5)
    assert len(known.faces) == 24


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95])
def test_a_confidence_lies_between_none_and_all(confidence: float) -> None:
    """A confidence that is no chance is refused."""
    with pytest.raises(InputFault, match="confidence: is a number between 0 and 1"):
        estimates(DiceWatch(), confidence)


def test_which_face_follows_which_is_estimated() -> None:
    """Dice that tip are found to, each its own way if they differ; fair ones are left at one in six."""
    tips = (2, 3, 6, 1, 4, 5)
    known = estimates(watch_rolls(draw_tumblers(1, 3000, 12, retention=0.3, leads=tips)[0]).watch)
    assert [each.die for each in known.moves_of(1)] == [None] * 3
    shares = known.moves_of(1)[0].shares
    assert [row.index(max(row)) + 1 for row in shares] == list(tips)
    assert shares[0][1] == pytest.approx(0.3 * 5 / 6 + 1 / 6, abs=0.05)
    alone = estimates(watch_rolls(draw_tumblers(1, 3000, 13, retention=(0.0, 0.3, 0.0), leads=tips)[0]).watch)
    assert [each.die for each in alone.moves_of(1)] == [1, 2, 3]
    assert alone.moves_of(1)[1].shares[0][1] > 0.3
    assert alone.moves_of(1)[0].shares[0][1] == pytest.approx(1 / 6, abs=0.01)
    for ordered in (True, False):
        fair = estimates(watch_rolls(draw_tumblers(1, 3000, 14)[0], ordered=ordered).watch)
        for lag in (1, 2):
            for row in fair.moves_of(lag)[0].shares:
                assert row == pytest.approx([1 / 6] * 6, abs=0.01)
