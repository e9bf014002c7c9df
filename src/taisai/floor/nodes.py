"""Several nodes on one journal: who writes to which table.

Enters: a journal with leases (PostgreSQL), this node's address, a way to reach the others. Leaves: every table of the
floor held by exactly one node; what others write, read from the journal and told to this node's own watchers; commands
for other nodes' tables, handed on to them.

A lease is renewed every second and runs out after three. Its fencing number goes with every commit, and the journal
refuses a number that has passed: a node that was frozen writes nothing when it wakes up, whatever it believes. The
journal is the truth for those who follow; its notices only wake them, so a missed one costs a read and never an event.

A node that has more than its share lets go of tables between two rounds, one at a time; one that stops lets go of all.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, Protocol

from taisai.floor.answers import Fault, HouseCode, Outcome
from taisai.floor.live import LiveTable, Reply
from taisai.journal import Journal, JournalError
from taisai.journal.house import HOUSE
from taisai.journal.record import Record
from taisai.table.actions import Command
from taisai.table.state import RoundPhase

if TYPE_CHECKING:
    from taisai.floor.floor import Floor

LOGGER = logging.getLogger("taisai.floor")
LEASE_S: Final = 3.0
BEAT_S: Final = 1.0
PATIENCE_S: Final = 8.0
"""How long a command waits for a table that nobody holds."""
AGAIN_S: Final = 0.1
CHUNK: Final = 5_000
NODE: Final = "@node/"
"""A lease of this name says that a node lives, whether it holds a table or not."""


class LeaseHolder(Protocol):
    """What a journal for several nodes does beyond the contract."""

    def take_lease(self, table: str, holder: str, seconds: float) -> int | None:
        """The fencing number, or None while somebody else has the lease."""
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

    def follow(self, told: Callable[[int], None]) -> Any:
        """Have somebody told of every commit."""
        ...


class Forward(Protocol):
    """Hands a command on to another node."""

    async def __call__(self, address: str, table: str, command: Command) -> Outcome:
        """What became of it there; an exception when the node cannot be reached."""
        ...


def address_of(holder: str) -> str:
    """Where a holder is reached: its name is its address and a word of its own."""
    return holder.partition("#")[0]


class Nodes:
    """One node among the others."""

    def __init__(self, floor: Floor, address: str, forward: Forward) -> None:
        self._floor = floor
        self._forward = forward
        self.holder = f"{address}#{token_hex(8)}"
        self.holders: dict[str, str] = {}
        """Who holds each table, as far as is known."""
        self.alive: set[str] = set()
        self._wanted: set[str] = set()
        self._position = 0
        self._news = asyncio.Event()
        self._draining = False
        self._follower: Any = None
        self._tasks: list[asyncio.Task[None]] = []
        self.taken = 0
        self.lost = 0

    # ------------------------------------------------------------------ start and stop

    async def start(self, tables: Iterable[str]) -> None:
        """Join the others: say that this node lives, take what nobody holds, follow what others write."""
        self._wanted |= set(tables)
        loop = asyncio.get_running_loop()
        self._position = await asyncio.to_thread(self._journal.position)

        def told(_position: int) -> None:
            loop.call_soon_threadsafe(self._news.set)

        self._follower = await asyncio.to_thread(self._leases.follow, told)
        await asyncio.to_thread(self._leases.take_lease, NODE + self.holder, self.holder, LEASE_S)
        await self._beat()
        self._tasks = [loop.create_task(self._beat_on()), loop.create_task(self._follow_on())]

    async def stop(self) -> None:
        """Let go of every table, when what it decided is written, and of this node's own sign of life."""
        self._draining = True
        for task in self._tasks:
            task.cancel()
        for name in self.mine:
            await self._let_go(name)
        with suppress(JournalError):
            await asyncio.to_thread(self._leases.release_lease, NODE + self.holder, self.holder)
        if self._follower is not None:
            self._follower.stop()

    @property
    def mine(self) -> list[str]:
        """The tables that this node holds."""
        return [name for name, table in self._floor.tables.items() if table.owned]

    @property
    def _journal(self) -> Journal:
        return self._floor.writer.journal

    @property
    def _leases(self) -> LeaseHolder:
        journal: Any = self._floor.writer.journal
        found: LeaseHolder = journal
        return found

    # ------------------------------------------------------------------ leases

    async def _beat_on(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            try:
                await self._beat()
            except JournalError as error:
                LOGGER.warning("leases could not be renewed: %s", error)

    async def _beat(self) -> None:
        """Renew, see who is there, take what is free, let go of what is too much."""
        floor = self._floor
        held = await asyncio.to_thread(self._leases.renew_leases, self.holder, LEASE_S)
        for name in self.mine:
            if name not in held:
                self._lose(name)
        if NODE + self.holder not in held and not self._draining:
            await asyncio.to_thread(self._leases.take_lease, NODE + self.holder, self.holder, LEASE_S)
        leases = await asyncio.to_thread(self._leases.leases)
        valid = {name: lease for name, lease in leases.items() if lease.seconds_left > 0}
        self.alive = {lease.holder for name, lease in valid.items() if name.startswith(NODE)} | {self.holder}
        self.holders = {name: lease.holder for name, lease in valid.items() if not name.startswith("@")}
        await floor.refresh()
        self._wanted |= set(floor.tables)
        if self._draining:
            return
        share = -(-len(self._wanted) // len(self.alive))
        for name in self._idle():
            if len(self.mine) >= share:
                await asyncio.to_thread(self._leases.release_lease, name, self.holder)
            del self.holders[name]
        for name in sorted(self._wanted - self.holders.keys()):
            if len(self.mine) < share:
                await self._take(name)
        if len(self.mine) > share:
            await self._let_one_go()

    def _idle(self) -> list[str]:
        """Tables whose lease is this node's while they are not: taking them over, or giving them back, has failed."""
        leased = {name for name, holder in self.holders.items() if holder == self.holder}
        return sorted(leased.difference(self.mine))

    async def _take(self, name: str) -> None:
        fence = await asyncio.to_thread(self._leases.take_lease, name, self.holder, LEASE_S)
        if fence is None:
            return
        self._floor.writer.fences[name] = fence
        await self._floor.table(name).take_over()
        self.holders[name] = self.holder
        self.taken += 1
        LOGGER.info("this node holds the table", extra={"table": name})
        self._floor.woken(name)

    async def _let_one_go(self) -> None:
        """A table that is between two rounds; when none is, another beat will find one."""
        for name in self.mine:
            current = self._floor.tables[name].state.round
            if current.phase is RoundPhase.BETWEEN and not current.commitment:
                await self._let_go(name)
                return

    async def _let_go(self, name: str) -> None:
        table = self._floor.tables[name]
        with suppress(TimeoutError):  # what cannot be written is not waited for: the lease's end refuses it
            async with asyncio.timeout(LEASE_S):
                await table.hand_over()
        self.holders.pop(name, None)  # the number stays with the writer: what is still on its way is refused by it
        with suppress(JournalError):
            await asyncio.to_thread(self._leases.release_lease, name, self.holder)

    def _lose(self, name: str) -> None:
        """Somebody else has the table by now, or will: the journal refuses whatever is still on its way."""
        LOGGER.warning("this node has lost the table", extra={"table": name})
        self._floor.tables[name].owned = False
        self.holders.pop(name, None)
        self.lost += 1

    # ------------------------------------------------------------------ following

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

    async def _catch_up(self) -> None:
        while True:
            rows = await asyncio.to_thread(self._read)
            for record in rows:
                self._position = record.position
                if record.table != HOUSE:
                    self._wanted.add(record.table)
                    table = self._floor.tables.get(record.table) or self._floor.table(record.table, owned=False)
                    if not table.owned and not table.broken:
                        table.follow(record)
            if len(rows) < CHUNK:
                return

    def _read(self) -> list[Record]:
        upto = self._position + CHUNK
        return list(self._journal.read_all(self._position, upto))

    # ------------------------------------------------------------------ commands for others

    def submit(self, table: LiveTable, command: Command, reply: Reply) -> None:
        """Carry a command out, here or at the node that holds its table."""
        if not table.owned:
            self._floor.background(self._hand_on(table, command, reply))
            return

        def heard(outcome: Outcome) -> None:
            if outcome.fault is not None and outcome.fault.code == HouseCode.NOT_HELD:
                self._floor.background(self._hand_on(table, command, reply))
            else:
                reply(outcome)

        table.submit(command, heard)

    async def _hand_on(self, table: LiveTable, command: Command, reply: Reply) -> None:
        loop = asyncio.get_running_loop()
        patience = loop.time() + PATIENCE_S
        while loop.time() < patience:
            if table.owned:
                self.submit(table, command, reply)
                return
            holder = self.holders.get(table.name)
            if holder is not None and holder != self.holder:
                try:
                    outcome = await self._forward(address_of(holder), table.name, command)
                except (OSError, TimeoutError) as error:
                    LOGGER.debug("%s cannot be reached: %s", address_of(holder), error)
                else:
                    if outcome.fault is None or outcome.fault.code != HouseCode.NOT_HELD:
                        reply(outcome)
                        return
            await asyncio.sleep(AGAIN_S)
        sentence = "The table is changing hands; it is not known whether this was recorded."
        reply(
            Outcome(table.state.seq, fault=Fault(HouseCode.TRY_AGAIN, sentence, allowed="repeat it with the same id"))
        )
