"""What boxes are called and when they win, as data: the package's own, a book's, and a pay row's."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.books import read_book
from taisai.books.reader.definitions import standard_definitions
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_ROLLS
from taisai.core.odds import box_odds
from taisai.core.rulebook import Layout
from tests.books.broken_cases import GOOD, LAYOUT
from tests.books.helpers import lines_of, write_book

OWN = """boxes = [
  { box = "red-once", when = "n({1, 4}) == 1", title = "Red once", needs = "one red face", group = "colours" },
  { box = "number:{a}", title = "Number {n}" },
]
"""


def layout_with(folder: Path, pay: str, boxes: str | None = None) -> Layout:
    """Layout A of a small book whose pay table is `pay`."""
    files = {"layout-A.toml": f'title = "A"\nclause = ["1", "5"]\npay = [\n{pay}\n]\n'}
    return read_book(write_book(folder, files | ({} if boxes is None else {"boxes.toml": boxes}))).layouts["A"]


def test_the_package_defines_every_box_by_a_predicate() -> None:
    """All 118 names of the package win where its file says, so a book may use them by name alone."""
    found = standard_definitions()
    assert len(found.boxes) == 118
    assert all(family.when is not None for family in found.families)


def test_a_book_defines_boxes_of_its_own(tmp_path: Path) -> None:
    """Own boxes have own words and groups; where the definition has no `when`, the pay rows say when they win."""
    layout = layout_with(
        tmp_path / "house",
        """{ bet = "Red", boxes = "red-once", pays = 1, clause = "1" },
        { bet = "Number", boxes = "number:{a}", when = "n(a) == 1", pays = 1, clause = "1" },
        { bet = "Number", boxes = "number:{a}", when = "n(a) >= 2", pays = 3, clause = "1" },""",
        OWN,
    )
    red, number = layout.boxes[BoxName("red-once")], layout.boxes[BoxName("number:5")]
    assert (layout.names.box(red), layout.names.needs(red), red.group, red.kind) == (
        "Red once",
        "one red face",
        "colours",
        "red-once",
    )
    assert (layout.names.box(number), number.group) == ("Number 5", "other")
    assert box_odds(layout, red.name).ways == 96
    assert [each.ways for each in box_odds(layout, number.name).pay_ways] == [75, 16]
    assert layout.terms_of(red.name) == layout.terms_of(number.name) == {"n"}


def test_a_pay_row_brings_its_own_boxes(tmp_path: Path) -> None:
    """A name that nobody defined is a box of the row's `when`; several rows with that name are its outcomes."""
    layout = layout_with(
        tmp_path / "house",
        """{ bet = "Hi", boxes = "hi", when = "total in 12..18", pays = 1, clause = "1" },
        { bet = "Alley", boxes = "alley:{a}{b}", when = "n(a) >= 1 and n(b) >= 1", pays = 5, clause = "1" },
        { bet = "Run", boxes = "run:123", when = "n({1, 2, 3}) == 2 and distinct == 3", pays = 1, clause = "1" },
        { bet = "Run", boxes = "run:123", when = "n({1, 2, 3}) == 3 and distinct == 3", pays = 5, clause = "1" },
        { bet = "Doubles", boxes = "double: 1 2", when = "n(a) == 2", pays = 8, clause = "1" },""",
    )
    assert len(layout.boxes) == 1 + 15 + 1 + 2
    hi, alley, run = (layout.boxes[BoxName(name)] for name in ("hi", "alley:25", "run:123"))
    assert (layout.names.box(hi), layout.names.needs(hi)) == ("Hi", "total in 12..18")
    assert (layout.names.box(alley), layout.names.needs(alley), alley.faces) == (
        "Alley 2-5",
        "n(2) >= 1 and n(5) >= 1",
        (2, 5),
    )
    assert layout.names.needs(run) == "n({1, 2, 3}) == 2 and distinct == 3 or n({1, 2, 3}) == 3 and distinct == 3"
    doubles = [roll for roll in ALL_ROLLS if layout.pays(BoxName("double:1"), roll)]
    assert all(roll.count(1) == 2 for roll in doubles)
    assert len(doubles) == 15


def spoiled(old: str, new: str) -> dict[str, str]:
    """The small good book with one piece of its layout replaced."""
    return {"layout-A.toml": GOOD["layout-A.toml"].replace(old, new, 1)}


@pytest.mark.parametrize(
    ("files", "starts"),
    [
        (
            {"boxes.toml": 'boxes = [{ box = "Red", title = "R" }]'},
            ["boxes.toml:1: boxes row 1: 'Red' is no name of a"],
        ),
        (
            {"boxes.toml": 'boxes = [{ box = "x:{a}", when = "n(b) == 1", title = "R" }]'},
            ["boxes.toml:1: boxes row 1: 'n(b) == 1': character 3: needs a face or a set of faces, got 'b'; the "],
        ),
        (
            {"boxes.toml": 'boxes = [{ box = "red", title = "R" }, { box = "red", title = "R" }]'},
            ["boxes.toml:1: boxes row 2: box red stands twice (also row 1)"],
        ),
        ({"boxes.toml": "box = 1"}, ["boxes.toml:1: unknown key 'box'; known are boxes", "boxes.toml: missing key"]),
        (
            {"boxes.toml": 'boxes = [{ box = "red", title = "R" }]', **spoiled('boxes = "small"', 'boxes = "red"')},
            ["layout-A.toml:6: pay row 1: no `when`, and nothing else says when red wins"],
        ),
        (
            spoiled('boxes = "small"', 'boxes = "Re d", when = "triple"'),
            ["layout-A.toml:6: pay row 1: unknown box 'Re d'; kinds are small, big, odd"],
        ),
        (
            spoiled('boxes = "small"', 'boxes = "red", when = "total = 9"'),
            ["layout-A.toml:6: pay row 1: 'total = 9': character 7: needs a comparison"],
        ),
    ],
)
def test_wrong_definitions_are_named(tmp_path: Path, files: dict[str, str], starts: list[str]) -> None:
    """File, row, reason and what to write."""
    found = [line for line in lines_of(write_book(tmp_path / "house", files)) if "felt" not in line]
    assert len(found) == len(starts)
    assert all(line.startswith(start) for line, start in zip(found, starts, strict=True)), found


def test_boxes_that_share_a_bet_are_told_apart(tmp_path: Path) -> None:
    """Boxes of one bet that have no figures go by their own names; one alone, and families, by that of the bet."""
    rows = """
  { bet = "Same Colour", boxes = "all-red", when = "n({1, 6}) == 3", pays = 20, clause = "5" },
  { bet = "Same Colour", boxes = "all-blue", when = "n({3, 4}) == 3", pays = 20, clause = "5" },
  { bet = "Even Chance", boxes = "odd", pays = 1, clause = "5" },
  { bet = "Even Chance", boxes = "even", pays = 1, clause = "5" },
  { bet = "Lucky Seven", boxes = "seven", when = "total == 7", pays = 12, clause = "5" },
  { bet = "Exactly Two", boxes = "two:{a}", when = "n(a) == 2", pays = 10, clause = "5" },
]
"""
    text = LAYOUT[: LAYOUT.index("pay = [")] + "pay = [" + rows
    layout = read_book(write_book(tmp_path / "mini", {"layout-A.toml": text})).layouts["A"]
    names = [layout.box_name(box) for box in layout.boxes]
    assert names[:6] == ["All red", "All blue", "Odd", "Even", "Lucky Seven", "Exactly Two 1"]
    assert names == [layout.bet_name(box) for box in layout.boxes]


def test_what_a_box_needs_is_told_in_the_words_of_its_rows(tmp_path: Path) -> None:
    """Rows that say in words when they pay say so in sentences too; without words the predicate stands there."""
    rows = """
  { bet = "Low", boxes = "low", when = "total in 4..10 and not triple", pays = 1, on = "4 to 10", clause = "5" },
  { bet = "Low", boxes = "low", when = "triple", pays = "push", on = "any triple", clause = "5" },
  { bet = "Exactly Two", boxes = "two:{a}", when = "n(a) == 2", pays = 10, clause = "5" },
]
"""
    text = LAYOUT[: LAYOUT.index("pay = [")] + "pay = [" + rows
    layout = read_book(write_book(tmp_path / "mini", {"layout-A.toml": text})).layouts["A"]
    told = [layout.names.needs(layout.boxes[BoxName(name)]) for name in ("low", "two:3")]
    assert told == ["4 to 10 or any triple", "n(3) == 2"]
