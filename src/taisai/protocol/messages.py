"""Messages of the play socket: what a client sends, what it is sent.

    client                                   server
    {"t": "do", "id": ..., "do": {...}}  ->  {"t": "done", "id", "seq"} or {"t": "refused", "id", "code", ...}
    {"t": "watch", "after": 120}         ->  {"t": "snapshot", "seq", "view"} or the changes since then
                                             {"t": "change", "after": 120, "seq": 124, "patch", "told"}
                                             {"t": "seat", ...}, {"t": "crew", ...}, {"t": "notice", ...}

A view is JSON, a patch is a JSON merge patch (RFC 7396) to it, `seq` is the number of the table's last record in it.
The same types are decoded, encoded and published in `/openapi.json`; the Python client uses them too.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from taisai.table.commands import Action, Name, Words
from taisai.table.people import Role

CommandId = Annotated[str, Meta(min_length=1, max_length=64, description="Made by the client; a repeat is harmless.")]


class Second(Struct, frozen=True, forbid_unknown_fields=True):
    """The second person of a two-person authorisation, with his own credentials."""

    login: Name
    password: Annotated[str, Meta(min_length=1, max_length=256)]
    role: Role

    def __repr__(self) -> str:
        return f"Second({self.login!r}, …, {self.role!r})"


class Do(Struct, frozen=True, tag_field="t", tag="do", forbid_unknown_fields=True):
    """Ask something of the table."""

    id: CommandId
    do: Action
    reason: Words = ""
    second: Second | None = None
    round: Annotated[int, Meta(ge=0)] | None = None
    """The round that it is meant for: what comes too late for it is refused instead of falling into the next."""


class Watch(Struct, frozen=True, tag_field="t", tag="watch", forbid_unknown_fields=True):
    """Be sent the table from here on: what changed after a number, or all of it."""

    after: Annotated[int, Meta(ge=0)] | None = None


class Ping(Struct, frozen=True, tag_field="t", tag="ping", forbid_unknown_fields=True):
    """Ask whether the server is there."""

    n: int = 0


ClientMessage = Do | Watch | Ping


class You(Struct, frozen=True):
    """Who the server takes the client for."""

    id: str
    role: str
    player: str | None = None


class Hello(Struct, frozen=True, tag_field="t", tag="hello"):
    """The first message of a socket."""

    table: str
    you: You | None
    """None for somebody who only watches."""
    mode: str
    now: int
    """The house's time in microseconds since 1970."""
    version: str


class Snapshot(Struct, frozen=True, tag_field="t", tag="snapshot"):
    """The table as everybody sees it, whole."""

    seq: int
    view: dict[str, Any]
    until: dict[str, Any] | None
    """What an automatic dealer does next, and when."""
    now: int


class Change(Struct, frozen=True, tag_field="t", tag="change"):
    """What changed after record `after`, up to record `seq`."""

    after: int
    seq: int
    patch: dict[str, Any]
    told: list[dict[str, Any]]
    until: dict[str, Any] | None
    now: int


class Seat(Struct, frozen=True, tag_field="t", tag="seat"):
    """A player's own part: chips in hand, last round."""

    seq: int
    seat: dict[str, Any]


class Crew(Struct, frozen=True, tag_field="t", tag="crew"):
    """What the crew sees beyond the public view."""

    seq: int
    crew: dict[str, Any]


class Done(Struct, frozen=True, gc=False, tag_field="t", tag="done"):
    """A command was carried out and is on disk."""

    id: str
    seq: int
    repeated: bool = False
    funds: int | None = None
    """A player's chips in hand after it."""


class Refused(Struct, frozen=True, gc=False, tag_field="t", tag="refused"):
    """A command, or a frame that is none, was not carried out."""

    id: str
    code: str
    sentence: str
    clauses: tuple[str, ...] = ()
    allowed: str = ""
    field: str = ""


class Notice(Struct, frozen=True, tag_field="t", tag="notice"):
    """A word to everybody connected: the house closes, the table was disabled."""

    code: str
    sentence: str


class Pong(Struct, frozen=True, tag_field="t", tag="pong"):
    """It is, and this is its time."""

    n: int
    now: int


ServerMessage = Hello | Snapshot | Change | Seat | Crew | Done | Refused | Notice | Pong
