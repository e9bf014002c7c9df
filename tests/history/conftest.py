"""A journal of all kinds of tables, its export, and DuckDB over it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from taisai.history.engines import Engine, open_engine
from taisai.history.folder import Export
from taisai.journal import MemoryJournal
from tests.history.asked import exported, whole_house
from tests.history.dealt import deal_bots, deal_house, tell_house


@pytest.fixture(scope="session")
def journal() -> MemoryJournal:
    """A whole house, one table of which pays wrongly."""
    return whole_house(220)


@pytest.fixture(scope="session")
def export(journal: MemoryJournal, tmp_path_factory: pytest.TempPathFactory) -> Export:
    """Its export."""
    return exported(journal, tmp_path_factory.mktemp("history") / "it's an export", step=900)


@pytest.fixture(scope="session")
def engine(export: Export) -> Iterator[Engine]:
    """DuckDB over it."""
    with open_engine("duckdb", export) as opened:
        yield opened


@pytest.fixture(scope="session")
def house() -> MemoryJournal:
    """A whole house."""
    journal = MemoryJournal()
    deal_house(journal)
    return journal


@pytest.fixture(scope="session")
def small() -> MemoryJournal:
    """Three tables, for a while."""
    journal = MemoryJournal()
    deal_bots(journal, 150)
    tell_house(journal, 1_775_000_000_000_000)
    return journal


@pytest.fixture(scope="session")
def house_export(house: MemoryJournal, tmp_path_factory: pytest.TempPathFactory) -> Export:
    """The house's export, in a few steps."""
    return exported(house, tmp_path_factory.mktemp("history") / "export", step=400)
