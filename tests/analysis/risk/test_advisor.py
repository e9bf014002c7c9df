"""The limits advisor: what it advises holds, and the next higher limits do not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from taisai.analysis.risk.advisor import advise
from taisai.analysis.risk.shift import shift_result
from taisai.analysis.risk.traffic import Excess, Group, Traffic, rules_of, traffic_of
from taisai.analysis.session.exact import Plan
from taisai.books import open_shelf
from taisai.core.boxes import BoxName
from taisai.core.faults import InputFault
from taisai.core.limits import Opposites, make_limits

SHELF = open_shelf(environment={})
BOOK = SHELF.book("rws-tai-sai-v6")
LAYOUT = SHELF.layout("rws-tai-sai-v6/C")
CHANCE = Fraction(999, 1000)
TRAFFIC = traffic_of(
    LAYOUT,
    {
        "players": [
            {"name": "even", "count": 4, "bets": "small=2000"},
            {"name": "hope", "count": 2, "bets": "triple:1=300 total:9=500"},
        ],
        "limits": {"unit": 100, "default": {"min": 100}},
    },
)


@pytest.mark.parametrize("excess", [None, Excess.REFUSED])
@pytest.mark.parametrize("anytime", [False, True])
def test_advice_holds_and_no_higher_does(excess: Excess | None, *, anytime: bool) -> None:
    """Computed anew under the limits advised, the loss is held; under the next higher ones it is not."""
    traffic = replace(TRAFFIC, excess=excess)
    tried: list[int] = []
    found = advise(
        BOOK, LAYOUT, traffic, Fraction(8), risk=300_000, chance=CHANCE, anytime=anytime, progress=tried.append
    )
    assert found.is_needed
    assert found.best is not None
    assert found.next_higher is not None
    assert found.best.payout < found.next_higher.payout
    assert {found.best.payout, found.next_higher.payout} <= set(tried)
    for advised, holds in ((found.best, True), (found.next_higher, False)):
        rules = rules_of(BOOK, advised.limits, excess)
        under = replace(traffic, limits=advised.limits)
        result = shift_result(LAYOUT, rules, under, Fraction(8), level=CHANCE, float_level=CHANCE)
        loss = result.float_needed if anytime else result.value_at_risk
        assert (loss <= 300_000) is holds
        assert loss == advised.loss
        assert advised.mean * result.rounds == pytest.approx(float(result.mean))
        assert advised.turnover * result.rounds == pytest.approx(float(result.turnover))
    assert found.best.kept < 1
    assert found.rounded == 1


def test_limits_are_those_of_a_sign() -> None:
    """A maximum is what the payout allows at the highest odds, in whole units; the differential is the payout."""
    found = advise(BOOK, LAYOUT, TRAFFIC, Fraction(8), risk=300_000)
    assert found.best is not None
    limits = found.best.limits
    assert limits.differential[Opposites.BIG_SMALL] == found.best.payout // 100 * 100
    assert limits.kinds["small"].stake_max == 8000
    triple = limits.kinds["triple"].stake_max
    assert triple is not None
    assert triple == max(found.best.payout // 180 // 100 * 100, 100)
    for each in limits.kinds.values():
        assert each.stake_min == 100
        assert each.stake_max is not None
        assert each.stake_max % 100 == 0


def test_nothing_is_advised_where_nothing_is_needed() -> None:
    """Traffic that cannot lose so much needs no limits."""
    found = advise(BOOK, LAYOUT, TRAFFIC, Fraction(1), risk=10**9)
    assert not found.is_needed
    assert found.best is None
    assert found.next_higher is None
    assert found.unlimited.kept == 1


def test_nothing_is_advised_where_nothing_helps() -> None:
    """A risk that even the minimums exceed has no limits."""
    found = advise(BOOK, LAYOUT, TRAFFIC, Fraction(8), risk=10)
    assert found.is_needed
    assert found.best is None
    assert found.next_higher is not None
    assert found.next_higher.loss > 10


def test_a_book_without_differential_has_maximums_alone() -> None:
    """Where the book knows no differential, the even-money boxes are held by their maximum."""
    book, layout = SHELF.book("nz-division-9"), SHELF.layout("nz-division-9/1")
    found = advise(book, layout, Traffic((Group("all", ((BoxName("small"), 100),), count=9),)), Fraction(8), risk=5000)
    assert found.excess is Excess.REFUSED
    assert found.best is not None
    assert not found.best.limits.differential
    assert found.best.limits.kinds["small"].stake_max == found.best.payout
    assert found.best.loss <= 5000


def test_fine_shares_are_rounded_both_ways() -> None:
    """Where shares lie on too many amounts, the loss is enclosed: advised limits hold it however they are rounded."""
    traffic = Traffic((Group("a", ((BoxName("small"), 700_001),), 2), Group("b", ((BoxName("triple:1"), 30_007),))))
    found = advise(BOOK, LAYOUT, traffic, Fraction(8), risk=30_000_000)
    assert found.best is not None
    assert found.rounded > 1
    rules = rules_of(BOOK, found.best.limits)
    fine = shift_result(LAYOUT, rules, traffic, Fraction(8), level=CHANCE, coarse=max(1, found.rounded // 4))
    assert found.best.loss_least <= fine.value_at_risk <= found.best.loss <= found.risk
    assert found.best.loss <= fine.value_at_risk + found.rounded * fine.rounds
    assert found.next_higher is not None
    assert found.next_higher.loss_least > found.risk


def test_plans_are_limited_where_they_end() -> None:
    """A martingale is judged with all its steps: the limits hold its highest."""
    group = Group("m", ((BoxName("odd"), 100),), plan=Plan.MARTINGALE, stake_max=6400)
    limits = make_limits(unit=100, default={"min": 100})
    found = advise(BOOK, LAYOUT, Traffic((group,), limits=limits), Fraction(2), risk=4000)
    assert found.unlimited.loss > 4000
    assert found.best is not None
    assert found.best.limits.differential[Opposites.ODD_EVEN] < 6400


def test_risk_and_chance_are_checked() -> None:
    """An amount that is none, or a chance that is none, is a fault."""
    with pytest.raises(InputFault, match="risk: an amount is at least 1"):
        advise(BOOK, LAYOUT, TRAFFIC, Fraction(8), risk=0)
    with pytest.raises(InputFault, match="chance: between 0 and 1"):
        advise(BOOK, LAYOUT, TRAFFIC, Fraction(8), risk=5, chance=Fraction(1))
