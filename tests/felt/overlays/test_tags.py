"""The felt with the names of its bets, as the books' appendices show it."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from taisai.core.rulebook import Layout
from taisai.felt import draw
from taisai.felt.geometry import Rect
from tests.felt.reading import (
    covered_by,
    foreign,
    pairs_of,
    rect_of,
    root_of,
    row_of,
    tags_of,
    text_of,
    with_class,
)


def view_of(root: ET.Element) -> Rect:
    """The part of the plane that the document shows."""
    x, y, width, height = map(float, root.attrib["viewBox"].split())
    return Rect(x, y, width, height)


def test_tags_keep_apart(layout: Layout) -> None:
    """Tags lie around the table, inside the picture, and cover neither each other nor the table."""
    root = root_of(draw(layout, labels=True, title="Names"))
    assert misplaced(root) == []


def misplaced(root: ET.Element) -> list[object]:
    """Tags that lie where they should not, and words that leave their tag."""
    (rail,) = (rect_of(element) for element in with_class(root, "rail"))
    view = view_of(root)
    tags = tags_of(root)
    places = [place for _, place, _ in tags]
    return [
        *(place for place in places if not view.holds(place)),
        *(place for place in places if place.overlaps(rail)),
        *(pair for pair in pairs_of(places) if pair[0].overlaps(pair[1])),
        *(text_of(line) for _, place, lines in tags for line in lines if not place.holds(covered_by(line), 0.05)),
    ]


@pytest.mark.parametrize("name", ["x" * 3000, "word " * 300, " ", "Großes & <kleines> Spiel", "大小" * 90])
def test_strange_names_find_room(name: str) -> None:
    """Names without end are made small and cut; the whole name stays in the title of the tag."""
    kinds = ["small", "big", "odd", "even", "any-triple", "field"]
    layout = foreign(
        *(row_of(f"{name}{number}", kind, 1) for number, kind in enumerate(kinds)),
        row_of(name, "total: 4 5 6 7 8 9 10 11", 6),
        row_of(name, "four: 1234", 7),
    )
    root = root_of(draw(layout, labels=True))
    assert misplaced(root) == []
    assert {bet for bet, _, _ in tags_of(root)} == {" ".join(row.bet.split("\n")) for row in layout.rows}


@pytest.mark.parametrize("name", ["x" * 200, "Total Sum Combination", "word " * 40])
def test_many_names_find_room(name: str) -> None:
    """A row of areas in which each is a bet of its own still has room for all names around it."""
    layout = foreign(*(row_of(f"{total} {name}", f"total: {total}", 6) for total in range(4, 18)))
    root = root_of(draw(layout, labels=True))
    assert misplaced(root) == []
    assert len(tags_of(root)) == 14
