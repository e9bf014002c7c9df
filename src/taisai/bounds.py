"""Bounds: how much of each thing one person, one address or everybody together can make the house keep or show.

Enters: nothing. Leaves: the numbers, in one place; whoever keeps or shows something takes its bound from here. What an
operator chooses among them is in the settings (`limits`). A test sends everything that a player can send, without end,
and finds what is kept within them. The crew may record what a player's own screen is refused: a bound of a screen
silences nobody.
"""

from __future__ import annotations

from typing import Final

# ------------------------------------------------------------------ at a table

PLAYERS_AT_TABLE: Final = 500
"""Players with a seat, those who walked away from their chips included."""
STACKS_OF_PLAYER: Final = 300
"""Times that a player puts down chips in one round: eight a second for as long as bets are open."""
STACKS_AT_TABLE: Final = 5_000
"""The same for all players of a table together."""
DISPUTES_OF_PLAYER: Final = 5
"""Disputes of one player that are open at a time."""
DISPUTES_OF_ROUND: Final = 3
"""Disputes of one player about one round, as far as they are kept."""
DISPUTES_OPEN: Final = 50
"""Open disputes of a table; players open no more, the crew does."""
DISPUTES_KEPT: Final = 50
"""Resolved disputes that a table still shows; the journal has all of them."""
MONEY_AT_TABLE: Final = 10**16
"""What any account of a table holds, in minor units: a hundred million million of a currency with cents. 216 times as
much, the form in which expectations are counted, fits 64 bits."""

# ------------------------------------------------------------------ of the house

ATTEMPTS_OF_ROUND: Final = 50
"""Different attempts at what is not allowed that a table's round has records of; the others are counted together."""
ALERTS_OF_KIND: Final = 50
"""Open alerts of one kind at one table; beyond it the newest is raised again, and counts."""
ALERTS_CLEARED: Final = 100
"""Cleared alerts that are still listed; the house's stream has all of them."""
CALLERS_KEPT: Final = 10_000
"""Addresses or persons whose rates are remembered; the least recently seen are forgotten."""
SEATS_OF_BROWSER: Final = 12
"""Seats of one browser that are looked up and shown to it together."""
RESERVED_FOR_STAFF: Final = 64
"""Connections that are kept for those who have signed in as staff, and for descriptors of the program's own."""
