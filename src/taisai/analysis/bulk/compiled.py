"""The compiled kernel of bulk settlement: one pass over the rows. Importing this needs numba, the extra `fast`.

Enters: columns that `bulk` has checked for type and length. Leaves: the same results as `bulk`'s chunks, or the number
of the first row with a fault, which `bulk` puts into words.
"""

from __future__ import annotations

from typing import Any, Final

import numba
import numpy as np
from numpy.typing import NDArray

_INT64_MAX: Final = np.iinfo(np.int64).max


@numba.njit(nogil=True)
def settle_rows(  # noqa: PLR0917 - numba matches arguments by place fastest
    multipliers: NDArray[np.int64],
    width: int,
    surely_fits: int,
    box: NDArray[np.integer[Any]],
    stake: NDArray[np.int64],
    at_risk: NDArray[np.int64],
    roll: NDArray[np.integer[Any]],
    winnings: NDArray[np.int64],
    returned: NDArray[np.int64],
) -> int:
    """Settle each row; -1 when all is well, else the first row with a fault."""
    rolls = len(multipliers) // width
    for row in range(len(stake)):
        # All in int64: numba makes a float of a signed and an unsigned 64-bit number together.
        code, side = np.int64(box[row]), np.int64(roll[row])
        if code < 0 or code >= width or side < 0 or side >= rolls:
            return row
        risk, staked = at_risk[row], stake[row]
        if risk < 0 or staked < risk:
            return row
        multiplier = multipliers[side * width + code]
        if multiplier == 0:
            winnings[row] = 0
            returned[row] = staked - risk
            continue
        # The division is slow, so it is made only where the stake is that large.
        if staked > surely_fits and multiplier > 1 and risk > (_INT64_MAX - staked) // (multiplier - 1):
            return row
        won = risk * (multiplier - 1)
        winnings[row] = won
        returned[row] = staked + won
    return -1
