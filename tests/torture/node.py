"""A process of the floor in a simulation: everything of it is the program's own but the thread, the clock and the dice.

Enters: the simulated time and disk. Leaves: a `Floor` with its `Nodes`, drivers, live tables and group writer, which
can be started, frozen and killed between any two steps.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty
from random import Random
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec.structs import replace

from taisai.floor.answers import Answer, HouseCode
from taisai.floor.clock import Clock
from taisai.floor.dealer import AutomaticDealer
from taisai.floor.dice import VirtualTumbler, mischief_every, no_mischief
from taisai.floor.driver import Driver
from taisai.floor.floor import Floor
from taisai.floor.nodes import Nodes
from taisai.floor.writer import GroupWriter, PendingWrite
from taisai.journal import Journal, JournalError
from taisai.settings.forms import Timing
from taisai.table.commands import Command, Purpose
from taisai.table.refusals import Refusal
from tests.torture.disk import SimulatedJournal
from tests.torture.loop import SECOND, Handle, NodeLoop

if TYPE_CHECKING:
    from tests.torture.simulate import World

T = TypeVar("T")

HURRY: Final = Timing(
    betting_ms=300, after_close_ms=0, tumbling_ms=0, reveal_ms=0, lit_ms=0, paid_ms=0, between_ms=20
)  # fmt: skip
ANSWER_US: Final = 2 * SECOND
"""How long one node waits for another's answer."""


class _Chance:
    """The chance of one tumbler, which begins when it is asked: most processes end before they have dealt."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._chance: Random | None = None

    def randbytes(self, count: int) -> bytes:
        """Some bytes."""
        if self._chance is None:
            self._chance = Random(self._seed)
        return self._chance.randbytes(count)


class SimulatedWriter(GroupWriter):
    """The group writer without its thread: it takes what waits, is at the server a moment later, and then hears."""

    def _start(self) -> None:
        assert isinstance(self._loop, NodeLoop)
        assert isinstance(self.journal, SimulatedJournal)
        self._busy = False
        self._sim: NodeLoop = self._loop
        self._disk = self.journal.disk
        self._end: asyncio.Future[None] | None = None

    def _hand_over(self) -> None:
        super()._hand_over()
        if not self._busy:
            self._kick()

    def chore(self, work: Callable[[Journal], None]) -> None:
        """Have something done."""
        super().chore(work)
        if not self._busy:
            self._kick()

    async def run(self, work: Callable[[Journal], T]) -> T:
        """Have something done, and wait for it."""
        self._sim.call_soon(self._kick)
        return await super().run(work)

    async def stop(self) -> None:
        """Write what waits, and close the journal."""
        self._stopped = True
        self._end = self._sim.create_future()
        self._put(None)
        self._kick()
        await self._end
        self.journal.close()

    def _kick(self) -> None:
        if not self._busy:
            self._busy = True
            self._sent()

    def _sent(self) -> None:
        """The thread takes what waits; the request leaves."""
        try:
            first = self._queue.get_nowait()
        except Empty:
            self._busy = False
            return
        group, chores, stopping = self._gather(first)
        disk = self._disk
        disk.time.after(disk.latency(), self._arrived, group, chores, stopping, dict(self.fences))

    def _arrived(
        self,
        group: list[PendingWrite],
        chores: Sequence[Callable[[Journal], None]],
        stopping: bool,
        fences: dict[str, int],
    ) -> None:
        """The request is at the server, whatever has become of its sender; it carries the numbers of then."""
        loop, disk = self._sim, self._disk
        now, self.fences = self.fences, fences
        try:
            if loop.dead:
                if group and disk.chance.random() < 0.5:
                    with suppress(JournalError):
                        self._append([one.batch for one in group])
                return
            held = loop.hold()
            try:
                self._carry_out(group, chores)
            finally:
                loop.release()
        finally:
            self.fences = now
        loop.later(disk.latency(), self._heard, held, stopping)

    def _heard(self, held: list[Handle], stopping: bool) -> None:
        self._busy = False
        if held:
            self._sim.deliver(held)
        if not self._queue.empty():
            self._kick()
        if stopping and self._end is not None and not self._end.done():
            self._end.set_result(None)


class SimulatedNode:
    """One place of the floor where a process runs, dies and is started again."""

    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.number = number
        self.address = f"node-{number}"
        self.cut = False
        """The way to the server is cut."""
        self.apart = False
        """The other nodes are not reached."""
        self.skew_us = 0
        self.life = 0
        self.ready = False
        self.leaving = False
        self.disturbed = False
        """This life of it was frozen, or asked to leave."""
        self.told: dict[str, int] = {}
        """The last record of each table that this life of it has told of."""
        self.holder = ""
        self.loop: NodeLoop
        self.floor: Floor
        self.start()

    @property
    def alive(self) -> bool:
        """Whether the process runs, frozen or not."""
        return not self.loop.dead

    def start(self) -> None:
        """A new process."""
        world = self.world
        self.life += 1
        self.ready = self.leaving = self.disturbed = False
        self.told = {}
        self.holder = f"{self.address}#{self.life}"
        self.loop = loop = NodeLoop(world.time)
        holder = self.holder
        time = world.time
        clock = Clock(lambda: time.now + self.skew_us, lambda: time.now)

        def open_journal() -> Journal:
            return SimulatedJournal(world.disk, loop, holder, lambda: self.cut)

        self.floor = Floor(world.book_of, open_journal, clock, large_win=2_000, make_writer=SimulatedWriter)
        if world.several:
            self.floor.nodes = Nodes(self.floor, self.address, self._forward, open_journal, name=str(self.life))
        self.floor.listen(partial(world.checker.told, self))
        loop.start(self._open(loop, self.floor))

    async def _open(self, loop: NodeLoop, floor: Floor) -> None:
        world = self.world
        try:
            await floor.start()
            if floor.nodes is not None:
                await floor.nodes.start(world.tables)
        except JournalError as error:
            world.note("%s cannot start: %s", self.holder, error)
            self.world.time.after(1, self._give_up, loop)
            return
        for name in world.tables:
            chance = _Chance(f"{world.seed} {self.holder} {name}")
            dice = VirtualTumbler(chance.randbytes, mischief_every(9) if world.mischief else no_mischief)
            dealer = AutomaticDealer(
                world.book, dice, HURRY, unattended=True, idle_when_empty=False, purpose=Purpose.DEMO
            )
            floor.automate(name, Driver(dealer))
        self.ready = True
        world.note("%s is open", self.holder)

    def _give_up(self, loop: NodeLoop) -> None:
        if loop is self.loop and not loop.dead:
            self.crash()
            self.world.time.after(SECOND // 2, self._again, self.life)

    def _again(self, life: int) -> None:
        if self.life == life and not self.alive:
            self.start()

    # ------------------------------------------------------------------ what can happen to it

    def crash(self, back_us: int | None = None) -> None:
        """The process ends here and now."""
        if self.alive:
            self.loop.die()
            self.ready = False
            self.world.checker.died(self)
        if back_us is not None:
            self.world.time.after(back_us, self._again, self.life)

    def leave(self, back_us: int) -> None:
        """The process is asked to end, as for an upgrade; who takes too long is killed."""
        if not self.alive or not self.ready or self.leaving or self.loop.is_frozen:
            return
        self.leaving = self.disturbed = True
        life = self.life
        loop = self.loop

        async def go() -> None:
            await self.floor.stop(finish_s=2.0)
            self.world.note("%s has left", self.holder)
            loop.later(1, self._left, life, back_us)

        loop.start(go())
        self.world.time.after(12 * SECOND, self._left, life, back_us)

    def _left(self, life: int, back_us: int) -> None:
        if self.life == life and self.alive:
            self.crash(back_us)

    # ------------------------------------------------------------------ what reaches it

    def hear(self, table: str, command: Command, reply: Callable[[Answer], None]) -> bool:
        """A player's command, as it arrives; false when nobody is there for it."""
        floor = self.floor
        live = floor.tables.get(table)
        if not self.ready or floor.closed or live is None:
            return False
        floor.submit(live, replace(command, at=floor.clock.now()), reply)
        return True

    async def _forward(self, address: str, table: str, command: Command) -> Answer:
        """Hand a command on to another node, over a network that loses things."""
        world, loop = self.world, self.loop
        other = world.nodes[int(address.rpartition("-")[2])]
        if not other.alive or self.apart or other.apart:
            await asyncio.sleep(0.01)
            raise ConnectionError(f"{address} is not there")
        future: asyncio.Future[Answer] = loop.create_future()
        chance, time = world.chance, world.time

        def answer(answer: Answer) -> None:
            if not (self.apart or other.apart) and chance.random() > 0.01:
                bare = Answer(answer.seq, refusal=answer.refusal, repeated=answer.repeated)
                loop.later(time.between(20, 400), lambda: None if future.done() else future.set_result(bare))

        other.loop.later(time.between(20, 400), other.hear_peer, table, command, answer)
        loop.later(ANSWER_US, _too_late, future)
        return await future

    def hear_peer(self, table: str, command: Command, reply: Callable[[Answer], None]) -> None:
        """What another node hands on, as `web.peers` carries it out."""
        floor = self.floor
        live = floor.tables.get(table) if self.ready else None
        if live is None or not live.owned:
            reply(Answer(0, refusal=Refusal(HouseCode.NOT_HELD, "This node does not hold the table.")))
            return
        floor.submit_here(live, replace(command, at=max(floor.clock.now(), live.state.at)), reply)


def _too_late(future: asyncio.Future[Answer]) -> None:
    if not future.done():
        future.set_exception(TimeoutError())
