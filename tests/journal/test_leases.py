"""The contract of leases: the same tests against PostgreSQL and against the simulated disk of the fault simulator."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from taisai.journal import (
    Batch,
    DuplicateCommand,
    Journal,
    LeaseLost,
    LeaseNeeded,
    Leases,
    SequenceConflict,
    SqliteJournal,
)
from taisai.journal.memory import MemoryJournal
from taisai.journal.postgres.journal import PostgresJournal
from taisai.journal.verify import verify
from tests.journal.samples import new, several
from tests.postgres import journal_url, schema_of, server
from tests.torture.disk import Disk, shared_journal
from tests.torture.loop import Time


class Node(NamedTuple):
    """One process's journal and its leases."""

    journal: Journal
    leases: Leases

    def take(self, table: str, holder: str) -> int | None:
        """Take one lease: its fencing number, or None while another holder has it."""
        return self.leases.take([table], holder, 60).get(table)


class Shared(NamedTuple):
    """Two nodes on one journal, and how to make a lease expire."""

    one: Node
    two: Node
    expire: Callable[[str], None]


def node(journal: Journal) -> Node:
    """A journal that must have leases."""
    assert journal.leases is not None
    return Node(journal, journal.leases)


@pytest.fixture(params=["simulated", "postgresql"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shared]:
    """Two nodes on one empty journal."""
    if request.param == "simulated":
        disk = Disk(Time(Random(0)), lambda _journal, _records: None)
        yield Shared(node(shared_journal(disk)), node(shared_journal(disk)), disk.expire)
        return
    url = journal_url(tmp_path)

    def expire(table: str) -> None:
        over = f"UPDATE {schema_of(tmp_path)}.lease SET until = now() - interval '1 s' WHERE table_name = '{table}'"
        server().execute(over)

    with PostgresJournal(url) as one, PostgresJournal(url) as two:
        yield Shared(node(one), node(two), expire)


def test_only_a_shared_journal_has_leases(tmp_path: Path) -> None:
    """A journal in memory, or in a file with its own lock, has one writer and no leases."""
    with MemoryJournal() as memory, SqliteJournal(tmp_path / "journal.db") as file:
        assert (memory.leases, file.leases) == (None, None)


def test_a_lease_has_one_holder(shared: Shared) -> None:
    """A lease is refused while another holder's is valid; its number grows only when the holder changes."""
    one, two, expire = shared
    assert one.take("T1", "one") == 1
    assert one.take("T1", "one") == 1
    assert two.take("T1", "two") is None
    assert two.take("T2", "two") == 1
    expire("T1")
    assert two.take("T1", "two") == 2
    assert one.take("T1", "one") is None
    two.leases.release("T1", "one")
    assert one.take("T1", "one") is None
    two.leases.release("T1", "two")
    assert one.take("T1", "one") == 3
    one.leases.release("T1", "one")
    assert one.take("T1", "one") == 4


def test_several_leases_are_taken_at_once(shared: Shared) -> None:
    """Of several tables, those that nobody else holds are leased in one commit, whatever their names."""
    one, two, _ = shared
    assert one.leases.take(["T2", "T1", "甲\0"], "one", 60) == {"T1": 1, "T2": 1, "甲\0": 1}
    one.leases.release("T2", "one")
    assert two.leases.take(["T1", "T2", "T3"], "two", 60) == {"T2": 2, "T3": 1}
    assert two.leases.take([], "two", 60) == {}


def test_current_leases_are_listed(shared: Shared) -> None:
    """Leases with a holder are listed with their remaining time, which is over once they have expired."""
    one, two, expire = shared
    assert one.leases.current() == {}
    one.take("T1", "one")
    two.take("甲\0", "two\\")
    one.take("T3", "one")
    one.leases.release("T3", "one")
    expire("T1")
    current = two.leases.current()
    assert {table: (lease.holder, lease.fence) for table, lease in current.items()} == {
        "T1": ("one", 1),
        "甲\0": ("two\\", 1),
    }
    assert current["T1"].seconds_left <= 0 < current["甲\0"].seconds_left <= 60


def test_leases_are_renewed_together(shared: Shared) -> None:
    """A holder renews what it still has, also expired leases that nobody took, and learns what it has lost."""
    one, two, expire = shared
    assert one.leases.take(["T1", "T2", "T3", "T4"], "one", 60) == dict.fromkeys(["T1", "T2", "T3", "T4"], 1)
    for table in ("T2", "T3"):
        expire(table)
    assert two.take("T3", "two") == 2
    one.leases.release("T4", "one")
    assert one.leases.renew("one", 500) == {"T1", "T2"}
    assert all(lease.seconds_left > 400 for lease in two.leases.current().values() if lease.holder == "one")
    assert two.take("T2", "two") is None
    assert two.leases.renew("nobody", 60) == set()


def test_a_dead_holders_leases_are_expired(shared: Shared) -> None:
    """Leases that would last less than the time given end now; longer ones stay."""
    one, two, _ = shared
    one.leases.take(["T1", "T2"], "one", 60)
    two.leases.expire("one", 30)
    assert two.leases.take(["T1", "T2"], "two", 60) == {}
    two.leases.expire("one", 90)
    assert two.leases.take(["T1", "T2"], "two", 60) == {"T1": 2, "T2": 2}


def test_an_announced_holder_is_connected(shared: Shared) -> None:
    """Others see whether a holder has a connection, once it has announced itself."""
    one, two, _ = shared
    one.take("T1", "one")
    two.take("T2", "two")
    one.leases.announce("one")
    assert {table: lease.is_connected for table, lease in two.leases.current().items()} == {"T1": True, "T2": False}


def test_a_stale_holder_is_refused(shared: Shared) -> None:
    """A node that sleeps through the end of its lease cannot write when it wakes up."""
    one, two, expire = shared
    assert one.take("T1", "one") == 1
    one.leases.append([Batch("T1", 0, several(0, 2))], {"T1": 1})
    expire("T1")
    one.leases.append([Batch("T1", 2, [new(2)])], {"T1": 1})  # nobody has taken it yet: the number is still current
    assert two.take("T1", "two") == 2
    with pytest.raises(LeaseLost, match="lease number 1 of table 'T1' is no longer current: its number is 2") as late:
        one.leases.append([Batch("T1", 3, [new(3)])], {"T1": 1})
    assert (late.value.table, late.value.fence) == ("T1", 1)
    two.leases.append([Batch("T1", 3, [new(3)])], {"T1": 2})
    with pytest.raises(LeaseLost):  # not a sequence conflict: the writer must learn that it has lost the table
        one.leases.append([Batch("T1", 3, [new(4)])], {"T1": 1})
    two.leases.release("T1", "two")
    with pytest.raises(LeaseLost):
        two.leases.append([Batch("T1", 4, [new(4)])], {"T1": 2})
    assert one.journal.position() == 4
    assert list(verify(one.journal)) == []


def test_one_lost_lease_refuses_the_whole_commit(shared: Shared) -> None:
    """A commit of several tables is refused as a whole when one of its leases is not current."""
    one, two, expire = shared
    fences = one.leases.take(["T1", "T2"], "one", 60)
    one.leases.append([Batch("T1", 0, [new()]), Batch("T2", 0, [new()])], fences)
    expire("T2")
    two.take("T2", "two")
    with pytest.raises(LeaseLost, match="'T2'"):
        one.leases.append([Batch("T1", 1, [new("x")]), Batch("T2", 1, [new("x")])], fences)
    with pytest.raises(LeaseLost, match="'T9'"):
        one.leases.append([Batch("T9", 0, [new()])], {"T9": 1})
    with pytest.raises(LeaseLost, match="'T2'"):
        one.leases.append([], fences)
    assert one.leases.append([Batch("T1", 1, [new("x")])], {"T1": 1})["T1"].seq == 2
    assert one.journal.position() == 3


def test_fences_do_not_replace_the_other_checks(shared: Shared) -> None:
    """With a valid lease, a wrong sequence number and a repeated command are refused as always."""
    one, two, _ = shared
    one.take("T1", "one")
    one.leases.append([Batch("T1", 0, several(0, 2))], {"T1": 1})
    with pytest.raises(SequenceConflict):
        one.leases.append([Batch("T1", 1, [new(2)])], {"T1": 1})
    with pytest.raises(DuplicateCommand):
        one.leases.append([Batch("T1", 2, [new(1)])], {"T1": 1})
    two.journal.append([Batch("@house", 0, [new()])])
    assert one.leases.append([Batch("T1", 2, [new(2)])], {"T1": 1})["T1"].seq == 3
    assert list(verify(one.journal)) == []


def test_a_table_is_not_written_without_a_lease_while_there_are_leases(shared: Shared) -> None:
    """Neither one that is held nor one that is free; a stream that is no table's needs none."""
    one, two, expire = shared
    one.take("T1", "one")
    for table in ("T1", "T2"):
        with pytest.raises(LeaseNeeded, match=f"table '{table}' needs a lease: one writes here too"):
            two.journal.append([Batch(table, 0, [new()])])
    with pytest.raises(LeaseNeeded, match="table 'T2' needs a lease"):
        one.leases.append([Batch("T1", 0, [new()]), Batch("T2", 0, [new()])], {"T1": 1})
    two.journal.append([Batch("@house", 0, [new()])])
    assert one.leases.append([Batch("T1", 0, [new()]), Batch("@house", 1, [new("h")])], {"T1": 1})["T1"].seq == 1
    expire("T1")
    two.journal.append([Batch("T2", 0, [new()])])
    assert [record.table for record in one.journal.read_all()] == ["@house", "T1", "@house", "T2"]
    assert list(verify(one.journal)) == []


def test_news_leaves_out_a_nodes_own_tables(shared: Shared) -> None:
    """A node reads the records of others between two positions, and up to which position that is all."""
    one, two, _ = shared
    one.journal.append([Batch("a", 0, several(0, 3))])
    two.journal.append([Batch("b\\", 0, [new("c")]), Batch("a", 3, [new("d")])])
    records, reached = two.leases.news(0, 100, {"a"})
    assert ([each.table for each in records], reached) == (["b\\"], 5)
    assert two.leases.news(0, 3, {"a", "b\\"}) == ([], 3)
    records, reached = two.leases.news(3, 100, ())
    assert ([each.position for each in records], reached) == ([4, 5], 5)
    assert records == list(one.journal.read_all(3))
    assert two.leases.news(5, 100, ()) == ([], 5)


def test_a_subscription_can_be_stopped_twice(shared: Shared) -> None:
    """Following may be stopped, and stopped again; every journal has a writer id to leave out."""
    one, two, _ = shared
    one.journal.append([Batch("a", 0, [new()])])
    two.journal.append([Batch("b", 0, [new()])])
    assert 0 < one.leases.writer_id != two.leases.writer_id
    following = two.leases.follow(queue.Queue[int]().put, lambda: one.leases.writer_id)
    following.stop()
    following.stop()


def test_it_is_noted_by_which_lease_a_record_was_written(shared: Shared) -> None:
    """Each run of a table's records names the lease and who had it; what was written under none says so."""
    one, two, expire = shared
    one.journal.append([Batch("T1", 0, several(0, 2)), Batch("@house", 0, several(0, 1))])
    assert one.take("T1", "one") == one.take("T2", "one") == 1
    one.leases.append([Batch("T1", 2, several(2, 1)), Batch("T2", 0, several(0, 1))], {"T1": 1, "T2": 1})
    one.leases.append([Batch("T1", 3, several(3, 1)), Batch("@house", 1, several(1, 1))], {"T1": 1})
    expire("T1")
    assert two.take("T1", "two") == 2
    two.leases.append([Batch("T1", 4, several(4, 1))], {"T1": 2})
    found = two.leases.written(0, two.journal.position())
    assert [(each.table, each.first, each.last, each.fence, each.holder) for each in found] == [
        ("T1", 1, 2, 0, None),
        ("T1", 3, 4, 1, "one"),
        ("T1", 5, 5, 2, "two"),
        ("T2", 1, 1, 1, "one"),
    ]
    assert found[1].since is not None
    assert found[2].since is not None
    assert found[1].since <= found[2].since
    assert [(each.table, each.first) for each in one.leases.written(3, 5)] == [("T1", 3), ("T2", 1)]
