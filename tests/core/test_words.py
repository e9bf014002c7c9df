"""The words for bets, and that the English screens use the same."""

from __future__ import annotations

import json

import pytest

from taisai.core.boxes import ALL_BOXES, BoxName, Kind
from taisai.core.words import NEEDS, SHORT_TITLES, TITLES, box_needs, box_title
from tests import ROOT


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("small", "Small"),
        ("big", "Big"),
        ("odd", "Odd"),
        ("even", "Even"),
        ("field", "Field"),
        ("any-triple", "Any triple"),
        ("single:4", "Single 4"),
        ("double:4", "Double 4"),
        ("triple:4", "Triple 4"),
        ("total:11", "Total 11"),
        ("pair:25", "Combination 2-5"),
        ("three:221", "Three-dice combination 2-2-1"),
        ("four:3456", "Four-number combination 3-4-5-6"),
    ],
)
def test_titles(name: str, title: str) -> None:
    """A box is called in a sentence as people would call it."""
    assert box_title(ALL_BOXES[BoxName(name)]) == title


def test_titles_and_needs_tell_boxes_apart() -> None:
    """No two boxes have one title, and none needs what another needs."""
    assert len({box_title(box) for box in ALL_BOXES.values()}) == len(ALL_BOXES)
    assert len({box_needs(box) for box in ALL_BOXES.values()}) == len(ALL_BOXES)


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("small", "a total from 4 to 10 without a triple"),
        ("total:9", "a total of 9"),
        ("pair:25", "both 2 and 5"),
        ("three:221", "exactly 2, 2, 1"),
        ("four:3456", "three different faces out of 3, 4, 5, 6"),
    ],
)
def test_needs(name: str, needs: str) -> None:
    """What a box needs is said as the end of a sentence."""
    assert box_needs(ALL_BOXES[BoxName(name)]) == needs


def test_every_kind_has_words() -> None:
    """No kind of bet is without a title and a need."""
    assert set(TITLES) == set(SHORT_TITLES) == set(NEEDS) == set(Kind)


def test_the_english_screens_use_the_same_words() -> None:
    """The catalogue calls each box, and says what it needs, as a sentence from here does."""
    texts = json.loads((ROOT / "src/taisai/web/static/texts/en.json").read_text(encoding="utf-8"))
    assert {kind: texts[f"box.{kind}"] for kind in Kind} == SHORT_TITLES
    # A screen writes the faces of a pair in one word, "2-5", which "both" alone does not fit.
    assert {kind: texts[f"needs.{kind}"] for kind in Kind} == {**NEEDS, Kind.PAIR: "both faces of {n}"}
