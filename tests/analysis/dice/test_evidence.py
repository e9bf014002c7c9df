"""The bets behind the evidence: each is fair while the dice are."""

from __future__ import annotations

from itertools import permutations
from math import exp, log

import pytest
from hypothesis import given, settings

from taisai.analysis.dice.cells import LAG_MOST, Before, Look, kept_unordered, seen_by
from taisai.analysis.dice.evidence import (
    WINDOW,
    Check,
    carried,
    checks_of,
    combined_log_e,
    log_ratio_unordered,
    logs_of,
)
from taisai.analysis.dice.mixtures import log_sum
from taisai.analysis.dice.watch import DiceWatch
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, Roll, roll_of
from tests.analysis.dice.samples import ROLLS

CHECKS = [
    pytest.param(check, id=f"{check.name}-{ordered}")
    for ordered in (True, False)
    for check in checks_of(ordered=ordered)
    if not check.parts
]


def counted(check: Check, rolls: list[Roll]) -> list[int]:
    """The counts of a check after these rolls."""
    counts = [0] * check.size
    for place, now in enumerate(rolls):
        before = seen_by(check.look, rolls[max(0, place - LAG_MOST) : place][::-1], now, place)
        for cell in () if before is None else check.cells_of(before, now):
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


@settings(max_examples=5, deadline=None)
@given(rolls=ROLLS)
def test_dice_together_are_a_fair_bet(rolls: list[Roll]) -> None:
    """The wealth of three bets, one on each die, multiplied: on average what it was."""
    checks = checks_of(ordered=True)
    together = [check for check in checks if check.parts]
    assert [check.name for check in together] == ["keeps-each", "moves-each", "faces-each"]

    def wealth(rolls: list[Roll]) -> list[float]:
        of_dice = {name for check in together for name in check.parts}
        own = [check.mixture.log_e(counted(check, rolls)) if check.name in of_dice else 0.0 for check in checks]
        logs = logs_of(checks, own)
        return [each for check, each in zip(checks, logs, strict=True) if check.parts]

    after = [log_sum(logs) - log(216) for logs in zip(*(wealth([*rolls, roll]) for roll in ALL_ROLLS), strict=True)]
    assert after == pytest.approx(wealth(rolls), abs=1e-9)


def test_windows_are_fair_bets() -> None:
    """From the last rounds of a window into the next one, the wealth of its checks is on average what it was."""
    watch = DiceWatch()
    for _ in range(40):
        watch.see(roll_of((1, 2, 2)))
        watch.see(roll_of((1, 6, 2)))
    state = watch.state() | {
        "rounds": 2 * WINDOW - 1,
        "carried": {"faces-late": 1.5, "keeps-late": -0.3, "moves-late": 0.0},
    }
    for roll in ((1, 2, 3), (4, 4, 1)):
        logs = []
        for now in ALL_ROLLS:
            each = DiceWatch.from_state(state)
            logs.append([check.log_e for check in each.see(now).checks if check.name.endswith("-late")])
        watch = DiceWatch.from_state(state)
        before = [check.log_e for check in watch.evidence().checks if check.name.endswith("-late")]
        after = [log_sum(each) - log(216) for each in zip(*logs, strict=True)]
        assert after == pytest.approx(before, abs=1e-9)
        watch.see(roll_of(roll))
        state = watch.state()
    assert state["carried"] != {"faces-late": 1.5, "keeps-late": -0.3, "moves-late": 0.0}


def test_a_window_gets_its_share() -> None:
    """The first window gets nothing; who loses every window has the n-th part after n of them."""
    assert carried(5.0, 0) == 0.0
    assert sum(carried(-1e9, place) for place in range(10)) == pytest.approx(-log(10))
    assert exp(carried(log(7), 2)) == pytest.approx(2 / 3 + 7 / 3)


@pytest.mark.parametrize("ordered", [True, False])
def test_everything_begins_with_one(ordered: bool) -> None:
    """The weights add up to 1, and so do the shares within each check: before the first roll the evidence is 1."""
    checks = checks_of(ordered=ordered)
    assert sum(check.weight for check in checks) == pytest.approx(1)
    assert len({check.name for check in checks}) == len(checks)
    starts = [check.log_e for check in DiceWatch(ordered=ordered).evidence().checks]
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


def befores(rolls: tuple[Roll, ...]) -> list[Before]:
    """Every pair of these rolls, with a number of the round."""
    return [Before(last, earlier, 7 * place) for place, last in enumerate(rolls) for earlier in rolls]


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_is_as_wide_as_its_cells(check: Check) -> None:
    """Every cell that a roll falls into is one of the mixture's; those of the roll alone are all reached."""
    before = befores(ALL_ROLLS[::11]) if check.look.back != 1 else [Before(roll, roll, 0) for roll in ALL_ROLLS[::5]]
    reached = {cell for each in before for now in ALL_ROLLS for cell in check.cells_of(each, now)}
    assert max(reached) < check.size
    if check.look in (Look.ROLL, Look.TURN):
        assert reached == set(range(check.size))


def test_checks_that_mind_no_order_do_not() -> None:
    """Without the order of the dice a check counts the same, however the roll was written."""
    for check in checks_of(ordered=False):
        for before, now in (((1, 5, 5), (2, 6, 4)), ((3, 1, 2), (3, 2, 3))):
            cells = {
                tuple(sorted(check.cells_of(Before(roll_of(one), roll_of(one), 3), roll_of(two))))
                for one in permutations(before)
                for two in permutations(now)
            }
            assert len(cells) == 1
