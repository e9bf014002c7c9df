"""Exact sessions against brute force, integer arithmetic, and what has been published."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taisai.analysis.session import free as session_free
from taisai.analysis.session import walk as session_walk
from taisai.analysis.session.exact import (
    LEVELS,
    Game,
    Manner,
    Number,
    Plan,
    SessionResult,
    bands,
    drawdown_chances,
    drawdown_mean,
    drawdown_quantiles,
    game_of,
    session,
    steps_of,
)
from taisai.books import open_shelf
from taisai.core.bets import parse_bets
from taisai.core.faults import InputFault
from taisai.core.odds import bets_odds
from tests.analysis.session.brute import played


@cache
def game_on(layout_name: str, bets: str) -> Game:
    """A round of these bets on a layout of the shelf."""
    layout = open_shelf(environment={}).layout(layout_name)
    return game_of(bets_odds(layout, parse_bets(layout, bets)))


SMALL = Game(1000, ((-1000, 111), (1000, 105)))
"""Small for 1000 on every layout."""

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


def is_near(one: Number, two: Number, within: float) -> bool:
    """Whether two numbers differ by no more; without rounding, so that 0 means the same."""
    return abs(Fraction(one) - Fraction(two)) <= within


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


@pytest.mark.parametrize("bets", ["small=1000", "small=100 total:9=50", "any-triple=100"])
def test_300_rounds_are_those_of_integers(bets: str) -> None:
    """Floats are within their own bound, far under 1e-12, of a power taken in one whole number."""
    game = game_on("rws-tai-sai-v6/C", bets)
    # Kronecker: with enough bits a place, the power of the number holds the coefficients of the power.
    rounds, least, bits = 300, game.ways[0][0], (216**300).bit_length()
    step = min(net - least for net, _ in game.ways[1:])
    step = next(each for each in range(step, 0, -1) if all((net - least) % each == 0 for net, _ in game.ways))
    packed = sum(ways << (bits * ((net - least) // step)) for net, ways in game.ways) ** rounds
    result = session(game, Manner(rounds))
    exact = session(game, Manner(rounds), exact=True)
    floats = dict(zip(result.nets, result.chances, strict=True))
    fractions = dict(zip(exact.nets, exact.chances, strict=True))
    cumulated, truth = 0.0, 0
    for place in range(rounds * (game.ways[-1][0] - least) // step + 1):
        count = (packed >> (bits * place)) & ((1 << bits) - 1)
        net = rounds * least + place * step
        chance = Fraction(count, 216**rounds)
        assert fractions.get(net, 0) == chance
        assert abs(floats.get(net, 0.0) - float(chance)) <= 1e-15
        cumulated, truth = cumulated + float(floats.get(net, 0.0)), truth + count
        if place % 16 == 0:
            assert is_near(cumulated, Fraction(truth, 216**rounds), result.error_bound)
    assert result.error_bound < 1e-12
    assert result.quantiles == exact.quantiles


def test_walk_of_300_rounds_is_that_of_integers() -> None:
    """A session with bankroll and stop-win is within its bound of whole numbers, round by round."""
    manner = Manner(300, bankroll=20_000, stop_win=15_000)
    floats, exact = session(SMALL, manner), session(SMALL, manner, exact=True)
    assert floats.nets == exact.nets
    pairs = zip((*floats.chances, *floats.ruin_by_round), (*exact.chances, *exact.ruin_by_round), strict=True)
    assert max(abs(one - float(two)) for one, two in pairs) <= floats.error_bound < 1e-12
    assert floats.quantiles == exact.quantiles


@pytest.mark.parametrize("rounds", [1, 2, 50, 10_000, 1_000_000])
def test_many_rounds_keep_mean_and_variance(rounds: int) -> None:
    """However many rounds, the distribution has the mean and variance that add up, and its whole mass."""
    game = game_on("rws-tai-sai-v6/C", "small=100 total:9=50")
    result = session(game, Manner(rounds))
    assert float(sum(result.chances)) == pytest.approx(1, abs=1e-11)
    assert result.error_bound < 1e-10
    mean = sum(net * chance for net, chance in zip(result.nets, result.chances, strict=True))
    assert mean == pytest.approx(float(rounds * game.mean), rel=1e-10)
    square = sum((net - mean) ** 2 * chance for net, chance in zip(result.nets, result.chances, strict=True))
    assert square == pytest.approx(float(rounds * game.variance), rel=1e-9)


def test_mean_and_variance_add_up_exactly() -> None:
    """In fractions, N rounds have N times the mean and N times the variance of one."""
    game = game_on("nz-division-9/1", "small=100 single:2=30")
    result = session(game, Manner(60), exact=True)
    assert isinstance(result.mean, Fraction)
    assert result.mean == sum(net * chance for net, chance in zip(result.nets, result.chances, strict=True))
    assert result.mean == 60 * game.mean
    square = sum(net**2 * chance for net, chance in zip(result.nets, result.chances, strict=True))
    assert square - result.mean**2 == result.variance == 60 * game.variance


@pytest.mark.parametrize(("stakes", "goal"), [(10, 10), (5, 20), (20, 5)])
def test_ruin_of_an_even_money_game_as_published(stakes: int, goal: int) -> None:
    """Ruin and duration are those of the classical formulas.

    Feller, An Introduction to Probability Theory and Its Applications 1, XIV.2 (2.4) and XIV.3 (3.4): with z stakes,
    a = z + goal and r = q/p, ruin has the chance (r^a - r^z) / (r^a - 1), and the game lasts
    z/(q - p) - a/(q - p) (1 - r^z)/(1 - r^a) rounds.
    """
    win, lose = Fraction(105, 216), Fraction(111, 216)
    ratio, both = lose / win, stakes + goal
    ruin = (ratio**both - ratio**stakes) / (ratio**both - 1)
    lasts = stakes / (lose - win) - both / (lose - win) * (1 - ratio**stakes) / (1 - ratio**both)
    result = session(SMALL, Manner(12_000, bankroll=stakes * 1000, stop_win=goal * 1000))
    assert result.playing < 1e-11
    assert result.ruin == pytest.approx(float(ruin), abs=1e-10)
    assert result.target == pytest.approx(float(1 - ruin), abs=1e-10)
    assert result.expected_rounds == pytest.approx(float(lasts), rel=1e-9)


def test_first_passage_as_published() -> None:
    """The chance to be ruined in exactly round n is z/n times the chance to stand at 0 then, unstopped.

    The hitting-time theorem: Feller, volume 1, III.7 for a fair coin; van der Hofstad and Keane, American Mathematical
    Monthly 115 (2008), for all steps that go down by one at most.
    """
    result = session(SMALL, Manner(40, bankroll=6000), exact=True)
    for number in range(6, 41):
        free = session(SMALL, Manner(number), exact=True)
        there = dict(zip(free.nets, free.chances, strict=True)).get(-6000, Fraction(0))
        assert result.ruin_by_round[number] - result.ruin_by_round[number - 1] == Fraction(6, number) * there


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


def test_what_would_not_fit_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lattices too fine and walks too long are refused in a sentence."""
    fine = Game(1_000_003, ((-1_000_003, 100), (-1, 16), (999_983, 100)))
    for manner, exact in ((Manner(300), False), (Manner(300), True), (Manner(300, bankroll=10**9), False)):
        with pytest.raises(InputFault, match="told apart"):
            session(fine, manner, exact=exact)
    with pytest.raises(InputFault, match="told apart"):
        drawdown_chances(fine, 1, [10**9])
    monkeypatch.setattr(session_walk, "LIVE_MOST", 100)
    with pytest.raises(InputFault, match="told apart"):
        session(SMALL, Manner(300, stop_win=10**6))
    monkeypatch.setattr(session_walk, "WORK_MOST", 1000)
    monkeypatch.setattr(session_walk, "EXACT_WORK_MOST", 1000)
    for exact in (False, True):
        with pytest.raises(InputFault, match="too much work"):
            session(SMALL, Manner(300, bankroll=50_000), exact=exact)
    with pytest.raises(InputFault, match="too much work"):
        drawdown_chances(SMALL, 1_000_000, [10**8])
    assert drawdown_mean(SMALL, 1_000_000) is None


def test_session_that_is_over_stays_over() -> None:
    """When every session has ended, later rounds change nothing."""
    result = session(SMALL, Manner(5000, bankroll=2000, stop_win=2000))
    assert result.ruin_by_round[2500] == result.ruin_by_round[-1]
    assert result.playing == 0
    assert session_free.float_weights(((-1, 1), (1, 1)), 1).nets == [-1, 1]
