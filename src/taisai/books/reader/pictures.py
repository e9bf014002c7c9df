"""Reads the faces of the dice: their names, colours and pictures.

Enters: `faces` of `book.toml`, and `pictures.toml` of the package and of the book. Leaves: six `Face`s, or none for
dice with pips. A picture is a list of outlines, so that another casino's dice need no code.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from taisai.books.reader import forms
from taisai.books.reader.files import BookFile, Reading
from taisai.core.dice import FACES
from taisai.core.faults import shown
from taisai.core.names import Face

PICTURES: Final = "pictures.toml"
_PACKAGE: Final = Path(__file__).parent.parent

Pictures = dict[str, tuple[str, ...]]


@cache
def package_pictures() -> Pictures:
    """The pictures that any book may use by name."""
    reading = Reading(_PACKAGE)
    found = _pictures(reading)
    assert not reading.faults, reading.faults
    return found


def _pictures(reading: Reading) -> Pictures:
    form = reading.open(PICTURES).form(forms.PicturesForm)
    return {} if form is None else {name: tuple(outlines) for name, outlines in form.pictures.items()}


def read_faces(reading: Reading, file: BookFile, raw: list[object]) -> tuple[Face, ...]:
    """The six faces; none where the book has no `faces`, or where they have a fault."""
    pictures = package_pictures()
    if (reading.folder / PICTURES).exists():
        pictures = {**pictures, **_pictures(reading)}
        if not raw:
            file.fault(f"{PICTURES} has pictures, and no `faces` that show them")
    faces: dict[int, Face] = {}
    faults_before = len(reading.faults)
    for index, row in file.rows("faces", raw, forms.FaceForm):
        picture = () if row.picture is None else pictures.get(row.picture)
        if picture is None:
            file.fault(f"unknown picture {shown(row.picture)}; there are {', '.join(sorted(pictures))}", "faces", index)
        if row.face in faces:
            file.fault(f"face {row.face} stands twice", "faces", index)
        elif row.name in [face.name for face in faces.values()]:
            file.fault(f"two faces are called {shown(row.name)}", "faces", index)
        faces[row.face] = Face(row.name, row.colour, picture or ())
    missing = [str(face) for face in FACES if face not in faces]
    if raw and missing and len(reading.faults) == faults_before:
        file.fault(f"faces are named all or none: {', '.join(missing)} missing", "faces")
    return () if missing or len(reading.faults) > faults_before else tuple(faces[face] for face in FACES)
