"""The hash chain of a table.

Enters: batches, the heads of their tables, the last position. Leaves: rows in the order of `Record`'s fields, each with
the hash of the previous one and its own, and the new heads.

    hash = SHA-256(prev || header || body)        prev of a table's first record = SHA-256("taisai:" + table)

The header is a MessagePack array of [1, table, seq, position, kind, version, at, command_id, part, by], every value
in its shortest encoding. MessagePack puts its length before every string, so no two headers have the same bytes, and
none is a prefix of another; the leading 1 is the number of this format. Any MessagePack reader can check a chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Final, TypeAlias

import msgspec

from taisai.journal.contract import InvalidRecord, SequenceConflict
from taisai.journal.record import Batch, Head, NewRecord, Row

FORMAT: Final = 1
LARGEST: Final = 2**63 - 1
"""The largest whole number that every store can represent."""

Header: TypeAlias = tuple[int, str, int, int, str, int, int, str, int, str]
"""`FORMAT`, and the fields of a `Record` as far as the body."""

_packed = msgspec.msgpack.Encoder().encode
_TYPES: Final = (str, int, int, str, int, str, bytes)


def genesis(table: str) -> bytes:
    """What takes the place of the previous hash in the first record of a table."""
    return sha256(b"taisai:" + table.encode()).digest()


def record_hash(prev: bytes, header: Header, body: bytes) -> bytes:
    """The hash of one record."""
    return sha256(prev + _packed(header) + body).digest()


def snapshot_digest(table: str, seq: int, format_number: int, record_hash: bytes, state: bytes) -> bytes:
    """The digest of a snapshot: over its table and seq, its format, the hash of its record, and its state."""
    return sha256(_packed((FORMAT, table, seq, format_number, record_hash)) + state).digest()


def linked(
    batches: Iterable[Batch], position: int, head_of: Callable[[str], Head]
) -> tuple[list[Row], dict[str, Head]]:
    """The rows to write after `position`, and the new heads; raises for the first batch that is wrong."""
    rows: list[Row] = []
    ends: dict[str, tuple[int, bytes]] = {}
    for table, expected, records in batches:
        end = ends.get(table) if type(table) is str else None
        if end is None:
            _check_table(table)
            end = head_of(table)
        seq, prev = end
        if expected != seq:
            raise SequenceConflict(table, expected, seq)
        for new in records:
            seq += 1
            position += 1
            kind, version, at, command_id = new.kind, new.version, new.at, new.command_id
            part, by, body = new.part, new.by, new.body
            if not (
                type(kind) is type(command_id) is type(by) is str
                and type(version) is type(part) is type(at) is int
                and type(body) is bytes
                and kind
                and command_id
                and 0 < version <= LARGEST
                and 0 <= part <= LARGEST
                and -LARGEST <= at <= LARGEST
            ):
                raise InvalidRecord(table, _problem_of(new))
            try:
                digest = record_hash(
                    prev, (FORMAT, table, seq, position, kind, version, at, command_id, part, by), body
                )
            except UnicodeEncodeError as error:
                raise InvalidRecord(table, "its text contains a lone surrogate") from error
            rows.append((table, seq, position, kind, version, at, command_id, part, by, body, prev, digest))
            prev = digest
        ends[table] = (seq, prev)
    return rows, {table: Head(*end) for table, end in ends.items()}


def _check_table(table: str) -> None:
    if not table or type(table) is not str:
        raise InvalidRecord(str(table), "a table needs a name")
    try:
        table.encode()
    except UnicodeEncodeError as error:
        raise InvalidRecord(ascii(table), "the table's name contains a lone surrogate") from error


def _problem_of(new: NewRecord) -> str:
    """Why a record is invalid."""
    for name, wanted in zip(NewRecord.__struct_fields__, _TYPES, strict=True):
        value = getattr(new, name)
        if type(value) is not wanted:
            return f"its {name} is of the type {type(value).__name__}, not {wanted.__name__}"
    if not new.kind:
        return "it has no kind"
    if not new.command_id:
        return "it has no command_id"
    return "its version, part or time is out of range"
