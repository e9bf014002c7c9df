"""Stacks: lines of words and rows of dice, one below the other, as large as their place allows.

Enters: for each area of a group the same sequence of items, and the size of its place. Leaves: one size an item for
the whole group, so that neighbours match, and the drawing of each. Nothing leaves its place; what would be too small
to read and may be left away, is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple

from taisai.felt import pips
from taisai.felt.geometry import Rect
from taisai.felt.lettering import drop_of, is_han, rise_of, width_of
from taisai.felt.svg import Markup, element, together, words

SMALLEST: Final = 8.5
"""Words that may be left away are, when their size falls below this."""
LEGIBLE: Final = 15.0
"""Words are not set smaller than this where their place allows it: 9 pixels of a felt beside which a player's purse and
results stand, on a screen 1440 pixels wide (tests/browser/test_player.py measures it)."""
_BOLD_HAN: Final = 60.0
"""Smaller characters are not bold: the strokes of 圍 or 骰 would run into one another."""
_GAP: Final = 0.22
_GAP_MOST: Final = 0.12
"""A gap is at most this part of the height, so that a few short lines stay together."""
_STEPS: Final = 24
_LEADING: Final = 1.08
"""From one line of a broken label to the next, in em."""
_DIE_GAP: Final = 0.1
_GROUP_GAP: Final = 0.38


@dataclass(frozen=True, slots=True)
class Inks:
    """The colours of one area's print, and the language of its characters."""

    ink: str
    gold: str
    lang: str = "zh-Hans"
    """Of Chinese characters, which decides their form."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of words, or several of one size.

    `role` is its class; `ideal` its size beside the others; `most` its size at the most.
    """

    text: str
    role: str
    ideal: float
    most: float = inf
    optional: bool = False
    golden: bool = False

    @property
    def width(self) -> float:
        """For a size of one."""
        return max(map(width_of, self.text.split("\n")))

    @property
    def height(self) -> float:
        """For a size of one."""
        return rise_of(self.text) + drop_of(self.text) + _LEADING * self.text.count("\n")

    def draw(self, inks: Inks, _prefix: str, middle: float, top: float, size: float) -> Markup:
        """The line, or the lines it is broken into, centred."""
        drawn = (
            element(
                "text",
                words(text.replace("\u00a0", " ")),
                class_=self.role,
                x=middle,
                y=top + (rise_of(self.text) + _LEADING * number) * size,
                font_size=size,
                font_weight="400" if self.role == "note" or (is_han(text) and size < _BOLD_HAN) else None,
                fill=inks.gold if self.golden else None,
                lang=inks.lang if is_han(text) else None,
            )
            for number, text in enumerate(self.text.split("\n"))
            if text
        )
        return together(*drawn)


@dataclass(frozen=True, slots=True)
class Dice:
    """Dice in rows of `columns`; `group` of them stand closer together. A size of one is the side of a die."""

    faces: tuple[int, ...]
    columns: int
    ideal: float
    most: float = inf
    optional: bool = False
    group: int = 0

    @property
    def width(self) -> float:
        """For a size of one."""
        return max(self._left(place) for place in range(min(self.columns, len(self.faces)))) + 1

    @property
    def height(self) -> float:
        """For a size of one."""
        rows = -(-len(self.faces) // self.columns)
        return rows + (rows - 1) * _DIE_GAP

    def _left(self, place: int) -> float:
        column = place % self.columns
        groups = column // self.group if self.group else 0
        return column * (1 + _DIE_GAP) + groups * _GROUP_GAP

    def draw(self, _inks: Inks, prefix: str, middle: float, top: float, size: float) -> Markup:
        """The dice, centred."""
        left = middle - self.width * size / 2
        drawn = (
            pips.die(
                prefix,
                face,
                left + self._left(place) * size,
                top + (place // self.columns) * (1 + _DIE_GAP) * size,
                size,
            )
            for place, face in enumerate(self.faces)
        )
        return element("g", *drawn, class_="dice")


@dataclass(frozen=True, slots=True)
class Named:
    """A die and its name beside it. A size of one is the side of the die."""

    face: int
    name: str
    ideal: float
    most: float = inf
    optional: bool = False

    @property
    def width(self) -> float:
        """For a size of one."""
        return 1.26 + width_of(self.name) * 0.44

    @property
    def height(self) -> float:
        """For a size of one."""
        return 1.0

    def draw(self, _inks: Inks, prefix: str, middle: float, top: float, size: float) -> Markup:
        """Die and name, together in the middle."""
        left = middle - self.width * size / 2
        name = element(
            "text",
            words(self.name),
            class_="name",
            x=left + 1.26 * size,
            y=top + (0.5 + 0.365 * 0.44) * size,
            font_size=0.44 * size,
            text_anchor="start",
        )
        return element("g", pips.die(prefix, self.face, left, top, size), name, class_="dice")


@dataclass(frozen=True, slots=True)
class Rondels:
    """Numbers in circles. A size of one is the height of a circle."""

    numbers: tuple[int, ...]
    columns: int
    ideal: float
    most: float = inf
    optional: bool = False

    @property
    def width(self) -> float:
        """For a size of one."""
        return self.columns * 1.16 - 0.16

    @property
    def height(self) -> float:
        """For a size of one."""
        return -(-len(self.numbers) // self.columns) * 1.16 - 0.16

    def draw(self, inks: Inks, _prefix: str, middle: float, top: float, size: float) -> Markup:
        """The circles, centred."""
        drawn = []
        left = middle - self.width * size / 2
        for place, value in enumerate(self.numbers):
            x = left + (place % self.columns * 1.16 + 0.5) * size
            y = top + (place // self.columns * 1.16 + 0.5) * size
            letters = size * 0.46
            drawn += [
                element(
                    "circle", cx=x, cy=y, r=size / 2, fill="none", stroke=inks.gold, stroke_width=max(size * 0.03, 1)
                ),
                element("text", words(str(value)), class_="name", x=x, y=y + 0.365 * letters, font_size=letters),
            ]
        return element("g", *drawn, class_="totals")


Item = Line | Dice | Named | Rondels


@dataclass(frozen=True, slots=True)
class Fit:
    """The sizes of a stack's items for every area of a group: None where an item is left away."""

    sizes: tuple[float | None, ...]
    gap: float
    height: float


def fit(stacks: Sequence[Sequence[Item]], width: float, height: float) -> Fit:
    """The largest sizes at which every one of these stacks, alike in their items, lies within a place."""
    first = stacks[0]
    widths = [max(stack[at].width for stack in stacks) for at in range(len(first))]
    heights = [max(stack[at].height for stack in stacks) for at in range(len(first))]
    kept = list(range(len(first)))
    while True:
        sizes, gap = _fit(
            [first[at] for at in kept], [widths[at] for at in kept], [heights[at] for at in kept], width, height
        )
        small = [at for at, size in zip(kept, sizes, strict=True) if first[at].optional and size < SMALLEST]
        if not small:
            break
        kept.remove(small[-1])
    by_item = dict(zip(kept, sizes, strict=True))
    used = sum(by_item[at] * heights[at] for at in kept) + gap * (len(kept) - 1)
    return Fit(tuple(by_item.get(at) for at in range(len(first))), gap, used)


def _fit(
    items: Sequence[Item], widths: Sequence[float], heights: Sequence[float], width: float, height: float
) -> tuple[list[float], float]:
    """Grow all items together until the place is full; an item that is as wide as the place stops growing."""
    least = [min(LEGIBLE, item.most) if isinstance(item, Line) else 0.0 for item in items]
    if sum(size * tall for size, tall in zip(least, heights, strict=True)) > 0.96 * height:
        least = [0.0] * len(items)

    def at_scale(scale: float) -> tuple[list[float], float]:
        sizes = [
            min(max(min(scale * item.ideal, item.most), floor), width / broad)
            for item, broad, floor in zip(items, widths, least, strict=True)
        ]
        return sizes, min(_GAP * scale, _GAP_MOST * height)

    low, high = 0.0, 4 * height + 1
    for _ in range(_STEPS):
        scale = (low + high) / 2
        sizes, gap = at_scale(scale)
        if sum(size * tall for size, tall in zip(sizes, heights, strict=True)) + gap * (len(items) - 1) > height:
            high = scale
        else:
            low = scale
    return at_scale(low)


class Piece(NamedTuple):
    """One printed item and the place it covers."""

    drawn: Markup
    place: Rect


def draw(stack: Sequence[Item], fitted: Fit, place: Rect, inks: Inks, prefix: str) -> list[Piece]:
    """A stack in the middle of its place."""
    pieces = []
    top = place.y + (place.height - fitted.height) / 2
    for item, size in zip(stack, fitted.sizes, strict=True):
        if size is not None:
            width, height = item.width * size, item.height * size
            covered = Rect(place.middle_x - width / 2, top, width, height)
            pieces.append(Piece(item.draw(inks, prefix, place.middle_x, top, size), covered))
            top += height + fitted.gap
    return pieces
