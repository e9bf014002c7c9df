"""A table's rolls from its events: sets, gaps, and who read the dice."""

from __future__ import annotations

from taisai.analysis.dice.throws import Throw, Throws
from taisai.core.dice import roll_of
from taisai.core.rulebook import Fact
from taisai.table import events as e


def concluded(number: int, dice: tuple[int, int, int]) -> e.RoundConcluded:
    """A round without a bet."""
    return e.RoundConcluded(number, dice, 0, 0, 0, 0, 0)


def test_rolls_follow_until_somebody_touches_the_dice() -> None:
    """A seal, an inspection and a void round come between; the set is the one under seal."""
    throws = Throws()
    events: list[e.EventBody] = [
        concluded(1, (1, 2, 3)),
        e.DiceSealed("D1", "S1"),
        concluded(2, (1, 1, 1)),
        concluded(3, (2, 2, 2)),
        e.DiceInspected("D1", True, ""),
        concluded(4, (3, 3, 3)),
        e.RoundVoided(5, next(iter(Fact)), True, "", (), ()),
        concluded(6, (4, 4, 4)),
    ]
    found = [throw for what in events if (throw := throws.see(what)) is not None]
    assert [(each.dice_set, each.roll.faces[0], each.follows) for each in found] == [
        ("", 1, False),
        ("D1", 1, False),
        ("D1", 2, True),
        ("D1", 3, False),
        ("D1", 4, False),
    ]
    assert throws.layout is None


def test_dice_that_open_a_commitment_are_told_apart() -> None:
    """Virtual dice have their places; what a dealer uncovers has none."""
    throws = Throws()
    assert throws.see(e.DiceUncovered((1, 2, 3), "5ec4e7")) is None
    assert throws.see(concluded(1, (1, 2, 3))) == Throw("", roll_of((1, 2, 3)), False, True)
    throws.see(e.DiceUncovered((1, 2, 4)))
    assert throws.see(concluded(2, (1, 2, 4))) == Throw("", roll_of((1, 2, 4)), True, False)
