"""One writer for each journal file.

Enters: a path. Leaves: a lock on the file beside it (`shift.db.lock`), which the system releases with the process,
however the process ends; `JournalInUse` for a second writer. The lock file stays: removing it would let two writers in.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from taisai.journal.contract import JournalInUse, JournalReadOnly


class WriterLock:
    """The exclusive right to write to one journal file, until it is released."""

    def __init__(self, journal: Path) -> None:
        path = journal.with_name(journal.name + ".lock")
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise JournalReadOnly(f"{journal} cannot be opened for writing: {path}: {error.strerror}") from error
        self._file = os.fdopen(descriptor, "r+", encoding="ascii")
        try:
            _lock(descriptor)
        except OSError:
            pid = _read_pid(self._file.read(20))
            self._file.close()
            raise JournalInUse(journal, pid) from None
        self._file.truncate()
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def release(self) -> None:
        """Let the next writer in."""
        self._file.close()


def _read_pid(text: str) -> int | None:
    return int(text) if text.strip().isdigit() else None


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        # A byte far beyond the text, which therefore stays readable.
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        # flock belongs to this opening of the file: a second opening in the same process is refused as well.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
