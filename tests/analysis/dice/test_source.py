"""Tests of a random source: a fair one passes, each kind of fault fails its test."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from taisai.analysis.dice.battery import Battery
from taisai.analysis.dice.source import LAGS, RAW_LEAST, raw_tests, scaled_tests

SIZE = 1 << 17


def _bytes(seed: int) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, SIZE, dtype=np.uint8)


def _rolls(seed: int) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 216, 40_000, dtype=np.uint8)


def _failed(found: Battery) -> set[str]:
    return {test.name for test in found.tests if found.failed(test)}


def test_a_fair_source_passes_at_its_level() -> None:
    """Of forty fair sources hardly one fails, and the chances of every test are spread as chances are."""
    raw, scaled = (
        [test(draw(seed)) for seed in range(40)]
        for test, draw in ((lambda x: raw_tests(x.tobytes()), _bytes), (scaled_tests, _rolls))
    )
    for found in (raw, scaled):
        assert sum(each.passed is False for each in found) <= 3
        for place, test in enumerate(found[0].tests):
            chances = [each.tests[place].chance for each in found]
            known = [chance for chance in chances if chance is not None]
            assert len(known) == 40, test.name
            # The chances of a count of few are coarse, and lie higher.
            assert 0.3 < float(np.mean(known)) < 0.9, test.name


@pytest.mark.parametrize(
    ("fault", "failing"),
    [
        ("heavy bit", {"bytes", "bits"}),
        ("alternating", {"bit-runs"}),
        ("echo", {"lag-100"}),
        ("stuck", {"duplicates"}),
        ("triples", {"overlaps"}),
    ],
)
def test_raw_faults_are_found(fault: str, failing: set[str]) -> None:
    """A heavy bit, alternation, an echo from far back, a stuck buffer, dependent triples: each fails its test."""
    data = _bytes(5)
    match fault:
        case "heavy bit":
            data |= (np.random.default_rng(1).random(SIZE) < 0.1).astype(np.uint8)
        case "alternating":
            data[::20] = 0b01010101
        case "echo":
            halves = data[: SIZE // 200 * 200].reshape(-1, 2, 100)
            halves[:, 1, ::10] = halves[:, 0, ::10]
        case "stuck":
            data[4096:8192] = data[:4096]
        case _:
            data[1::2] = data[1::2] & 0xF0 | ((data[1::2] >> 4) ^ data[:-1:2]) & 0x0F
    assert failing <= _failed(raw_tests(data.tobytes()))


def test_scaled_faults_are_found() -> None:
    """Dice that hang together, an echo of fifty rounds ago, a sequence dealt again: each fails its test."""
    rolls = _rolls(6).astype(np.int64)
    together = np.where(
        np.random.default_rng(2).random(rolls.size) < 0.05, rolls // 36 * 36 + rolls // 36 * 6 + rolls % 6, rolls
    )
    assert "interplay-12" in _failed(scaled_tests(together.astype(np.uint8)))
    echo = rolls.copy()
    halves = echo.reshape(-1, 2, 50)
    halves[:, 1, ::5] = halves[:, 0, ::5]
    assert {"lag-1-50", "lag-2-50", "lag-3-50"} <= _failed(scaled_tests(echo.astype(np.uint8)))
    again = rolls.copy()
    again[21_000:21_400] = again[:400]
    assert "duplicates" in _failed(scaled_tests(again.astype(np.uint8)))


def test_too_little_is_not_judged() -> None:
    """Few bytes are not judged; few rolls say what each test needs."""
    assert raw_tests(bytes(RAW_LEAST - 1)).passed is None
    few = scaled_tests(_rolls(7)[:10])
    assert [test.rounds_min > 10 for test in few.tests if test.name.startswith("lag")] == [True] * 3 * (len(LAGS) - 1)
