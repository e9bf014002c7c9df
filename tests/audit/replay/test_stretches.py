"""One table in stretches: they come to what one replay comes to, or they are not believed."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace

from taisai.audit.replay.apart import Replayed, Share, in_stretches, joined, replay
from taisai.audit.replay.stretches import cuts
from taisai.audit.replay.tables import TableFar
from taisai.audit.run import Audit
from taisai.books import Shelf
from taisai.journal import SqliteJournal
from taisai.journal.chain import snapshot_digest
from taisai.table.state import snapshot_of, state_from
from tests.audit.bot import Bot, deal
from tests.audit.replay.test_apart import told
from tests.journal.samples import sign_checkpoint
from tests.streams.keeper import TableKeeper

LAYOUTS = (("rws-tai-sai-v6", "C"), ("nz-division-9", "1"), ("rws-mini-dice-v3", "A"), ("rws-open-cover-v3", "A"))


def dealt_to(shelf: Shelf, file: Path, book: str, layout: str, *, every: int = 37, commands: int = 600) -> list[int]:
    """A journal of one table with much trouble; the records of its snapshots."""
    with SqliteJournal(file) as journal:
        keeper = TableKeeper(journal, shelf.book, "T1", snapshot_every=every)
        for _ in islice(deal(keeper, Bot(shelf.book(book), layout, 4, trouble=0.2)), commands):
            pass
        sign_checkpoint(journal, 1)
        return [snapshot.seq for snapshot in journal.snapshots()]


def parts_of(shelf: Shelf, file: Path, at: list[int]) -> tuple[list[Replayed], Replayed]:
    """What the stretches came to, and the whole."""
    with SqliteJournal(file, read_only=True) as journal:
        whole = Share(str(file), {}, ("T1",), 0, journal.position())
        return [replay(share, journal, shelf.book) for share in in_stretches(whole, at)], replay(
            whole, journal, shelf.book
        )


@pytest.mark.slow
@pytest.mark.parametrize(("book", "layout"), LAYOUTS)
def test_stretches_come_to_what_one_replay_comes_to(shelf: Shelf, tmp_path: Path, book: str, layout: str) -> None:
    """State, the audit's own record with its counts, and what was not checked; however many stretches there are."""
    file = tmp_path / "floor.db"
    at = dealt_to(shelf, file, book, layout)
    for some in (at, at[3:4], at[1::3]):
        parts, whole = parts_of(shelf, file, some)
        assert joined("T1", parts) == whole


def test_a_stretch_that_began_elsewhere_is_not_believed(shelf: Shelf, tmp_path: Path) -> None:
    """Another state, another record of the audit's own, a finding, a process that failed: then there is no whole."""
    file = tmp_path / "floor.db"
    at = dealt_to(shelf, file, *LAYOUTS[0])
    parts, whole = parts_of(shelf, file, at[4:5])
    first, second = parts
    assert joined("T1", parts) == whole
    begun = second.begun
    assert begun is not None
    other_state = TableFar(replace(begun.state, at=begun.state.at + 1), begun.course)
    other_course = TableFar(begun.state, replace(begun.course, suspended=True))
    assert joined("T1", [first, replace(second, begun=other_state)]) is None
    assert joined("T1", [first, replace(second, begun=other_course)]) is None
    assert joined("T1", [first, None]) is None
    broken = replace(first, tables={"T1": replace(first.tables["T1"], broken=True)})
    assert joined("T1", [broken, second]) is None
    far, ended = first.tables["T1"], second.tables["T1"]
    older = replace(far.course, void_by_fact={"0": "not-flat", **far.course.void_by_fact})
    before = replace(first, tables={"T1": replace(far, course=older)})
    assert joined("T1", [before, second]) is not None  # the state tells of the last rounds alone
    looked = {book: {**counts, "ruled": 1} for book, counts in ended.course.looked.items()}
    asked = replace(second, tables={"T1": replace(ended, course=replace(ended.course, looked=looked))})
    assert joined("T1", [before, asked]) is None  # and a ruling may have been about an older one
    unknown = TableFar(begun.state, replace(begun.course, void_by_fact={"0": "not-flat"}))
    assert joined("T1", [first, replace(second, begun=unknown)]) is None
    assert joined("T1", [replace(first, tables={}), second]) is None
    assert joined("T1", [replace(first, tables={"T1": replace(far, course=begun.course)}), second]) is not None


@pytest.mark.slow
def test_a_snapshot_that_lies_is_found_in_stretches(shelf: Shelf, tmp_path: Path) -> None:
    """A snapshot in the middle that gives a player more chips: its stretch begins with it, and nobody believes it."""
    file = tmp_path / "floor.db"
    at = dealt_to(shelf, file, *LAYOUTS[0])
    with SqliteJournal(file) as journal:
        kept = {snapshot.seq: snapshot for snapshot in journal.snapshots()}
    for seq in at[:-1]:
        one = kept[seq]
        state = state_from(one.state)
        ledger = {**state.ledger, "player:p1": state.ledger.get("player:p1", 0) + 100, "cage": -100}
        lie = snapshot_of(replace(state, ledger=ledger))
        digest = snapshot_digest("T1", seq, one.format, one.record_hash, lie)
        connection = apsw.Connection(str(file))
        connection.execute("UPDATE snapshot SET state = ?, digest = ? WHERE seq = ?", (lie, digest, seq))
        connection.close()
    alone, audit = told(shelf, file, 1)
    found, shared = told(shelf, file, 2)
    assert len(alone) == len(at) - 1
    assert found == alone
    assert shared.states == audit.states
    assert shared.result() == audit.result()


@pytest.mark.slow
def test_an_audit_of_one_table_uses_several_processes(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first process replays nothing of it, and comes to the same result, from an earlier one on too."""
    file = tmp_path / "floor.db"
    dealt_to(shelf, file, *LAYOUTS[0])
    alone, audit = told(shelf, file, 1)
    monkeypatch.setattr(Audit, "_replay", None)  # it would be called to replay what others could not
    found, shared = told(shelf, file, 2)
    assert found == alone == []
    assert shared.result() == audit.result()
    assert shared.not_checked == audit.not_checked
    with SqliteJournal(file) as journal:
        keeper = TableKeeper(journal, shelf.book, "T1", snapshot_every=37)
        for _ in islice(deal(keeper, Bot(shelf.book("rws-tai-sai-v6"), "C", 9, trouble=0.2)), 300):
            pass
    found, later = told(shelf, file, 2, shared.result())
    assert found == []
    assert later.result() == told(shelf, file, 1)[1].result()


def test_cuts_are_about_even() -> None:
    """The nearest snapshots to equal pieces, each once; none where there is none."""
    assert cuts([10, 20, 48, 52, 90], 0, 100, 2) == [48]
    assert cuts([10, 20, 48, 52, 90], 0, 100, 4) == [20, 48, 90]
    assert cuts([48], 0, 100, 4) == [48]
    assert cuts([48], 50, 100, 4) == []
    assert cuts([], 0, 100, 4) == []
