"""A journal in one line: audit, rounds, report."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

import taisai
from taisai.books import open_shelf
from taisai.core.faults import InputFault
from taisai.journal import open_journal
from tests.audit.bot import Bot, deal
from tests.streams.keeper import TableKeeper


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of one table, dealt for a while."""
    file = tmp_path_factory.mktemp("library") / "floor.db"
    shelf = open_shelf(environment={})
    with open_journal(file) as opened:
        keeper = TableKeeper(opened, shelf.book, "T1", snapshot_every=60)
        for _ in islice(deal(keeper, Bot(shelf.book("nz-division-9"), "1", 8, trouble=0.15)), 300):
            pass
    return file


def test_a_journal_answers(file: Path) -> None:
    """Tables, rounds in order and as columns, the report, and an audit."""
    journal = taisai.open_journal(file)
    assert journal.tables == ["T1"]
    rounds = journal.rounds()
    assert rounds
    assert [each.round for each in rounds] == sorted(each.round for each in rounds)
    assert journal.columns("T1")["round"] == [each.round for each in rounds]
    assert any(each.dice is None and each.void for each in rounds) or all(each.dice for each in rounds)
    assert journal.report("life").rows[0].table == "T1"
    assert not [finding for finding in journal.audit() if "recount" in finding.code]
    assert repr(journal) == f"<Journal {file}>"


def test_faults_name_the_field(file: Path) -> None:
    """An unknown table or span is refused."""
    with pytest.raises(InputFault, match="table: no table"):
        taisai.open_journal(file).rounds("T9")
    with pytest.raises(InputFault, match="by: one of day"):
        taisai.open_journal(file).report("week")


def test_a_journal_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    """A mistyped file is refused when it is opened, and not made."""
    with pytest.raises(InputFault, match=r"source: there is no journal at .*nope\.db"):
        taisai.open_journal(tmp_path / "nope.db")
    assert not (tmp_path / "nope.db").exists()
