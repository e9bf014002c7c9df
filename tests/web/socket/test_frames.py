"""Frames: what is encoded by hand is what the WebSocket library would send, and comes out again."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from starlette.types import Message
from websockets.frames import Frame, Opcode

from taisai.protocol.messages import Ping, Pong, ServerMessage
from taisai.web.socket.frames import decode_client, frame_of, received_text, text_frame, text_in
from tests.web.socket.packets import texts


@given(texts)
def test_a_frame_is_what_the_library_would_send(text: bytes) -> None:
    """A frame encoded by hand has the library's bytes, and gives its text back."""
    frame = text_frame(text)
    assert frame == Frame(Opcode.TEXT, text).serialize(mask=False)
    assert text_in(frame) == text


def test_messages_survive_the_wire() -> None:
    """A message is encoded as a text frame that decodes to the same message."""
    assert msgspec.json.Decoder(ServerMessage).decode(text_in(frame_of(Pong(7, 1)))) == Pong(7, 1)
    assert decode_client(text_in(frame_of(Ping(7)))) == Ping(7)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"text": "é", "bytes": None}, "é".encode()),
        ({"text": "é"}, "é".encode()),
        ({"text": None, "bytes": b"\xff"}, b"\xff"),
        ({"bytes": b"x"}, b"x"),
        ({"text": ""}, b""),
        ({}, b""),
    ],
)
def test_both_forms_of_a_received_message_are_read(message: Message, text: bytes) -> None:
    """ASGI has text and bytes, either of which may be missing or null."""
    assert received_text({"type": "websocket.receive", **message}) == text
