"""A live table: one writer, and nothing is answered before it is on disk.

Enters: commands with their reply callbacks. Leaves: an `Answer` for each, after its events are on disk; and for the
listener every new durable state with its events.

A command is decided at once, on the state that follows from everything decided so far, and its events go to the group
writer; the next command is decided meanwhile. Nothing is shown before it is written. When a write fails, everything
decided on top of it is void too: its senders are refused, and the table continues from what is on disk. A command
whose outcome is unknown (the connection was lost in the commit) is looked up there.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Set
from typing import Final

from msgspec.structs import replace

from taisai.floor.answers import Answer, HouseCode
from taisai.floor.recent import COMMANDS_KEPT, KnownCommands
from taisai.floor.writer import GroupWriter
from taisai.journal import (
    Batch,
    DuplicateCommand,
    Journal,
    JournalDamaged,
    JournalError,
    JournalFull,
    JournalReadOnly,
    LeaseLost,
)
from taisai.journal.record import Record
from taisai.streams.codec import event_of, events_of, records_of
from taisai.streams.loading import load
from taisai.table.commands import HOUSE_IDS, Command, DealtBy, Interrupt
from taisai.table.decide import decide
from taisai.table.events import Event
from taisai.table.evolve import evolve, replay
from taisai.table.ledger import LedgerBroken
from taisai.table.people import Person, Role
from taisai.table.refusals import Refusal
from taisai.table.rules import Admits, Books, RulesCache, TableRules
from taisai.table.state import SNAPSHOT_FORMAT, RoundPhase, TableState, snapshot_of

LOGGER = logging.getLogger("taisai.floor")
Reply = Callable[[Answer], None]
Listener = Callable[["LiveTable", tuple[Event, ...]], None]
OnRefused = Callable[["LiveTable", Command, Refusal], None]

SNAPSHOT_EVERY: Final = 2_000
"""Events between snapshots: a restart replays at most so many."""
INFLIGHT_MAX: Final = 10_000
"""Commands of one table that may wait to be written."""


def restart_command(state: TableState, at: int) -> Command | None:
    """The command that interrupts a round which was in play when the program stopped; None when none was.

    A round of the house's own dealer that had closed has its dice on record, and simply goes on (I5).
    """
    current = state.round
    if current.phase is RoundPhase.BETWEEN or current.interrupted:
        return None
    if current.fixed is not None and state.dealt_by is DealtBy.HOUSE:
        return None
    by = Person("house", Role.SYSTEM)
    return Command(id=f"{HOUSE_IDS}restart-{state.seq}", at=at, by=by, do=Interrupt("the house was restarted"))


class _Pending:
    """A command that is decided and not yet on disk: a `PendingWrite`."""

    __slots__ = ("batch", "command", "command_id", "events", "replies", "state", "table")

    def __init__(
        self,
        table: LiveTable,
        command: Command,
        batch: Batch,
        events: tuple[Event, ...],
        state: TableState,
    ) -> None:
        self.table = table
        self.command = command
        self.command_id = command.id
        self.batch = batch
        self.events = events
        self.state = state
        self.replies: list[Reply] = []

    def on_written(self, error: JournalError | None) -> None:
        """The writer's answer."""
        self.table.on_written(self, error)


class LiveTable:
    """The one writer of one table."""

    def __init__(
        self,
        name: str,
        writer: GroupWriter,
        books: Books,
        listener: Listener,
        *,
        owned: bool = True,
        admits: Admits | None = None,
        on_refused: OnRefused | None = None,
    ) -> None:
        self.name = name
        self._on_refused = on_refused
        self.owned = owned
        """Whether this node writes to it; otherwise it follows what another node writes."""
        self._writer = writer
        self._rules = RulesCache(books, admits)
        self._listener = listener
        self._pending: dict[str, _Pending] = {}
        self._waiting: list[tuple[Command, Reply]] = []
        self._recovering = False
        self._catching_up = False
        """Whether records that another node wrote are being read."""
        self._unsure = False
        """The disk could not be read after a failure: it must be read before anything else is decided."""
        self._failed: list[tuple[_Pending, JournalError]] = []
        self.broken = ""
        """Why the table has stopped, after an invariant was violated."""
        self.refusals: dict[str, int] = {}
        self.commands = 0
        self._load(writer.journal)

    def _load(self, journal: Journal) -> None:
        self.state, self._snapshot_seq = load(journal, self.name)
        """The durable state; `_next` is the state after everything decided."""
        self._next = self.state
        recent = journal.recent_commands(self.name, COMMANDS_KEPT)
        self._known = KnownCommands(recent, COMMANDS_KEPT)

    def rules(self) -> TableRules | None:
        """The rules of the table's book, once it is set up."""
        return self._rules.of(self.state)

    @property
    def in_flight(self) -> int:
        """How many commands are decided and not yet on disk."""
        return len(self._pending)

    def restart(self, at: int) -> Command | None:
        """The command that interrupts a round which was in play when the program stopped, if one was."""
        return restart_command(self.state, at)

    def submit(self, command: Command, reply: Reply) -> None:
        """Carry a command out; the reply comes when its events are on disk, or at once with a refusal."""
        self.commands += 1
        if self._unsure and not self._recovering:
            self._recovering = True
            self._writer.chore(self._look_up)
        if self._recovering:
            self._waiting.append((command, reply))
            return
        if command.id in self._pending or command.id in self._known:
            self._repeat(command, reply)
        elif self.broken:
            self._refuse(reply, Refusal(HouseCode.TABLE_BROKEN, f"The table has stopped: {self.broken}"))
        elif len(self._pending) >= INFLIGHT_MAX:
            self._refuse(
                reply, Refusal(HouseCode.TOO_MANY, "Too many commands of this table wait to be written; try again.")
            )
        else:
            self._decide(command, reply)

    def _decide(self, command: Command, reply: Reply) -> None:
        state = self._next
        rules = self._rules.for_command(state, command)
        decided = rules if isinstance(rules, Refusal) else decide(rules, state, command)
        if isinstance(decided, Refusal):
            self._refuse_unless_done(command, reply, decided)
            return
        expected = state.seq
        try:
            for event in decided:
                state = evolve(state, event)
        except LedgerBroken as error:
            self.broken = str(error)
            self._refuse(reply, Refusal(HouseCode.TABLE_BROKEN, f"The table has stopped: {error}"))
            return
        batch = Batch(self.name, expected, records_of(command.id, decided))
        pending = self._pending[command.id] = _Pending(self, command, batch, tuple(decided), state)
        pending.replies.append(reply)
        self._next = state
        self._writer.write(pending)

    def _refuse_unless_done(self, command: Command, reply: Reply, refusal: Refusal) -> None:
        """Refuse a command, unless it is a repeat of one so old that only the journal knows its id."""

        def refuse() -> None:
            self._refuse(reply, refusal)
            if self._on_refused is not None:
                self._on_refused(self, command, refusal)

        if self._known.is_complete:
            refuse()
        else:
            self._answer_as_first(command, reply, refuse)

    def _refuse(self, reply: Reply, refusal: Refusal) -> None:
        self.refusals[refusal.code] = self.refusals.get(refusal.code, 0) + 1
        reply(Answer(self.state.seq, refusal=refusal))

    def on_written(self, pending: _Pending, error: JournalError | None) -> None:
        """A commit's acknowledgement: the command is on disk, or why it is not."""
        if error is not None or self._recovering:
            if not self._recovering:
                level = logging.INFO if isinstance(error, DuplicateCommand) else logging.ERROR
                LOGGER.log(level, "not written: %s", error, extra={"table": self.name})
            if isinstance(error, LeaseLost):
                self.owned = False
            self._failed.append((pending, error or JournalError("an earlier record failed")))
            self._recovering = True
            if len(self._failed) == len(self._pending):
                self._writer.chore(self._look_up)
            return
        del self._pending[pending.command_id]
        is_newer = pending.state.seq > self.state.seq  # a node that has lost the table may have read this, and more
        if is_newer:
            self.state = pending.state
        self._known.add(pending.command_id)
        answer = Answer(pending.state.seq, pending.events)
        for reply in pending.replies:
            reply(answer)
        if is_newer:
            self._listener(self, pending.events)
        if self.state.seq - self._snapshot_seq >= SNAPSHOT_EVERY:
            self.snapshot()

    def snapshot(self) -> None:
        """Save the durable state, so that a restart need not replay what came before."""
        state = self.state
        self._snapshot_seq = state.seq

        def save(journal: Journal) -> None:
            journal.save_snapshot(state.table, state.seq, SNAPSHOT_FORMAT, snapshot_of(state))

        self._writer.chore(save)

    # ------------------------------------------------------------------ moving between nodes

    async def take_over(self) -> None:
        """Become its writer, after reading the disk: another node may have written a moment ago."""
        known = self.state

        def read(journal: Journal) -> tuple[TableState, list[str]]:
            rest = list(journal.read(self.name, known.seq))
            return replay(known, events_of(rest)), [record.command_id for record in rest]

        state, ids = await self._writer.run(read)
        for command_id in ids:
            self._known.add(command_id)
        moved = state.seq > self.state.seq
        if moved:  # `follow` may have seen the last records while they were read here
            self.state = state
        self._next = self.state
        # The other node has saved snapshots too: this one need not begin with its own.
        self._snapshot_seq = max(self._snapshot_seq, self.state.seq - SNAPSHOT_EVERY // 2)
        self.owned = True
        if moved:
            self._listener(self, ())

    @property
    def decided(self) -> TableState:
        """The state after everything that was decided, which is not all on disk yet."""
        return self._next

    async def hand_over(self) -> None:
        """Decide nothing more, and wait until everything decided is on disk."""
        self.owned = False
        while self._pending:
            await self._writer.run(lambda _journal: None)

    def follow(self, record: Record) -> None:
        """Apply a record that another node has written."""
        state = self.state
        if record.seq == state.seq + 1:
            event = event_of(record)
            try:
                self.state = evolve(state, event)
            except LedgerBroken as error:
                self.broken = str(error)
            if not self._pending:
                self._next = self.state
            self._known.add(record.command_id)
            self._listener(self, (event,))
        elif record.seq > state.seq and not self._catching_up:
            self._catching_up = True
            self._writer.chore(self._catch_up)

    def _catch_up(self, journal: Journal) -> None:
        """On the writer's thread: read the records of a gap."""
        try:
            records = list(journal.read(self.name, self.state.seq))
        except JournalError as error:
            LOGGER.warning("records of another node cannot be read: %s", error, extra={"table": self.name})
            records = []
        self._writer.on_loop(lambda: self._caught_up(records))

    def _caught_up(self, records: list[Record]) -> None:
        self._catching_up = False
        try:
            for record in () if self.owned else records:
                self.follow(record)
        except JournalError as error:
            LOGGER.warning("records of another node cannot be decoded: %s", error, extra={"table": self.name})

    # ------------------------------------------------------------------ after a failure

    def _look_up(self, journal: Journal) -> None:
        """On the writer's thread: read what is on disk now, and which of the failed commands are there."""
        failed, known = self._failed, self.state
        self._writer.recovered(self.name)
        try:
            end = journal.head(self.name).seq
            if end < known.seq:
                raise JournalDamaged(f"table {self.name} has shown record {known.seq}, and the journal ends at {end}")
            rest = list(journal.read(self.name, known.seq))
            state = replay(known, events_of(rest))
            ids = {record.command_id for record in rest}
            there = {
                each.command_id: journal.find_command(self.name, each.command_id)
                for each, error in failed
                # A command decided before the known state may have been read by following another node; one that is
                # older than the ids in memory is known to the journal alone.
                if each.command_id in ids or each.batch.expected_seq < known.seq or _is_repeat(each, error)
            }
            first = {each: (records[0].by, _first_answer(records)) for each, records in there.items() if records}
        except JournalError as error:
            unreadable = error
            self._writer.on_loop(lambda: self._unreadable(unreadable))
            return
        self._writer.on_loop(lambda: self._recovered(state, ids | first.keys(), first))

    def _unreadable(self, error: JournalError) -> None:
        """The outcome of the failed commands is unknown: their senders must repeat them with the same id."""
        LOGGER.error("the journal cannot be read: %s", error, extra={"table": self.name})
        sentence = "It is not known whether this was recorded: the journal does not answer."
        refusal = Refusal(HouseCode.NOT_RECORDED, sentence, allowed="repeat it with the same id")
        self._next = self.state
        self._unsure = True
        self._end_recovery({}, refusal)

    def _recovered(self, state: TableState, ids: Set[str], first: dict[str, tuple[str, Answer]]) -> None:
        moved = state.seq > self.state.seq
        if moved:  # a node that has lost the table may have read more of it in the meantime
            self.state = state
        self._next = self.state
        self._unsure = False
        for command_id in ids:
            self._known.add(command_id)
        self._end_recovery(first, None)
        if moved:  # otherwise nobody is woken: an automatic dealer would retry at once, for ever
            self._listener(self, ())

    def _end_recovery(self, first: dict[str, tuple[str, Answer]], unknown: Refusal | None) -> None:
        """Answer what failed: as the first time when it is on disk; what a repeat brought down is decided again."""
        failed, self._failed = self._failed, []
        waiting, self._waiting = self._waiting, []
        self._pending.clear()
        self._recovering = False
        by_repeat = unknown is None and bool(failed) and isinstance(failed[0][1], DuplicateCommand)
        for pending, error in failed:
            command = pending.command
            by, answer = first.get(command.id, ("", None))
            if answer is None and not by_repeat:
                refusal = unknown or _not_recorded(error)
                self.refusals[refusal.code] = self.refusals.get(refusal.code, 0) + 1
                answer = Answer(self.state.seq, refusal=refusal)
            for reply in pending.replies:
                if answer is None:
                    waiting.append((command, reply))
                elif answer.refusal is None and by != command.by.id:
                    self._under_own_id(command, reply)
                else:
                    reply(answer)
        for command, reply in waiting:
            if unknown is not None:
                self._refuse(reply, unknown)
            elif self.owned:
                self.submit(command, reply)
            else:
                reply(Answer(self.state.seq, refusal=_not_recorded(LeaseLost(self.name, 0, None))))

    # ------------------------------------------------------------------ repeats

    def _repeat(self, command: Command, reply: Reply) -> None:
        """A known command: the answer that its first sending gets, or the one that the journal has."""
        pending = self._pending.get(command.id)
        if pending is not None:
            if pending.command.by.id == command.by.id:
                pending.replies.append(lambda answer: reply(_again(answer)))
            else:
                self._under_own_id(command, reply)
            return

        self._answer_as_first(command, reply, lambda: self._under_own_id(command, reply))

    def _answer_as_first(self, command: Command, reply: Reply, otherwise: Callable[[], None]) -> None:
        """Give the answer that the journal has for this person's command; call `otherwise` when it has none."""

        def find(journal: Journal) -> None:
            try:
                records = journal.find_command(self.name, command.id)
                answer = _first_answer(records) if records and records[0].by == command.by.id else None
            except JournalError as error:
                LOGGER.error("the journal cannot be read: %s", error, extra={"table": self.name})
                refusal = Refusal(HouseCode.TRY_AGAIN, "The first answer cannot be read now.")
                answer = Answer(self.state.seq, refusal=refusal)
            found = answer
            self._writer.on_loop(otherwise if found is None else lambda: reply(found))

        self._writer.chore(find)

    def _under_own_id(self, command: Command, reply: Reply) -> None:
        """Somebody else has used the id. An id is unique for a person, so this one's name is put before it."""
        if command.id.startswith(HOUSE_IDS):
            sentence = "Somebody else has used this command id: choose a new one."
            reply(Answer(self.state.seq, refusal=Refusal(HouseCode.ID_TAKEN, sentence, field="id")))
        elif self.owned:
            self.submit(replace(command, id=f"{HOUSE_IDS}{command.by.id}:{command.id}"), reply)
        else:
            reply(Answer(self.state.seq, refusal=_not_recorded(LeaseLost(self.name, 0, None))))


def _is_repeat(pending: _Pending, error: JournalError) -> bool:
    """Whether a command was refused because its own id is in the journal."""
    return isinstance(error, DuplicateCommand) and error.command_id == pending.command_id


def _first_answer(records: list[Record]) -> Answer:
    """The answer of the command that left these records."""
    return Answer(records[-1].seq, tuple(events_of(records)), repeated=True)


def _again(answer: Answer) -> Answer:
    return Answer(answer.seq, answer.events, answer.refusal, repeated=answer.refusal is None)


def _not_recorded(error: JournalError) -> Refusal:
    if isinstance(error, LeaseLost):
        return Refusal(HouseCode.NOT_HELD, "Another node holds this table now.", allowed="repeat it with the same id")
    why = next((words for kind, words in _WHY.items() if isinstance(error, kind)), "the journal cannot be written")
    return Refusal(HouseCode.NOT_RECORDED, f"Nothing was recorded: {why}.", allowed="try again with the same id")


_WHY: Final[dict[type[JournalError], str]] = {
    JournalFull: "the journal's disk is full",
    JournalReadOnly: "the journal is read-only",
}
"""What clients are told; the journal's address is for the log only."""
