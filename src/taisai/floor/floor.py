"""The floor: all live tables over one journal.

Enters: commands for tables by name; which tables are dealt automatically. Leaves: answers, sent once their events are
on disk; every new durable state to the listeners. When the program starts, every table is as the journal says, and a
round that was in play is interrupted. When it stops, automatic tables finish the round in play; the others stay as they
are.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final

from taisai.floor.answers import Answer, HouseCode
from taisai.floor.clock import Clock
from taisai.floor.driver import Driver
from taisai.floor.live import LiveTable, Reply
from taisai.floor.writer import GroupWriter
from taisai.house.log import HouseLog
from taisai.journal import Journal
from taisai.streams.house_events import (
    ClockChanged,
    HouseDisabled,
    HouseEnabled,
    HouseEventBody,
    LargeWin,
    TableDisabled,
    TableEnabled,
    game_tables,
)
from taisai.table.commands import Command, OpenBets, PlaceBet
from taisai.table.events import BetPaid, BetPlaced, Event, RoundConcluded, RoundInterrupted, RoundVoided
from taisai.table.refusals import Refusal
from taisai.table.rules import Books
from taisai.table.state import TableState

if TYPE_CHECKING:
    from taisai.floor.dealer import Countdown
    from taisai.floor.nodes import Nodes

LOGGER = logging.getLogger("taisai.floor")
DISABLED: Final = "floor/disabled/"
EVERYTHING: Final = "*"
FINISH_S: Final = 20.0
"""How long automatic tables have to finish the round in play when the program stops."""

Listener = Callable[[LiveTable, tuple[Event, ...]], None]


def _log(table: LiveTable, message: str, number: int, *figures: object) -> None:
    LOGGER.info(message, *figures, extra={"table": table.name, "round": number})


class Floor:
    """Live tables, one writer each, over one journal."""

    def __init__(
        self,
        books: Books,
        open_journal: Callable[[], Journal],
        clock: Clock | None = None,
        *,
        large_win: int | None = None,
        make_writer: Callable[[Callable[[], Journal], asyncio.AbstractEventLoop], GroupWriter] = GroupWriter,
    ) -> None:
        self._books = books
        self._make_writer = make_writer
        self._open_journal = open_journal
        self.clock = clock or Clock()
        self.tables: dict[str, LiveTable] = {}
        self.drivers: dict[str, Driver] = {}
        self.disabled: set[str] = set()
        """Names of tables where no new round begins; `*` for all of them (R35)."""
        self.closing = False
        self.closed = False
        self.nodes: Nodes | None = None
        """This node among others, where several share the journal."""
        self.writer: GroupWriter
        self.log: HouseLog
        self._listeners: list[Listener] = []
        self._bet_listeners: list[Listener] = []
        """The listeners that also want changes which only add a bet."""
        self._large_win = large_win
        self._tasks: set[asyncio.Task[Any]] = set()
        self.rounds = 0
        self.voids = 0
        self.bets = 0

    async def start(self) -> None:
        """Open the journal and every table in it; rounds that were in play are interrupted."""
        loop = asyncio.get_running_loop()
        self.writer = await asyncio.to_thread(self._make_writer, self._open_journal, loop)
        self.log = HouseLog(self.writer.run, self.clock.now)
        self.clock.on_jump = lambda due, shown: self._note(ClockChanged(due, shown))
        kept = self.writer.journal.entries(DISABLED)
        self.disabled = {name.removeprefix(DISABLED) for name in kept}
        for name in game_tables(self.writer.journal):
            table = self.table(name)
            if self.nodes is not None:
                continue  # another node may hold it; whichever takes it over continues it
            command = table.restart(self.clock.now())
            if command is not None:
                await self.do(name, command)

    def listen(self, listener: Listener, *, bets: bool = True) -> None:
        """Call a listener with every new durable state; without `bets`, not with those that only add a bet."""
        self._listeners.append(listener)
        if bets:
            self._bet_listeners.append(listener)

    def table(self, name: str, *, owned: bool | None = None) -> LiveTable:
        """A table by its name; an unknown one is new and without a set-up.

        Where there are other nodes it is not this node's before its lease is taken.
        """
        table = self.tables.get(name)
        if table is None:
            mine = self.nodes is None if owned is None else owned
            table = self.tables[name] = LiveTable(name, self.writer, self._books, self._changed, owned=mine)
        return table

    def wake(self, name: str) -> None:
        """Let a table's automatic dealer, if it has one, look at it: it has come to this node."""
        driver = self.drivers.get(name)
        if driver is not None:
            driver.wake()

    async def refresh(self) -> None:
        """Read again what other nodes may have changed beside the tables."""
        kept = await self.writer.run(lambda journal: journal.entries(DISABLED))
        self.disabled = {name.removeprefix(DISABLED) for name in kept}

    def forget(self, name: str) -> None:
        """Forget a table that never had a record."""
        if name in self.tables and not self.tables[name].state.seq:
            del self.tables[name]

    def automate(self, name: str, driver: Driver) -> None:
        """Have a table dealt automatically."""
        self.drivers[name] = driver
        driver.start(self, self.table(name))

    def mode(self, name: str) -> str:
        """How a table is dealt: `automatic`, or by a `dealer`."""
        return "automatic" if name in self.drivers else "dealer"

    def until(self, state: TableState) -> Countdown | None:
        """What an automatic dealer does next, and when."""
        driver = self.drivers.get(state.table)
        return None if driver is None else driver.until(state, self.clock.now())

    # ------------------------------------------------------------------ commands

    def submit(self, table: LiveTable, command: Command, reply: Reply) -> None:
        """Carry a command out, here or at the node that holds its table; the reply comes once it is on disk."""
        if self.nodes is not None and not table.owned:
            self.nodes.router.submit(table, command, reply)
        elif self.closing or self.disabled or self.nodes is not None:
            self.submit_here(table, command, reply)
        else:
            table.submit(command, reply)

    def submit_here(self, table: LiveTable, command: Command, reply: Reply) -> None:
        """Carry a command out at a table of this node."""
        do = command.do
        if self.closed:
            reply(Answer(table.state.seq, refusal=Refusal(HouseCode.CLOSING, "The house is closed.")))
        elif self.closing and self.nodes is None and isinstance(do, (OpenBets, PlaceBet)):
            refusal = Refusal(HouseCode.CLOSING, "The house is closing: no new round begins and no bet is taken.")
            reply(Answer(table.state.seq, refusal=refusal))
        elif self.disabled and isinstance(do, OpenBets) and not self.disabled.isdisjoint((EVERYTHING, table.name)):
            refusal = Refusal(HouseCode.DISABLED, "The table is disabled: no new round begins.", ("R35",))
            reply(Answer(table.state.seq, refusal=refusal))
        elif self.nodes is None:
            table.submit(command, reply)
        else:
            self.nodes.router.submit(table, command, reply)

    async def do(self, name: str, command: Command) -> Answer:
        """Carry a command out and wait for its answer."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def reply(answer: Answer) -> None:
            if not future.done():
                future.set_result(answer)

        self.submit(self.table(name), command, reply)
        return await future

    async def disable(self, what: str, *, by: str, reason: str) -> None:
        """Let no new round begin at a table, or at any (`*`); the one in play is finished (R35)."""
        await self.writer.run(lambda journal: journal.put(DISABLED + what, reason.encode() or b"-"))
        self.disabled.add(what)
        await self.log.note(HouseDisabled() if what == EVERYTHING else TableDisabled(what), by=by, reason=reason)

    async def enable(self, what: str, *, by: str, reason: str) -> None:
        """Let rounds begin again."""
        await self.writer.run(lambda journal: journal.put(DISABLED + what, None))
        self.disabled.discard(what)
        await self.log.note(HouseEnabled() if what == EVERYTHING else TableEnabled(what), by=by, reason=reason)
        for name in self.drivers:
            self.drivers[name].wake()

    # ------------------------------------------------------------------ what happened

    def _changed(self, table: LiveTable, events: tuple[Event, ...]) -> None:
        if len(events) == 1 and type(events[0].what) is BetPlaced:
            self.bets += 1
            for listener in self._bet_listeners:
                listener(table, events)
            return
        driver = self.drivers.get(table.name)
        if driver is not None:
            driver.wake()
        for event in events:
            what = event.what
            if isinstance(what, RoundConcluded):
                self.rounds += 1
                _log(table, "round concluded: staked %d, returned %d", what.round, what.staked, what.returned)
            elif isinstance(what, RoundVoided):
                self.voids += 1
                _log(table, "round void: %s", what.round, what.why)
            elif isinstance(what, RoundInterrupted):
                _log(table, "round interrupted: %s", what.round, what.cause)
            elif isinstance(what, BetPaid) and self._large_win and what.winnings >= self._large_win:
                self._note(LargeWin(table.name, table.state.round.number, what.player, what.winnings))
        for listener in self._listeners:
            listener(table, events)

    def _note(self, what: HouseEventBody) -> None:
        self.background(self.log.note(what))

    def background(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run work as a task of its own; a failure is logged."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            LOGGER.error("background work failed: %s", error, exc_info=error)

    # ------------------------------------------------------------------ the end

    async def stop(self, finish_s: float = FINISH_S) -> None:
        """Begin no new round, let automatic tables finish theirs, and write everything; other rounds stay open."""
        self.closing = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(finish_s):
                await asyncio.gather(*(driver.finish() for driver in self.drivers.values()))
        for driver in self.drivers.values():
            driver.cancel()
        if self.nodes is not None:
            await self.nodes.stop()
        for task in list(self._tasks):
            with contextlib.suppress(Exception):
                await task
        for table in self.tables.values():
            if table.state.seq and self.nodes is None:
                table.snapshot()
        self.closed = True
        await self.writer.stop()
