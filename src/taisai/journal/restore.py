"""Restoring a backup.

Enters: a backup and the path where the journal should be. Leaves: a journal there whose final file has been verified
(chain, signatures, SQLite's own check), or `RestoreRefused`, with nothing changed.

The private key is not part of a backup: put it beside the journal (`shift.db.key`) before the next checkpoint is
signed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from taisai.journal.backup import draft_of, put_in_place, remove_draft
from taisai.journal.contract import JournalUnreachable, Progress, RestoreRefused
from taisai.journal.signing import public_beside, public_path, write_public
from taisai.journal.sqlite.database import copy_database
from taisai.journal.sqlite.journal import SqliteJournal
from taisai.journal.sqlite.lock import WriterLock
from taisai.journal.verify import verify_file

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    from taisai.journal.record import Checkpoint


def restore(
    backup: Path | str,
    target: Path | str,
    *,
    force: bool = False,
    public_key: Ed25519PublicKey | None = None,
    witness: Checkpoint | None = None,
    progress: Progress | None = None,
) -> None:
    """Verify a backup and put it in place; an existing journal is replaced only with `force`.

    Checkpoints are checked against the key given, else the one beside the target, else the one beside the backup.
    """
    backup, target = Path(os.path.realpath(backup)), Path(os.path.realpath(target))
    if not backup.is_file():
        raise JournalUnreachable(f"there is no backup at {backup}")
    if not target.parent.is_dir():
        raise JournalUnreachable(f"the folder {target.parent} does not exist: make it first")
    if target.exists() and not target.is_file():
        raise RestoreRefused(f"{target} is not a file: nothing is put in its place")
    if target.exists() and not force:
        raise RestoreRefused(f"{target} exists already: it is replaced only when that is asked for")
    lock = WriterLock(target)
    draft = draft_of(target)
    try:
        public_key = public_key or public_beside(target) or public_beside(backup)
        copy_database(backup, draft)
        SqliteJournal(draft, create=False).close()  # brings an older schema up to date
        findings = list(verify_file(draft, public_key, progress, witness=witness))
        if findings:
            raise RestoreRefused(f"{backup} is not sound: {findings[0].sentence}", findings)
        # SQLite would take the log of the old file for the log of the new one.
        for ending in ("-wal", "-shm"):
            target.with_name(target.name + ending).unlink(missing_ok=True)
        put_in_place(draft, target)
        if public_key is not None:
            write_public(public_key, public_path(target))
    finally:
        remove_draft(draft)
        lock.release()
