"""Tests of a source of random numbers, as GLI-19 lists them: of its raw output, and of the dice scaled from it.

Enters: bytes as the source gave them, or rolls in the order they came. Leaves: tests as those of the battery: total
distribution, overlaps, coupon collector, runs, interplay, serial correlation at many lags, duplicates. Serves R22. For
a number of bytes or rounds fixed beforehand.

Counts of cells that do not overlap are multinomial, and judged by chi-square. Overlapping triples are not independent;
of them Good's difference (1953) is: chi-square of triples less that of pairs, with as many degrees of freedom as the
cells differ. Duplicates among words that are drawn from very many are Poisson.
"""

from __future__ import annotations

from math import erfc, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, pdtr, pdtrc  # type: ignore[import-untyped] # SciPy has no types of its own

from taisai.analysis.dice.battery import ERROR, Battery, BatteryTest, battery, counted, coupon_of
from taisai.analysis.dice.gathering import Indices

LAGS: Final = (1, 2, 3, 5, 10, 20, 50, 100, 200)
"""Distances in time at which throws, or bytes, are compared."""
DUPLICATES_AIM: Final = 200
"""Words are as long as it takes for about so many duplicates at most."""
RAW_LEAST: Final = 1 << 16
"""Bytes that the tests of raw output need."""


def raw_tests(raw: bytes) -> Battery:
    """The tests of raw output."""
    data = np.frombuffer(raw, dtype=np.uint8)
    count = data.size
    bits = np.unpackbits(data)
    nibbles = np.stack([data >> 4, data & 15], axis=1).reshape(-1).astype(np.int64)
    octets = (data & 7).astype(np.int64)
    if count < RAW_LEAST:
        return Battery(count, (), ERROR, None)
    byte_counts = np.bincount(data, minlength=256)
    tests = [
        counted("bytes", "total distribution of bytes", count, 1, counts=byte_counts, chances=[1 / 256] * 256),
        _deviation("bits", "ones among bits", int(bits.sum()), bits.size, count),
        _deviation("bit-runs", "runs of equal bits", int((bits[1:] != bits[:-1]).sum()), bits.size - 1, count),
        _overlaps("overlaps", "overlapping triples of half bytes", nibbles, 16, count),
        coupon_of(octets, count, 8, "coupon", "bytes until all eight values of three bits came"),
        *(_serial("lag", "lower halves of bytes", nibbles[1::2], 16, lag=lag, count=count) for lag in LAGS),
        _duplicates("duplicates", "words of four bytes that came before", data.astype(np.uint64), 256, 4),
    ]
    return _judged(count, tests)


def scaled_tests(rolls: Indices) -> Battery:
    """The classical battery of the dice, and beside it interplay, larger lags, overlaps and duplicates."""
    index = rolls.astype(np.int64)
    count = index.size
    dice = [index // 36, index // 6 % 6, index % 6]
    in_turn = np.stack(dice, axis=1).reshape(-1)
    pairs = ((1, 2), (1, 3), (2, 3))
    tests = [
        *battery(rolls).tests,
        *(
            counted(
                f"interplay-{one}{two}",
                f"interplay of dice {one} and {two}",
                count,
                1,
                counts=np.bincount(6 * dice[one - 1] + dice[two - 1], minlength=36),
                chances=[1 / 36] * 36,
            )
            for one, two in pairs
        ),
        *(
            _serial(f"lag-{die}", f"faces of die {die}", faces, 6, lag=lag, count=count)
            for die, faces in enumerate(dice, start=1)
            for lag in LAGS[1:]
        ),
        _overlaps("overlaps", "overlapping triples of throws", in_turn, 6, count),
        _duplicates("duplicates", "runs of rolls that came before", index.astype(np.uint64), 216),
    ]
    return _judged(count, tests)


def _judged(count: int, tests: list[BatteryTest]) -> Battery:
    made = [test.chance for test in tests if test.chance is not None]
    bound = ERROR / max(1, len(made))
    return Battery(count, tuple(tests), bound, min(made) >= bound if made else None)


def _deviation(name: str, title: str, hits: int, among: int, count: int) -> BatteryTest:
    """How far a count of even chances is from half, in standard deviations."""
    deviation = (hits - among / 2) / sqrt(among / 4)
    return BatteryTest(name, title, deviation, None, erfc(abs(deviation) / sqrt(2)), min(count, 20))


def _serial(name: str, title: str, values: NDArray[np.int64], kinds: int, *, lag: int, count: int) -> BatteryTest:
    """Values `lag` apart, each in one pair: all pairs come equally often."""
    blocks = values[: values.size // (2 * lag) * 2 * lag].reshape(-1, 2, lag)
    cells = np.bincount((kinds * blocks[:, 0] + blocks[:, 1]).reshape(-1), minlength=kinds**2)
    chances = [1 / kinds**2] * kinds**2
    return counted(
        f"{name}-{lag}", f"{title}, {lag} apart", count, values.size / count / 2, counts=cells, chances=chances
    )


def _overlaps(name: str, title: str, values: NDArray[np.int64], kinds: int, count: int) -> BatteryTest:
    """Good's difference of overlapping triples and pairs; the end is joined to the beginning."""
    needed = -(-5 * kinds**3 * count // values.size)
    if values.size < 5 * kinds**3:
        return BatteryTest(name, title, None, None, None, needed)
    after, then = np.roll(values, -1), np.roll(values, -2)
    spread = []
    for cells, words in ((kinds**2, kinds * values + after), (kinds**3, kinds**2 * values + kinds * after + then)):
        found = np.bincount(words, minlength=cells).astype(np.float64)
        expected = values.size / cells
        spread.append(float(((found - expected) ** 2).sum() / expected))
    freedom = kinds**3 - kinds**2
    statistic = spread[1] - spread[0]
    return BatteryTest(name, title, statistic, freedom, float(chdtrc(freedom, statistic)), needed)


def _duplicates(
    name: str, title: str, values: NDArray[np.uint64], kinds: int, length: int | None = None
) -> BatteryTest:
    """Words of neighbouring values that came before: as many as chance gives, neither fewer nor more."""
    if length is None:
        length = next(each for each in range(1, 8) if (values.size / each) ** 2 / (2 * kinds**each) <= DUPLICATES_AIM)
    words = values[: values.size // length * length].reshape(-1, length)
    number = words[:, 0].copy()
    for place in range(1, length):
        number = number * np.uint64(kinds) + words[:, place]
    cells = float(kinds) ** length
    drawn = number.size
    # Expected number of words that came before: drawn less the expected number of different ones.
    expected = drawn - cells * -np.expm1(drawn * np.log1p(-1 / cells))
    found = drawn - np.unique(number).size
    chance = min(1.0, 2 * min(float(pdtr(found, expected)), float(pdtrc(found - 1, expected)) if found else 1.0))
    return BatteryTest(name, f"{title} ({length} long)", float(found), None, chance, 1)
