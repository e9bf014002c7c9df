"""The leases of a simulation, as each process sees them.

Enters: calls of the nodes. Leaves: what `Disk` answers by the server's clock, or an error where the connection is lost;
notices of commits, of which some are lost.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from taisai.journal import Batch, Head, Lease, Leases, OutcomeUnknown, Record, Written
from tests.torture.loop import SECOND

if TYPE_CHECKING:
    from tests.torture.disk import Disk, SimulatedJournal

T = TypeVar("T")
NOTICE_LOST: Final = 0.1
"""The chance that a notice of a commit is lost."""


class SimulatedLeases(Leases):
    """The leases, over one process's connection."""

    def __init__(self, journal: SimulatedJournal) -> None:
        self._journal = journal
        self._on_commit: Callable[[int], None] | None = None
        self._own: Callable[[], int] | None = None
        self._notified = False
        """Whether a notice is on its way."""

    def current(self) -> dict[str, Lease]:
        """The lease of every table that has a holder."""
        disk = self._journal.reach()
        return {
            name: Lease(
                lease.holder,
                lease.fence,
                (lease.until - disk.clock) / SECOND,
                lease.holder in disk.announced and disk.announced[lease.holder].leases.is_connected(),
            )
            for name, lease in sorted(disk.lease_of.items())
            if lease.holder is not None
        }

    def take(self, tables: Collection[str], holder: str, seconds: float) -> dict[str, int]:
        """Take leases in one commit; whether they were taken may be unknown."""
        taken = self._commit(lambda disk: {table: disk.take(table, holder, seconds) for table in tables})
        return {table: fence for table, fence in taken.items() if fence is not None}

    def renew(self, holder: str, seconds: float) -> set[str]:
        """Extend all leases of a holder."""
        return self._commit(lambda disk: disk.renew(holder, seconds))

    def release(self, table: str, holder: str) -> None:
        """Give a lease back."""
        self._commit(lambda disk: disk.release(table, holder))

    def expire(self, holder: str, seconds: float) -> None:
        """End a dead holder's leases."""
        self._commit(lambda disk: disk.expire_holder(holder, seconds))

    def _commit(self, work: Callable[[Disk], T]) -> T:
        disk = self._journal.reach()
        if disk.trouble and disk.chance.random() < disk.trouble:
            if disk.chance.random() < 0.5:
                work(disk)
            raise OutcomeUnknown("the connection was lost in the commit")
        return work(disk)

    def announce(self, holder: str) -> None:
        """Show the others that this holder is connected."""
        self._journal.reach().announced[holder] = self._journal

    def is_connected(self) -> bool:
        """Whether the server has a connection; it keeps one that was cut without a word."""
        return not self._journal.loop.dead and self._journal.start == self._journal.disk.starts

    @property
    def connections(self) -> int:
        """A restart of the server ends the connection."""
        return self._journal.start

    @property
    def writer_id(self) -> int:
        """What this journal's commits are known by."""
        return self._journal.writer_id

    def append(self, batches: Sequence[Batch], fences: Mapping[str, int]) -> dict[str, Head]:
        """One commit, if each fence is current; its answer may be lost."""
        return self._journal.write(batches, fences)

    def news(self, after_position: int, upto: int, except_tables: Collection[str]) -> tuple[list[Record], int]:
        """The records of other tables between two positions, and the position up to which none is missing."""
        disk = self._journal.reach()
        records = [record for record in disk.read_all(after_position, upto) if record.table not in except_tables]
        return records, max(min(disk.position(), upto), after_position)

    def written(self, after_position: int, upto: int) -> list[Written]:
        """Under which lease the tables' records between two positions were written."""
        return self._journal.reach().written(after_position, upto)

    # ------------------------------------------------------------------ notices

    def follow(self, on_commit: Callable[[int], None], own: Callable[[], int] | None = None) -> SimulatedLeases:
        """Call `on_commit` after others' commits; some notices are lost."""
        self._journal.reach()
        self._on_commit, self._own = on_commit, own
        followers = self._journal.disk.followers
        followers[:] = [follower for follower in followers if not follower.is_dead]
        followers.append(self)
        return self

    @property
    def is_dead(self) -> bool:
        """Whether a notice is on its way to a process that has died."""
        return self._notified and self._journal.loop.dead

    def stop(self) -> None:
        """Make no more calls."""
        self._on_commit = None

    def notify(self, by: int) -> None:
        """Send a notice of a commit."""
        journal, own = self._journal, self._own
        if self._on_commit is None or self._notified or journal.is_cut() or (own is not None and own() == by):
            return
        self._notified = True
        if journal.disk.chance.random() < NOTICE_LOST:
            journal.loop.later(SECOND // 2, self._arrived, False)
        else:
            journal.loop.later(journal.disk.time.between(500, 20_000), self._arrived, True)

    def _arrived(self, is_delivered: bool) -> None:
        self._notified = False
        if is_delivered and self._on_commit is not None:
            self._on_commit(self._journal.disk.position())
