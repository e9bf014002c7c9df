"""Dice: as many pips as the face says."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from taisai.core.dice import FACES
from taisai.felt import palette, pips


def test_faces_have_their_pips() -> None:
    """Each symbol has the pips of its face within its frame; ones and fours are red."""
    root = ET.fromstring(f"<g>{pips.symbols('x')}</g>")
    for face, symbol in zip(FACES, root, strict=True):
        dots = list(symbol.iter("circle"))
        assert (symbol.get("id"), len(dots)) == (f"x-die-{face}", face)
        assert all(0 < float(dot.attrib[axis]) < 100 for dot in dots for axis in ("cx", "cy"))
        colour = palette.PIP_RED if face in (1, 4) else palette.PIP
        assert next(symbol.iter("g")).get("fill") == colour
    assert ET.fromstring(pips.die("x", 3, 0, 0, 10)).get("href") == "#x-die-3"
