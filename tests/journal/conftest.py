"""What the tests of the journal share: an empty journal of every kind, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from taisai.journal import Journal, MemoryJournal, SqliteJournal
from taisai.journal.postgres.journal import PostgresJournal
from tests.journal.samples import closed_journal
from tests.postgres import journal_url

Opener: TypeAlias = Callable[[Path], Journal]

STORES: dict[str, Opener] = {
    "memory": lambda _folder: MemoryJournal(),
    "sqlite": lambda folder: SqliteJournal(folder / "journal.db"),
    "postgresql": lambda folder: PostgresJournal(journal_url(folder)),
}
"""Every kind of journal; the contract is tested against each."""


@pytest.fixture(params=STORES)
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Journal]:
    """An empty journal."""
    with STORES[request.param](tmp_path) as opened:
        yield opened


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound journal on disk, closed; tests make copies of it."""
    return closed_journal(tmp_path_factory.mktemp("sound") / "journal.db")
