"""Headings: what the felt says once for a group of areas, in the free strip beside it.

Enters: a layout and its plan. Leaves: the headings with their place, and which blocks have one. A plan that leaves a
gap beside a block gets the heading there; one that leaves none gets none, and every area then says all by itself.
"""

from __future__ import annotations

from typing import Final, NamedTuple, assert_never

from taisai.core.cloth import FeltPlan, Side
from taisai.core.rulebook import Layout
from taisai.felt import svg, words
from taisai.felt.geometry import Rect
from taisai.felt.lettering import balanced, width_of
from taisai.felt.plan import block_rect, scale_of, strips_beside
from taisai.felt.svg import Markup, element

_DEEPEST: Final = 130.0
"""A heading keeps this near to its block, however wide the gap."""
_SMALLEST: Final = 15.0
_LARGEST: Final = 30.0
_RIM_X: Final = 15.0
_RIM_Y: Final = 5.0
_SIDES: Final = (Side.ABOVE, Side.LEFT, Side.RIGHT, Side.BELOW)
"""Where a heading stands when the book does not say, best first."""


class Heading(NamedTuple):
    """Lines of words beside a block; `turned` is read with the head to the left."""

    block: int
    lines: tuple[str, ...]
    place: Rect
    turned: bool
    size: float

    @property
    def printed(self) -> Rect:
        """What the words cover."""
        width, height = max(map(width_of, self.lines)) * self.size, (len(self.lines) * 1.3 - 0.5) * self.size
        if self.turned:
            width, height = height, width
        return Rect(self.place.middle_x - width / 2, self.place.middle_y - height / 2, width, height)


def headings_of(layout: Layout, plan: FeltPlan) -> tuple[Heading, ...]:
    """The headings that have a place, in the order of their blocks."""
    scale = scale_of(plan)
    cloth = Rect(0, 0, plan.width * scale, plan.height * scale)
    taken = [block_rect(plan, block) for block in plan.blocks]
    headings = []
    rows = words.rows_of(layout)
    for number, block in enumerate(plan.blocks):
        text = words.heading_of(layout, block, rows)
        if not text:
            continue
        sides = strips_beside(taken[number], taken, cloth)
        wanted = _SIDES if block.side is None else (block.side,)
        found = (_heading(number, text, _near(sides[side], side)) for side in wanted)
        heading = next((one for one in found if one is not None), None)
        if heading is not None:
            headings.append(heading)
            taken.append(heading.place)
    return tuple(headings)


def _near(strip: Rect, side: Side) -> Rect:
    """The part of a strip next to the block."""
    deep, tall = min(strip.width, _DEEPEST), min(strip.height, _DEEPEST)
    match side:
        case Side.ABOVE:
            return Rect(strip.x, strip.bottom - tall, strip.width, tall)
        case Side.BELOW:
            return Rect(strip.x, strip.y, strip.width, tall)
        case Side.LEFT:
            return Rect(strip.right - deep, strip.y, deep, strip.height)
        case Side.RIGHT:
            return Rect(strip.x, strip.y, deep, strip.height)
        case _:
            assert_never(side)


def _heading(block: int, text: str, strip: Rect) -> Heading | None:
    """The words as large as the strip allows: in lines, or turned; None when they would be too small."""
    place = strip.inset(min(_RIM_X, strip.width * 0.12), min(_RIM_Y, strip.height * 0.12))
    if place.width <= 0 or place.height <= 0:
        return None
    best: Heading | None = None
    for turned in (False, True):
        width, height = (place.height, place.width) if turned else (place.width, place.height)
        for count in range(1, 6):
            lines = balanced(text, count)
            size = min(width / max(map(width_of, lines)), height / (len(lines) * 1.3 - 0.5), _LARGEST)
            # Upright words are easier to read, so turned ones must be much larger to be taken.
            if size >= _SMALLEST and (best is None or size > best.size * (1.7 if turned and not best.turned else 1.02)):
                best = Heading(block, lines, place, turned, size)
    return best


def draw(heading: Heading, gold: str) -> Markup:
    """A heading in its strip."""
    place = heading.place
    drawn = []
    for number, text in enumerate(heading.lines):
        down = (number - (len(heading.lines) - 1) / 2) * 1.3 * heading.size + 0.37 * heading.size
        turn = None
        across, up = place.middle_x, place.middle_y + down
        if heading.turned:
            across, up = place.middle_x + down, place.middle_y
            turn = f"rotate(-90 {svg.number(across)} {svg.number(up)})"
        drawn.append(
            element(
                "text",
                svg.words(text.replace("\u00a0", " ")),
                class_="heading",
                x=across,
                y=up,
                font_size=heading.size,
                fill=gold,
                transform=turn,
            )
        )
    return element("g", *drawn, class_="headings")
