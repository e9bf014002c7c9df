"""The words of chance: pinned, fair, and each purpose by itself."""

from __future__ import annotations

from fractions import Fraction
from typing import cast

import numpy as np
import pytest

from taisai.analysis.simulate.draws import SEED_MOST, Purpose, draw_rolls, happens, stream, threshold
from taisai.core.faults import InputFault

PINNED = [212, 35, 44, 188, 54, 210, 14, 63, 145, 67, 112, 90]
"""The first rolls of seed 7."""


def test_rolls_are_pinned() -> None:
    """The rolls of a seed are the same in every version and on every machine: these were written down."""
    assert draw_rolls(stream(7, Purpose.ROLLS, 0), 12).tolist() == PINNED
    assert draw_rolls(stream(7, Purpose.ROLLS, 0), 100_000)[:12].tolist() == PINNED
    assert draw_rolls(stream(7, Purpose.ROLLS, 1), 12).tolist() != PINNED
    assert draw_rolls(stream(7, Purpose.VOIDS, 0), 12).tolist() != PINNED
    assert draw_rolls(stream(8, Purpose.ROLLS, 0), 12).tolist() != PINNED


def test_words_are_those_of_philox() -> None:
    """The first words of key 0 and counter 0 are those of the published test vector's generator.

    Philox4x64-10 of Salmon and others, Parallel random numbers: as easy as 1, 2, 3 (2011); NumPy steps the counter
    before it draws, so the words of counter 1 come first: the vector for counter 0 follows the highest counter.
    """
    last = np.random.Philox(key=0, counter=2**256 - 1)
    assert [int(word) for word in last.random_raw(4)] == [
        0x16554D9ECA36314C,
        0xDB20FE9D672D0FDC,
        0xD7E772CEE186176B,
        0x7E68B68AEC7BA23B,
    ]


def test_every_roll_is_as_likely() -> None:
    """Two million rolls are as even as fair ones are: chi-square of 215 degrees between its far quantiles."""
    counts = np.bincount(draw_rolls(stream(1, Purpose.ROLLS, 5), 2_160_000), minlength=216)
    assert len(counts) == 216
    statistic = float(((counts - 10_000.0) ** 2).sum() / 10_000)
    assert 143 < statistic < 301  # beyond these one in ten thousand each


class Strange:
    """A source whose first words stand for no roll, more of them than there are spare ones."""

    def __init__(self) -> None:
        self.drawn = 0

    def random_raw(self, count: int) -> np.typing.NDArray[np.uint64]:
        """Words of all ones first, then of a roll each."""
        self.drawn += 1
        fill = 2**64 - 1 if self.drawn == 1 else 0x012F_012F_012F_012F  # 303: the first value of roll 1
        return np.full(count, fill, dtype=np.uint64)


def test_words_that_stand_for_no_roll_are_replaced() -> None:
    """However many words stand for no roll, as many rolls are drawn as were asked for."""
    source = Strange()
    assert draw_rolls(cast("np.random.Philox", source), 300).tolist() == [1] * 300
    assert source.drawn > 2


def test_chances_are_kept() -> None:
    """What has a chance of a third happens in a third of draws, within five deviations; a chance of 0 never does."""
    chances = np.array([threshold(Fraction(1, 3)), 0, threshold(Fraction(1))], dtype=np.uint64)
    found = happens(stream(1, Purpose.LEAVING, 0), chances, 90_000)
    assert abs(int(found[0].sum()) - 30_000) < 5 * 142
    assert not found[1].any()
    assert found[2].all()


def test_seeds_have_their_range() -> None:
    """A seed is a whole number of 64 bits."""
    stream(SEED_MOST, Purpose.ROLLS, 2**60)
    with pytest.raises(InputFault, match="seed: a whole number from 0"):
        stream(-1, Purpose.ROLLS, 0)
