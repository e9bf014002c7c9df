"""What a simulation says: bounds as published, ranks by hand, and histograms that keep their promise."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from taisai.analysis.risk.traffic import Group, Traffic, rules_of
from taisai.analysis.simulate.report import report_of
from taisai.analysis.simulate.run import job_of, simulate
from taisai.analysis.simulate.tally import GroupTally, Tally, counted
from taisai.books import open_shelf
from taisai.core.boxes import BoxName
from taisai.core.faults import InputFault

SHELF = open_shelf(environment={})


LAYOUT = SHELF.layout("rws-tai-sai-v6/C")


JOB = job_of(
    LAYOUT,
    rules_of(SHELF.book("rws-tai-sai-v6"), None),
    Traffic((Group("a", ((BoxName("small"), 100),)),)),
    rounds=10,
    seed=1,
    shift_rounds=10,
)


def tally_of(wins: list[int], turnovers: list[int]) -> Tally:
    """A tally of these shifts."""
    won = np.array(wins, dtype=np.int64)
    tally = Tally((GroupTally(),), shifts=len(wins), rounds=10 * len(wins), losses=int((won < 0).sum()))
    tally.hold.add(won, np.array(turnovers, dtype=np.int64))
    tally.wins, tally.worst = counted(won), counted(np.maximum(-won, 0))
    visits = np.ones(len(wins), dtype=np.int64)
    nothing = np.zeros(len(wins), dtype=np.int64)
    ends = [nothing, nothing, nothing, nothing, visits]
    tally.groups[0].add(won=-won, risked=visits, played=visits, visits=visits, ahead=nothing, ends=ends)
    return tally


def test_chance_has_the_bounds_of_clopper_and_pearson() -> None:
    """Ten losses of a hundred shifts lie between 4.90 and 17.62 per cent at 95 %, as tables of exact bounds have it.

    No loss of twenty is at most 16.84 per cent, 1 - 0.025^(1/20).
    """
    report = report_of(JOB, tally_of([-1] * 10 + [1] * 90, [1] * 100), confidence=Fraction(19, 20))
    assert report.loss.value == 0.1
    assert report.loss.low == pytest.approx(0.0490, abs=5e-5)
    assert report.loss.high == pytest.approx(0.1762, abs=5e-5)
    none = report_of(JOB, tally_of([1] * 20, [1] * 20), confidence=Fraction(19, 20)).loss
    assert none.low == 0
    assert none.high == pytest.approx(1 - 0.025 ** (1 / 20))
    every = report_of(JOB, tally_of([-1] * 20, [1] * 20), confidence=Fraction(19, 20)).loss
    assert every.high == 1


def test_mean_and_ratio_by_hand() -> None:
    """Mean, deviation and ratio of four shifts are those worked out by hand."""
    report = report_of(JOB, tally_of([10, 20, 30, 40], [100, 200, 300, 400]), confidence=Fraction(19, 20))
    assert report.win.value == 25
    assert report.deviation == pytest.approx((500 / 3) ** 0.5)
    assert report.win.high - 25 == pytest.approx(1.959964 * (500 / 3) ** 0.5 / 2, rel=1e-6)
    assert report.win_per_round.value == 2.5
    # Every shift holds a tenth exactly: the ratio has no error although both parts vary.
    assert report.hold == (0.1, 0.1, 0.1)
    other = report_of(JOB, tally_of([10, 20, 30, 40], [100, 100, 100, 100]), confidence=Fraction(19, 20))
    assert other.hold.high - other.hold.value == pytest.approx((other.win.high - 25) / 100)


def test_quantiles_are_ranks() -> None:
    """A quantile is the shift of its rank; where its bounds lie outside what was played there is none."""
    report = report_of(JOB, tally_of(list(range(1, 101)), [1] * 100))
    values = {each.level: each for each in report.quantiles}
    assert values[Fraction(1, 2)].value == 50
    assert values[Fraction(1, 100)].value == 1
    assert values[Fraction(1, 100)].low is None
    assert values[Fraction(99, 100)].high is None
    middle = values[Fraction(1, 2)]
    assert (middle.low, middle.high) == (37, 64)  # of a binomial of 100 and 1/2, at 99 %


def test_hardly_any_is_not_none() -> None:
    """No ruin among the visits seen does not mean that there is none."""
    group = report_of(JOB, tally_of([1] * 300, [1] * 300)).groups[0]
    ends = dict(group.ends)
    assert ends["ruin"].value == 0
    assert ends["ruin"].high == pytest.approx(1 - 0.005 ** (1 / 300))
    assert ends["shift"].value == 1
    assert ends["shift"].low < 1


def test_one_shift_is_no_measure() -> None:
    """Of one shift nothing is known about the spread, and that is said."""
    report = report_of(JOB, simulate(JOB))
    assert report.shifts == 1
    assert report.deviation == float("inf")
    assert report.hold.high == float("inf")
    with pytest.raises(InputFault, match="confidence: between 0 and 1"):
        report_of(JOB, simulate(JOB), confidence=Fraction(1))
    with pytest.raises(InputFault, match="rounds: nothing was played"):
        report_of(JOB, Tally((GroupTally(),)))


def test_uneven_dice_are_seen() -> None:
    """Counts that fair dice do not have are said to be unlikely; no counts say nothing."""
    tally = tally_of([1] * 5, [1] * 5)
    assert report_of(JOB, tally).fairness == 1
    assert report_of(JOB, replace(tally, rolls=[1000] * 216)).fairness > 0.999
    assert report_of(JOB, replace(tally, rolls=[2000, *[1000] * 215])).fairness < 1e-4
