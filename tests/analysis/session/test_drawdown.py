"""The largest drawdown of sessions that end, against every sequence played out."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taisai.analysis.session import drawdown as session_drawdown
from taisai.analysis.session.drawdown import stopped_drawdown_chances, stopped_drawdown_quantiles
from taisai.analysis.session.exact import Game, Manner, Plan, drawdown_chances, drawdown_quantiles
from taisai.core.faults import InputFault
from tests.analysis.session.brute import played
from tests.analysis.session.samples import game_on

SMALL = Game(1000, ((-1000, 111), (1000, 105)))

games = st.dictionaries(st.integers(-4, 7), st.integers(1, 50), min_size=2, max_size=4).filter(
    lambda ways: min(ways) < 0 < max(ways)
)


@settings(max_examples=40, deadline=None)
@given(
    ways=games,
    rounds=st.integers(1, 4),
    bankroll=st.none() | st.integers(5, 20),
    stop_win=st.none() | st.integers(1, 12),
    stop_loss=st.none() | st.integers(1, 12),
    plan=st.sampled_from(Plan),
)
def test_drawdown_is_that_of_brute_force(
    *, ways: dict[int, int], rounds: int, bankroll: int | None, stop_win: int | None, stop_loss: int | None, plan: Plan
) -> None:
    """The chance of each depth, and the quantiles, agree with every sequence played until something ends it."""
    game = Game(-min(ways), tuple(sorted(ways.items())))
    manner = Manner(rounds, bankroll, stop_win, stop_loss, plan, None if plan is Plan.FLAT else 3 * game.staked)
    every = list(played(game, manner))
    depths = list(range(max(each.drawdown for each in every) + 2))
    for depth, chance in zip(depths, stopped_drawdown_chances(game, manner, depths), strict=True):
        assert chance == pytest.approx(float(sum(each.chance for each in every if each.drawdown >= depth)), abs=1e-13)
    level = Fraction(3141, 5000)
    reached = accumulate(sum(each.chance for each in every if each.drawdown == depth) for depth in depths)
    wanted = next(depth for depth, chance in zip(depths, reached, strict=True) if chance >= level)
    assert stopped_drawdown_quantiles(game, manner, [level]) == ((level, wanted),)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session_drawdown, "COUNT_MOST", 0)
        assert stopped_drawdown_quantiles(game, manner, [level]) == ((level, wanted),)


def test_without_an_end_it_is_that_of_flat_play() -> None:
    """With a target that nobody reaches, the two ways of computing agree over a long session."""
    far = Manner(200, stop_win=1_000_000)
    depths = [0, 5000, 20_000, 40_000]
    flat = drawdown_chances(SMALL, 200, depths)
    assert stopped_drawdown_chances(SMALL, far, depths) == pytest.approx(flat, abs=1e-13)
    assert stopped_drawdown_quantiles(SMALL, far) == drawdown_quantiles(SMALL, 200)


def test_ends_bound_it() -> None:
    """Who stops at a loss of ten stakes, or a win of five, is never further under the best than both together."""
    manner = Manner(2000, stop_win=5000, stop_loss=10_000)
    chances = stopped_drawdown_chances(SMALL, manner, [10_000, 14_000, 15_000])
    assert chances[0] > chances[1] > chances[2] == 0


def test_a_plan_deepens_it() -> None:
    """A martingale falls deeper than flat play of the same first stake."""
    flat = dict(stopped_drawdown_quantiles(SMALL, Manner(100, stop_win=10**6)))
    raised = dict(
        stopped_drawdown_quantiles(SMALL, Manner(100, plan=Plan.MARTINGALE, stake_max=8000), [Fraction(1, 2)])
    )
    assert raised[Fraction(1, 2)] > flat[Fraction(1, 2)]


def test_few_rounds_of_odd_amounts_are_counted() -> None:
    """Seven rounds of a martingale with five bets lie on too many amounts for arrays, and are counted one by one."""
    game = game_on("rws-tai-sai-v6/C", "small=9973 single:4=101 total:9=37 double:2=13 pair:25=7")
    manner = Manner(7, plan=Plan.MARTINGALE, stake_max=128 * game.staked)
    found = dict(stopped_drawdown_quantiles(game, manner))
    assert 0 < found[Fraction(1, 2)] < found[Fraction(99, 100)] <= 127 * game.staked


def test_too_much_work_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work has a bound, and whoever meets it is told what to do."""
    monkeypatch.setattr(session_drawdown, "WORK_MOST", 1000)
    with pytest.raises(InputFault, match="drawdown: too much work"):
        stopped_drawdown_quantiles(SMALL, Manner(300, bankroll=50_000))
    with pytest.raises(InputFault, match="rounds: a session has"):
        stopped_drawdown_chances(SMALL, Manner(0, bankroll=50_000), [1])
