"""What is printed on the cloth: where each box lies, and the labels of its areas, as the book's appendix shows them.

Enters: rows of `[felt]` that `books` has read. Leaves: a `FeltPlan`, and the words of a label for a box. A label names
a payout by a placeholder, so that the cloth cannot promise what the pay table does not pay. Serves `nz-division-9`
§3.2; `rws-open-cover-v3` §2.1.1; `rws-tai-sai-v6` §2.1.1; `rws-mini-dice-v3` §2.1.1; the appendices of all four books.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from taisai.core.boxes import Box, BoxName


class PrintRole(StrEnum):
    """What a line of an area is; the size and place of its letters follow from it."""

    NAME = "name"
    CHARACTER = "character"
    """A large Chinese character."""
    RANGE = "range"
    ODDS = "odds"
    NOTE = "note"
    DICE = "dice"
    """Faces, as digits: `{a}{a}`, `111 222`."""
    NUMBERS = "numbers"
    """Numbers in circles: `5 6 7 8`."""


class Tone(StrEnum):
    """The ground of an area."""

    DARK = "dark"
    DEEP = "deep"
    LIGHT = "light"
    ACCENT = "accent"
    RED = "red"
    GREEN = "green"
    BLUE = "blue"


class Side(StrEnum):
    """On which side of its block a heading stands."""

    ABOVE = "above"
    BELOW = "below"
    LEFT = "left"
    RIGHT = "right"


class PrintLine(NamedTuple):
    """A line of a label; its text may have placeholders."""

    role: PrintRole
    text: str


@dataclass(frozen=True, slots=True)
class FeltBlock:
    """A rectangle of the felt, cut into columns; boxes fill it left to right, top to bottom, None is an empty place."""

    x: int
    y: int
    width: int
    height: int
    columns: int
    boxes: tuple[Box | None, ...]
    section: str = ""
    """Which part of the felt it belongs to, by the name that screens show; empty: the name of its bet."""
    lines: tuple[PrintLine, ...] = ()
    """What every area of the block shows; empty: what `felt` prints by itself."""
    heading: str = ""
    side: Side | None = None
    tone: Tone | None = None


@dataclass(frozen=True, slots=True)
class FeltPlan:
    """Where each box lies on the cloth, in cells."""

    width: int
    height: int
    blocks: tuple[FeltBlock, ...]
    reconstructed: str = ""
    """What of the print the document does not show, in a sentence."""
    lang: str = "zh-Hans"
    """The language of the Chinese characters, which decides their form."""


FACE_WORDS: Final = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX")
_LETTERS: Final = "abcd"
PLACEHOLDERS: Final = frozenset({"n", "pays", "pays2", "pays3", *_LETTERS, *_LETTERS.upper()})
"""`n` is what stands after the colon of a box's name, `a` to `d` its faces as digits, `A` to `D` in words."""


def argument_of(name: BoxName) -> str:
    """What stands after the colon of a box's name; empty where there is no colon."""
    return name.partition(":")[2]


def faces_of(name: BoxName) -> tuple[int, ...]:
    """The digits of a box's name that are faces."""
    return tuple(int(mark) for mark in argument_of(name) if mark in "123456")


def label(template: str, name: BoxName, pays: Sequence[str], faces: Sequence[str] = FACE_WORDS) -> str:
    """The words of a label on one box; `pays` are its payouts, `faces` the names of the six faces."""
    shown = faces_of(name)
    words = {"n": argument_of(name), "pays": pays[0] if pays else ""}
    words |= {f"pays{at}": each for at, each in enumerate(pays, start=1) if at > 1}
    for letter, face in zip(_LETTERS, shown, strict=False):
        words |= {letter: str(face), letter.upper(): faces[face - 1].upper()}
    return template.format_map(words)


def label_fault(template: str, names: Sequence[BoxName], pays: Sequence[Sequence[str]]) -> str | None:
    """Why a label cannot be printed on these boxes, given the payouts of each; None when it can."""
    try:
        fields = [field[1:] for field in string.Formatter().parse(template) if field[1] is not None]
    except ValueError:
        return f"the braces of {template!r} do not match"
    for field, form, conversion in fields:
        if field not in PLACEHOLDERS or form or conversion:
            return f"unknown placeholder {{{field}}} in {template!r}; there are n, a to d, A to D, pays, pays2, pays3"
    for name, odds in zip(names, pays, strict=True):
        try:
            label(template, name, odds)
        except KeyError as missing:
            return f"{name} has nothing to print for {{{missing.args[0]}}} in {template!r}"
    return None
