"""The compiled kernels of simulation against NumPy's ways: the same to the last bit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from taisai.analysis.risk.traffic import Traffic
from taisai.analysis.simulate.draws import SEED_MOST, Purpose, stream
from taisai.analysis.simulate.run import simulate
from tests.analysis.simulate.samples import FLAT, LIMITS, MIXED, group, job


@pytest.mark.parametrize(("seed", "block"), [(0, 0), (7, 3), (SEED_MOST, 2**40)])
def test_compiled_words_are_those_of_numpy(seed: int, block: int) -> None:
    """However many words are asked for at once, the compiled stream goes on where NumPy's does."""
    for purpose in Purpose:
        ours, theirs = (stream(seed, purpose, block, compiled=compiled) for compiled in (True, False))
        for count in (1, 5, 4, 1, 1002, 3):
            assert ours.random_raw(count).tolist() == theirs.random_raw(count).tolist()


@pytest.mark.parametrize(
    ("traffic", "shift_rounds"),
    [
        (Traffic((group("small=1000"),)), None),
        (Traffic((group("small=1000"),)), 70_001),
        (FLAT, None),
        (FLAT, 1),
        (replace(FLAT, limits=LIMITS), 33),
        (Traffic(MIXED), 50),
    ],
)
def test_a_compiled_simulation_is_that_of_numpy(traffic: Traffic, shift_rounds: int | None) -> None:
    """Every sum, count and worst moment is the same with and without numba, one result a shift or several."""
    plain = job(traffic, 5_000, shift_rounds)
    assert simulate(replace(plain, compiled=True)) == simulate(plain)
