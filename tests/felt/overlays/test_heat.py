"""The heat map: the house edge of every box, in figures and in colours that read without seeing colours."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from taisai.books import Shelf
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_ROLLS
from taisai.core.rulebook import Layout
from taisai.felt import draw
from taisai.felt.overlays.heat import colour_of, ink_on
from taisai.felt.palette import contrast, luminance
from tests.felt.reading import boxes_of, root_of, text_of, with_class


def edge_of(layout: Layout, name: BoxName) -> Fraction:
    """What the house keeps of a unit staked, counted over all rolls."""
    return 1 - Fraction(sum(layout.back(name, roll) for roll in ALL_ROLLS)) / 216


def test_every_area_prints_its_edge(layout: Layout) -> None:
    """The percentage in an area is the exact edge, rounded to two decimals, and its title says it too."""
    for box in boxes_of(draw(layout, heat=True)):
        hundredths = round(edge_of(layout, BoxName(box.name)) * 10_000)
        written = f"{hundredths // 100}.{hundredths % 100:02d} %"
        assert written in box.lines
        assert box.title.endswith(f"house edge {written}")


def test_known_edges(shelf: Shelf) -> None:
    """A few figures that every book on the game gives."""
    lines = {box.name: box.lines for box in boxes_of(draw(shelf.layout("rws-tai-sai-v6/C"), heat=True))}
    for name, written in {
        "small": "2.78 %",
        "single:1": "3.70 %",
        "any-triple": "11.11 %",
        "triple:6": "16.20 %",
        "three:113": "29.17 %",
        "total:9": "7.41 %",
    }.items():
        assert written in lines[name]


def test_areas_have_the_colour_of_their_edge(layout: Layout) -> None:
    """The ground of an area is the colour of its edge on the scale."""
    root = root_of(draw(layout, heat=True))
    for element in with_class(root, "box"):
        ground = next(child for child in element if child.get("class") == "ground")
        assert ground.get("fill") == colour_of(edge_of(layout, BoxName(element.attrib["data-box"])))


def test_the_legend_gives_the_scale(shelf: Shelf) -> None:
    """Percentages from 0 to 30 stand below the scale; a felt that is no heat map has no legend."""
    layout = shelf.layout("rws-mini-dice-v3/A")
    (legend,) = with_class(root_of(draw(layout, heat=True)), "legend")
    assert "HOUSE EDGE" in text_of(legend)
    assert all(f"{tick} %" in text_of(legend) for tick in (0, 5, 10, 15, 20, 25, 30))
    assert not with_class(root_of(draw(layout)), "legend")


def test_the_scale_reads_without_colours() -> None:
    """It grows lighter all the way, and black or white reads on every step of it."""
    steps = [colour_of(Fraction(step, 1000)) for step in range(301)]
    lights = [luminance(step) for step in steps]
    assert all(one <= two for one, two in pairwise(lights))
    assert min(contrast(ink_on(step), step) for step in steps) >= 4.5
    assert colour_of(Fraction(-1, 2)) == steps[0]
    assert colour_of(Fraction(1)) == steps[-1]
