"""Opening a journal by its address.

Enters: an address as people write it. Leaves: an open journal, or a `JournalError` that says what is wrong.

    memory:                          in memory
    shift.db                         an SQLite file, by its path
    sqlite:///shift.db               the same
    sqlite:////var/lib/shift.db      the same, from the root (three slashes and the path)
    postgresql://user@host/floor     a schema of a PostgreSQL database (postgres:// too)
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from taisai.journal.contract import Journal, JournalUnreachable
from taisai.journal.memory import MemoryJournal
from taisai.journal.postgres.address import SCHEMES, read_address
from taisai.journal.sqlite.journal import SqliteJournal

_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):(?P<slashes>/{0,3})(?P<rest>.*)", re.DOTALL)


def open_journal(
    url: str | Path,
    *,
    read_only: bool = False,
    create: bool = True,
    again: bool = False,
    patience_s: float | None = None,
) -> Journal:
    """Open the journal at an address; a missing file is made, unless `create` is false or it is only read.

    For a server: `again` is for a process that reconnects, and accepts a schema that a newer node has added to;
    `patience_s` is how long the server may be silent before a connection is given up.
    """
    if isinstance(url, Path):
        return SqliteJournal(url, read_only=read_only, create=create)
    if not url:
        raise JournalUnreachable("a journal needs an address: a path, sqlite:///path, postgresql://... or memory:")
    parts = _SCHEME.fullmatch(url)
    match parts and parts["scheme"].lower():
        case None:
            return SqliteJournal(url, read_only=read_only, create=create)
        case "memory" if parts and not parts["rest"]:
            return MemoryJournal()
        case "sqlite" if parts and len(parts["slashes"]) == 3 and parts["rest"]:
            return SqliteJournal(parts["rest"], read_only=read_only, create=create)
        case scheme if scheme in SCHEMES:
            waits: dict[str, Any] = {} if patience_s is None else {"patience_s": patience_s}
            return _on_postgresql(str(url), read_only=read_only, create=create, again=again, **waits)
        case "sqlite":
            raise JournalUnreachable(
                f"{url!r} names no file: write sqlite:///path (four slashes for a path from the root)"
            )
        case scheme:
            raise JournalUnreachable(
                f"{scheme!r} is not a known kind of journal: use a path, sqlite:///path, postgresql:// or memory:"
            )


def file_of(url: str | Path) -> Path | None:
    """The file that an address names, existing or not; None when the journal is not a file."""
    parts = None if isinstance(url, Path) else _SCHEME.fullmatch(url)
    if parts is None:
        return Path(url)
    is_file = parts["scheme"].lower() == "sqlite" and len(parts["slashes"]) == 3 and parts["rest"]
    return Path(parts["rest"]) if is_file else None


def shown_address(url: str | Path) -> str:
    """An address without its password, as it may be shown."""
    parts = None if isinstance(url, Path) else _SCHEME.fullmatch(url)
    return read_address(str(url)).shown if parts and parts["scheme"].lower() in SCHEMES else str(url)


def _on_postgresql(url: str, **options: Any) -> Journal:
    try:
        from taisai.journal.postgres.journal import PostgresJournal  # noqa: PLC0415 - asyncpg is an extra
    except ModuleNotFoundError as error:
        if error.name != "asyncpg":
            raise
        raise JournalUnreachable(
            "a journal on PostgreSQL needs asyncpg: install taisai with its extra, taisai[postgres]"
        ) from error
    return PostgresJournal(url, **options)
