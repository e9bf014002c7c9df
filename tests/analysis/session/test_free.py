"""Many rounds of the same bets: floats against whole numbers, and what does not fit."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import pytest

from taisai.analysis.session import walk as session_walk
from taisai.analysis.session.exact import (
    Game,
    Manner,
    drawdown_chances,
    drawdown_mean,
    session,
)
from taisai.core.faults import InputFault
from tests.analysis.session.samples import SMALL, game_on, is_near


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


@pytest.mark.parametrize(
    ("layout", "bets", "rounds"),
    [
        ("rws-tai-sai-v6/C", "small=3 odd=2 single:4=1 total:9=1 double:2=1", 1),
        ("nz-division-9/2", "big=5 even=1 any-triple=1 pair:25=2 single:1=3", 2),
        ("rws-mini-dice-v3/A", "field=2 single:1=1 single:6=3", 5),
    ],
)
def test_a_level_that_is_met_exactly_is_reached(layout: str, bets: str, rounds: int) -> None:
    """Floats give the quantile of the fractions at every level that a result meets to the last digit."""
    game = game_on(layout, bets)
    exact = session(game, Manner(rounds), exact=True)
    levels = [level for level in accumulate(Fraction(chance) for chance in exact.chances) if level < 1]
    floats = session(game, Manner(rounds), levels=levels)
    assert [net for _, net in floats.quantiles] == list(exact.nets[:-1])
