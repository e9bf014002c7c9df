"""The heat map: each area in the colour of what the house keeps of it on average.

Enters: a layout. Leaves: a colour and a percentage for each box, and a legend. The scale runs from 0 to 30 % on every
felt, so that felts compare; it grows lighter all the way, so that it reads without seeing colours, too.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from taisai.felt import svg
from taisai.felt.geometry import Rect
from taisai.felt.palette import Palette, channels, contrast
from taisai.felt.svg import Markup, element

FOOT: Final = 96.0
"""How much room the legend takes below the table."""
EDGE_MOST: Final = Fraction(30, 100)
_TICKS: Final = (0, 5, 10, 15, 20, 25, 30)
_STOPS: Final = ("#200c4a", "#57106e", "#8a226a", "#bc3754", "#e45a31", "#f98c0a", "#f9c932", "#fcf39a")
_BLACK, _WHITE = "#000000", "#ffffff"


def colour_of(edge: Fraction) -> str:
    """The colour of a house edge; beyond the ends of the scale, the colour of the end."""
    place = min(max(edge / EDGE_MOST, Fraction(0)), Fraction(1)) * (len(_STOPS) - 1)
    low = min(int(place), len(_STOPS) - 2)
    part = place - low
    mixed = (
        round(one + (two - one) * part)
        for one, two in zip(channels(_STOPS[low]), channels(_STOPS[low + 1]), strict=True)
    )
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def ink_on(colour: str) -> str:
    """Black or white, whichever reads better; one of them always reaches 4.5 to 1."""
    return max((_BLACK, _WHITE), key=lambda ink: contrast(ink, colour))


def definitions(prefix: str) -> Markup:
    """The scale as one gradient."""
    last = len(_STOPS) - 1
    stops = (element("stop", offset=svg.number(place / last), stop_color=colour) for place, colour in enumerate(_STOPS))
    return element("linearGradient", *stops, id=f"{prefix}-heat")


def legend(place: Rect, palette: Palette, prefix: str) -> Markup:
    """The scale with its percentages, below the table."""
    bar = Rect(place.x + place.width * 0.36, place.y + 24, place.width * 0.56, 22)
    parts = [
        element(
            "text",
            svg.words("HOUSE EDGE"),
            x=place.x + place.width * 0.02,
            y=bar.middle_y + 10,
            font_size=28,
            text_anchor="start",
            fill=palette.gold,
        ),
        element(
            "text",
            svg.words("what the house keeps on average"),
            x=place.x + place.width * 0.02,
            y=bar.bottom + 28,
            font_size=19,
            font_weight="400",
            text_anchor="start",
        ),
        element(
            "rect",
            class_="scale",
            x=bar.x,
            y=bar.y,
            width=bar.width,
            height=bar.height,
            rx=5,
            fill=f"url(#{prefix}-heat)",
            stroke=palette.line,
            stroke_width=1.5,
        ),
    ]
    for tick in _TICKS:
        x = bar.x + bar.width * tick / _TICKS[-1]
        more = " +" if tick == _TICKS[-1] else ""
        parts += [
            element("line", x1=x, x2=x, y1=bar.bottom, y2=bar.bottom + 7, stroke=palette.line, stroke_width=1.5),
            element("text", svg.words(f"{tick} %{more}"), x=x, y=bar.bottom + 28, font_size=19),
        ]
    return element("g", *parts, class_="legend")
