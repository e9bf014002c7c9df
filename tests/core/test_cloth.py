"""What is printed on the cloth."""

from __future__ import annotations

import pytest

from taisai.core.boxes import BoxName
from taisai.core.cloth import argument_of, faces_of, label, label_fault


@pytest.mark.parametrize(
    ("template", "box", "printed"),
    [
        ("DOUBLE {A}", "double:6", "DOUBLE SIX"),
        ("{a} AND {b}", "pair:56", "5 AND 6"),
        ("{d}{c}{b}{a}", "four:3456", "6543"),
        ("{n}", "total:17", "17"),
        ("1 WINS {pays}", "total:17", "1 WINS 62"),
        ("{pays} TO 1, {pays2} TO 1", "single:1", "62 TO 1, 31 TO 1"),
        ("BIG", "big", "BIG"),
    ],
)
def test_a_label_is_filled_in_for_its_box(template: str, box: str, printed: str) -> None:
    """Faces as digits or in words, the number of a total, the payouts of the pay table."""
    assert label(template, BoxName(box), ("62", "31")) == printed


def test_faces_have_the_names_of_the_book() -> None:
    """Dice with pictures print the names of their faces."""
    names = ("Fish", "Prawn", "Gourd", "Coin", "Crab", "Rooster")
    assert label("{A} {B}", BoxName("pair:15"), ("5",), names) == "FISH CRAB"


def test_faces_are_read_from_the_name() -> None:
    """Only digits from 1 to 6 are faces; a name without a colon has none."""
    assert faces_of(BoxName("three:113")) == (1, 1, 3)
    assert faces_of(BoxName("total:17")) == (1,)
    assert faces_of(BoxName("small")) == ()
    assert argument_of(BoxName("small")) == ""


def test_a_label_that_cannot_be_filled_in_is_told() -> None:
    """A placeholder that is unknown, or that one of the boxes has nothing for, is named."""
    names = [BoxName("pair:12"), BoxName("small")]
    assert label_fault("{a} AND {b}", names[:1], [("6",)]) is None
    assert label_fault("{a}", names, [("6",), ("1",)]) == "small has nothing to print for {a} in '{a}'"
    assert label_fault("{0}", names, [("6",), ("1",)]) is not None
    assert label_fault("{a!r}", names[:1], [("6",)]) is not None
    assert label_fault("{", names[:1], [("6",)]) == "the braces of '{' do not match"
