"""The life of a log's key: each change is a record, and an audit with the right key has no finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.audit.run import Audit
from taisai.house.keys import change_key, restart_log, verifier_of
from taisai.house.proof import Prover
from taisai.journal import MemoryJournal, SigningError, SqliteJournal
from taisai.journal.log.keys import vouched_by
from taisai.journal.log.note import Checkpoint
from taisai.journal.log.tree import LogBehind
from taisai.journal.signing import public_from_pem
from taisai.streams.house_events import KeyChanged, LogRestarted, read_house
from tests.house.test_proof import NOON, grow, prover_of, signed
from tests.journal.samples import sign_checkpoint


def found(path: Path, pem: bytes) -> set[str]:
    """What an audit with a public key finds; the records here are of no table's own events."""
    audit = Audit(lambda _name: None)
    codes = {finding.code for finding in audit.findings_of_file(path, public_from_pem(pem))}
    return codes - {"not-an-event"}


def now() -> int:
    """The time."""
    return NOON


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal that version 0.1 signed, and whose log began since."""
    path = tmp_path / "floor.db"
    with SqliteJournal(path) as journal:
        grow(journal, 5)
        sign_checkpoint(journal, NOON)
        signed(prover_of(journal))
    return path


def test_a_rotation_is_trusted_by_the_old_keys_word(path: Path) -> None:
    """Auditors with the old key and with the new one both find nothing; the record has the word."""
    old = path.with_name("floor.db.pub").read_bytes()
    with SqliteJournal(path) as journal:
        before = verifier_of(journal)
        after, word = change_key(journal, "rotation", by="kim", reason="every year", now=now)
        assert word is not None
        assert vouched_by(word, before) == after == verifier_of(journal)
        *_, (_, event) = read_house(journal)
        assert event.what == KeyChanged(str(before), str(after), "rotation", str(word))
        assert (event.by, event.reason) == ("kim", "every year")
        grow(journal, 3)
        assert signed(prover_of(journal)).size == journal.position()
    new = path.with_name("floor.db.pub").read_bytes()
    assert new != old
    assert found(path, old) == found(path, new) == set()
    assert len(list(path.parent.glob("floor.db.key.*.retired"))) == 1


@pytest.mark.parametrize("why", ["loss", "compromise"])
def test_without_the_old_key_people_must_vouch(path: Path, why: str) -> None:
    """The auditor with the old key is told; with the new one, received from people, nothing is found."""
    old = path.with_name("floor.db.pub").read_bytes()
    if why == "loss":
        path.with_name("floor.db.key").unlink()
    with SqliteJournal(path) as journal:
        _, word = change_key(journal, why, by="kim", reason="gone", now=now)
        assert word is None
    assert found(path, old) == {"log-key-unknown"}
    assert found(path, path.with_name("floor.db.pub").read_bytes()) == set()


def test_the_old_key_signs_no_more(path: Path) -> None:
    """A house that is started with the old key again signs nothing."""
    old = path.with_name("floor.db.key").read_bytes()
    with SqliteJournal(path) as journal:
        change_key(journal, "rotation", by="kim", reason="every year", now=now)
        path.with_name("floor.db.key").write_bytes(old)
        with pytest.raises(SigningError, match="is not the key of this log"):
            signed(prover_of(journal))


def test_a_log_begins_anew_after_a_loss(path: Path) -> None:
    """A restored backup is not signed under the old name; people let the log go on under a new one, on the record."""
    with SqliteJournal(path) as journal:
        journal.backup(path.with_name("backup.db"))
        grow(journal, 50)
        last = signed(prover_of(journal))
    path.with_name("backup.db").replace(path)
    with SqliteJournal(path) as journal:
        with pytest.raises(LogBehind):
            signed(prover_of(journal))
        after = restart_log(journal, by="kim", reason="the fire", now=now)
        assert after.name == "casino.example/floor/again-2"
        what = [event.what for _, event in read_house(journal)][-1]
        assert isinstance(what, LogRestarted)
        assert what.before == last.origin
        assert f"\n{last.size}\n" in what.known
        grow(journal, 3)
        assert signed(prover_of(journal)) == Checkpoint.read(str(Prover(lambda: journal, now).sign().text))
        assert restart_log(journal, by="kim", reason="again", now=now).name == "casino.example/floor/again-3"
    assert found(path, path.with_name("floor.db.pub").read_bytes()) == set()


def test_what_has_no_log_has_no_key(tmp_path: Path) -> None:
    """A journal that was never signed, or lives in memory, says so."""
    with SqliteJournal(tmp_path / "new.db") as journal, pytest.raises(SigningError, match="has no log yet"):
        verifier_of(journal)
    with pytest.raises(SigningError, match="ends with its process"):
        change_key(MemoryJournal(), "rotation", by="kim", reason="x", now=now)
