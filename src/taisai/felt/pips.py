"""Dice, drawn once and used many times.

Enters: the faces of the book, and a place. Leaves: markup that refers to one symbol a face: its picture, or pips. Ones
and fours are red where a book says nothing, as on the dice of the East.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from taisai.core.dice import FACES
from taisai.core.names import Colour, Face
from taisai.felt import palette, svg
from taisai.felt.svg import Markup, element

_SIDE: Final = 100
_NEAR, _HALF, _FAR = 25, 50, 75
_PIPS: Final = {
    1: ((_HALF, _HALF),),
    2: ((_NEAR, _NEAR), (_FAR, _FAR)),
    3: ((_NEAR, _NEAR), (_HALF, _HALF), (_FAR, _FAR)),
    4: ((_NEAR, _NEAR), (_FAR, _NEAR), (_NEAR, _FAR), (_FAR, _FAR)),
    5: ((_NEAR, _NEAR), (_FAR, _NEAR), (_HALF, _HALF), (_NEAR, _FAR), (_FAR, _FAR)),
    6: ((_NEAR, _NEAR), (_FAR, _NEAR), (_NEAR, _HALF), (_FAR, _HALF), (_NEAR, _FAR), (_FAR, _FAR)),
}
_RED: Final = frozenset({1, 4})
_PICTURE: Final = "translate(14 14) scale(.72)"
"""A picture is drawn in a square of 100 and lies within the rim of its die."""


def symbols(prefix: str, faces: Sequence[Face] = ()) -> Markup:
    """The six faces, to be named by `die`."""
    own = faces or (Face(""),) * len(FACES)
    return svg.together(*(_symbol(prefix, face, look) for face, look in zip(FACES, own, strict=True)))


def _symbol(prefix: str, face: int, look: Face) -> Markup:
    ground = element(
        "rect", x=2, y=2, width=96, height=96, rx=19, fill=palette.DIE, stroke=palette.DIE_EDGE, stroke_width=3
    )
    colour = look.colour or (Colour.RED if face in _RED else Colour.BLACK)
    fill = palette.PIPS[colour]
    if look.picture:
        outlines = (element("path", d=outline) for outline in look.picture)
        shown = element("g", *outlines, fill=fill, fill_rule="evenodd", transform=_PICTURE)
    else:
        radius = 16 if face == 1 else 10
        shown = element("g", *(element("circle", cx=x, cy=y, r=radius) for x, y in _PIPS[face]), fill=fill)
    return element("symbol", ground, shown, id=f"{prefix}-die-{face}", viewBox=f"0 0 {_SIDE} {_SIDE}")


def die(prefix: str, face: int, x: float, y: float, side: float) -> Markup:
    """One die with its upper left corner at a place."""
    return element("use", href=f"#{prefix}-die-{face}", x=x, y=y, width=side, height=side)
