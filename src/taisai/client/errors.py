"""What can go wrong for a client: the server refuses, or it cannot be reached.

Enters: an answer in the one shape of errors, or a lost connection. Leaves: `Refused` or `Lost`.
"""

from __future__ import annotations

import msgspec

from taisai.protocol.errors import Errors


class ClientError(Exception):
    """The base of every error of this client."""


class Refused(ClientError):
    """The server or the rule book refuses: why, by which clauses, and what would be allowed."""

    def __init__(
        self,
        code: str,
        sentence: str,
        *,
        clauses: tuple[str, ...] = (),
        allowed: str = "",
        field: str = "",
        request: str = "",
        status: int = 0,
        retry_after_s: float = 0.0,
    ) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence
        self.clauses = clauses
        self.allowed = allowed
        self.field = field
        self.request = request
        """The id under which the server's log has more."""
        self.status = status
        """The HTTP status; 0 over the play socket."""
        self.retry_after_s = retry_after_s


class Lost(ClientError):
    """The connection was lost and could not be restored; the outcome of commands in flight is unknown.

    Repeat such a command with the same id: it is carried out once.
    """

    def __init__(self, sentence: str, command_id: str = "") -> None:
        super().__init__(sentence)
        self.command_id = command_id


def refused_by(status: int, body: bytes, retry_after: str | None = None) -> Refused:
    """The error in an HTTP answer; one in another shape comes from a proxy on the way."""
    waits = float(retry_after) if retry_after is not None and retry_after.isdigit() else 0.0
    try:
        error = msgspec.json.decode(body, type=Errors).error
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Refused("not-ours", f"The answer was {status}, and not from a taisai server.", status=status)
    return Refused(
        error.code,
        error.sentence,
        clauses=error.clauses,
        allowed=error.allowed,
        field=error.field,
        request=error.request,
        status=status,
        retry_after_s=waits,
    )
