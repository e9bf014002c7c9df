"""Appending where others append too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from taisai.journal import (
    Batch,
    DuplicateCommand,
    LeaseLost,
    NewRecord,
    OutcomeUnknown,
    SequenceConflict,
)
from taisai.journal.postgres.append import Appender
from taisai.journal.postgres.journal import PostgresJournal
from taisai.journal.verify import verify
from tests import ROOT
from tests.journal.postgres.appender import append_all
from tests.journal.postgres.meddling import LONG_S, run_out, take
from tests.journal.samples import NOON, new, several, sign_checkpoint
from tests.postgres import journal_url

pytestmark = pytest.mark.postgres


def test_bodies_of_any_length_share_a_commit(on_server: PostgresJournal) -> None:
    """Bodies go to the server as one value, and each record gets its own part of it, empty or long."""
    bodies = [b"", b"a", b"", b"\0" * 70_000, "骰".encode(), b""]
    on_server.append([Batch("T1", 0, [NewRecord("k", 1, 0, f"c{n}", 0, "p", body) for n, body in enumerate(bodies)])])
    assert [record.body for record in on_server.read("T1")] == bodies
    assert list(verify(on_server)) == []


def test_an_append_whose_answer_is_lost_is_not_doubled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When records were written and only the answer was lost, repeating them is refused, with either kind of append."""
    write = Appender._write

    async def lost(self: Appender, connection: Any, *more: Any, is_leased: bool) -> bool:
        assert await write(self, connection, *more, is_leased=is_leased)
        raise ConnectionResetError

    with PostgresJournal(journal_url(tmp_path)) as journal:
        journal.append([Batch("a", 0, several(0, 3))])
        with monkeypatch.context() as patch:
            patch.setattr(Appender, "_write", lost)
            with pytest.raises(OutcomeUnknown, match="it is not known whether"):
                journal.append([Batch("a", 3, several(3, 2))])
        with pytest.raises(SequenceConflict):
            journal.append([Batch("a", 3, several(3, 2))])
        with pytest.raises(DuplicateCommand):
            journal.append([Batch("a", 5, several(3, 2))])
        assert journal.position() == 5
        assert list(verify(journal)) == []


def test_two_processes_append_at_once(tmp_path: Path) -> None:
    """Three processes that append to one journal leave no gap and no fork, and lose no commit."""
    url, count = journal_url(tmp_path), 60
    with PostgresJournal(url) as journal:
        others = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.journal.postgres.appender", url, name, str(count)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
            )
            for name in ("one", "two")
        ]
        for other in others:
            assert other.stdout is not None
            assert other.stdout.readline() == "ready\n"
        for other in others:
            assert other.stdin is not None
            other.stdin.write("go\n")
            other.stdin.flush()
        append_all(journal, "three", count)
        for other in others:
            assert other.communicate(timeout=LONG_S)[0] == "done\n"
        assert journal.position() == 3 * 3 * count
        assert [one.position for one in journal.read_all()] == list(range(1, 9 * count + 1))
        shared = {one.command_id for one in journal.read("shared")}
        assert shared == {f"{name}-{number}" for name in ("one", "two", "three") for number in range(count)}
        assert list(verify(journal)) == []


def test_two_writers_take_turns(tmp_path: Path) -> None:
    """What one writer has appended, signed or stored is known to the other at its turn."""
    with PostgresJournal(journal_url(tmp_path)) as one, PostgresJournal(journal_url(tmp_path)) as two:
        for step in range(0, 12, 2):
            assert one.append([Batch("a", step, [new(step)]), Batch("b", step, [new(step)])])["a"].seq == step + 1
            two.append([Batch("a", step + 1, [new(step + 1)]), Batch("b", step + 1, [new(step + 1)])])
            sign_checkpoint(one if step % 4 else two, NOON + step)
            one.put("turn", b"%d" % step)
            assert two.entries() == {"turn": b"%d" % step}
        with pytest.raises(SequenceConflict, match="is at record 12, not at 11"):
            one.append([Batch("a", 11, [new("late")])])
        with pytest.raises(DuplicateCommand):
            one.append([Batch("a", 12, [new(11)])])
        assert one.append([Batch("a", 12, [])])["a"] == two.head("a")
        assert list(verify(one)) == []


def test_nodes_take_turns_without_locking_the_end(nodes: tuple[PostgresJournal, PostgresJournal]) -> None:
    """Two nodes that write to their own tables in turn read the journal's position again, and nothing else."""
    one, two = nodes
    fences = {"T1": take(one, "T1", "one") or 0, "T2": take(two, "T2", "two") or 0}
    for journal, table in ((one, "T1"), (two, "T2")):
        journal.leases.append([Batch(table, 0, [new(f"{table}-0")])], {table: fences[table]})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("taisai.journal.postgres.append.ENDS", "SELECT nothing FROM nowhere")
        for number in (1, 2, 3):
            for journal, table in ((one, "T1"), (two, "T2")):
                journal.leases.append([Batch(table, number, [new(f"{table}-{number}")])], {table: fences[table]})
    assert [record.table for record in one.read_all()] == ["T1", "T2"] * 4
    assert list(verify(one)) == []


def test_a_write_without_a_lease_is_noticed(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """A holder whose lease ran out, and whose table was then written to, gets a sequence conflict and continues."""
    one, two = nodes
    fences = {"T1": take(one, "T1", "one") or 0}
    one.leases.append([Batch("T1", 0, [new("a")])], fences)
    run_out(tmp_path)
    two.append([Batch("T1", 1, [new("b")])])
    with pytest.raises(SequenceConflict):
        one.leases.append([Batch("T1", 1, [new("c")])], fences)
    one.leases.append([Batch("T1", 2, [new("c")])], fences)
    assert [record.command_id for record in one.read("T1")] == ["a", "b", "c"]
    assert list(verify(two)) == []


def test_a_regained_lease_starts_from_the_disk(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """Heads cached under an earlier lease are read again: another node may have written in between."""
    one, two = nodes
    first = take(one, "T1", "one") or 0
    one.leases.append([Batch("T1", 0, [new("a")])], {"T1": first})
    run_out(tmp_path)
    second = take(two, "T1", "two") or 0
    two.leases.append([Batch("T1", 1, [new("b")])], {"T1": second})
    with pytest.raises(LeaseLost):
        one.leases.append([Batch("T1", 1, [new("c")])], {"T1": first})
    two.leases.release("T1", "two")
    third = take(one, "T1", "one") or 0
    one.leases.append([Batch("T1", 2, [new("c")])], {"T1": third})
    assert [record.command_id for record in two.read("T1")] == ["a", "b", "c"]
