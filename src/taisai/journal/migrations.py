"""Numbered migrations: how an SQL store's schema is brought up to date.

Enters: the migrations that a package ships, and those that a store lists as applied. Leaves: how many it has had, or
`UnknownFormat` when a newer taisai made the store or a migration was altered.

`migrations/0001_records.sql` and so on, in the folder of each store, are applied in order, each once, all in one
transaction. The store lists their names and SHA-256. A released migration is never edited: the next change is the next
number.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

from taisai.journal.contract import UnknownFormat


class Migration(NamedTuple):
    """One step of a schema."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> bytes:
        """SHA-256 of the step's text."""
        return sha256(self.sql.encode()).digest()


@cache
def shipped(package: str) -> tuple[Migration, ...]:
    """The migrations in a package's folder, in order."""
    texts = [one for one in files(package).joinpath("migrations").iterdir() if one.name.endswith(".sql")]
    texts.sort(key=lambda one: one.name)
    return tuple(Migration(int(one.name[:4]), one.name[5:-4], one.read_text(encoding="utf-8")) for one in texts)


def require_known(version: int, migrations: tuple[Migration, ...], shown: str) -> None:
    """Refuse a store whose schema version is newer than this taisai."""
    if version > len(migrations):
        raise UnknownFormat(
            f"{shown} was made by a newer taisai: its schema has version {version}, and this one knows up to"
            f" {len(migrations)}"
        )


def require_same(applied: Iterable[Any], migrations: tuple[Migration, ...], shown: str) -> None:
    """Refuse a store that lists other migrations (number, name, checksum) than the ones of this taisai."""
    for row, known in zip(applied, migrations, strict=False):
        if tuple(row) != (known.number, known.name, known.checksum):
            raise UnknownFormat(f"{shown}: migration {row[0]} ({row[1]}) is not the one that this taisai has")


def require_current(version: int, migrations: tuple[Migration, ...], shown: str) -> None:
    """Refuse a store whose schema still has to be brought up to date: for a caller that may only read."""
    if version < len(migrations):
        raise UnknownFormat(
            f"the schema of {shown} has version {version}, and version {len(migrations)} is needed: open it once for"
            " writing, which brings it up to date (for a backup: restore it)"
        )
