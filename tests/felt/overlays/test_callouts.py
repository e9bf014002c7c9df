"""Which bets are named, and where their lines lead."""

from __future__ import annotations

import pytest

from taisai.core.rulebook import Layout
from taisai.felt import areas_of, draw, plan_for
from taisai.felt.geometry import Rect
from tests.felt.reading import (
    SVG,
    root_of,
    tags_of,
    text_of,
    with_class,
)


@pytest.mark.clause(
    "rws-tai-sai-v6 §App. B", "rws-tai-sai-v6 §App. D", "rws-tai-sai-v6 §App. F", "rws-tai-sai-v6 §2.1.1"
)
def test_every_bet_is_named(layout: Layout) -> None:
    """Each bet of the pay table has a tag with its name in the book's words, not cut."""
    tags = tags_of(root_of(draw(layout, labels=True)))
    assert {bet for bet, _, _ in tags} == {row.bet for row in layout.rows}
    for bet, _, lines in tags:
        assert " ".join(map(text_of, lines)) == bet


@pytest.mark.clause("rws-tai-sai-v6 §App. B", "rws-tai-sai-v6 §App. D", "rws-tai-sai-v6 §App. F")
def test_lines_lead_to_the_areas_of_their_bet(layout: Layout) -> None:
    """The point at the end of each line lies in an area where that bet is placed."""
    root = root_of(draw(layout, labels=True))
    points = [next(leader.iter(f"{SVG}circle")) for leader in with_class(root, "leader")]
    tags = tags_of(root)
    assert len(points) == len(tags)
    areas = areas_of(plan_for(layout))
    for (bet, _, _), point in zip(tags, points, strict=True):
        x, y = float(point.attrib["cx"]), float(point.attrib["cy"])
        here = [area.box.name for area in areas if area.rect.holds(Rect(x, y, 0, 0), 0)]
        assert {layout.rows_of(name)[0].bet for name in here} == {bet}


@pytest.mark.clause("rws-tai-sai-v6 §App. F")
def test_both_wings_are_named(layout: Layout) -> None:
    """Areas of one bet that do not touch each have a tag of their own; those that touch share one."""
    names = [bet for bet, _, _ in tags_of(root_of(draw(layout, labels=True)))]
    if layout.name == "rws-tai-sai-v6/E":
        assert names.count("Big") == names.count("Any Triple Bet") == names.count("Domino Combination Bet") == 2
        assert names.count("Four Number Combination Bet") == 1
    if layout.name == "nz-division-9/2":
        assert names.count("Three Dice Combinations") == 1
