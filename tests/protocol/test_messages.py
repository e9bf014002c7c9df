"""Messages of the play socket: both ends read the same bytes, and each may be newer than the other."""

from __future__ import annotations

from typing import Any, get_args, get_origin

import msgspec
import pytest
from msgspec.structs import fields

from taisai.protocol.messages import (
    Change,
    ClientMessage,
    CrewUpdate,
    Do,
    Done,
    Hello,
    Notice,
    Pong,
    ReceivedMessage,
    Refused,
    SeatUpdate,
    SecondPerson,
    ServerMessage,
    Snapshot,
    Until,
    You,
)
from taisai.table import commands as c
from taisai.table.people import Role
from taisai.table.state import TableState
from taisai.view.crew import crew_view
from taisai.view.public import public_view
from taisai.view.seat import seat_view
from tests.table.driver import NZ, SUPERVISOR, Deal

DEAL = Deal(NZ).open().seat(ann=1000)
MESSAGES = (
    Hello("T1", You("ann", "player", "ann"), "dealer", 1, "0.2.0"),
    Snapshot(7, public_view(DEAL.rules, DEAL.state), Until("betting", 5), 1),
    Snapshot(0, public_view(None, TableState("T1")), None, 1),
    Change(7, 8, {"totals": {"small": 100, "big": None}}, [{"event": "player-sat", "player": "ann"}], None, 1),
    SeatUpdate(7, seat_view(DEAL.state, "ann")),
    CrewUpdate(7, crew_view(DEAL.rules, DEAL.state, SUPERVISOR)),
    Done("a", 7, repeated=True, funds=900),
    Refused("a", "bets-closed", "Too late.", ("x §1",), "the next round", "do"),
    Notice("closing", "The house is closing."),
    Pong(1, 2),
)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_survives_the_wire(message: msgspec.Struct) -> None:
    """What the server encodes decodes to the same message, views typed."""
    assert msgspec.json.decode(msgspec.json.encode(message), type=ServerMessage) == message


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_client_keeps_what_it_does_not_know(message: msgspec.Struct) -> None:
    """A field of a newer server is ignored in a message and kept in a view."""
    raw: Any = msgspec.json.decode(msgspec.json.encode(message))
    raw["of_the_future"] = 1
    for view in ("view", "seat", "crew"):
        if view in raw:
            raw[view]["of_the_future"] = 1
    found: Any = msgspec.convert(raw, ReceivedMessage)
    assert type(found) is type(message)
    for view in ("view", "seat", "crew"):
        if view in raw:
            assert getattr(found, view) == raw[view]


def test_both_ends_name_the_same_messages() -> None:
    """The client's union is the server's, with views as JSON objects."""
    server, client = (
        [get_origin(kind) or kind for kind in get_args(union)] for union in (ServerMessage, ReceivedMessage)
    )
    assert server == client


@pytest.mark.parametrize("kind", get_args(ClientMessage))
def test_a_server_takes_no_field_that_it_does_not_know(kind: type[msgspec.Struct]) -> None:
    """What a client asks is understood to the last field, or refused."""
    required: dict[str, Any] = {"id": "a", "do": {"do": "open-bets"}}
    raw = {
        "t": kind.__struct_config__.tag,
        **{field.name: required[field.name] for field in fields(kind) if field.required},
    }
    assert isinstance(msgspec.convert(raw, ClientMessage), kind)
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.convert({**raw, "of_the_future": 1}, ClientMessage)


def test_a_password_is_not_shown() -> None:
    """The second person's password does not get into a log by way of `repr`."""
    do = Do("a", c.OpenBets(), "why", SecondPerson("sue", "a long sentence", Role.SUPERVISOR))
    assert "a long sentence" not in repr(do)
    assert "sue" in repr(do)
