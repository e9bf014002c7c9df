"""Rolls by set and tumbler."""

from __future__ import annotations

import pytest

from taisai.analysis.dice.gathering import Gathering
from taisai.core.dice import roll_of
from tests.analysis.dice.samples import told


def test_rolls_and_places_are_the_same() -> None:
    """A roll and its place among all rolls are the same thing; a gap breaks what follows."""
    gathering = Gathering()
    gathering.add(roll_of((1, 2, 3)))
    gathering.gap()
    gathering.add(roll_of((6, 5, 4)).index)
    assert told(gathering.sets()) == [("", [(1, 2, 3), (6, 5, 4)], [False, False])]


def test_tumblers_that_take_turns_follow_themselves() -> None:
    """Each tumbler's roll follows its own last one, not that of the other; a gap breaks its own stretch only."""
    gathering = Gathering()
    for tumbler, faces in (("A", (1, 2, 3)), ("B", (4, 4, 4)), ("A", (1, 2, 4)), ("B", (4, 4, 5))):
        gathering.put_in("D1", tumbler)
        gathering.add(roll_of(faces))
    gathering.put_in("D1", "A")
    gathering.gap()
    gathering.add(roll_of((1, 1, 1)))
    gathering.put_in("D2", "B")
    gathering.add(roll_of((6, 6, 6)))
    found = gathering.sets()
    assert [(each.name, each.tumbler, each.follows.tolist()) for each in found] == [
        ("D1", "A", [False, True, False]),
        ("D1", "B", [False, True]),
        ("D2", "B", [False]),
    ]
    assert found[0].title == "dice D1, tumbler A"


@pytest.mark.parametrize(
    ("marks", "ordered"), [((True, True), True), ((True, False), False), ((None, True), None), ((None, False), False)]
)
def test_one_roll_spoils_the_order(marks: tuple[bool | None, ...], ordered: bool | None) -> None:
    """Dice are told apart only if every roll was read so; where it is not recorded, nobody knows."""
    gathering = Gathering()
    for mark in marks:
        gathering.add(0, ordered=mark)
    assert gathering.sets()[0].ordered is ordered
