"""Writes the schema that the migrations of the PostgreSQL journal lead to: `schema.txt` (`make postgres-schema`).

Needs a PostgreSQL server, which tests/postgres.py starts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from taisai.journal.postgres.journal import PostgresJournal
from taisai.journal.postgres.schema import schema_of as schema_lines
from tests.postgres import journal_url, schema_of
from tools.golden import ROOT, Golden

TARGET = ROOT / "src" / "taisai" / "journal" / "postgres" / "migrations" / "schema.txt"


def made() -> Iterator[tuple[Path, str]]:
    """The schema of a new journal."""
    with TemporaryDirectory() as folder, PostgresJournal(journal_url(Path(folder))) as journal:
        lines = journal._link.read(lambda connection: schema_lines(connection, schema_of(Path(folder))))
    yield TARGET, "".join(f"{line}\n" for line in lines)


GOLDEN = Golden("make postgres-schema", made)

if __name__ == "__main__":
    sys.exit(GOLDEN.main())
