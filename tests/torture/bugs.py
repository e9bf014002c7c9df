"""Planted bugs: each a small change of the program that a simulation must find.

Enters: the name of a bug. Leaves: a context in which the program has it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Final
from unittest.mock import patch

from msgspec.structs import replace

from taisai.floor.answers import Answer
from taisai.floor.live import LiveTable, Reply
from taisai.floor.nodes import Nodes
from taisai.floor.writer import GroupWriter, PendingWrite
from taisai.journal import Batch, Journal, JournalError, Record
from taisai.streams.codec import event_of
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.actions import ACTIONS
from taisai.table.commands import Command
from taisai.table.evolve import evolve
from taisai.table.handlers import bets_on_felt, dealing
from taisai.table.state import SNAPSHOT_FORMAT, snapshot_of
from tests.torture.disk import Disk, SimulatedJournal

Planted = AbstractContextManager[Any]


def _early_answer() -> Planted:
    """A command is answered when it is decided, not when it is on disk."""
    decided = LiveTable._decide

    def early(self: LiveTable, command: Command, reply: Reply) -> None:
        before = self._next
        decided(self, command, reply)
        if self._next is not before:
            reply(Answer(self._next.seq))

    return patch.object(LiveTable, "_decide", early)


def _early_news() -> Planted:
    """Watchers are shown the state that is decided, not the one that is on disk."""
    decided = LiveTable._decide

    def early(self: LiveTable, command: Command, reply: Reply) -> None:
        decided(self, command, reply)
        if self._next is not self.state:
            self.state = self._next
            self._listener(self, ())

    return patch.object(LiveTable, "_decide", early)


def _missing_fence() -> Planted:
    """Fencing numbers do not go with the commits, and the server does not miss them."""

    def unfenced(self: GroupWriter, batches: Sequence[Batch]) -> None:
        self.journal.append(batches)

    planted = ExitStack()
    planted.enter_context(patch.object(GroupWriter, "_append", unfenced))
    planted.enter_context(patch.object(Disk, "_require_leases", lambda *_: None))
    return planted


def _fence_of_now() -> Planted:
    """The server takes any number that is not newer than its own for a valid one."""
    commit = Disk.commit

    def lenient(
        self: Disk, journal: SimulatedJournal, batches: Sequence[Batch], fences: Mapping[str, int] | None
    ) -> Any:
        valid = {name: fence for name, fence in (fences or {}).items() if fence > self.lease_of[name].fence}
        return commit(self, journal, batches, valid)

    planted = ExitStack()
    planted.enter_context(patch.object(Disk, "commit", lenient))
    planted.enter_context(patch.object(Disk, "_require_leases", lambda *_: None))
    return planted


def _double_pay() -> Planted:
    """A winner is paid twice."""
    payments = dealing._payments

    def twice(*given: Any) -> list[e.EventBody]:
        return [
            replace(paid, winnings=2 * paid.winnings, returned=paid.returned + paid.winnings)
            if isinstance(paid, e.BetPaid)
            else paid
            for paid in payments(*given)
        ]

    return patch.object(dealing, "_payments", twice)


def _lost_pending() -> Planted:
    """After a commit that failed, those who wait for it are forgotten."""
    end = LiveTable._end_recovery

    def forgetful(self: LiveTable, answers: dict[str, tuple[str, Answer]], unknown: Any) -> None:
        self._failed = []
        end(self, answers, unknown)

    return patch.object(LiveTable, "_end_recovery", forgetful)


def _doubt_is_no() -> Planted:
    """A command whose fate is not known is taken for one that was not written."""
    recovered = LiveTable._recovered

    def hasty(self: LiveTable, state: Any, ids: Set[str], _first: dict[str, tuple[str, Answer]]) -> None:
        recovered(self, state, ids, {})

    return patch.object(LiveTable, "_recovered", hasty)


def _repeated_twice() -> Planted:
    """A command that is known is carried out once more."""
    submit = LiveTable.submit

    def again(self: LiveTable, command: Command, reply: Reply) -> None:
        if command.id in self._known:
            command = replace(command, id=f"{command.id}-{self._next.seq}")
        submit(self, command, reply)

    return patch.object(LiveTable, "submit", again)


def _not_rolled_back() -> Planted:
    """After a commit that failed the table goes on from what it had decided."""
    recovered = LiveTable._recovered

    def stubborn(self: LiveTable, state: Any, *rest: Any) -> None:
        decided = self._failed[-1][0].state if self._failed else state
        recovered(self, state, *rest)
        self.state = self._next = decided

    return patch.object(LiveTable, "_recovered", stubborn)


def _skipped_record() -> Planted:
    """Who follows leaves a record out now and then, and does not notice."""
    follow = LiveTable.follow

    def careless(self: LiveTable, record: Record) -> None:
        if record.seq % 7 == 0 and record.seq == self.state.seq + 1 and not self._pending:
            event = event_of(record)
            if isinstance(event.what, e.BetPlaced):
                self.state = self._next = replace(self.state, seq=record.seq)
                return
        follow(self, record)

    return patch.object(LiveTable, "follow", careless)


def _late_bets() -> Planted:
    """A bet is taken whatever the phase of the round is."""
    return patch.dict(ACTIONS, {c.PlaceBet: dataclasses.replace(ACTIONS[c.PlaceBet], round=None)})


def _void_keeps_a_bet() -> Planted:
    """A void round hands every bet back but the last."""
    voided = bets_on_felt.voided

    def greedy(*given: Any, **named: Any) -> list[e.EventBody]:
        return [
            replace(each, handed=each.handed[:-1]) if isinstance(each, e.RoundVoided) else each
            for each in voided(*given, **named)
        ]

    return patch("taisai.table.handlers.facts.voided", greedy)


def _undurable_snapshot() -> Planted:
    """A snapshot is taken of the state that is decided, not of the one that is on disk."""

    def snapshot(self: LiveTable) -> None:
        seq, state = self.state.seq, replace(self._next, seq=self.state.seq)
        self._snapshot_seq = seq

        def keep(journal: Journal) -> None:
            journal.save_snapshot(self.name, seq, SNAPSHOT_FORMAT, snapshot_of(state))

        self._writer.chore(keep)

    return patch.object(LiveTable, "snapshot", snapshot)


def _blind_take_over() -> Planted:
    """A node takes a table over without reading the disk, and appends to whatever is there."""

    async def take_over(self: LiveTable) -> None:
        await self._writer.run(lambda _journal: None)
        self.owned = True

    write = SimulatedJournal.write

    def anywhere(self: SimulatedJournal, batches: Sequence[Batch], fences: Mapping[str, int] | None) -> Any:
        ends = {batch.table: self.disk.head(batch.table).seq for batch in batches}
        moved = []
        for batch in batches:
            moved.append(batch._replace(expected_seq=ends[batch.table]))
            ends[batch.table] += len(batch.records)
        return write(self, moved, fences)

    stack = ExitStack()
    stack.enter_context(patch.object(LiveTable, "take_over", take_over))
    stack.enter_context(patch.object(SimulatedJournal, "write", anywhere))
    return stack


def _not_synced() -> Planted:
    """A commit is told before it is on disk: a server that dies has lost it."""
    begin = Disk.begin

    def lazy(self: Disk, records: Sequence[Record]) -> None:
        begin(self, records)
        self.syncs = False

    return patch.object(Disk, "begin", lazy)


def _all_is_well() -> Planted:
    """Where one batch of a commit is refused, everybody is told that it is written."""
    one_by_one = GroupWriter._one_by_one

    def cheerful(self: GroupWriter, group: Sequence[PendingWrite], error: JournalError | None) -> Any:
        return [(one, None) for one, _ in one_by_one(self, group, error)]

    return patch.object(GroupWriter, "_one_by_one", cheerful)


def _wrong_evolve() -> Planted:
    """The floor and the disk do not come to the same state: a bet is added in memory with another amount."""

    def careless(state: Any, event: e.Event) -> Any:
        found = evolve(state, event)
        return replace(found, at=found.at + 1) if isinstance(event.what, e.BetWithdrawn) else found

    return patch("taisai.floor.live.evolve", careless)


def _told_backwards() -> Planted:
    """After a commit that failed a table is put back to what was read, whatever it has read since."""
    recovered = LiveTable._recovered

    def back(self: LiveTable, state: Any, *rest: Any) -> None:
        moved = self.state.seq != state.seq
        self.state = state
        recovered(self, state, *rest)
        if moved:
            self._listener(self, ())

    return patch.object(LiveTable, "_recovered", back)


def _kept_lease() -> Planted:
    """A node that failed to take a table over, or to give it back, keeps its lease and does nothing with it."""
    return patch.object(Nodes, "_idle", lambda _self: [])


def _goes_on_unsure() -> Planted:
    """A table that could not read the disk after a failure decides on, from what it last knew."""
    never = property(lambda _self: False, lambda _self, _value: None)
    return patch.object(LiveTable, "_unsure", never, create=True)


BUGS: Final[dict[str, Callable[[], Planted]]] = {
    "all-is-well": _all_is_well,
    "blind-take-over": _blind_take_over,
    "double-pay": _double_pay,
    "doubt-is-no": _doubt_is_no,
    "early-answer": _early_answer,
    "early-news": _early_news,
    "goes-on-unsure": _goes_on_unsure,
    "kept-lease": _kept_lease,
    "late-bets": _late_bets,
    "lenient-fence": _fence_of_now,
    "lost-pending": _lost_pending,
    "missing-fence": _missing_fence,
    "not-rolled-back": _not_rolled_back,
    "not-synced": _not_synced,
    "repeated-twice": _repeated_twice,
    "skipped-record": _skipped_record,
    "told-backwards": _told_backwards,
    "undurable-snapshot": _undurable_snapshot,
    "void-keeps-a-bet": _void_keeps_a_bet,
    "wrong-state": _wrong_evolve,
}
"""Every planted bug, by its name."""
