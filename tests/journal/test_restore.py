"""Restoring: only a sound backup, and never over another journal by mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.journal import (
    Batch,
    JournalInUse,
    JournalUnreachable,
    MemoryJournal,
    RestoreRefused,
    SigningError,
    SqliteJournal,
)
from taisai.journal.restore import restore
from taisai.journal.signing import Signer
from taisai.journal.verify import verify, verify_file
from tests.journal.samples import (
    NOON,
    TABLES,
    codes,
    content,
    copy_of,
    edit,
    fill,
    found_in,
    new,
    several,
    sign_checkpoint,
)
from tests.journal.sqlite.test_schema import old_journal


def test_a_backup_is_restored(sound: Path, tmp_path: Path) -> None:
    """A restored journal has the backup's content, verifies, and can be signed once its key is beside it."""
    backup, target = tmp_path / "backup.db", tmp_path / "journal.db"
    with SqliteJournal(sound, read_only=True) as journal:
        journal.backup(backup)
    steps: list[tuple[int, int]] = []
    restore(backup, target, progress=lambda *step: steps.append(step))
    assert steps[-1] == (48, 48)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "backup.db",
        "backup.db.pub",
        "journal.db",
        "journal.db.lock",
        "journal.db.pub",
    ]
    with SqliteJournal(target) as journal, SqliteJournal(backup, read_only=True) as origin:
        assert content(journal) == content(origin)
        journal.append([Batch(TABLES[0], 8, [new("after")])])
        with pytest.raises(SigningError, match=r"journal\.db\.key is missing"):
            sign_checkpoint(journal, NOON)
        (tmp_path / "journal.db.key").write_bytes(Path(f"{sound}.key").read_bytes())
        sign_checkpoint(journal, NOON)
    assert list(verify_file(target)) == []


def test_a_restore_overwrites_only_with_force(sound: Path, tmp_path: Path) -> None:
    """An existing journal is replaced only with `force`, one in use never; its old log is not used."""
    backup, target = copy_of(sound, tmp_path / "backup.db"), tmp_path / "journal.db"
    with SqliteJournal(target) as journal:
        journal.append([Batch("other", 0, several(0, 50))])
        with pytest.raises(RestoreRefused, match="exists already"):
            restore(backup, target)
        with pytest.raises(JournalInUse):
            restore(backup, target, force=True)
        log = Path(f"{target}-wal").read_bytes()
    Path(f"{target}-wal").write_bytes(log)
    restore(backup, target, force=True)
    with SqliteJournal(target) as journal:
        assert journal.tables() == sorted(TABLES)
        assert list(verify(journal)) == []


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE record SET at = at + 1 WHERE position = 5",
        "DELETE FROM record WHERE position = 48",
        "UPDATE snapshot SET state = x'00'",
        "UPDATE checkpoint SET at = 0",
        "DROP INDEX sqlite_autoindex_record_1",
    ],
)
def test_an_unsound_backup_is_refused(sound: Path, tmp_path: Path, sql: str) -> None:
    """A backup that does not verify is not restored, and the existing file stays."""
    backup, target = copy_of(sound, tmp_path / "backup.db"), tmp_path / "journal.db"
    if sql.startswith("DROP"):
        backup.write_bytes(backup.read_bytes()[:-5000])
    else:
        edit(backup, sql)
    with SqliteJournal(target) as journal:
        journal.append([Batch("other", 0, [new()])])
    with pytest.raises(Exception, match=r"backup\.db") as refused:
        restore(backup, target, force=True)
    if isinstance(refused.value, RestoreRefused):
        assert refused.value.findings
    with SqliteJournal(target) as journal:
        assert journal.tables() == ["other"]
    assert not list(tmp_path.glob("*.partial*"))


def test_a_restore_checks_the_key(sound: Path, tmp_path: Path) -> None:
    """The key given, or the one beside the target, takes precedence over the one beside the backup."""
    backup = copy_of(sound, tmp_path / "backup.db")
    with pytest.raises(RestoreRefused, match="signed with a different key"):
        restore(backup, tmp_path / "a.db", public_key=Signer.new().public)
    with SqliteJournal(tmp_path / "b.db") as journal:
        fill(journal)
    with pytest.raises(RestoreRefused, match="signed with a different key"):
        restore(backup, tmp_path / "b.db", force=True)
    Path(f"{backup}.pub").unlink()
    with pytest.raises(RestoreRefused, match="there is no public key"):
        restore(backup, tmp_path / "c.db")
    assert found_in(tmp_path / "b.db") == []


def test_a_restore_can_ask_for_a_witness(sound: Path, tmp_path: Path) -> None:
    """A backup older than a known checkpoint is refused when that checkpoint is given."""
    backup = copy_of(sound, tmp_path / "backup.db")
    with MemoryJournal() as other:
        witness = sign_checkpoint(other, NOON)
    with pytest.raises(RestoreRefused, match="was given as witness") as refused:
        restore(backup, tmp_path / "journal.db", witness=witness)
    assert codes(refused.value.findings) == {"checkpoint-missing"}


def test_a_backup_of_an_older_schema_is_restored(tmp_path: Path) -> None:
    """A backup with an older schema is migrated while it is restored."""
    old_journal(tmp_path / "backup.db")
    restore(tmp_path / "backup.db", tmp_path / "journal.db")
    assert found_in(tmp_path / "journal.db") == []


def test_what_cannot_be_restored(tmp_path: Path) -> None:
    """A missing backup, a missing folder and a file that is not a journal are refused with the reason."""
    with pytest.raises(JournalUnreachable, match="there is no backup at"):
        restore(tmp_path / "a.db", tmp_path / "b.db")
    (tmp_path / "a.db").write_bytes(b"nothing of the kind" * 100)
    with pytest.raises(JournalUnreachable, match=r"the folder .* does not exist"):
        restore(tmp_path / "a.db", tmp_path / "nowhere" / "b.db")
    with pytest.raises(Exception, match="not a taisai journal"):
        restore(tmp_path / "a.db", tmp_path / "b.db")
    assert not (tmp_path / "b.db").exists()
