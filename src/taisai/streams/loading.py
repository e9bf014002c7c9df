"""Loading a table's state from its records.

Enters: a journal and the name of a table. Leaves: the state after its last record, or after any earlier one, replayed
from the newest snapshot.
"""

from __future__ import annotations

from taisai.journal.contract import Journal
from taisai.streams.codec import event_of
from taisai.table.evolve import replay
from taisai.table.state import SNAPSHOT_FORMAT, TableState, state_from


def load(journal: Journal, table: str, upto: int | None = None) -> tuple[TableState, int]:
    """A table's state after record `upto` (the last one), and the seq of the snapshot that the replay began with."""
    snapshot = journal.latest_snapshot(table, upto)
    state, seq = TableState(table), 0
    if snapshot is not None and snapshot.format == SNAPSHOT_FORMAT:
        state, seq = state_from(snapshot.state), snapshot.seq
    return replay(state, (event_of(record) for record in journal.read(table, seq, upto))), seq
