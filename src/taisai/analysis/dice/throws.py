"""A table's rolls, from the record of how they were made and read.

Enters: the events of one table, in order. Leaves: for each round that was concluded the roll, the set of dice, whether
the dice lay untouched since the roll before, and whether they were told apart. A journal and a live table are read by
this one reader. Serves R23.
"""

from __future__ import annotations

from typing import NamedTuple

from taisai.core.dice import Roll, roll_of
from taisai.table import events as e


class Throw(NamedTuple):
    """A roll of a round that was concluded."""

    dice_set: str
    """Empty when no set was named."""
    roll: Roll
    follows: bool
    """Whether it follows the table's roll before: a new seal, an inspection or a void round comes between."""
    ordered: bool
    """Whether the dice were told apart: virtual dice are. A dealer reads dice that look alike, in any order."""


class Throws:
    """Reads the events of one table."""

    def __init__(self) -> None:
        self._dice_set = ""
        self._follows = False
        self._opened = False
        self.layout: str | None = None
        """The layout that the table has now, as BOOK/LAYOUT; None before its set-up."""

    def see(self, what: e.EventBody) -> Throw | None:
        """The next event; the roll that it concludes, if it does."""
        match what:
            case e.RoundConcluded():
                throw = Throw(self._dice_set, roll_of(what.dice), self._follows, self._opened)
                self._follows, self._opened = True, False
                return throw
            case e.DiceUncovered():
                self._opened = bool(what.opening)
            case e.TableSetUp() | e.EditionTaken():
                self.layout = f"{what.book}/{what.layout}"
            case e.DiceSealed():
                self._dice_set, self._follows = what.dice_set, False
            case e.DiceInspected() | e.DiceRetired() | e.RoundVoided():
                self._follows = False
            case _:
                pass
        return None
