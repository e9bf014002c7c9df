"""An audit in several processes: the same findings, the same states, nothing left out."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import apsw
import pytest

from taisai.audit.replay.apart import Apart, Share, books_of, replay, shared_out
from taisai.audit.run import Audit, AuditResult
from taisai.books import Shelf
from taisai.books.reader.faults import BookRefused
from taisai.house.log import append_house
from taisai.journal import Batch, SqliteJournal
from taisai.streams import house_events as h
from taisai.streams.codec import records_of
from taisai.table import events as e
from taisai.table.people import Person, Role
from tests.audit.bot import Bot, deal
from tests.journal.samples import sign_checkpoint
from tests.streams.keeper import TableKeeper

TABLES = (("NZ", "nz-division-9", "1", 120), ("SG", "rws-tai-sai-v6", "C", 200), ("M", "rws-mini-dice-v3", "A", 40))


def filled(shelf: Shelf, file: Path, *, lie: bool = False) -> None:
    """Three tables in one file; with a `lie`, a payment that nobody won at one of them."""
    with SqliteJournal(file) as journal:
        for table, book, layout, commands in TABLES:
            keeper = TableKeeper(journal, shelf.book, table, snapshot_every=50)
            for _ in islice(deal(keeper, Bot(shelf.book(book), layout, 4, trouble=0.2)), commands):
                pass
        if lie:
            what = e.BetPaid("p1", "small", 100, 100, 1, 100, 100)
            event = e.Event(at=1_900_000_000_000_000, by=Person("eve", Role.DEALER), what=what)
            journal.append([Batch("SG", journal.head("SG").seq, records_of("lie", [event]))])
        sign_checkpoint(journal, 1)


def told(
    shelf: Shelf, file: Path, processes: int, since: AuditResult | None = None, books: dict[str, str] | None = None
) -> tuple[list[str], Audit]:
    """What an audit in so many processes finds, in order of the alphabet."""
    folders = {name: str(folder) for name, folder in shelf.folders.items()} if books is None else books
    audit = Audit(shelf.book, since=since, apart=Apart(str(file), folders, processes, worth=1))
    return sorted(map(str, audit.findings_of_file(file))), audit


@pytest.mark.slow
@pytest.mark.parametrize("lie", [False, True])
def test_several_processes_find_what_one_finds(shelf: Shelf, tmp_path: Path, lie: bool) -> None:
    """Findings, states, results and what was not checked are the same, in one process, two and four."""
    file = tmp_path / "floor.db"
    filled(shelf, file, lie=lie)
    alone, audit = told(shelf, file, 1)
    assert bool(alone) is lie
    for processes in (2, 4):
        found, shared = told(shelf, file, processes)
        assert found == alone
        assert shared.states == audit.states
        assert shared.result() == audit.result()
        assert (shared.records, shared.not_checked) == (audit.records, audit.not_checked)


def test_an_actor_whom_the_house_does_not_know_is_found_apart(shelf: Shelf, tmp_path: Path) -> None:
    """The processes know the house's log: the same persons are found, once each, also from an earlier result on."""
    file = tmp_path / "floor.db"
    with SqliteJournal(file) as journal:
        started = h.HouseStarted(version="0.2.0", program="", settings="", books={})
        append_house(journal, [h.HouseEvent(1, "house", started)])
    filled(shelf, file)
    alone, audit = told(shelf, file, 1)
    found, shared = told(shelf, file, 2)
    assert {line.split(":")[1].strip() for line in alone} == {"actor-unknown"}
    assert found == alone
    with SqliteJournal(file) as journal:
        keeper = TableKeeper(journal, shelf.book, "M")
        for _ in islice(deal(keeper, Bot(shelf.book("rws-mini-dice-v3"), "A", 9)), 20):
            pass
    assert told(shelf, file, 2, shared.result())[0] == told(shelf, file, 1, audit.result())[0] != []


def test_a_later_audit_goes_on_apart(shelf: Shelf, tmp_path: Path) -> None:
    """From an earlier result the processes replay what is new, and come to the states of a whole audit."""
    file = tmp_path / "floor.db"
    filled(shelf, file)
    _, first = told(shelf, file, 2)
    with SqliteJournal(file) as journal:
        keeper = TableKeeper(journal, shelf.book, "SG")
        for _ in islice(deal(keeper, Bot(shelf.book("rws-tai-sai-v6"), "C", 9)), 80):
            pass
    found, later = told(shelf, file, 2, first.result())
    alone, whole = told(shelf, file, 1)
    assert found == alone == []
    assert 0 < later.records < whole.records
    assert later.states == whole.states


def test_a_share_whose_process_fails_is_replayed_here(shelf: Shelf, tmp_path: Path) -> None:
    """A process that cannot read its rule books ends; the first one does its work."""
    file = tmp_path / "floor.db"
    filled(shelf, file)
    nowhere = dict.fromkeys(shelf.folders, str(tmp_path / "nowhere"))
    with pytest.raises(BookRefused):
        books_of(nowhere)("nz-division-9")
    found, shared = told(shelf, file, 2, books=nowhere)
    assert found == []
    assert shared.states == told(shelf, file, 1)[1].states


def test_a_table_that_is_not_listed_is_replayed_all_the_same(shelf: Shelf, tmp_path: Path) -> None:
    """Whoever takes a table off the list of heads does not take its records out of the audit."""
    file = tmp_path / "floor.db"
    filled(shelf, file, lie=True)
    connection = apsw.Connection(str(file))
    connection.execute("DELETE FROM head WHERE table_name = 'SG'")
    connection.close()
    alone, audit = told(shelf, file, 1)
    found, shared = told(shelf, file, 2)
    assert found == alone
    assert shared.states == audit.states


def test_what_is_written_meanwhile_is_audited_too(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records that came after the processes had begun are replayed by the first, on top of what they came to."""
    file = tmp_path / "floor.db"
    filled(shelf, file)
    alone, audit = told(shelf, file, 1)
    now = SqliteJournal.position
    monkeypatch.setattr(SqliteJournal, "position", lambda journal: now(journal) - 60)
    found, shared = told(shelf, file, 2)
    assert found == alone
    assert shared.states == audit.states


def test_an_audit_that_is_left_ends_its_processes(shelf: Shelf, tmp_path: Path) -> None:
    """Whoever stops listening leaves no process behind."""
    file = tmp_path / "floor.db"
    filled(shelf, file)
    connection = apsw.Connection(str(file))
    connection.execute("DELETE FROM head WHERE table_name = 'SG'")
    connection.close()
    folders = {name: str(folder) for name, folder in shelf.folders.items()}
    audit = Audit(shelf.book, apart=Apart(str(file), folders, 2, worth=1))
    findings = audit.findings_of_file(file)
    next(findings)
    workers = audit._workers
    assert workers is not None
    findings.close()  # type: ignore[attr-defined] # a generator
    assert workers.running == 0


def test_a_share_is_some_tables(shelf: Shelf, tmp_path: Path) -> None:
    """A share has its own tables, up to its own position."""
    file = tmp_path / "floor.db"
    filled(shelf, file)
    with SqliteJournal(file, read_only=True) as journal:
        share = Share(str(file), {}, ("NZ",), 0, journal.position())
        found = replay(share, journal, shelf.book)
        assert list(found.tables) == ["NZ"]
        assert found.tables["NZ"].state.seq == journal.head("NZ").seq
        assert replay(share, journal, lambda _: None).findings


def test_tables_are_shared_out_evenly() -> None:
    """Larger tables first, each to the share with the fewest records; never an empty share."""
    assert shared_out({"a": 10, "b": 7, "c": 5, "d": 1}, 2) == [("a", "d"), ("b", "c")]
    assert shared_out({"a": 10}, 3) == [("a",)]
    assert shared_out({}, 3) == []
