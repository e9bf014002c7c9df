"""A table and its journal: what is answered is on disk.

Enters: commands. Leaves: answers; the events of an accepted command are durable before the answer is given, and a
repeated command gets its first answer. After a restart the table stands where the journal says, from the newest
snapshot on; a round that was in play is interrupted until dealer and supervisor say which dice can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from taisai.core.rulebook import RuleBook
from taisai.journal.codec import event_of, events_of, records_of
from taisai.journal.contract import DuplicateCommand, Journal
from taisai.journal.record import Batch
from taisai.table.actions import Command, Interrupt, SetUp
from taisai.table.decide import decide
from taisai.table.evolve import evolve, replay
from taisai.table.happenings import Event
from taisai.table.people import Person, Role
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import TableRules
from taisai.table.state import SNAPSHOT_FORMAT, RoundPhase, TableState, snapshot_of, state_from

SNAPSHOT_EVERY: Final = 2_000
"""Events between snapshots: what a restart replays at most."""
COMMANDS_KEPT: Final = 10_000
"""Command ids held in memory; an older repeat is still caught by the journal's own key."""

Books = Callable[[str], RuleBook]
"""A rule book by its id."""


class Answer(Struct, frozen=True):
    """What became of a command."""

    events: tuple[Event, ...]
    refusal: Refusal | None = None
    repeated: bool = False
    """The command had been carried out before; these are its events of then."""


class KnownCommands:
    """The ids of a table's last commands: at least as many as it is told, at most twice as many.

    Two sets take turns. To let go of one id at a time, the oldest of a dictionary, would mean to look for it behind all
    that were let go of before.
    """

    __slots__ = ("_kept", "_new", "_old")

    def __init__(self, ids: Iterable[str], kept: int) -> None:
        self._kept = kept
        self._new = set(ids)
        self._old: set[str] = set()

    def __contains__(self, command_id: str) -> bool:
        return command_id in self._new or command_id in self._old

    def add(self, command_id: str) -> None:
        """One more."""
        self._new.add(command_id)
        if len(self._new) >= self._kept:
            self._old, self._new = self._new, set()


class RulesAtHand:
    """The rules of one table, worked out once for each book that it stands under."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._rules: TableRules | None = None

    def of(self, state: TableState) -> TableRules | None:
        """The rules that a table stands under, once it is set up."""
        set_up = state.set_up
        if set_up is not None and (self._rules is None or self._rules.book.id != set_up.book):
            self._rules = TableRules(self._books(set_up.book))
        return self._rules

    def for_command(self, state: TableState, command: Command) -> TableRules | Refusal:
        """The rules to decide a command by: a set-up names its own book."""
        if isinstance(command.do, SetUp):
            try:
                return TableRules(self._books(command.do.book))
            except LookupError as error:
                return Refusal(Code.WRONG_BOOK, str(error))
        return self.of(state) or Refusal(Code.NOT_SET_UP, "The table is not set up.", allowed="set-up")


def restart_command(state: TableState, at: int) -> Command | None:
    """What interrupts a round that was in play when the house stopped; None when there was none."""
    if state.round.phase is RoundPhase.BETWEEN or state.round.interrupted:
        return None
    by = Person("house", Role.SYSTEM)
    return Command(id=f"restart-{state.seq}", at=at, by=by, do=Interrupt("the house was restarted"))


class TableKeeper:
    """The one writer of one table."""

    def __init__(self, journal: Journal, books: Books, table: str, *, snapshot_every: int = SNAPSHOT_EVERY) -> None:
        self._journal = journal
        self._snapshot_every = snapshot_every
        self.state, self._snapshot_seq = load(journal, table)
        self._known = KnownCommands(journal.recent_commands(table, COMMANDS_KEPT), COMMANDS_KEPT)
        self._rules = RulesAtHand(books)

    def rules(self) -> TableRules | None:
        """The rules that the table stands under, once it is set up."""
        return self._rules.of(self.state)

    def restart(self, at: int) -> Answer | None:
        """Interrupt a round that was in play when the house stopped; None when there was none."""
        command = restart_command(self.state, at)
        return None if command is None else self.do(command)

    def do(self, command: Command) -> Answer:
        """Carry a command out, or say why not. When this returns, what it answers is on disk."""
        table = self.state.table
        if command.id in self._known:
            return self._first_answer(command.id)
        rules = self._rules.for_command(self.state, command)
        found = rules if isinstance(rules, Refusal) else decide(rules, self.state, command)
        if isinstance(found, Refusal):
            return Answer((), found)
        state = self.state
        for event in found:
            state = evolve(state, event)
        try:
            self._journal.append([Batch(table, self.state.seq, records_of(command.id, found))])
        except DuplicateCommand:
            return self._first_answer(command.id)
        self.state = state
        self._known.add(command.id)
        if state.seq - self._snapshot_seq >= self._snapshot_every:
            self.snapshot()
        return Answer(tuple(found))

    def snapshot(self) -> None:
        """Keep the state as it is, so that a restart need not replay what came before; and sign all that is written."""
        self._journal.save_snapshot(self.state.table, self.state.seq, SNAPSHOT_FORMAT, snapshot_of(self.state))
        self._snapshot_seq = self.state.seq
        self._journal.sign_checkpoint(self.state.at)

    def _first_answer(self, command_id: str) -> Answer:
        records = self._journal.find_command(self.state.table, command_id)
        return Answer(tuple(events_of(records)), repeated=True)


def load(journal: Journal, table: str, upto: int | None = None) -> tuple[TableState, int]:
    """A table's state from its newest snapshot and what followed, and the record that the snapshot was made after."""
    snapshot = journal.latest_snapshot(table, upto)
    state, seq = TableState(table), 0
    if snapshot is not None and snapshot.format == SNAPSHOT_FORMAT:
        state, seq = state_from(snapshot.state), snapshot.seq
    return replay(state, (event_of(record) for record in journal.read(table, seq, upto))), seq
