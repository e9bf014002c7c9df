"""The one journal of a simulation, as its server keeps it, and each process's way to it.

Enters: calls of the nodes. Leaves: records, leases and errors as the journals of `taisai.journal` give them: a commit
is whole or not there, a fencing number that has passed is refused, the server's clock alone counts. What can go wrong
is switched from outside: the disk is full, the server is down, a way is cut, an answer is lost after its commit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any, Final, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from taisai.journal import (
    Batch,
    Head,
    JournalClosed,
    JournalError,
    JournalFailed,
    JournalFull,
    JournalUnreachable,
    LeaseLost,
    MemoryJournal,
    OutcomeUnknown,
    Record,
    Snapshot,
)
from taisai.journal.chain import linked
from taisai.journal.signing import Signer
from tests.torture.loop import SECOND, NodeLoop, Time

Seen = Callable[["Way", list[Record]], None]
NOTICE_LOST: Final = 0.1


class Lease(NamedTuple):
    """Who may write to a table."""

    holder: str | None
    fence: int
    until: int
    seconds_left: float = 0.0
    is_there: bool = False


@cache
def _signer() -> Signer:
    return Signer(Ed25519PrivateKey.from_private_bytes(b"taisai simulated server's key 00"))


class Disk(MemoryJournal):
    """The server's side."""

    def __init__(self, time: Time, seen: Seen) -> None:
        super().__init__()
        self.time = time
        self.chance: Random = time.chance
        self.seen = seen
        self.skew_us = 0
        """How far the server's clock is off."""
        self.full = False
        self.slow = 1
        """How many times as long everything takes."""
        self.usual = 1
        """The same without a fault."""
        self.up = True
        self.trouble = 0.0
        """The chance that a commit's answer is lost, before or after it has taken effect."""
        self.starts = 0
        self.lease_of: dict[str, Lease] = {}
        self.ways: list[Way] = []
        self.shown: dict[str, Way] = {}
        """The way by which each holder shows that it lives."""
        self.opened = 0
        """How many ways there have been."""
        self.late: set[str] = set()
        """Commands that took effect after their connection was gone: nobody could know, and may have said no."""
        self.synced = 0
        self.syncs = True
        """A commit waits for the disk; a planted bug does not."""
        self._ids: dict[str, list[str]] = {}
        """The commands of each table, in order."""
        self._signer = _signer()

    def begin(self, records: Sequence[Record]) -> None:
        """What is there before anything happens."""
        for record in records:
            known = self._by_command.setdefault((record.table, record.command_id), [])
            if not known:
                self._ids.setdefault(record.table, []).append(record.command_id)
            known.append(record)
            self._records.append(record)
            self._by_table.setdefault(record.table, []).append(record)
        self.synced = len(records)

    def latency(self) -> int:
        """Microseconds that a journey to the server takes."""
        return (20 + int(self.time.random() * 400)) * self.slow

    def commit(self, way: Way, batches: Sequence[Batch], fences: Mapping[str, int] | None) -> dict[str, Head]:
        """All batches or none, if each lease named is still the one that it was."""
        for table, fence in (fences or {}).items():
            held = self.lease_of.get(table)
            if held is None or held.holder is None or held.fence != fence:
                raise LeaseLost(table, fence, None if held is None else held.fence)
        rows, heads = linked(batches, len(self._records), self._head)
        records = [Record(*row) for row in rows]
        by_table, by_command = self._by_table, self._by_command
        if len(records) != 1 or by_command.get((records[0].table, records[0].command_id)):
            self._check_commands(records)
        self._records += records
        for record in records:
            table, command_id = record.table, record.command_id
            found = by_table.get(table)
            if found is None:
                found = by_table[table] = []
            found.append(record)
            known = by_command.get((table, command_id))
            if known is None:
                known = by_command[table, command_id] = []
            if not known:
                self._ids.setdefault(table, []).append(command_id)
            known.append(record)
        if self.syncs or self.chance.random() < 0.3:
            self.synced = len(self._records)
        self.seen(way, records)
        for other in self.ways:
            other.notice(way.writes_as)
        return heads

    def restart(self) -> None:
        """The server has died and is there again: every way is lost, and what was not synced with it."""
        self.starts += 1
        while len(self._records) > self.synced:
            record = self._records.pop()
            self._by_table[record.table].pop()
            known = self._by_command[record.table, record.command_id]
            known.pop()
            if not known:
                self._ids[record.table].pop()

    def recent_commands(self, table: str, count: int) -> list[str]:
        """The ids of the last commands, newest first: each process that starts asks for them."""
        return self._ids.get(table, [])[: -count - 1 : -1]

    def commands(self, table: str, command_id: str) -> list[Record]:
        """What a command brought about, for who only looks on."""
        return self._by_command.get((table, command_id), [])

    def all_records(self) -> list[Record]:
        """Every record."""
        return self._records

    # ------------------------------------------------------------------ leases, by the server's clock

    @property
    def clock(self) -> int:
        """What the server's clock shows."""
        return self.time.now + self.skew_us

    def take(self, table: str, holder: str, seconds: float) -> int | None:
        """A lease, where there is none that is valid."""
        held = self.lease_of.get(table)
        until = self.clock + round(seconds * SECOND)
        if held is None:
            held = Lease(None, 0, 0)
        if held.holder not in (None, holder) and held.until > self.clock:
            return None
        fence = held.fence if held.holder == holder else held.fence + 1
        self.lease_of[table] = Lease(holder, fence, until)
        return fence

    def renew(self, holder: str, seconds: float) -> set[str]:
        """All leases of a holder, for longer."""
        until = self.clock + round(seconds * SECOND)
        found = [name for name, held in self.lease_of.items() if held.holder == holder]
        for name in found:
            self.lease_of[name] = Lease(holder, self.lease_of[name].fence, until)
        return set(found)

    def give_back(self, table: str, holder: str) -> None:
        """A lease that its holder needs no longer."""
        held = self.lease_of.get(table)
        if held is not None and held.holder == holder:
            self.lease_of[table] = Lease(None, held.fence, self.clock)

    def end(self, holder: str, seconds: float) -> None:
        """The leases of a holder that would last for less than so long are over."""
        soon = self.clock + round(seconds * SECOND)
        for name, held in self.lease_of.items():
            if held.holder == holder and held.until < soon:
                self.lease_of[name] = held._replace(until=self.clock)

    def expire(self, table: str) -> None:
        """A lease runs out before its time."""
        held = self.lease_of.get(table)
        if held is not None:
            self.lease_of[table] = held._replace(until=self.clock)


class Way:
    """One process's journal: the way to the server, which can be lost."""

    def __init__(self, disk: Disk, loop: NodeLoop, holder: str, is_cut: Callable[[], bool]) -> None:
        self.disk = disk
        self.holder = holder
        self._loop = loop
        self._is_cut = is_cut
        self._start = disk.starts
        self._told: Callable[[int], None] | None = None
        self._besides: Callable[[], int] = int
        disk.opened += 1
        self.writes_as = disk.opened
        """What its commits are known by."""
        self._notified = False
        self.closed = False
        if is_cut() or not disk.up:
            raise JournalUnreachable("the server cannot be reached")

    def _reach(self) -> Disk:
        disk = self.disk
        if self.closed:
            raise JournalClosed("the way is closed")
        if self._is_cut() or not disk.up:
            raise JournalFailed("the connection was lost: nothing was read")
        self._start = disk.starts  # a way that was lost is made anew by the next who needs it
        return disk

    def append(self, batches: Sequence[Batch], fences: Mapping[str, int] | None = None) -> dict[str, Head]:
        """One commit; its answer may be lost."""
        disk = self.disk
        if self.closed:
            raise JournalClosed("the way is closed")
        lost = self._is_cut() or not disk.up or self._start != disk.starts
        if lost or (disk.trouble and disk.chance.random() < disk.trouble):
            self._start = disk.starts
            fate = disk.chance.random()
            if fate < 0.1:
                disk.time.after(disk.time.below(200_000), self._late, disk.position(), batches, fences)
            elif disk.up and not disk.full and fate < 0.55:
                disk.commit(self, batches, fences)
            kind = OutcomeUnknown if disk.chance.random() < 0.7 else JournalFailed
            raise kind("the connection was lost in the commit")
        if disk.full:
            raise JournalFull("the disk is full: nothing was written")
        return disk.commit(self, batches, fences)

    def _late(self, position: int, batches: Sequence[Batch], fences: Mapping[str, int] | None) -> None:
        """A commit that nobody waits for any more takes effect, if nobody has written in the meantime."""
        disk = self.disk
        if disk.up and not disk.full and disk.position() == position:
            with suppress(JournalError):
                disk.commit(self, batches, fences)
                disk.late |= {new.command_id for batch in batches for new in batch.records}

    def read(self, table: str, after: int = 0, upto: int | None = None) -> Iterator[Record]:
        """The records of a table."""
        return self._reach().read(table, after, upto)

    def read_all(self, after_position: int = 0, upto: int | None = None) -> Iterator[Record]:
        """The records of all tables."""
        return self._reach().read_all(after_position, upto)

    def head(self, table: str) -> Head:
        """The end of a table's chain."""
        return self._reach().head(table)

    def position(self) -> int:
        """The last position."""
        return self._reach().position()

    def tables(self) -> list[str]:
        """All tables."""
        return self._reach().tables()

    def find_command(self, table: str, command_id: str) -> list[Record]:
        """What a command brought about."""
        return self._reach().find_command(table, command_id)

    def recent_commands(self, table: str, count: int) -> list[str]:
        """The last commands."""
        return self._reach().recent_commands(table, count)

    def save_snapshot(self, table: str, seq: int, format_number: int, state: bytes) -> None:
        """Keep a state."""
        disk = self._reach()
        if disk.full:
            raise JournalFull("the disk is full: nothing was written")
        disk.save_snapshot(table, seq, format_number, state)

    def latest_snapshot(self, table: str, upto: int | None = None) -> Snapshot | None:
        """The newest snapshot."""
        return self._reach().latest_snapshot(table, upto)

    def sign_checkpoint(self, at: int) -> object:
        """Sign what is there."""
        return self._reach().sign_checkpoint(at)

    def keep(self, name: str, value: bytes | None) -> None:
        """Put a thing into the drawer."""
        self._reach().keep(name, value)

    def kept(self, prefix: str = "") -> dict[str, bytes]:
        """What is in the drawer."""
        return self._reach().kept(prefix)

    def close(self) -> None:
        """Let go of the server."""
        self.closed = True
        if self in self.disk.ways:
            self.disk.ways.remove(self)

    # ------------------------------------------------------------------ several nodes

    def take_lease(self, table: str, holder: str, seconds: float) -> int | None:
        """Take a lease; whether it was taken may not be known."""
        fence: int | None = self._leasing(lambda disk: disk.take(table, holder, seconds))
        return fence

    @property
    def connections(self) -> int:
        """A server that was away has ended the connection."""
        return self._start

    def live_as(self, holder: str) -> None:
        """Be seen for as long as the connection lasts."""
        self._reach().shown[holder] = self

    def is_seen(self) -> bool:
        """Whether the server has a connection; one that is cut without a word it has for ever."""
        return not self._loop.dead and self._start == self.disk.starts

    def take_leases(self, tables: Collection[str], holder: str, seconds: float) -> dict[str, int]:
        """Take several, in one commit."""
        taken: dict[str, int | None] = self._leasing(
            lambda disk: {table: disk.take(table, holder, seconds) for table in tables}
        )
        return {table: fence for table, fence in taken.items() if fence is not None}

    def end_leases(self, holder: str, seconds: float) -> None:
        """The leases of somebody who is gone are over."""
        self._leasing(lambda disk: disk.end(holder, seconds))

    def renew_leases(self, holder: str, seconds: float) -> set[str]:
        """Prolong all."""
        found: set[str] = self._leasing(lambda disk: disk.renew(holder, seconds))
        return found

    def release_lease(self, table: str, holder: str) -> None:
        """Give one back."""
        self._leasing(lambda disk: disk.give_back(table, holder))

    def _leasing(self, work: Callable[[Disk], Any]) -> Any:
        disk = self._reach()
        if disk.trouble and disk.chance.random() < disk.trouble:
            if disk.chance.random() < 0.5:
                work(disk)
            raise OutcomeUnknown("the connection was lost in the commit")
        return work(disk)

    def leases(self) -> dict[str, Lease]:
        """Who has which table."""
        disk = self._reach()
        return {
            name: held._replace(
                seconds_left=(held.until - disk.clock) / SECOND,
                is_there=held.holder in disk.shown and disk.shown[held.holder].is_seen(),
            )
            for name, held in sorted(disk.lease_of.items())
            if held.holder is not None
        }

    def news(self, after_position: int, upto: int, besides: Collection[str]) -> tuple[list[Record], int]:
        """What was written to other tables than these, and up to where that is all."""
        disk = self._reach()
        found = [record for record in disk.read_all(after_position, upto) if record.table not in besides]
        return found, max(min(disk.position(), upto), after_position)

    def follow(self, told: Callable[[int], None], besides: Callable[[], int]) -> Way:
        """Have somebody told of others' commits; some notices are lost."""
        self._reach()
        self._told, self._besides = told, besides
        ways = self.disk.ways
        ways[:] = [way for way in ways if not way.is_deaf]
        ways.append(self)
        return self

    @property
    def is_deaf(self) -> bool:
        """Whether word is on its way to a process that has died."""
        return self._notified and self._loop.dead

    def stop(self) -> None:
        """Be told nothing more."""
        self._told = None

    def notice(self, by: int) -> None:
        """A commit was made: word of it is on its way."""
        if self._told is None or self._notified or self._is_cut() or self._besides() == by:
            return
        self._notified = True
        if self.disk.chance.random() < NOTICE_LOST:
            self._loop.later(SECOND // 2, self._heard, False)
        else:
            self._loop.later(self.disk.time.between(500, 20_000), self._heard, True)

    def _heard(self, really: bool) -> None:
        self._notified = False
        if really and self._told is not None:
            self._told(self.disk.position())
