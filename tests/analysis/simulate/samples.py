"""Traffic and jobs that the tests of simulation share."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from taisai.analysis.risk.traffic import Group, Traffic, rules_of
from taisai.analysis.session.exact import Plan
from taisai.analysis.simulate.run import job_of
from taisai.analysis.simulate.table import Job
from taisai.books import open_shelf
from taisai.core.bets import parse_bets
from taisai.core.limits import make_limits

SHELF = open_shelf(environment={})
BOOK = SHELF.book("rws-tai-sai-v6")
LAYOUT = SHELF.layout("rws-tai-sai-v6/C")
LIMITS = make_limits(
    unit=25, default={"min": 50, "max": 3000}, kinds={"total": {"max": 100}}, differential={"big-small": 700}
)


def group(bets: str, **habits: object) -> Group:
    """A group by its bets and habits."""
    pairs = tuple((bet.box, int(bet.stake)) for bet in parse_bets(LAYOUT, bets))
    return replace(Group(bets, pairs), **habits)  # type: ignore[arg-type] # habits by name


def job(traffic: Traffic, rounds: int, shift_rounds: int | None = None, seed: int = 7) -> Job:
    """A simulation on layout C."""
    rules = rules_of(BOOK, traffic.limits, traffic.excess)
    return job_of(LAYOUT, rules, traffic, rounds=rounds, seed=seed, shift_rounds=shift_rounds)


FLAT = Traffic((group("small=1000 total:9=100", count=3), group("big=500"), group("triple:1=50 odd=200")))
MIXED = (
    group("small=200", count=2, plan=Plan.MARTINGALE, stake_max=1600, bankroll=4000, stop_win=600, refill=3),
    group("big=100 total:9=60", count=3, plan=Plan.DALEMBERT, stake_max=800, stop_loss=700, attendance=Fraction(2, 3)),
    group("odd=300", attendance=Fraction(1, 2), walk_away=Fraction(1, 9)),
    group("even=75 single:6=50", visit_rounds=5, refill=None),
)
