"""Errors: every refusal as JSON, in one shape, over HTTP and over the play socket.

Enters: refusals of the table and of the house, faults of input, whatever a decoder could not read. Leaves: the body
and status of an HTTP answer, or a frame. Nothing else in the server writes an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
from starlette.responses import Response

from taisai.core.faults import InputFault, decoding_fault
from taisai.floor.answers import HouseCode
from taisai.house.accounts import SignInRefusal
from taisai.house.seats import SeatRefusal
from taisai.protocol.errors import Error, Errors
from taisai.protocol.messages import Refused
from taisai.table.refusals import Code, Refusal
from taisai.web.socket.frames import frame_of

STATUS: Final[dict[str, int]] = {
    HouseCode.BAD_MESSAGE: 400,
    HouseCode.NOT_SIGNED_IN: 401,
    HouseCode.SIGN_IN_REFUSED: 401,
    HouseCode.LOCKED: 423,
    HouseCode.NOT_HERE: 403,
    HouseCode.NOT_ALLOWED: 403,
    HouseCode.BAD_ORIGIN: 403,
    HouseCode.BAD_TOKEN: 403,
    HouseCode.NO_SUCH_TABLE: 404,
    HouseCode.NOT_FOUND: 404,
    HouseCode.REQUEST_OVER: 409,
    HouseCode.TOO_LARGE: 413,
    HouseCode.TOO_FAST: 429,
    HouseCode.TOO_MANY: 503,
    HouseCode.DISABLED: 503,
    HouseCode.CLOSING: 503,
    HouseCode.NOT_RECORDED: 503,
    HouseCode.TRY_AGAIN: 503,
    HouseCode.TABLE_BROKEN: 503,
    HouseCode.BROKEN: 500,
    **dict.fromkeys(Code, 409),
}
"""The HTTP status of each code; a refusal of the rules is a conflict."""

TOO_FAST: Final = Refusal(HouseCode.TOO_FAST, "Too many requests from this address.", allowed="in a second")
NOTHING_HERE: Final = Refusal(HouseCode.NOT_FOUND, "There is nothing at this address.")
SIGN_IN_FIRST: Final = Refusal(HouseCode.NOT_SIGNED_IN, "Sign in or sit down first.")
SESSION_LOCKED: Final = Refusal(HouseCode.LOCKED, "The session is locked: enter the password to continue.", ("R15",))


def no_such_table(name: str, field: str = "table") -> Refusal:
    """The refusal of a table that the floor does not have."""
    return Refusal(HouseCode.NO_SUCH_TABLE, f"There is no table {name[:64]!r}.", field=field)


def not_at_table(name: str, field: str = "table") -> Refusal:
    """The refusal of a session that does not reach a table."""
    return Refusal(HouseCode.NOT_HERE, f"You are not signed in to table {name}.", field=field)


UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for input that it cannot decode; `ValidationError` is a `DecodeError`."""


class Stop(Exception):
    """Ends a request with a refusal."""

    def __init__(self, refusal: Refusal, headers: dict[str, str] | None = None) -> None:
        super().__init__(refusal.sentence)
        self.refusal = refusal
        self.headers = headers or {}


def error_response(refusal: Refusal, request_id: str = "", headers: dict[str, str] | None = None) -> Response:
    """A refusal as an HTTP answer."""
    error = Error(
        refusal.code, refusal.sentence, refusal.clauses, refusal.allowed, refusal.field, request_id, refusal.values
    )
    return Response(
        msgspec.json.encode(Errors(error)),
        status_code=STATUS.get(refusal.code, 400),
        media_type="application/json",
        headers={"cache-control": "no-store", **(headers or {})},
    )


def refused_frame(command_id: str, refusal: Refusal, named: Callable[[bytes], bytes] | None = None) -> bytes:
    """A refusal as a frame of the play socket; `named` puts names in the place of ids."""
    sent = Refused(
        command_id, refusal.code, refusal.sentence, refusal.clauses, refusal.allowed, refusal.field, refusal.values
    )
    return frame_of(sent, named)


def bad_message(error: Exception) -> Refusal:
    """The refusal of input that is not what its field may hold, or that is no JSON at all."""
    match error:
        case InputFault():
            return Refusal(HouseCode.BAD_MESSAGE, str(error), field=error.field)
        case msgspec.ValidationError():
            fault = decoding_fault(str(error))
            sentence = str(fault) if fault.field else f"the message: {fault}"
            return Refusal(HouseCode.BAD_MESSAGE, sentence, field=fault.field)
        case _:
            return Refusal(HouseCode.BAD_MESSAGE, "This is not JSON.")


def sign_in_refused(refusal: SignInRefusal | SeatRefusal) -> Refusal:
    """A refused sign-in or seat code; its own code goes into the field."""
    return Refusal(HouseCode.SIGN_IN_REFUSED, refusal.sentence, ("R37",), field=refusal.code)
