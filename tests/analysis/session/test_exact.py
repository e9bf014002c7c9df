"""Exact sessions against brute force, integer arithmetic, and what has been published."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taisai.analysis.session.exact import (
    LEVELS,
    Game,
    Manner,
    Plan,
    SessionResult,
    bands,
    drawdown_chances,
    drawdown_mean,
    drawdown_quantiles,
    session,
    steps_of,
)
from taisai.core.faults import InputFault
from tests.analysis.session.brute import played
from tests.analysis.session.samples import SMALL, game_on, is_near

SAMPLES = [
    ("rws-tai-sai-v6/C", "small=1000"),
    ("rws-tai-sai-v6/C", "small=100 total:9=50"),
    ("rws-tai-sai-v6/A", "big=300 single:6=100"),
    ("nz-division-9/2", "any-triple=50 odd=100"),
    ("rws-open-cover-v3/B", "total:4=10 pair:12=20"),
]


MANNERS = [
    {},
    {"bankroll": 3},
    {"bankroll": 2, "stop_win": 2},
    {"stop_loss": 2, "stop_win": 3},
    {"bankroll": 4, "stop_loss": 4},
    {"bankroll": 9, "plan": Plan.MARTINGALE, "stake_max": 5},
    {"plan": Plan.MARTINGALE, "stake_max": 4, "stop_win": 3},
    {"bankroll": 7, "plan": Plan.DALEMBERT, "stake_max": 3},
]
"""Ways to play; amounts in stakes of a round."""


def manner_of(game: Game, rounds: int, shape: dict[str, object]) -> Manner:
    """A way to play, its amounts in stakes of this game."""
    amounts = {key: value * game.staked for key, value in shape.items() if isinstance(value, int)}
    plan = shape.get("plan", Plan.FLAT)
    assert isinstance(plan, Plan)
    return Manner(rounds, plan=plan, **amounts)


def agree(game: Game, manner: Manner, result: SessionResult, within: float) -> None:
    """Every figure of a session is that of brute force."""
    every = list(played(game, manner))
    chances: dict[int, Fraction] = {}
    for each in every:
        chances[each.net] = chances.get(each.net, Fraction(0)) + each.chance
    found = dict(zip(result.nets, result.chances, strict=True))
    for net in chances.keys() | found.keys():
        assert is_near(found.get(net, 0.0), chances.get(net, 0.0), within)
    for name in ("ruin", "target", "stopped", "playing"):
        assert is_near(getattr(result, name), sum(each.chance for each in every if each.end == name), within)
    mean = sum(each.net * each.chance for each in every)
    size = max(abs(net) for net in chances)
    assert is_near(result.mean, mean, within * size)
    variance = sum((each.net - mean) ** 2 * each.chance for each in every)
    assert is_near(result.variance, variance, 8 * within * size**2)
    assert is_near(result.ahead, sum(each.chance for each in every if each.net > 0), within)
    assert is_near(result.even, sum(each.chance for each in every if each.net == 0), within)
    lasts = sum(each.rounds * each.chance for each in every)
    assert is_near(result.expected_rounds, lasts, within * manner.rounds)


@pytest.mark.parametrize("shape", MANNERS, ids=str)
@pytest.mark.parametrize(("layout", "bets"), SAMPLES)
def test_session_is_that_of_brute_force(layout: str, bets: str, shape: dict[str, object]) -> None:
    """Fractions equal those of every sequence played out, and floats are as near as they claim."""
    game = game_on(layout, bets)
    manner = manner_of(game, 3 if len(game.ways) > 5 else 4, shape)
    exact = session(game, manner, exact=True)
    agree(game, manner, exact, 0)
    assert exact.error_bound == 0
    assert sum(exact.chances) == 1
    assert exact.ruin + exact.target + exact.stopped + exact.playing == 1
    floats = session(game, manner)
    agree(game, manner, floats, floats.error_bound)
    assert 0 < floats.error_bound < 1e-13


def test_mean_and_variance_add_up_exactly() -> None:
    """In fractions, N rounds have N times the mean and N times the variance of one."""
    game = game_on("nz-division-9/1", "small=100 single:2=30")
    result = session(game, Manner(60), exact=True)
    assert isinstance(result.mean, Fraction)
    assert result.mean == sum(net * chance for net, chance in zip(result.nets, result.chances, strict=True))
    assert result.mean == 60 * game.mean
    square = sum(net**2 * chance for net, chance in zip(result.nets, result.chances, strict=True))
    assert square - result.mean**2 == result.variance == 60 * game.variance


@pytest.mark.parametrize("plan", [Plan.FLAT, Plan.MARTINGALE, Plan.DALEMBERT])
def test_no_plan_beats_the_edge(plan: Plan) -> None:
    """Every plan loses on average; flat play exactly the edge of each round that it plays (Wald)."""
    manner = Manner(100, bankroll=20_000, stop_win=8_000, plan=plan, stake_max=8_000)
    result = session(SMALL, manner, exact=True)
    assert result.mean < 0
    if plan is Plan.FLAT:
        assert result.mean == result.expected_rounds * SMALL.mean
    else:
        assert result.mean < result.expected_rounds * SMALL.mean


games = st.dictionaries(st.integers(-6, 9), st.integers(1, 50), min_size=2, max_size=5).filter(
    lambda ways: min(ways) < 0 < max(ways)
)


@settings(max_examples=25, deadline=None)
@given(games, st.integers(1, 4), st.integers(6, 20), st.none() | st.integers(1, 12), st.none() | st.integers(1, 12))
def test_any_small_game_is_that_of_brute_force(
    ways: dict[int, int], rounds: int, bankroll: int, stop_win: int | None, stop_loss: int | None
) -> None:
    """Whatever the results of a round are, sessions agree with brute force."""
    game = Game(-min(ways), tuple(sorted(ways.items())))
    for manner in (Manner(rounds), Manner(rounds, bankroll, stop_win, stop_loss)):
        agree(game, manner, session(game, manner, exact=True), 0)
        floats = session(game, manner)
        agree(game, manner, floats, floats.error_bound)


@settings(max_examples=25, deadline=None)
@given(games, st.integers(1, 4))
def test_drawdown_is_that_of_brute_force(ways: dict[int, int], rounds: int) -> None:
    """The chance of each drawdown, and its quantiles, agree with every sequence played out."""
    game = Game(-min(ways), tuple(sorted(ways.items())))
    every = list(played(game, Manner(rounds)))
    depths = list(range(game.staked * rounds + 2))
    for depth, chance in zip(depths, drawdown_chances(game, rounds, depths), strict=True):
        assert chance == pytest.approx(float(sum(each.chance for each in every if each.drawdown >= depth)), abs=1e-12)
    level = Fraction(3141, 5000)
    reached = accumulate(sum(each.chance for each in every if each.drawdown == depth) for depth in depths)
    wanted = next(depth for depth, chance in zip(depths, reached, strict=True) if chance >= level)
    assert drawdown_quantiles(game, rounds, [level]) == ((level, wanted),)
    mean = float(sum(each.drawdown * each.chance for each in every))
    assert drawdown_mean(game, rounds) == pytest.approx(mean, abs=1e-10)


def test_drawdown_of_a_long_session() -> None:
    """Quantiles of the drawdown enclose their levels, also beyond the first guess, and the mean lies among them."""
    found = dict(drawdown_quantiles(SMALL, 300, (Fraction(1, 2), Fraction(19, 20), 1 - Fraction(1, 10**9))))
    mean = drawdown_mean(SMALL, 300)
    assert mean is not None
    assert found[Fraction(1, 2)] < mean < found[Fraction(19, 20)]
    for level, depth in found.items():
        within, under = (1 - chance for chance in drawdown_chances(SMALL, 300, [depth + 1000, depth]))
        assert under < level <= within


def test_bands_are_the_quantiles_on_the_way() -> None:
    """After each round shown, the bands are the quantiles of a session of so many rounds."""
    for manner in (Manner(200), Manner(200, bankroll=9000, stop_win=7000)):
        for band in bands(SMALL, manner)[1::9]:
            shorter = session(SMALL, manner._replace(rounds=band.after))
            assert band.nets == tuple(net for _, net in shorter.quantiles)
    assert bands(SMALL, Manner(3))[0].nets == (0,) * len(LEVELS)


def test_plans_keep_to_the_table_maximum() -> None:
    """Martingale doubles to the maximum and stays there; d'Alembert goes up and down by one."""
    raised = steps_of(SMALL, Manner(1, plan=Plan.MARTINGALE, stake_max=5500))
    assert [step.factor for step in raised] == [1, 2, 4, 5]
    assert [(step.on_win, step.on_loss) for step in raised] == [(0, 1), (0, 2), (0, 3), (0, 3)]
    stepped = steps_of(SMALL, Manner(1, plan=Plan.DALEMBERT, stake_max=3000))
    assert [tuple(step) for step in stepped] == [(1, 0, 1), (2, 0, 2), (3, 1, 2)]


@pytest.mark.parametrize(
    ("manner", "exact", "field"),
    [
        (Manner(0), False, "rounds"),
        (Manner(1_000_001), False, "rounds"),
        (Manner(301), True, "rounds"),
        (Manner(10, bankroll=999), False, "bankroll"),
        (Manner(10, stop_win=0), False, "stop-win"),
        (Manner(10, stop_loss=-5), False, "stop-loss"),
        (Manner(10, plan=Plan.MARTINGALE), False, "stake-max"),
        (Manner(10, plan=Plan.DALEMBERT, stake_max=900), False, "stake-max"),
        (Manner(10, plan=Plan.DALEMBERT, stake_max=201_000), False, "stake-max"),
    ],
)
def test_what_cannot_be_played_is_a_fault(manner: Manner, exact: bool, field: str) -> None:
    """Input out of range names its field."""
    with pytest.raises(InputFault) as caught:
        session(SMALL, manner, exact=exact)
    assert caught.value.field == field
