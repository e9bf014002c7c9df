"""The audit that never ends: each look costs what is new, and its process ends with its parent."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

from taisai.audit.watch import Asked, Look, Watcher, books_of
from taisai.books import Shelf
from taisai.journal import Batch, JournalFailed, MemoryJournal, open_journal
from taisai.streams.codec import records_of
from taisai.table import events as e
from tests.audit.forged import altered, dealt, journal_of

LAYOUT = "rws-tai-sai-v6/E"


def append(journal: MemoryJournal, events: list[e.Event], start: int) -> None:
    """More events of the table."""
    for seq, event in enumerate(events[start:], start=start):
        journal.append([Batch("T1", seq, records_of(f"c{seq}", [event]))])


def test_a_look_reads_what_is_new_and_tells_new_findings_once(shelf: Shelf) -> None:
    """First the old part, then the new one with its forgery; a further look has nothing to say."""
    events = dealt(shelf, LAYOUT, 200)
    half = len(events) // 2
    forged = altered(events, e.RoundConcluded, lambda what: msgspec.structs.replace(what, returned=what.returned + 5))
    journal, told = journal_of(forged[:half]), list[Look]()
    watcher = Watcher(shelf.book, told.append)
    watcher.look(journal)
    append(journal, forged, half)
    watcher.look(journal)
    watcher.look(journal)
    assert [look.position for look in told] == [half, len(events), len(events)]
    assert [bool(look.findings) for look in told] == [False, True, False]
    assert all(look.done == look.total == look.position for look in told)


def test_a_long_look_tells_how_far_it_is(shelf: Shelf) -> None:
    """Every second; what is proven is told when the look is over."""
    seconds = iter(range(1_000))
    told: list[Look] = []
    Watcher(shelf.book, told.append, clock=lambda: next(seconds)).look(journal_of(dealt(shelf, LAYOUT, 100)))
    assert told[0].done > told[0].position == 0
    assert told[-1].position == told[-1].done == told[-1].total > 0


def test_a_journal_that_cannot_be_read_is_told(shelf: Shelf) -> None:
    """The next look tries again, and nothing is proven meanwhile."""

    class Gone(MemoryJournal):
        def snapshots(self) -> None:  # type: ignore[override] # it fails
            raise JournalFailed("the database is away")

        def standing(self) -> None:  # type: ignore[override] # it fails
            raise JournalFailed("the database is away")

        position = standing  # type: ignore[assignment]

    told: list[Look] = []
    Watcher(shelf.book, told.append).look(Gone())
    assert (told[0].position, bool(told[0].fault or told[0].findings)) == (0, True)


def test_the_process_looks_and_ends_with_its_input(shelf: Shelf, tmp_path: Path) -> None:
    """One line in; out comes a line for each look, after those of how far a slow one is.

    A closed input ends it, as a dead parent does.
    """
    file = tmp_path / "floor.db"
    events = dealt(shelf, LAYOUT, 60)
    with open_journal(file) as journal:
        for seq, event in enumerate(events):
            journal.append([Batch("T1", seq, records_of(f"c{seq}", [event]))])
    books = {name: str(folder) for name, folder in shelf.folders.items()}
    asked = msgspec.json.encode(Asked(str(file), books, 60.0)) + b"\n"
    command = [sys.executable, "-m", "taisai.audit.watch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(asked)
        process.stdin.flush()
        lines = (msgspec.json.decode(line, type=Look) for line in process.stdout)
        look = next(each for each in lines if each.position == each.done == each.total)
        process.stdin.close()
        assert process.wait(60) == 0
    assert (look.position, look.findings, look.fault) == (len(events), (), "")


def test_the_process_ends_in_silence_when_the_house_is_gone(tmp_path: Path) -> None:
    """A house that is killed reads no more: no traceback is left in its log."""
    asked = msgspec.json.encode(Asked(str(tmp_path / "missing.db"), {}, 60.0)) + b"\n"
    command = [sys.executable, "-m", "taisai.audit.watch"]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(asked)
        process.stdin.flush()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_a_book_that_is_not_there_is_none() -> None:
    """The audit then says so of each round."""
    assert books_of({})("nowhere") is None
