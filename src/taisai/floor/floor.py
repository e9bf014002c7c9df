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
import math
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct

from taisai.core.faults import InputFault
from taisai.floor.answers import Answer, HouseCode
from taisai.floor.attempts import Attempts
from taisai.floor.clock import JUMP_US, Clock
from taisai.floor.driver import RETRY_S, Driver
from taisai.floor.live import LiveTable, Reply
from taisai.floor.router import others_of
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
from taisai.table.commands import HOUSE_IDS, Command, OpenBets, PlaceBet, SetClock
from taisai.table.events import BetPaid, BetPlaced, Event, RoundConcluded, RoundInterrupted, RoundVoided
from taisai.table.people import Person, Role
from taisai.table.refusals import Refusal
from taisai.table.rules import Admits, Books
from taisai.table.state import TableState

if TYPE_CHECKING:
    from taisai.floor.dealer import Countdown
    from taisai.floor.nodes import Nodes

LOGGER = logging.getLogger("taisai.floor")
DISABLED: Final = "floor/disabled/"
EVERYTHING: Final = "*"
RANKS: Final = ("supervisor", "pit-manager", "shift-manager", "administrator")
"""The posts that may disable tables, lowest first."""
MARGIN_S: Final = 5.0
"""What a stop waits beyond the longest round in play: for commits, and for a dealer that is behind."""

Listener = Callable[[LiveTable, tuple[Event, ...]], None]


def _log(table: LiveTable, message: str, number: int, *figures: object) -> None:
    LOGGER.info(message, *figures, extra={"table": table.name, "round": number})


class Disabling(Struct, frozen=True):
    """Who let no new round begin, and why."""

    by: str
    rank: str
    """One of `RANKS`: at least that rank lifts it."""
    reason: str


def _disabled(journal: Journal) -> dict[str, Disabling]:
    """What is disabled, by table; what an earlier version stored does not say by whom."""
    found = {}
    for key, value in journal.entries(DISABLED).items():
        try:
            stored = msgspec.json.decode(value, type=Disabling)
        except msgspec.MsgspecError:
            stored = Disabling("", RANKS[-1], value.decode(errors="replace"))
        found[key.removeprefix(DISABLED)] = stored
    return found


class Floor:
    """Live tables, one writer each, over one journal."""

    def __init__(
        self,
        books: Books,
        open_journal: Callable[[], Journal],
        clock: Clock | None = None,
        *,
        large_win: int | None = None,
        admits: Admits | None = None,
        make_writer: Callable[[Callable[[], Journal], asyncio.AbstractEventLoop], GroupWriter] = GroupWriter,
    ) -> None:
        self._books = books
        self._admits = admits
        self._make_writer = make_writer
        self._open_journal = open_journal
        self.clock = clock or Clock()
        self.tables: dict[str, LiveTable] = {}
        self.drivers: dict[str, Driver] = {}
        self.disabled: dict[str, Disabling] = {}
        """Tables where no new round begins, by name; `*` for all of them (R35)."""
        self.hold: Refusal | None = None
        """Why no new round begins anywhere, when that is not a person's decision."""
        self.before_close: Callable[[], Awaitable[None]] | None = None
        """What is done when everything is written, before the journal is closed."""
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
        self._setting_clock: set[str] = set()
        self._attempts = Attempts(lambda what, by: self.background(self.log.note(what, by=by)))
        self.listen(self._attempts.on_events, bets=False)

    async def start(self) -> None:
        """Open the journal and every table in it; rounds that were in play are interrupted."""
        loop = asyncio.get_running_loop()
        self.writer = await asyncio.to_thread(self._make_writer, self._open_journal, loop)
        others = [] if self.nodes is not None else await self.writer.run(others_of)
        if others:
            await self.writer.stop()
            raise InputFault("node.address", f"must be set: {', '.join(others)} already serve this journal")
        self.log = HouseLog(self.writer.run, self.clock.now)
        self.clock.on_jump = self._clock_jumped
        self.disabled = _disabled(self.writer.journal)
        for name in game_tables(self.writer.journal):
            table = self.table(name)
            if self.nodes is not None:
                continue  # another node may hold it; whichever takes it over continues it
            self.set_clock(table)
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
            table = self.tables[name] = LiveTable(
                name,
                self.writer,
                self._books,
                self._changed,
                owned=mine,
                admits=self._admits,
                on_refused=self._attempts.refused,
            )
        return table

    def wake(self, name: str) -> None:
        """Let a table's automatic dealer, if it has one, look at it: it has come to this node."""
        driver = self.drivers.get(name)
        if driver is not None:
            driver.wake()

    async def refresh(self) -> None:
        """Read again what other nodes may have changed beside the tables."""
        self.disabled = await self.writer.run(_disabled)

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
        elif self.closing or self.disabled or self.hold is not None or self.nodes is not None:
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
        elif self.disabled and isinstance(do, OpenBets) and self.is_disabled(table.name):
            refusal = Refusal(HouseCode.DISABLED, "The table is disabled: no new round begins.", ("R35",))
            reply(Answer(table.state.seq, refusal=refusal))
        elif self.hold is not None and isinstance(do, OpenBets):
            reply(Answer(table.state.seq, refusal=self.hold))
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

    # ------------------------------------------------------------------ the clock

    def _clock_jumped(self, due: int, shown: int) -> None:
        """Record at every table of this node that the wall clock was set, and by how much."""
        self._note(ClockChanged(due, shown))
        for table in self.tables.values():
            self._set_clock(table, shown - due, shown)

    def set_clock(self, table: LiveTable) -> None:
        """Record that the clock is behind a table's last record: set back meanwhile, or that of another node."""
        now = self.clock.now()
        if table.state.at - now > JUMP_US:
            self._set_clock(table, now - table.state.at, now)

    def _set_clock(self, table: LiveTable, by_us: int, now: int) -> None:
        if table.state.set_up is None or not table.owned:
            return  # nothing is timed; or the node that holds it has a clock of its own
        self._setting_clock.add(table.name)
        by = Person("house", Role.SYSTEM)
        command = Command(id=f"{HOUSE_IDS}clock-{now}", at=now, by=by, do=SetClock(by_us))

        def reply(answer: Answer) -> None:
            if answer.refusal is not None and table.owned and not self.closed:
                asyncio.get_running_loop().call_later(RETRY_S, table.submit, command, reply)
            else:
                self._setting_clock.discard(table.name)

        table.submit(command, reply)

    def is_setting_clock(self, table: LiveTable) -> bool:
        """Whether a jump of the clock is not on record yet: until it is, nothing at the table is due."""
        if table.state.at - self.clock.now() > JUMP_US and table.name not in self._setting_clock:
            self.set_clock(table)
        return table.name in self._setting_clock

    def is_disabled(self, name: str) -> bool:
        """Whether no new round begins at a table."""
        return name in self.disabled or EVERYTHING in self.disabled

    async def disable(self, what: str, *, by: str, rank: str, reason: str) -> Refusal | None:
        """Let no new round begin at a table, or at any (`*`); the one in play is finished (R35).

        What a higher rank has disabled stays theirs.
        """
        if await self._disable(what, rank, Disabling(by, rank, reason)) is None:
            await self.log.note(HouseDisabled() if what == EVERYTHING else TableDisabled(what), by=by, reason=reason)
        return None

    async def enable(self, what: str, *, by: str, rank: str, reason: str) -> Refusal | None:
        """Let rounds begin again; whoever disabled them had this rank, or a lower one."""
        higher = await self._disable(what, rank, None)
        if higher is not None:
            sentence = f"This was disabled by a higher rank ({higher.rank})."
            return Refusal(HouseCode.NOT_ALLOWED, sentence, ("R35",), allowed=f"by a {higher.rank} or above")
        await self.log.note(HouseEnabled() if what == EVERYTHING else TableEnabled(what), by=by, reason=reason)
        for name in self.drivers:
            self.drivers[name].wake()
        return None

    async def _disable(self, what: str, rank: str, after: Disabling | None) -> Disabling | None:
        """Set or lift a disabling, unless a higher rank has set the one in force, here or elsewhere: then that."""

        def change(journal: Journal) -> Disabling | None:
            before = _disabled(journal).get(what)
            if before is not None and RANKS.index(before.rank) > RANKS.index(rank):
                return before
            journal.put(DISABLED + what, None if after is None else msgspec.json.encode(after))
            return None

        higher = await self.writer.run(change)
        now = higher or after
        if now is None:
            self.disabled.pop(what, None)
        else:
            self.disabled[what] = now
        return higher

    # ------------------------------------------------------------------ what happened

    def _changed(self, table: LiveTable, events: tuple[Event, ...]) -> None:
        if len(events) == 1 and type(events[0].what) is BetPlaced:
            self.bets += table.owned
            for listener in self._bet_listeners:
                listener(table, events)
            return
        driver = self.drivers.get(table.name)
        if driver is not None:
            driver.wake()
        for event in events:
            what = event.what
            if isinstance(what, RoundConcluded):
                self.rounds += table.owned
                _log(table, "round concluded: staked %d, returned %d", what.round, what.staked, what.returned)
            elif isinstance(what, RoundVoided):
                self.voids += table.owned
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

    def to_finish(self) -> tuple[int, int]:
        """The rounds that automatic tables would finish before the program stops, and how many seconds that takes."""
        now = self.clock.now()
        ends = [at for driver in self.drivers.values() if (at := driver.finishes_at(now)) is not None]
        return len(ends), math.ceil((max(ends, default=now) - now) / 1e6)

    @property
    def longest_round_s(self) -> float:
        """How long the longest round that is in play at an automatic table of this node lasts; 0 when none is."""
        return max((driver.needs_s for driver in self.drivers.values()), default=0.0)

    def hurry(self) -> None:
        """Finish no round: whoever asked to stop does not wait. They go on when the program starts again."""
        for driver in self.drivers.values():
            driver.cancel()

    async def stop(self, finish_s: float | None = None) -> None:
        """Begin no new round, let automatic tables finish theirs, and write everything; other rounds stay open.

        It waits for as long as the longest round in play lasts, unless `finish_s` says otherwise. Among several nodes
        whatever need not be finished here is handed over first.
        """
        self.closing = True
        if self.nodes is not None:
            self.nodes.drain()
        with_empty = self.nodes is not None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.longest_round_s + MARGIN_S if finish_s is None else finish_s):
                await asyncio.gather(*(driver.finish(with_empty=with_empty) for driver in self.drivers.values()))
        for driver in self.drivers.values():
            driver.cancel()
        self._attempts.flush_all()
        if self.nodes is not None:
            await self.nodes.stop()
        for task in list(self._tasks):
            with contextlib.suppress(Exception):
                await task
        for table in self.tables.values():
            if table.state.seq and self.nodes is None:
                table.snapshot()
        self.closed = True
        await self.writer.run(lambda _journal: None)  # whatever was decided is written first
        if self.before_close is not None:
            await self.before_close()
        await self.writer.stop()
