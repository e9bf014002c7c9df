"""Frames: the play socket's messages as bytes on the wire (RFC 6455 §5.2), and back.

Enters: messages of `taisai.protocol.messages`, or what a server received. Leaves: whole text frames as a server sends
them, header included, so that a message for every subscriber of a table is encoded once; decoded client messages.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import pack
from typing import Final

import msgspec
from msgspec import Struct
from starlette.types import Message

from taisai.protocol.messages import ClientMessage

_encode = msgspec.json.Encoder().encode
decode_client: Final = msgspec.json.Decoder(ClientMessage).decode


def frame_of(message: Struct, named: Callable[[bytes], bytes] | None = None) -> bytes:
    """Encode a message as a frame; `named` puts names in the place of ids."""
    text = _encode(message)
    return text_frame(text if named is None else named(text))


def text_frame(text: bytes) -> bytes:
    """Frame a text as a server sends it: unmasked, in one piece."""
    size = len(text)
    if size < 126:
        return _SHORT[size] + text
    head = pack("!BBH", 0x81, 126, size) if size < 65_536 else pack("!BBQ", 0x81, 127, size)
    return head + text


_SHORT: Final = tuple(bytes((0x81, size)) for size in range(126))


def text_in(frame: bytes) -> bytes:
    """Take the text out of a frame that `text_frame` made."""
    return frame[_HEAD_SIZES.get(frame[1], 2) :]


_HEAD_SIZES: Final = {126: 4, 127: 10}


def received_text(message: Message) -> bytes:
    """The content of an ASGI `websocket.receive`, whichever of its two forms the server chose."""
    text = message.get("text")
    return message.get("bytes") or b"" if text is None else text.encode()
