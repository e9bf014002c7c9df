"""What the API answers, where both ends look into it: the server encodes these types, the client decodes them.

A field that one end does not know is left out by the other, so an older client goes on with a newer house.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Plain = dict[str, Any]


class Me(Struct, frozen=True):
    """Who is signed in."""

    who: str
    post: str
    tables: Literal["*"] | tuple[str, ...]
    csrf: str
    """To be sent as X-CSRF-Token with whatever is not a GET, when the cookie is used."""
    locked: bool
    expires_at: int
    player: str | None
    idle_s: int = 0
    """After so long without a touch the screen locks itself; 0 is never (players)."""


class Admitted(Struct, frozen=True):
    """A new session; a program sends the token as `Authorization: Bearer`."""

    token: str
    me: Me

    def __repr__(self) -> str:
        return f"Admitted(…, {self.me.who!r})"


class Said(Struct, frozen=True):
    """Done."""

    said: str


class SeatCodeMade(Struct, frozen=True):
    """A code for one seat, once."""

    code: str
    table: str
    player: str
    expires_at: int


class LinkMade(Struct, frozen=True):
    """A one-time link, to be handed to its holder: `/welcome#TOKEN`."""

    login: str
    token: str
    expires_at: int


class TableCard(Struct, frozen=True):
    """A table in the list of all."""

    table: str
    mode: str
    phase: str
    suspended: str
    disabled: bool
    book: str | None
    layout: str | None
    currency: str | None
    limits: Plain | None
    round: int
    round_phase: str
    players: int
    watchers: int
    results: list[Plain]


class FloorCard(Struct, frozen=True):
    """The floor, as anybody sees it."""

    house: str
    demo: bool
    now: int
    tables: list[TableCard]
    disabled: bool = False
    """No new round begins at any table."""


class TableNow(Struct, frozen=True):
    """A table as everybody sees it: the same view as over the play socket."""

    seq: int
    view: Plain
    until: Plain | None
    mode: str
    now: int


class CarriedOut(Struct, frozen=True):
    """A command was carried out and is on disk."""

    id: str
    seq: int
    repeated: bool
    events: list[Plain]
    told: list[str]
    """What happened, in sentences."""
