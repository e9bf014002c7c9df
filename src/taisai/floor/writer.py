"""The one writer of a journal: what arrives together shares one commit.

Enters: batches of records of any tables, from the event loop. Leaves: the word that they are on disk, or why not, to
the event loop again. A thread of its own commits; while it does, the next batches gather. There is no waiting for more:
the disk itself sets the pace.

A batch that its journal refuses (a number taken, a command known) fails alone with the later ones of its table; the
others of its commit are written again without it. Later ones fail until the table has read what is on disk, even if
their number would fit: they were decided on what did not happen. A journal that has failed is closed and opened anew
before the next commit.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Final, Protocol, TypeAlias, TypeVar

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

ENOUGH: Final = 40
"""Batches that are handed over before the turn of the event loop is over: while they are written, the rest is decided.
All in one would make everybody who waits for an answer go in step, the disk idle while they decide and they while it
writes. In so many the price of a commit itself hardly shows; where several nodes share a journal, and each waits for
the others' commits, fewer would be dear."""
LARGEST_GROUP: Final = 4_096
"""Batches in one commit, at most."""
EARLIER: Final = "an earlier record of the table failed: nothing was written"
BUCKETS_S: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
"""Bounds of the histogram of commit times."""


class Written(Protocol):
    """Who is told that a batch is on disk, or why it is not."""

    batch: Batch

    def written(self, error: JournalError | None) -> None:
        """Called on the event loop."""
        ...


_Item: TypeAlias = list[Written] | Callable[[Journal], None] | None
"""Batches, a chore, or None: the end."""


class Counts:
    """What the writer has done, for the metrics."""

    def __init__(self) -> None:
        self.commits = 0
        self.records = 0
        self.failures = 0
        self.seconds = 0.0
        self.by_time = [0] * (len(BUCKETS_S) + 1)

    def add(self, seconds: float, records: int) -> None:
        """One commit more."""
        self.commits += 1
        self.records += records
        self.seconds += seconds
        self.by_time[bisect_left(BUCKETS_S, seconds)] += 1


class GroupWriter:
    """Commits for all tables of a floor."""

    def __init__(self, open_journal: Callable[[], Journal], loop: asyncio.AbstractEventLoop) -> None:
        self._open = open_journal
        self.journal = open_journal()
        self.counts = Counts()
        self._loop = loop
        self._queue: SimpleQueue[_Item] = SimpleQueue()
        self._gathered: list[Written] = []
        """What this turn of the event loop has brought so far."""
        self.fences: dict[str, int] = {}
        """Fencing numbers of the tables that this node holds, where several nodes share the journal."""
        self._broken = False
        self._in_doubt: set[str] = set()
        """Tables of which a batch has failed: what was decided on top of it is not tried, whatever its number is."""
        self._stopped = False
        self._begin()

    def _begin(self) -> None:
        self._thread = Thread(target=self._run, name="journal writer", daemon=True)
        self._thread.start()

    @property
    def depth(self) -> int:
        """How much waits to be written."""
        return self._queue.qsize() + len(self._gathered)

    def write(self, item: Written) -> None:
        """Have a batch written; its `written` is called when it is.

        What one turn of the event loop brings is handed over together, a good many at a time: waking the thread for
        each would make both wait for the interpreter, and the first batch would be committed alone.
        """
        gathered = self._gathered
        if not gathered:
            self._loop.call_soon(self._hand_over)
        gathered.append(item)
        if len(gathered) >= ENOUGH:
            self._hand_over()

    def _hand_over(self) -> None:
        gathered = self._gathered
        if gathered:
            self._gathered = []
            self._queue.put(gathered)

    def _put(self, item: _Item) -> None:
        """Hand something over, after everything that came before it."""
        self._hand_over()
        self._queue.put(item)

    def chore(self, work: Callable[[Journal], None]) -> None:
        """Have something done with the journal between two commits (a snapshot, say); failures of it are let go."""
        self._put(work)

    async def run(self, work: Callable[[Journal], T]) -> T:
        """Have something done with the journal between two commits, and wait for what comes of it."""
        if self._stopped:
            raise JournalFailed("the house is closed")
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
        """From the writer's thread: have something called on the event loop."""
        self._loop.call_soon_threadsafe(call)

    async def stop(self) -> None:
        """Write what waits, and close the journal."""
        self._stopped = True
        self._put(None)
        await asyncio.to_thread(self._thread.join)
        self.journal.close()

    # ------------------------------------------------------------------ the writer's thread

    def recovered(self, table: str) -> None:
        """From a chore: the table goes on from what is on disk; nothing that was decided before is on its way."""
        self._in_doubt.discard(table)

    def _run(self) -> None:
        stopping = False
        while not stopping:
            group, chores, stopping = self._gather(self._queue.get())
            self._carry_out(group, chores)

    def _gather(self, first: _Item) -> tuple[list[Written], list[Callable[[Journal], None]], bool]:
        """All that waits, and whether it is the last."""
        group: list[Written] = []
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
            if len(group) >= LARGEST_GROUP:
                break
            try:
                item = self._queue.get_nowait()
            except Empty:
                break
        return group, chores, stopping

    def _carry_out(self, group: list[Written], chores: Sequence[Callable[[Journal], None]]) -> None:
        if group:
            self._commit(group)
        for chore in chores:
            with suppress(JournalError):
                self._reopen_if_broken()
            with suppress(JournalError):
                chore(self.journal)

    def _commit(self, group: list[Written]) -> None:
        told: list[tuple[Written, JournalError | None]] = []
        if self._in_doubt:
            told = [(one, JournalError(EARLIER)) for one in group if one.batch.table in self._in_doubt]
            group = [one for one in group if one.batch.table not in self._in_doubt]
        if group:
            told += self._written(group)
        if told[-1][1] is not None:
            self.counts.failures += 1
        self._in_doubt |= {one.batch.table for one, error in told if error is not None}
        self._loop.call_soon_threadsafe(self._tell, told)

    def _written(self, group: list[Written]) -> list[tuple[Written, JournalError | None]]:
        started = time.perf_counter()
        told: list[tuple[Written, JournalError | None]]
        try:
            self._reopen_if_broken()
            self._append([one.batch for one in group])
        except (DuplicateCommand, SequenceConflict, InvalidRecord, LeaseLost) as error:
            tables = dict.fromkeys(one.batch.table for one in group)
            if len(tables) == 1:
                told = self._one_by_one(group, error)
            else:
                told = [
                    pair
                    for table in tables
                    for pair in self._one_by_one([one for one in group if one.batch.table == table], None)
                ]
        except Exception as error:
            # Whatever it is, those who wait are told; the thread goes on.
            failure = error if isinstance(error, JournalError) else JournalFailed(f"writing failed: {error!r}")
            lost = isinstance(failure, JournalFailed) and not isinstance(failure, OutcomeUnknown)
            self._broken = self._broken or lost
            told = [(one, failure) for one in group]
        else:
            self.counts.add(time.perf_counter() - started, sum([len(one.batch.records) for one in group]))
            told = [(one, None) for one in group]
        return told

    def _one_by_one(
        self, group: Sequence[Written], error: JournalError | None
    ) -> list[tuple[Written, JournalError | None]]:
        """The batches of one table, each in its own commit, until one is refused: the rest follow from that one."""
        told: list[tuple[Written, JournalError | None]] = []
        if len(group) == 1 and error is not None:
            return [(group[0], error)]
        refused: JournalError | None = None
        for one in group:
            if refused is None:
                try:
                    self._append([one.batch])
                except JournalError as found:
                    refused = found
            told.append((one, refused))
        return told

    def _append(self, batches: Sequence[Batch]) -> None:
        known = self.fences
        fences = known and {batch.table: known[batch.table] for batch in batches if batch.table in known}
        if fences:
            journal: Any = self.journal  # a number is given by a journal that knows what to do with it
            journal.append(batches, fences)
        else:
            self.journal.append(batches)

    def _reopen_if_broken(self) -> None:
        if self._broken:
            with suppress(JournalError):
                self.journal.close()
            self.journal = self._open()
            self._broken = False

    # ------------------------------------------------------------------ the event loop

    def _tell(self, told: Sequence[tuple[Written, JournalError | None]]) -> None:
        for one, error in told:
            one.written(error)


def _succeed(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[T], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
