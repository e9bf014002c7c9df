"""What the benchmarks share: the best of several runs, pairs of runs side by side, and a line of results."""

from __future__ import annotations

import statistics
import timeit
from collections.abc import Sequence
from typing import NamedTuple


class Line(NamedTuple):
    """One comparison of one run: ours against the bare thing, in nanoseconds each, and the ratio that is aimed at."""

    what: str
    against: str
    ours_ns: float
    bare_ns: float
    target: float | None
    """At most this many times the bare thing; None when the line is for context."""

    @property
    def ratio(self) -> float:
        """How many times the bare thing ours costs."""
        return self.ours_ns / self.bare_ns


def best_ns(timer: timeit.Timer, each: int, *, repeats: int = 7, seconds: float = 0.15) -> float:
    """Nanoseconds for one of `each` parts of a run: the best of some repeats, each long enough to be measured."""
    number, taken = timer.autorange()
    number = max(1, int(number * seconds / max(taken, 1e-9)))
    return min(timer.repeat(repeat=repeats, number=number)) / number / each * 1e9


def paired(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Ours and the bare thing, from runs side by side: the median of the bare ones, and the median ratio times that.

    A busy moment of the machine meets both of a pair, so the ratio of a pair says more than two medians do.
    """
    bare = statistics.median(each for _, each in pairs)
    return statistics.median(ours / one for ours, one in pairs) * bare, bare
