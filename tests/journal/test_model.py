"""Journals against a plain model: lists in a dictionary."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from taisai.journal import Batch, DuplicateCommand, Journal, MemoryJournal, NewRecord, SequenceConflict
from taisai.journal.verify import verify
from tests.journal.conftest import STORES
from tests.journal.samples import sign_checkpoint

TABLES = st.sampled_from(["a", "b", "甲"])
RECORDS = st.builds(
    NewRecord,
    kind=st.text(st.characters(codec="utf-8"), min_size=1, max_size=5),
    version=st.integers(1, 2**63 - 1),
    at=st.integers(-(2**63) + 1, 2**63 - 1),
    command_id=st.sampled_from([f"c{number}" for number in range(40)]),
    part=st.integers(0, 2),
    by=st.text(st.characters(codec="utf-8"), max_size=3),
    body=st.binary(max_size=40),
)
BATCHES = st.lists(st.tuples(TABLES, st.sampled_from([0, 0, 0, 0, -1, 1]), st.lists(RECORDS, max_size=3)), max_size=4)


class JournalMachine(RuleBasedStateMachine):
    """Appends, refusals, snapshots, checkpoints and restarts, in any order."""

    kind = "memory"
    examples = 25

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.journal: Journal = STORES[self.kind](Path(self.folder.name))
        self.model: dict[str, list[NewRecord]] = {}
        self.order: list[tuple[str, NewRecord]] = []
        self.states: dict[str, dict[int, bytes]] = {}
        self.entries: dict[str, bytes] = {}

    @rule(wanted=BATCHES)
    def append(self, wanted: list[tuple[str, int, list[NewRecord]]]) -> None:
        """Append some batches, some of them wrong; the model predicts the refusal."""
        batches: list[Batch] = []
        ends = {table: len(records) for table, records in self.model.items()}
        conflict: SequenceConflict | None = None
        for table, shift, records in wanted:
            end = ends.get(table, 0)
            if shift and conflict is None:
                conflict = SequenceConflict(table, end + shift, end)
            batches.append(Batch(table, end + shift, records))
            ends[table] = end + len(records)
        repeat = self.first_repeat(batches)
        if conflict is not None:
            with pytest.raises(SequenceConflict, match=re.escape(str(conflict))):
                self.journal.append(batches)
        elif repeat is not None:
            with pytest.raises(DuplicateCommand, match=re.escape(str(repeat))):
                self.journal.append(batches)
        else:
            heads = self.journal.append(batches)
            for batch in batches:
                self.model.setdefault(batch.table, []).extend(batch.records)
                self.order.extend((batch.table, record) for record in batch.records)
            assert {table: head.seq for table, head in heads.items()} == {
                table: len(self.model[table]) for table, _, _ in batches
            }

    def first_repeat(self, batches: list[Batch]) -> DuplicateCommand | None:
        """The refusal for the first command that is already recorded."""
        seen = {(table, one.command_id, one.part) for table, one in self.order}
        for table, _, records in batches:
            for one in records:
                key = (table, one.command_id, one.part)
                if key in seen:
                    return DuplicateCommand(table, one.command_id)
                seen.add(key)
        return None

    @precondition(lambda self: bool(self.order))
    @rule(data=st.data(), state=st.binary(max_size=20))
    def snapshot(self, data: st.DataObject, state: bytes) -> None:
        """Save a snapshot after some record."""
        table = data.draw(st.sampled_from(sorted(table for table, _ in self.order)))
        seq = data.draw(st.integers(1, len(self.model[table])))
        self.journal.save_snapshot(table, seq, 1, state)
        kept = self.states.setdefault(table, {})
        kept[seq] = state
        for old in sorted(kept)[:-3]:
            del kept[old]

    @rule(at=st.integers(0, 2**62))
    def checkpoint(self, at: int) -> None:
        """Sign a checkpoint."""
        checkpoint = sign_checkpoint(self.journal, at)
        assert (checkpoint.position, checkpoint.count) == (len(self.order), len(self.order))

    @rule(key=st.text(st.sampled_from("ab\0\\甲"), min_size=1, max_size=2), value=st.none() | st.binary(max_size=5))
    def put(self, key: str, value: bytes | None) -> None:
        """Store a key-value entry, or delete it."""
        self.journal.put(key, value)
        self.entries.pop(key, None)
        if value is not None:
            self.entries[key] = value

    @rule()
    def restart(self) -> None:
        """Close and open again, where the journal outlasts it."""
        if not isinstance(self.journal, MemoryJournal):
            self.journal.close()
            self.journal = STORES[self.kind](Path(self.folder.name))

    @rule(data=st.data())
    def read_a_part(self, data: st.DataObject) -> None:
        """Read a part of a table and of everything."""
        table = data.draw(TABLES)
        after, upto = data.draw(st.integers(0, 30)), data.draw(st.none() | st.integers(0, 30))
        assert [one.body for one in self.journal.read(table, after, upto)] == [
            one.body for one in self.model.get(table, [])[after:upto]
        ]
        assert [one.body for one in self.journal.read_all(after, upto)] == [
            one.body for _, one in self.order[after:upto]
        ]

    @rule(data=st.data())
    def find(self, data: st.DataObject) -> None:
        """Find a command, and the last ones."""
        table, command, count = data.draw(TABLES), f"c{data.draw(st.integers(0, 39))}", data.draw(st.integers(0, 9))
        ours = self.model.get(table, [])
        assert [(one.command_id, one.part) for one in self.journal.find_command(table, command)] == [
            (one.command_id, one.part) for one in ours if one.command_id == command
        ]
        newest = list(dict.fromkeys(one.command_id for one in reversed(ours)))
        assert self.journal.recent_commands(table, count) == newest[:count]

    @invariant()
    def same_as_the_model(self) -> None:
        """The journal contains what the model contains."""
        fields: Any = NewRecord.__struct_fields__
        assert [(one.table, *(getattr(one, name) for name in fields)) for one in self.journal.read_all()] == [
            (table, *(getattr(one, name) for name in fields)) for table, one in self.order
        ]
        assert list(self.journal.entries().items()) == sorted(self.entries.items())
        assert self.journal.tables() == sorted({table for table, _ in self.order})
        assert {(one.table, one.seq): one.state for one in self.journal.snapshots()} == {
            (table, seq): state for table, kept in self.states.items() for seq, state in kept.items()
        }

    def teardown(self) -> None:
        """Verification has no finding."""
        assert list(verify(self.journal)) == []
        self.journal.close()
        self.folder.cleanup()


class SqliteMachine(JournalMachine):
    """The same on disk."""

    kind = "sqlite"


class PostgresMachine(JournalMachine):
    """The same on a server."""

    kind = "postgresql"
    examples = 12  # opening and closing takes longer there


MACHINES = {machine.kind: machine for machine in (JournalMachine, SqliteMachine, PostgresMachine)}


def test_every_kind_has_its_machine() -> None:
    """No kind of journal is left out."""
    assert MACHINES.keys() == STORES.keys()


@pytest.mark.parametrize("kind", MACHINES)
def test_a_journal_does_as_its_model(kind: str) -> None:
    """Any order of appends, refusals, snapshots, checkpoints and restarts leaves journal and model the same."""
    run_state_machine_as_test(
        MACHINES[kind],
        settings=settings(
            max_examples=MACHINES[kind].examples,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
