"""Copying one journal into another, of any kind.

Enters: a journal, and an empty one. Leaves: the second with the same records, hashes, snapshots, checkpoints and
key-value entries; `JournalDamaged` when the hashes come out differently, which means that the first was tampered with.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Final

from taisai.journal.backup import draft_of, put_in_place, remove_draft
from taisai.journal.contract import InvalidRecord, Journal, JournalDamaged, JournalUnreachable, Progress
from taisai.journal.record import Batch, NewRecord, Record
from taisai.journal.signing import public_path, write_public
from taisai.journal.sqlite.journal import SqliteJournal

CHUNK: Final = 1_000
PAGE: Final = 500
"""Entries that are copied in one commit."""


def copy(source: Journal, target: Journal, progress: Progress | None = None) -> None:
    """Copy everything that the source contains when the copying begins."""
    standing = source.standing()
    before = target.standing()
    if before.position or before.checkpoint or target.entries(count=1):
        raise InvalidRecord("*", "a journal can only be copied into an empty one")
    records = source.read_all(upto=standing.position)
    done = 0
    while chunk := list(islice(records, CHUNK)):
        target.append(list(_batches(chunk)))
        done += len(chunk)
        if progress is not None:
            progress(done, standing.position)
    for snapshot in source.snapshots():
        head = standing.heads.get(snapshot.table)
        if head is not None and snapshot.seq <= head.seq:
            target.save_snapshot(snapshot.table, snapshot.seq, snapshot.format, snapshot.state)
    for checkpoint in source.checkpoints(upto=standing.checkpoint):
        target.keep_checkpoint(checkpoint)
    after = ""
    while page := source.entries(after=after, count=PAGE):
        target.put_all(page)
        after = max(page)
    if target.standing() != standing:
        raise JournalDamaged("the copy differs from the journal: verify the journal")


def _batches(records: list[Record]) -> Iterator[Batch]:
    for table, run in groupby(records, key=lambda record: record.table):
        batch = list(run)
        yield Batch(table, batch[0].seq - 1, [_new(record) for record in batch])


def _new(one: Record) -> NewRecord:
    return NewRecord(one.kind, one.version, one.at, one.command_id, one.part, one.by, one.body)


def write_copy(source: Journal, target: Path, progress: Progress | None = None) -> None:
    """Copy a journal into a new journal file."""
    if target.exists():
        raise JournalUnreachable(f"{target} exists already: a backup overwrites nothing")
    draft = draft_of(target)
    try:
        with SqliteJournal(draft) as journal:
            copy(source, journal, progress)
        public = source.public_key()
        if public is not None:
            write_public(public, public_path(target))
        put_in_place(draft, target)
    finally:
        remove_draft(draft)
