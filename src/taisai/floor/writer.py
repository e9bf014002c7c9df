"""The writer of a journal: batches that arrive together share one commit.

Enters: batches of records of any tables, from the event loop. Leaves: for each, back on the event loop, that it is on
disk or why not. A thread of its own commits; the next batches gather meanwhile. It never waits for more: the disk sets
the pace.

When the journal refuses a batch (sequence number taken, command known), the batch and the later ones of its table fail;
the rest of the group is committed without them. Later batches of the table fail until the table has read what is on
disk, even if their sequence number would fit: they were decided on a state that never came to be. A journal that has
failed is closed and reopened before the next commit.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final, Protocol, TypeAlias, TypeVar

from taisai.journal import (
    Batch,
    DuplicateCommand,
    InvalidRecord,
    Journal,
    JournalError,
    JournalFailed,
    LeaseLost,
    OutcomeUnknown,
    SequenceConflict,
)

T = TypeVar("T")

HAND_OVER_AT: Final = 40
"""Batches that go to the thread before the event loop's turn is over, so that they are written while the rest is
decided. One group a turn would put everybody in lockstep: the disk idle while commands are decided, and the loop while
it writes. At this size the cost of a commit itself hardly shows; smaller groups would be expensive where several nodes
share a journal and each waits for the others' commits."""
GROUP_MAX: Final = 4_096
"""Batches in one commit, at most."""
EARLIER: Final = "an earlier record of the table failed: nothing was written"
BUCKETS_S: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
"""Bounds of the histogram of commit times."""


class PendingWrite(Protocol):
    """A batch that waits to be written, and what to call then."""

    batch: Batch

    def on_written(self, error: JournalError | None) -> None:
        """Called on the event loop when the batch is on disk (None), or with the reason why it is not."""
        ...


_Item: TypeAlias = list[PendingWrite] | Callable[[Journal], None] | None
"""Batches, a chore, or None: stop."""
_Outcome: TypeAlias = tuple[PendingWrite, JournalError | None]


class Counts:
    """The writer's figures for the metrics."""

    def __init__(self) -> None:
        self.commits = 0
        self.records = 0
        self.failures = 0
        self.seconds = 0.0
        self.by_time = [0] * (len(BUCKETS_S) + 1)

    def add(self, seconds: float, records: int) -> None:
        """Count a commit."""
        self.commits += 1
        self.records += records
        self.seconds += seconds
        self.by_time[bisect_left(BUCKETS_S, seconds)] += 1


class GroupWriter:
    """Commits the batches of all tables of a floor."""

    def __init__(self, open_journal: Callable[[], Journal], loop: asyncio.AbstractEventLoop) -> None:
        self._open = open_journal
        self.journal = open_journal()
        self.counts = Counts()
        self._loop = loop
        self._queue: SimpleQueue[_Item] = SimpleQueue()
        self._gathered: list[PendingWrite] = []
        """Batches of this turn of the event loop so far."""
        self.fences: dict[str, int] = {}
        """Fencing numbers of the tables that this node has leased, where several nodes share the journal."""
        self._broken = False
        self._in_doubt: set[str] = set()
        """Tables of which a batch has failed: later batches were decided on top of it and are not tried."""
        self._stopped = False
        self._start()

    def _start(self) -> None:
        self._thread = Thread(target=self._run, name="journal writer", daemon=True)
        self._thread.start()

    @property
    def depth(self) -> int:
        """How many items wait for the thread."""
        return self._queue.qsize() + len(self._gathered)

    def write(self, item: PendingWrite) -> None:
        """Queue a batch; its `on_written` is called when it is written.

        The batches of one turn of the event loop go to the thread together, `HAND_OVER_AT` at a time: waking the
        thread for each would make both contend for the interpreter, and the first batch would be committed alone.
        """
        gathered = self._gathered
        if not gathered:
            self._loop.call_soon(self._hand_over)
        gathered.append(item)
        if len(gathered) >= HAND_OVER_AT:
            self._hand_over()

    def _hand_over(self) -> None:
        gathered = self._gathered
        if gathered:
            self._gathered = []
            self._queue.put(gathered)

    def _put(self, item: _Item) -> None:
        """Queue an item after everything that came before it."""
        self._hand_over()
        self._queue.put(item)

    def chore(self, work: Callable[[Journal], None]) -> None:
        """Run work on the writer's thread between two commits (a snapshot, say); its journal errors are ignored."""
        self._put(work)

    async def run(self, work: Callable[[Journal], T]) -> T:
        """Run work on the writer's thread between two commits, and wait for its result."""
        if self._stopped:
            raise JournalFailed("the journal's writer has stopped")
        future: asyncio.Future[T] = self._loop.create_future()

        def do(journal: Journal) -> None:
            try:
                result = work(journal)
            except BaseException as error:
                self._loop.call_soon_threadsafe(_fail, future, error)
            else:
                self._loop.call_soon_threadsafe(_succeed, future, result)

        self._put(do)
        return await future

    def on_loop(self, call: Callable[[], None]) -> None:
        """From the writer's thread: call something on the event loop."""
        self._loop.call_soon_threadsafe(call)

    async def stop(self) -> None:
        """Write what is queued, and close the journal."""
        self._stopped = True
        self._put(None)
        await asyncio.to_thread(self._thread.join)
        self.journal.close()

    # ------------------------------------------------------------------ the writer's thread

    def recovered(self, table: str) -> None:
        """From a chore: the table continues from what is on disk, and none of its earlier batches is queued."""
        self._in_doubt.discard(table)

    def _run(self) -> None:
        stopping = False
        while not stopping:
            group, chores, stopping = self._gather(self._queue.get())
            self._carry_out(group, chores)

    def _gather(self, first: _Item) -> tuple[list[PendingWrite], list[Callable[[Journal], None]], bool]:
        """Everything that is queued, and whether it is the last."""
        group: list[PendingWrite] = []
        chores: list[Callable[[Journal], None]] = []
        stopping = False
        item = first
        while True:
            if item is None:
                stopping = True
            elif callable(item):
                chores.append(item)
            else:
                group += item
            if len(group) >= GROUP_MAX:
                break
            try:
                item = self._queue.get_nowait()
            except Empty:
                break
        return group, chores, stopping

    def _carry_out(self, group: list[PendingWrite], chores: Sequence[Callable[[Journal], None]]) -> None:
        if group:
            self._commit(group)
        for chore in chores:
            with suppress(JournalError):
                self._reopen_if_broken()
            with suppress(JournalError):
                chore(self.journal)

    def _commit(self, group: list[PendingWrite]) -> None:
        outcomes: list[_Outcome] = []
        if self._in_doubt:
            outcomes = [(one, JournalError(EARLIER)) for one in group if one.batch.table in self._in_doubt]
            group = [one for one in group if one.batch.table not in self._in_doubt]
        if group:
            outcomes += self._write_group(group)
        if outcomes[-1][1] is not None:
            self.counts.failures += 1
        self._in_doubt |= {one.batch.table for one, error in outcomes if error is not None}
        self._loop.call_soon_threadsafe(self._acknowledge, outcomes)

    def _write_group(self, group: list[PendingWrite]) -> list[_Outcome]:
        started = time.perf_counter()
        try:
            self._reopen_if_broken()
            self._append([one.batch for one in group])
        except (DuplicateCommand, SequenceConflict, InvalidRecord, LeaseLost) as error:
            tables = dict.fromkeys(one.batch.table for one in group)
            if len(tables) == 1:
                return self._one_by_one(group, error)
            return [
                outcome
                for table in tables
                for outcome in self._one_by_one([one for one in group if one.batch.table == table], None)
            ]
        except Exception as error:
            # Whatever it is, the waiting tables get an answer and the thread continues.
            failure = error if isinstance(error, JournalError) else JournalFailed(f"writing failed: {error!r}")
            lost = isinstance(failure, JournalFailed) and not isinstance(failure, OutcomeUnknown)
            self._broken = self._broken or lost
            return [(one, failure) for one in group]
        self.counts.add(time.perf_counter() - started, sum([len(one.batch.records) for one in group]))
        return [(one, None) for one in group]

    def _one_by_one(self, group: Sequence[PendingWrite], error: JournalError | None) -> list[_Outcome]:
        """The batches of one table, each in its own commit, until one is refused: the later ones depend on it."""
        if len(group) == 1 and error is not None:
            return [(group[0], error)]
        outcomes: list[_Outcome] = []
        refused: JournalError | None = None
        for one in group:
            if refused is None:
                try:
                    self._append([one.batch])
                except JournalError as refusal:
                    refused = refusal
            outcomes.append((one, refused))
        return outcomes

    def _append(self, batches: Sequence[Batch]) -> None:
        known = self.fences
        fences = known and {batch.table: known[batch.table] for batch in batches if batch.table in known}
        if fences:
            leases = self.journal.leases
            assert leases is not None, "only a journal with leases gives fencing numbers"
            leases.append(batches, fences)
        else:
            self.journal.append(batches)

    def _reopen_if_broken(self) -> None:
        if self._broken:
            with suppress(JournalError):
                self.journal.close()
            self.journal = self._open()
            self._broken = False

    # ------------------------------------------------------------------ the event loop

    def _acknowledge(self, outcomes: Sequence[_Outcome]) -> None:
        for one, error in outcomes:
            one.on_written(error)


def _succeed(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[T], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
