"""Text, lists and rows as PostgreSQL stores them."""

from __future__ import annotations

import pytest

from taisai.journal import (
    Batch,
    NewRecord,
)
from taisai.journal.postgres.journal import PostgresJournal
from taisai.journal.postgres.text import from_text, to_text
from taisai.journal.verify import verify

pytestmark = pytest.mark.postgres
ODD_TEXTS = ('"', '","', "\\", "\\0", "\0", "NULL", "{}", "a,b", " ", '\\"', "\n", "'", "$1", "骰")


@pytest.mark.parametrize("text", ["", "a", "\0", "\\", "\\0", "\0\\", "\\\\0", "a\0b\\c", "0", "\\x"])
def test_any_text_can_be_stored(text: str) -> None:
    """Text comes back as it was, and is stored without the one character that PostgreSQL refuses."""
    assert from_text(to_text(text)) == text
    assert "\0" not in to_text(text)


def test_odd_texts_come_back_as_they_were(on_server: PostgresJournal) -> None:
    """Quotes, commas, braces, backslashes and zeros in names and ids come back as given, also beside plain ones."""
    plain = [NewRecord("bet-placed", 1, 7, "plain", 0, "p1", b"body")]
    for text in ODD_TEXTS:
        odd = NewRecord(f"kind{text}", 1, -7, f"id{text}", 0, text, text.encode())
        on_server.append([Batch(f"T{text}", 0, [odd]), Batch(f"plain{text}", 0, plain)])
        (found,) = on_server.read(f"T{text}")
        assert (found.kind, found.command_id, found.by, found.body) == (odd.kind, odd.command_id, text, text.encode())
    assert list(verify(on_server)) == []
