"""The parts of which events are made: chips handed back, bets as fixed, flags, losses, lines of a reversal.

Enters: what `decide` found. Leaves: frozen values, written in the journal as they stand here.
"""

from __future__ import annotations

from msgspec import Struct


class Handed(Struct, frozen=True, gc=False, array_like=True):
    """Chips handed back to a player out of a box: `in_colour` of them in that colour, the rest in value chips."""

    player: str
    box: str
    amount: int
    in_colour: int = 0
    colour: str | None = None


class FixedBet(Struct, frozen=True, gc=False):
    """A bet as it was fixed at the close."""

    player: str
    box: str
    stake: int
    at_risk: int
    in_colour: int = 0
    colour: str | None = None
    called: bool = False
    """Some of it was a call bet."""


class FlagRaised(Struct, frozen=True, gc=False):
    """What people should look at, as the core found it at the close."""

    code: str
    box: str | None
    player: str | None
    amount: int
    clauses: tuple[str, ...]
    text: str


class Loss(Struct, frozen=True, gc=False, array_like=True):
    """What was collected of a losing bet."""

    player: str
    box: str
    amount: int


class ReversedLine(Struct, frozen=True, gc=False, omit_defaults=True):
    """One player's part when settled bets are undone or a ruling moves money: what they get, give, and still owe."""

    player: str
    staked: int
    returned: int
    given_back: int
    """Value chips handed to the player: what they had lost."""
    taken: int
    """Value chips taken from the player: what they had won, as far as they have it."""
    owed: int
    """The rest of it, booked as a debt."""
    owing: int = 0
    """What the float could not hand over: the house owes it to the player."""
