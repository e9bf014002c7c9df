"""What the house answers over HTTP, as far as a client looks into it; fields that it does not know are left out."""

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
    locked: bool
    expires_at: int
    player: str | None


class Admitted(Struct, frozen=True):
    """A new session, and the token that stands for it."""

    token: str
    me: Me

    def __repr__(self) -> str:
        return f"Admitted(…, {self.me.who!r})"


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


class TableNow(Struct, frozen=True):
    """A table as everybody sees it."""

    seq: int
    view: Plain
    until: Plain | None
    mode: str
    now: int


class Carried(Struct, frozen=True):
    """A command was carried out and is on disk."""

    id: str
    seq: int
    repeated: bool
    events: list[Plain]
    told: list[str]


class SeatCode(Struct, frozen=True):
    """A code for one seat, once."""

    code: str
    table: str
    player: str
    expires_at: int


class Link(Struct, frozen=True):
    """A one-time link: its holder chooses a password with the token."""

    login: str
    token: str
    expires_at: int


class Said(Struct, frozen=True):
    """Done."""

    said: str
