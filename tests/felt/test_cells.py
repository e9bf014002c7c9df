"""What is printed in an area keeps to it and can be read."""

from __future__ import annotations

import pytest

from taisai.books import Shelf
from taisai.core.dice import roll_of
from taisai.core.rulebook import Layout
from taisai.felt import draw
from tests.felt.reading import misfits, root_of, with_class


def test_print_keeps_to_its_area(layout: Layout) -> None:
    """Plain, lit and as a heat map, every line and every die lies inside its area, none over another."""
    for svg in (draw(layout), draw(layout, roll=roll_of([2, 2, 2])), draw(layout, heat=True)):
        assert misfits(svg) == []


@pytest.mark.parametrize("name", ["nz-division-9/2", "rws-tai-sai-v6/E"])
def test_words_are_large_enough_to_read(shelf: Shelf, name: str) -> None:
    """On a screen 1920 wide, no odds are smaller than 9 pixels and no name of a large area smaller than 30."""
    root = root_of(draw(shelf.layout(name)))
    pixels = 1920 / float(root.attrib["viewBox"].split()[2])
    sizes = [float(text.attrib["font-size"]) * pixels for text in with_class(root, "odds")]
    assert min(sizes) >= 9
    names = {text.text: float(text.attrib["font-size"]) * pixels for text in with_class(root, "name")}
    assert min(names["BIG"], names["SMALL"]) >= 30
