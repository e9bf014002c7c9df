"""What is printed in an area keeps to it and can be read."""

from __future__ import annotations

from taisai.books import Shelf
from taisai.core.dice import roll_of
from taisai.core.rulebook import Layout
from taisai.felt import draw
from tests.felt.reading import SVG, misfits, root_of, with_class


def test_print_keeps_to_its_area(layout: Layout) -> None:
    """Plain, lit and as a heat map, every line and every die lies inside its area, none over another."""
    for svg in (draw(layout), draw(layout, roll=roll_of([2, 2, 2])), draw(layout, heat=True)):
        assert misfits(svg) == []


def test_words_are_large_enough_to_read(layout: Layout) -> None:
    """On a screen 1440 wide no word of a felt is smaller than 9 pixels, and Big and Small are 25 or more."""
    root = root_of(draw(layout))
    pixels = 1440 / float(root.attrib["viewBox"].split()[2])
    assert min(float(text.attrib["font-size"]) * pixels for text in root.iter(f"{SVG}text")) >= 9
    names = {text.text: float(text.attrib["font-size"]) * pixels for text in with_class(root, "name")}
    assert all(names[name] >= 25 for name in ("BIG", "SMALL") if name in names)


def test_characters_have_no_outline(shelf: Shelf) -> None:
    """A stroke would close the inner spaces of a character with many lines."""
    root = root_of(draw(shelf.layout("rws-tai-sai-v6/C")))
    assert {text.text for text in with_class(root, "han")} == {"大", "小", "单", "双"}
    assert not [text for text in with_class(root, "han") if text.get("stroke")]
