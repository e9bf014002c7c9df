"""Callouts: which bet is named from which side of the table, and to which point of the cloth its line leads.

Enters: a layout and the areas of its felt. Leaves: a callout for every group of areas that lie together and belong to
one bet. `tags` draws them. Serves `rws-tai-sai-v6` App. B, App. D, App. F; §2.1.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from math import inf
from typing import Final, NamedTuple, assert_never

from taisai.core.rulebook import Layout
from taisai.felt import words
from taisai.felt.geometry import Rect
from taisai.felt.lettering import width_of
from taisai.felt.plan import Area

LETTERS: Final = 21.0
"""The size of a name on its tag, where there is room."""
DOT: Final = 5.0
_REACH: Final = 2.0
"""How far inside its area a line ends."""
_PARTS: Final = ((0.5, 0.0), (0.12, 0.0), (0.88, 0.0), (0.3, 0.0), (0.7, 0.0), (0.0, 8.0), (1.0, -8.0))
"""Where on an edge of an area a line may begin, the middle first: a part of the edge, and units more."""


class Side(StrEnum):
    """A side of the table."""

    TOP = "top"
    LEFT = "left"
    RIGHT = "right"
    BOTTOM = "bottom"

    @property
    def is_level(self) -> bool:
        """Whether the tags of this side stand next to each other, not below each other."""
        return self in {Side.TOP, Side.BOTTOM}


class Group(NamedTuple):
    """Areas of one bet that lie together."""

    bet: str
    rects: tuple[Rect, ...]


class Callout(NamedTuple):
    """A bet's name at a side, and the point of the cloth to which its line leads."""

    bet: str
    side: Side
    x: float
    y: float

    @property
    def along(self) -> float:
        """The place on its side."""
        return self.x if self.side.is_level else self.y


def groups_of(layout: Layout, areas: Sequence[Area]) -> tuple[Group, ...]:
    """The areas of each bet in the order of the pay table, those that touch together."""
    groups = []
    by_bet: dict[str, list[Rect]] = {row.bet: [] for row in layout.rows}
    rows = words.rows_of(layout)
    for area in areas:
        by_bet[rows[area.box.name][0].bet].append(area.rect)
    for bet, rects in by_bet.items():
        left = list(rects)
        while left:
            group = [left.pop(0)]
            for member in group:
                touching = [other for other in left if member.inset(-3).overlaps(other)]
                group += touching
                left = [other for other in left if other not in touching]
            groups.append(Group(bet, tuple(group)))
    return tuple(groups)


@lru_cache(maxsize=64)
def callouts_of(groups: tuple[Group, ...], printed: tuple[Rect, ...], cloth: Rect) -> tuple[Callout, ...]:
    """For each group the side from which a straight line crosses the least print and the fewest areas of others.

    Kept: the same for all rolls, and the most costly part of a drawing by far.
    """
    placed: list[Callout] = []
    every = [rect for group in groups for rect in group.rects]
    for group in groups:
        own = set(group.rects)
        others = [rect for rect in every if rect not in own]
        ways = _ways(group)
        cheapest = sorted((_cost(group.bet, way, placed, cloth), number) for number, way in enumerate(ways))
        best = (inf, 0)
        for least, number in cheapest:
            # Crossings only add to the cost, so no later way can be better than the best so far.
            if least > best[0]:
                break
            best = min(best, (least + _crossings(ways[number], others, printed, cloth), number))
        side, x, y = ways[best[1]]
        placed.append(Callout(group.bet, side, x, y))
    return tuple(placed)


Way = tuple[Side, float, float]


def _ways(group: Group) -> list[Way]:
    """The points near the outer edges of a group from which a line may leave it."""
    ways: list[Way] = []
    top, left = min(rect.y for rect in group.rects), min(rect.x for rect in group.rects)
    right, bottom = max(rect.right for rect in group.rects), max(rect.bottom for rect in group.rects)
    for rect in group.rects:
        for part, more in _PARTS:
            x, y = rect.x + part * rect.width + more, rect.y + part * rect.height + more
            if rect.y - top < 1:
                ways.append((Side.TOP, x, rect.y + _REACH))
            if rect.x - left < 1:
                ways.append((Side.LEFT, rect.x + _REACH, y))
            if right - rect.right < 1:
                ways.append((Side.RIGHT, rect.right - _REACH, y))
            if bottom - rect.bottom < 1:
                ways.append((Side.BOTTOM, x, rect.bottom - _REACH))
    return ways


def _path(way: Way, cloth: Rect) -> Rect:
    """The line from a point to the edge of the cloth, with a little room on both sides."""
    side, x, y = way
    match side:
        case Side.TOP:
            return Rect(x - 3, cloth.y, 6, y - cloth.y)
        case Side.BOTTOM:
            return Rect(x - 3, y, 6, cloth.bottom - y)
        case Side.LEFT:
            return Rect(cloth.x, y - 3, x - cloth.x, 6)
        case Side.RIGHT:
            return Rect(x, y - 3, cloth.right - x, 6)
        case _:
            assert_never(side)


def _cost(bet: str, way: Way, placed: Sequence[Callout], cloth: Rect) -> float:
    """What speaks against a way in any case: its length, and the tags that stand near."""
    side, x, y = way
    path = _path(way, cloth)
    length, room = (path.height, cloth.width) if side.is_level else (path.width, cloth.height)
    beside = [callout for callout in placed if callout.side is side]
    along = x if side.is_level else y
    need = (width_of(bet) / 2 + 2) * LETTERS if side.is_level else 3.6 * LETTERS
    near = sum(max(0.0, 1 - abs(callout.along - along) / need) for callout in beside)
    return length / 400 + near * 2.5 + len(beside) * need / room * 1.5


def _crossings(way: Way, others: Sequence[Rect], printed: Sequence[Rect], cloth: Rect) -> float:
    """What a way crosses: areas of other bets, and print, which must stay readable."""
    _, x, y = way
    path = _path(way, cloth)
    dot = Rect(x - DOT, y - DOT, 2 * DOT, 2 * DOT)
    areas = sum(path.overlaps(other) for other in others)
    lines = sum(path.overlaps(other) + dot.overlaps(other) / 2 for other in printed)
    return areas * 2 + lines * 3
