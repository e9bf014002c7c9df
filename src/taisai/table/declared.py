"""What is declared of each kind of event, in the one place where the event is defined.

Enters: nothing. Leaves: the terms in which `table.events` says of every event who is told of it, what of it the public
is not told, which report counts it and which rule of the book stands behind it. Views, reports and exports derive
their lists from these declarations. An event that says nothing is for the crew alone.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, NamedTuple

from msgspec import Struct

from taisai.core.rulebook import Rule


class Audience(StrEnum):
    """Who is told of an event."""

    CREW = "crew"
    """The crew alone, who see it in their view of the table."""
    EVERYONE = "everyone"
    """Everybody at the table is told, without the fields that are withheld."""
    SHOWN = "shown"
    """Everybody sees it in the public view of the table, so it is not announced as well."""


class Meter(StrEnum):
    """A column of the reports. An event that is counted in money has the `amount` that is added."""

    ROUNDS = "rounds"
    VOIDED = "voided"
    REVERSED = "reversed"
    DROP = "drop"
    FILLS = "fills"
    CREDITS = "credits"


class Significance(StrEnum):
    """Whether the report of significant events lists an event (R30)."""

    NONE = "none"
    ALWAYS = "always"
    LARGE_WIN = "large-win"
    """From an amount of winnings on."""


class Declared(NamedTuple):
    """The declaration of a kind of event."""

    seen_by: Audience = Audience.CREW
    rule: Rule = Rule.ROLES
    """The rule whose clauses stand behind it."""
    withheld: frozenset[str] = frozenset()
    """Fields that the public is not told: who has how much, whose bets lie where."""
    urgent: bool = True
    """Everybody hears of it at once; otherwise together with what else happens within a moment."""
    counted: Meter | None = None
    significance: Significance = Significance.NONE


class Happened(Struct, frozen=True, gc=False, tag_field="event"):
    """Something that happened. No event can refer to itself, so the garbage collector tracks none (`gc=False`)."""

    declared: ClassVar[Declared] = Declared()
    """Private until an event declares otherwise."""
