"""Where a journal is.

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

    Of a server: `again` is for a program that has had it open before and goes on when a newer one has added to its
    form; `patience_s` is how long it may be silent before a connection is given up.
    """
    if isinstance(url, Path):
        return SqliteJournal(url, read_only=read_only, create=create)
    if not url:
        raise JournalUnreachable("a journal needs an address: a path, sqlite:///path, postgresql://... or memory:")
    found = _SCHEME.fullmatch(url)
    match found and found["scheme"].lower():
        case None:
            return SqliteJournal(url, read_only=read_only, create=create)
        case "memory" if found and not found["rest"]:
            return MemoryJournal()
        case "sqlite" if found and len(found["slashes"]) == 3 and found["rest"]:
            return SqliteJournal(found["rest"], read_only=read_only, create=create)
        case scheme if scheme in SCHEMES:
            waits: dict[str, Any] = {} if patience_s is None else {"patience_s": patience_s}
            return _on_postgresql(str(url), read_only=read_only, create=create, again=again, **waits)
        case "sqlite":
            raise JournalUnreachable(
                f"{url!r} names no file: write sqlite:///path (four slashes for a path from the root)"
            )
        case scheme:
            raise JournalUnreachable(
                f"journals of the kind {scheme!r} are not known: use a path, sqlite:///path, postgresql:// or memory:"
            )


def file_of(url: str | Path) -> Path | None:
    """The file that an address names, there or not; None when the journal is no file."""
    found = None if isinstance(url, Path) else _SCHEME.fullmatch(url)
    if found is None:
        return Path(url)
    is_file = found["scheme"].lower() == "sqlite" and len(found["slashes"]) == 3 and found["rest"]
    return Path(found["rest"]) if is_file else None


def shown_address(url: str | Path) -> str:
    """An address as it may be shown: without a password."""
    found = None if isinstance(url, Path) else _SCHEME.fullmatch(url)
    return read_address(str(url)).shown if found and found["scheme"].lower() in SCHEMES else str(url)


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
