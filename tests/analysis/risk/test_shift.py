"""The house's side against brute force, against players' sessions, and against itself."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from taisai.analysis.risk.chain import chain_of
from taisai.analysis.risk.shift import ShiftResult, coarsened, value_at_risk
from taisai.analysis.risk.traffic import Traffic, rules_of
from taisai.analysis.session.exact import Manner, game_of, session
from taisai.analysis.session.free import Weights
from taisai.core.bets import parse_bets
from taisai.core.faults import InputFault
from taisai.core.odds import bets_odds
from tests.analysis.risk.brute import Shift, shifts
from tests.analysis.risk.samples import BIG, BOOK, LAYOUT, SMALL, TRAFFICS, computed, group, is_near


def agree(result: ShiftResult, every: list[Shift], within: float) -> None:
    """Every figure of a shift is that of brute force."""
    for values, chances, truth in (
        (result.nets, result.chances, [(each.win, each.chance) for each in every]),
        (result.worst, result.worst_chances, [(each.behind, each.chance) for each in every]),
    ):
        wanted: dict[int, Fraction] = {}
        for value, chance in truth:
            wanted[value] = wanted.get(value, Fraction(0)) + chance
        found = dict(zip(values, chances, strict=True))
        for value in wanted.keys() | found.keys():
            assert is_near(found.get(value, 0.0), wanted.get(value, 0.0), within)
    mean = sum((each.win * each.chance for each in every), Fraction(0))
    size = max(abs(each.win) for each in every)
    assert is_near(result.mean, mean, 10 * within * size)
    assert is_near(result.variance, sum(each.win**2 * each.chance for each in every) - mean**2, 99 * within * size**2)
    assert is_near(result.turnover, sum(each.turnover * each.chance for each in every), 10 * within * size)
    assert is_near(result.loss, sum(each.chance for each in every if each.win < 0), within)


@pytest.mark.parametrize("name", TRAFFICS)
def test_shift_is_that_of_brute_force(name: str) -> None:
    """Fractions equal those of every way a shift may go, and floats are as near as they claim."""
    traffic = TRAFFICS[name]
    every = list(shifts(BOOK, LAYOUT, traffic, traffic.rounds_per_hour))
    assert sum(each.chance for each in every) == 1
    exact = computed(traffic, Fraction(1), exact=True)
    agree(exact, every, 0)
    assert exact.error_bound == 0
    floats = computed(traffic, Fraction(1))
    agree(floats, every, floats.error_bound)
    assert 0 < floats.error_bound < 1e-12


@pytest.mark.parametrize("name", TRAFFICS)
def test_risk_is_that_of_the_definition(name: str) -> None:
    """Value at risk, shortfall and float are those of the ordered ways of a shift."""
    traffic = TRAFFICS[name]
    every = sorted(shifts(BOOK, LAYOUT, traffic, traffic.rounds_per_hour), key=lambda each: each.win)
    level, float_level = Fraction(937, 1000), Fraction(977, 1000)
    result = computed(traffic, Fraction(1), exact=True, level=level, float_level=float_level)
    losses = [-each.win for each in every]
    at_risk = min(loss for loss in losses if sum(each.chance for each in every if -each.win <= loss) >= level)
    assert result.value_at_risk == at_risk
    needed = min(
        each.behind for each in every if sum(one.chance for one in every if one.behind <= each.behind) >= float_level
    )
    assert result.float_needed == needed
    left, lost = 1 - level, Fraction(0)
    for each in every:  # the worst shifts, until their weight is used up
        taken = min(left, each.chance)
        lost, left = lost - each.win * taken, left - taken
    assert result.shortfall == lost / (1 - level)
    floats = computed(traffic, Fraction(1), level=level, float_level=float_level)
    assert (floats.value_at_risk, floats.float_needed) == (at_risk, needed)
    assert floats.shortfall == pytest.approx(float(result.shortfall), abs=1e-8)


def test_house_wins_what_the_player_loses() -> None:
    """With one player the house's shift is the player's session with its sign turned, to the last digit."""
    odds = bets_odds(LAYOUT, parse_bets(LAYOUT, "small=200 total:9=10"))
    player = session(game_of(odds), Manner(80), exact=True)
    result = computed(Traffic((group("small=200 total:9=10"),)), Fraction(2), exact=True)
    assert result.rounds == 80
    assert result.nets == tuple(-net for net in reversed(player.nets))
    assert result.chances == player.chances[::-1]
    assert result.mean == -player.mean
    assert result.loss == player.ahead
    assert result.hold == odds.edge
    assert result.nets_by_roll == tuple(-each.net for each in odds.results)


def test_hours_are_given_one_by_one() -> None:
    """Each hour has its own figures, which are those of a shift of so many hours; long shifts have some of them."""
    result = computed(TRAFFICS["two plans"], Fraction(5))
    assert [mark.hours for mark in result.marks] == [1, 2, 3, 4, 5]
    two = computed(TRAFFICS["two plans"], Fraction(2))
    assert result.marks[1].quantiles == two.quantiles
    assert result.marks[1].turnover == pytest.approx(float(two.turnover), rel=1e-12)
    assert result.marks[1].loss == pytest.approx(float(two.loss), abs=1e-12)
    many = computed(TRAFFICS["flat"], Fraction(200))
    assert len(many.marks) < 30
    assert many.marks[0].hours == 1
    assert many.marks[-1].rounds == 400


def test_drop_and_hold() -> None:
    """Hold is of the turnover, and of the drop where every group says what it buys."""
    buying = Traffic((replace(SMALL, count=2, buy_in=5000), replace(BIG, buy_in=1000)))
    result = computed(buying, Fraction(1))
    assert result.drop == 11_000
    assert result.hold_of_drop == pytest.approx(float(result.mean) / 11_000)
    assert result.holds is not None
    assert result.holds.within == 0
    assert dict(result.holds.holds)[Fraction(1, 2)] == dict(result.quantiles)[Fraction(1, 2)] / (40 * 510)
    assert computed(Traffic((SMALL, replace(BIG, buy_in=1))), Fraction(1)).hold_of_drop is None


def test_coarse_results_are_against_the_house() -> None:
    """Rounded results never make the house look better, and no worse than a step a round."""
    traffic = TRAFFICS["flat"]
    fine, coarse = computed(traffic, Fraction(20)), computed(traffic, Fraction(20), coarse=70)
    for (_, one), (_, two) in zip(fine.quantiles, coarse.quantiles, strict=True):
        assert one - 70 * fine.rounds <= two <= one
    assert coarse.float_needed >= fine.float_needed
    assert coarse.value_at_risk > fine.value_at_risk
    with pytest.raises(InputFault, match="coarse: an amount is at least 1"):
        coarsened(chain_of(LAYOUT, rules_of(BOOK, None), traffic), 0)


def test_levels_at_the_ends() -> None:
    """A quantile is the least result whose chance to be reached suffices, also on a step."""
    weights = Weights([-5, 0, 7], [1, 2, 1], 4, 0.0)
    assert weights.quantiles([Fraction(each, 4) for each in (1, 2, 3, 4)]) == (-5, 0, 0, 7)
    assert value_at_risk(weights, Fraction(3, 4)) == 0
    floats = Weights([-5, 0, 7], [0.25, 0.5, 0.25], 1, 1e-16)
    assert floats.quantiles([Fraction(each, 4) for each in (1, 2, 3)]) == (-5, 0, 0)
