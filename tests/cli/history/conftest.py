"""A journal of three tables and the house, and its export."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.cli import main
from taisai.journal import open_journal
from tests.history.dealt import deal_bots, tell_house


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of three tables and the house."""
    file = tmp_path_factory.mktemp("floor") / "floor.db"
    with open_journal(file) as opened:
        deal_bots(opened, 150)
        tell_house(opened, 1_775_000_000_000_000)
    return file


@pytest.fixture(scope="module")
def folder(journal: Path) -> Path:
    """Its export."""
    assert main(("export", str(journal), str(journal.parent / "export"))) == 0
    return journal.parent / "export"
