"""The compiled kernels of simulation: the words of Philox, and a walk over flat shifts. Needs numba, the extra `fast`.

Enters: a key and a counter; rolls and what each is worth to the house. Leaves: the same words as NumPy's Philox, and
the same counts and moments as `table.play_flat` finds without numba, to the last bit.
"""

from __future__ import annotations

from typing import Any, Final

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped] # it has no types
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

_LANES: Final = 4
"""Words that one counter gives."""


def _upper_half(_context: Any, _one: Any, _two: Any) -> Any:
    """The upper half of the product of two words, in the processor's own instruction."""

    def code(_context: Any, builder: Any, _signature: Any, words: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(words[0], wide), builder.zext(words[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), code


_high: Any = intrinsic(_upper_half)


@numba.njit(nogil=True)
def _fill(key: NDArray[np.uint64], block: np.uint64, counter: np.uint64, words: NDArray[np.uint64]) -> None:
    """Words of Philox4x64-10 (Salmon and others, 2011), in whole counters from `counter` on."""
    for place in range(len(words) // 4):
        one, two, three, four = counter + np.uint64(place), np.uint64(0), np.uint64(0), block
        left, right = key[0], key[1]
        for _ in range(10):
            high, low = _high(np.uint64(0xD2E7470EE14C6C93), one), np.uint64(0xD2E7470EE14C6C93) * one
            tall, deep = _high(np.uint64(0xCA5A826395121157), three), np.uint64(0xCA5A826395121157) * three
            one, two, three, four = tall ^ two ^ left, deep, high ^ four ^ right, low
            left += np.uint64(0x9E3779B97F4A7C15)
            right += np.uint64(0xBB67AE8584CAA73B)
        at = 4 * place
        words[at], words[at + 1], words[at + 2], words[at + 3] = one, two, three, four


class Philox:
    """As `numpy.random.Philox(key=key, counter=block << 192)`, as far as `draws` asks it."""

    def __init__(self, key: int, block: int) -> None:
        self._key = np.array([key & (2**64 - 1), key >> 64], dtype=np.uint64)
        self._block = np.uint64(block)
        self._drawn = 0

    def random_raw(self, count: int) -> NDArray[np.uint64]:
        """The next words."""
        first, skipped = divmod(self._drawn, _LANES)
        self._drawn += count
        words = np.empty(-(-(skipped + count) // _LANES) * _LANES, dtype=np.uint64)
        _fill(self._key, self._block, np.uint64(first + 1), words)  # NumPy steps the counter before it draws
        return words[skipped : skipped + count]


@numba.njit(nogil=True)
def _walk(
    rolls: NDArray[np.uint8],
    house: NDArray[np.int64],
    counts: NDArray[np.int64],
    ends: NDArray[np.int64],
    lowest: NDArray[np.int64],
) -> None:
    apart = len(counts) == len(rolls)
    for lane in range(len(rolls)):
        along, deepest = np.int64(0), np.int64(0)
        row, count = rolls[lane], counts[lane if apart else 0]
        for place in range(len(row)):
            roll = row[place]
            count[roll] += 1
            along += house[roll]
            deepest = min(deepest, along)
        ends[lane], lowest[lane] = along, deepest


def walk(
    rolls: NDArray[np.uint8], house: NDArray[np.int64], apart: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Along some shifts, a row each: how often each roll fell (in all, or apart), the end, the lowest or 0."""
    lanes = len(rolls)
    counts = np.zeros((lanes if apart else 1, len(house)), dtype=np.int64)
    ends, lowest = np.empty(lanes, dtype=np.int64), np.empty(lanes, dtype=np.int64)
    _walk(rolls, house, counts, ends, lowest)
    return counts, ends, lowest
