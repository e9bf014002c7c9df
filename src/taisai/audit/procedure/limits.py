"""The limits of a table, read a second time from its sign: minimum, maximum, differential.

Enters: limits as the journal has them, and what lies in the boxes. Leaves: by how much a box is over. A minimum is each
player's own, a maximum holds for a box over all players together (`rws-tai-sai-v6` §3.3-3.5), a differential for the
two sides as they are placed (§1.3, I6).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

SIDES: Final[Mapping[str, tuple[str, str]]] = {
    "big": ("big-small", "small"),
    "small": ("big-small", "big"),
    "odd": ("odd-even", "even"),
    "even": ("odd-even", "odd"),
}
"""Of a box with another opposite: the name of the pair, and the other."""


class Limits(NamedTuple):
    """What a sign says of each box."""

    unit: int = 1
    least: Mapping[str, int] = {}
    """Minimum of each box of the layout."""
    most: Mapping[str, int] = {}
    """Maximum of each box."""
    apart: Mapping[str, tuple[int, str]] = {}
    """By how much a box may be ahead of another, and of which."""

    def excess(self, totals: Mapping[str, int], box: str) -> tuple[str, int] | None:
        """The limit that a box is over, and by how much; of two the one that it is over by more."""
        found = None
        total = totals.get(box, 0)
        if box in self.most and total > self.most[box]:
            found = ("maximum", total - self.most[box])
        if box in self.apart:
            most, other = self.apart[box]
            ahead = total - totals.get(other, 0) - most
            if ahead > (found[1] if found is not None else 0):
                found = ("differential", ahead)
        return found


def limits_on(sign: Mapping[str, Any], boxes: Iterable[str], *, differential: bool) -> Limits:
    """The limits of every box: its own, those of its kind, or the default."""
    least, most, apart = {}, {}, {}
    pairs = sign.get("differential") or {} if differential else {}
    for box in boxes:
        own = sign["kinds"].get(box) or sign["kinds"].get(box.partition(":")[0], sign["default"])
        least[box], most[box] = own["min"], own["max"]
        pair, other = SIDES.get(box, ("", ""))
        if pair in pairs:
            apart[box] = (pairs[pair], other)
    return Limits(sign["unit"], least, most, apart)
