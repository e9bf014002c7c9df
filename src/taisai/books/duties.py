"""What the software owes each clause, and the folder of the source that keeps it.

Enters: the rows of `software.toml` (docs/rule-books.md). Leaves: duties by clause. They describe this program and not
the game, so they are kept beside the rule book and outside its digest: moving a module changes no regulated document.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple


class Duty(StrEnum):
    """What the software owes a clause."""

    DATA = "data"
    RULE = "rule"
    RECORD = "record"
    SHOW = "show"
    PEOPLE = "people"


class ClauseDuty(NamedTuple):
    """What is owed to one clause, and by which room (a top-level folder of the source, or `people`)."""

    duties: tuple[Duty, ...]
    room: str


Duties = Mapping[str, ClauseDuty]
"""Duties by clause id. A book from elsewhere need not state any."""

NOT_STATED: Final = ClauseDuty((), "")
"""For a clause whose book does not say what the software owes it."""
