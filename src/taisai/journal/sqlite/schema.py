"""The schema of a journal's file, brought up to date by the migrations of this folder.

Enters: an open SQLite file. Leaves: the same file with today's schema, or `NotAJournal` (another program's file),
`UnknownFormat`, `JournalDamaged`. A file that is not a journal is not touched.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import apsw

from taisai.journal.contract import JournalDamaged, NotAJournal
from taisai.journal.migrations import Migration, require_known, require_same

PACKAGE: Final = "taisai.journal.sqlite"
APPLICATION_ID: Final = int.from_bytes(b"tsJ1")
"""In the file's header; `file shift.db` shows it."""

Schema: TypeAlias = list[tuple[Any, ...]]


def bring_up(connection: apsw.Connection, path: Path, migrations: tuple[Migration, ...]) -> None:
    """Apply the migrations that are not applied yet."""
    missing = migrations[applied(connection, path, migrations) :]
    if not missing:
        return
    with connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for one in missing:
            connection.execute(one.sql)
            connection.execute("INSERT INTO migration VALUES (?, ?, ?)", (one.number, one.name, one.checksum))
            connection.execute(f"PRAGMA user_version = {one.number}")


def applied(connection: apsw.Connection, path: Path, migrations: tuple[Migration, ...]) -> int:
    """How many migrations the file has had; 0 for an empty file."""
    application_id, version = _pragma(connection, "application_id"), _pragma(connection, "user_version")
    if application_id != APPLICATION_ID:
        if application_id or version or schema_of(connection):
            raise NotAJournal(f"{path} is an SQLite file of some other program: it is not a taisai journal")
        return 0
    require_known(version, migrations, str(path))
    rows = connection.execute("SELECT number, name, checksum FROM migration ORDER BY number").fetchall()
    if len(rows) != version:
        raise JournalDamaged(f"{path} says that its schema has version {version} and lists {len(rows)} migrations")
    require_same(rows, migrations, str(path))
    return version


def schema_of(connection: apsw.Connection) -> Schema:
    """The tables, indexes and triggers of a file, as their statements."""
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall()


@cache
def expected_schema(migrations: tuple[Migration, ...]) -> Schema:
    """The schema that these migrations make."""
    connection = apsw.Connection(":memory:")
    try:
        bring_up(connection, Path(":memory:"), migrations)
        return schema_of(connection)
    finally:
        connection.close()


def _pragma(connection: apsw.Connection, name: str) -> int:
    """The value of a pragma that is a number."""
    ((value,),) = connection.execute(f"PRAGMA {name}").fetchall()
    assert isinstance(value, int)
    return value
