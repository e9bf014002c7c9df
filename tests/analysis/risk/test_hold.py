"""Hold of the turnover that there was, against every way that a shift may go."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from taisai.analysis.risk.traffic import Traffic
from taisai.analysis.session.exact import LEVELS
from tests.analysis.risk.brute import shifts
from tests.analysis.risk.samples import BIG, BOOK, LAYOUT, SMALL, TRAFFICS, computed


@pytest.mark.parametrize("name", ["comes and goes", "void", "pro rata, comes and goes", "flat"])
def test_hold_is_that_of_brute_force(name: str) -> None:
    """Every quantile encloses its level, over all ways that three rounds may go."""
    traffic = TRAFFICS[name]
    every = [each for each in shifts(BOOK, LAYOUT, traffic, 3) if each.turnover]
    total = sum(each.chance for each in every)
    levels = (Fraction(1, 100), Fraction(31, 100), Fraction(1, 2), Fraction(77, 100), Fraction(97, 100))
    result = computed(traffic, Fraction(3, 2), levels=levels)
    assert result.holds is not None
    slack = result.holds.within + 1e-12
    for level, hold in result.holds.holds:
        upto = sum(each.chance for each in every if each.win <= (hold + slack) * each.turnover)
        under = sum(each.chance for each in every if each.win < (hold - slack) * each.turnover)
        assert under < level * total <= upto


def test_a_shift_of_many_rounds_is_near_the_expected_hold() -> None:
    """The middle of a long shift lies near the edge, and levels ascend."""
    result = computed(
        Traffic((replace(SMALL, count=2, attendance=Fraction(1, 3)), BIG), 40, void=Fraction(1, 100)), Fraction(8)
    )
    assert result.holds is not None
    holds = [hold for _, hold in result.holds.holds]
    assert holds == sorted(holds)
    assert len(holds) == len(LEVELS)
    assert holds[len(holds) // 2] == pytest.approx(float(result.hold), abs=0.005)
    assert 0 < result.holds.within < 0.002


def test_plans_are_not_computed() -> None:
    """Where a plan moves what is at risk, none is given rather than a wrong one."""
    assert computed(TRAFFICS["martingale"], Fraction(1)).holds is None
