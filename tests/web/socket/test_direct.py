"""The direct transport: it parses by hand only what the library parses alike, and leaves everything else to it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import SERVER, State
from websockets.protocol import Protocol as WebSocket

from taisai.web.socket.direct import is_whole, plain_text
from tests.web.socket.packets import masked, texts

opcodes = st.sampled_from([Opcode.TEXT, Opcode.BINARY, Opcode.CONT])


def parsed(data: bytes) -> list[Frame]:
    """What the library's parser makes of a client's bytes."""
    server = WebSocket(SERVER, state=State.OPEN, max_size=None)
    server.receive_data(data)
    return [event for event in server.events_received() if isinstance(event, Frame)]


@given(texts)
def test_a_plain_text_is_read(text: bytes) -> None:
    """One masked text frame gives its text, unless it is so long that the library should look at it."""
    data = masked(text)
    found = plain_text(data)
    assert (found == text) if len(text) < 65_536 else (found is None)
    assert is_whole(data)


@given(texts, opcodes, st.booleans(), st.integers(0, 400))
def test_whatever_is_no_plain_text_is_left_alone(text: bytes, opcode: Opcode, fin: bool, cut: int) -> None:
    """A fragment, another opcode, a frame that is cut short or followed by more: none is taken for a whole text."""
    data = masked(text, opcode, fin=fin)
    if opcode is not Opcode.TEXT or not fin:
        assert plain_text(data) is None
        assert is_whole(data) == (fin and opcode is not Opcode.CONT)
    elif cut:
        assert plain_text(data[: max(0, len(data) - cut)]) is None
        assert plain_text(data + b"\x81" * cut) is None


@given(st.binary(max_size=40))
def test_junk_is_never_more_than_the_library_sees(junk: bytes) -> None:
    """Whatever bytes arrive: if a text is read by hand, the library reads the same one."""
    found = plain_text(junk)
    if found is not None:
        assert [(frame.opcode, bytes(frame.data)) for frame in parsed(junk)] == [(Opcode.TEXT, found)]


@given(st.lists(st.tuples(st.binary(max_size=200), st.sampled_from([Opcode.TEXT, Opcode.BINARY])), max_size=4))
def test_frames_that_come_together_are_whole(frames: list[tuple[bytes, Opcode]]) -> None:
    """Several frames in one packet end where the packet ends; with one byte less they do not."""
    data = b"".join(masked(text, opcode) for text, opcode in frames)
    assert is_whole(data)
    if data:
        assert not is_whole(data[:-1])
