"""An audit of a whole journal: clean shifts, damaged files, snapshots, progress."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from taisai.audit.run import Audit
from taisai.books import Shelf
from taisai.journal import Batch, MemoryJournal, NewRecord, SqliteJournal
from taisai.streams.loading import load
from taisai.table.state import SNAPSHOT_FORMAT, TableState, snapshot_of
from tests.audit.bot import Bot, deal
from tests.audit.forged import dealt, found_in, journal_of
from tests.journal.samples import sign_checkpoint
from tests.streams.keeper import TableKeeper

LAYOUTS = ("nz-division-9/1", "rws-open-cover-v3/B", "rws-tai-sai-v6/E", "rws-mini-dice-v3/A")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_good_shift_has_no_finding(shelf: Shelf, layout: str) -> None:
    """A shift dealt through the rules, with irregularities, is clean under every book; its replay is its state."""
    book_id, _, layout_id = layout.partition("/")
    journal = MemoryJournal()
    keeper = TableKeeper(journal, shelf.book, "T1", snapshot_every=100)
    for _ in islice(deal(keeper, Bot(shelf.book(book_id), layout_id, 5, trouble=0.2)), 900):
        pass
    audit = Audit(shelf.book)
    assert [str(finding) for finding in audit.findings(journal)] == []
    assert audit.states["T1"] == keeper.state == load(journal, "T1")[0]
    assert audit.records == keeper.state.seq
    assert keeper.state.meters.rounds > 5
    assert keeper.state.meters.voided > 0


def test_a_book_that_is_not_at_hand_is_said(shelf: Shelf) -> None:
    """Without the rule book, or with another edition, the audit says so."""
    codes = {finding.code for finding in found_in(shelf, dealt(shelf, "nz-division-9/1", 100), lambda _: None)}
    assert codes == {"book-unknown"}


def test_a_body_that_is_no_event_is_found(shelf: Shelf) -> None:
    """A record whose body is something else stops that table's replay and is named."""
    journal = journal_of(dealt(shelf, "nz-division-9/1", 60))
    seq = journal.head("T1").seq
    journal.append([Batch("T1", seq, [NewRecord("bet-placed", 1, 1, "x", 0, "eve", b"{}")])])
    journal.append([Batch("T1", seq + 1, [NewRecord("bet-placed", 1, 1, "y", 0, "eve", b"{}")])])
    findings = list(Audit(shelf.book).findings(journal))
    assert [finding.code for finding in findings] == ["not-an-event"]


def test_a_snapshot_that_lies_is_found(shelf: Shelf) -> None:
    """A snapshot in perfect order that is not what its history leads to is found by replaying."""
    events = dealt(shelf, "nz-division-9/1", 100)
    journal = journal_of(events)
    lie = snapshot_of(TableState("T1", seq=50))
    journal.save_snapshot("T1", 50, SNAPSHOT_FORMAT, lie)
    journal.save_snapshot("T1", 51, SNAPSHOT_FORMAT + 1, b"of another form")
    assert [(finding.code, finding.seq) for finding in Audit(shelf.book).findings(journal)] == [
        ("snapshot-differs", 50)
    ]


def test_a_damaged_file_is_audited_without_a_traceback(shelf: Shelf, tmp_path: Path) -> None:
    """A file with flipped bytes, and one that is nothing like a journal, give findings."""
    file = tmp_path / "floor.db"
    with SqliteJournal(file) as journal:
        keeper = TableKeeper(journal, shelf.book, "T1", snapshot_every=20)
        for _ in islice(deal(keeper, Bot(shelf.book("nz-division-9"), "1", 2)), 150):
            pass
        sign_checkpoint(journal, 1)
    assert list(Audit(shelf.book).findings_of_file(file)) == []
    whole = file.read_bytes()
    place = whole.index(b"bet-placed") + 30
    file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    assert list(Audit(shelf.book).findings_of_file(file))
    file.write_bytes(b"not a journal" * 1000)
    assert [finding.code for finding in Audit(shelf.book).findings_of_file(file)] == ["file-damaged"]


def test_progress_is_told(shelf: Shelf) -> None:
    """Long audits tell how far they are."""
    told: list[tuple[int, int]] = []
    journal = journal_of(dealt(shelf, "nz-division-9/1", 60))
    assert list(Audit(shelf.book, lambda done, whole: told.append((done, whole))).findings(journal)) == []
    assert told[-1][0] == told[-1][1] == journal.position()
