"""Palettes: the colours of a cloth and what stands around it.

Enters: nothing. Leaves: two `Palette` values, and how well one colour reads on another. Every ink
reads on every ground it is printed on at 4.5 to 1 or better (WCAG 2 level AA); a test holds that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from taisai.core.cloth import Tone
from taisai.core.names import Colour


@dataclass(frozen=True, slots=True)
class Shade:
    """A ground that runs from one colour at the top to another at the bottom."""

    top: str
    bottom: str


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a table, as `#rrggbb`."""

    name: str
    background: str
    """Behind the table."""
    rail: Shade
    cloth: Shade
    """From the middle of the cloth to its rim."""
    line: str
    ink: str
    gold: str
    """Odds, Chinese characters, headings."""
    grounds: dict[Tone, Shade]
    lit: Shade
    lit_line: str
    lit_ink: str
    tag: str
    tag_ink: str


DIE: Final = "#fdfaf1"
DIE_EDGE: Final = "#b9ab86"
PIP: Final = "#1c1a17"
PIPS: Final = {
    Colour.RED: "#c4161c",
    Colour.GREEN: "#14743a",
    Colour.BLUE: "#1d4fa3",
    Colour.BLACK: PIP,
    Colour.YELLOW: "#e0a800",
    Colour.ORANGE: "#d65f00",
    Colour.PINK: "#d8438f",
    Colour.PURPLE: "#6b2fa0",
    Colour.GREY: "#6f6f6f",
}
"""Pips and pictures by the colour of their face."""

CHIPS: Final = ("#c4161c", "#1d4fa3", "#1a7a3c", "#5d2d91", "#c95a00", "#1f1f24", "#b1136d", "#0b7285")
"""A colour for each player, in the order in which they came; the ninth begins again."""
CHIP_INLAY: Final = "#fdfaf1"

GREEN: Final = Palette(
    name="green",
    background="#10130f",
    rail=Shade("#5a3319", "#2c1709"),
    cloth=Shade("#12613f", "#08402a"),
    line="#e3c987",
    ink="#fdf7e6",
    gold="#f7d98a",
    grounds={
        Tone.DARK: Shade("#083b2b", "#04261b"),
        Tone.DEEP: Shade("#0b4a31", "#083d28"),
        Tone.LIGHT: Shade("#0f5d3d", "#0b4e33"),
        Tone.ACCENT: Shade("#8a1622", "#670d17"),
        Tone.RED: Shade("#9a1420", "#7a0e18"),
        Tone.GREEN: Shade("#146c2f", "#0e5423"),
        Tone.BLUE: Shade("#14468f", "#0d3370"),
    },
    lit=Shade("#fff6c8", "#ffcf3f"),
    lit_line="#fff9df",
    lit_ink="#2b1600",
    tag="#fff8e1",
    tag_ink="#1d1608",
)
"""The main floor."""

RED: Final = replace(
    GREEN,
    name="red",
    background="#140d0d",
    rail=Shade("#3b2a20", "#1a110b"),
    cloth=Shade("#7c1420", "#4d0912"),
    line="#e6cb8b",
    ink="#fff6e6",
    gold="#f9dc92",
    grounds={
        **GREEN.grounds,
        Tone.DARK: Shade("#400811", "#2b040a"),
        Tone.DEEP: Shade("#5f0d17", "#4b0811"),
        Tone.LIGHT: Shade("#7c1420", "#690f1a"),
        Tone.ACCENT: Shade("#241d1c", "#120e0d"),
    },
)
"""Tables with higher limits."""

PAPER: Final = replace(
    GREEN,
    name="paper",
    background="#ffffff",
    rail=Shade("#d8d2c4", "#d8d2c4"),
    cloth=Shade("#ffffff", "#ffffff"),
    line="#555049",
    ink="#161412",
    gold="#8a1420",
    grounds={
        Tone.DARK: Shade("#f1ece0", "#f1ece0"),
        Tone.DEEP: Shade("#f8f5ee", "#f8f5ee"),
        Tone.LIGHT: Shade("#ffffff", "#ffffff"),
        Tone.ACCENT: Shade("#fbe9e7", "#fbe9e7"),
        Tone.RED: Shade("#fbe3e1", "#fbe3e1"),
        Tone.GREEN: Shade("#e6f4e7", "#e6f4e7"),
        Tone.BLUE: Shade("#e5edf9", "#e5edf9"),
    },
)
"""For printing with little ink; no table on a screen has it."""

PALETTES: Final = {palette.name: palette for palette in (GREEN, RED)}


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of `#rrggbb`."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def luminance(colour: str) -> float:
    """How bright a colour is to the eye, 0 to 1 (WCAG 2)."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (channel / 255 for channel in channels(colour))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    """How well one colour reads on another, 1 to 21 (WCAG 2)."""
    darker, lighter = sorted((luminance(one), luminance(two)))
    return (lighter + 0.05) / (darker + 0.05)
