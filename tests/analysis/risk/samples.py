"""Groups of players, and shifts on one layout."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from taisai.analysis.risk.shift import ShiftResult, shift_result
from taisai.analysis.risk.traffic import Excess, Group, Traffic, rules_of
from taisai.analysis.session.exact import Number, Plan
from taisai.books import open_shelf
from taisai.core.bets import parse_bets
from taisai.core.limits import make_limits

SHELF = open_shelf(environment={})
BOOK = SHELF.book("rws-tai-sai-v6")
LAYOUT = SHELF.layout("rws-tai-sai-v6/C")


def group(bets: str, name: str = "", **habits: object) -> Group:
    """A group by its bets and habits."""
    pairs = tuple((bet.box, int(bet.stake)) for bet in parse_bets(LAYOUT, bets))
    return replace(Group(name or bets, pairs), **habits)  # type: ignore[arg-type] # habits by name


def computed(traffic: Traffic, hours: Fraction, **options: object) -> ShiftResult:
    """A shift on layout C."""
    rules = rules_of(BOOK, traffic.limits, traffic.excess)
    return shift_result(LAYOUT, rules, traffic, hours, **options)  # type: ignore[arg-type] # options by name


SMALL, BIG = group("small=200"), group("big=100 total:9=10")


LIMITS = make_limits(
    unit=10, default={"min": 10, "max": 1000}, kinds={"total": {"max": 20}}, differential={"big-small": 150}
)


TRAFFICS = {
    "flat": Traffic((replace(SMALL, count=2), BIG), 2),
    "comes and goes": Traffic((replace(SMALL, count=2, attendance=Fraction(1, 3)), BIG), 2),
    "void": Traffic((SMALL, BIG), 2, void=Fraction(1, 7)),
    "pro rata": Traffic((replace(SMALL, count=3), replace(BIG, count=3)), 2, limits=LIMITS),
    "pro rata, comes and goes": Traffic((replace(SMALL, count=2, attendance=Fraction(1, 2)), BIG), 2, limits=LIMITS),
    "refused": Traffic((BIG, replace(SMALL, count=2)), 2, limits=LIMITS, excess=Excess.REFUSED),
    "martingale": Traffic((BIG, group("odd=10", plan=Plan.MARTINGALE, stake_max=40)), 3, void=Fraction(1, 9)),
    "two plans": Traffic(
        (
            group("small=10", plan=Plan.MARTINGALE, stake_max=30, count=2),
            group("small=20 total:4=10", plan=Plan.DALEMBERT, stake_max=60),
        ),
        2,
    ),
    "plan that comes and goes": Traffic(
        (group("small=10", plan=Plan.DALEMBERT, stake_max=20, attendance=Fraction(3, 4)),), 3
    ),
    "plan under limits": Traffic((group("small=100", plan=Plan.MARTINGALE, stake_max=400),), 3, limits=LIMITS),
}


def is_near(one: Number, two: Number, within: float) -> bool:
    """Whether two numbers differ by no more; without rounding, so that 0 means the same."""
    return abs(Fraction(one) - Fraction(two)) <= within
