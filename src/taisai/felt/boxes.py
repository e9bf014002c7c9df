"""The areas of the felt, one element each.

Enters: a layout, its areas, which boxes are lit. Leaves: for each area a `<g class="box" data-box="total:9">` with a
title for those who do not see it; the class `lit` or `dim` when a roll is shown. Two areas of one box have the same
`data-box`. Serves `nz-division-9` §3.2 (area and odds of every wager), §3.3(b) (lights).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final, NamedTuple

from taisai.core.boxes import BoxName, Kind
from taisai.core.odds import box_odds, percent
from taisai.core.rulebook import Layout, PayRow
from taisai.felt import cells, svg, words
from taisai.felt.cells import Print
from taisai.felt.geometry import Rect
from taisai.felt.overlays import heat as heat_map
from taisai.felt.palette import Palette, Tone, tone_of
from taisai.felt.plan import Area
from taisai.felt.stack import Inks, Piece
from taisai.felt.svg import Markup, element

_DIM: Final = 0.42
"""How much of a losing area is seen while others are lit."""
_FRAMED: Final = frozenset({Tone.CHANCE, Tone.TRIPLE})
"""Prints with a second, finer line inside the first, where there is room."""
_FRAMED_FROM: Final = 90


class PrintedBox(NamedTuple):
    """An area as it is drawn, and what its print covers."""

    area: Area
    drawn: Markup
    printed: tuple[Rect, ...]


class _Ground(NamedTuple):
    fill: str
    inks: Inks
    odds: tuple[str, ...]
    label: str


def print_boxes(
    layout: Layout,
    areas: Sequence[Area],
    lit: Set[BoxName] | None,
    headed: Set[int],
    *,
    heat: bool,
    palette: Palette,
    prefix: str,
) -> list[PrintedBox]:
    """Every area in the felt's order. `headed` are the blocks with a heading, which says the odds of all singles."""
    rows = words.rows_of(layout)
    grounds = {
        name: _ground(layout, name, rows[name], lit, heat=heat, palette=palette, prefix=prefix) for name in layout.boxes
    }
    prints = []
    for area in areas:
        ground = grounds[area.box.name]
        said = area.box.kind is Kind.SINGLE and area.block in headed and not heat
        prints.append(Print(area.box, area.rect, () if said else ground.odds, ground.inks))
    return [
        PrintedBox(
            area,
            _draw(area, grounds[area.box.name], pieces, lit, palette=palette, prefix=prefix),
            tuple(piece.place for piece in pieces),
        )
        for area, pieces in zip(areas, cells.print_cells(prints, prefix), strict=True)
    ]


def _ground(
    layout: Layout,
    name: BoxName,
    rows: Sequence[PayRow],
    lit: Set[BoxName] | None,
    *,
    heat: bool,
    palette: Palette,
    prefix: str,
) -> _Ground:
    """Colours and words of a box."""
    box = layout.boxes[name]
    fill, inks = f"url(#{prefix}-{tone_of(box)})", Inks(palette.ink, palette.gold)
    odds, label = words.odds_of(rows), words.label_of(box, rows)
    if heat:
        edge = box_odds(layout, name).edge
        fill = heat_map.colour_of(edge)
        ink = heat_map.ink_on(fill)
        inks = Inks(ink, ink)
        odds, label = (percent(edge),), f"{label}, house edge {percent(edge)}"
    if lit is not None and name in lit:
        fill, inks = f"url(#{prefix}-lit)", Inks(palette.lit_ink, palette.lit_ink)
    return _Ground(fill, inks, odds, label)


def _draw(
    area: Area, ground: _Ground, pieces: Sequence[Piece], lit: Set[BoxName] | None, *, palette: Palette, prefix: str
) -> Markup:
    """One area: its ground, its lines, its print."""
    name, rect = area.box.name, area.rect
    state = "" if lit is None else " lit" if name in lit else " dim"
    copy = "" if area.copy == 1 else f"-{area.copy}"
    parts = [
        element("title", svg.words(ground.label)),
        _rect(rect, class_="ground", fill=ground.fill, stroke=palette.line, stroke_width=2),
    ]
    if tone_of(area.box) in _FRAMED and min(rect.width, rect.height) > _FRAMED_FROM:
        parts.append(_rect(rect.inset(6), rx=4, class_="frame", fill="none", stroke=ground.inks.gold, opacity=0.5))
    return element(
        "g",
        *parts,
        *(piece.drawn for piece in pieces),
        class_=f"box{state}",
        data_box=name,
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
