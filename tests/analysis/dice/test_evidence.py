"""The bets behind the evidence: each is fair while the dice are."""

from __future__ import annotations

from itertools import permutations
from math import exp, log

import pytest
from hypothesis import given, settings

from taisai.analysis.dice.evidence import Check, checks_of, combined_log_e, kept_unordered, log_ratio_unordered
from taisai.analysis.dice.mixtures import log_sum
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, Roll, roll_of
from tests.analysis.dice.samples import ROLLS

CHECKS = [
    pytest.param(check, id=f"{check.name}-{ordered}")
    for ordered in (True, False)
    for check in checks_of(ordered=ordered)
]


def counted(check: Check, rolls: list[Roll]) -> list[int]:
    """The counts of a check after these rolls."""
    counts = [0] * check.size
    for place in range(check.lag, len(rolls)):
        for cell in check.cells_of(rolls[place - check.lag], rolls[place]):
            counts[cell] += 1
    return counts


@pytest.mark.parametrize("check", CHECKS)
@settings(max_examples=8, deadline=None)
@given(rolls=ROLLS)
def test_every_check_is_a_fair_bet(check: Check, rolls: list[Roll]) -> None:
    """Over all 216 next rolls the wealth of a check is on average what it was: Ville's inequality needs just this."""
    now = check.mixture.log_e(counted(check, rolls))
    after = log_sum(check.mixture.log_e(counted(check, [*rolls, roll])) for roll in ALL_ROLLS) - log(216)
    assert after == pytest.approx(now, abs=1e-9)


@pytest.mark.parametrize("ordered", [True, False])
def test_everything_begins_with_one(ordered: bool) -> None:
    """The weights add up to 1, and so do the shares within each check: before the first roll the evidence is 1."""
    checks = checks_of(ordered=ordered)
    assert sum(check.weight for check in checks) == pytest.approx(1)
    assert len({check.name for check in checks}) == len(checks)
    starts = [check.mixture.log_e([0] * check.size) for check in checks]
    assert starts == pytest.approx([0] * len(checks), abs=1e-9)
    assert combined_log_e(checks, starts) == pytest.approx(0, abs=1e-9)


def test_unordered_retention_is_the_average_over_orders() -> None:
    """Where dice cannot be told apart, the likelihood of a set of faces is that of all its orders together."""
    cells, cell_of = kept_unordered()
    keep = 0.07
    for before, now in (((1, 2, 3), (1, 2, 3)), ((1, 1, 4), (1, 4, 4)), ((2, 2, 2), (2, 2, 5)), ((1, 2, 3), (4, 5, 6))):
        orders = set(permutations(now))
        chance = 0.0
        for order in orders:
            each = 1.0
            for old, new in zip(before, order, strict=True):
                each *= (1 - keep) / 6 + keep * (old == new)
            chance += each
        ratio = chance / (len(orders) / 216)
        places = (ALL_COMBINATIONS.index(roll_of(faces)) for faces in (before, now))
        cell = cells[cell_of[next(places), next(places)]]
        assert exp(log_ratio_unordered(cell, keep)) == pytest.approx(ratio)


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_is_as_wide_as_its_cells(check: Check) -> None:
    """Every cell that a pair of rolls falls into is one of the mixture's, and each of them is reached."""
    reached = {cell for before in ALL_ROLLS[::5] for now in ALL_ROLLS for cell in check.cells_of(before, now)}
    assert max(reached) < check.size
    if check.lag == 0:
        assert reached == set(range(check.size))


def test_checks_that_mind_no_order_do_not() -> None:
    """Without the order of the dice a check counts the same, however the roll was written."""
    for check in checks_of(ordered=False):
        for before, now in (((1, 5, 5), (2, 6, 4)), ((3, 1, 2), (3, 2, 3))):
            cells = {
                tuple(sorted(check.cells_of(roll_of(one), roll_of(two))))
                for one in permutations(before)
                for two in permutations(now)
            }
            assert len(cells) == 1
