"""What the benchmarks share: the best of several runs, pairs of runs side by side, and a line of results."""

from __future__ import annotations

import statistics
import timeit
from collections.abc import Sequence
from typing import NamedTuple


class Line(NamedTuple):
    """One comparison: ours against a baseline, in nanoseconds each, and the target for the ratio."""

    what: str
    against: str
    ours_ns: float
    bare_ns: float
    target: float | None
    """At most this many times the baseline; None when the line is for context."""

    @property
    def ratio(self) -> float:
        """How many times the baseline ours costs."""
        return self.ours_ns / self.bare_ns


def best_ns(timer: timeit.Timer, each: int, *, repeats: int = 7, seconds: float = 0.15) -> float:
    """Nanoseconds for one of the `each` parts of a run: the best of several repeats, each long enough to measure."""
    number, taken = timer.autorange()
    number = max(1, int(number * seconds / max(taken, 1e-9)))
    return min(timer.repeat(repeat=repeats, number=number)) / number / each * 1e9


def paired(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Ours and the baseline, from runs side by side: the median of the baselines, and the median ratio times that.

    Other load on the machine affects both runs of a pair, so the ratio of a pair says more than two medians do.
    """
    bare = statistics.median(each for _, each in pairs)
    return statistics.median(ours / one for ours, one in pairs) * bare, bare
