"""The schema of a journal on PostgreSQL: made once, brought up to date, or refused."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from taisai.journal import (
    Batch,
    JournalDamaged,
    JournalFailed,
    NotAJournal,
    UnknownFormat,
)
from taisai.journal.migrations import Migration, shipped
from taisai.journal.postgres.journal import PostgresJournal
from taisai.journal.postgres.schema import PACKAGE
from taisai.journal.verify import verify
from tests.journal.postgres.meddling import tampered
from tests.journal.samples import codes, content, fill, new
from tests.postgres import journal_url, schema_of, server

pytestmark = pytest.mark.postgres
HOUSE = "house:open%20sesame"


def test_nodes_that_start_together(tmp_path: Path) -> None:
    """Several nodes that open a journal that does not exist yet make it once, and all of them can write."""

    def begin(number: int) -> None:
        with PostgresJournal(journal_url(tmp_path)) as journal:
            journal.append([Batch(f"t{number}", 0, [new()])])

    server()
    with ThreadPoolExecutor(5) as pool:
        list(pool.map(begin, range(5)))
    with PostgresJournal(journal_url(tmp_path), read_only=True) as journal:
        assert journal.tables() == [f"t{number}" for number in range(5)]
        assert list(verify(journal)) == []


def test_an_older_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    """A journal with an older schema is migrated when it is opened for writing, and refused for reading."""
    with PostgresJournal(journal_url(tmp_path)) as journal:
        fill(journal)
        before = content(journal)
    later = "DROP TABLE lease, tenure", "ALTER TABLE record DROP COLUMN fence", "DROP FUNCTION note_tenure"
    tampered(tmp_path, *later, "DELETE FROM migration WHERE number > 1")
    with pytest.raises(UnknownFormat, match="has version 1, and version 3 is needed: open it once for writing"):
        PostgresJournal(journal_url(tmp_path), read_only=True)
    with PostgresJournal(journal_url(tmp_path)) as journal:
        assert content(journal) == before
        assert list(verify(journal)) == []


def test_another_schema_is_refused(tmp_path: Path) -> None:
    """A newer schema, or a migration that differs, is refused and left as it is."""
    first, second, third = shipped(PACKAGE)
    newer = (first, second, third, Migration(4, "more", "CREATE TABLE more (a integer);"))
    with PostgresJournal(journal_url(tmp_path), migrations=newer) as journal:
        assert codes(verify(journal)) == {"schema-altered"}
    for read_only in (True, False):
        with pytest.raises(
            UnknownFormat, match="made by a newer taisai: its schema has version 4, and this one knows up to 3"
        ):
            PostgresJournal(journal_url(tmp_path), read_only=read_only)
        altered = (first, second._replace(sql="-- an afterthought"), *newer[2:])
        with pytest.raises(UnknownFormat, match=r"migration 2 \(lease\) is not the one that this taisai has"):
            PostgresJournal(journal_url(tmp_path), read_only=read_only, migrations=altered)
    tampered(tmp_path, "DELETE FROM migration")
    with pytest.raises(JournalDamaged, match="lists no migrations"):
        PostgresJournal(journal_url(tmp_path))


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    """Migrations are applied whole or not at all."""
    broken = (
        *shipped(PACKAGE),
        Migration(4, "broken", "CREATE TABLE more (a integer); CREATE TABLE record (a integer);"),
    )
    with pytest.raises(JournalFailed, match='relation "record" already exists'):
        PostgresJournal(journal_url(tmp_path), migrations=broken)
    assert server().fetch("SELECT 1 FROM pg_namespace WHERE nspname = $1", schema_of(tmp_path)) == []


def test_another_programs_schema_is_refused(tmp_path: Path) -> None:
    """A schema with another program's tables is left alone; an empty one is used."""
    schema = schema_of(tmp_path)
    server().execute(f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.bets (stake integer)")
    for read_only in (True, False):
        with pytest.raises(NotAJournal, match="belongs to another program: it is not a taisai journal"):
            PostgresJournal(journal_url(tmp_path), read_only=read_only)
    assert server().fetch("SELECT tablename FROM pg_tables WHERE schemaname = $1", schema) == [("bets",)]
    server().execute(f"DROP TABLE {schema}.bets; ALTER SCHEMA {schema} OWNER TO house")
    with PostgresJournal(journal_url(tmp_path, user=HOUSE)) as journal:
        fill(journal)
        assert list(verify(journal)) == []
