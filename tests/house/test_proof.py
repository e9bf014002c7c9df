"""The log of a journal: it follows the records on every kind of store, and nothing that is lost is signed over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from taisai.house.log import append_house
from taisai.house.proof import NOTHING_YET, Prover
from taisai.journal import Journal, JournalDamaged, MemoryJournal, SigningError, SqliteJournal, open_journal
from taisai.journal.log.headfile import HeadFile
from taisai.journal.log.merkle import check_consistency, root_from_inclusion
from taisai.journal.log.note import Checkpoint, Note, Verifier
from taisai.journal.log.tree import LogBehind
from taisai.journal.record import Batch, NewRecord
from taisai.streams.house_events import HOUSE_STREAM, HouseEvent, HouseStopped, LogBegan, read_house
from taisai.streams.leaves import leaf_of
from taisai.streams.receipts import NotInLog
from taisai.web.static.verify import taisai_verify as verifier
from tests.journal.samples import sign_checkpoint
from tests.postgres import journal_url

NOON = 1_800_000_000_000_000


def records(count: int, start: int = 0) -> list[NewRecord]:
    """So many records of one table."""
    return [
        NewRecord("bets-opened", 1, NOON + number, f"c{number}", 0, "dan", b'{"what":{"event":"bets-opened"}}')
        for number in range(start, start + count)
    ]


def grow(journal: Journal, count: int, table: str = "T1") -> None:
    """Append to a table."""
    seq = journal.head(table).seq
    journal.append([Batch(table, seq, records(count, seq))])


def prover_of(journal: Journal, origin: str = "casino.example/floor") -> Prover:
    """The log of a journal."""
    return Prover(lambda: journal, lambda: NOON, origin)


def signed(prover: Prover) -> Checkpoint:
    """Follow and sign."""
    while prover.follow():
        pass
    return Checkpoint.read(prover.sign().text)


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Journal]:
    """A journal of each kind."""
    urls = {"memory": "memory:", "sqlite": str(tmp_path / "floor.db")}
    with open_journal(urls.get(request.param) or journal_url(tmp_path)) as opened:
        yield opened


def test_the_tree_is_over_all_records_in_commit_order(journal: Journal) -> None:
    """Records of all tables join the tree as they were committed; heads extend one another, and receipts hold."""
    prover = prover_of(journal)
    grow(journal, 3)
    heads = [signed(prover)]
    for count, table in ((300, "T2"), (1, "T1"), (700, "T3")):
        grow(journal, count, table)
        heads.append(signed(prover))
    assert heads[-1].size == journal.position() == 3 + 1 + 300 + 1 + 700
    began = LogBegan("casino.example/floor", str(prover.verifier()))
    assert [event.what for _, event in read_house(journal)] == [began]
    for older in heads:
        proof = prover.consistency(older.size, heads[-1].size)
        check_consistency(older.size, older.root, heads[-1].size, heads[-1].root, proof)
    salt = journal.get("log/salt") or b""
    for record in list(journal.read_all())[::97]:
        proof = prover._tree.inclusion(record.position - 1, heads[-1].size)
        found = root_from_inclusion(leaf_of(record, salt).hash, record.position - 1, heads[-1].size, proof)
        assert found == heads[-1].root


def test_two_nodes_keep_one_log(journal: Journal) -> None:
    """Two that follow and sign in turn, or at once, write one history."""
    one, two = prover_of(journal), prover_of(journal)
    for prover in (one, two, two, one):
        grow(journal, 5)
        head = signed(prover)
        assert head.size == journal.position()
    assert one.sign() == two.sign()
    assert {event.what for _, event in read_house(journal)} == {LogBegan("casino.example/floor", str(one.verifier()))}


def test_the_head_stands_beside_the_key(tmp_path: Path) -> None:
    """The newest head is also a file, as anybody's tools read it; the next start goes on from it."""
    with SqliteJournal(tmp_path / "floor.db") as journal:
        grow(journal, 3)
        head = signed(prover_of(journal))
        kept = HeadFile(tmp_path / "floor.db.key").read()
        assert kept is not None
        assert Checkpoint.read(kept.text) == head
        assert sorted(path.name for path in tmp_path.glob("floor.db.*")) == [
            "floor.db.head", "floor.db.key", "floor.db.lock", "floor.db.pub",
        ]  # fmt: skip
    with SqliteJournal(tmp_path / "floor.db") as journal:
        grow(journal, 3)
        assert signed(prover_of(journal, "another name is too late")).origin == "casino.example/floor"


def restored(tmp_path: Path, then: Any = None) -> Prover:
    """A house that signed 1,004 records, and whose database is that of 504 again."""
    with SqliteJournal(tmp_path / "floor.db") as journal:
        grow(journal, 500)
        signed(prover_of(journal))
        journal.backup(tmp_path / "backup.db")
        grow(journal, 500)
        signed(prover_of(journal))
    (tmp_path / "backup.db").replace(tmp_path / "floor.db")
    opened = SqliteJournal(tmp_path / "floor.db")
    if then is not None:
        then(opened)
    return prover_of(opened)


def test_a_restored_backup_is_not_signed(tmp_path: Path) -> None:
    """The house knows a head that its journal no longer reaches, and refuses; the refusal stays when it grows again."""
    prover = restored(tmp_path)
    with pytest.raises(LogBehind, match="a head of 1001 records is known, and the journal has 501: it was cut back"):
        signed(prover)
    grow(prover._journal(), 700, "T2")
    with pytest.raises(LogBehind, match="the first 1001 records are not those of the head that is known"):
        signed(prover)
    prover._journal().close()


def test_a_journal_without_its_signatures_is_not_signed(tmp_path: Path) -> None:
    """All heads deleted, or their file: the key shows that there were some."""

    def forget(journal: SqliteJournal) -> None:
        journal.put_all(dict.fromkeys(journal.entries("log/")))

    prover = restored(tmp_path, forget)
    with pytest.raises(LogBehind, match="has lost the name of its log"):
        signed(prover)
    (tmp_path / "floor.db.head").unlink()
    with pytest.raises(LogBehind, match="so this journal has been signed, and no signature is left"):
        signed(prover_of(prover._journal()))
    (tmp_path / "floor.db.head").write_text("nonsense\n")
    with pytest.raises(SigningError, match=r"floor\.db\.head, cannot be read"):
        signed(prover_of(prover._journal()))
    prover._journal().close()


def test_a_head_that_only_the_file_has_is_taken_back(tmp_path: Path) -> None:
    """A crash between file and database, or deleted newest heads over an intact journal: the log goes on."""
    with SqliteJournal(tmp_path / "floor.db") as journal:
        grow(journal, 10)
        first = prover_of(journal)
        before = signed(first)
        journal.put_all(dict.fromkeys([*journal.entries("log/head/"), "log/newest"]))
        grow(journal, 1)
        again = signed(prover_of(journal))
        assert again.size == before.size + 1


def test_a_crash_before_the_first_head_is_no_loss(tmp_path: Path) -> None:
    """The file that stands beside a new key before anything is signed says that nothing was."""
    with SqliteJournal(tmp_path / "floor.db") as journal:
        grow(journal, 2)
        HeadFile(tmp_path / "floor.db.key").write(NOTHING_YET)
        journal.signer(make=True)
        assert signed(prover_of(journal)).size == 3


def test_the_key_is_missed(tmp_path: Path) -> None:
    """Without its key a signed journal is not signed with a new one."""
    with SqliteJournal(tmp_path / "floor.db") as journal:
        grow(journal, 2)
        signed(prover_of(journal))
        (tmp_path / "floor.db.key").unlink()
        with pytest.raises(SigningError, match="is missing, and this journal was signed with it"):
            signed(prover_of(journal))


def test_what_an_earlier_version_signed_must_hold(tmp_path: Path) -> None:
    """The first head over a journal of before extends its last checkpoint; without it nothing is signed."""
    with SqliteJournal(tmp_path / "floor.db") as journal:
        grow(journal, 4)
        sign_checkpoint(journal, NOON)
        grow(journal, 4)
        assert signed(prover_of(journal)).size == 9
    with SqliteJournal(tmp_path / "other.db") as journal:
        grow(journal, 4)
        sign_checkpoint(journal, NOON)
        writer = journal._writer
        assert writer is not None
        for statement in ("DROP TRIGGER checkpoint_stays", "DELETE FROM checkpoint"):
            writer.execute(statement)
        with pytest.raises(LogBehind, match="no signature is left"):
            signed(prover_of(journal))


def test_a_rewritten_table_is_not_signed_over_an_old_checkpoint(tmp_path: Path) -> None:
    """The records that the last checkpoint signed are compared before the first head."""
    with SqliteJournal(tmp_path / "floor.db") as journal:
        grow(journal, 4)
        sign_checkpoint(journal, NOON)
        writer = journal._writer
        assert writer is not None
        for statement in ("DROP TRIGGER record_is_final", "UPDATE record SET hash = zeroblob(32) WHERE seq = 4"):
            writer.execute(statement)
        with pytest.raises(LogBehind, match="table 'T1' is not what it was up to record 4"):
            prover_of(journal).sign()


def test_a_witness_is_believed_against_the_house() -> None:
    """A head that a witness has shown is known like the house's own."""
    journal = MemoryJournal()
    grow(journal, 3)
    prover = prover_of(journal)
    head = signed(prover)
    prover.seen["w.example"] = head._replace(size=head.size + 1)
    with pytest.raises(LogBehind, match="cut back"):
        prover.sign()
    prover.seen["w.example"] = head._replace(origin="other.example")
    with pytest.raises(LogBehind, match=r"a head of the log other\.example is known"):
        prover.sign()


def test_a_receipt_comes_from_the_newest_head() -> None:
    """Cosigned ones are preferred as far as they reach; a record that no head covers has no receipt yet."""
    journal = MemoryJournal()
    grow(journal, 3)
    prover = prover_of(journal)
    with pytest.raises(SigningError, match="no head of the log has been signed yet"):
        prover.receipt(next(journal.read("T1")))
    first = prover.head_of(signed(prover).size)
    assert first is not None
    prover.cosigned(first, enough=True)
    grow(journal, 1)
    *_, last = journal.read("T1")
    with pytest.raises(NotInLog):
        prover.receipt(last)
    second = signed(prover)
    assert Checkpoint.read(Note.read(prover.receipt(last).head).text) == second
    assert prover.receipt(next(journal.read("T1"))).head == str(first)


def test_a_hole_stops_the_log(tmp_path: Path) -> None:
    """A missing record is not passed over."""
    with SqliteJournal(tmp_path / "floor.db") as journal:
        grow(journal, 4)
        writer = journal._writer
        assert writer is not None
        for statement in ("DROP TRIGGER record_stays", "DELETE FROM record WHERE position = 1"):
            writer.execute(statement)
        with pytest.raises(JournalDamaged, match="the record at position 1 is missing"):
            prover_of(journal).follow()


def test_a_receipt_is_checked_by_others() -> None:
    """The verifier of one file accepts what the log gives."""
    journal = MemoryJournal()
    append_house(journal, [HouseEvent(NOON, "house", HouseStopped("asked to"))])
    prover = prover_of(journal, "")
    assert signed(prover).origin.startswith("taisai/")
    key = prover.verifier()
    assert isinstance(key, Verifier)
    receipt = prover.receipt(next(journal.read(HOUSE_STREAM)))
    shown = verifier.check_receipt(msgspec.to_builtins(receipt), verifier.verifier_key(str(key)))
    assert shown["event"] == "house.house-stopped"
