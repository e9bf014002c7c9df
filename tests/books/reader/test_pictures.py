"""The faces of dice: names, colours and pictures as data."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.books import read_book
from taisai.books.reader.pictures import package_pictures
from taisai.core.names import Colour, Face
from tests.books.helpers import lines_of, write_book
from tests.books.reader.test_names import PICTURED


def test_faces_are_read_with_their_pictures(tmp_path: Path) -> None:
    """Six faces, some painted; the layout has them for the felt."""
    book = read_book(write_book(tmp_path / "mini", {"book.toml": PICTURED}))
    assert book.faces[:2] == (Face("Fish", Colour.RED, package_pictures()["fish"]), Face("Two"))
    assert book.layouts["A"].faces is book.faces


def test_a_book_brings_its_own_picture(tmp_path: Path) -> None:
    """`pictures.toml` beside the book comes before the package's."""
    own = '[pictures]\nfish = ["M0 0L100 0L50 100Z"]\n'
    book = read_book(write_book(tmp_path / "mini", {"book.toml": PICTURED, "pictures.toml": own}))
    assert book.faces[0].picture == ("M0 0L100 0L50 100Z",)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('picture = "fish"', 'picture = "fisch"', "faces row 1: unknown picture 'fisch'; there are "),
        ("face = 2", "face = 1", "faces row 2: face 1 stands twice"),
        ('"Two"', '"Fish"', "faces row 2: two faces are called 'Fish'"),
        ('  { face = 2, name = "Two" },\n', "", "faces: faces are named all or none: 2 missing"),
        ("face = 6", "face = 7", "faces row 6: `face` must be a face, 1 to 6, got 7"),
        ('"red"', '"magenta"', "faces row 1: unknown colour 'magenta'; known are red, green, blue, black, yellow"),
    ],
)
def test_faces_that_are_none(tmp_path: Path, old: str, new: str, line: str) -> None:
    """A fault of a face has its row, its reason and what to write."""
    lines = lines_of(write_book(tmp_path / "mini", {"book.toml": PICTURED.replace(old, new, 1)}))
    assert any(line in each for each in lines), lines


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[pictures]\nfish = ["<script>"]', "`pictures` must be a table of lists of outlines"),
        ('[pictures]\nfish = ["M0 0Z"]', "pictures.toml has pictures, and no `faces` that show them"),
    ],
)
def test_pictures_that_are_none(tmp_path: Path, text: str, line: str) -> None:
    """Nothing but outlines gets into a drawing, and pictures that nobody sees are a fault."""
    assert any(line in each for each in lines_of(write_book(tmp_path / "mini", {"pictures.toml": text})))
