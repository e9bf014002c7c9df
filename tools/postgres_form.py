"""Writes the schema that the migrations of the PostgreSQL journal lead to: `form.txt` (`make postgres-form`).

Needs a PostgreSQL server, which tests/postgres.py starts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from taisai.journal.postgres.form import form_of
from taisai.journal.postgres.journal import PostgresJournal
from tests.postgres import journal_url, schema_of
from tools.golden import ROOT, Golden

TARGET = ROOT / "src" / "taisai" / "journal" / "postgres" / "migrations" / "form.txt"


def made() -> Iterator[tuple[Path, str]]:
    """The form of a new journal."""
    with TemporaryDirectory() as folder, PostgresJournal(journal_url(Path(folder))) as journal:
        lines = journal._link.read(lambda connection: form_of(connection, schema_of(Path(folder))))
    yield TARGET, "".join(f"{line}\n" for line in lines)


GOLDEN = Golden("make postgres-form", made)

if __name__ == "__main__":
    sys.exit(GOLDEN.main())
