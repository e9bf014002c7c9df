"""The classical battery for a tumbler of software, at 99 %.

Enters: rolls, in the order they came. Leaves: for each test its statistic and the chance that fair dice do as badly.
Serves R22. Unlike the evidence of `dice_watch` these tests are for a number of rounds fixed beforehand: who looks again
and again will see one fail. The tests are those of Knuth, The Art of Computer Programming, volume 2, section 3.3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import permutations
from math import ceil, erfc, perm, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc  # type: ignore[import-untyped] # SciPy has no types of its own

from taisai.analysis.dice.gathering import Indices
from taisai.core.dice import ALL_COMBINATIONS

ERROR: Final = 0.01
"""Chance that fair dice fail the battery."""
_EXPECTED_LEAST: Final = 5
"""Fewer of a kind than this, and chi-square is no longer a good approximation."""
_GAP_MOST: Final = 20


class BatteryTest(NamedTuple):
    """One test of the battery."""

    name: str
    title: str
    statistic: float | None
    """Chi-square, or for runs the deviation in standard deviations; None when there are too few rounds."""
    freedom: int | None
    chance: float | None
    """Probability that fair dice come out at least as far from what is expected."""
    rounds_min: int
    """Rounds that the test needs."""


class Battery(NamedTuple):
    """All tests together."""

    rounds: int
    tests: tuple[BatteryTest, ...]
    bound: float
    """A test fails below this chance: 1 % shared among the tests that were made."""
    passed: bool | None
    """None when no test could be made."""

    def failed(self, test: BatteryTest) -> bool:
        """Whether one of the tests fails."""
        return test.chance is not None and test.chance < self.bound


def battery(rolls: Indices, *, ordered: bool = True) -> Battery:
    """Make every test that there are rounds enough for; without `ordered` those that mind no order of the dice."""
    index = rolls.astype(np.int64)
    dice = np.stack([index // 36, index // 6 % 6, index % 6])
    count = len(rolls)
    face = [1 / 6] * 6
    # Throws round by round, and one die after the other, each in its own order of time.
    in_turn, by_die = dice.T.reshape(-1), dice.reshape(-1)
    tests = [
        counted("faces", "faces, all dice", count, 3, counts=np.bincount(in_turn, minlength=6), chances=face),
        counted("totals", "totals", count, 1, counts=np.bincount(dice.sum(axis=0), minlength=16), chances=_TOTALS),
    ]
    if ordered:
        every = np.bincount(index, minlength=216)
        tests += [
            *(_faces(die, each) for die, each in enumerate(dice, start=1)),
            counted("rolls", "all 216 rolls", count, 1, counts=every, chances=[1 / 216] * 216),
            *(_serial(die, each) for die, each in enumerate(dice, start=1)),
            _runs(dice),
            coupon_of(in_turn, max(count, 1), 6, "coupon", "throws until all faces came"),
            _gap(by_die, count),
            _poker(in_turn, count),
        ]
    else:
        low, middle, high = np.sort(dice, axis=0)
        sets = np.bincount(36 * low + 6 * middle + high, minlength=216)[[roll.index for roll in ALL_COMBINATIONS]]
        ways = [len(set(permutations(roll.faces))) / 216 for roll in ALL_COMBINATIONS]
        tests.append(counted("combinations", "all 56 combinations", count, 1, counts=sets, chances=ways))
    made = [test.chance for test in tests if test.chance is not None]
    bound = ERROR / max(1, len(made))
    return Battery(count, tuple(tests), bound, min(made) >= bound if made else None)


_TOTALS: Final = [
    sum(a + b + c == total for a in range(6) for b in range(6) for c in range(6)) / 216 for total in range(16)
]


def counted(
    name: str,
    title: str,
    rounds: int,
    per_round: float,
    *,
    counts: NDArray[np.int64],
    chances: Sequence[float],
) -> BatteryTest:
    """Chi-square of counts against their chances; `per_round` is how many are counted a round, on average."""
    rounds_min = ceil(_EXPECTED_LEAST / (per_round * min(chances)) - 1e-9)
    total = int(counts.sum())
    expected = total * np.asarray(chances)
    if rounds < rounds_min or expected.min() < _EXPECTED_LEAST - 1e-9:
        return BatteryTest(name, title, None, None, None, rounds_min)
    statistic = float(((counts - expected) ** 2 / expected).sum())
    freedom = len(chances) - 1
    return BatteryTest(name, title, statistic, freedom, float(chdtrc(freedom, statistic)), rounds_min)


def _faces(die: int, faces: NDArray[np.int64]) -> BatteryTest:
    counts = np.bincount(faces, minlength=6)
    return counted(f"faces-{die}", f"faces, die {die}", len(faces), 1, counts=counts, chances=[1 / 6] * 6)


def _serial(die: int, faces: NDArray[np.int64]) -> BatteryTest:
    """Pairs of throws that follow each other, each throw in one pair: all 36 come equally often."""
    paired = faces[: len(faces) // 2 * 2].reshape(-1, 2)
    counts = np.bincount(6 * paired[:, 0] + paired[:, 1], minlength=36)
    title = f"pairs in time, die {die}"
    return counted(f"serial-{die}", title, len(faces), 0.5, counts=counts, chances=[1 / 36] * 36)


def _runs(dice: NDArray[np.int64]) -> BatteryTest:
    """Runs of low (1 to 3) and high (4 to 6) of each die: neither too few nor too many changes."""
    rounds = dice.shape[1]
    rounds_min = 20
    if rounds < rounds_min:
        return BatteryTest("runs", "runs of low and high", None, None, None, rounds_min)
    high = dice >= 3
    changes = int((high[:, 1:] != high[:, :-1]).sum())
    chances = 3 * (rounds - 1)
    deviation = (changes - chances / 2) / sqrt(chances / 4)
    return BatteryTest("runs", "runs of low and high", deviation, None, erfc(abs(deviation) / sqrt(2)), rounds_min)


@cache
def _stirling(items: int, sets: int) -> int:
    """In how many ways so many items fall into so many sets, none empty."""
    if items == sets:
        return 1
    if sets in (0, items + 1) or sets > items:
        return 0
    return sets * _stirling(items - 1, sets) + _stirling(items - 1, sets - 1)


def _lengths(
    name: str, title: str, rounds: int, per_round: float, *, lengths: Sequence[int], chances: Sequence[float]
) -> BatteryTest:
    """Chi-square of lengths from 0 on; long ones are counted together as far as it takes."""
    total = len(lengths)
    alone = len(chances)
    while alone > 1 and (1 - sum(chances[:alone])) * total < _EXPECTED_LEAST:
        alone -= 1
    cells = np.minimum(np.asarray(lengths, dtype=np.int64), alone)
    shares = [*chances[:alone], 1 - sum(chances[:alone])]
    return counted(name, title, rounds, per_round, counts=np.bincount(cells, minlength=alone + 1), chances=shares)


def coupon_of(values: NDArray[np.int64], rounds: int, kinds: int, name: str, title: str) -> BatteryTest:
    """How many values it takes until all kinds have come, again and again."""
    lengths, seen, since = [], 0, 0
    for value in values.tolist():
        seen |= 1 << value
        since += 1
        if seen == (1 << kinds) - 1:
            lengths.append(since - kinds)
            seen = since = 0
    chances = [perm(kinds) * _stirling(length - 1, kinds - 1) / kinds**length for length in range(kinds, 4 * kinds)]
    # All kinds come within so many values on average: 14.7 for six.
    needed = kinds * sum(1 / each for each in range(1, kinds + 1))
    return _lengths(name, title, rounds, values.size / rounds / needed, lengths=lengths, chances=chances)


def _gap(faces: NDArray[np.int64], rounds: int) -> BatteryTest:
    """How many throws of other faces lie between two sixes."""
    gaps = np.diff(np.flatnonzero(faces == 5)) - 1
    chances = [(5 / 6) ** gap / 6 for gap in range(_GAP_MOST)]
    return _lengths("gap", "throws between two sixes", rounds, 0.5, lengths=gaps.tolist(), chances=chances)


def _poker(faces: NDArray[np.int64], rounds: int) -> BatteryTest:
    """How many different faces are among five throws; one and two are counted together, for one is very rare."""
    hands = np.sort(faces[: len(faces) // 5 * 5].reshape(-1, 5), axis=1)
    different = 1 + (hands[:, 1:] != hands[:, :-1]).sum(axis=1)
    one, *more = (perm(6, count) * _stirling(5, count) / 6**5 for count in range(1, 6))
    counts = np.bincount(np.maximum(different, 2) - 2, minlength=4)
    chances = [one + more[0], *more[1:]]
    return counted("poker", "different faces among five", rounds, 3 / 5, counts=counts, chances=chances)
