"""Where a journal is.

Enters: an address as people write it. Leaves: an open journal, or a `JournalError` that says what is wrong.

    memory:                          in memory
    shift.db                         an SQLite file, by its path
    sqlite:///shift.db               the same
    sqlite:////var/lib/shift.db      the same, from the root (three slashes and the path)
"""

from __future__ import annotations

import re
from pathlib import Path

from taisai.journal.contract import Journal, JournalUnreachable
from taisai.journal.memory import MemoryJournal
from taisai.journal.sqlite import SqliteJournal

_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):(?P<slashes>/{0,3})(?P<rest>.*)", re.DOTALL)


def open_journal(url: str | Path, *, read_only: bool = False, create: bool = True) -> Journal:
    """Open the journal at an address; a missing file is made, unless `create` is false or it is only read."""
    if isinstance(url, Path):
        return SqliteJournal(url, read_only=read_only, create=create)
    if not url:
        raise JournalUnreachable("a journal needs an address: a path, sqlite:///path, or memory:")
    found = _SCHEME.fullmatch(url)
    match found and found["scheme"].lower():
        case None:
            return SqliteJournal(url, read_only=read_only, create=create)
        case "memory" if found and not found["rest"]:
            return MemoryJournal()
        case "sqlite" if found and len(found["slashes"]) == 3 and found["rest"]:
            return SqliteJournal(found["rest"], read_only=read_only, create=create)
        case "sqlite":
            raise JournalUnreachable(
                f"{url!r} names no file: write sqlite:///path (four slashes for a path from the root)"
            )
        case scheme:
            raise JournalUnreachable(
                f"journals of the kind {scheme!r} are not known: use a path, sqlite:///path or memory:"
            )
