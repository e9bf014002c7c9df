"""Nothing leaves its area and nothing covers anything else, in the broadest common font and so in all narrower ones."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taisai.books import Shelf
from taisai.core.boxes import ALL_BOXES, Box
from taisai.core.dice import roll_of
from taisai.core.rulebook import FeltBlock, FeltPlan, Layout, PayRow
from taisai.felt import areas_of, draw, plan_for
from taisai.felt.geometry import Rect
from taisai.felt.lettering import balanced, shortened, width_of, wrapped
from tests.felt.reading import boxes_of, covered_by, foreign, pairs_of, rect_of, root_of, with_class


def misfits(svg: str) -> list[str]:
    """The areas whose print leaves them, or covers itself."""
    wrong = []
    for box in boxes_of(svg):
        wrong += [f"{box.name}: {rect} leaves it" for rect in box.printed if not box.ground.holds(rect, 0.05)]
        wrong += [f"{box.name}: {one} covers {two}" for one, two in pairs_of(box.printed) if one.overlaps(two, 0.05)]
    return wrong


def test_print_keeps_to_its_area(layout: Layout) -> None:
    """Plain, lit and as a heat map, every line and every die lies inside its area, none over another."""
    for svg in (draw(layout), draw(layout, roll=roll_of([2, 2, 2])), draw(layout, heat=True)):
        assert misfits(svg) == []


def test_headings_keep_off_the_areas(layout: Layout) -> None:
    """A heading lies on free cloth, and no two lie on each other."""
    root = root_of(draw(layout))
    grounds = [rect_of(element) for element in with_class(root, "ground")]
    headings = [covered_by(text) for text in with_class(root, "heading")]
    (hem,) = (rect_of(element) for element in with_class(root, "hem"))
    assert headings
    assert not [heading for heading in headings for ground in grounds if heading.overlaps(ground)]
    assert not [one for one, two in pairs_of(headings) if one.overlaps(two)]
    assert all(hem.holds(heading) for heading in headings)


@pytest.mark.parametrize("name", ["nz-division-9/2", "rws-tai-sai-v6/E"])
def test_words_are_large_enough_to_read(shelf: Shelf, name: str) -> None:
    """On a screen 1920 wide, no odds are smaller than 9 pixels and no name of a large area smaller than 30."""
    root = root_of(draw(shelf.layout(name)))
    pixels = 1920 / float(root.attrib["viewBox"].split()[2])
    sizes = [float(text.attrib["font-size"]) * pixels for text in with_class(root, "odds")]
    assert min(sizes) >= 9
    names = {text.text: float(text.attrib["font-size"]) * pixels for text in with_class(root, "name")}
    assert min(names["BIG"], names["SMALL"]) >= 30


@pytest.mark.parametrize(
    ("words", "broad"),
    [
        ("LOSE IF ANY TRIPLE APPEARS", 16.738),
        ("1 WINS 180", 6.512),
        ("ON EACH 2 DICE COMBINATION 1 WINS 6", 22.956),
        ("Double Numbers With Single Dice Combination Bet", 28.766),
        ("围骰通吃", 4.0),
        ("18.98 %", 4.513),
        ("6543", 2.783),
    ],
)
def test_widths_are_not_underestimated(words: str, broad: float) -> None:
    """The estimate is at least the width in DejaVu Sans Bold, and not absurdly more."""
    assert broad <= width_of(words) <= broad * 1.06


def test_words_break_at_spaces() -> None:
    """Lines are as even as can be, and what is too long ends in an ellipsis."""
    assert balanced("Specific Straight Triple Bet", 2) == ("Specific Straight", "Triple Bet")
    assert balanced("Big", 3) == ("Big",)
    assert wrapped("Four Number Combination Bet", 9, 6) == ("Four Number", "Combination", "Bet")
    assert wrapped("one two three", 5, 1) == ("one t…",)
    assert shortened("x" * 9, 0.1) == "…"
    assert shortened("Big", width_of("Big") + 0.001) == "Big"


every_box = st.sampled_from(sorted(ALL_BOXES.values(), key=lambda box: box.name))


def paid(boxes: list[Box], most: int) -> tuple[PayRow, ...]:
    """Each box with a row and odds of its own."""
    return tuple(PayRow(f"Bet {place}", (box,), 1 + most // (place + 1), ("1",)) for place, box in enumerate(boxes))


@settings(max_examples=40, deadline=None)
@given(st.lists(every_box, min_size=1, max_size=60, unique=True), st.integers(0, 10**6), st.booleans())
def test_any_layout_fits_without_a_plan(boxes: list[Box], most: int, heat: bool) -> None:
    """Whatever bets a foreign book has and whatever they pay, its plain arrangement holds all of them."""
    layout = foreign(*paid(boxes, most))
    areas = areas_of(plan_for(layout))
    assert {area.box.name for area in areas} == set(layout.boxes)
    assert not [one for one, two in pairs_of([area.rect for area in areas]) if one.overlaps(two)]
    assert misfits(draw(layout, heat=heat)) == []


@pytest.mark.parametrize(("wide", "high"), [(4, 200), (200, 4), (1, 1), (30, 30)])
def test_any_plan_fits(shelf: Shelf, wide: int, high: int) -> None:
    """A plan with areas of any shape, however narrow, is drawn within them, chips and names included."""
    layout = shelf.layout("rws-tai-sai-v6/C")
    boxes = tuple(layout.boxes.values())
    plan = FeltPlan(wide, high, (FeltBlock(0, 0, wide, high, max(1, round((len(boxes) * wide / high) ** 0.5)), boxes),))
    odd_one = replace(layout, felt=plan)
    assert misfits(draw(odd_one)) == []
    assert misfits(draw(odd_one, heat=True)) == []
    assert root_of(draw(odd_one, labels=True)).tag.endswith("svg")


def test_rects() -> None:
    """Areas that share an edge do not overlap; what two share is counted."""
    one, two = Rect(0, 0, 4, 2), Rect(4, 0, 4, 2)
    assert not one.overlaps(two)
    assert one.shared(two) == 0
    assert one.shared(Rect(3, 1, 9, 9)) == 1
    assert one.inset(9) == Rect(9, 9, 0, 0)
    assert list(chain(one.part(0.5, 0, 0.5, 1))) == [2, 0, 2, 2]
