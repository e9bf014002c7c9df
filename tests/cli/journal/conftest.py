"""A journal that the commands read."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from taisai.books import open_shelf
from taisai.journal import open_journal
from tests.audit.bot import Bot, deal
from tests.journal.samples import sign_checkpoint
from tests.streams.keeper import TableKeeper


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of one table, dealt for a while and signed."""
    file = tmp_path_factory.mktemp("floor") / "floor.db"
    shelf = open_shelf(environment={})
    with open_journal(file) as opened:
        keeper = TableKeeper(opened, shelf.book, "T1", snapshot_every=60)
        for _ in islice(deal(keeper, Bot(shelf.book("nz-division-9"), "1", 8, trouble=0.15)), 300):
            pass
        sign_checkpoint(opened, keeper.state.at)
    return file
