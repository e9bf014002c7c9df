"""All tables of a journal on their way through the audit."""

from __future__ import annotations

from taisai.audit.replay.tables import AFTER_BREAK, Tables
from taisai.books import Shelf
from taisai.journal import Batch, MemoryJournal, NewRecord
from tests.audit.forged import dealt, journal_of


def test_what_was_handed_on_goes_on(shelf: Shelf) -> None:
    """Tables that are handed on in the middle come to the same end, by their own and the audit's record."""
    journal = journal_of(dealt(shelf, "nz-division-9/1", 120))
    rows = journal.rows(0, journal.position(), 10_000)
    whole, first, second = Tables(shelf.book), Tables(shelf.book), Tables(shelf.book)
    whole.see(rows)
    first.see(rows[:70])
    second.resume(first.far())
    second.see(rows[70:])
    assert second.far() == whole.far()
    assert (first.found, second.found) == ([], [])


def test_a_table_that_broke_off_stays_so(shelf: Shelf) -> None:
    """What comes after the record at which a replay broke off is counted, also by whoever goes on."""
    journal: MemoryJournal = journal_of(dealt(shelf, "nz-division-9/1", 60))
    seq = journal.head("T1").seq
    for place, command in enumerate("xyz"):
        journal.append([Batch("T1", seq + place, [NewRecord("bet-placed", 1, 1, command, 0, "eve", b"{}")])])
    rows = journal.rows(0, journal.position(), 10_000)
    first, second = Tables(shelf.book), Tables(shelf.book)
    first.see(rows[:-1])
    second.resume(first.far())
    second.see(rows[-1:])
    second.end()
    assert [finding.code for finding in first.found] == ["not-an-event"]
    assert second.not_checked == {AFTER_BREAK: 2}
