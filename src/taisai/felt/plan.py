"""Where the areas lie: the plan of a layout, the areas it is cut into, and a plain plan for layouts without one.

Enters: a layout. Leaves: areas in the units of the drawing (the cloth is 1600 wide), and the free strips beside
blocks, where headings go. A box that stands in several blocks has several areas. Serves the appendices;
interpretation I8 of `rws-tai-sai-v6`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from taisai.core.boxes import ALL_BOXES, Box, Kind
from taisai.core.rulebook import FeltBlock, FeltPlan, Layout
from taisai.felt.geometry import Rect

CLOTH_WIDTH: Final = 1600.0


class Area(NamedTuple):
    """One place on the cloth for one box."""

    box: Box
    rect: Rect
    block: int
    """Which block of the plan, from 0."""
    copy: int
    """1 for the first area of its box, 2 for the second."""


def scale_of(plan: FeltPlan) -> float:
    """How many units a cell of the plan is wide and high."""
    return CLOTH_WIDTH / plan.width


def areas_of(plan: FeltPlan) -> tuple[Area, ...]:
    """Every area of the plan in the felt's order: block by block, left to right, top to bottom."""
    areas = []
    copies: dict[Box, int] = {}
    for number, block in enumerate(plan.blocks):
        whole = block_rect(plan, block)
        rows = -(-len(block.boxes) // block.columns)
        for place, box in enumerate(block.boxes):
            if box is not None:
                row, column = divmod(place, block.columns)
                copies[box] = copies.get(box, 0) + 1
                rect = whole.part(column / block.columns, row / rows, 1 / block.columns, 1 / rows)
                areas.append(Area(box, rect, number, copies[box]))
    return tuple(areas)


def block_rect(plan: FeltPlan, block: FeltBlock) -> Rect:
    """A block in units of the drawing."""
    scale = scale_of(plan)
    return Rect(block.x * scale, block.y * scale, block.width * scale, block.height * scale)


def strips_beside(rect: Rect, taken: Sequence[Rect], cloth: Rect) -> dict[str, Rect]:
    """The free strips of the cloth along the four sides of a block, as deep as they are free."""
    across = [other for other in taken if other.x < rect.right - 1e-6 and rect.x < other.right - 1e-6]
    along = [other for other in taken if other.y < rect.bottom - 1e-6 and rect.y < other.bottom - 1e-6]
    top = max((other.bottom for other in across if other.bottom <= rect.y + 1e-6), default=cloth.y)
    bottom = min((other.y for other in across if other.y >= rect.bottom - 1e-6), default=cloth.bottom)
    left = max((other.right for other in along if other.right <= rect.x + 1e-6), default=cloth.x)
    right = min((other.x for other in along if other.x >= rect.right - 1e-6), default=cloth.right)
    return {
        "above": Rect(rect.x, top, rect.width, rect.y - top),
        "below": Rect(rect.x, rect.bottom, rect.width, bottom - rect.bottom),
        "left": Rect(left, rect.y, rect.x - left, rect.height),
        "right": Rect(rect.right, rect.y, right - rect.right, rect.height),
    }


_WIDTH: Final = 160
_CHANCES: Final = (Kind.SMALL, Kind.ODD, Kind.ANY_TRIPLE, Kind.EVEN, Kind.BIG)
_ROWS: Final = (
    # kind, most columns, height of a row, cells left free above and below for a heading
    (Kind.FIELD, 1, 16, 0, 0),
    (Kind.TRIPLE, 6, 7, 0, 0),
    (Kind.DOUBLE, 6, 9, 0, 0),
    (Kind.TOTAL, 14, 11, 0, 0),
    (Kind.PAIR, 15, 12, 3, 0),
    (Kind.THREE, 15, 6, 3, 0),
    (Kind.FOUR, 15, 7, 3, 0),
    (Kind.SINGLE, 6, 9, 0, 3),
)


def plan_for(layout: Layout) -> FeltPlan:
    """The layout's own plan; without one, a plain arrangement kind by kind: even chances on top, singles below."""
    if layout.felt is not None:
        return layout.felt
    blocks: list[FeltBlock] = []
    by_kind: dict[Kind, list[Box]] = {kind: [] for kind in Kind}
    for name, box in ALL_BOXES.items():
        if name in layout.boxes:
            by_kind[box.kind].append(box)
    top = 0
    chances = [kind for kind in _CHANCES if by_kind[kind]]
    if chances:
        edges = [round(_WIDTH * part / len(chances)) for part in range(len(chances) + 1)]
        for kind, left, right in zip(chances, edges, edges[1:], strict=False):
            blocks.append(FeltBlock(left, top, right - left, 20, 1, tuple(by_kind[kind])))
        top += 20
    for kind, columns_most, tall, above, below in _ROWS:
        for group in _groups(kind, by_kind[kind]):
            columns = _columns(len(group), columns_most)
            rows = -(-len(group) // columns)
            top += above
            blocks.append(FeltBlock(0, top, _WIDTH, rows * tall, columns, tuple(group)))
            top += rows * tall + below
    return FeltPlan(_WIDTH, max(top, 1), tuple(blocks))


def _groups(kind: Kind, boxes: Sequence[Box]) -> list[list[Box]]:
    """The boxes of a kind that stand together; doubles with a single stand apart from three different faces."""
    if kind is not Kind.THREE:
        return [list(boxes)] if boxes else []
    split = [[box for box in boxes if len(set(box.faces)) == count] for count in (2, 3)]
    return [group for group in split if group]


def _columns(count: int, most: int) -> int:
    """As many columns as fill the last row best."""
    rows = -(-count // most)
    return -(-count // rows)
