"""Dice: as many pips as the face says."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from taisai.core.dice import FACES
from taisai.core.names import Colour, Face
from taisai.felt import palette, pips


def test_faces_have_their_pips() -> None:
    """Each symbol has the pips of its face within its frame; ones and fours are red."""
    root = ET.fromstring(f"<g>{pips.symbols('x')}</g>")
    for face, symbol in zip(FACES, root, strict=True):
        dots = list(symbol.iter("circle"))
        assert (symbol.get("id"), len(dots)) == (f"x-die-{face}", face)
        assert all(0 < float(dot.attrib[axis]) < 100 for dot in dots for axis in ("cx", "cy"))
        colour = palette.PIPS[Colour.RED if face in (1, 4) else Colour.BLACK]
        assert next(symbol.iter("g")).get("fill") == colour
    assert ET.fromstring(pips.die("x", 3, 0, 0, 10)).get("href") == "#x-die-3"


def test_a_face_has_the_picture_and_the_colour_of_its_book() -> None:
    """A face with a picture shows its outlines in its colour; one with a colour alone has pips of that colour."""
    faces = (Face("Fish", Colour.BLUE, ("M0 0H9Z", "M1 1H2Z")), Face("Two", Colour.GREEN), *(Face(""),) * 4)
    fish, two, *_ = ET.fromstring(f"<g>{pips.symbols('x', faces)}</g>")
    assert [path.get("d") for path in fish.iter("path")] == ["M0 0H9Z", "M1 1H2Z"]
    assert (len(list(fish.iter("circle"))), len(list(two.iter("circle")))) == (0, 2)
    assert [next(each.iter("g")).get("fill") for each in (fish, two)] == [
        palette.PIPS[Colour.BLUE],
        palette.PIPS[Colour.GREEN],
    ]
