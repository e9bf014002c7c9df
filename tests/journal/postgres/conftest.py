"""What the tests of the journal on PostgreSQL share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from taisai.journal.postgres.journal import PostgresJournal
from tests.postgres import journal_url


@pytest.fixture
def on_server(tmp_path: Path) -> Iterator[PostgresJournal]:
    """An empty journal on the server."""
    with PostgresJournal(journal_url(tmp_path)) as journal:
        yield journal


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[tuple[PostgresJournal, PostgresJournal]]:
    """Two nodes on one journal."""
    with PostgresJournal(journal_url(tmp_path)) as one, PostgresJournal(journal_url(tmp_path)) as two:
        yield one, two
