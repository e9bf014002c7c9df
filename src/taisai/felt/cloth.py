"""The table without its areas: rail, cloth, and the band above it with a title and the dice.

Enters: the size of a plan and what has to stand around it. Leaves: a `Frame` that says where everything goes, and the
markup of all that lies under the areas. Texture is made of gradients alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from taisai.core.dice import Roll
from taisai.core.names import Face
from taisai.felt import pips, svg
from taisai.felt.geometry import Rect
from taisai.felt.lettering import shortened, width_of
from taisai.felt.palette import Palette, Shade
from taisai.felt.svg import Markup, element

RAIL: Final = 34.0
"""How wide the wood around the cloth is."""
RIM: Final = 24.0
"""How much cloth shows around the areas."""
BAND: Final = 84.0
"""How high the band with the title and the dice is."""
_TITLE: Final = 34.0
_FOOT: Final = 17.0
_DIE: Final = 56.0


@dataclass(frozen=True, slots=True)
class Margins:
    """Space around the table."""

    top: float = 0.0
    left: float = 0.0
    right: float = 0.0
    bottom: float = 0.0


@dataclass(frozen=True, slots=True)
class Frame:
    """Where things go. The plan has its corner at 0, 0; what lies around it is left of that and above."""

    canvas: Rect
    table: Rect
    """Rail and cloth."""
    cloth: Rect

    @property
    def band(self) -> Rect:
        """The upper rail, where title and dice stand."""
        return Rect(self.cloth.x, self.table.y, self.cloth.width, self.cloth.y - self.table.y)


def frame_of(plan: Rect, margins: Margins, *, band: bool, foot: float) -> Frame:
    """The frame around a plan of this size: margins for callouts, a band above, a foot below for a legend."""
    cloth = plan.inset(-RIM)
    upper = BAND if band else RAIL
    table = Rect(cloth.x - RAIL, cloth.y - upper, cloth.width + 2 * RAIL, cloth.height + upper + RAIL)
    canvas = Rect(
        table.x - margins.left,
        table.y - margins.top,
        table.width + margins.left + margins.right,
        table.height + margins.top + margins.bottom + foot,
    )
    return Frame(canvas, table, cloth)


def definitions(palette: Palette, prefix: str, faces: Sequence[Face] = ()) -> Markup:
    """What the drawing refers to: grounds and dice. Nothing outside this document is referred to."""
    grounds = [
        _linear(f"{prefix}-{name}", shade)
        for name, shade in (*palette.grounds.items(), ("rail", palette.rail), ("lit", palette.lit))
    ]
    light = element(
        "radialGradient",
        element("stop", offset=0, stop_color=palette.cloth.top),
        element("stop", offset=1, stop_color=palette.cloth.bottom),
        id=f"{prefix}-cloth",
        cx=0.5,
        cy=0.42,
        r=0.72,
    )
    return svg.together(*grounds, light, pips.symbols(prefix, faces))


def _linear(name: str, shade: Shade) -> Markup:
    stops = (
        element("stop", offset=0, stop_color=shade.top),
        element("stop", offset=1, stop_color=shade.bottom),
    )
    return element("linearGradient", *stops, id=name, x1=0, y1=0, x2=0, y2=1)


TITLE_HERE: Final = Markup("<title-here/>")
"""Stands in the markup of a table where its title goes; no words can look like it, for words are escaped."""


@dataclass(frozen=True, slots=True)
class TitleLine:
    """Where a title stands, how wide it may be, and in which colour."""

    x: float
    y: float
    width: float
    fill: str

    def draw(self, title: str) -> Markup:
        """The title, shortened to its width; nothing for an empty one."""
        if not title:
            return Markup("")
        return element(
            "text",
            svg.words(shortened(title, self.width / _TITLE)),
            class_="title",
            x=self.x,
            y=self.y,
            font_size=_TITLE,
            text_anchor="start",
            fill=self.fill,
        )


def draw(frame: Frame, palette: Palette, prefix: str, roll: Roll | None, *, foot: str = "") -> tuple[Markup, TitleLine]:
    """Rail, cloth and band, with the place of a title left open; `foot` stands small in the lower rail."""
    table, cloth = frame.table, frame.cloth
    parts = [
        _box(table, 44, class_="rail", fill=f"url(#{prefix}-rail)"),
        _box(table.inset(7), 38, class_="inlay", fill="none", stroke=palette.line, stroke_width=1.5, opacity=0.45),
        # Two dark edges, one inside the other, let the cloth lie deeper than the wood.
        _box(cloth.inset(-5), 19, fill="#000000", opacity=0.35),
        _box(cloth.inset(-2), 16, fill="#000000", opacity=0.5),
        _box(cloth, 14, class_="cloth", fill=f"url(#{prefix}-cloth)"),
        _box(cloth.inset(9), 9, class_="hem", fill="none", stroke=palette.line, stroke_width=1.5, opacity=0.55),
    ]
    dice_width = 0.0
    if roll is not None:
        dice, dice_width = _result(frame, palette, prefix, roll)
        parts.append(dice)
    band = frame.band
    line = TitleLine(band.x + RIM, band.middle_y + 4 + 0.36 * _TITLE, band.width - dice_width - 2 * RIM, palette.gold)
    parts.append(TITLE_HERE)
    if foot:
        size = min(_FOOT, (cloth.width - 2 * RIM) / width_of(foot))
        parts.append(
            element(
                "text",
                svg.words(foot),
                class_="foot",
                x=cloth.middle_x,
                y=cloth.bottom + RAIL / 2 + 0.36 * size,
                font_size=size,
                font_weight="400",
                fill=palette.gold,
            )
        )
    return element("g", *parts, class_="table"), line


def _box(rect: Rect, radius: float, **attributes: str | float | None) -> Markup:
    return element(
        "rect", x=rect.x, y=rect.y, width=rect.width, height=rect.height, rx=min(radius, rect.height / 2), **attributes
    )


def _result(frame: Frame, palette: Palette, prefix: str, roll: Roll) -> tuple[Markup, float]:
    """The three dice and their total at the right end of the band, and how wide that is."""
    band = frame.band
    words = f"TOTAL {roll.total}"
    wide = width_of(words) * _TITLE + RIM + 3 * (_DIE + 10)
    left = band.right - RIM - wide
    middle = band.middle_y + 4
    dice = [
        pips.die(prefix, face, left + place * (_DIE + 10), middle - _DIE / 2, _DIE)
        for place, face in enumerate(roll.faces)
    ]
    total = element(
        "text",
        svg.words(words),
        class_="total",
        x=band.right - RIM,
        y=middle + 0.36 * _TITLE,
        font_size=_TITLE,
        text_anchor="end",
        fill=palette.ink,
    )
    return element("g", *dice, total, class_="result"), wide + RIM
