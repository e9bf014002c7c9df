"""Leases on PostgreSQL: connections, many writers at once, and what an appender caches under a lease."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from taisai.journal import Batch, LeaseLost, OutcomeUnknown, SequenceConflict
from taisai.journal.postgres.journal import PostgresJournal
from taisai.journal.verify import verify
from tests.journal.samples import new
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
