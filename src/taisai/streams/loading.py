"""A table's state from its records.

Enters: a journal and the name of a table. Leaves: the state after its last record, or after any earlier one, from the
newest snapshot on.
"""

from __future__ import annotations

from taisai.journal.contract import Journal
from taisai.streams.codec import event_of
from taisai.table.evolve import replay
from taisai.table.state import SNAPSHOT_FORMAT, TableState, state_from


def load(journal: Journal, table: str, upto: int | None = None) -> tuple[TableState, int]:
    """A table's state from its newest snapshot and what followed, and the record that the snapshot was made after."""
    snapshot = journal.latest_snapshot(table, upto)
    state, seq = TableState(table), 0
    if snapshot is not None and snapshot.format == SNAPSHOT_FORMAT:
        state, seq = state_from(snapshot.state), snapshot.seq
    return replay(state, (event_of(record) for record in journal.read(table, seq, upto))), seq
