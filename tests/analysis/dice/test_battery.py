"""The classical battery: fair dice pass at 99 %, each kind of unfairness fails its test."""

from __future__ import annotations

import numpy as np
import pytest

from taisai.analysis.dice.battery import ERROR, Battery, battery
from taisai.analysis.dice.gathering import Indices
from taisai.analysis.dice.paths import draw_tumblers

ROUNDS = 4000


def chance(found: Battery, name: str) -> float:
    """The chance that a test gives."""
    value = next(test.chance for test in found.tests if test.name == name)
    assert value is not None
    return value


@pytest.mark.parametrize("ordered", [True, False])
def test_fair_dice_pass(ordered: bool) -> None:
    """Of 100 fair tumblers few fail, and the chances of each test are spread as chances are."""
    found = [battery(rolls, ordered=ordered) for rolls in draw_tumblers(100, ROUNDS, 31)]
    assert sum(not each.passed for each in found) <= 5
    for test in found[0].tests:
        chances = [chance(each, test.name) for each in found]
        assert 0.38 < np.mean(chances) < 0.62, test.name
        assert 0.1 < np.mean(np.array(chances) < 0.25) < 0.42, test.name


def test_the_error_is_shared() -> None:
    """All tests together fail fair dice with 1 %: each has its part of it."""
    found = battery(draw_tumblers(1, ROUNDS, 31)[0])
    assert found.bound == ERROR / len(found.tests)


def rolls_of(dice: list[list[int]]) -> Indices:
    """Rolls from three lists of faces."""
    one, two, three = (np.array(die, dtype=np.uint8) - 1 for die in dice)
    rolls: Indices = 36 * one + 6 * two + three
    return rolls


@pytest.mark.parametrize(
    ("retention", "faces", "failing"),
    [
        (0.0, (0.22, 0.156, 0.156, 0.156, 0.156, 0.156), {"faces", "rolls", "totals"}),
        (0.2, None, {"serial-1", "serial-2", "serial-3", "runs", "gap", "coupon", "poker"}),
    ],
)
def test_unfair_dice_fail(retention: float, faces: tuple[float, ...] | None, failing: set[str]) -> None:
    """A heavier face fails the counts, retention fails the tests of order."""
    found = battery(draw_tumblers(1, ROUNDS, 32, retention=retention, faces=faces)[0])
    assert found.passed is False
    assert failing <= {test.name for test in found.tests if found.failed(test)}


def test_dice_in_step_fail() -> None:
    """Faces that come in turn are each frequent enough, and fail for their order."""
    faces = [1 + number % 6 for number in range(ROUNDS)]
    found = battery(rolls_of([faces, [*faces[1:], 1], [*faces[3:], 1, 2, 3]]))
    assert chance(found, "faces-1") > 0.9
    failed = {test.name for test in found.tests if found.failed(test)}
    assert {"serial-1", "rolls", "coupon", "poker"} <= failed


def test_too_few_rounds_are_said() -> None:
    """A test without rounds enough is not made, and says how many it needs; with none made there is no verdict."""
    found = battery(draw_tumblers(1, 100, 33)[0])
    made = {test.name: test.chance is not None for test in found.tests}
    assert made["faces-1"]
    assert not made["rolls"]
    assert next(test.rounds_min for test in found.tests if test.name == "rolls") == 1080
    assert found.bound == ERROR / sum(made.values())
    none = battery(draw_tumblers(1, 5, 33)[0])
    assert none.passed is None
    assert not any(map(none.failed, none.tests))


def test_sorted_rolls_pass_without_their_order() -> None:
    """Rolls written by size fail as ordered ones and pass when their order is left aside."""
    dice = np.sort(np.random.default_rng(2).integers(1, 7, (ROUNDS, 3)), axis=1).T.tolist()
    assert battery(rolls_of(dice)).passed is False
    found = battery(rolls_of(dice), ordered=False)
    assert found.passed
    assert [test.name for test in found.tests] == ["faces", "totals", "combinations"]
