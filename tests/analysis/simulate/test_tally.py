"""Sums that never overflow, and histograms of bounded size."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from taisai.analysis.simulate.tally import Sums, counted, products_of, rounded_down


@given(st.lists(st.integers(-(2**61), 2**61), min_size=1, max_size=20))
def test_histograms_keep_eleven_digits(values: list[int]) -> None:
    """A value is rounded down, by less than one part in 1024 of its size, and small ones not at all."""
    column = np.array(values, dtype=np.int64)
    for value, low in zip(values, rounded_down(column).tolist(), strict=True):
        assert low <= value
        assert (value - low) * 1024 <= abs(value)
        if abs(value) < 2048:
            assert low == value
    assert sum(counted(column).values()) == len(values)


@given(st.lists(st.tuples(st.integers(-(2**62), 2**62), st.integers(-(2**62), 2**62)), max_size=9))
def test_sums_never_overflow(pairs: list[tuple[int, int]]) -> None:
    """Sums of products are exact, whether they fit 64 bits or not."""
    ones, twos = (np.array(column, dtype=np.int64) for column in (list(zip(*pairs, strict=True)) or [(), ()]))
    assert products_of(ones, twos) == sum(one * two for one, two in pairs)
    sums = Sums()
    sums.add(ones)
    assert sums == Sums(sum(one for one, _ in pairs), sum(one * one for one, _ in pairs))
