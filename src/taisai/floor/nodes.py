"""Several nodes on one journal: who writes to which table.

Enters: a journal with leases (PostgreSQL), this node's address, a way to reach the others. Leaves: every table of the
floor held by exactly one node; what others write, read from the journal and told to this node's own watchers; commands
for other nodes' tables, handed on to them.

A lease is renewed every 0.8 s and runs out after 2.5 s, or as soon as its holder is late with it and the database does
not see its connection any more. Its fencing number goes with every commit, and the journal refuses a number that has
passed: a node that was frozen writes nothing when it wakes up, whatever it believes. The journal is the truth for those
who follow; its notices only wake them, so a missed one costs a read and never an event.

Leases have a connection of their own: a slow commit, or many tables to be read, must not cost what a node holds.

A node that has more than its share lets go of tables when their rounds end, a few at a time; one that stops lets go of
each table when its round is over. A node that cannot read what a newer version writes takes no more tables.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from contextlib import suppress
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, Protocol
from zlib import crc32

from taisai.floor.live import LiveTable
from taisai.floor.router import Forward, Handing, address_of
from taisai.journal import Journal, JournalError
from taisai.journal.record import Record
from taisai.streams.house_events import HOUSE
from taisai.streams.upcast import UnknownEvent
from taisai.table.events import Event
from taisai.table.state import Round, RoundPhase

if TYPE_CHECKING:
    from taisai.floor.floor import Floor

LOGGER = logging.getLogger("taisai.floor")
LEASE_S: Final = 2.5
BEAT_S: Final = 0.8
LATE_S: Final = 1.1
"""Who has not renewed for so long, and is not seen any more, is dead: nobody waits for the end of his leases."""
AGAIN_S: Final = 0.1
HURRY_S: Final = 0.2
"""The least time between two looks at the leases, when somebody waits for a table."""
GRACE_S: Final = 2.0
"""After the journal was away for all, the time in which everybody comes for his own tables and nobody for others'."""
LEAVING_MAX: Final = 10
"""Tables that a node lets go of at a time, when it has more than its share."""
TAKING_MAX: Final = 8
"""Tables that a node takes over at a time: most of it is waiting for the database."""
CHUNK: Final = 5_000
NODE: Final = "@node/"
"""A lease of this name says that a node lives, whether it holds a table or not."""


class LeaseHolder(Protocol):
    """What a journal for several nodes does beyond the contract."""

    @property
    def connections(self) -> int:
        """How many connections to its server there have been, one after another."""
        ...

    def live_as(self, holder: str) -> None:
        """Be seen by the others for as long as the process lives."""
        ...

    def take_lease(self, table: str, holder: str, seconds: float) -> int | None:
        """The fencing number, or None while somebody else has the lease."""
        ...

    def take_leases(self, tables: Collection[str], holder: str, seconds: float) -> dict[str, int]:
        """The fencing numbers of those that nobody else has."""
        ...

    def end_leases(self, holder: str, seconds: float) -> None:
        """The leases of a holder that is gone are over, those that would last for less than so long."""
        ...

    def renew_leases(self, holder: str, seconds: float) -> set[str]:
        """Prolong all leases of a holder; those that it still has."""
        ...

    def release_lease(self, table: str, holder: str) -> None:
        """Give a lease back."""
        ...

    def leases(self) -> dict[str, Any]:
        """Who has which table."""
        ...

    @property
    def writes_as(self) -> int:
        """What its commits are known by to those who follow; 0 before it has written."""
        ...

    def follow(self, told: Callable[[int], None], besides: Callable[[], int]) -> Any:
        """Have somebody told of every commit but those known by a number."""
        ...

    def news(self, after_position: int, upto: int, besides: Collection[str]) -> tuple[list[Record], int]:
        """What was written to other tables than these, and the position up to which that is all."""
        ...


def _is_over(current: Round) -> bool:
    return current.phase is RoundPhase.BETWEEN and not current.commitment


class Nodes:
    """One node among the others."""

    def __init__(
        self,
        floor: Floor,
        address: str,
        forward: Forward,
        open_journal: Callable[[], Journal],
        *,
        name: str = "",
    ) -> None:
        """`open_journal` opens the journal once more, for leases and for what others write.

        `name` tells this process from others that were or will be at the same address; one is made up if none is given.
        """
        self._floor = floor
        self.holder = f"{address}#{name or token_hex(8)}"
        self.alive: set[str] = set()
        self._seen: set[str] = set()
        """Nodes whose sign of life was there once; an older version gives none, and is not judged by it."""
        self._connections = 0
        """Which connection to the server the last beat had."""
        self.is_outdated = False
        """A newer version has written what this one cannot read: it keeps its tables and takes no others."""
        self.on_held: Callable[[str], None] = lambda _name: None
        """Who is told of every table that comes to this node."""
        self._open_journal = open_journal
        self._own: Journal | None = None
        self._wanted: set[str] = set()
        self._moving: set[str] = set()
        """Tables that are being taken over or let go of."""
        self._leaving: set[str] = set()
        """Tables that are let go of when their round ends."""
        self._doubtful: set[str] = set()
        """Tables whose lease must have run out by this node's clock, and which nobody may have taken."""
        self._position = 0
        self._skipped: set[str] = set()
        """Tables whose records have not been read, since this node wrote them itself."""
        self._news = asyncio.Event()
        self._hurry = asyncio.Event()
        self.handing = Handing(floor, self.holder, forward, self._hurry.set)
        self._next_beat_s = BEAT_S
        self._renewed_at = 0.0
        self._grace_until = 0.0
        self._draining = False
        self._follower: Any = None
        self._taking: asyncio.Task[None] | None = None
        self._refreshing: asyncio.Task[None] | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self.taken = 0
        self.lost = 0

    # ------------------------------------------------------------------ start and stop

    async def start(self, tables: Iterable[str]) -> None:
        """Join the others: say that this node lives, take what nobody holds, follow what others write."""
        self._wanted |= set(tables)
        loop = asyncio.get_running_loop()
        self._own = await asyncio.to_thread(self._open_journal)
        self._position = await asyncio.to_thread(self._journal.position)
        await asyncio.to_thread(self._leases.live_as, self.holder)

        def told(_position: int) -> None:
            loop.call_soon_threadsafe(self._news.set)

        self._follower = await asyncio.to_thread(self._leases.follow, told, self._writes_as)
        await self._bury()
        await asyncio.to_thread(self._leases.take_lease, NODE + self.holder, self.holder, LEASE_S)
        await self._beat()
        self._floor.listen(self._changed)
        self._tasks = [loop.create_task(each) for each in (self._beat_on(), self._follow_on(), self._look_at_clock())]
        if self._taking is not None:  # many tables take longer to read than a lease lasts: the beat goes on meanwhile
            await self._taking

    async def _bury(self) -> None:
        """Who was reached at this address before is dead: what it held is free, and nobody waits for it."""
        leases = await asyncio.to_thread(self._leases.leases)
        address = address_of(self.holder)
        dead = {each.holder for each in leases.values() if address_of(each.holder) == address and not each.is_there}
        for holder in sorted(dead - {self.holder}):
            await asyncio.to_thread(self._leases.end_leases, holder, 2 * LEASE_S)

    async def stop(self) -> None:
        """Let go of every table, when what it decided is written, and of this node's own sign of life."""
        self._draining = True
        for task in (*self._tasks, self._taking, self._refreshing):
            if task is not None:
                task.cancel()
        if self._own is None:
            return
        for name in self.mine:
            await self._let_go(name)
        with suppress(JournalError):
            await asyncio.to_thread(self._leases.release_lease, NODE + self.holder, self.holder)
        if self._follower is not None:
            self._follower.stop()
        await asyncio.to_thread(self._journal.close)

    @property
    def mine(self) -> list[str]:
        """The tables that this node holds."""
        return [name for name, table in self._floor.tables.items() if table.owned]

    @property
    def _journal(self) -> Journal:
        assert self._own is not None
        return self._own

    @property
    def _leases(self) -> LeaseHolder:
        journal: Any = self._journal
        found: LeaseHolder = journal
        return found

    # ------------------------------------------------------------------ leases

    async def _beat_on(self) -> None:
        while True:
            await asyncio.sleep(HURRY_S)
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, self._next_beat_s - HURRY_S)):
                    await self._hurry.wait()
            self._hurry.clear()
            try:
                await self._beat()
            except JournalError as error:
                LOGGER.warning("leases could not be renewed: %s", error)
            except Exception:  # whatever it is, it must not be the last beat
                LOGGER.exception("leases could not be renewed")

    async def _beat(self) -> None:
        """Renew, see who is there, take what is free, let go of what is too much."""
        began, before = asyncio.get_running_loop().time(), self.mine
        self._next_beat_s = BEAT_S
        held = await asyncio.to_thread(self._leases.renew_leases, self.holder, LEASE_S)
        is_new = self._leases.connections != self._connections  # the server may have been away for everybody
        if self._renewed_at and (is_new or began - self._renewed_at > LEASE_S):
            self._grace_until = began + GRACE_S
        self._renewed_at, self._connections = began, self._leases.connections
        for name in before:
            if name not in held and self._floor.tables[name].owned:
                self._lose(name)
        self._regain(held)
        await self._say_alive(NODE + self.holder in held)
        leases = await asyncio.to_thread(self._leases.leases)
        missing = self._missing(leases)
        gone = {} if began < self._grace_until else {who: left for who, left in missing.items() if left <= 0}
        for holder in sorted(gone):
            LOGGER.warning("%s is gone: its tables are free", holder)
            await asyncio.to_thread(self._leases.end_leases, holder, LEASE_S - LATE_S)
        valid = {name: lease for name, lease in leases.items() if lease.seconds_left > 0 and lease.holder not in gone}
        self.alive = {lease.holder for name, lease in valid.items() if name.startswith(NODE)} | {self.holder}
        self.handing.know({name: lease.holder for name, lease in valid.items() if not name.startswith("@")})
        # Who has not renewed for long may be dead: his tables are free at the moment that his leases run out.
        ends = [lease.seconds_left for lease in valid.values() if lease.holder != self.holder]
        ends += [left for left in missing.values() if left > 0]
        self._next_beat_s = min([BEAT_S, *(left + 0.01 for left in ends)])
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = self._beside(self._floor.refresh)
        self._wanted |= set(self._floor.tables)
        await self._balance()

    def _missing(self, leases: Mapping[str, Any]) -> dict[str, float]:
        """Nodes that were seen and are not any more, with the seconds until they are late with renewing."""
        there = {lease.holder for lease in leases.values() if lease.is_there}
        self._seen = {lease.holder for lease in leases.values()} & self._seen | there
        left: dict[str, float] = {}
        for lease in leases.values():
            if lease.holder in self._seen - there - {self.holder} and lease.seconds_left > 0:
                left[lease.holder] = max(left.get(lease.holder, 0.0), lease.seconds_left)
        return {holder: seconds - (LEASE_S - LATE_S) for holder, seconds in left.items()}

    async def _say_alive(self, is_held: bool) -> None:
        """Others count on a node that says so; one that is about to stop, or outdated, does not."""
        counts = not (self._draining or self._floor.closing or self.is_outdated)
        if counts and not is_held:
            await asyncio.to_thread(self._leases.take_lease, NODE + self.holder, self.holder, LEASE_S)
        elif is_held and not counts:
            await asyncio.to_thread(self._leases.release_lease, NODE + self.holder, self.holder)

    async def _balance(self) -> None:
        if self._draining or asyncio.get_running_loop().time() < self._grace_until:
            return
        mine = self.mine
        share = 0 if self._floor.closing else -(-len(self._wanted) // len(self.alive))
        for name in self._idle():
            if len(mine) >= share:
                await asyncio.to_thread(self._leases.release_lease, name, self.holder)
            self.handing.unheld(name)
        if len(mine) < share and not self.is_outdated and (self._taking is None or self._taking.done()):
            self._taking = self._beside(partial(self._take_free, share))
        self._leaving = set(mine[: min(len(mine) - share, LEAVING_MAX)]) if len(mine) > share else set()
        if self._floor.closing:
            self._leaving = set(mine)
        for name in sorted(self._leaving):
            current = self._floor.tables[name].state.round
            if _is_over(current) or (self._floor.closing and not (current.stacks or current.bets)):
                self._leave(name)

    def _idle(self) -> list[str]:
        """Tables whose lease is this node's while they are not: taking them over, or giving them back, has failed."""
        leased = {name for name, holder in self.handing.holders.items() if holder == self.holder}
        return sorted(leased.difference(self.mine, self._moving))

    async def _take_free(self, share: int) -> None:
        """Take tables that nobody holds, up to this node's share; each node begins with others."""
        found = self._wanted - self.handing.holders.keys() - self._moving
        free = sorted(found, key=lambda each: crc32(f"{self.holder} {each}".encode()), reverse=True)
        while free and not (self._floor.closing or self.is_outdated):
            some: list[str] = []
            while free and len(some) < min(TAKING_MAX, share - len(self.mine)):
                name = free.pop()
                if name not in self._moving and not self._floor.table(name).owned:
                    some.append(name)
            if not some:
                return
            await self._take(some)

    async def _take(self, names: Collection[str]) -> None:
        self._moving.update(names)
        try:
            fences = await asyncio.to_thread(self._leases.take_leases, names, self.holder, LEASE_S)
        except BaseException:
            self._moving.difference_update(names)
            raise
        self._moving.difference_update(set(names) - fences.keys())
        self._floor.writer.fences.update(fences)
        for error in await asyncio.gather(*map(self._take_over, fences), return_exceptions=True):
            if error is not None:
                raise error

    async def _take_over(self, name: str) -> None:
        """Go on with a table whose lease is this node's."""
        try:
            try:
                await self._floor.table(name).take_over()
            except UnknownEvent as error:
                self._outdated(error)
                await asyncio.to_thread(self._leases.release_lease, name, self.holder)
                return
        finally:
            self._moving.discard(name)
        self.handing.held(name)
        self.taken += 1
        LOGGER.info("this node holds the table", extra={"table": name})
        self._floor.woken(name)
        self.on_held(name)

    def _outdated(self, error: UnknownEvent) -> None:
        if not self.is_outdated:
            LOGGER.error("this node takes no more tables, upgrade it: %s", error)
        self.is_outdated = True
        self._hurry.set()

    def _changed(self, table: LiveTable, _events: tuple[Event, ...]) -> None:
        """A table has moved on: if it is to go elsewhere and its round is over, now is the moment."""
        if table.name in self._leaving and table.owned and _is_over(table.state.round):
            self._leave(table.name)

    def _leave(self, name: str) -> None:
        self._leaving.discard(name)
        self._floor.tables[name].owned = False
        self._moving.add(name)
        self._floor.background(self._let_go(name))

    async def _let_go(self, name: str) -> None:
        table = self._floor.tables[name]
        self._moving.add(name)
        try:
            with suppress(TimeoutError):  # what cannot be written is not waited for: the lease's end refuses it
                async with asyncio.timeout(LEASE_S):
                    await table.hand_over()
            self.handing.unheld(name)  # the number stays with the writer: what is still on its way is refused by it
            with suppress(JournalError):
                await asyncio.to_thread(self._leases.release_lease, name, self.holder)
        finally:
            self._moving.discard(name)

    def _lose(self, name: str) -> None:
        """Somebody else has the table by now, or will: the journal refuses whatever is still on its way."""
        LOGGER.warning("this node has lost the table", extra={"table": name})
        self._floor.tables[name].owned = False
        self.handing.unheld(name)
        self.lost += 1
        self._news.set()

    async def _look_at_clock(self) -> None:
        """A node that cannot renew its leases does not wait to be told: commands are handed on, or refused in time."""
        while True:
            await asyncio.sleep(BEAT_S / 2)
            if asyncio.get_running_loop().time() - self._renewed_at > LEASE_S:
                for name in self.mine:
                    self._lose(name)
                    self._doubtful.add(name)

    def _regain(self, held: set[str]) -> None:
        """A lease that is still this node's was nobody else's meanwhile: its table goes on where it stopped."""
        doubtful, self._doubtful = self._doubtful, set()
        for name in sorted(doubtful & held - self._moving):
            self._floor.tables[name].owned = True
            self.handing.held(name)
            self._floor.woken(name)
            self.on_held(name)

    def _beside(self, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        """Have something done beside the beat; what the journal refuses is tried again by a later beat."""

        async def tried() -> None:
            try:
                await work()
            except JournalError as error:
                LOGGER.warning("tables could not be taken over: %s", error)

        return asyncio.get_running_loop().create_task(tried())

    # ------------------------------------------------------------------ following

    def _writes_as(self) -> int:
        journal: Any = self._floor.writer.journal
        writer: LeaseHolder = journal
        return writer.writes_as

    async def _follow_on(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(BEAT_S):  # a missed notice costs a moment
                    await self._news.wait()
            self._news.clear()
            try:
                await self._catch_up()
            except JournalError as error:
                LOGGER.warning("the journal cannot be followed: %s", error)
                await asyncio.sleep(AGAIN_S)
            except Exception:  # whatever it is, watchers must not wait for ever
                LOGGER.exception("the journal cannot be followed")
                await asyncio.sleep(AGAIN_S)

    async def _catch_up(self) -> None:
        while True:
            mine, upto = set(self.mine), self._position + CHUNK
            lost = {name: self._floor.tables[name].state.seq for name in self._skipped - mine}
            rows, reached = await asyncio.to_thread(self._read, mine, lost, upto)
            for record in rows:
                if record.table != HOUSE:
                    self._wanted.add(record.table)
                    try:
                        self._see(record)
                    except UnknownEvent as error:
                        self._outdated(error)
            self._position = reached
            self._skipped = self._skipped - lost.keys() | mine
            if reached < upto:
                return

    def _see(self, record: Record) -> None:
        table = self._floor.tables.get(record.table) or self._floor.table(record.table, owned=False)
        if not (table.owned or table.broken or record.table in self._doubtful):
            table.follow(record)

    def _read(self, mine: set[str], lost: dict[str, int], upto: int) -> tuple[list[Record], int]:
        """What others wrote, and up to which position: what this node writes it need not read.

        A table that was its own until lately may have been another's for a while before it knew: what was skipped then
        comes first.
        """
        skipped = [record for name, seq in sorted(lost.items()) for record in self._journal.read(name, seq)]
        rows, reached = self._leases.news(self._position, upto, mine)
        return [*skipped, *rows], reached
