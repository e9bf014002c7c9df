"""The fewest rolls that light every area or every kind of bet."""

from __future__ import annotations

from itertools import combinations

import pytest

from taisai.core.dice import ALL_COMBINATIONS, roll_of
from taisai.core.rulebook import Layout
from taisai.table.record.coverage import smallest_cover
from tests.core.samples import LAYOUT_NAMES
from tests.table.driver import shelf


def layout_named(name: str) -> Layout:
    """A layout of the package's books."""
    return shelf().layout(name)


@pytest.mark.clause("nz-division-9 §5.0(b)")
@pytest.mark.parametrize(("layout", "areas"), [("nz-division-9/1", 17), ("nz-division-9/2", 56)])
def test_as_many_runs_as_the_reading_says(layout: str, areas: int) -> None:
    """I28: 17 runs light every area of layout 1, all 56 combinations those of layout 2."""
    rolls = smallest_cover(layout_named(layout))
    assert len(rolls) == areas
    assert {box for roll in rolls for box in layout_named(layout).lit(roll)} == set(layout_named(layout).boxes)


@pytest.mark.parametrize("name", LAYOUT_NAMES)
def test_every_kind_is_lit_and_no_fewer_would_do(name: str) -> None:
    """By kind the set is small enough to be held against all smaller ones."""
    layout = layout_named(name)
    kinds = {box: layout.boxes[box].kind for box in layout.boxes}
    rolls = smallest_cover(layout, by_kind=True)
    assert {kinds[box] for roll in rolls for box in layout.lit(roll)} == set(kinds.values())
    for fewer in combinations(ALL_COMBINATIONS, len(rolls) - 1):
        assert {kinds[box] for roll in fewer for box in layout.lit(roll)} != set(kinds.values())


def test_what_is_proven_is_not_asked_again() -> None:
    """Rolls that lit well before count; when all did, none is left."""
    layout = layout_named("nz-division-9/1")
    rolls = smallest_cover(layout)
    assert smallest_cover(layout, rolls) == ()
    assert len(smallest_cover(layout, rolls[1:])) == 1
    assert smallest_cover(layout, [roll_of((1, 1, 1))]) != rolls
