"""What a simulation counts: sums of whole numbers, which merge in any order to the same result.

Enters: shifts of a block, as columns. Leaves: a `Tally`. Sums and squares are Python's whole numbers and never
overflow; distributions are kept as counts by value, rounded down to eleven binary digits, so that their size is
bounded however many shifts are played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

DIGITS: Final = 11
"""Binary digits of a value that a histogram keeps."""
ENDS: Final = ("ruin", "target", "stop", "left", "shift")
"""How a visit ends: broke, at the stop-win, at the stop-loss, had enough, at the end of the shift."""


def products_of(ones: NDArray[np.int64], twos: NDArray[np.int64]) -> int:
    """The sum of the products of two columns, exactly: in 64 bits where they surely hold it."""
    most = int(np.abs(ones).max(initial=0))
    if not most:
        return 0
    if most * int(np.abs(twos).max(initial=0)) * ones.size < 1 << 63:
        return int(ones @ twos)
    return sum(one * two for one, two in zip(ones.tolist(), twos.tolist(), strict=True))


@dataclass
class Sums:
    """Of one figure for each shift: its sum and the sum of its squares."""

    total: int = 0
    squares: int = 0

    def add(self, values: NDArray[np.int64]) -> None:
        """Count some shifts."""
        self.total += products_of(values, np.ones_like(values))
        self.squares += products_of(values, values)

    def merge(self, other: Sums) -> None:
        """Count what the other has counted."""
        self.total += other.total
        self.squares += other.squares


@dataclass
class Share:
    """Part of a whole, both counted shift by shift: for a ratio and its standard error."""

    part: Sums = field(default_factory=Sums)
    whole: Sums = field(default_factory=Sums)
    products: int = 0

    def add(self, parts: NDArray[np.int64], wholes: NDArray[np.int64], whole: Sums | None = None) -> None:
        """Count some shifts. `whole` is the sums of the wholes where they are known already."""
        self.part.add(parts)
        if whole is None:
            self.whole.add(wholes)
        else:
            self.whole.merge(whole)
        self.products += products_of(parts, wholes)

    def merge(self, other: Share) -> None:
        """Count what the other has counted."""
        self.part.merge(other.part)
        self.whole.merge(other.whole)
        self.products += other.products


@dataclass
class GroupTally:
    """What one group of players did."""

    hold: Share = field(default_factory=Share)
    """What the group won, of what it had at risk."""
    played: Sums = field(default_factory=Sums)
    """Rounds played, each player's counted."""
    ahead: Share = field(default_factory=Share)
    """Visits that ended ahead, of all visits."""
    ends: tuple[Share, ...] = field(default_factory=lambda: tuple(Share() for _ in ENDS))
    """Visits by how they ended, of all visits."""

    def add(
        self,
        *,
        won: NDArray[np.int64],
        risked: NDArray[np.int64],
        played: NDArray[np.int64],
        visits: NDArray[np.int64],
        ahead: NDArray[np.int64],
        ends: Sequence[NDArray[np.int64]],
    ) -> None:
        """Count some shifts."""
        self.hold.add(won, risked)
        self.played.add(played)
        whole = Sums()
        whole.add(visits)
        for share, parts in zip((self.ahead, *self.ends), (ahead, *ends), strict=True):
            share.add(parts, visits, whole)

    def merge(self, other: GroupTally) -> None:
        """Count what the other has counted."""
        self.hold.merge(other.hold)
        self.played.merge(other.played)
        self.ahead.merge(other.ahead)
        for mine, theirs in zip(self.ends, other.ends, strict=True):
            mine.merge(theirs)


@dataclass
class Tally:
    """What a simulation has counted so far."""

    groups: tuple[GroupTally, ...]
    shifts: int = 0
    rounds: int = 0
    voids: int = 0
    cut: int = 0
    """Rounds in which limits took something off the stakes."""
    hold: Share = field(default_factory=Share)
    """What the house won, of the turnover."""
    losses: int = 0
    """Shifts that the house lost."""
    rolls: list[int] = field(default_factory=lambda: [0] * 216)
    wins: dict[int, int] = field(default_factory=dict)
    """Shifts by what the house won, rounded down."""
    worst: dict[int, int] = field(default_factory=dict)
    """Shifts by how far the house was behind at the worst moment, rounded down."""

    def merge(self, other: Tally) -> None:
        """Count what the other has counted; the order of merging changes nothing."""
        self.shifts += other.shifts
        self.rounds += other.rounds
        self.voids += other.voids
        self.cut += other.cut
        self.hold.merge(other.hold)
        self.losses += other.losses
        self.rolls = [one + two for one, two in zip(self.rolls, other.rolls, strict=True)]
        for mine, theirs in ((self.wins, other.wins), (self.worst, other.worst)):
            for value, count in theirs.items():
                mine[value] = mine.get(value, 0) + count
        for group, same in zip(self.groups, other.groups, strict=True):
            group.merge(same)


def rounded_down(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Values rounded down to eleven binary digits: at most one part in 1024 too low."""
    size = np.abs(values)
    # frexp is right for whole numbers over 2^53 too, or one digit too coarse, the same everywhere.
    digits = np.frexp(size.astype(np.float64))[1].astype(np.int64)
    drop = np.maximum(digits - DIGITS, 0)
    return (values >> drop) << drop


def counted(values: NDArray[np.int64]) -> dict[int, int]:
    """Rounded values and how many there are of each."""
    found, counts = np.unique(values, return_counts=True)
    # Rounding keeps the order, so equal ones stand together.
    kept, firsts = np.unique(rounded_down(found), return_index=True)
    return dict(zip(kept.tolist(), np.add.reduceat(counts, firsts).tolist(), strict=True))


def tally_shifts(
    groups: Sequence[Sequence[int]],
    *,
    wins: NDArray[np.int64],
    worst: NDArray[np.int64],
    turnover: NDArray[np.int64],
    rolls: NDArray[Any],
) -> Tally:
    """A tally of the shifts of a block, without its groups' figures. `groups` says which seats are whose."""
    tally = Tally(tuple(GroupTally() for _ in groups), shifts=wins.size, losses=int((wins < 0).sum()))
    tally.hold.add(wins, turnover)
    tally.rolls = rolls.tolist()
    tally.wins, tally.worst = counted(wins), counted(worst)
    return tally
