"""The group writer: what shares a commit, what fails with what, and what is run between commits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from functools import partial

import pytest

from taisai.floor.writer import BUCKETS_S, HAND_OVER_AT, Counts, GroupWriter
from taisai.journal import (
    Batch,
    Journal,
    JournalError,
    JournalFailed,
    JournalFull,
    LeaseLost,
    NewRecord,
    OutcomeUnknown,
    SequenceConflict,
)
from tests.floor.gated import GatedJournal
from tests.house.people import on_a_loop
from tests.torture.disk import shared_journal


class Pending:
    """A batch of one record, and its outcome."""

    def __init__(self, table: str, expected: int) -> None:
        self.batch = Batch(table, expected, [NewRecord("bet", 1, 1, f"{table}-{expected}", 0, "ann", b"{}")])
        self.outcome: asyncio.Future[JournalError | None] = asyncio.get_running_loop().create_future()

    def on_written(self, error: JournalError | None) -> None:
        """Keep the outcome."""
        self.outcome.set_result(error)


async def outcomes(writes: Sequence[Pending]) -> list[type | None]:
    """The type of each write's error, or None."""
    errors = await asyncio.wait_for(asyncio.gather(*(each.outcome for each in writes)), 10)
    return [None if error is None else type(error) for error in errors]


def _recover(writer: GroupWriter, table: str, _journal: Journal) -> None:
    writer.recovered(table)


def writer_on(journal: Journal) -> GroupWriter:
    """A writer for a journal."""
    return GroupWriter(lambda: journal, asyncio.get_running_loop())


@on_a_loop
async def test_writes_of_one_turn_share_a_commit() -> None:
    """What one turn of the event loop brings goes into one commit, and each write gets its outcome."""
    journal = GatedJournal()
    writer = writer_on(journal)
    writes = [Pending("A", 0), Pending("B", 0), Pending("A", 1)]
    for each in writes:
        writer.write(each)
    assert writer.depth == 3
    assert await outcomes(writes) == [None, None, None]
    assert journal.groups == [3]
    assert (writer.counts.commits, writer.counts.records, writer.counts.failures) == (1, 3, 0)
    await writer.stop()


@on_a_loop
async def test_many_writes_do_not_wait_for_the_end_of_the_turn() -> None:
    """A full group goes to the thread at once, so that it is written while the rest is decided."""
    journal = GatedJournal()
    writer = writer_on(journal)
    writes = [Pending("A", seq) for seq in range(HAND_OVER_AT + 1)]
    for each in writes[:HAND_OVER_AT]:
        writer.write(each)
    assert await asyncio.to_thread(journal.waiting.wait, 10)
    writer.write(writes[-1])
    assert await outcomes(writes) == [None] * len(writes)
    assert journal.groups == [HAND_OVER_AT, 1]
    await writer.stop()


@on_a_loop
async def test_a_refused_batch_takes_the_later_ones_of_its_table_along() -> None:
    """A taken sequence number fails its batch and those decided on top of it; other tables are written."""
    journal = GatedJournal()
    writer = writer_on(journal)
    writes = [Pending("A", 0), Pending("A", 5), Pending("A", 1), Pending("B", 0)]
    for each in writes:
        writer.write(each)
    assert await outcomes(writes) == [None, SequenceConflict, SequenceConflict, None]
    assert [journal.head(table).seq for table in ("A", "B")] == [1, 1]
    await writer.stop()


@on_a_loop
async def test_a_table_in_doubt_writes_nothing_until_it_has_recovered() -> None:
    """After a failure later batches of the table fail, even if their number fits, until it has read the disk."""
    writer = writer_on(GatedJournal())
    first = Pending("A", 7)
    writer.write(first)
    assert await outcomes([first]) == [SequenceConflict]
    fitting, other = Pending("A", 0), Pending("B", 0)
    writer.write(fitting)
    writer.write(other)
    assert await outcomes([fitting, other]) == [JournalError, None]
    await writer.run(partial(_recover, writer, "A"))
    again = Pending("A", 0)
    writer.write(again)
    assert await outcomes([again]) == [None]
    await writer.stop()


@pytest.mark.parametrize(
    ("error", "told", "opened"),
    [
        (JournalFailed("the disk is broken"), JournalFailed, 2),
        (OutcomeUnknown("the connection was lost"), OutcomeUnknown, 1),
        (JournalFull("the disk is full"), JournalFull, 1),
        (ZeroDivisionError("a mistake"), JournalFailed, 2),
    ],
    ids=["failed", "unknown", "full", "unexpected"],
)
def test_a_failed_journal_is_opened_again(error: Exception, told: type, opened: int) -> None:
    """A failure reaches every write of the commit; only a journal that is unusable is reopened, before the next one."""
    journal = GatedJournal()
    openings: list[Journal] = []

    def open_journal() -> Journal:
        openings.append(journal)
        return journal

    async def run() -> None:
        writer = GroupWriter(open_journal, asyncio.get_running_loop())
        journal.refuse = lambda _batches: error
        writes = [Pending("A", 0), Pending("B", 0)]
        for each in writes:
            writer.write(each)
        assert await outcomes(writes) == [told, told]
        assert writer.counts.failures == 1
        journal.refuse = lambda _batches: None
        for table in ("A", "B"):
            await writer.run(partial(_recover, writer, table))
        later = Pending("A", 0)
        writer.write(later)
        assert await outcomes([later]) == [None]
        await writer.stop()

    asyncio.run(run())
    assert len(openings) == opened


@on_a_loop
async def test_work_between_commits() -> None:
    """Work runs on the writer's thread after earlier writes; its result or exception comes back to the caller."""
    writer = writer_on(GatedJournal())
    write = Pending("A", 0)
    writer.write(write)
    assert await writer.run(lambda journal: journal.head("A").seq) == 1
    assert await writer.run(lambda _journal: threading.current_thread().name) == "journal writer"
    with pytest.raises(ZeroDivisionError):
        await writer.run(lambda _journal: 1 // 0)

    def failing(_journal: Journal) -> None:
        raise JournalFull("no space for a snapshot")

    writer.chore(failing)
    called = asyncio.Event()
    writer.chore(lambda _journal: writer.on_loop(called.set))
    await asyncio.wait_for(called.wait(), 10)
    await writer.stop()
    with pytest.raises(JournalFailed, match="has stopped"):
        await writer.run(lambda _journal: None)


@on_a_loop
async def test_stopping_writes_what_is_queued() -> None:
    """What was queued before the stop is on disk after it."""
    journal = GatedJournal()
    writer = writer_on(journal)
    writes = [Pending("A", seq) for seq in range(3)]
    for each in writes:
        writer.write(each)
    await writer.stop()
    assert await outcomes(writes) == [None, None, None]
    assert journal.head("A").seq == 3


@on_a_loop
async def test_fencing_numbers_go_with_the_commit() -> None:
    """A commit carries the fences of its leased tables; an outdated one fails its own table and no other."""
    journal = shared_journal()
    assert journal.leases.take(["A", "B"], "this node", 60) == {"A": 1, "B": 1}
    journal.leases.release("B", "this node")
    assert journal.leases.take(["B"], "another", 60) == {"B": 2}
    writer = writer_on(journal)
    writer.fences = {"A": 1, "B": 1}
    leased, lost, unleased = Pending("A", 0), Pending("B", 0), Pending("@house", 0)
    for each in (leased, lost, unleased):
        writer.write(each)
    assert await outcomes([leased, lost, unleased]) == [None, LeaseLost, None]
    assert [journal.head(table).seq for table in ("A", "B", "@house")] == [1, 0, 1]
    await writer.stop()


def test_commit_times_are_counted_in_buckets() -> None:
    """A commit is counted in the first bucket that is not below its time; slower ones in the last."""
    counts = Counts()
    for seconds in (0.0001, 0.0005, 0.3, 99.0):
        counts.add(seconds, 2)
    assert (counts.commits, counts.records) == (4, 8)
    assert counts.seconds == pytest.approx(99.3006)
    assert [counts.by_time[0], counts.by_time[BUCKETS_S.index(0.5)], counts.by_time[-1]] == [2, 1, 1]
