"""The compiled kernel by itself: its answer for a fault is the row, not an exception."""

from __future__ import annotations

import numpy as np
import pytest

from taisai.analysis.bulk.compiled import settle_rows

INT64_MAX = np.iinfo(np.int64).max


def column(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """A column of whole numbers."""
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize(
    ("box", "stake", "at_risk", "roll", "fault"),
    [
        (0, 10, 10, 0, -1),
        (2, 10, 10, 0, 1),
        (-1, 10, 10, 0, 1),
        (0, 10, 10, 2, 1),
        (0, 10, -1, 0, 1),
        (0, 10, 11, 0, 1),
        (1, INT64_MAX, INT64_MAX, 0, 1),
        (0, INT64_MAX, INT64_MAX, 0, -1),
    ],
)
def test_the_first_faulty_row_is_given(box: int, stake: int, at_risk: int, roll: int, fault: int) -> None:
    """Codes out of range, more at risk than staked, and winnings beyond 64 bits are found in their row."""
    multipliers = column(0, 9, 1, 1)  # of two boxes on two rolls: lost, 8 to 1; void, void
    winnings, returned = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    found = settle_rows(
        multipliers, 2, INT64_MAX // 9, column(1, box), column(10, stake), column(10, at_risk), column(0, roll),
        winnings, returned,
    )  # fmt: skip
    assert found == fault
    assert (winnings[0], returned[0]) == (80, 90)
