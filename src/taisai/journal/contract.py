"""The contract of every journal, and what can go wrong with one.

Enters: batches of new records, snapshots, the wish for a checkpoint, things for the drawer. Leaves: records in order,
heads, snapshots, checkpoints, or an exception whose text is a sentence for people.

Rules that hold for every store (one suite of tests runs against each):

- `append` is one commit: all batches or none. When it returns, the records are on disk.
- A table's records are numbered from 1 without gaps, and so are all records together, in the order of their commits.
- (table, seq) and (table, command_id, part) are unique for ever.
- A journal may be used by several threads. Reading is done in chunks and holds nothing open between two records, so
  that appending goes on meanwhile; a reading ends at what was there when it began.
- A snapshot is a convenience: a damaged one is passed over when it is asked for (`verify` still finds it).
- The drawer holds small things that may change (accounts, sessions, settings). It is outside the hash chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    from taisai.journal.record import Batch, Checkpoint, Finding, Head, Record, Row, Snapshot, Standing

Progress: TypeAlias = Callable[[int, int], None]
"""Told from time to time: how much is done, and of how much."""

SNAPSHOTS_KEPT = 3
"""How many snapshots of a table are kept: the newest ones."""


class Journal(Protocol):
    """The durable events of tables."""

    def append(self, batches: Sequence[Batch]) -> dict[str, Head]:
        """Write all batches in one commit and give the new head of each table named.

        A table may have several batches: each follows the one before. Raises `InvalidRecord` or `SequenceConflict`
        for the first batch that is wrong, then `DuplicateCommand`; nothing is written then.
        """
        ...

    def read(self, table: str, after: int = 0, upto: int | None = None) -> Iterator[Record]:
        """The records of a table with `after` < seq <= `upto`, in order."""
        ...

    def read_all(self, after_position: int = 0, upto: int | None = None) -> Iterator[Record]:
        """The records of all tables with `after_position` < position <= `upto`, in the order of their commits."""
        ...

    def rows(self, after_position: int, upto: int, count: int) -> list[Row]:
        """At most `count` of the records that `read_all` would give, as plain tuples in the order of their fields.

        For who goes through everything, `verify` above all: it is a good deal faster.
        """
        ...

    def head(self, table: str) -> Head:
        """The end of a table's chain."""
        ...

    def position(self) -> int:
        """The position of the last record of all."""
        ...

    def tables(self) -> list[str]:
        """The names of all tables that have records, in alphabetical order."""
        ...

    def standing(self) -> Standing:
        """Position, heads and number of checkpoints at one moment."""
        ...

    def find_command(self, table: str, command_id: str) -> list[Record]:
        """What a command brought about, in order; empty when it is not known."""
        ...

    def recent_commands(self, table: str, count: int) -> list[str]:
        """The ids of the last `count` commands that brought something about, newest first."""
        ...

    def save_snapshot(self, table: str, seq: int, format_number: int, state: bytes) -> None:
        """Keep a table's state after record `seq`, which must exist; the last few of each table are kept."""
        ...

    def latest_snapshot(self, table: str, upto: int | None = None) -> Snapshot | None:
        """The newest sound snapshot at or before record `upto`."""
        ...

    def snapshots(self) -> Iterator[Snapshot]:
        """Every snapshot that is kept, sound or not, by table and seq."""
        ...

    def sign_checkpoint(self, at: int) -> Checkpoint:
        """Sign the standing of the journal at the time `at`, and keep the statement."""
        ...

    def keep_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Keep a checkpoint that was signed elsewhere: the next one in number."""
        ...

    def checkpoints(self, after: int = 0, upto: int | None = None) -> Iterator[Checkpoint]:
        """The checkpoints with `after` < number <= `upto`, in order."""
        ...

    def keep(self, name: str, value: bytes | None) -> None:
        """Put a thing into the drawer, in place of what had its name; None lets go of it. Durable when it returns."""
        ...

    def kept(self, prefix: str = "") -> dict[str, bytes]:
        """What is in the drawer under names that begin with `prefix`, sorted by name."""
        ...

    @property
    def key_file(self) -> Path | None:
        """Where the private key that signs checkpoints lies, or will; its public half lies beside it."""
        ...

    def public_key(self) -> Ed25519PublicKey | None:
        """The key beside this journal that its checkpoints are checked against, if there is one."""
        ...

    def self_check(self) -> Iterator[Finding]:
        """What the store itself finds wrong with its keeping (a file's structure, say), apart from the records."""
        ...

    def backup(self, path: Path | str, progress: Progress | None = None) -> None:
        """Write everything, as it is at one moment, into a new journal file; appending goes on meanwhile."""
        ...

    def close(self) -> None:
        """Let go of everything. May be called twice."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class JournalError(Exception):
    """Something that a journal cannot do; the text says what and why."""


class SequenceConflict(JournalError):
    """Somebody else has written to the table in the meantime."""

    def __init__(self, table: str, expected: int, found: int) -> None:
        super().__init__(f"table {table!r} is at record {found}, not at {expected}: somebody else has written to it")
        self.table = table
        self.expected = expected
        self.found = found


class DuplicateCommand(JournalError):
    """The command has been carried out before."""

    def __init__(self, table: str, command_id: str) -> None:
        super().__init__(f"table {table!r} has already recorded command {command_id!r}: nothing was written")
        self.table = table
        self.command_id = command_id


class InvalidRecord(JournalError):
    """A record, snapshot or checkpoint that cannot be kept as it is."""

    def __init__(self, table: str, reason: str) -> None:
        super().__init__(f"a record for table {table!r} cannot be kept: {reason}")
        self.table = table
        self.reason = reason


class InvalidThing(JournalError):
    """Something for the drawer that cannot be kept as it is."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name!r} cannot be kept in the drawer: {reason}")
        self.name = name
        self.reason = reason


class JournalClosed(JournalError):
    """The journal is used after its end."""


class JournalUnreachable(JournalError):
    """The journal cannot be found or opened."""


class JournalInUse(JournalError):
    """Another process writes to the journal."""

    def __init__(self, path: Path, pid: int | None) -> None:
        who = "another process" if pid is None else f"process {pid}"
        super().__init__(f"{who} is writing to {path}: a journal has one writer at a time (reading is free)")
        self.path = path
        self.pid = pid


class LeaseLost(JournalError):
    """Somebody else may write to the table now, or nobody: this writer's lease has passed."""

    def __init__(self, table: str, fence: int, current: int | None = None) -> None:
        now = "nobody has it now" if current is None else f"the lease is number {current} now"
        super().__init__(f"the lease number {fence} of table {table!r} has passed: {now}, and nothing was written")
        self.table = table
        self.fence = fence


class JournalReadOnly(JournalError):
    """The journal cannot be written to."""


class JournalFull(JournalError):
    """The disk is full: nothing was written, nothing is half done."""


class JournalFailed(JournalError):
    """The disk, or another part that the journal rests on, has failed."""


class OutcomeUnknown(JournalFailed):
    """The connection was lost in the middle of a commit. The journal can be used again: look, or repeat the command."""


class NotAJournal(JournalError):
    """The file is something else."""


class UnknownFormat(JournalError):
    """The journal was made by another taisai, newer or altered."""


class JournalDamaged(JournalError):
    """What is on disk is not what was written."""


class SigningFault(JournalError):
    """The key is missing, unreadable or another one."""


class RestoreRefused(JournalError):
    """A backup is not put in place; `findings` says why when it is not sound."""

    def __init__(self, sentence: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__(sentence)
        self.findings = tuple(findings)
