"""SQLite: which versions are accepted, and its errors as the journal's own."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from taisai.journal import (
    JournalDamaged,
    JournalError,
    JournalFailed,
    JournalFull,
    JournalReadOnly,
    JournalUnreachable,
    NotAJournal,
)
from taisai.journal.sqlite.database import require_sqlite, translated


def test_an_old_sqlite_is_refused() -> None:
    """A version of SQLite that may corrupt a write-ahead log is refused; the one that apsw bundles is not."""
    require_sqlite()
    for version in ("3.51.3", "3.51.3.1", "3.52.0", "4.0.0"):
        require_sqlite(version)
    for version in ("3.51.2", "3.40.1", "3.9.0"):
        with pytest.raises(JournalFailed, match=rf"SQLite {version} is too old: before 3\.51\.3 it may corrupt"):
            require_sqlite(version)


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (apsw.FullError("x"), JournalFull, "is full: nothing was written"),
        (apsw.NotADBError("x"), NotAJournal, "is not an SQLite file"),
        (apsw.ReadOnlyError("x"), JournalReadOnly, "is read-only"),
        (apsw.CantOpenError("x"), JournalUnreachable, "cannot be opened"),
        (apsw.BusyError("x"), JournalFailed, "is locked by another program"),
        (apsw.IOError("x"), JournalFailed, "reading or writing .* failed"),
        (apsw.CorruptError("x"), JournalDamaged, "is damaged"),
        (apsw.NoMemError("x"), JournalFailed, "a.db: x"),
    ],
)
def test_what_sqlite_says_is_translated(error: apsw.Error, kind: type[JournalError], words: str) -> None:
    """Every error of SQLite becomes one of the journal's, and its message names the file."""
    with pytest.raises(kind, match=words) as told, translated(Path("a.db")):
        raise error
    assert "a.db" in str(told.value)


def test_no_space_for_the_index_of_the_log() -> None:
    """A disk without space for the index of the write-ahead log is a full disk."""
    error = apsw.IOError("disk I/O error")
    error.extendedresult = apsw.SQLITE_IOERR_SHMSIZE  # type: ignore[attr-defined]  # apsw sets it, its stubs do not say so
    with pytest.raises(JournalFull), translated(Path("a.db")):
        raise error
