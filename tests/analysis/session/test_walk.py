"""Absorbing walks against whole numbers and what has been published."""

from __future__ import annotations

from fractions import Fraction

import pytest

from taisai.analysis.session import free as session_free
from taisai.analysis.session.exact import (
    Manner,
    session,
)
from tests.analysis.session.samples import SMALL


def test_walk_of_300_rounds_is_that_of_integers() -> None:
    """A session with bankroll and stop-win is within its bound of whole numbers, round by round."""
    manner = Manner(300, bankroll=20_000, stop_win=15_000)
    floats, exact = session(SMALL, manner), session(SMALL, manner, exact=True)
    assert floats.nets == exact.nets
    pairs = zip((*floats.chances, *floats.ruin_by_round), (*exact.chances, *exact.ruin_by_round), strict=True)
    assert max(abs(one - float(two)) for one, two in pairs) <= floats.error_bound < 1e-12
    assert floats.quantiles == exact.quantiles


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


def test_session_that_is_over_stays_over() -> None:
    """When every session has ended, later rounds change nothing."""
    result = session(SMALL, Manner(5000, bankroll=2000, stop_win=2000))
    assert result.ruin_by_round[2500] == result.ruin_by_round[-1]
    assert result.playing == 0
    assert session_free.float_weights(((-1, 1), (1, 1)), 1).nets == [-1, 1]
