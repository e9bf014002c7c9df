"""Stacks of words and dice: within their place, as large as it allows."""

from __future__ import annotations

from itertools import pairwise

import pytest

from taisai.felt.geometry import Rect
from taisai.felt.stack import SMALLEST, Dice, Inks, Item, Line, Named, Rondels, draw, fit

STACK: tuple[Item, ...] = (
    Line("SMALL", "name", 2.0),
    Dice((1, 2, 3, 4), 2, 1.5, group=1),
    Named(6, "SIX", 1.0),
    Rondels((4, 10, 11), 2, 1.0),
    Line("1 WINS 1", "odds", 0.5, optional=True),
)


@pytest.mark.parametrize("size", [(300.0, 400.0), (60.0, 400.0), (400.0, 60.0)])
def test_a_stack_keeps_to_its_place(size: tuple[float, float]) -> None:
    """Every item lies within the place, none over another; an optional line that would be unreadable is left out."""
    place = Rect(10, 20, *size)
    fitted = fit([STACK], *size)
    pieces = draw(STACK, fitted, place, Inks("#000000", "#ffd700"), "x")
    assert all(place.holds(piece.place, 0.01) for piece in pieces)
    assert not any(one.place.overlaps(two.place, 0.01) for one, two in pairwise(pieces))
    odds = fitted.sizes[-1]
    assert odds is None or odds >= SMALLEST
    assert all(fitted.sizes[:-1])
    assert fitted.height > 0.8 * size[1] or size[1] > 300


def test_neighbours_have_one_size() -> None:
    """Stacks that are fitted together get the sizes of the widest."""
    short, long = (Line("ONE", "name", 1.0),), (Line("A VERY LONG NAME", "name", 1.0),)
    assert fit([short, long], 100, 50) == fit([long], 100, 50)
    assert fit([short], 100, 50).sizes > fit([long], 100, 50).sizes
