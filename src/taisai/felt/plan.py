"""Where the areas lie: the plan of a layout, the areas it is cut into, and a plain plan for layouts without one.

Enters: a layout. Leaves: areas in the units of the drawing (the cloth is 1600 wide), and the free strips beside
blocks, where headings go. A box that stands in several blocks has several areas. Serves the appendices;
interpretation I8 of `rws-tai-sai-v6`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from taisai.core.boxes import Box
from taisai.core.cloth import FeltBlock, FeltPlan, Tone
from taisai.core.rulebook import Layout
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


_WIDTH: Final = 480
_LARGE: Final = 60
"""How high a row of large areas is, in cells."""
_ROW: Final = 27
_STRIP: Final = 9
"""What a block of several areas leaves free above it for its heading."""
_LARGE_MOST: Final = 6
_COLUMNS_MOST: Final = 15


def plan_for(layout: Layout) -> FeltPlan:
    """The layout's own plan; without one, a plain arrangement: bets of one box on top, then family by family.

    A family is the boxes whose names share what stands before the colon, in the order of the pay table.
    """
    if layout.felt is not None:
        return layout.felt
    families: dict[str, list[Box]] = {}
    for name, box in layout.boxes.items():
        families.setdefault(name.partition(":")[0], []).append(box)
    alone = [boxes[0] for boxes in families.values() if len(boxes) == 1]
    blocks: list[FeltBlock] = []
    top = 0
    for row in _rows(alone, _LARGE_MOST):
        edges = [round(_WIDTH * part / len(row)) for part in range(len(row) + 1)]
        for box, left, right in zip(row, edges, edges[1:], strict=False):
            blocks.append(FeltBlock(left, top, right - left, _LARGE, 1, (box,), tone=Tone.DARK))
        top += _LARGE
    for boxes in families.values():
        if len(boxes) > 1:
            rows = _rows(boxes, _COLUMNS_MOST)
            top += _STRIP
            tone = (Tone.LIGHT, Tone.DEEP)[len(blocks) % 2]
            blocks.append(FeltBlock(0, top, _WIDTH, len(rows) * _ROW, len(rows[0]), tuple(boxes), tone=tone))
            top += len(rows) * _ROW
    return FeltPlan(_WIDTH, max(top, 1), tuple(blocks))


def _rows(boxes: Sequence[Box], most: int) -> list[Sequence[Box]]:
    """The boxes in rows, as equal in length as can be."""
    count = -(-len(boxes) // most)
    columns = -(-len(boxes) // max(count, 1))
    return [boxes[at : at + columns] for at in range(0, len(boxes), max(columns, 1))]
