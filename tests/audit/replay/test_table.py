"""One table on its way through the audit."""

from __future__ import annotations

from taisai.audit.actors import Actors
from taisai.audit.findings import AuditFinding
from taisai.audit.replay.table import TableReplay
from taisai.books import Shelf
from taisai.streams.loading import load
from tests.audit.forged import dealt, journal_of


def test_a_pause_changes_nothing(shelf: Shelf) -> None:
    """Wherever a replay pauses, in the middle of a run of bets too, it goes on to the same state and course."""
    journal = journal_of(dealt(shelf, "rws-tai-sai-v6/E", 200))
    rows = journal.rows(0, journal.position(), 10_000)
    found: list[AuditFinding] = []
    whole, paused = (TableReplay("T1", shelf.book, {}, Actors()) for _ in range(2))
    whole.see_rows(rows, found)
    for row in rows:
        paused.see_rows([row], found)
        paused.pause(found)
    whole.end(found)
    paused.end(found)
    assert found == []
    assert whole.state == paused.state == load(journal, "T1")[0]
    assert whole.watch.course == paused.watch.course
