"""The limits of a table, read a second time from its sign: minimum, maximum, differential.

Enters: limits as the journal has them, and what lies in the boxes. Leaves: by how much a box is over. A minimum is each
player's own, a maximum holds for a box over all players together (`rws-tai-sai-v6` §3.3-3.5) or for each player where
the sign says so, a differential for the two sides as they are placed (§1.3, I6).
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
    """Maximum of each box, over all players."""
    most_each: Mapping[str, int] = {}
    """Maximum of each player in a box."""
    apart: Mapping[str, tuple[int, str]] = {}
    """By how much a box may be ahead of another, and of which."""

    def beyond(self, stakes: Mapping[str, int], box: str) -> dict[str, int]:
        """Who has more in a box than a player may have, and by how much."""
        if box not in self.most_each:
            return {}
        over = ((player, stake - self.most_each[box]) for player, stake in stakes.items())
        return {player: amount for player, amount in over if amount > 0}

    def excess(
        self, totals: Mapping[str, int], box: str, stakes: Mapping[str, Mapping[str, int]]
    ) -> tuple[str, int] | None:
        """The limit that a box is over, and by how much; of two the one that it is over by more."""
        found = None
        total = totals.get(box, 0)
        beyond = sum(self.beyond(stakes.get(box, {}), box).values())
        if beyond:
            found = ("maximum", beyond)
        if box in self.most and total > self.most[box]:
            found = ("maximum", total - self.most[box])
        if box in self.apart:
            most, other = self.apart[box]
            ahead = total - totals.get(other, 0) - most
            if ahead > (found[1] if found is not None else 0):
                found = ("differential", ahead)
        return found


def limits_on(sign: Mapping[str, Any], boxes: Iterable[str], *, differential: bool) -> Limits:
    """The limits of every box: its own, those of its group or its kind, or the default."""
    least: dict[str, int] = {}
    most: dict[str, int] = {}
    most_each: dict[str, int] = {}
    apart = {}
    grouped = {member: limit for name, limit in sign["kinds"].items() if "/" in name for member in _members(name)}
    pairs = sign.get("differential") or {} if differential else {}
    for box in boxes:
        own = sign["kinds"].get(box) or grouped.get(box) or sign["kinds"].get(box.partition(":")[0], sign["default"])
        least[box] = own["min"]
        (most_each if own.get("per") == "player" else most)[box] = own["max"]
        pair, other = SIDES.get(box, ("", ""))
        if pair in pairs:
            apart[box] = (pairs[pair], other)
    return Limits(sign["unit"], least, most, most_each, apart)


def _members(name: str) -> list[str]:
    """The boxes that a sign puts together: `total:4/17` are the totals 4 and 17."""
    found: list[str] = []
    for part in name.split("/"):
        before = found[-1].partition(":")[0] if found and ":" in found[-1] else ""
        found.append(f"{before}:{part}" if before and part[0] in "0123456789" else part)
    return found
