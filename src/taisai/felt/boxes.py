"""The areas of the felt, one element each.

Enters: a layout, its areas, which boxes are lit. Leaves: for each area a `<g class="box" data-box="total:9">` with a
title for those who do not see it; the class `lit` or `dim` when a roll is shown. Two areas of one box have the same
`data-box`. Serves `nz-division-9` §3.2 (area and odds of every wager), §3.3(b) (lights).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final, NamedTuple

from taisai.core.boxes import BoxName
from taisai.core.cloth import FeltPlan, PrintLine, PrintRole, Tone
from taisai.core.odds import box_odds, percent
from taisai.core.rulebook import Layout, PayRow
from taisai.felt import cells, svg, words
from taisai.felt.cells import Print
from taisai.felt.geometry import Rect
from taisai.felt.overlays import heat as heat_map
from taisai.felt.palette import Palette
from taisai.felt.plan import Area
from taisai.felt.stack import Inks, Piece
from taisai.felt.svg import Markup, element

_DIM: Final = 0.42
"""How much of a losing area is seen while others are lit."""
_FRAMED: Final = frozenset({Tone.DARK, Tone.ACCENT})
"""Prints with a second, finer line inside the first, where there is room."""
_FRAMED_FROM: Final = 90
_NAMING: Final = frozenset({PrintRole.NAME, PrintRole.CHARACTER, PrintRole.DICE, PrintRole.NUMBERS})
"""What a heat map keeps of an area's print."""


class PrintedBox(NamedTuple):
    """An area as it is drawn, and what its print covers."""

    area: Area
    drawn: Markup
    printed: tuple[Rect, ...]


class _Ground(NamedTuple):
    fill: str
    inks: Inks
    lines: tuple[PrintLine, ...]
    label: str


def print_boxes(
    layout: Layout,
    plan: FeltPlan,
    areas: Sequence[Area],
    lit: Set[BoxName] | None,
    headed: Set[int],
    *,
    heat: bool,
    palette: Palette,
    prefix: str,
) -> list[PrintedBox]:
    """Every area in the felt's order. `headed` are the blocks with a heading, which says the odds of plain areas."""
    rows = words.rows_of(layout)
    sections = words.sections_of(layout, plan, rows)
    grounds = [
        _ground(
            layout, plan, area, rows[area.box.name], lit=lit, headed=headed, heat=heat, palette=palette, prefix=prefix
        )
        for area in areas
    ]
    prints = [
        Print(area.rect, ground.lines, tone_of(plan, area), ground.inks)
        for area, ground in zip(areas, grounds, strict=True)
    ]
    return [
        PrintedBox(
            area,
            _draw(plan, area, ground, pieces, lit, section=sections[area.block], palette=palette, prefix=prefix),
            tuple(piece.place for piece in pieces),
        )
        for area, ground, pieces in zip(areas, grounds, cells.print_cells(prints, prefix), strict=True)
    ]


def tone_of(plan: FeltPlan, area: Area) -> Tone:
    """The ground of an area: its block's own, or dark for an area that fills its block."""
    block = plan.blocks[area.block]
    return block.tone or (Tone.DARK if len(block.boxes) == 1 else Tone.LIGHT)


def _ground(
    layout: Layout,
    plan: FeltPlan,
    area: Area,
    rows: Sequence[PayRow],
    *,
    lit: Set[BoxName] | None,
    headed: Set[int],
    heat: bool,
    palette: Palette,
    prefix: str,
) -> _Ground:
    """Colours and words of an area."""
    name, block = area.box.name, plan.blocks[area.block]
    fill, inks = f"url(#{prefix}-{tone_of(plan, area)})", Inks(palette.ink, palette.gold, plan.lang)
    lines, label = words.lines_of(layout, block, name, rows), words.label_of(layout, name, rows)
    if area.block in headed and not block.lines:
        lines = tuple(line for line in lines if line.role is not PrintRole.ODDS)
    if heat:
        edge = box_odds(layout, name).edge
        fill = heat_map.colour_of(edge)
        ink = heat_map.ink_on(fill)
        inks = Inks(ink, ink, plan.lang)
        kept = tuple(line for line in lines if line.role in _NAMING) or lines[:1]
        lines = (*kept, PrintLine(PrintRole.ODDS, percent(edge).replace(" ", "\u00a0")))
        label = f"{label}, house edge {percent(edge)}"
    if lit is not None and name in lit:
        fill, inks = f"url(#{prefix}-lit)", Inks(palette.lit_ink, palette.lit_ink, plan.lang)
    return _Ground(fill, inks, lines, label)


def _draw(
    plan: FeltPlan,
    area: Area,
    ground: _Ground,
    pieces: Sequence[Piece],
    lit: Set[BoxName] | None,
    *,
    section: str,
    palette: Palette,
    prefix: str,
) -> Markup:
    """One area: its ground, its lines, its print."""
    name, rect = area.box.name, area.rect
    state = "" if lit is None else " lit" if name in lit else " dim"
    copy = "" if area.copy == 1 else f"-{area.copy}"
    parts = [
        element("title", svg.words(ground.label)),
        _rect(rect, class_="ground", fill=ground.fill, stroke=palette.line, stroke_width=2),
    ]
    if tone_of(plan, area) in _FRAMED and min(rect.width, rect.height) > _FRAMED_FROM:
        parts.append(_rect(rect.inset(6), rx=4, class_="frame", fill="none", stroke=ground.inks.gold, opacity=0.5))
    return element(
        "g",
        *parts,
        *(piece.drawn for piece in pieces),
        class_=f"box{state}",
        data_box=name,
        data_section=section,
        id=f"{prefix}-{name.replace(':', '-')}{copy}",
        opacity=_DIM if state == " dim" else None,
        fill=ground.inks.ink if ground.inks.ink != palette.ink else None,
    )


def glow(rects: Sequence[Rect], palette: Palette) -> Markup:
    """Light that spills over the lines of the areas that win; above the areas, or their neighbours would cover it."""
    rings = (
        _rect(rect.inset(-out), rx=out + 2, stroke=colour, stroke_width=width, opacity=strength)
        for rect in rects
        for out, width, strength, colour in (
            (4, 8, 0.25, palette.lit.bottom),
            (2, 5, 0.5, palette.lit.bottom),
            (0, 4, 1, palette.lit_line),
        )
    )
    return element("g", *rings, class_="glow", fill="none")


def _rect(rect: Rect, **attributes: str | float | None) -> Markup:
    return element("rect", x=rect.x, y=rect.y, width=rect.width, height=rect.height, **attributes)
