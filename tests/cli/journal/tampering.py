"""A journal with one byte changed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def tamper(file: Path) -> None:
    """Change one byte of one bet, where it is kept."""
    with closing(sqlite3.connect(file)) as database:
        (body,) = database.execute("SELECT body FROM record WHERE kind = 'bet-placed' LIMIT 1").fetchone()
        place = body.index(b'"amount":') + 9
        other = body[:place] + bytes([body[place] ^ 1]) + body[place + 1 :]
        (guard,) = database.execute("SELECT sql FROM sqlite_master WHERE name = 'record_is_final'").fetchone()
        database.execute("DROP TRIGGER record_is_final")
        database.execute("UPDATE record SET body = ? WHERE body = ?", (other, body))
        database.execute(guard)
        database.commit()
