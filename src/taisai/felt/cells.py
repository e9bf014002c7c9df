"""What is printed in an area, by the roles of its lines and the shape of its place.

Enters: lines of words, dice and numbers, a width and a height. Leaves: panes, each a part of the place with a stack of
items. Nothing here knows a bet. Serves the appendices of all four books.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final, NamedTuple, assert_never

from taisai.core.cloth import PrintLine, PrintRole, Tone
from taisai.felt import stack
from taisai.felt.geometry import Rect
from taisai.felt.lettering import balanced, is_han, width_of
from taisai.felt.stack import Dice, Inks, Item, Line, Named, Piece, Rondels

_READABLE: Final = {PrintRole.NAME: 15.0, PrintRole.RANGE: 15.0, PrintRole.ODDS: 15.0, PrintRole.NOTE: 15.0}
"""A line that would be smaller than this on one line is broken over two to four."""
_LINES_MOST: Final = 4
_FEW: Final = 3
"""So many dice are what an area is about; more are an ornament beside its name."""


class Pane(NamedTuple):
    """A part of an area, in fractions of its width and height, and what stands there."""

    x: float
    y: float
    width: float
    height: float
    items: tuple[Item, ...]


def panes_of(lines: Sequence[PrintLine], breaks: Sequence[int], width: float, height: float) -> tuple[Pane, ...]:
    """What an area of this size shows; `breaks` says over how many lines each label is broken."""
    shape = width / height
    dice = max((len(_faces(line.text)) for line in lines if line.role is PrintRole.DICE), default=0)
    roles = {line.role for line in lines}
    items = [(line.role, _item(line, count, dice, roles, shape)) for line, count in zip(lines, breaks, strict=True)]
    if PrintRole.CHARACTER in roles and not dice and shape >= 0.93:
        return _panel(items, shape)
    if dice > _FEW and shape >= 1.5:
        return (
            Pane(0.02, 0, 0.62, 0.54, _only(items, PrintRole.NAME, PrintRole.CHARACTER)),
            Pane(0.68, 0, 0.3, 0.54, _only(items, PrintRole.ODDS, PrintRole.RANGE, PrintRole.NOTE)),
            Pane(0, 0.62, 1, 0.38, _only(items, PrintRole.DICE)),
        )
    if dice == 1 and PrintRole.NAME in roles and shape >= 1.5:
        name = " ".join(line.text for line in lines if line.role is PrintRole.NAME)
        face = next(_faces(line.text)[0] for line in lines if line.role is PrintRole.DICE)
        rest = (item for role, item in items if role not in {PrintRole.NAME, PrintRole.DICE})
        return (Pane(0, 0, 1, 1, (Named(face, name, 1, 150), *rest)),)
    return (Pane(0, 0, 1, 1, tuple(item for _, item in items)),)


def _panel(items: Sequence[tuple[PrintRole, Item]], shape: float) -> tuple[Pane, ...]:
    """A large area with a character: a square one has it beside the odds, a wide one beside everything."""
    character = _only(items, PrintRole.CHARACTER)
    if shape < 1.9:
        return (
            Pane(0, 0, 1, 0.36, _only(items, PrintRole.NAME, PrintRole.RANGE)),
            Pane(0.02, 0.4, 0.36, 0.34, character),
            Pane(0.4, 0.4, 0.58, 0.34, _only(items, PrintRole.ODDS)),
            Pane(0, 0.78, 1, 0.22, _only(items, PrintRole.NOTE)),
        )
    return (
        Pane(0, 0, 0.28, 1, character),
        Pane(0.28, 0, 0.68, 1, tuple(item for role, item in items if role is not PrintRole.CHARACTER)),
    )


def _only(items: Sequence[tuple[PrintRole, Item]], *roles: PrintRole) -> tuple[Item, ...]:
    return tuple(item for role, item in items if role in roles)


def _faces(text: str) -> tuple[int, ...]:
    return tuple(int(mark) for mark in text if mark.isdigit())


def _item(line: PrintLine, count: int, dice: int, roles: set[PrintRole], shape: float) -> Item:
    """A label as an item of a stack, with its size beside the others."""
    role, text = line
    text = text if count == 1 else "\n".join(balanced(text, count))
    circled, large = PrintRole.NUMBERS in roles, bool(roles & {PrintRole.CHARACTER, PrintRole.NOTE})
    match role:
        case PrintRole.NAME:
            ideal, most = (0.8, 96.0) if circled else (1.0, 92.0)
            if dice:
                ideal, most = (0.4, 60.0) if dice == 1 else (0.3, 26.0) if dice <= _FEW else (0.5, 40.0)
            return Line(text, "name", ideal, most)
        case PrintRole.CHARACTER:
            return Line(text, "han", 0.7 if dice else 1.5, 60 if dice else 230, golden=True)
        case PrintRole.RANGE:
            return Line(text, "range", 0.42, 42)
        case PrintRole.ODDS:
            ideal, most = (0.5, 46.0) if circled else (0.42, 42.0) if large else (0.34, 30.0)
            return Line(text, "odds", ideal, most, golden=True)
        case PrintRole.NOTE:
            return Line(text, "note", 0.3 if is_han(text) else 0.27, 28 if is_han(text) else 24)
        case PrintRole.DICE:
            return _dice(text, dice, shape)
        case PrintRole.NUMBERS:
            numbers = tuple(map(int, text.split()))
            return Rondels(numbers, len(numbers) if shape > 2.5 else ceil(len(numbers) / 2), 1.3, 140)
        case _:
            assert_never(role)


def _dice(text: str, count: int, shape: float) -> Dice:
    faces = _faces(text)
    if count <= _FEW:
        return Dice(faces, 1 if shape < 0.75 else len(faces), 1, 190 if count == 1 else 84)
    group = len(text.split(maxsplit=1)[0])
    columns = 3 if shape < 0.5 else 6 if shape < 1.5 else len(faces)
    return Dice(faces, columns, 0.52, 48, group=group if group < count else 0)


class Print(NamedTuple):
    """One area to be printed: its place, its labels, its ground and its colours."""

    place: Rect
    lines: tuple[PrintLine, ...]
    tone: Tone
    inks: Inks


def print_cells(prints: Sequence[Print], prefix: str) -> list[list[Piece]]:
    """What stands in each area. Areas of one size and one form are lettered alike, wherever on the cloth they lie."""
    alike: dict[object, list[int]] = {}
    for at, one in enumerate(prints):
        form = tuple((role, len(text) if role is PrintRole.DICE else 0) for role, text in one.lines)
        alike.setdefault((one.tone, round(one.place.width, 3), round(one.place.height, 3), form), []).append(at)
    drawn: list[list[Piece]] = [[] for _ in prints]
    for group in alike.values():
        place = prints[group[0]].place
        breaks = _breaks([prints[at].lines for at in group], _inner(place).width)
        composed = {at: panes_of(prints[at].lines, breaks, place.width, place.height) for at in group}
        for number, pane in enumerate(composed[group[0]]):
            inner = _inner(place).part(*pane[:4])
            if not pane.items:
                continue
            fitted = stack.fit([composed[at][number].items for at in group], inner.width, inner.height)
            for at in group:
                spot = _inner(prints[at].place).part(*pane[:4])
                drawn[at] += stack.draw(composed[at][number].items, fitted, spot, prints[at].inks, prefix)
    return drawn


def _breaks(areas: Sequence[Sequence[PrintLine]], width: float) -> list[int]:
    """Over how many lines each label is broken, the same for all areas of a group."""
    counts = []
    for at, (role, _) in enumerate(areas[0]):
        texts = [lines[at].text for lines in areas]
        words = max(len(text.split(" ")) for text in texts)
        most = min(words, _LINES_MOST) if role in _READABLE else 1
        fits = width / _READABLE.get(role, 1.0)
        readable = (
            count
            for count in range(1, most)
            if max(width_of(line) for text in texts for line in balanced(text, count)) <= fits
        )
        counts.append(next(readable, most))
    return counts


def _inner(place: Rect) -> Rect:
    """A place inside the rim that keeps print off the lines."""
    rim = min(min(place.width, place.height) * 0.1, 20.0)
    return place.inset(rim * 0.9, rim)
