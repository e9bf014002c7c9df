"""Refusals: what a table says instead of doing it.

A refusal is a value: a stable code, a sentence, the clauses, and what would be allowed. Where several would apply,
the one that stands first in `Code` is given: first who asks, then the state of the table, then of the round, then who
authorises it and why, then the matter itself. So a greyed button and the refused command give the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from msgspec import Struct


def cite(clauses: Iterable[str]) -> str:
    """Clauses as people write them: `§5.1.1, I6`. Interpretations have no paragraph sign."""
    return ", ".join(clause if clause[:1] == "I" and clause[1:].isdigit() else f"§{clause}" for clause in clauses)


class Code(StrEnum):
    """Why a command is refused, in order of precedence."""

    NOT_YOURS_TO_DO = "not-yours-to-do"
    ROUND_OVER = "round-over"
    NOT_SET_UP = "not-set-up"
    ALREADY_SET_UP = "already-set-up"
    WRONG_BOOK = "wrong-book"
    TABLE_NOT_OPEN = "table-not-open"
    TABLE_OPEN = "table-open"
    TABLE_SUSPENDED = "table-suspended"
    NOT_SUSPENDED = "not-suspended"
    ROUND_HELD = "round-held"
    ROUND_INTERRUPTED = "round-interrupted"
    NOT_INTERRUPTED = "not-interrupted"
    ROUND_IN_PLAY = "round-in-play"
    WRONG_STEP = "wrong-step"
    BETS_NOT_OPEN = "bets-not-open"
    BETS_CLOSED = "bets-closed"
    SECOND_PERSON_NEEDED = "second-person-needed"
    SECOND_PERSON_UNFIT = "second-person-unfit"
    REASON_NEEDED = "reason-needed"
    CONTRADICTED = "contradicted"
    CHECK_INCOMPLETE = "check-incomplete"
    NOT_ADMITTED = "not-admitted"
    UNKNOWN = "unknown"
    BAD_VALUE = "bad-value"
    NOT_SEATED = "not-seated"
    WALKED_AWAY = "walked-away"
    CALL_BET = "call-bet"
    COLOUR_NOT_YOURS = "colour-not-yours"
    COLOUR_OUT = "colour-out"
    NOT_ENOUGH_CHIPS = "not-enough-chips"
    FLOAT_SHORT = "float-short"
    TOO_MUCH = "too-much"
    UNDER_MINIMUM = "under-minimum"
    OVER_MAXIMUM = "over-maximum"
    OVER_DIFFERENTIAL = "over-differential"
    ENTRY_INCOMPLETE = "entry-incomplete"
    ENTRY_WRONG = "entry-wrong"
    NOTHING_TO_DO = "nothing-to-do"


_PRECEDENCE: Final[dict[str, int]] = {code: place for place, code in enumerate(Code)}


Values = tuple[tuple[str, int | str], ...]
"""What a sentence names, by name."""


class Refusal(Struct, frozen=True):
    """What is refused, why, by which clauses, and what would be allowed instead.

    The one shape from the table to the screen: the house refuses in it too, with codes of its own.
    """

    code: str
    sentence: str
    clauses: tuple[str, ...] = ()
    allowed: str = ""
    field: str = ""
    """The field of the message that it is about."""
    values: Values = ()
    """What the sentence names, for those who say it in other words; amounts in minor units."""

    def __str__(self) -> str:
        cited = f" ({cite(self.clauses)})" if self.clauses else ""
        return f"{self.code}: {self.sentence}{cited}" + (f" Allowed: {self.allowed}" if self.allowed else "")


def comes_before(one: Refusal, other: Refusal) -> bool:
    """Whether, of two refusals of the rules, this one is given."""
    return _PRECEDENCE[one.code] < _PRECEDENCE[other.code]
