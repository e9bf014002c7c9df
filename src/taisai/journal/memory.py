"""The journal in memory.

Enters: batches of new records. Leaves: records, as from every journal, until the process ends. For tests, and for
tables that need no history; its backup is a journal file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Final

from msgspec.structs import astuple

from taisai.journal.chain import genesis, linked, snapshot_digest
from taisai.journal.contract import (
    DuplicateCommand,
    InvalidRecord,
    Journal,
    JournalClosed,
    Progress,
    SigningError,
    superseded,
)
from taisai.journal.keyvalue import check_entry, check_key
from taisai.journal.record import Batch, Checkpoint, Finding, Head, Record, Row, Snapshot, Standing
from taisai.journal.signing import Signer, require_next
from taisai.journal.transfer import write_copy

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

CHUNK: Final = 1_000


class MemoryJournal(Journal):
    """A journal that ends with the process."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._records: list[Record] = []
        self._by_table: dict[str, list[Record]] = {}
        self._by_command: dict[tuple[str, str], list[Record]] = {}
        self._snapshots: dict[str, dict[int, Snapshot]] = {}
        self._checkpoints: list[Checkpoint] = []
        self._entries: dict[str, bytes] = {}
        self._signer: Signer | None = None
        self._closed = False

    def append(self, batches: Sequence[Batch]) -> dict[str, Head]:
        """Store all batches or none."""
        with self._open():
            rows, heads = linked(batches, len(self._records), self._head)
            records = [Record(*row) for row in rows]
            self._check_commands(records)
            for record in records:
                self._records.append(record)
                self._by_table.setdefault(record.table, []).append(record)
                self._by_command.setdefault((record.table, record.command_id), []).append(record)
            return heads

    def _check_commands(self, records: list[Record]) -> None:
        seen: set[tuple[str, str, int]] = set()
        for record in records:
            key = (record.table, record.command_id, record.part)
            known = self._by_command.get(key[:2], ())
            if key in seen or any(one.part == record.part for one in known):
                raise DuplicateCommand(record.table, record.command_id)
            seen.add(key)

    def read(self, table: str, after: int = 0, upto: int | None = None) -> Iterator[Record]:
        """The records of a table."""
        with self._open():
            records = self._by_table.get(table, [])
        return self._slices(records, after, upto)

    def read_all(self, after_position: int = 0, upto: int | None = None) -> Iterator[Record]:
        """The records of all tables in commit order."""
        with self._open():
            records = self._records
        return self._slices(records, after_position, upto)

    def _slices(self, records: list[Record], after: int, upto: int | None) -> Iterator[Record]:
        after = max(after, 0)
        end = len(records) if upto is None else min(upto, len(records))
        while after < end:
            with self._open():
                chunk = records[after : min(after + CHUNK, end)]
            yield from chunk
            after += CHUNK

    def rows(self, after_position: int, upto: int, count: int) -> list[Row]:
        """Some records as plain tuples."""
        with self._open():
            first = max(after_position, 0)
            return [astuple(record) for record in self._records[first : max(min(first + count, upto), 0)]]

    def head(self, table: str) -> Head:
        """The end of a table's chain."""
        with self._open():
            return self._head(table)

    def _head(self, table: str) -> Head:
        records = self._by_table.get(table)
        return Head(records[-1].seq, records[-1].hash) if records else Head(0, genesis(table))

    def position(self) -> int:
        """The position of the last record."""
        with self._open():
            return len(self._records)

    def tables(self) -> list[str]:
        """The names of all tables that have records."""
        with self._open():
            return sorted(self._by_table)

    def standing(self) -> Standing:
        """Position, heads and number of checkpoints at one moment."""
        with self._open():
            heads = {table: self._head(table) for table in self._by_table}
            return Standing(len(self._records), heads, len(self._checkpoints))

    def find_command(self, table: str, command_id: str) -> list[Record]:
        """The records of a command."""
        with self._open():
            return list(self._by_command.get((table, command_id), ()))

    def recent_commands(self, table: str, count: int) -> list[str]:
        """The ids of the last commands, newest first."""
        with self._open():
            ids: dict[str, None] = {}
            for record in reversed(self._by_table.get(table, [])):
                if len(ids) >= count and record.command_id not in ids:
                    break
                ids[record.command_id] = None
            return list(ids)[:count]

    def save_snapshot(self, table: str, seq: int, format_number: int, state: bytes) -> None:
        """Store a table's state after a record."""
        with self._open():
            records = self._by_table.get(table, [])
            if not 1 <= seq <= len(records):
                raise InvalidRecord(table, f"there is no record {seq} that a snapshot could follow")
            record_hash = records[seq - 1].hash
            digest = snapshot_digest(table, seq, format_number, record_hash, state)
            kept = self._snapshots.setdefault(table, {})
            kept[seq] = Snapshot(table, seq, format_number, state, record_hash, digest)
            for old in superseded((each.seq, each.format) for each in kept.values()):
                del kept[old]

    def latest_snapshot(self, table: str, upto: int | None = None) -> Snapshot | None:
        """The newest snapshot."""
        with self._open():
            kept = self._snapshots.get(table, {})
            seq = max((one for one in kept if upto is None or one <= upto), default=None)
            return None if seq is None else kept[seq]

    def snapshots(self) -> Iterator[Snapshot]:
        """Every stored snapshot."""
        with self._open():
            return iter(
                [
                    self._snapshots[table][seq]
                    for table in sorted(self._snapshots)
                    for seq in sorted(self._snapshots[table])
                ]
            )

    def signer(self, *, make: bool) -> Signer:
        """A key that ends with the process."""
        with self._open():
            if self._signer is None and not make:
                raise SigningError("the journal in memory has no key yet")
            self._signer = self._signer or Signer.new()
            return self._signer

    def keep_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Store a checkpoint that was signed elsewhere."""
        with self._open():
            require_next(checkpoint, self._checkpoints[-1] if self._checkpoints else None)
            self._checkpoints.append(checkpoint)

    def checkpoints(self, after: int = 0, upto: int | None = None) -> Iterator[Checkpoint]:
        """The checkpoints in order."""
        with self._open():
            return iter(self._checkpoints[max(after, 0) : upto])

    def put(self, key: str, value: bytes | None) -> None:
        """Store a value under a key, or delete the key."""
        check_entry(key, value)
        with self._open():
            if value is None:
                self._entries.pop(key, None)
            else:
                self._entries[key] = value

    def put_all(self, entries: Mapping[str, bytes | None], when: Mapping[str, bytes | None] | None = None) -> bool:
        """Write several entries, if others are as expected."""
        for key, value in entries.items():
            check_entry(key, value)
        with self._open():
            if any(self._entries.get(key) != value for key, value in (when or {}).items()):
                return False
            for key, value in entries.items():
                self.put(key, value)
        return True

    def get(self, key: str) -> bytes | None:
        """The value under a key."""
        check_key(key)
        with self._open():
            return self._entries.get(key)

    def entries(self, prefix: str = "", *, after: str = "", count: int | None = None) -> dict[str, bytes]:
        """The entries whose keys begin with `prefix`."""
        check_key(prefix)
        with self._open():
            found = (key for key in sorted(self._entries) if key.startswith(prefix) and key > after)
            return {key: self._entries[key] for key in islice(found, count)}

    @property
    def leases(self) -> None:
        """None: one process is the only writer."""
        return

    @property
    def key_file(self) -> None:
        """None: the key ends with the process."""
        return

    def public_key(self) -> Ed25519PublicKey | None:
        """The public key of this process, if it has signed anything."""
        with self._open():
            return None if self._signer is None else self._signer.public

    def self_check(self) -> Iterator[Finding]:
        """Nothing: a journal in memory has no structure that could be damaged."""
        return iter(())

    def backup(self, path: Path | str, progress: Progress | None = None) -> None:
        """Write everything into a new journal file."""
        with self._open():
            write_copy(self, Path(os.path.realpath(path)), progress)

    def close(self) -> None:
        """End its use."""
        with self._lock:
            self._closed = True

    def _open(self) -> RLock:
        if self._closed:
            raise JournalClosed("the journal in memory is closed")
        return self._lock
