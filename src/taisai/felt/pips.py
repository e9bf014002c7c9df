"""Dice, drawn once and used many times.

Enters: faces and a place. Leaves: markup that refers to one symbol a face. Ones and fours are red, as on the dice of
the East.
"""

from __future__ import annotations

from typing import Final

from taisai.core.dice import FACES
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


def symbols(prefix: str) -> Markup:
    """The six faces, to be named by `die`."""
    return svg.together(*(_symbol(prefix, face) for face in FACES))


def _symbol(prefix: str, face: int) -> Markup:
    radius = 16 if face == 1 else 10
    ground = element(
        "rect", x=2, y=2, width=96, height=96, rx=19, fill=palette.DIE, stroke=palette.DIE_EDGE, stroke_width=3
    )
    pips = (element("circle", cx=x, cy=y, r=radius) for x, y in _PIPS[face])
    dots = element("g", *pips, fill=palette.PIP_RED if face in _RED else palette.PIP)
    return element("symbol", ground, dots, id=f"{prefix}-die-{face}", viewBox=f"0 0 {_SIDE} {_SIDE}")


def die(prefix: str, face: int, x: float, y: float, side: float) -> Markup:
    """One die with its upper left corner at a place."""
    return element("use", href=f"#{prefix}-die-{face}", x=x, y=y, width=side, height=side)
