"""The journal of a simulation: the server's side, and each process's connection to it.

Enters: calls of the nodes. Leaves: records, leases and errors as the journals of `taisai.journal` give them: a commit
is whole or does not happen, an outdated fencing number is refused, only the server's clock counts. Faults are switched
from outside: the disk is full, the server is down, a connection is cut, an answer is lost after its commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from taisai.journal import (
    Batch,
    Checkpoint,
    Finding,
    Head,
    Journal,
    JournalClosed,
    JournalError,
    JournalFailed,
    JournalFull,
    JournalUnreachable,
    LeaseLost,
    LeaseNeeded,
    MemoryJournal,
    OutcomeUnknown,
    Record,
    Snapshot,
    Standing,
    Written,
)
from taisai.journal.chain import linked
from taisai.journal.contract import NO_TABLE, Progress
from taisai.journal.record import Row
from taisai.journal.signing import Signer
from tests.torture.leases import SimulatedLeases
from tests.torture.loop import SECOND, NodeLoop, Time

OnCommit = Callable[["SimulatedJournal", list[Record]], None]
LATE_MAX: Final = 200_000
"""Microseconds after which a commit of a lost connection takes effect, at most."""


class StoredLease(NamedTuple):
    """A lease as the server stores it."""

    holder: str | None
    fence: int
    until: int


@cache
def _signer() -> Signer:
    return Signer(Ed25519PrivateKey.from_private_bytes(b"taisai simulated server's key 00"))


class Disk(MemoryJournal):
    """The server's side."""

    def __init__(self, time: Time, on_commit: OnCommit) -> None:
        super().__init__()
        self.time = time
        self.chance: Random = time.chance
        self.on_commit = on_commit
        self.skew_us = 0
        """How far the server's clock is wrong."""
        self.full = False
        self.slow = 1
        """How many times as long everything takes."""
        self.usual = 1
        """The same without a fault."""
        self.up = True
        self.trouble = 0.0
        """The chance that a commit's answer is lost, before or after it has taken effect."""
        self.starts = 0
        self.lease_of: dict[str, StoredLease] = {}
        self.tenures: dict[tuple[str, int], tuple[str, int]] = {}
        """Who has had each lease, and since when."""
        self.under: dict[int, int] = {}
        """Under which lease each record was written, by its position."""
        self.followers: list[SimulatedLeases] = []
        self.announced: dict[str, SimulatedJournal] = {}
        """The connection on which each holder has announced itself."""
        self.opened = 0
        """How many connections there have been."""
        self.late: set[str] = set()
        """Commands that took effect after their connection was lost: their sender may have been refused."""
        self.synced = 0
        self.syncs = True
        """Whether a commit waits for the disk; a planted bug switches it off."""
        self._ids: dict[str, list[str]] = {}
        """The commands of each table, in order."""
        self._signer = _signer()

    def begin(self, records: Sequence[Record]) -> None:
        """Store the records that exist before the simulation begins."""
        for record in records:
            known = self._by_command.setdefault((record.table, record.command_id), [])
            if not known:
                self._ids.setdefault(record.table, []).append(record.command_id)
            known.append(record)
            self._records.append(record)
            self._by_table.setdefault(record.table, []).append(record)
        self.synced = len(records)

    def latency(self) -> int:
        """Microseconds that a request takes to the server, or back."""
        return (20 + int(self.time.random() * 400)) * self.slow

    def commit(
        self, journal: SimulatedJournal, batches: Sequence[Batch], fences: Mapping[str, int] | None
    ) -> dict[str, Head]:
        """Write all batches or none, if each named lease is still current."""
        for table, fence in (fences or {}).items():
            lease = self.lease_of.get(table)
            if lease is None or lease.holder is None or lease.fence != fence:
                raise LeaseLost(table, fence, None if lease is None else lease.fence)
        self._require_leases({batch.table for batch in batches} - (fences or {}).keys())
        rows, heads = linked(batches, len(self._records), self._head)
        records = [Record(*row) for row in rows]
        by_table, by_command = self._by_table, self._by_command
        if len(records) != 1 or by_command.get((records[0].table, records[0].command_id)):
            self._check_commands(records)
        self._records += records
        for record in records:
            self.under[record.position] = (fences or {}).get(record.table, 0)
            table, command_id = record.table, record.command_id
            of_table = by_table.get(table)
            if of_table is None:
                of_table = by_table[table] = []
            of_table.append(record)
            known = by_command.get((table, command_id))
            if known is None:
                known = by_command[table, command_id] = []
            if not known:
                self._ids.setdefault(table, []).append(command_id)
            known.append(record)
        if self.syncs or self.chance.random() < 0.3:
            self.synced = len(self._records)
        self.on_commit(journal, records)
        for follower in self.followers:
            follower.notify(journal.writer_id)
        return heads

    def _require_leases(self, unleased: set[str]) -> None:
        tables = {table for table in unleased if not table.startswith(NO_TABLE)}
        holders = [
            each.holder for each in self.lease_of.values() if each.holder is not None and each.until > self.clock
        ]
        if tables and holders:
            raise LeaseNeeded(min(tables), holders[0])

    def restart(self) -> None:
        """Restart the server: every connection is lost, and so are records that were not synced."""
        self.starts += 1
        while len(self._records) > self.synced:
            record = self._records.pop()
            self._by_table[record.table].pop()
            known = self._by_command[record.table, record.command_id]
            known.pop()
            if not known:
                self._ids[record.table].pop()

    def recent_commands(self, table: str, count: int) -> list[str]:
        """The ids of the last commands, newest first; indexed, because each process that starts asks for them."""
        return self._ids.get(table, [])[: -count - 1 : -1]

    def commands(self, table: str, command_id: str) -> list[Record]:
        """The records of a command, for the checks."""
        return self._by_command.get((table, command_id), [])

    def all_records(self) -> list[Record]:
        """Every record, for the checks."""
        return self._records

    # ------------------------------------------------------------------ leases, by the server's clock

    @property
    def clock(self) -> int:
        """The time on the server's clock."""
        return self.time.now + self.skew_us

    def take(self, table: str, holder: str, seconds: float) -> int | None:
        """Take a lease that no other holder has; its fencing number."""
        lease = self.lease_of.get(table) or StoredLease(None, 0, 0)
        if lease.holder not in (None, holder) and lease.until > self.clock:
            return None
        fence = lease.fence if lease.holder == holder else lease.fence + 1
        self.lease_of[table] = StoredLease(holder, fence, self.clock + round(seconds * SECOND))
        self.tenures.setdefault((table, fence), (holder, self.clock))
        return fence

    def written(self, after: int, upto: int) -> list[Written]:
        """Under which lease the tables' records between two positions were written."""
        records = [record for record in self._records[after:upto] if not record.table.startswith(NO_TABLE)]
        records.sort(key=lambda record: (record.table, record.seq))
        rows = []
        for (table, fence), run in groupby(records, lambda one: (one.table, self.under.get(one.position))):
            seqs = [record.seq for record in run]
            rows.append(Written(table, seqs[0], seqs[-1], fence, *self.tenures.get((table, fence or 0), (None, None))))
        return rows

    def renew(self, holder: str, seconds: float) -> set[str]:
        """Extend all leases of a holder."""
        until = self.clock + round(seconds * SECOND)
        names = [name for name, lease in self.lease_of.items() if lease.holder == holder]
        for name in names:
            self.lease_of[name] = self.lease_of[name]._replace(until=until)
        return set(names)

    def release(self, table: str, holder: str) -> None:
        """Give a lease back."""
        lease = self.lease_of.get(table)
        if lease is not None and lease.holder == holder:
            self.lease_of[table] = StoredLease(None, lease.fence, self.clock)

    def expire_holder(self, holder: str, seconds: float) -> None:
        """End the leases of a holder that would last less than `seconds`."""
        soon = self.clock + round(seconds * SECOND)
        for name, lease in self.lease_of.items():
            if lease.holder == holder and lease.until < soon:
                self.lease_of[name] = lease._replace(until=self.clock)

    def expire(self, table: str) -> None:
        """End a lease before its time: a fault."""
        lease = self.lease_of.get(table)
        if lease is not None:
            self.lease_of[table] = lease._replace(until=self.clock)


class SimulatedJournal(Journal):
    """One process's journal: a connection to the server, which can be lost."""

    def __init__(self, disk: Disk, loop: NodeLoop, holder: str, is_cut: Callable[[], bool]) -> None:
        self.disk = disk
        self.holder = holder
        self.loop = loop
        self.is_cut = is_cut
        self.start = disk.starts
        """The server's start that the connection was made after."""
        disk.opened += 1
        self.writer_id = disk.opened
        """What its commits are known by to followers."""
        self.closed = False
        self._leases = SimulatedLeases(self)
        if is_cut() or not disk.up:
            raise JournalUnreachable("the server cannot be reached")

    def reach(self) -> Disk:
        """The server, for a read; a lost connection is made again."""
        disk = self.disk
        if self.closed:
            raise JournalClosed("the journal is closed")
        if self.is_cut() or not disk.up:
            raise JournalFailed("the connection was lost: nothing was read")
        self.start = disk.starts
        return disk

    def append(self, batches: Sequence[Batch]) -> dict[str, Head]:
        """One commit without a fence."""
        return self.write(batches, None)

    def write(self, batches: Sequence[Batch], fences: Mapping[str, int] | None) -> dict[str, Head]:
        """One commit; its answer may be lost."""
        disk = self.disk
        if self.closed:
            raise JournalClosed("the journal is closed")
        lost = self.is_cut() or not disk.up or self.start != disk.starts
        if lost or (disk.trouble and disk.chance.random() < disk.trouble):
            self.start = disk.starts
            fate = disk.chance.random()
            if fate < 0.1:
                disk.time.after(disk.time.below(LATE_MAX), self._commit_late, disk.position(), batches, fences)
            elif disk.up and not disk.full and fate < 0.55:
                disk.commit(self, batches, fences)
            kind = OutcomeUnknown if disk.chance.random() < 0.7 else JournalFailed
            raise kind("the connection was lost in the commit")
        if disk.full:
            raise JournalFull("the disk is full: nothing was written")
        return disk.commit(self, batches, fences)

    def _commit_late(self, position: int, batches: Sequence[Batch], fences: Mapping[str, int] | None) -> None:
        """A commit that nobody waits for any more takes effect, if nobody has written in the meantime."""
        disk = self.disk
        if disk.up and not disk.full and disk.position() == position:
            with suppress(JournalError):
                disk.commit(self, batches, fences)
                disk.late |= {new.command_id for batch in batches for new in batch.records}

    @property
    def leases(self) -> SimulatedLeases:
        """Which process may write to which table."""
        return self._leases

    def save_snapshot(self, table: str, seq: int, format_number: int, state: bytes) -> None:
        """Store a state, unless the disk is full."""
        disk = self.reach()
        if disk.full:
            raise JournalFull("the disk is full: nothing was written")
        disk.save_snapshot(table, seq, format_number, state)

    def close(self) -> None:
        """Close the connection."""
        self.closed = True
        if self._leases in self.disk.followers:
            self.disk.followers.remove(self._leases)

    # ------------------------------------------------------------------ everything else is the server's

    def read(self, table: str, after: int = 0, upto: int | None = None) -> Iterator[Record]:
        """The records of a table."""
        return self.reach().read(table, after, upto)

    def read_all(self, after_position: int = 0, upto: int | None = None) -> Iterator[Record]:
        """The records of all tables."""
        return self.reach().read_all(after_position, upto)

    def rows(self, after_position: int, upto: int, count: int) -> list[Row]:
        """Some records as plain tuples."""
        return self.reach().rows(after_position, upto, count)

    def head(self, table: str) -> Head:
        """The end of a table's chain."""
        return self.reach().head(table)

    def position(self) -> int:
        """The last position."""
        return self.reach().position()

    def tables(self) -> list[str]:
        """All tables."""
        return self.reach().tables()

    def standing(self) -> Standing:
        """Position, heads and number of checkpoints."""
        return self.reach().standing()

    def find_command(self, table: str, command_id: str) -> list[Record]:
        """The records of a command."""
        return self.reach().find_command(table, command_id)

    def recent_commands(self, table: str, count: int) -> list[str]:
        """The last commands."""
        return self.reach().recent_commands(table, count)

    def latest_snapshot(self, table: str, upto: int | None = None) -> Snapshot | None:
        """The newest snapshot."""
        return self.reach().latest_snapshot(table, upto)

    def snapshots(self) -> Iterator[Snapshot]:
        """Every snapshot."""
        return self.reach().snapshots()

    def signer(self, *, make: bool) -> Signer:
        """The server's key."""
        return self.reach().signer(make=make)

    def keep_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Store a checkpoint that was signed elsewhere."""
        self.reach().keep_checkpoint(checkpoint)

    def checkpoints(self, after: int = 0, upto: int | None = None) -> Iterator[Checkpoint]:
        """The checkpoints in order."""
        return self.reach().checkpoints(after, upto)

    def put(self, key: str, value: bytes | None) -> None:
        """Store a value under a key, or delete the key."""
        self.reach().put(key, value)

    def put_all(self, entries: Mapping[str, bytes | None], when: Mapping[str, bytes | None] | None = None) -> bool:
        """Write several entries, if others are as expected."""
        return self.reach().put_all(entries, when)

    def get(self, key: str) -> bytes | None:
        """The value under a key."""
        return self.reach().get(key)

    def entries(self, prefix: str = "", *, after: str = "", count: int | None = None) -> dict[str, bytes]:
        """The key-value entries."""
        return self.reach().entries(prefix, after=after, count=count)

    @property
    def key_file(self) -> None:
        """None: the key is the simulation's own."""
        return

    def public_key(self) -> Ed25519PublicKey | None:
        """The server's public key."""
        return self.reach().public_key()

    def self_check(self) -> Iterator[Finding]:
        """Nothing."""
        return self.reach().self_check()

    def backup(self, path: Path | str, progress: Progress | None = None) -> None:
        """Write everything into a new journal file."""
        self.reach().backup(path, progress)


def shared_journal(disk: Disk | None = None) -> SimulatedJournal:
    """A connection to a server outside any simulation, where nothing goes wrong: for tests of leases."""
    disk = disk or Disk(Time(Random(0)), lambda _journal, _records: None)
    return SimulatedJournal(disk, NodeLoop(disk.time), "", lambda: False)
