"""The fault simulator: simulated rounds with faults, everything checked and audited, on all processors.

A run is one call of `python -m tests.torture.simulate` (docs/torture.md), without the time to start its processes.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Final

from bench.measure import Line
from tests.torture.simulate import Ran, make_ready, run_seed

SEEDS: Final = 96
"""Enough rounds that it hardly matters when one process finishes before the other."""
REPEATS: Final = 3
MS: Final = 1e6


def _warm(seed: int) -> int:
    return run_seed(seed, steps=500).steps


def measured() -> list[Line]:
    """One line: the best of some runs, against the millisecond that a round may take."""
    jobs = os.cpu_count() or 1
    make_ready()
    best, last = float("inf"), list[Ran]()
    with ProcessPoolExecutor(jobs) as pool:
        list(pool.map(_warm, range(SEEDS), chunksize=1))
        for _ in range(REPEATS):
            started = time.perf_counter()
            last = list(pool.map(run_seed, range(SEEDS), chunksize=1))
            best = min(best, time.perf_counter() - started)
    broken = next((ran.failure for ran in last if ran.failure is not None), None)
    if broken is not None:
        raise RuntimeError(str(broken))
    rounds = sum(ran.rounds for ran in last)
    faults = sum(ran.faults for ran in last) / rounds
    bets = sum(ran.acknowledged for ran in last) / rounds
    what = (
        f"a simulated round: {bets:.1f} bets acknowledged, {faults:.1f} faults, checked and audited ({jobs} processes)"
    )
    return [Line(what, "a millisecond", best / rounds * 1e9, MS, 1.0)]


if __name__ == "__main__":
    for line in measured():
        print(f"{line.what}: {line.ours_ns:,.0f} ns, {1e9 / line.ours_ns:,.0f} a second, ratio {line.ratio:.2f}")
