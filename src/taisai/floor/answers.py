"""What the floor answers: done, refused by the rules, or not possible for a reason of the house.

One shape of error for everybody: code, sentence, clauses, what would be allowed, and the field that it is about.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from taisai.table.events import Event
from taisai.table.refusals import Refusal


class HouseCode(StrEnum):
    """Why the house, not the rule book, says no."""

    BAD_MESSAGE = "bad-message"
    """It cannot be read; the field says where."""
    NOT_SIGNED_IN = "not-signed-in"
    LOCKED = "locked"
    """The session is locked after idle minutes: the password opens it."""
    NOT_HERE = "not-here"
    """The session does not reach this table or this seat."""
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
    """Decided on a state that came to nothing; nothing happened."""
    NOT_HELD = "not-held"
    """Another node holds the table by now; between nodes only."""
    TABLE_BROKEN = "table-broken"
    """An invariant does not hold: the table has stopped."""
    BAD_ORIGIN = "bad-origin"
    BAD_TOKEN = "bad-token"
    SIGN_IN_REFUSED = "sign-in-refused"
    NOT_ALLOWED = "not-allowed"
    BROKEN = "broken"
    """A fault of the program; the log has the details under the request's id."""


class Answer(Struct, frozen=True, gc=False):
    """What became of a command: the table's record number after it, or the refusal."""

    seq: int
    events: tuple[Event, ...] = ()
    refusal: Refusal | None = None
    repeated: bool = False
    """It had been carried out before; nothing was done now."""
