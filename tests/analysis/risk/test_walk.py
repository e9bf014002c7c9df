"""Rounds one after the other: the float, fractions, and too much work."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from taisai.analysis.risk import chain as risk_chain
from taisai.analysis.risk import walk as risk_walk
from taisai.analysis.risk.shift import rounds_of
from taisai.analysis.risk.traffic import Group, Traffic
from taisai.analysis.session.exact import Manner, game_of, session
from taisai.analysis.session.free import Weights
from taisai.core.bets import parse_bets
from taisai.core.boxes import BoxName
from taisai.core.faults import InputFault
from taisai.core.odds import bets_odds
from tests.analysis.risk.samples import BIG, LAYOUT, LIMITS, SMALL, TRAFFICS, computed, group, is_near


@pytest.mark.parametrize("money", [1000, 3000, 6600])
def test_float_runs_out_when_the_player_reaches_the_target(money: int) -> None:
    """The chance that a float does not suffice is the player's chance to be so far ahead at some time."""
    odds = bets_odds(LAYOUT, parse_bets(LAYOUT, "small=200"))
    target = session(game_of(odds), Manner(320, stop_win=money + 200)).target
    result = computed(Traffic((SMALL,)), Fraction(8))
    out = sum(chance for value, chance in zip(result.worst, result.worst_chances, strict=True) if value > money)
    assert out == pytest.approx(float(target), abs=1e-12)


def test_float_covers_the_way_and_not_only_the_end() -> None:
    """What the house is behind at the worst moment is more than what it loses in the end."""
    result = computed(TRAFFICS["flat"], Fraction(160), level=Fraction(999, 1000))
    assert result.rounds == 320
    assert result.float_needed > result.value_at_risk
    worst = Weights(list(result.worst), [float(each) for each in result.worst_chances], 1, 1e-12)
    assert worst.quantiles([Fraction(1, 2)]) > (0,)


def test_hundred_rounds_in_fractions() -> None:
    """A hundred rounds of a table are computed in fractions, and floats agree."""
    traffic = Traffic((replace(SMALL, count=2), group("big=300"), group("odd=100")), 50)
    exact, floats = computed(traffic, Fraction(2), exact=True), computed(traffic, Fraction(2))
    assert sum(exact.chances) == sum(exact.worst_chances) == 1
    assert is_near(exact.loss, floats.loss, floats.error_bound)
    assert exact.quantiles == floats.quantiles
    assert exact.float_needed == floats.float_needed
    with pytest.raises(InputFault, match="in fractions a shift has 1 to 100 rounds, these are 150"):
        computed(traffic, Fraction(3), exact=True)


def test_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work and size have bounds, and whoever meets one is told what to do."""
    many = Traffic(
        (replace(SMALL, count=90, attendance=Fraction(1, 3)), replace(BIG, count=90, attendance=Fraction(1, 3)))
    )
    with pytest.raises(InputFault, match="ways to be there or not"):
        computed(replace(many, limits=LIMITS), Fraction(1))
    with pytest.raises(InputFault, match="64 bits"):
        computed(Traffic((Group("rich", ((BoxName("triple:1"), 10**15),), count=900),)), Fraction(1))
    with pytest.raises(InputFault, match="hours: more than 0"):
        rounds_of(many, Fraction(0))
    with pytest.raises(InputFault, match="level: a chance is between 0 and 1"):
        computed(many, Fraction(1), level=Fraction(1))
    with pytest.raises(InputFault, match="told apart"):
        computed(Traffic((group("small=100000007 triple:1=1"),)), Fraction(8))
    plans = TRAFFICS["two plans"]
    monkeypatch.setattr(risk_walk, "WORK_MOST", 1000)
    with pytest.raises(InputFault, match="too much work with this traffic"):
        computed(plans, Fraction(8))
    monkeypatch.setattr(risk_walk, "EXACT_BITS_MOST", 1000)
    with pytest.raises(InputFault, match="too much work in fractions"):
        computed(plans, Fraction(8), exact=True)
    monkeypatch.setattr(risk_chain, "RESULTS_MOST", 3)
    with pytest.raises(InputFault, match="results of one round"):
        computed(many, Fraction(1))
