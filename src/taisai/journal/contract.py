"""The contract that every journal keeps, and the errors that it may raise.

Enters: batches of new records, snapshots, key-value entries. Leaves: records in order,
heads, snapshots, checkpoints, or an exception whose text is a sentence for people.

Rules that hold for every store (one suite of tests runs against each):

- `append` is one commit: all batches or none. When it returns, the records are on disk.
- A table's records are numbered from 1 without gaps, and so are all records together, in commit order.
- (table, seq) and (table, command_id, part) are unique for ever.
- Several threads may use a journal. A read fetches chunks and holds no transaction open between two records, so
  appends continue meanwhile; it ends at the last record that existed when it began.
- A snapshot only saves time: reads skip a damaged one (`verify` still reports it).
- The key-value store holds small values that may change (accounts, sessions, settings). It is outside the hash chain.

A journal that several nodes may share also has `Leases`: one node at a time may write to a table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    from taisai.journal.record import Batch, Checkpoint, Finding, Head, Lease, Record, Row, Snapshot, Standing, Written
    from taisai.journal.signing import Signer

Progress: TypeAlias = Callable[[int, int], None]
"""Called from time to time with how much is done, and of how much."""

SNAPSHOTS_KEPT = 3
"""How many snapshots of a table are kept for a restart: the newest ones."""
MILESTONES_KEPT = 8
"""How many older ones are kept beside them, about evenly apart: between them an audit replays in several processes."""
NO_TABLE = "@"
"""A stream whose name begins so is no table's: every node writes to it, and nobody leases it."""


def superseded(kept: Iterable[tuple[int, int]]) -> list[int]:
    """Which snapshots of a table to delete, given the record and the format of each.

    The newest stay, and of the older ones in the newest's format those that are about evenly apart.
    """
    ordered = sorted(kept)
    older, newest = ordered[:-SNAPSHOTS_KEPT], ordered[-SNAPSHOTS_KEPT:]
    gone = [seq for seq, form in older if form != newest[-1][1]]
    left = [seq for seq, form in older if form == newest[-1][1]]
    while len(left) > MILESTONES_KEPT:
        apart = [0, *left, newest[0][0]]
        least = min(range(len(left)), key=lambda place: apart[place + 2] - apart[place])
        gone.append(left.pop(least))
    return gone


class KeyValueStore(Protocol):
    """Small values under names, outside the hash chain."""

    def put(self, key: str, value: bytes | None) -> None:
        """Store a value under a key, or delete the key when the value is None. Durable when it returns."""
        ...

    def entries(self, prefix: str = "") -> dict[str, bytes]:
        """The entries whose keys begin with `prefix`, sorted by key."""
        ...


class Subscription(Protocol):
    """A running `follow`."""

    def stop(self) -> None:
        """End it. May be called twice."""
        ...


class Leases(Protocol):
    """The right to write to a table, where several nodes share a journal.

    A lease belongs to a holder (one name for each process, never reused) until a time on the server's clock. Its
    fencing number grows with every change of holder; `append` refuses a number that is no longer current, so a holder
    that slept through the end of its lease cannot write. While anybody has a lease, nobody writes to a table without
    one (`LeaseNeeded`), whether they know of leases or not.
    """

    def current(self) -> dict[str, Lease]:
        """The lease of every table that has a holder, expired or not."""
        ...

    def take(self, tables: Collection[str], holder: str, seconds: float) -> dict[str, int]:
        """Lease, in one commit, those of the tables that no other holder has a valid lease of; their fences."""
        ...

    def renew(self, holder: str, seconds: float) -> set[str]:
        """Extend every lease of a holder to `seconds` from now; the tables that it still holds."""
        ...

    def release(self, table: str, holder: str) -> None:
        """Give a lease back. Nothing happens when another holder has it by now."""
        ...

    def expire(self, holder: str, seconds: float) -> None:
        """End a dead holder's leases now, those that would last less than `seconds`."""
        ...

    def announce(self, holder: str) -> None:
        """Show the others that this holder is connected, also after reconnecting, until the process ends."""
        ...

    @property
    def connections(self) -> int:
        """How many connections for writing there have been, one after another."""
        ...

    @property
    def writer_id(self) -> int:
        """What this journal's commits are known by to those who follow; 0 before it has written."""
        ...

    def append(self, batches: Sequence[Batch], fences: Mapping[str, int]) -> dict[str, Head]:
        """`Journal.append`, on condition that each fence is the current one of its table; `LeaseLost` otherwise."""
        ...

    def follow(self, on_commit: Callable[[int], None], own: Callable[[], int] | None = None) -> Subscription:
        """Call `on_commit` with the last position: now, and after every commit of anybody.

        It runs on a thread of the journal and must not use the journal itself; let it wake another. Commits of the
        writer whose id `own` gives are left out. A notice may be lost or come twice.
        """
        ...

    def news(self, after_position: int, upto: int, except_tables: Collection[str]) -> tuple[list[Record], int]:
        """The records of other tables between two positions, and the position up to which none is missing."""
        ...

    def written(self, after_position: int, upto: int) -> list[Written]:
        """Under which lease the tables' records between two positions were written: each run of them, by number."""
        ...


class Journal(KeyValueStore, Protocol):
    """The durable events of tables."""

    def entries(self, prefix: str = "", *, after: str = "", count: int | None = None) -> dict[str, bytes]:
        """The entries whose keys begin with `prefix` and come after `after`, sorted by key; `count` of them at most."""
        ...

    def get(self, key: str) -> bytes | None:
        """The value under a key."""
        ...

    def put_all(self, entries: Mapping[str, bytes | None], when: Mapping[str, bytes | None] | None = None) -> bool:
        """Write several entries in one commit (None deletes one), if those in `when` have these values (None: absent).

        False, with nothing written, when one has another value: somebody else was quicker.
        """
        ...

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
        """The records of all tables with `after_position` < position <= `upto`, in commit order."""
        ...

    def rows(self, after_position: int, upto: int, count: int) -> list[Row]:
        """At most `count` of the records that `read_all` would give, as plain tuples in the order of their fields.

        Much faster than `read_all`, for callers that go through everything, such as `verify`.
        """
        ...

    def head(self, table: str) -> Head:
        """The end of a table's chain."""
        ...

    def position(self) -> int:
        """The position of the last record."""
        ...

    def tables(self) -> list[str]:
        """The names of all tables that have records, in alphabetical order."""
        ...

    def standing(self) -> Standing:
        """Position, heads and number of checkpoints at one moment."""
        ...

    def find_command(self, table: str, command_id: str) -> list[Record]:
        """The records of a command, in order; empty when the id is unknown."""
        ...

    def recent_commands(self, table: str, count: int) -> list[str]:
        """The ids of the last `count` commands that left a record, newest first."""
        ...

    def save_snapshot(self, table: str, seq: int, format_number: int, state: bytes) -> None:
        """Store a table's state after record `seq`, which must exist; those that `superseded` names go."""
        ...

    def latest_snapshot(self, table: str, upto: int | None = None) -> Snapshot | None:
        """The newest intact snapshot at or before record `upto`."""
        ...

    def snapshots(self) -> Iterator[Snapshot]:
        """Every stored snapshot, intact or not, by table and seq."""
        ...

    def signer(self, *, make: bool) -> Signer:
        """The journal's key, made now if there is none and `make` allows it; `SigningError` when it cannot be had."""
        ...

    def keep_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Store a checkpoint that was signed elsewhere: the next one in number."""
        ...

    def checkpoints(self, after: int = 0, upto: int | None = None) -> Iterator[Checkpoint]:
        """The checkpoints with `after` < number <= `upto`, in order."""
        ...

    @property
    def leases(self) -> Leases | None:
        """The leases of a journal that several nodes may share; None where one process is the only writer."""
        ...

    @property
    def key_file(self) -> Path | None:
        """Where the private key that signs the journal is, or will be made; its public half is beside it."""
        ...

    def public_key(self) -> Ed25519PublicKey | None:
        """The key that this journal's signatures are checked against, if there is one."""
        ...

    def self_check(self) -> Iterator[Finding]:
        """What the store finds wrong with its own structure (the file, the schema), apart from the records."""
        ...

    def backup(self, path: Path | str, progress: Progress | None = None) -> None:
        """Write everything, as it is at one moment, into a new journal file; appends continue meanwhile."""
        ...

    def close(self) -> None:
        """Release the file or the connections. May be called twice."""
        ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class JournalError(Exception):
    """Something that a journal cannot do; the text says what and why."""


class SequenceConflict(JournalError):
    """Another writer has appended to the table since the caller last read it."""

    def __init__(self, table: str, expected: int, actual: int) -> None:
        super().__init__(f"table {table!r} is at record {actual}, not at {expected}: another writer has appended to it")
        self.table = table
        self.expected = expected
        self.actual = actual


class DuplicateCommand(JournalError):
    """The command is recorded already."""

    def __init__(self, table: str, command_id: str) -> None:
        super().__init__(f"table {table!r} has already recorded command {command_id!r}: nothing was written")
        self.table = table
        self.command_id = command_id


class InvalidRecord(JournalError):
    """A record, snapshot or checkpoint that some store cannot represent, or that does not fit the journal."""

    def __init__(self, table: str, reason: str) -> None:
        super().__init__(f"a record for table {table!r} cannot be stored: {reason}")
        self.table = table
        self.reason = reason


class InvalidEntry(JournalError):
    """A key-value entry that some store cannot represent."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"the entry {key!r} cannot be stored: {reason}")
        self.key = key
        self.reason = reason


class JournalClosed(JournalError):
    """The journal was used after `close`."""


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
    """The writer's lease of the table is no longer current: another holder has it now, or none."""

    def __init__(self, table: str, fence: int, current: int | None = None) -> None:
        now = "no holder has it now" if current is None else f"its number is {current} now"
        super().__init__(f"lease number {fence} of table {table!r} is no longer current: {now}; nothing was written")
        self.table = table
        self.fence = fence


class LeaseNeeded(LeaseLost):
    """Others write to this journal under leases: a table of theirs is written under one, or not at all."""

    def __init__(self, table: str, holder: str) -> None:
        JournalError.__init__(self, f"table {table!r} needs a lease: {holder} writes here too; nothing was written")
        self.table = table
        self.fence = 0
        self.holder = holder


class JournalReadOnly(JournalError):
    """The journal cannot be written to."""


class JournalFull(JournalError):
    """The disk is full: nothing was written, nothing is half done."""


class JournalFailed(JournalError):
    """The disk, or another part that the journal depends on, has failed."""


class OutcomeUnknown(JournalFailed):
    """The connection was lost in the middle of a commit. The journal stays usable: look, or repeat the command."""


class NotAJournal(JournalError):
    """The file or schema belongs to another program."""


class UnknownFormat(JournalError):
    """The journal was made by another version of taisai, newer or altered."""


class JournalDamaged(JournalError):
    """What is on disk is not what was written."""


class SigningError(JournalError):
    """The signing key is missing, unreadable or another one."""


class RestoreRefused(JournalError):
    """A backup was not put in place; `findings` says why when it is not sound."""

    def __init__(self, sentence: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__(sentence)
        self.findings = tuple(findings)
