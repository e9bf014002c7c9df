"""Rolls gathered by set of dice and tumbler.

Enters: rolls as they come, from a file or a journal. Leaves: for each set in each tumbler its rolls in order, which of
them follow the one before, and whether the dice were told apart.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from taisai.core.dice import Roll

Indices: TypeAlias = NDArray[np.uint8]
"""Rolls as places in `ALL_ROLLS`, as `bulk.roll_codes` makes them."""


class Thrown(NamedTuple):
    """The rolls of one set of dice in one tumbler."""

    name: str
    """Of the set; empty when nobody named it."""
    tumbler: str
    """Empty where there is only one."""
    rolls: Indices
    follows: NDArray[np.bool_]
    """Whether the dice lay untouched since the roll before."""
    ordered: bool | None
    """Whether the dice were told apart when they were read; None when that is not recorded."""

    @property
    def title(self) -> str:
        """What people call it; empty when there is nothing to tell apart."""
        parts = (f"dice {self.name}" if self.name else "", f"tumbler {self.tumbler}" if self.tumbler else "")
        return ", ".join(part for part in parts if part)


class _Stretch:
    """The rolls of one set in one tumbler, growing."""

    def __init__(self) -> None:
        self.rolls, self.follows = bytearray(), bytearray()
        self.ordered: set[bool | None] = set()


class Gathering:
    """Rolls as they come. A set that comes back to its tumbler goes on where it was."""

    def __init__(self) -> None:
        self._stretches: dict[tuple[str, str], _Stretch] = {}
        self._tumbler = ""
        self._sets: dict[str, str] = {}
        """By tumbler: the set that is in it."""
        self._linked: dict[str, bool] = {}
        """By tumbler: whether its next roll follows its last one."""

    def put_in(self, dice_set: str, tumbler: str = "") -> None:
        """The set and the tumbler of the rolls from now on. Tumblers that take turns break nothing."""
        self._tumbler = tumbler
        if self._sets.get(tumbler, "") != dice_set:
            self._sets[tumbler] = dice_set
            self._linked[tumbler] = False

    def gap(self) -> None:
        """The dice were touched, or thrown without a result that counts."""
        self._linked[self._tumbler] = False

    def add(self, roll: Roll | int, *, ordered: bool | None = None) -> None:
        """A roll, or its place in `ALL_ROLLS`."""
        key = self._sets.get(self._tumbler, ""), self._tumbler
        stretch = self._stretches.setdefault(key, _Stretch())
        stretch.rolls.append(roll if isinstance(roll, int) else roll.index)
        stretch.follows.append(self._linked.get(self._tumbler, False))
        stretch.ordered.add(ordered)
        self._linked[self._tumbler] = True

    def sets(self) -> tuple[Thrown, ...]:
        """All sets in all tumblers, in the order they first came."""
        return tuple(
            Thrown(
                name,
                tumbler,
                np.frombuffer(bytes(each.rolls), dtype=np.uint8),
                np.frombuffer(bytes(each.follows), dtype=np.bool_),
                # One roll whose order means nothing is enough to spoil the order of all.
                False if False in each.ordered else None if None in each.ordered else True,
            )
            for (name, tumbler), each in self._stretches.items()
        )
