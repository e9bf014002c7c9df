"""Answers to commands: done, refused by the rules, or refused by the house.

Enters: what became of a command. Leaves: an `Answer`; a refusal has the same shape everywhere (code, sentence, clauses,
what would be allowed, and the field that it is about).
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from taisai.table.events import Event
from taisai.table.refusals import Refusal


class HouseCode(StrEnum):
    """Why the house, not the rule book, refuses."""

    BAD_MESSAGE = "bad-message"
    """The message cannot be read; the field says where."""
    NOT_SIGNED_IN = "not-signed-in"
    LOCKED = "locked"
    """The session is locked after idle minutes: the password opens it."""
    NOT_HERE = "not-here"
    """The session does not cover this table or this seat."""
    NO_SUCH_TABLE = "no-such-table"
    NOT_FOUND = "not-found"
    ID_TAKEN = "id-taken"
    """Somebody else has used this command id."""
    TOO_FAST = "too-fast"
    TOO_LARGE = "too-large"
    TOO_MANY = "too-many"
    DISABLED = "disabled"
    CLOSING = "closing"
    NOT_RECORDED = "not-recorded"
    """The journal could not be written: nothing happened."""
    TRY_AGAIN = "try-again"
    """It was decided on a state that was never written: nothing happened."""
    NOT_HELD = "not-held"
    """Another node holds the table; used between nodes only."""
    TABLE_BROKEN = "table-broken"
    """An invariant was violated: the table has stopped."""
    BAD_ORIGIN = "bad-origin"
    BAD_TOKEN = "bad-token"
    SIGN_IN_REFUSED = "sign-in-refused"
    REQUEST_OVER = "request-over"
    """A request for a second person that is answered, taken back or too old."""
    NOT_ALLOWED = "not-allowed"
    BROKEN = "broken"
    """An error in the program; the log has the details under the request's id."""


class Answer(Struct, frozen=True, gc=False):
    """The answer to a command: the table's record number after it, or the refusal."""

    seq: int
    events: tuple[Event, ...] = ()
    refusal: Refusal | None = None
    repeated: bool = False
    """The command had been carried out before; nothing was done now."""
