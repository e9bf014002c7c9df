"""A table and its journal without a floor, for tests and benchmarks that need no event loop.

Enters: commands. Leaves: answers; the events of an accepted command are durable before the answer is given.
"""

from __future__ import annotations

from msgspec import Struct

from taisai.floor.live import SNAPSHOT_EVERY, restart_command
from taisai.floor.recent import COMMANDS_KEPT, KnownCommands
from taisai.journal.contract import DuplicateCommand, Journal
from taisai.journal.record import Batch
from taisai.streams.codec import events_of, records_of
from taisai.streams.loading import load
from taisai.table.commands import Command
from taisai.table.decide import decide
from taisai.table.events import Event
from taisai.table.evolve import evolve
from taisai.table.refusals import Refusal
from taisai.table.rules import Books, RulesCache, TableRules
from taisai.table.state import SNAPSHOT_FORMAT, snapshot_of
from tests.journal.samples import sign_checkpoint


class Answer(Struct, frozen=True):
    """The answer to a command."""

    events: tuple[Event, ...]
    refusal: Refusal | None = None
    repeated: bool = False
    """The command had been carried out before; these are its events."""


class TableKeeper:
    """The one writer of one table."""

    def __init__(
        self,
        journal: Journal,
        books: Books,
        table: str,
        *,
        snapshot_every: int = SNAPSHOT_EVERY,
        fences: dict[str, int] | None = None,
    ) -> None:
        self._journal = journal
        self._fences = fences or {}
        self._snapshot_every = snapshot_every
        self.state, self._snapshot_seq = load(journal, table)
        self._known = KnownCommands(journal.recent_commands(table, COMMANDS_KEPT), COMMANDS_KEPT)
        self._rules = RulesCache(books)

    def rules(self) -> TableRules | None:
        """The rules of the table's book, once it is set up."""
        return self._rules.of(self.state)

    def restart(self, at: int) -> Answer | None:
        """Interrupt a round that was in play when the house stopped; None when none was."""
        command = restart_command(self.state, at)
        return None if command is None else self.do(command)

    def do(self, command: Command) -> Answer:
        """Carry a command out, or refuse it. When this returns, its events are on disk."""
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
            batches = [Batch(table, self.state.seq, records_of(command.id, found))]
            if self._journal.leases is not None and self._fences:
                self._journal.leases.append(batches, self._fences)
            else:
                self._journal.append(batches)
        except DuplicateCommand:
            return self._first_answer(command.id)
        self.state = state
        self._known.add(command.id)
        if state.seq - self._snapshot_seq >= self._snapshot_every:
            self.snapshot()
        return Answer(tuple(found))

    def snapshot(self) -> None:
        """Save the state, so that a restart need not replay what came before, and sign a checkpoint."""
        self._journal.save_snapshot(self.state.table, self.state.seq, SNAPSHOT_FORMAT, snapshot_of(self.state))
        self._snapshot_seq = self.state.seq
        sign_checkpoint(self._journal, self.state.at)

    def _first_answer(self, command_id: str) -> Answer:
        records = self._journal.find_command(self.state.table, command_id)
        return Answer(tuple(events_of(records)), repeated=True)
