"""The values of the journal.

Enters: what a table has decided, as `NewRecord`s in a `Batch`. Leaves: `Record`s with their place in the table's
chain and in the order of the whole journal, the values that vouch for them (`Head`, `Snapshot`, `Checkpoint`,
`Standing`), and who may write (`Lease`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import msgspec


class NewRecord(msgspec.Struct, frozen=True, gc=False):
    """One event as it is given to the journal. The body is bytes: the journal never looks inside."""

    kind: str
    """The event's stable name."""
    version: int
    """The version of the body's format, from 1."""
    at: int
    """Microseconds since 1970 in UTC."""
    command_id: str
    """The id of the command that caused the event, made by the client."""
    part: int
    """Index among the events of that command, from 0."""
    by: str
    """Who acted."""
    body: bytes


class Record(msgspec.Struct, frozen=True, gc=False):
    """One event as it is stored."""

    table: str
    seq: int
    """Number among the records of the table, from 1 without gaps."""
    position: int
    """Number among all records in commit order, from 1 without gaps."""
    kind: str
    version: int
    at: int
    command_id: str
    part: int
    by: str
    body: bytes
    prev: bytes
    """The hash of the table's previous record, or the table's genesis."""
    hash: bytes
    """SHA-256 over everything above; see `taisai.journal.chain`."""


Row: TypeAlias = tuple[str, int, int, str, int, int, str, int, str, bytes, bytes, bytes]
"""The fields of a `Record`, in order."""


class Batch(NamedTuple):
    """Records of one table that follow its record number `expected_seq`."""

    table: str
    expected_seq: int
    records: Sequence[NewRecord]


class Head(NamedTuple):
    """The end of a table's chain: its last record, or 0 and the genesis when there is none."""

    seq: int
    hash: bytes


class Snapshot(msgspec.Struct, frozen=True, gc=False):
    """The state of a table after one of its records, so that a restart need not replay everything."""

    table: str
    seq: int
    format: int
    """The format of `state`, a number that its writer gives."""
    state: bytes
    record_hash: bytes
    """The hash of the record at `seq`: a snapshot belongs to one history and no other."""
    digest: bytes
    """SHA-256 over everything above."""


class Checkpoint(msgspec.Struct, frozen=True, gc=False):
    """A signed statement of the whole journal at one position; see `taisai.journal.signing`."""

    number: int
    """From 1 without gaps."""
    prev: bytes
    """The hash of the previous checkpoint; 32 zero bytes before the first."""
    position: int
    count: int
    """How many records there are up to the position."""
    at: int
    """Microseconds since 1970 in UTC."""
    heads: bytes
    """Every table's head, in the canonical encoding of `signing.heads_bytes`."""
    key: bytes
    """The raw public key, 32 bytes."""
    signature: bytes
    hash: bytes
    """SHA-256 over the signed bytes and the signature."""


class Standing(NamedTuple):
    """The journal at one moment, read in one transaction."""

    position: int
    """The last record's position, 0 in an empty journal."""
    heads: Mapping[str, Head]
    """Every table's head, as the store has it."""
    checkpoint: int
    """The number of the last checkpoint, 0 before the first."""


class Lease(NamedTuple):
    """Who may write to a table; see `taisai.journal.contract.Leases`."""

    holder: str
    fence: int
    seconds_left: float
    """Below zero when it has expired and nobody has taken it since."""
    is_connected: bool
    """Whether the server still has a connection of the holder."""


class Written(NamedTuple):
    """Records of one table that were written under one lease."""

    table: str
    first: int
    """The number of the first of them at its table."""
    last: int
    fence: int | None
    """The number of the lease; 0: written under none, None: not noted by the version that wrote them."""
    holder: str | None
    """Who had the lease; None where it is not known that anybody ever had it."""
    since: int | None
    """When they had it first, in microseconds since 1970 in UTC."""


class Finding(NamedTuple):
    """Something in a journal that is not as it was written."""

    table: str | None
    seq: int | None
    position: int | None
    code: str
    """One of the codes listed in `taisai.journal.verify`."""
    sentence: str
