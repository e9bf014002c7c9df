"""Backups of a journal's file.

Enters: the path of a journal, which may be in use, and the path of a file that does not exist yet. Leaves: that file,
with everything as it was at one moment, on disk, complete or not at all; and the public key beside it. The private key
is not copied: keep it apart.
"""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path

from taisai.journal.contract import JournalFailed, JournalFull, JournalUnreachable, Progress
from taisai.journal.signing import public_beside, public_path, write_public
from taisai.journal.sqlite.database import copy_database, sync_folder


def write_backup(source: Path, target: Path, progress: Progress | None = None) -> None:
    """Copy a journal's file, which others may be writing to."""
    if target.exists():
        raise JournalUnreachable(f"{target} exists already: a backup overwrites nothing")
    if not target.parent.is_dir():
        raise JournalUnreachable(f"the folder {target.parent} does not exist: make it first")
    public, there = public_beside(source), public_beside(target)
    if public is not None and there is not None and public != there:
        raise JournalUnreachable(f"{public_path(target)} exists already and belongs to another journal")
    draft = draft_of(target)
    try:
        copy_database(source, draft, progress)
        if public is not None:
            write_public(public, public_path(target))
        put_in_place(draft, target)
    finally:
        remove_draft(draft)


def draft_of(target: Path) -> Path:
    """A name in the same folder, for a file that is not complete yet."""
    return target.with_name(f"{target.name}.{secrets.token_hex(4)}.partial")


def remove_draft(draft: Path) -> None:
    """Remove an incomplete file, if it is still there, and what SQLite and the lock have put beside it."""
    for ending in ("", "-wal", "-shm", "-journal", ".lock"):
        draft.with_name(draft.name + ending).unlink(missing_ok=True)


def put_in_place(draft: Path, target: Path) -> None:
    """Flush a complete file to disk and give it its name."""
    try:
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        draft.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        kind = JournalFull if error.errno == errno.ENOSPC else JournalFailed
        raise kind(f"{target} cannot be written: {error.strerror}") from error
