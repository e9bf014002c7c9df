"""The areas: what each shows, and in which order."""

from __future__ import annotations

from typing import assert_never

import pytest

from taisai.core.boxes import Box, BoxName, Kind
from taisai.core.rulebook import Layout
from taisai.felt import areas_of, draw, plan_for
from tests.felt.reading import DrawnBox, boxes_of

CHANCES = {
    Kind.BIG: ("大", "BIG", "11 TO 17"),
    Kind.SMALL: ("小", "SMALL", "4 TO 10"),
    Kind.ODD: ("单", "ODD"),
    Kind.EVEN: ("双", "EVEN"),
}


FACES = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX")


@pytest.mark.clause("nz-division-9 §3.2")
def test_every_area_shows_what_it_is_for(layout: Layout) -> None:
    """Dice for faces, digits where the felts print digits, English and Chinese names, and that a triple loses."""
    for one in boxes_of(draw(layout)):
        box = layout.boxes[BoxName(one.name)]
        assert missing(box, one) == set(), one.name


def missing(box: Box, drawn: DrawnBox) -> set[str]:
    """What an area should show and does not."""
    dice = "".join(map(str, drawn.dice))
    shown = {*drawn.lines, dice}
    faces = "".join(map(str, box.faces))
    match box.kind:
        case Kind.BIG | Kind.SMALL | Kind.ODD | Kind.EVEN:
            loses = "LOSE IF ANY TRIPLE APPEARS"
            return {*CHANCES[box.kind], loses} - shown - ({loses} if loses in " ".join(drawn.lines) else set())
        case Kind.SINGLE:
            return {faces, FACES[box.faces[0] - 1]} - shown
        case Kind.DOUBLE | Kind.TRIPLE:
            return {faces * (2 if box.kind is Kind.DOUBLE else 3)} - shown
        case Kind.ANY_TRIPLE:
            return {"111222333444555666", "围骰"} - shown
        case Kind.PAIR | Kind.THREE:
            return {faces} - shown
        case Kind.TOTAL:
            return {str(box.total)} - shown
        case Kind.FOUR:
            return {faces[::-1]} - shown
        case Kind.FIELD:
            return {"FIELD", "5", "6", "7", "8", "13", "14", "15", "16"} - shown
        case _:
            assert_never(box.kind)


def test_areas_come_in_the_felts_order(layout: Layout) -> None:
    """Who has the felt read aloud hears it in the order in which it is laid out."""
    assert [box.name for box in boxes_of(draw(layout))] == [area.box.name for area in areas_of(plan_for(layout))]
