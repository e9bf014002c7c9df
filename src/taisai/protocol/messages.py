"""Messages of the play socket: what a client sends, what it is sent.

    client                                   server
    {"t": "do", "id": ..., "do": {...}}  ->  {"t": "done", "id", "seq"} or {"t": "refused", "id", "code", ...}
    {"t": "watch", "after": 120}         ->  {"t": "snapshot", "seq", "view"} or the changes since then
                                             {"t": "change", "after": 120, "seq": 124, "patch", "told"}
                                             {"t": "seat", ...}, {"t": "crew", ...}, {"t": "notice", ...}

A patch is a JSON merge patch (RFC 7396) to the view, `seq` is the number of the table's last record in it. The server
encodes these types, the Python client decodes them, `/openapi.json` publishes them. Messages that carry a view are
generic in it: the server fills them with the typed view, the client reads a JSON object, to which patches are applied
and in which fields of a newer server survive.
"""

from __future__ import annotations

from typing import Annotated, Any, Generic, TypeVar, get_args

from msgspec import Meta, Struct

from taisai.table.commands import HOUSE_IDS, Action, Name, Words
from taisai.table.declared import Audience
from taisai.table.events import EventBody
from taisai.table.people import Role
from taisai.view.crew import CrewView
from taisai.view.patch import MergePatch
from taisai.view.public import PublicView
from taisai.view.seat import SeatView

CommandId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        pattern=f"^(?!{HOUSE_IDS})",
        description=f"Made by the client; a repeat is harmless. Ids that begin with {HOUSE_IDS} are the house's own.",
    ),
]
Json = dict[str, Any]
"""A JSON object as it came."""
ViewT = TypeVar("ViewT")


class SecondPerson(Struct, frozen=True, forbid_unknown_fields=True):
    """The second person of a two-person authorisation, with their own credentials."""

    login: Name
    password: Annotated[str, Meta(min_length=1, max_length=256)]
    role: Role

    def __repr__(self) -> str:
        return f"SecondPerson({self.login!r}, …, {self.role!r})"


class Do(Struct, frozen=True, tag_field="t", tag="do", forbid_unknown_fields=True):
    """Ask something of the table."""

    id: CommandId
    do: Action
    reason: Words = ""
    second: SecondPerson | None = None
    round: Annotated[int, Meta(ge=0)] | None = None
    """The round that the command is meant for: in any other it is refused."""


class Watch(Struct, frozen=True, tag_field="t", tag="watch", forbid_unknown_fields=True):
    """Ask to be sent the table: what changed after a record, or all of it."""

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
    """Null for somebody who only watches."""
    mode: str
    now: int
    """The server's time in microseconds since 1970."""
    version: str


class Until(Struct, frozen=True):
    """What an automatic dealer does next, and when."""

    what: str
    at: int | None
    """Null when people, not time, end it."""


class Snapshot(Struct, Generic[ViewT], frozen=True, tag_field="t", tag="snapshot"):
    """The whole public view."""

    seq: int
    view: ViewT
    until: Until | None
    now: int


_ANNOUNCED = [kind.__struct_config__.tag for kind in get_args(EventBody) if kind.declared.seen_by is Audience.EVERYONE]
Announcement = Annotated[
    Json,
    Meta(
        description="An event that everybody is told of, without the fields that are withheld; `event` names it.",
        extra_json_schema={"properties": {"event": {"enum": _ANNOUNCED}}, "required": ["event"]},
    ),
]


class Change(Struct, frozen=True, tag_field="t", tag="change"):
    """What changed in the public view after record `after`, up to record `seq`."""

    after: int
    seq: int
    patch: Annotated[MergePatch, Meta(description="A JSON merge patch (RFC 7396) to the public view.")]
    told: list[Announcement]
    until: Until | None
    now: int


class SeatUpdate(Struct, Generic[ViewT], frozen=True, tag_field="t", tag="seat"):
    """A player's own part of the table: chips in hand, last round."""

    seq: int
    seat: ViewT


class CrewUpdate(Struct, Generic[ViewT], frozen=True, tag_field="t", tag="crew"):
    """What the crew sees beyond the public view."""

    seq: int
    crew: ViewT


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
    values: tuple[tuple[str, int | str], ...] = ()
    """What the sentence names, for those who say it in other words."""


class Notice(Struct, frozen=True, tag_field="t", tag="notice"):
    """A word to everybody connected: the house closes, the table was disabled."""

    code: str
    sentence: str


class Pong(Struct, frozen=True, tag_field="t", tag="pong"):
    """The answer to a ping."""

    n: int
    now: int
    """The server's time in microseconds since 1970."""


ServerMessage = (
    Hello | Snapshot[PublicView] | Change | SeatUpdate[SeatView] | CrewUpdate[CrewView] | Done | Refused | Notice | Pong
)
ReceivedMessage = Hello | Snapshot[Json] | Change | SeatUpdate[Json] | CrewUpdate[Json] | Done | Refused | Notice | Pong
"""The same messages as a client reads them: views as JSON objects."""
