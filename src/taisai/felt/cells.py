"""What is printed in an area, by the kind of its box and the shape of its place.

Enters: a box, the words of its odds, a width and a height. Leaves: panes, each a part of the place with a stack of
items. Serves the appendices of all four books: pips for faces, English and Chinese names, odds, and that a triple
loses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, assert_never

from taisai.core.boxes import Box, Kind
from taisai.core.dice import FACES
from taisai.felt import stack, words
from taisai.felt.geometry import Rect
from taisai.felt.palette import tone_of
from taisai.felt.stack import Dice, Inks, Item, Line, Named, Piece, Rondels

_DICE_FROM = 150
"""Three faces are digits, as the felts print them, in an area narrower than this, and dice in a wider one."""


class Pane(NamedTuple):
    """A part of an area, in fractions of its width and height, and what stands there."""

    x: float
    y: float
    width: float
    height: float
    items: tuple[Item, ...]


def panes_of(box: Box, odds: Sequence[str], width: float, height: float) -> tuple[Pane, ...]:
    """What an area of this size shows; `odds` is empty where a heading says them."""
    match box.kind:
        case Kind.SMALL | Kind.BIG | Kind.ODD | Kind.EVEN:
            return _chance(box, odds, width / height)
        case Kind.SINGLE:
            return _single(box, odds, width / height)
        case Kind.DOUBLE:
            return _double(box, odds, width / height)
        case Kind.TRIPLE:
            return _triple(box, odds, width / height)
        case Kind.ANY_TRIPLE:
            return _any_triple(odds, width / height)
        case Kind.TOTAL:
            return _whole(Line(str(box.total), "name", 1, 92), *_odds(odds, 0.28))
        case Kind.PAIR:
            return _whole(Dice(box.faces, 1 if width < height else 2, 1, 84), *_odds(odds, 0.26))
        case Kind.THREE if width >= _DICE_FROM:
            return _whole(Dice(box.faces, 3, 1, 64), *_odds(odds, 0.4))
        case Kind.THREE | Kind.FOUR:
            digits = Line(words.digits_of(box), "name", 1, 54)
            return _whole(digits, *_odds(odds, 0.42))
        case Kind.FIELD:
            return _field(odds, width / height)
        case _:
            assert_never(box.kind)


def _whole(*items: Item) -> tuple[Pane, ...]:
    return (Pane(0, 0, 1, 1, items),)


def _odds(odds: Sequence[str], ideal: float, most: float = 30) -> list[Line]:
    size = ideal if len(odds) == 1 else ideal * 0.7
    return [Line(line, "odds", size, most, golden=True) for line in odds]


def _chance(box: Box, odds: Sequence[str], shape: float) -> tuple[Pane, ...]:
    """Big, Small, Odd, Even: a column in a high area, character and words side by side in a square or a wide one."""
    han = Line(words.HAN[box.kind], "han", 1.5, 230, golden=True)
    name = Line(box.kind.upper(), "name", 1, 84)
    totals = words.range_of(box)
    reach = [Line(totals, "range", 0.42, 42)] if totals else []
    wins = [*reach, *_odds(odds, 0.42, 42)]
    loses = words.TRIPLE_LOSES if shape < 0.8 else (" ".join(words.TRIPLE_LOSES),)
    note = [Line(line, "note", 0.27, 24) for line in loses]
    han_note = Line(words.TRIPLE_LOSES_HAN, "note", 0.3, 28, optional=True)
    if shape < 0.93:
        return _whole(han, name, *wins, *note, han_note)
    if shape < 1.9:
        return (
            Pane(0, 0, 1, 0.27, (name,)),
            Pane(0.04, 0.32, 0.4, 0.42, (han,)),
            Pane(0.46, 0.32, 0.5, 0.42, tuple(wins)),
            Pane(0, 0.79, 1, 0.21, (*note, replace(han_note, most=18))),
        )
    return Pane(0, 0, 0.28, 1, (han,)), Pane(0.28, 0, 0.68, 1, (name, *wins, *note))


def _single(box: Box, odds: Sequence[str], shape: float) -> tuple[Pane, ...]:
    face = box.faces[0]
    name = words.FACE_WORDS[face - 1]
    if shape < 1.5:
        return _whole(Dice((face,), 1, 1, 190), Line(name, "name", 0.4, 60), *_odds(odds, 0.26, 26))
    return _whole(Named(face, name, 1, 150), *_odds(odds, 0.3, 26))


def _double(box: Box, odds: Sequence[str], shape: float) -> tuple[Pane, ...]:
    face = box.faces[0]
    if shape > 0.75:
        return _whole(Dice((face, face), 2, 1, 84), *_odds(odds, 0.36))
    names = [Line(line, "name", 0.24, 20, optional=True) for line in ("DOUBLE", words.FACE_WORDS[face - 1])]
    return _whole(Dice((face, face), 1, 1, 84), *names, *_odds(odds, 0.24))


def _triple(box: Box, odds: Sequence[str], shape: float) -> tuple[Pane, ...]:
    face = box.faces[0]
    columns = 1 if shape < 0.6 else 3
    return _whole(Dice((face,) * 3, columns, 1, 70), *_odds(odds, 0.4))


def _any_triple(odds: Sequence[str], shape: float) -> tuple[Pane, ...]:
    every = tuple(face for face in FACES for _ in range(3))
    if shape < 1.5:
        columns = 3 if shape < 0.5 else 6
        dice = Dice(every, columns, 0.52, 48, group=3)
        names = [Line(line, "name", 0.5, 40) for line in ("ANY", "TRIPLE")]
        return _whole(Line(words.HAN[Kind.ANY_TRIPLE], "han", 0.7, 60, golden=True), *names, dice, *_odds(odds, 0.4))
    han = Line(words.HAN[Kind.ANY_TRIPLE], "han", 1, 60, golden=True)
    return (
        Pane(0.02, 0, 0.2, 0.54, (han,)),
        Pane(0.24, 0, 0.42, 0.54, (Line("ANY TRIPLE", "name", 1, 44),)),
        Pane(0.68, 0, 0.3, 0.54, tuple(_odds(odds, 1, 34))),
        Pane(0, 0.62, 1, 0.38, (Dice(every, 18, 1, 48, group=3),)),
    )


def _field(odds: Sequence[str], shape: float) -> tuple[Pane, ...]:
    name = Line("FIELD", "name", 0.8, 96)
    numbers = words.FIELD_NUMBERS
    circles = Rondels(numbers, len(numbers) if shape > 2.5 else len(numbers) // 2, 1.3, 140)
    return _whole(name, circles, *_odds(odds, 0.5, 46))


class Print(NamedTuple):
    """One area to be printed: its box, its place, the words of its odds, its colours."""

    box: Box
    place: Rect
    odds: tuple[str, ...]
    inks: Inks


def print_cells(prints: Sequence[Print], prefix: str) -> list[list[Piece]]:
    """What stands in each area. Areas of one size and one form are lettered alike, wherever on the cloth they lie."""
    composed = [panes_of(one.box, one.odds, one.place.width, one.place.height) for one in prints]
    alike: dict[object, list[int]] = {}
    for at, panes in enumerate(composed):
        form = tuple((pane[:4], tuple(type(item) for item in pane.items)) for pane in panes)
        size = (round(prints[at].place.width, 3), round(prints[at].place.height, 3))
        alike.setdefault((tone_of(prints[at].box), size, form), []).append(at)
    drawn: list[list[Piece]] = [[] for _ in prints]
    for group in alike.values():
        for number in range(len(composed[group[0]])):
            rects = {at: _inner(prints[at].place, composed[at][number]) for at in group}
            size_of_pane = rects[group[0]]
            fitted = stack.fit([composed[at][number].items for at in group], size_of_pane.width, size_of_pane.height)
            for at in group:
                drawn[at] += stack.draw(composed[at][number].items, fitted, rects[at], prints[at].inks, prefix)
    return drawn


def _inner(place: Rect, pane: Pane) -> Rect:
    """A pane's place, inside the rim that keeps print off the lines."""
    rim = min(min(place.width, place.height) * 0.1, 20.0)
    return place.inset(rim * 0.9, rim).part(pane.x, pane.y, pane.width, pane.height)
