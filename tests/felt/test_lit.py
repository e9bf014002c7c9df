"""Lights: the areas that light are the boxes that win, all of them and no others."""

from __future__ import annotations

import pytest

from taisai.books import Shelf
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, roll_of
from taisai.core.rulebook import Layout
from taisai.felt import draw
from tests.felt.reading import boxes_of, foreign, names_in, root_of, row_of, with_class


@pytest.mark.clause("nz-division-9 §3.3(b)")
def test_lit_areas_are_the_winning_boxes(layout: Layout) -> None:
    """On every combination the lit areas are exactly the boxes that win, and all others are dim."""
    lit_of = {}
    for roll in ALL_COMBINATIONS:
        svg = draw(layout, roll=roll)
        lit_of[roll.faces] = set(layout.lit(roll))
        assert names_in(svg, "lit") == lit_of[roll.faces], roll
        assert names_in(svg, "dim") == set(layout.boxes) - lit_of[roll.faces], roll
    assert all(set(layout.lit(roll)) == lit_of[roll.low_to_high] for roll in ALL_ROLLS)


@pytest.mark.clause("rws-tai-sai-v6 §I8")
def test_a_box_lights_in_all_its_areas(shelf: Shelf) -> None:
    """On layout E both areas of a box light."""
    drawn = boxes_of(draw(shelf.layout("rws-tai-sai-v6/E"), roll=roll_of([1, 3, 6])))
    lit = [box.name for box in drawn if "lit" in box.classes]
    assert sorted(lit) == sorted(
        [
            *["small", "pair:13", "pair:16", "pair:36", "single:1", "single:3", "single:6", "total:10"] * 2,
            *["three:136", "four:1236", "four:1346", "four:1356"],
        ]
    )


def test_without_a_roll_nothing_is_lit(layout: Layout) -> None:
    """A felt at rest has neither lit nor dim areas."""
    svg = draw(layout)
    assert {tuple(box.classes) for box in boxes_of(svg)} == {("box",)}
    assert not with_class(root_of(svg), "glow")


def test_a_roll_may_light_nothing() -> None:
    """A roll without a winner dims every area."""
    layout = foreign(row_of("Small", "small", 1))
    svg = draw(layout, roll=roll_of([6, 6, 6]))
    assert names_in(svg, "lit") == set()
    assert names_in(svg, "dim") == {"small"}
    assert not with_class(root_of(svg), "glow")
