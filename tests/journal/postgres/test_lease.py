"""Leases: one writer for each table over several nodes, by the server's clock, with fencing numbers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from taisai.journal import Batch, DuplicateCommand, LeaseLost, OutcomeUnknown, SequenceConflict
from taisai.journal.postgres.journal import PostgresJournal
from taisai.journal.verify import verify
from tests.journal.samples import new, several
from tests.postgres import journal_url, schema_of, server

pytestmark = pytest.mark.postgres


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[tuple[PostgresJournal, PostgresJournal]]:
    """Two nodes on one journal."""
    with PostgresJournal(journal_url(tmp_path)) as one, PostgresJournal(journal_url(tmp_path)) as two:
        yield one, two


def take(journal: PostgresJournal, table: str, holder: str) -> int | None:
    """Take one lease: its fencing number, or None while another holder has it."""
    return journal.leases.take([table], holder, 60).get(table)


def run_out(folder: Path, table: str = "T1") -> None:
    """Make a lease expire."""
    server().execute(
        f"UPDATE {schema_of(folder)}.lease SET until = now() - interval '1 s' WHERE table_name = '{table}'"
    )


def test_a_lease_has_one_holder(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """A lease is refused while another holder's is valid; its number grows only when the holder changes."""
    one, two = nodes
    assert take(one, "T1", "one") == 1
    assert take(one, "T1", "one") == 1
    assert take(two, "T1", "two") is None
    assert take(two, "T2", "two") == 1
    run_out(tmp_path)
    assert take(two, "T1", "two") == 2
    assert take(one, "T1", "one") is None
    two.leases.release("T1", "one")
    assert take(one, "T1", "one") is None
    two.leases.release("T1", "two")
    assert take(one, "T1", "one") == 3
    one.leases.release("T1", "one")
    assert take(one, "T1", "one") == 4


def test_several_leases_are_taken_at_once(nodes: tuple[PostgresJournal, PostgresJournal]) -> None:
    """Of several tables, those that nobody else holds are leased in one commit, whatever their names."""
    one, two = nodes
    assert one.leases.take(["T2", "T1", "甲\0"], "one", 60) == {"T1": 1, "T2": 1, "甲\0": 1}
    one.leases.release("T2", "one")
    assert two.leases.take(["T1", "T2", "T3"], "two", 60) == {"T2": 2, "T3": 1}
    assert two.leases.take([], "two", 60) == {}


def test_a_holder_that_is_gone_is_not_connected(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """A holder counts as connected while it has a connection, old or new; its leases can then be expired early."""
    one, two = nodes
    with PostgresJournal(journal_url(tmp_path)) as third:
        third.leases.take(["T1", "T2"], "third", 60)
        take(one, "T3", "one")
        assert [each.is_connected for each in two.leases.current().values()] == [False, False, False]
        third.leases.announce("third")
        one.leases.announce("one")
        assert [each.is_connected for each in two.leases.current().values()] == [True, True, True]
        before = third.leases.connections
        server().execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'taisai'"
        )
        with suppress(OutcomeUnknown):
            third.leases.renew("third", 60)
        third.leases.renew("third", 60)
        assert third.leases.connections > before
        assert [each.is_connected for each in two.leases.current().values()] == [True, True, False]
    while any(each.is_connected for each in two.leases.current().values()):
        pass  # the server takes a moment to notice
    two.leases.expire("third", 30)
    assert all(each.seconds_left > 50 for each in two.leases.current().values())
    two.leases.expire("third", 90)
    assert [each.seconds_left > 0 for each in two.leases.current().values()] == [False, False, True]
    assert two.leases.take(["T1", "T2", "T3"], "two", 60) == {"T1": 2, "T2": 2}


def test_current_leases_are_listed(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """Leases with a holder are listed with their remaining time, below zero once they have expired."""
    one, two = nodes
    assert one.leases.current() == {}
    take(one, "T1", "one")
    take(two, "甲\0", "two\\")
    take(one, "T3", "one")
    one.leases.release("T3", "one")
    run_out(tmp_path)
    found = two.leases.current()
    assert {table: (lease.holder, lease.fence) for table, lease in found.items()} == {
        "T1": ("one", 1),
        "甲\0": ("two\\", 1),
    }
    assert found["T1"].seconds_left < 0 < found["甲\0"].seconds_left <= 60


def test_leases_are_renewed_together(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """A holder renews what it still has, also expired leases that nobody took, and learns what it has lost."""
    one, two = nodes
    for table in ("T1", "T2", "T3", "T4"):
        assert take(one, table, "one") == 1
    for table in ("T2", "T3"):
        run_out(tmp_path, table)
    assert take(two, "T3", "two") == 2
    one.leases.release("T4", "one")
    assert one.leases.renew("one", 500) == {"T1", "T2"}
    assert all(lease.seconds_left > 400 for lease in two.leases.current().values() if lease.holder == "one")
    assert take(two, "T2", "two") is None
    assert two.leases.renew("nobody", 60) == set()


def test_a_stale_holder_is_refused(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """A node that sleeps through the end of its lease cannot write when it wakes up."""
    one, two = nodes
    fence = take(one, "T1", "one")
    assert fence == 1
    one.leases.append([Batch("T1", 0, several(0, 2))], {"T1": 1})
    run_out(tmp_path)
    one.leases.append([Batch("T1", 2, [new(2)])], {"T1": 1})  # nobody has taken it yet: the number is still current
    assert take(two, "T1", "two") == 2
    with pytest.raises(
        LeaseLost, match="lease number 1 of table 'T1' is no longer current: its number is 2 now"
    ) as late:
        one.leases.append([Batch("T1", 3, [new(3)])], {"T1": 1})
    assert (late.value.table, late.value.fence) == ("T1", 1)
    two.leases.append([Batch("T1", 3, [new(3)])], {"T1": 2})
    with pytest.raises(LeaseLost):  # not a sequence conflict: the writer must learn that it has lost the table
        one.leases.append([Batch("T1", 3, [new(4)])], {"T1": 1})
    two.leases.release("T1", "two")
    with pytest.raises(LeaseLost, match="no holder has it now"):
        two.leases.append([Batch("T1", 4, [new(4)])], {"T1": 2})
    assert one.position() == 4
    assert list(verify(one)) == []


def test_one_lost_lease_refuses_the_whole_commit(
    nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path
) -> None:
    """A commit of several tables is refused as a whole when one of its leases is not current."""
    one, two = nodes
    fences = {table: take(one, table, "one") or 0 for table in ("T1", "T2")}
    one.leases.append([Batch("T1", 0, [new()]), Batch("T2", 0, [new()])], fences)
    run_out(tmp_path, "T2")
    take(two, "T2", "two")
    with pytest.raises(LeaseLost, match="'T2'"):
        one.leases.append([Batch("T1", 1, [new("x")]), Batch("T2", 1, [new("x")])], fences)
    with pytest.raises(LeaseLost, match="'T9'"):
        one.leases.append([Batch("T9", 0, [new()])], {"T9": 1})
    with pytest.raises(LeaseLost, match="'T2'"):
        one.leases.append([], fences)
    assert one.leases.append([Batch("T1", 1, [new("x")])], {"T1": 1})["T1"].seq == 2
    assert one.position() == 3


def test_fences_do_not_replace_the_other_checks(nodes: tuple[PostgresJournal, PostgresJournal]) -> None:
    """With a valid lease, a wrong sequence and a repeated command are refused as always."""
    one, two = nodes
    take(one, "T1", "one")
    one.leases.append([Batch("T1", 0, several(0, 2))], {"T1": 1})
    with pytest.raises(SequenceConflict):
        one.leases.append([Batch("T1", 1, [new(2)])], {"T1": 1})
    with pytest.raises(DuplicateCommand):
        one.leases.append([Batch("T1", 2, [new(1)])], {"T1": 1})
    two.append([Batch("T2", 0, [new()])])  # moves the end: the next append of the first must read it again
    assert one.leases.append([Batch("T1", 2, [new(2)])], {"T1": 1})["T1"].seq == 3
    assert list(verify(one)) == []


def test_many_want_one_lease(tmp_path: Path) -> None:
    """Of several nodes that ask at the same moment, one gets the lease."""
    with PostgresJournal(journal_url(tmp_path)):
        pass
    together = threading.Barrier(4)

    def ask(number: int) -> int | None:
        with PostgresJournal(journal_url(tmp_path)) as journal:
            together.wait(30)
            return take(journal, "T1", f"node {number}")

    with ThreadPoolExecutor(4) as pool:
        assert sorted(map(str, pool.map(ask, range(4)))) == ["1", "None", "None", "None"]


def test_a_lease_moves_under_load(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """While a lease moves to and fro under load, only its holder's records are written, in order."""
    holder = threading.Lock()
    written: list[tuple[int, int]] = []

    def write(journal: PostgresJournal, name: str) -> None:
        for _ in range(8):
            fence: int | None = None
            while fence is None:
                fence = take(journal, "T1", name)
            for number in range(6):
                seq = journal.head("T1").seq
                try:
                    journal.leases.append([Batch("T1", seq, [new(f"{fence}-{number}")])], {"T1": fence})
                except LeaseLost:
                    break
                with holder:
                    written.append((fence, seq + 1))
                if number == 3:
                    run_out(tmp_path)
            journal.leases.release("T1", name)

    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(write, journal, name) for journal, name in zip(nodes, ("one", "two"), strict=True)]
        for each in both:
            each.result(60)
    records = list(nodes[0].read("T1"))
    assert sorted(seq for _, seq in written) == [record.seq for record in records]
    fences = [int(record.command_id.partition("-")[0]) for record in records]
    assert fences == sorted(fences)
    assert list(verify(nodes[0])) == []


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


def test_a_write_without_a_lease_is_noticed(nodes: tuple[PostgresJournal, PostgresJournal]) -> None:
    """A holder whose table was written to without a lease gets a sequence conflict, and then continues."""
    one, two = nodes
    fences = {"T1": take(one, "T1", "one") or 0}
    one.leases.append([Batch("T1", 0, [new("a")])], fences)
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
