"""Leases: one writer a table over several nodes, by the server's clock, with numbers that fence off the late."""

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


def run_out(folder: Path, table: str = "T1") -> None:
    """Let the time of a lease be over."""
    server().execute(
        f"UPDATE {schema_of(folder)}.lease SET until = now() - interval '1 s' WHERE table_name = '{table}'"
    )


def test_a_lease_has_one_holder(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """A lease is refused while somebody else's is valid; its number grows with every change of holder and only then."""
    one, two = nodes
    assert one.take_lease("T1", "one", 60) == 1
    assert one.take_lease("T1", "one", 60) == 1
    assert two.take_lease("T1", "two", 60) is None
    assert two.take_lease("T2", "two", 60) == 1
    run_out(tmp_path)
    assert two.take_lease("T1", "two", 60) == 2
    assert one.take_lease("T1", "one", 60) is None
    two.release_lease("T1", "one")
    assert one.take_lease("T1", "one", 60) is None
    two.release_lease("T1", "two")
    assert one.take_lease("T1", "one", 60) == 3
    one.release_lease("T1", "one")
    assert one.take_lease("T1", "one", 60) == 4


def test_several_leases_are_taken_at_once(nodes: tuple[PostgresJournal, PostgresJournal]) -> None:
    """Those that nobody else has, with their numbers; names of any kind."""
    one, two = nodes
    assert one.take_leases(["T2", "T1", "甲\0"], "one", 60) == {"T1": 1, "T2": 1, "甲\0": 1}
    one.release_lease("T2", "one")
    assert two.take_leases(["T1", "T2", "T3"], "two", 60) == {"T2": 2, "T3": 1}
    assert two.take_leases([], "two", 60) == {}


def test_who_is_gone_is_not_seen(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """A holder is seen while it has a connection, a new one too; what it held can be ended, unless it lasts."""
    one, two = nodes
    with PostgresJournal(journal_url(tmp_path)) as third:
        third.take_leases(["T1", "T2"], "third", 60)
        one.take_lease("T3", "one", 60)
        assert [each.is_there for each in two.leases().values()] == [False, False, False]
        third.live_as("third")
        one.live_as("one")
        assert [each.is_there for each in two.leases().values()] == [True, True, True]
        before = third.connections
        server().execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'taisai'"
        )
        with suppress(OutcomeUnknown):
            third.renew_leases("third", 60)
        third.renew_leases("third", 60)
        assert third.connections > before
        assert [each.is_there for each in two.leases().values()] == [True, True, False]
    while any(each.is_there for each in two.leases().values()):
        pass  # the server takes a moment to notice
    two.end_leases("third", 30)
    assert all(each.seconds_left > 50 for each in two.leases().values())
    two.end_leases("third", 90)
    assert [each.seconds_left > 0 for each in two.leases().values()] == [False, False, True]
    assert two.take_leases(["T1", "T2", "T3"], "two", 60) == {"T1": 2, "T2": 2}


def test_who_has_which_table(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """The leases that are held are listed with what is left of them, below zero when their time is over."""
    one, two = nodes
    assert one.leases() == {}
    one.take_lease("T1", "one", 60)
    two.take_lease("甲\0", "two\\", 60)
    one.take_lease("T3", "one", 60)
    one.release_lease("T3", "one")
    run_out(tmp_path)
    found = two.leases()
    assert {table: (lease.holder, lease.fence) for table, lease in found.items()} == {
        "T1": ("one", 1),
        "甲\0": ("two\\", 1),
    }
    assert found["T1"].seconds_left < 0 < found["甲\0"].seconds_left <= 60


def test_leases_are_renewed_together(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """A holder renews what it still has, also what has run out and nobody took, and learns what it has lost."""
    one, two = nodes
    for table in ("T1", "T2", "T3", "T4"):
        assert one.take_lease(table, "one", 60) == 1
    for table in ("T2", "T3"):
        run_out(tmp_path, table)
    assert two.take_lease("T3", "two", 60) == 2
    one.release_lease("T4", "one")
    assert one.renew_leases("one", 500) == {"T1", "T2"}
    assert all(lease.seconds_left > 400 for lease in two.leases().values() if lease.holder == "one")
    assert two.take_lease("T2", "two", 60) is None
    assert two.renew_leases("nobody", 60) == set()


def test_a_stale_holder_is_refused(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """A node that sleeps through the end of its lease wakes up and writes nothing, whatever it believes."""
    one, two = nodes
    fence = one.take_lease("T1", "one", 60)
    assert fence == 1
    one.append([Batch("T1", 0, several(0, 2))], fences={"T1": 1})
    run_out(tmp_path)
    one.append([Batch("T1", 2, [new(2)])], fences={"T1": 1})  # nobody has taken it yet: the number is still its own
    assert two.take_lease("T1", "two", 60) == 2
    with pytest.raises(
        LeaseLost, match="the lease number 1 of table 'T1' has passed: the lease is number 2 now"
    ) as late:
        one.append([Batch("T1", 3, [new(3)])], fences={"T1": 1})
    assert (late.value.table, late.value.fence) == ("T1", 1)
    two.append([Batch("T1", 3, [new(3)])], fences={"T1": 2})
    with pytest.raises(LeaseLost):  # not a conflict of sequence: it should learn that the table is not its own
        one.append([Batch("T1", 3, [new(4)])], fences={"T1": 1})
    two.release_lease("T1", "two")
    with pytest.raises(LeaseLost, match="nobody has it now"):
        two.append([Batch("T1", 4, [new(4)])], fences={"T1": 2})
    assert one.position() == 4
    assert list(verify(one)) == []


def test_one_lost_lease_refuses_the_whole_commit(
    nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path
) -> None:
    """A commit of several tables is refused, whole, when one of its leases has passed or never was."""
    one, two = nodes
    fences = {table: one.take_lease(table, "one", 60) or 0 for table in ("T1", "T2")}
    one.append([Batch("T1", 0, [new()]), Batch("T2", 0, [new()])], fences=fences)
    run_out(tmp_path, "T2")
    two.take_lease("T2", "two", 60)
    with pytest.raises(LeaseLost, match="'T2'"):
        one.append([Batch("T1", 1, [new("x")]), Batch("T2", 1, [new("x")])], fences=fences)
    with pytest.raises(LeaseLost, match="'T9'"):
        one.append([Batch("T9", 0, [new()])], fences={"T9": 1})
    with pytest.raises(LeaseLost, match="'T2'"):
        one.append([], fences=fences)
    assert one.append([Batch("T1", 1, [new("x")])], fences={"T1": 1})["T1"].seq == 2
    assert one.position() == 3


def test_fences_do_not_replace_the_other_checks(nodes: tuple[PostgresJournal, PostgresJournal]) -> None:
    """With a valid lease, a wrong sequence and a repeated command are refused as always."""
    one, two = nodes
    one.take_lease("T1", "one", 60)
    one.append([Batch("T1", 0, several(0, 2))], fences={"T1": 1})
    with pytest.raises(SequenceConflict):
        one.append([Batch("T1", 1, [new(2)])], fences={"T1": 1})
    with pytest.raises(DuplicateCommand):
        one.append([Batch("T1", 2, [new(1)])], fences={"T1": 1})
    two.append([Batch("T2", 0, [new()])])  # moves the end: the next append of the first has to look again
    assert one.append([Batch("T1", 2, [new(2)])], fences={"T1": 1})["T1"].seq == 3
    assert list(verify(one)) == []


def test_many_want_one_lease(tmp_path: Path) -> None:
    """Of several nodes that ask at the same moment one has the lease."""
    with PostgresJournal(journal_url(tmp_path)):
        pass
    together = threading.Barrier(4)

    def ask(number: int) -> int | None:
        with PostgresJournal(journal_url(tmp_path)) as journal:
            together.wait(30)
            return journal.take_lease("T1", f"node {number}", 60)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(map(str, pool.map(ask, range(4)))) == ["1", "None", "None", "None"]


def test_a_lease_changes_hands_under_load(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """While a lease is taken away and back under load, only its holder's records are written, in order."""
    holder = threading.Lock()
    written: list[tuple[int, int]] = []

    def write(journal: PostgresJournal, name: str) -> None:
        for _ in range(8):
            fence: int | None = None
            while fence is None:
                fence = journal.take_lease("T1", name, 60)
            for number in range(6):
                seq = journal.head("T1").seq
                try:
                    journal.append([Batch("T1", seq, [new(f"{fence}-{number}")])], fences={"T1": fence})
                except LeaseLost:
                    break
                with holder:
                    written.append((fence, seq + 1))
                if number == 3:
                    run_out(tmp_path)
            journal.release_lease("T1", name)

    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(write, journal, name) for journal, name in zip(nodes, ("one", "two"), strict=True)]
        for each in both:
            each.result(60)
    records = list(nodes[0].read("T1"))
    assert sorted(seq for _, seq in written) == [record.seq for record in records]
    fences = [int(record.command_id.partition("-")[0]) for record in records]
    assert fences == sorted(fences)
    assert list(verify(nodes[0])) == []


def test_nodes_take_turns_without_holding_the_end(nodes: tuple[PostgresJournal, PostgresJournal]) -> None:
    """Two nodes that write to their own tables in turn learn the journal's end anew, and look at nothing else."""
    one, two = nodes
    fences = {"T1": one.take_lease("T1", "one", 60) or 0, "T2": two.take_lease("T2", "two", 60) or 0}
    for journal, table in ((one, "T1"), (two, "T2")):
        journal.append([Batch(table, 0, [new(f"{table}-0")])], {table: fences[table]})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("taisai.journal.postgres.append.LOOK", "SELECT nothing FROM nowhere")
        for number in (1, 2, 3):
            for journal, table in ((one, "T1"), (two, "T2")):
                journal.append([Batch(table, number, [new(f"{table}-{number}")])], {table: fences[table]})
    assert [record.table for record in one.read_all()] == ["T1", "T2"] * 4
    assert list(verify(one)) == []


def test_who_writes_without_a_lease_is_noticed(nodes: tuple[PostgresJournal, PostgresJournal]) -> None:
    """A holder whose table was written to past its lease is told that the table has moved, and writes on from there."""
    one, two = nodes
    fences = {"T1": one.take_lease("T1", "one", 60) or 0}
    one.append([Batch("T1", 0, [new("a")])], fences)
    two.append([Batch("T1", 1, [new("b")])])
    with pytest.raises(SequenceConflict):
        one.append([Batch("T1", 1, [new("c")])], fences)
    one.append([Batch("T1", 2, [new("c")])], fences)
    assert [record.command_id for record in one.read("T1")] == ["a", "b", "c"]
    assert list(verify(two)) == []


def test_a_lease_that_came_back_knows_nothing_of_before(
    nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path
) -> None:
    """What a holder knew under an earlier lease is looked up again: another may have written in between."""
    one, two = nodes
    first = one.take_lease("T1", "one", 60) or 0
    one.append([Batch("T1", 0, [new("a")])], {"T1": first})
    run_out(tmp_path)
    second = two.take_lease("T1", "two", 60) or 0
    two.append([Batch("T1", 1, [new("b")])], {"T1": second})
    with pytest.raises(LeaseLost):
        one.append([Batch("T1", 1, [new("c")])], {"T1": first})
    two.release_lease("T1", "two")
    third = one.take_lease("T1", "one", 60) or 0
    one.append([Batch("T1", 2, [new("c")])], {"T1": third})
    assert [record.command_id for record in two.read("T1")] == ["a", "b", "c"]
