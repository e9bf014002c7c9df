"""One round of a whole table: everybody on the same roll, and what is not computed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from taisai.analysis.risk.chain import round_nets
from taisai.analysis.risk.traffic import Excess, Traffic, rules_of
from taisai.analysis.session.exact import Plan
from taisai.core.bets import parse_bets
from taisai.core.dice import ALL_ROLLS
from taisai.core.faults import InputFault
from taisai.core.limits import make_limits
from taisai.core.odds import bets_odds
from tests.analysis.risk.samples import BOOK, LAYOUT, SMALL, TRAFFICS, computed, group


def test_players_of_a_table_are_not_independent() -> None:
    """Two on opposite sides leave the house hardly any risk; two on one side have four times the variance of one."""
    one = computed(Traffic((SMALL,)), Fraction(1))
    same = computed(Traffic((replace(SMALL, count=2),)), Fraction(1))
    opposite = computed(Traffic((SMALL, group("big=200"))), Fraction(1))
    assert same.variance == pytest.approx(4 * float(one.variance), rel=1e-12)
    assert float(opposite.variance) < 0.2 * float(one.variance)
    assert opposite.loss == 0
    assert opposite.float_needed == 0


def test_everybody_there_by_roll() -> None:
    """The house's result on each roll is that of settling everybody's bets together, after the limits."""
    traffic = TRAFFICS["pro rata, comes and goes"]
    nets = round_nets(LAYOUT, rules_of(BOOK, traffic.limits), traffic)
    # Small 400 against big 100: the differential leaves 250 for two equal stakes on small, in units of 10: 120 each.
    odds = bets_odds(LAYOUT, parse_bets(LAYOUT, "small=240 big=100 total:9=10"))
    assert nets == tuple(-each.net for each in odds.results)
    assert len(nets) == len(ALL_ROLLS)


@pytest.mark.parametrize(
    ("habits", "said"),
    [
        ({"bankroll": 1000}, "players who leave"),
        ({"walk_away": Fraction(1, 10)}, "players who leave"),
        (
            {"plan": Plan.DALEMBERT, "stake_max": 20_000, "attendance": Fraction(1, 2), "count": 3},
            "states of the plans",
        ),
    ],
)
def test_what_is_not_computed_is_said(habits: dict[str, object], said: str) -> None:
    """Traffic that no formula reaches is sent to the simulation."""
    with pytest.raises(InputFault, match=said) as caught:
        computed(Traffic((group("small=200", **habits),)), Fraction(1))  # type: ignore[arg-type] # habits by name
    assert "taisai simulate" in str(caught.value)


def test_limits_that_divide_a_group_are_said() -> None:
    """Of two who double together one is refused: they are no longer alike, and that is for the simulation."""
    pair = group("small=600", count=2, plan=Plan.MARTINGALE, stake_max=1200)
    limits = make_limits(default={"max": 1000})
    with pytest.raises(InputFault, match="limits that divide players of one group"):
        computed(Traffic((pair,), limits=limits, excess=Excess.REFUSED), Fraction(1))
