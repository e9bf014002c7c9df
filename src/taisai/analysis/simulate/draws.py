"""Chance for simulations: rolls and yes-or-no draws from counted streams.

Enters: a seed and the number of a block. Leaves: rolls as places among the 216, each exactly as likely, and words to
compare with a chance. A stream is Philox (Salmon and others, 2011): its words follow from seed, purpose and block
alone, so a block is the same whoever draws it and whenever. Words are turned into rolls here and not by NumPy's
`Generator`, whose ways may change from version to version; the words of the bit generator do not.
"""

from __future__ import annotations

from enum import IntEnum
from fractions import Fraction
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from taisai.core.faults import InputFault

SEED_MOST: Final = 2**64 - 1

_EACH: Final = 65536 // 216
"""How many of the 65,536 values of sixteen bits stand for one roll; the last 88 stand for none."""
_END: Final = _EACH * 216
_AT_ONCE: Final = 1 << 16
"""Rolls drawn at once: what fits the processor's cache. A part of the definition: other parts give other rolls."""


class Purpose(IntEnum):
    """What a stream is for. Each purpose has its own, so that one more question changes no other answer."""

    ROLLS = 0
    VOIDS = 1
    ATTENDANCE = 2
    LEAVING = 3


class Words(Protocol):
    """A source of words of 64 bits: NumPy's Philox, or the compiled one, which gives the same."""

    def random_raw(self, size: int, /) -> NDArray[np.uint64]:
        """The next words."""
        ...


def stream(seed: int, purpose: Purpose, block: int, *, compiled: bool = False) -> Words:
    """The stream of a block: the seed and the purpose are the key, the block is the highest word of the counter."""
    if type(seed) is not int or not 0 <= seed <= SEED_MOST:
        raise InputFault("seed", f"a whole number from 0 to {SEED_MOST}, got {seed}")
    key = seed | (int(purpose) << 64)
    if compiled:
        from taisai.analysis.simulate.compiled import Philox  # noqa: PLC0415 - an extra, and heavy

        return Philox(key, block)
    return np.random.Philox(key=key, counter=block << 192)


def draw_rolls(source: Words, count: int) -> NDArray[np.uint8]:
    """So many rolls, each of the 216 exactly as likely as any other."""
    found = np.empty(count, dtype=np.uint8)
    for start in range(0, count, _AT_ONCE):
        part = found[start : start + _AT_ONCE]
        np.copyto(part, _some_rolls(source, part.size), casting="unsafe")  # places are under 216
    return found


def _some_rolls(source: Words, count: int) -> NDArray[np.uint16]:
    spare = count // 256 + 64
    words = _sixteen(source, count + spare)
    drawn, spares = words[:count], words[count:]
    # A value that stands for no roll is replaced by the next spare one that does: whatever is kept is uniform.
    strange = np.flatnonzero(drawn >= _END)
    kept = spares[spares < _END]
    while kept.size < strange.size:
        more = _sixteen(source, spare)
        kept = np.concatenate([kept, more[more < _END]])
    drawn[strange] = kept[: strange.size]
    return drawn // _EACH


def _sixteen(source: Words, count: int) -> NDArray[np.uint16]:
    words = np.asarray(source.random_raw(-(-count // 4)), dtype="<u8")
    # Lowest bits first on every machine.
    return words.view("<u2")[:count].astype(np.uint16, copy=False)


def happens(source: Words, chances: NDArray[np.uint64], lanes: int) -> NDArray[np.bool_]:
    """For each chance (of `threshold`) a row of yes or no, one a lane."""
    words: NDArray[np.uint64] = np.asarray(source.random_raw(chances.size * lanes), dtype=np.uint64)
    return words.reshape(chances.size, lanes) < chances[:, None]


def threshold(chance: Fraction) -> int:
    """The word under which something of this chance happens: right to one part in 2^64."""
    return min(int(chance * 2**64), 2**64 - 1)
