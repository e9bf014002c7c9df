"""The journal: the durable, tamper-evident events of tables.

Enters: `Batch`es of `NewRecord`s. Leaves: `Record`s in order, `Snapshot`s, signed `Checkpoint`s, and `Finding`s.

`taisai.journal.verify` proves a journal, `taisai.journal.restore` puts a backup in place.
"""

from __future__ import annotations

from taisai.journal.contract import (
    DuplicateCommand,
    InvalidEntry,
    InvalidRecord,
    Journal,
    JournalClosed,
    JournalDamaged,
    JournalError,
    JournalFailed,
    JournalFull,
    JournalInUse,
    JournalReadOnly,
    JournalUnreachable,
    KeyValueStore,
    LeaseLost,
    LeaseNeeded,
    Leases,
    NotAJournal,
    OutcomeUnknown,
    RestoreRefused,
    SequenceConflict,
    SigningError,
    UnknownFormat,
)
from taisai.journal.memory import MemoryJournal
from taisai.journal.opening import open_journal
from taisai.journal.record import (
    Batch,
    Checkpoint,
    Finding,
    Head,
    Lease,
    NewRecord,
    Record,
    Snapshot,
    Standing,
    Written,
)
from taisai.journal.sqlite.journal import SqliteJournal

__all__ = [
    "Batch",
    "Checkpoint",
    "DuplicateCommand",
    "Finding",
    "Head",
    "InvalidEntry",
    "InvalidRecord",
    "Journal",
    "JournalClosed",
    "JournalDamaged",
    "JournalError",
    "JournalFailed",
    "JournalFull",
    "JournalInUse",
    "JournalReadOnly",
    "JournalUnreachable",
    "KeyValueStore",
    "Lease",
    "LeaseLost",
    "LeaseNeeded",
    "Leases",
    "MemoryJournal",
    "NewRecord",
    "NotAJournal",
    "OutcomeUnknown",
    "Record",
    "RestoreRefused",
    "SequenceConflict",
    "SigningError",
    "Snapshot",
    "SqliteJournal",
    "Standing",
    "UnknownFormat",
    "Written",
    "open_journal",
]
