"""A felt in true size, over as many sheets as it takes.

Enters: a layout, how wide its cloth shall be, a size of paper. Leaves: a PDF: a plan of the sheets with a ruler to
measure the print by, then each sheet with its name and with marks for cutting and for laying the next one on it.
`WHOLE` makes one page of the whole cloth, for a print shop.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Final

from taisai.core.faults import InputFault
from taisai.core.rulebook import Layout
from taisai.felt import Palette, draw
from taisai.felt.geometry import Rect
from taisai.printing.ink import Drawing, Place
from taisai.printing.pen import PAPERS, Pen

WHOLE: Final = "whole"
"""One page as large as the cloth."""
MARGIN: Final = Fraction(12)
"""What most printers leave white, and room for the marks."""
OVERLAP: Final = Fraction(8)
"""How far a sheet lies on the one before it."""
WIDTH_MIN: Final = Fraction(200)
WIDTH_MAX: Final = Fraction(5000)
SHEETS_MAX: Final = 500
_MARK: Final = 7.0
_RULER: Final = 100.0


@dataclass(frozen=True, slots=True)
class Tiling:
    """How a cloth is cut into sheets; all lengths in millimetres."""

    width: Fraction
    height: Fraction
    sheet: tuple[Fraction, Fraction]
    """Width and height of a sheet, as it is turned."""
    columns: int
    rows: int

    @property
    def shown(self) -> tuple[Fraction, Fraction]:
        """How much of the cloth one sheet shows."""
        return self.sheet[0] - 2 * MARGIN, self.sheet[1] - 2 * MARGIN

    @property
    def step(self) -> tuple[Fraction, Fraction]:
        """How far the next sheet begins from where this one does."""
        return self.shown[0] - OVERLAP, self.shown[1] - OVERLAP

    @property
    def sheets(self) -> int:
        """How many sheets the cloth takes, without the plan."""
        return self.columns * self.rows

    def part(self, row: int, column: int) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """What of the cloth a sheet shows: where it begins, and how much."""
        x, y = column * self.step[0], row * self.step[1]
        return x, y, min(self.shown[0], self.width - x), min(self.shown[1], self.height - y)


def tiling_of(width: Fraction, height: Fraction, paper: str) -> Tiling:
    """The fewest sheets for a cloth of this size, standing or lying."""
    if paper == WHOLE:
        return Tiling(width, height, (width + 2 * MARGIN, height + 2 * MARGIN), 1, 1)
    short, long = PAPERS[paper]
    ways = [_cut(width, height, sheet) for sheet in ((short, long), (long, short))]
    return min(ways, key=lambda tiling: tiling.sheets)


def _cut(width: Fraction, height: Fraction, sheet: tuple[Fraction, Fraction]) -> Tiling:
    columns, rows = (
        1 + max(0, ceil((cloth - (side - 2 * MARGIN)) / (side - 2 * MARGIN - OVERLAP)))
        for cloth, side in zip((width, height), sheet, strict=True)
    )
    return Tiling(width, height, sheet, columns, rows)


def sheet_name(row: int, column: int) -> str:
    """A sheet as the plan names it: `A1`, `B3`; after Z comes AA."""
    letters = ""
    row += 1
    while row:
        row, rest = divmod(row - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{column + 1}"


def print_felt(
    layout: Layout,
    made_at: datetime,
    *,
    width: Fraction,
    paper: str,
    palette: Palette,
    font: Path | None = None,
    packed: bool = True,
) -> tuple[bytes, Tiling]:
    """The PDF of a felt whose cloth is so many millimetres wide, and how it is cut."""
    if not WIDTH_MIN <= width <= WIDTH_MAX:
        raise InputFault("--width", f"from {WIDTH_MIN} to {WIDTH_MAX} mm, got {float(width):g} mm")
    drawing = Drawing(draw(layout, palette=palette))
    scale = float(width) / drawing.cloth.width
    tiling = tiling_of(width, Fraction(round(drawing.cloth.height * scale * 1000), 1000), paper)
    if tiling.sheets > SHEETS_MAX:
        raise InputFault("--width", f"that takes {tiling.sheets} sheets, and {SHEETS_MAX} are the most: larger paper")
    pen = Pen(f"{layout.name}, felt, {float(width):g} mm wide", made_at, font=font, packed=packed)
    if tiling.sheets > 1:
        _plan(pen, layout, drawing, tiling, paper)
    for row in range(tiling.rows):
        for column in range(tiling.columns):
            _sheet(pen, layout, drawing, tiling, row=row, column=column)
    return pen.document(), tiling


def _sheet(pen: Pen, layout: Layout, drawing: Drawing, tiling: Tiling, *, row: int, column: int) -> None:
    page_width, page_height = map(float, tiling.sheet)
    pen.page(page_width, page_height)
    x, y, wide, high = map(float, tiling.part(row, column))
    scale = float(tiling.width) / drawing.cloth.width
    window = Rect(drawing.cloth.x + x / scale, drawing.cloth.y + y / scale, wide / scale, high / scale)
    margin = float(MARGIN)
    drawing.paint(pen, Place(window, margin, margin, scale))
    right, bottom = margin + wide, margin + high
    for at in (margin, right):
        _tick_down(pen, at, page_height, bottom)
    for at in (margin, bottom):
        _tick_across(pen, at, page_width, right)
    # Where the sheets to the right and below begin; their own edges are cut along the marks at margin.
    if column + 1 < tiling.columns:
        _tick_down(pen, margin + float(tiling.step[0]), page_height, bottom, arrow=True)
    if row + 1 < tiling.rows:
        _tick_across(pen, margin + float(tiling.step[1]), page_width, right, arrow=True)
    if tiling.sheets > 1:
        name = f"{sheet_name(row, column)}   row {row + 1} of {tiling.rows}, sheet {column + 1} of {tiling.columns}"
        pen.text(margin + 10, margin - 4, f"{name}   {layout.name}", 3)


def _tick_down(pen: Pen, x: float, page_height: float, bottom: float, *, arrow: bool = False) -> None:
    """A mark above and below the print."""
    margin = float(MARGIN)
    for near, far in ((margin - 1, margin - _MARK), (bottom + 1, min(bottom + _MARK, page_height))):
        pen.line(x, near, x, far, width=0.15)
        if arrow:
            tip = (near - far) / abs(near - far) * 1.6
            for side in (-1.0, 1.0):
                pen.line(x, near, x + side, near - tip)


def _tick_across(pen: Pen, y: float, page_width: float, right: float, *, arrow: bool = False) -> None:
    """A mark left and right of the print."""
    margin = float(MARGIN)
    for near, far in ((margin - 1, margin - _MARK), (right + 1, min(right + _MARK, page_width))):
        pen.line(near, y, far, y, width=0.15)
        if arrow:
            tip = (near - far) / abs(near - far) * 1.6
            for side in (-1.0, 1.0):
                pen.line(near, y, near - tip, y + side)


def _plan(pen: Pen, layout: Layout, drawing: Drawing, tiling: Tiling, paper: str) -> None:
    """The first page: what goes where, how to cut it, and a ruler."""
    page_width, page_height = map(float, tiling.sheet)
    pen.page(page_width, page_height)
    margin, left = float(MARGIN), float(MARGIN) + 5
    size = f"{float(tiling.width):g} x {float(round(tiling.height)):g} mm"
    pen.text(left, margin + 8, f"{layout.name}, {layout.title}", 6, bold=True)
    lines = [
        f"{size}, on {tiling.sheets} sheets of {paper}: {tiling.rows} rows of {tiling.columns}.",
        "Print at 100 % (actual size), one side only, and measure the line below before you print the rest.",
        "Cut every sheet along the plain marks at its left and upper edge, except where the cloth ends.",
        f"Lay it on the sheet before so that the edges meet the marks with an arrow: they overlap by {OVERLAP} mm.",
        *([drawing.foot + "."] if drawing.foot else []),
    ]
    for at, line in enumerate(lines):
        pen.text(left, margin + 16 + at * 5.5, line, 3.6 if page_width > 230 else 3.2)
    ruler = margin + 19 + len(lines) * 5.5
    pen.line(left, ruler, left + _RULER, ruler, width=0.3)
    for at in range(11):
        pen.line(left + at * 10, ruler - (3 if at % 5 == 0 else 1.5), left + at * 10, ruler, width=0.3)
    pen.text(left + _RULER + 3, ruler, "100 mm", 3.6)
    top = ruler + 8
    room = page_width - 2 * left, page_height - top - margin
    small = min(room[0] / float(tiling.width), room[1] / float(tiling.height))
    drawing.paint(pen, Place(drawing.cloth, left, top, small * float(tiling.width) / drawing.cloth.width))
    for row in range(tiling.rows):
        for column in range(tiling.columns):
            x, y, wide, high = (float(each) * small for each in tiling.part(row, column))
            pen.pdf.set_draw_color("#ffffff")
            pen.pdf.set_line_width(0.35)
            pen.pdf.rect(left + x, top + y, wide, high)
            pen.pdf.set_fill_color("#ffffff")
            pen.pdf.rect(left + x + wide / 2 - 5, top + y + high / 2 - 3.5, 10, 7, style="F")
            middle = left + x + wide / 2, top + y + high / 2 + 1.6
            pen.text(*middle, sheet_name(row, column), 4.4, bold=True, anchor="middle")
