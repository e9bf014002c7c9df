"""The form of a journal's file, brought up to date by numbered migrations.

Enters: an open SQLite file. Leaves: the same file in today's form, or `NotAJournal` (something else), `UnknownFormat`
(a newer taisai made it, or a migration was altered), `JournalDamaged`. A file that is not ours is not touched.

`migrations/0001_records.sql` and so on are applied in order, each once, all in one transaction. Their names and SHA-256
are kept in the file; a migration that has been released is never edited: the next change is the next number.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import apsw

from taisai.journal.contract import JournalDamaged, NotAJournal, UnknownFormat

APPLICATION_ID: Final = int.from_bytes(b"tsJ1")
"""In the file's header; `file shift.db` shows it."""

Schema: TypeAlias = list[tuple[Any, ...]]


class Migration(NamedTuple):
    """One step of the file's form."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> bytes:
        """SHA-256 of the step's text."""
        return sha256(self.sql.encode()).digest()


@cache
def shipped(package: str = "taisai.journal.sqlite") -> tuple[Migration, ...]:
    """The migrations of this taisai, in order."""
    found = [one for one in files(package).joinpath("migrations").iterdir() if one.name.endswith(".sql")]
    found.sort(key=lambda one: one.name)
    return tuple(Migration(int(one.name[:4]), one.name[5:-4], one.read_text(encoding="utf-8")) for one in found)


def bring_up(connection: apsw.Connection, path: Path, migrations: tuple[Migration, ...]) -> None:
    """Apply what has not been applied yet."""
    missing = migrations[applied(connection, path, migrations) :]
    if not missing:
        return
    with connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for one in missing:
            connection.execute(one.sql)
            connection.execute("INSERT INTO migration VALUES (?, ?, ?)", (one.number, one.name, one.checksum))
            connection.execute(f"PRAGMA user_version = {one.number}")


def require_current(connection: apsw.Connection, path: Path, migrations: tuple[Migration, ...]) -> None:
    """Make sure that nothing is left to apply: for whoever may only read."""
    count = applied(connection, path, migrations)
    if not count:
        raise NotAJournal(f"{path} is empty: it is not a taisai journal")
    if count < len(migrations):
        raise UnknownFormat(
            f"{path} is a journal of form {count}, and form {len(migrations)} is needed: open it once for writing,"
            " or restore a copy of it, and it is brought up to date"
        )


def applied(connection: apsw.Connection, path: Path, migrations: tuple[Migration, ...]) -> int:
    """How many migrations the file has had; 0 for an empty file."""
    application_id, user_version = number_of(connection, "application_id"), number_of(connection, "user_version")
    if application_id != APPLICATION_ID:
        if application_id or user_version or schema_of(connection):
            raise NotAJournal(f"{path} is an SQLite file of some other program: it is not a taisai journal")
        return 0
    if user_version > len(migrations):
        raise UnknownFormat(
            f"{path} was made by a newer taisai: it has form {user_version}, and this one knows up to {len(migrations)}"
        )
    rows = connection.execute("SELECT number, name, checksum FROM migration ORDER BY number").fetchall()
    if len(rows) != user_version:
        raise JournalDamaged(f"{path} says that it has form {user_version} and lists {len(rows)} migrations")
    for row, known in zip_longest(rows, migrations[: len(rows)]):
        if known is None or row != (known.number, known.name, known.checksum):
            raise UnknownFormat(f"{path}: migration {row[0]} ({row[1]}) is not the one that this taisai has")
    return len(rows)


def schema_of(connection: apsw.Connection) -> Schema:
    """The tables, indexes and triggers of a file, as their statements."""
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall()


@cache
def expected_schema(migrations: tuple[Migration, ...]) -> Schema:
    """The schema that these migrations lead to."""
    connection = apsw.Connection(":memory:")
    try:
        bring_up(connection, Path(":memory:"), migrations)
        return schema_of(connection)
    finally:
        connection.close()


def number_of(connection: apsw.Connection, pragma: str) -> int:
    """The value of a pragma that is a number."""
    ((value,),) = connection.execute(f"PRAGMA {pragma}").fetchall()
    assert isinstance(value, int)
    return value
