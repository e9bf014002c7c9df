"""The schema of a journal's file: brought up to date, or refused."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from taisai.journal import (
    MemoryJournal,
    SqliteJournal,
    UnknownFormat,
)
from taisai.journal.migrations import Migration, shipped
from taisai.journal.sqlite.schema import APPLICATION_ID, PACKAGE
from taisai.journal.verify import verify
from tests.journal.samples import content, copy_of, fill, sign_checkpoint


def old_journal(path: Path) -> None:
    """A journal with the first schema version, as an older taisai left it."""
    connection = apsw.Connection(str(path))
    first = shipped(PACKAGE)[0]
    connection.execute(first.sql)
    connection.execute("INSERT INTO migration VALUES (?, ?, ?)", (first.number, first.name, first.checksum))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 1")
    connection.close()


def test_an_older_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    """A journal with an older schema is migrated when it is opened for writing, and keeps its records."""
    path = tmp_path / "journal.db"
    old_journal(path)
    with MemoryJournal() as memory:
        fill(memory, 2)
        rows = [tuple(getattr(one, name) for name in one.__struct_fields__) for one in memory.read_all()]
        heads = [(table, *memory.head(table)) for table in memory.tables()]
        before = content(memory)[:3]
    connection = apsw.Connection(str(path))
    connection.executemany(f"INSERT INTO record VALUES ({'?, ' * 11}?)", rows)
    connection.executemany("INSERT INTO head VALUES (?, ?, ?)", heads)
    connection.close()
    with pytest.raises(UnknownFormat, match="has version 1, and version 4 is needed: open it once for writing"):
        SqliteJournal(path, read_only=True)
    with SqliteJournal(path) as journal:
        assert content(journal)[:3] == before
        sign_checkpoint(journal, 1)
        assert list(verify(journal)) == []
    with SqliteJournal(path, read_only=True) as journal:
        assert list(verify(journal)) == []


def test_a_newer_schema_is_refused(sound: Path, tmp_path: Path) -> None:
    """A journal that a newer taisai has migrated is refused, and left as it is."""
    path = copy_of(sound, tmp_path / "journal.db")
    newer = (*shipped(PACKAGE), Migration(5, "more", "CREATE TABLE more (a INTEGER) STRICT;"))
    with SqliteJournal(path, migrations=newer) as journal:
        assert list(verify(journal)) == []
    before = path.read_bytes()
    for read_only in (True, False):
        with pytest.raises(
            UnknownFormat, match="made by a newer taisai: its schema has version 5, and this one knows up to 4"
        ):
            SqliteJournal(path, read_only=read_only)
    assert path.read_bytes() == before


def test_an_altered_migration_is_refused(sound: Path, tmp_path: Path) -> None:
    """A journal whose migrations are not the ones of this taisai is refused."""
    path = copy_of(sound, tmp_path / "journal.db")
    first, second, *others = shipped(PACKAGE)
    altered = (first, second._replace(sql=second.sql + "-- an afterthought\n"), *others)
    for read_only in (True, False):
        with pytest.raises(UnknownFormat, match=r"migration 2 \(checkpoints\) is not the one that this taisai has"):
            SqliteJournal(path, read_only=read_only, migrations=altered)


def test_a_migration_that_fails_changes_nothing(sound: Path, tmp_path: Path) -> None:
    """A migration is applied whole or not at all."""
    path = copy_of(sound, tmp_path / "journal.db")
    broken = (
        *shipped(PACKAGE),
        Migration(5, "broken", "CREATE TABLE more (a INTEGER) STRICT; CREATE TABLE record (a);"),
    )
    with pytest.raises(Exception, match="table record already exists"):
        SqliteJournal(path, migrations=broken)
    with SqliteJournal(path) as journal:
        assert list(verify(journal)) == []
