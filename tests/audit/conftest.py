"""What tests of the audit share: the books, and two tables that were dealt for a while."""

from __future__ import annotations

from itertools import islice

import pytest

from taisai.books import Shelf, open_shelf
from taisai.journal import MemoryJournal
from taisai.table.state import TableState
from tests.audit.bot import Bot, deal
from tests.streams.keeper import TableKeeper


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    """The package's own books."""
    return open_shelf(environment={})


@pytest.fixture(scope="module")
def dealt(shelf: Shelf) -> tuple[MemoryJournal, dict[str, TableState]]:
    """Two tables, dealt for a while."""
    journal = MemoryJournal()
    states = {}
    for table, book, layout in (("NZ", "nz-division-9", "1"), ("SG<1>", "rws-tai-sai-v6", "C")):
        keeper = TableKeeper(journal, shelf.book, table)
        for _ in islice(deal(keeper, Bot(shelf.book(book), layout, 4, trouble=0.2)), 500):
            pass
        states[table] = keeper.state
    return journal, states
