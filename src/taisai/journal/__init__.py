"""The journal: the events of tables on disk, for good, and so that no change to them goes unseen.

Enters: `Batch`es of `NewRecord`s. Leaves: `Record`s in order, `Snapshot`s, signed `Checkpoint`s, and `Finding`s.

`taisai.journal.verify` proves a journal, `taisai.journal.restore` puts a backup in place.
"""

from __future__ import annotations

from taisai.journal.contract import (
    DuplicateCommand,
    InvalidRecord,
    InvalidThing,
    Journal,
    JournalClosed,
    JournalDamaged,
    JournalError,
    JournalFailed,
    JournalFull,
    JournalInUse,
    JournalReadOnly,
    JournalUnreachable,
    LeaseLost,
    NotAJournal,
    OutcomeUnknown,
    RestoreRefused,
    SequenceConflict,
    SigningFault,
    UnknownFormat,
)
from taisai.journal.memory import MemoryJournal
from taisai.journal.opening import open_journal
from taisai.journal.record import Batch, Checkpoint, Finding, Head, NewRecord, Record, Snapshot, Standing
from taisai.journal.sqlite.journal import SqliteJournal

__all__ = [
    "Batch",
    "Checkpoint",
    "DuplicateCommand",
    "Finding",
    "Head",
    "InvalidRecord",
    "InvalidThing",
    "Journal",
    "JournalClosed",
    "JournalDamaged",
    "JournalError",
    "JournalFailed",
    "JournalFull",
    "JournalInUse",
    "JournalReadOnly",
    "JournalUnreachable",
    "LeaseLost",
    "MemoryJournal",
    "NewRecord",
    "NotAJournal",
    "OutcomeUnknown",
    "Record",
    "RestoreRefused",
    "SequenceConflict",
    "SigningFault",
    "Snapshot",
    "SqliteJournal",
    "Standing",
    "UnknownFormat",
    "open_journal",
]
