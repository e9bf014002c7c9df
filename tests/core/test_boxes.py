"""Betting boxes: their names, and on how many of the 216 rolls each wins."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given

from taisai.books.reader.definitions import standard_definitions
from taisai.core.boxes import Box, BoxName, Definition, Definitions, box_among, kind_of, split_pattern
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, Roll, roll_of
from taisai.core.faults import InputFault
from taisai.core.names import OWN
from taisai.core.predicates import parse_predicate
from tests.core.samples import ALL_BOXES, MANY, hostile_text, parse_boxes, value_or_fault

COUNTS = {
    "small": 1,
    "big": 1,
    "odd": 1,
    "even": 1,
    "single": 6,
    "double": 6,
    "triple": 6,
    "any-triple": 1,
    "total": 14,
    "pair": 15,
    "three": 50,
    "four": 15,
    "field": 1,
}

WAYS = {
    "small": 105,
    "big": 105,
    "odd": 105,
    "even": 105,
    "single": 91,  # 216 less 5 x 5 x 5
    "double": 16,  # 3 x 5 doubles and a triple
    "triple": 1,
    "any-triple": 6,
    "pair": 30,  # 4 x 6 with a third face, 2 x 3 with one of the two again
    "four": 24,  # 4 x 6
    "field": 104,  # 2 x (6 + 10 + 15 + 21)
}

TOTAL_WAYS = {4: 3, 5: 6, 6: 10, 7: 15, 8: 21, 9: 25, 10: 27, 11: 27, 12: 25, 13: 21, 14: 15, 15: 10, 16: 6, 17: 3}


def wins(box: Box, roll: Roll) -> bool:
    """Whether a box wins on a roll."""
    return bool(box.wins >> ALL_COMBINATIONS.index(roll_of(roll.low_to_high)) & 1)


def parse_box(text: str, field_name: str = "box") -> Box:
    """A box of the package by name."""
    return box_among(ALL_BOXES, text, field_name)


def ways_of(box: Box) -> int:
    """On how many rolls a box wins."""
    return sum(wins(box, roll) for roll in ALL_ROLLS)


def test_every_kind_has_its_boxes() -> None:
    """There are 118 boxes, so many of each kind, under as many names."""
    assert Counter(box.kind for box in ALL_BOXES.values()) == COUNTS
    assert len(ALL_BOXES) == sum(COUNTS.values()) == 118


def test_names_are_read_back() -> None:
    """Every name gives the box that has it, and a box writes itself as its name."""
    for name, box in ALL_BOXES.items():
        assert parse_box(name) is box
        assert str(box) == name == box.name
        assert parse_boxes(name) == (box,)


def test_boxes_are_equal_by_name() -> None:
    """A box is its name: the rest follows from it and makes no difference."""
    assert replace(ALL_BOXES[BoxName("big")], name=BoxName("small")) == ALL_BOXES[BoxName("small")]
    assert len({*ALL_BOXES.values(), *map(parse_box, ALL_BOXES)}) == len(ALL_BOXES)


@pytest.mark.parametrize("kind", WAYS)
def test_win_counts(kind: str) -> None:
    """Each box of a kind wins on as many rolls as counting by hand gives."""
    assert {ways_of(box) for box in ALL_BOXES.values() if box.kind == kind} == {WAYS[kind]}


def test_win_counts_of_totals() -> None:
    """A total wins on as many rolls as add up to it, triples included."""
    assert {box.total: ways_of(box) for box in ALL_BOXES.values() if box.kind == "total"} == TOTAL_WAYS


def test_win_counts_of_three_dice() -> None:
    """Three different faces come in six orders, a double with a single in three."""
    threes = [box for box in ALL_BOXES.values() if box.kind == "three"]
    assert Counter(ways_of(box) for box in threes) == {6: 20, 3: 30}
    assert sum(ways_of(box) for box in threes) == 216 - 6
    assert all(ways_of(box) == 6 if len(set(box.faces)) == 3 else 3 for box in threes)


@pytest.mark.parametrize(
    ("name", "winning", "losing"),
    [
        ("small", ["1,1,2", "1,3,6"], ["1,1,1", "2,2,2", "3,3,3", "5,5,1"]),
        ("big", ["5,5,1", "6,6,5"], ["4,4,4", "5,5,5", "6,6,6", "1,3,6"]),
        ("odd", ["1,2,2", "6,6,5"], ["1,1,1", "3,3,3", "5,5,5", "1,1,2"]),
        ("even", ["1,1,2", "6,6,4"], ["2,2,2", "4,4,4", "6,6,6", "1,2,2"]),
        ("pair:25", ["2,5,1", "2,5,5", "5,2,2"], ["2,2,2", "5,5,1", "2,2,1"]),
        ("three:221", ["2,2,1", "1,2,2"], ["1,1,2", "2,2,2", "1,2,3"]),
        ("four:1234", ["1,2,3", "4,2,1"], ["1,1,2", "1,2,5", "1,1,1"]),
        ("field", ["2,2,2", "5,5,5", "1,1,3", "6,6,4"], ["3,3,3", "1,1,2", "6,6,5", "4,4,4"]),
    ],
)
def test_single_rolls(name: str, winning: list[str], losing: list[str]) -> None:
    """The rolls that are easily taken for the other side fall on the right one."""
    box = parse_box(name)
    for text in winning + losing:
        assert wins(box, roll_of([int(face) for face in text.split(",")])) == (text in winning), text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pair:52", "write pair:25"),
        ("four:6543", "write four:3456"),
        ("three:122", "write three:221"),
        ("three:212", "write three:221"),
        ("three:321", "write three:123"),
        ("total:3", "names run from total:4 to total:17"),
        ("total:18", "names run from total:4 to total:17"),
        ("total:04", "names run from total:4 to total:17"),
        ("total", "names run from total:4 to total:17"),
        ("single:7", "names run from single:1 to single:6"),
        ("pair:11", "names run from pair:12 to pair:56"),
        ("three:111", "names run from three:123 to three:665"),
        ("small:4", "the name is small"),
        ("any-triple:4", "the name is any-triple"),
        ("field:", "the name is field"),
        ("Big", "kinds are small, big, odd, even, single, double, triple, any-triple, total, pair, three, four, field"),
        ("any triple", "kinds are small"),
        ("", "kinds are small"),
        (" small", "kinds are small"),
        ("小", "kinds are small"),
    ],
)
def test_a_wrong_name_is_told_the_right_one(text: str, words: str) -> None:
    """The fault quotes the name and says how it should be, or how names of its kind look."""
    with pytest.raises(InputFault) as caught:
        parse_box(text, "wager")
    assert caught.value.field == "wager"
    assert caught.value.reason.startswith(f"unknown box {text!r}; ")
    assert words in caught.value.reason


def test_a_row_names_its_boxes() -> None:
    """A row is one box, or one kind with its arguments however they are spaced."""
    assert [box.name for box in parse_boxes("total: 4 17")] == ["total:4", "total:17"]
    assert [box.name for box in parse_boxes(" three :221   126 ")] == ["three:221", "three:126"]
    assert [box.name for box in parse_boxes(" any-triple ")] == ["any-triple"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("total:", "names no box after the colon"),
        ("small: ", "names no box after the colon"),
        ("total: 4 18", "unknown box 'total:18'"),
        ("pair: 12 31", "write pair:13"),
        ("small big", "unknown box 'small big'"),
        ("", "unknown box ''"),
    ],
)
def test_a_wrong_row_is_refused(text: str, words: str) -> None:
    """A row with any wrong name in it gives no box at all."""
    with pytest.raises(InputFault, match=r"^row: ") as caught:
        parse_boxes(text, "row")
    assert words in caught.value.reason


@MANY
@given(hostile_text(ALL_BOXES))
def test_hostile_names_give_a_box_or_a_fault(text: str) -> None:
    """Whatever the text is, it is exactly the name of a box or a fault in one line."""
    found = value_or_fault(lambda: parse_box(text))
    assert (isinstance(found, Box) and found.name == text) or text not in ALL_BOXES


@MANY
@given(hostile_text(["small", "total: 4 17", "three: 221 126", "pair: 12"]))
def test_hostile_rows_give_boxes_or_a_fault(text: str) -> None:
    """Whatever the text is, it is boxes of one kind or a fault in one line."""
    found = value_or_fault(lambda: parse_boxes(text))
    assert isinstance(found, InputFault) or len({box.kind for box in found}) == 1


def test_a_long_name_is_quoted_short() -> None:
    """A megabyte where a name should be does not become a megabyte of message."""
    for text in ("x" * 1_000_000, "pair:" + "9" * 1_000_000, ":" * 1_000_000):
        for read in (parse_box, parse_boxes):
            with pytest.raises(InputFault) as caught:
                read(text)
            assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("total: 4, 17", "write boxes side by side, with spaces alone: total: 4 ..."),
        ("total: 4/17", "write boxes side by side, with spaces alone: total: 4 17"),
        ("total: 9-12", "total: 9 12, and every one in between if they are meant too"),
        ("total：4 17", "write an ordinary colon (:)"),
        ("pair:{a}{c}", "families are single:{a}, double:{a}, triple:{a}, total:{t}, pair:{a}{b}"),
    ],
)
def test_what_people_write_instead_has_a_remedy(text: str, words: str) -> None:
    """Commas, slashes, dashes and a full-width colon are answered with what to write."""
    with pytest.raises(InputFault) as caught:
        parse_boxes(text)
    assert words in caught.value.reason


def test_a_family_is_named_by_its_pattern() -> None:
    """A pattern stands for every box of its family: rising faces, or any two where one stands twice."""
    assert [box.name for box in parse_boxes("double:{a}")] == [f"double:{face}" for face in range(1, 7)]
    assert len(parse_boxes("pair:{a}{b}")) == 15
    assert len(parse_boxes("three:{a}{a}{b}")) == 30
    assert parse_boxes("total:{t}")[0].total == 4


@pytest.mark.parametrize(
    ("pattern", "words"),
    [("Red", "no name of a box"), ("x:{e}", "faces {a} to {d}"), ("x:{a}{t}", "one total {t}"), ("x:", "no name")],
)
def test_a_name_that_is_none_is_refused(pattern: str, words: str) -> None:
    """Names have small letters, and variables that exist."""
    with pytest.raises(InputFault, match="box: ") as caught:
        split_pattern(pattern)
    assert words in caught.value.reason


def test_own_families_hide_those_of_the_same_kind() -> None:
    """A book's own `double` stands for the package's; other kinds stay. A name may have figures and no variable."""
    when = parse_predicate("n(a) == 2", "a")
    own = Definition("double:{a}", *split_pattern("double:{a}"), when, "double", "Exactly two {n}", "two of {a}", "")
    alley = Definition("alley:123", *split_pattern("alley:123"), None, "other", "1-2-3", "1, 2 and 3", "")
    found = Definitions([own, alley], standard_definitions())
    box = found.boxes[BoxName("double:4")]
    assert (OWN.box(box), OWN.needs(box), box.group) == ("Exactly two 4", "two of 4", "double")
    assert ways_of(box) == 15
    assert found.boxes[BoxName("alley:123")].wins == 0
    assert [each.name for each in found.named("alley: 123")] == ["alley:123"]
    assert len(found.boxes) == len(ALL_BOXES) + 1
    assert kind_of("alley:123") == "alley"
