"""Several nodes on one journal: who writes to which table.

Enters: a journal with leases (PostgreSQL), this node's address, a way to reach the others. Leaves: every table of the
floor held by exactly one node; what others write, read from the journal and shown to this node's own watchers; commands
for other nodes' tables, forwarded to them (`router`).

A lease is renewed every 0.8 s and expires after 2.5 s; a holder that renews late and has no connection to the database
any more loses it sooner. Every commit carries the lease's fencing number, and the journal refuses one that is not
current: a node that was frozen cannot write when it wakes up, whatever it believes. Followers trust only the journal;
its notices merely wake them, so a missed one costs a read and never an event.

Leases have a connection of their own: a slow commit, or reading many tables, must not cost a node its leases.

A node with more than its share releases tables as their rounds end, a few at a time; a node that stops releases each
table when its round is over. A node that cannot read what a newer version writes takes no more tables.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from contextlib import suppress
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from taisai.core.faults import InputFault
from taisai.floor.live import LiveTable
from taisai.floor.router import Forward, Greet, Greetings, Router, address_of
from taisai.journal import Journal, JournalError, JournalFailed, Lease, Leases, Record
from taisai.journal.contract import Subscription
from taisai.streams.house_events import HOUSE_STREAM
from taisai.streams.upcast import UnknownEvent
from taisai.table.events import Event
from taisai.table.state import Round, RoundPhase

if TYPE_CHECKING:
    from taisai.floor.floor import Floor

LOGGER = logging.getLogger("taisai.floor")
LEASE_S: Final = 2.5
BEAT_S: Final = 0.8
LATE_S: Final = 1.1
"""A node that has not renewed for so long, and has no connection any more, is dead: the others need not wait for its
leases to expire."""
RETRY_S: Final = 0.1
HURRY_S: Final = 0.2
"""The least time between two beats, while a command waits for a table."""
TWIN_S: Final = 2 * LEASE_S
"""How long a node that starts waits for one at its own address to end; one that has died does not renew its leases."""
GRACE_S: Final = 2.0
"""After the database was away for all, the time in which each node recovers its own tables and takes no others."""
LEAVING_MAX: Final = 10
"""Tables that a node with more than its share releases at a time."""
TAKING_MAX: Final = 8
"""Tables that a node takes over at a time: most of the work is waiting for the database."""
CHUNK: Final = 5_000
NODE: Final = "@node/"
"""The prefix of a node's own lease, which shows that it is alive, whether it holds a table or not."""


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
        greet: Greet | None = None,
    ) -> None:
        """`open_journal` opens the journal once more, for leases and for what others write.

        With `greet`, this node and the others reach one another before it is ready.

        `name` distinguishes this process from earlier and later ones at the same address; the default is random.
        """
        self._floor = floor
        self.holder = f"{address}#{name or token_hex(8)}"
        self.alive: set[str] = set()
        self._seen: set[str] = set()
        """Nodes that have announced a connection; an older version does not, and is not judged by it."""
        self._connections = 0
        """The number of the connection at the last beat."""
        self.is_outdated = False
        """A newer version has written events that this one cannot read: it keeps its tables and takes no others."""
        self.on_taken: Callable[[str], None] = lambda _name: None
        """Called with every table that this node takes."""
        self._open_journal = open_journal
        self._own: Journal | None = None
        self._tables: set[str] = set()
        """The tables of the floor, whoever holds them."""
        self._moving: set[str] = set()
        """Tables that are being taken over or released."""
        self._leaving: set[str] = set()
        """Tables to release when their round ends."""
        self._doubtful: set[str] = set()
        """Tables whose lease has expired by this node's clock, though perhaps no other node has taken them."""
        self._position = 0
        self._skipped: set[str] = set()
        """Tables whose records were not read, because this node wrote them itself."""
        self._news = asyncio.Event()
        self._hurry = asyncio.Event()
        self.router = Router(floor, self.holder, forward, self._hurry.set)
        self.greetings = Greetings(self.holder, greet)
        self._next_beat_s = BEAT_S
        self._renewed_at = 0.0
        self._grace_until = 0.0
        self._draining = False
        self._subscription: Subscription | None = None
        self._taking: asyncio.Task[None] | None = None
        self._refreshing: asyncio.Task[None] | None = None
        self._greeting: asyncio.Task[None] | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self.taken = 0
        self.lost = 0

    # ------------------------------------------------------------------ start and stop

    async def start(self, tables: Iterable[str]) -> None:
        """Join the others: show that this node is alive, take free tables, follow what others write."""
        self._tables |= set(tables)
        loop = asyncio.get_running_loop()
        self._own = await asyncio.to_thread(self._open_journal)
        self._position = await asyncio.to_thread(self._journal.position)
        await asyncio.to_thread(self._leases.announce, self.holder)

        def on_commit(_position: int) -> None:
            loop.call_soon_threadsafe(self._news.set)

        try:
            await self._expire_predecessors()
            await self._greet_the_others()
        except BaseException:
            await asyncio.to_thread(self._journal.close)
            self._own = None
            raise
        self._subscription = await asyncio.to_thread(self._leases.follow, on_commit, self._writer_id)
        await asyncio.to_thread(self._leases.take, [NODE + self.holder], self.holder, LEASE_S)
        await self._beat()
        self._floor.listen(self._changed)
        self._tasks = [loop.create_task(each) for each in (self._keep_beating(), self._keep_following(), self._watch())]
        if self._taking is not None:  # reading many tables takes longer than a lease lasts: the beat goes on meanwhile
            await self._taking

    async def _expire_predecessors(self) -> None:
        """Free what earlier processes at this address held: they are dead, and nobody need wait for their leases."""
        leases = await asyncio.to_thread(self._leases.current)
        address = address_of(self.holder)
        dead = {each.holder for each in leases.values() if address_of(each.holder) == address and not each.is_connected}
        for holder in sorted(dead - {self.holder}):
            await asyncio.to_thread(self._leases.expire, holder, 2 * LEASE_S)

    async def _greet_the_others(self) -> None:
        """Refuse to join a house that this node's settings do not fit, before anything is leased."""
        address, wait_until = address_of(self.holder), asyncio.get_running_loop().time() + TWIN_S
        while True:
            leases = await asyncio.to_thread(self._leases.current)
            alive = {each.holder for each in leases.values() if each.is_connected and each.seconds_left > 0}
            if address not in map(address_of, alive):
                break
            if asyncio.get_running_loop().time() > wait_until:
                raise InputFault("node.address", f"is that of another running node: {address}")
            await asyncio.sleep(RETRY_S)
        await self.greetings.meet(alive)
        if self.greetings.is_refused:
            raise InputFault("node.secret", self.greetings.unmet[0])

    def drain(self) -> None:
        """Hand over at once every table that has no round to finish here, the others as their rounds end."""
        self._leaving = set(self.mine)
        self._leave_those_ready()
        self._hurry.set()

    async def stop(self) -> None:
        """Release every table once its decisions are written, and this node's own lease.

        Commands that still arrive go to the nodes that take the tables, as long as this one knows who they are.
        """
        self._draining = True
        if self._own is not None:
            for name in self.mine:
                await self._release(name)
            with suppress(TimeoutError):
                async with asyncio.timeout(LEASE_S):
                    await self._until_taken()
        self.router.close()
        for task in (*self._tasks, self._taking, self._refreshing, self._greeting):
            if task is not None:
                task.cancel()
        if self._own is None:
            return
        with suppress(JournalError):
            await asyncio.to_thread(self._leases.release, NODE + self.holder, self.holder)
        if self._subscription is not None:
            self._subscription.stop()
        await asyncio.to_thread(self._journal.close)

    async def _until_taken(self) -> None:
        """Until other nodes hold every table, if there are others."""
        while self.alive - {self.holder} and not self._tables <= self.router.holders.keys():
            self._hurry.set()
            await asyncio.sleep(RETRY_S)

    @property
    def unmet(self) -> list[str]:
        """Why this node cannot work with the others yet, a sentence each."""
        return self.greetings.unmet

    @property
    def mine(self) -> list[str]:
        """The tables that this node holds."""
        return [name for name, table in self._floor.tables.items() if table.owned]

    @property
    def _journal(self) -> Journal:
        assert self._own is not None
        return self._own

    @property
    def _leases(self) -> Leases:
        return _leases_of(self._journal)

    # ------------------------------------------------------------------ leases

    async def _keep_beating(self) -> None:
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
            except Exception:  # no error may stop the beat
                LOGGER.exception("leases could not be renewed")

    async def _beat(self) -> None:
        """Renew leases, see which nodes are alive, take free tables, release those over this node's share."""
        began, before = asyncio.get_running_loop().time(), self.mine
        self._next_beat_s = BEAT_S
        held = await asyncio.to_thread(self._leases.renew, self.holder, LEASE_S)
        is_new = self._leases.connections != self._connections  # the server may have been away for everybody
        if self._renewed_at and (is_new or began - self._renewed_at > LEASE_S):
            self._grace_until = began + GRACE_S
        self._renewed_at, self._connections = began, self._leases.connections
        for name in before:
            if name not in held and self._floor.tables[name].owned:
                self._lose(name)
        self._regain(held)
        await self._show_alive(NODE + self.holder in held)
        leases = await asyncio.to_thread(self._leases.current)
        missing = self._missing(leases)
        gone = {} if began < self._grace_until else {who: left for who, left in missing.items() if left <= 0}
        for holder in sorted(gone):
            LOGGER.warning("%s is gone: its tables are free", holder)
            await asyncio.to_thread(self._leases.expire, holder, LEASE_S - LATE_S)
        valid = {name: lease for name, lease in leases.items() if lease.seconds_left > 0 and lease.holder not in gone}
        self.alive = {lease.holder for name, lease in valid.items() if name.startswith(NODE)} | {self.holder}
        self.router.update({name: lease.holder for name, lease in valid.items() if not name.startswith("@")})
        self.router.is_last = self._floor.closing and self.alive == {self.holder}
        if self._greeting is None or self._greeting.done():
            self._greeting = self._in_background(partial(self.greetings.meet, self.alive - {self.holder}))
        # A node that has not renewed for long may be dead: the next beat comes when its leases expire.
        ends = [lease.seconds_left for lease in valid.values() if lease.holder != self.holder]
        ends += [left for left in missing.values() if left > 0]
        self._next_beat_s = min([BEAT_S, *(left + 0.01 for left in ends)])
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = self._in_background(self._floor.refresh)
        self._tables |= set(self._floor.tables)
        await self._balance()

    def _missing(self, leases: Mapping[str, Lease]) -> dict[str, float]:
        """Nodes that were connected and are not any more, with the seconds until their renewal is late."""
        there = {lease.holder for lease in leases.values() if lease.is_connected}
        self._seen = {lease.holder for lease in leases.values()} & self._seen | there
        left: dict[str, float] = {}
        for lease in leases.values():
            if lease.holder in self._seen - there - {self.holder} and lease.seconds_left > 0:
                left[lease.holder] = max(left.get(lease.holder, 0.0), lease.seconds_left)
        return {holder: seconds - (LEASE_S - LATE_S) for holder, seconds in left.items()}

    async def _show_alive(self, is_held: bool) -> None:
        """Hold this node's own lease, which counts it among those that share the tables.

        A node that is stopping, or outdated, does not count.
        """
        counts = not (self._draining or self._floor.closing or self.is_outdated)
        if counts and not is_held:
            await asyncio.to_thread(self._leases.take, [NODE + self.holder], self.holder, LEASE_S)
        elif is_held and not counts:
            await asyncio.to_thread(self._leases.release, NODE + self.holder, self.holder)

    async def _balance(self) -> None:
        if self._draining or asyncio.get_running_loop().time() < self._grace_until:
            return
        mine = self.mine
        share = 0 if self._floor.closing else -(-len(self._tables) // len(self.alive))
        for name in self._idle():
            if len(mine) >= share:
                await asyncio.to_thread(self._leases.release, name, self.holder)
            self.router.forget(name)
        if len(mine) < share and not self.is_outdated and (self._taking is None or self._taking.done()):
            self._taking = self._in_background(partial(self._take_free, share))
        self._leaving = set(mine[: min(len(mine) - share, LEAVING_MAX)]) if len(mine) > share else set()
        if self._floor.closing:
            self._leaving = set(mine)
        self._leave_those_ready()

    def _leave_those_ready(self) -> None:
        """Release the tables that are to leave: between rounds, or at once where people deal and the node stops."""
        for name in sorted(self._leaving):
            by_people = self._floor.closing and name not in self._floor.drivers
            if by_people or _is_over(self._floor.tables[name].decided.round):
                self._leave(name)

    def _idle(self) -> list[str]:
        """Tables that this node has leased but does not run: taking them over, or releasing them, has failed."""
        leased = {name for name, holder in self.router.holders.items() if holder == self.holder}
        return sorted(leased.difference(self.mine, self._moving))

    async def _take_free(self, share: int) -> None:
        """Take tables that no node holds, up to this node's share; each node takes them in an order of its own."""
        names = self._tables - self.router.holders.keys() - self._moving
        free = sorted(names, key=lambda each: crc32(f"{self.holder} {each}".encode()), reverse=True)
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
            fences = await asyncio.to_thread(self._leases.take, names, self.holder, LEASE_S)
        except BaseException:
            self._moving.difference_update(names)
            raise
        self._moving.difference_update(set(names) - fences.keys())
        self._floor.writer.fences.update(fences)
        for error in await asyncio.gather(*map(self._take_over, fences), return_exceptions=True):
            if error is not None:
                raise error

    async def _take_over(self, name: str) -> None:
        """Continue a table that this node has leased."""
        try:
            try:
                await self._floor.table(name).take_over()
            except UnknownEvent as error:
                self._outdated(error)
                await asyncio.to_thread(self._leases.release, name, self.holder)
                return
        finally:
            self._moving.discard(name)
        self.router.took(name)
        self.taken += 1
        LOGGER.info("this node holds the table", extra={"table": name})
        self._floor.set_clock(self._floor.tables[name])
        self._floor.wake(name)
        self.on_taken(name)

    def _outdated(self, error: UnknownEvent) -> None:
        if not self.is_outdated:
            LOGGER.error("this node takes no more tables, upgrade it: %s", error)
        self.is_outdated = True
        self._hurry.set()

    def _changed(self, table: LiveTable, _events: tuple[Event, ...]) -> None:
        """Release a table that is to leave, as soon as its round is over."""
        if table.name in self._leaving and table.owned and _is_over(table.decided.round):
            self._leave(table.name)

    def _leave(self, name: str) -> None:
        self._leaving.discard(name)
        self._floor.tables[name].owned = False
        self._moving.add(name)
        self._floor.background(self._release(name))

    async def _release(self, name: str) -> None:
        table = self._floor.tables[name]
        self._moving.add(name)
        try:
            with suppress(TimeoutError):  # what is not written by then is refused once the lease has ended
                async with asyncio.timeout(LEASE_S):
                    await table.hand_over()
            self.router.forget(name)  # the writer keeps the fencing number, so that late writes are refused
            with suppress(JournalError):
                await asyncio.to_thread(self._leases.release, name, self.holder)
        finally:
            self._moving.discard(name)

    def _lose(self, name: str) -> None:
        """Stop running a table that another node has taken, or may: the journal refuses writes that are under way."""
        LOGGER.warning("this node has lost the table", extra={"table": name})
        self._floor.tables[name].owned = False
        self.router.forget(name)
        self.lost += 1
        self._news.set()

    async def _watch(self) -> None:
        """Give up tables whose leases have expired by this node's own clock, so that commands are answered in time."""
        while True:
            await asyncio.sleep(BEAT_S / 2)
            if asyncio.get_running_loop().time() - self._renewed_at > LEASE_S:
                for name in self.mine:
                    self._lose(name)
                    self._doubtful.add(name)

    def _regain(self, held: set[str]) -> None:
        """Continue tables whose lease is still this node's: no other node has had it meanwhile."""
        doubtful, self._doubtful = self._doubtful, set()
        for name in sorted(doubtful & held - self._moving):
            self._floor.tables[name].owned = True
            self.router.took(name)
            self._floor.wake(name)
            self.on_taken(name)

    def _in_background(self, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        """Run work beside the beat; a later beat retries what the journal refuses."""

        async def attempt() -> None:
            try:
                await work()
            except JournalError as error:
                LOGGER.warning("tables could not be taken over: %s", error)

        return asyncio.get_running_loop().create_task(attempt())

    # ------------------------------------------------------------------ following

    def _writer_id(self) -> int:
        return _leases_of(self._floor.writer.journal).writer_id

    async def _keep_following(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(BEAT_S):  # a missed notice costs a moment
                    await self._news.wait()
            self._news.clear()
            try:
                await self._catch_up()
            except JournalError as error:
                LOGGER.warning("the journal cannot be followed: %s", error)
                await asyncio.sleep(RETRY_S)
            except Exception:  # no error may leave watchers without news
                LOGGER.exception("the journal cannot be followed")
                await asyncio.sleep(RETRY_S)

    async def _catch_up(self) -> None:
        while True:
            mine, upto = set(self.mine), self._position + CHUNK
            lost = {name: self._floor.tables[name].state.seq for name in self._skipped - mine}
            rows, reached = await asyncio.to_thread(self._read, mine, lost, upto)
            for record in rows:
                if record.table != HOUSE_STREAM:
                    self._tables.add(record.table)
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
        """What others wrote, and up to which position; this node need not read its own records.

        A table that this node has lost may have been another's for a while before it noticed: the records that it
        skipped then come first.
        """
        skipped = [record for name, seq in sorted(lost.items()) for record in self._journal.read(name, seq)]
        rows, reached = self._leases.news(self._position, upto, mine)
        return [*skipped, *rows], reached


def _leases_of(journal: Journal) -> Leases:
    if journal.leases is None:
        raise JournalFailed("several nodes need a journal with leases: use PostgreSQL")
    return journal.leases
