"""The play socket's messages as the server reads and writes them; what they are is in `taisai.protocol.messages`."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from taisai.protocol.messages import (
    Change,
    ClientMessage,
    Crew,
    Do,
    Done,
    Hello,
    Notice,
    Ping,
    Pong,
    Refused,
    Seat,
    Second,
    ServerMessage,
    Snapshot,
    Watch,
    You,
)
from taisai.web.socket.transport import text_frame

__all__ = [
    "Change",
    "ClientMessage",
    "Crew",
    "Do",
    "Done",
    "Hello",
    "Notice",
    "Ping",
    "Pong",
    "Refused",
    "Seat",
    "Second",
    "ServerMessage",
    "Snapshot",
    "Watch",
    "You",
    "decode_client",
    "decode_server",
    "field_of",
    "frame_of",
]

_encode = msgspec.json.Encoder().encode
decode_client: Final = msgspec.json.Decoder(ClientMessage).decode
decode_server: Final = msgspec.json.Decoder(ServerMessage).decode


def frame_of(message: Struct) -> bytes:
    """A message as a frame."""
    return text_frame(_encode(message))


def field_of(error: msgspec.ValidationError) -> tuple[str, str]:
    """What is wrong with a message, and where."""
    sentence, _, place = str(error).partition(" - at `$")
    return sentence, place.rstrip("`").lstrip(".")
