"""Forgers against the holder of a receipt and one honest witness: each forgery is found, and by whom."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from taisai.audit.log import LogCheck, Outside
from taisai.audit.run import Audit, AuditResult
from taisai.books import open_shelf
from taisai.house.log import append_house
from taisai.house.proof import Prover
from taisai.journal import MemoryJournal, SqliteJournal
from taisai.journal.log.headfile import HeadFile
from taisai.journal.log.keys import word_for
from taisai.journal.log.note import COSIGNATURE, Checkpoint, Note, Signer, Verifier
from taisai.journal.log.tree import LogBehind
from taisai.journal.log.witness import Witness, make_request
from taisai.journal.record import Batch, NewRecord
from taisai.journal.signing import public_from_pem
from taisai.journal.transfer import copy
from taisai.streams.house_events import (
    HOUSE_ACTOR,
    HOUSE_STREAM,
    HouseEvent,
    KeyChanged,
    SigningRefused,
    house_records_of,
)
from taisai.streams.receipts import Receipt
from taisai.web.static.verify import taisai_verify as verifier
from tests.audit.bot import Bot, deal
from tests.journal.log.test_witness import Remembered
from tests.streams.keeper import TableKeeper

SHELF = open_shelf(environment={})
EYES = Signer("witness.example", Ed25519PrivateKey.from_private_bytes(b"w" * 32), COSIGNATURE)
ORIGIN = "casino.example/floor"


class Kept:
    """A house whose heads an honest witness has seen, and a player who saved the proof of a bet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "floor.db"
        self.memory = Remembered()
        with SqliteJournal(self.path) as journal:
            keeper = TableKeeper(journal, SHELF.book, "T1", snapshot_every=10_000)
            self.bot = Bot(SHELF.book("rws-tai-sai-v6"), "C", 3)
            prover = self.prover(journal)
            for step, _ in enumerate(islice(deal(keeper, self.bot), 400)):
                if step % 5 == 0:
                    self.sign(prover)
                if step == 200:
                    self.first = self.sign(prover)
                    journal.backup(folder / "backup.db")
            self.head = self.sign(prover)
            self.key = str(prover.verifier())
            bet = next(record for record in journal.read("T1", 150) if record.kind == "bet-placed")
            self.bet = bet
            self.receipt = prover.receipt(bet)
        self.public = public_from_pem((folder / "floor.db.pub").read_bytes())

    def prover(self, journal: SqliteJournal) -> Prover:
        """The house's log."""
        return Prover(lambda: journal, lambda: 1_800_000_000_000_000, ORIGIN)

    def sign(self, prover: Prover, *, witness: bool = True) -> Note:
        """Sign what is there, and have it cosigned."""
        while prover.follow():
            pass
        note = prover.sign()
        if witness:
            assert self.ask(prover, note) == 200
        return note

    def ask(self, prover: Prover, note: Note) -> int:
        """What the witness answers to a head, proofs made by the house as well as it can."""
        key = prover.verifier()
        assert key is not None
        seen = self.memory.seen(ORIGIN)
        older = 0 if seen is None else Checkpoint.read(seen.text).size
        size = Checkpoint.read(note.text).size
        proof = prover.consistency(older, size) if older <= size else []
        witness = Witness(EYES, {ORIGIN: (self.trusted(key),)}, self.memory, lambda: 1_800_000_000)
        return witness.add_checkpoint(make_request(older, proof, note)).status

    def trusted(self, key: Verifier) -> Verifier:
        """The key that the witness pinned: the first one it was given."""
        return Verifier.read(self.key) if hasattr(self, "key") else key

    @property
    def seen(self) -> Note:
        """What the witness remembers."""
        found = self.memory.seen(ORIGIN)
        assert found is not None
        return found

    def audit(self, *, alone: bool = False) -> set[str]:
        """What an auditor finds: with the public key alone, or with what the witness and the player hold."""
        brought = Outside() if alone else Outside((("the witness", self.seen),), (("receipt", self.receipt),))
        audit = Audit(lambda name: SHELF.book(name) if name in SHELF.ids else None)
        return {finding.code for finding in audit.findings_of_file(self.path, self.public, brought)}

    def run(self, *statements: str) -> None:
        """Change the file behind everybody's back."""
        connection = sqlite3.connect(self.path)
        for trigger in ("record_is_final", "record_stays", "checkpoint_stays"):
            connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()

    def rewrite(self, upto: int | None = None, *, sign: bool, every: int = 3) -> None:
        """Write the journal again with one bet changed or its end cut, chained anew, signed by the key holder."""
        new = self.folder / "new.db"
        with SqliteJournal(self.path, read_only=True) as old, SqliteJournal(new) as target:
            for record in old.read_all(upto=upto):
                body = record.body
                if record.position == self.bet.position and upto is None:
                    body = body.replace(b'"amount":', b'"amount":1')
                fresh = NewRecord(
                    record.kind, record.version, record.at, record.command_id, record.part, record.by, body
                )
                target.append([Batch(record.table, record.seq - 1, [fresh])])
            target.put_all({"log/origin": ORIGIN.encode(), "log/salt": old.get("log/salt")})
        shutil.copy(self.folder / "floor.db.key", self.folder / "new.db.key")
        shutil.copy(self.folder / "floor.db.pub", self.folder / "new.db.pub")
        if sign:
            signer = self.private()
            with SqliteJournal(new) as target:
                prover = self.prover(target)
                more = True
                while more:
                    more = prover.follow(every)
                    note = prover._tree.keep_head(prover._tree.sign(signer))
                    HeadFile(new.with_name("new.db.key")).write(note)
        (self.folder / "floor.db.head").unlink()
        if sign:
            (self.folder / "new.db.head").replace(self.folder / "floor.db.head")
        new.replace(self.path)

    def private(self) -> Signer:
        """The house's key, in the wrong hands."""
        with SqliteJournal(self.path, read_only=True) as journal:
            return Signer(ORIGIN, journal.signer(make=False).private)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """The house, once."""
    return Kept(tmp_path_factory.mktemp("house"))


@pytest.fixture
def kept(made: Kept, tmp_path: Path) -> Kept:
    """A copy of it, to be forged."""
    shutil.copytree(made.folder, tmp_path / "house")
    again = object.__new__(Kept)
    again.__dict__.update(made.__dict__)
    again.folder, again.path = tmp_path / "house", tmp_path / "house" / "floor.db"
    again.memory = Remembered()
    again.memory.heads.update(made.memory.heads)
    return again


def test_an_honest_house_has_no_finding(kept: Kept) -> None:
    """Records, tiles, heads, receipt and witness agree."""
    assert kept.audit() == kept.audit(alone=True) == set()


def test_a_cut_tail_is_found(kept: Kept) -> None:
    """The end taken off, heads and tiles and all: by the witness and by nothing else; the house signs it no more."""
    kept.rewrite(300, sign=True)
    assert kept.audit(alone=True) == set()  # the key holder's own word is all that the file has
    assert kept.audit() == {"log-cut"}


def test_a_cut_tail_without_the_key_is_found_alone(kept: Kept) -> None:
    """Without the key the cut shows in the journal itself: the heads cover more."""
    kept.run(
        "DELETE FROM snapshot",
        "DELETE FROM record WHERE position > 300",
        "DELETE FROM head",
        "INSERT INTO head SELECT table_name, max(seq), hash FROM record GROUP BY table_name",
    )
    assert "log-cut" in kept.audit(alone=True)


def test_a_restored_backup_is_found_and_not_signed(kept: Kept) -> None:
    """An older self of the journal is sound in itself; witness, receipt and the file beside the key know better."""
    (kept.folder / "backup.db").replace(kept.path)
    assert "log-cut" in kept.audit()
    with SqliteJournal(kept.path) as journal, pytest.raises(LogBehind, match="cut back"):
        kept.sign(kept.prover(journal))


def test_a_rewritten_journal_is_found(kept: Kept) -> None:
    """One bet changed, everything chained and signed again with the real key: receipt and witness contradict."""
    kept.rewrite(sign=True)
    assert not [code for code in kept.audit(alone=True) if code.startswith(("log-", "receipt-"))]
    assert "log-rewritten" in kept.audit()
    with SqliteJournal(kept.path) as journal:
        prover = kept.prover(journal)
        assert kept.ask(prover, kept.sign(prover, witness=False)) == 409


def test_a_record_changed_in_place_is_found_alone(kept: Kept) -> None:
    """Without the key: body changed, chain mended up to the end; the signed heads say otherwise."""
    kept.rewrite(sign=False)
    assert "log-missing" in kept.audit(alone=True)


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("DELETE FROM drawer WHERE name LIKE 'log/head/%' OR name IN ('log/newest', 'log/cosigned')", "log-missing"),
        ("DELETE FROM drawer WHERE name LIKE 'log/%'", "log-missing"),
        ("UPDATE drawer SET value = zeroblob(32) WHERE name = 'log/salt'", "log-rewritten"),
        ("UPDATE drawer SET value = randomblob(length(value)) WHERE name LIKE 'log/tile/0/%'", "log-tiles-altered"),
        ("DELETE FROM drawer WHERE name LIKE 'log/tile/%'", "log-unreadable"),
        ("UPDATE drawer SET value = CAST('x' AS BLOB) WHERE name LIKE 'log/head/%'", "log-unreadable"),
        ("DELETE FROM record WHERE position = 5", "record-missing"),
    ],
)
def test_what_is_taken_from_the_file_is_found_alone(kept: Kept, statement: str, code: str) -> None:
    """Heads dropped, the log dropped, salt or tiles changed: the journal itself shows it."""
    kept.run(statement)
    assert code in kept.audit(alone=True)


def test_a_dropped_head_is_missed(kept: Kept) -> None:
    """Heads are numbered under their signatures: one that was taken away is missed."""
    with SqliteJournal(kept.path) as journal:
        journal.put(list(journal.entries("log/head/"))[40], None)
    assert kept.audit(alone=True) == {"log-head-missing"}


def test_a_house_that_signs_too_rarely_is_found(kept: Kept) -> None:
    """A head over all records at once, numbered as if it were the next: records went without one for too long."""
    kept.rewrite(sign=True, every=400)
    assert "log-head-overdue" in kept.audit(alone=True)


@pytest.mark.parametrize(("step_us", "codes"), [(0, []), (1_000_000, ["log-head-overdue"])])
def test_clocks_of_nodes_that_are_apart_are_no_delay(step_us: int, codes: list[str]) -> None:
    """Two nodes write in turn, one four seconds ahead: only the time that really passed counts."""
    journal, began = MemoryJournal(), 1_800_000_000_000_000
    prover = Prover(lambda: journal, lambda: began, ORIGIN)
    prover.sign()
    for number in range(100):
        at = began + number * step_us + number % 2 * 4_000_000
        append_house(journal, [HouseEvent(at, HOUSE_ACTOR, SigningRefused("the disk is full"))])
    while prover.follow():
        pass
    prover.sign()
    check = LogCheck(journal, journal.public_key())
    check.see(journal.rows(0, journal.position(), 1_000))
    assert [finding.code for finding in check.ended()] == codes


def test_a_head_signed_by_a_stranger_is_found(kept: Kept) -> None:
    """A head under another key, or a replayed one in place of the newest."""
    stranger = Signer(ORIGIN, Ed25519PrivateKey.from_private_bytes(b"s" * 32))
    with SqliteJournal(kept.path) as journal:
        text = kept.head.text
        name = f"log/head/{Checkpoint.read(text).size:016x}"
        journal.put(name, str(Note(text, (stranger.sign(text),))).encode())
    assert "log-head-altered" in kept.audit(alone=True)


def test_a_replayed_head_is_found(kept: Kept) -> None:
    """The first head shown as the newest: the house's file knows a larger one, the audit finds the gap."""
    with SqliteJournal(kept.path) as journal:
        size = Checkpoint.read(kept.head.text).size
        journal.put_all({f"log/head/{size:016x}": None, "log/newest": str(kept.first).encode()})
        assert Checkpoint.read(kept.prover(journal).sign().text).size == size  # the file still knows it
    assert kept.audit() == {"log-head-missing"}


def test_two_views_are_found(kept: Kept) -> None:
    """A house that shows the player one history and the witness another: the two hold the proof of it."""
    other = kept.folder / "other.db"
    with SqliteJournal(kept.folder / "backup.db", read_only=True) as old, SqliteJournal(other) as target:
        copy(old, target)
    shutil.copy(kept.folder / "floor.db.key", kept.folder / "other.db.key")
    shutil.copy(kept.folder / "floor.db.pub", kept.folder / "other.db.pub")
    HeadFile(kept.folder / "other.db.key").write(kept.first)
    with SqliteJournal(other) as journal:
        keeper = TableKeeper(journal, SHELF.book, "T1")
        for _ in islice(deal(keeper, Bot(SHELF.book("rws-tai-sai-v6"), "C", 9)), 250):
            pass
        prover = kept.prover(journal)
        shown = kept.sign(prover, witness=False)
        assert kept.ask(prover, shown) == 422
        *_, last = (record for record in journal.read("T1") if record.kind == "bet-placed")
        split = prover.receipt(last)
    key = verifier.verifier_key(kept.key)
    assert verifier.check_receipt(msgspec.to_builtins(split), key)["event"] == "bet-placed"  # the signature is real
    with pytest.raises(verifier.Wrong, match=r"not cosigned by witness\.example"):
        verifier.check_receipt(msgspec.to_builtins(split), key, [verifier.verifier_key(str(EYES.verifier))])
    kept.receipt = split
    assert kept.audit() == {"log-cut", "receipt-not-in-journal"}


def test_a_receipt_of_another_is_found(kept: Kept) -> None:
    """Parts of two receipts put together prove nothing, and a receipt of another house is not this one's."""
    with SqliteJournal(kept.path) as journal:
        prover = kept.prover(journal)
        other = next(record for record in journal.read("T1", kept.bet.seq) if record.kind == "bet-placed")
        second = prover.receipt(other)
    for field in ("leaf", "proof", "content", "salt", "part", "head"):
        value = {"part": 1, "head": str(kept.first)}.get(field) or getattr(second, field)
        mixed = msgspec.structs.replace(kept.receipt, **{field: value})
        if msgspec.to_builtins(mixed) == msgspec.to_builtins(kept.receipt):
            continue
        with pytest.raises(verifier.Wrong):
            verifier.check_receipt(msgspec.to_builtins(mixed), verifier.verifier_key(kept.key))
        kept_receipt, kept.receipt = kept.receipt, mixed
        assert kept.audit() & {"receipt-does-not-hold", "log-rewritten"}, field
        kept.receipt = kept_receipt


def test_a_receipt_of_a_record_that_is_gone_is_found(kept: Kept) -> None:
    """A receipt of what was cut off."""
    with SqliteJournal(kept.path) as journal:
        *_, last = journal.read("T1")
        kept.receipt = kept.prover(journal).receipt(last)
    kept.rewrite(300, sign=True)
    assert "receipt-not-in-journal" in kept.audit()


def rotated(kept: Kept, word: Callable[[Signer, Verifier], str]) -> None:
    """The house goes over to a new key."""
    old, new = kept.private(), Ed25519PrivateKey.from_private_bytes(b"n" * 32)
    fresh = Signer(ORIGIN, new)
    with SqliteJournal(kept.path) as journal:
        what = KeyChanged(str(old.verifier), str(fresh.verifier), "rotation", word(old, fresh.verifier))
        records = house_records_of("key-1", [HouseEvent(1_800_000_000_000_000, "house", what)])
        journal.append([Batch(HOUSE_STREAM, journal.head(HOUSE_STREAM).seq, records)])
        prover = kept.prover(journal)
        while prover.follow():
            pass
        note = prover._tree.sign(fresh)
        prover._tree.keep_head(note)
        HeadFile(kept.folder / "floor.db.key").write(note)


def test_a_new_key_is_trusted_by_the_old_ones_word_alone(kept: Kept) -> None:
    """A rotation with the old key's word has no finding; one without is for people to vouch for."""
    rotated(kept, lambda old, new: str(word_for(old, new)))
    assert kept.audit(alone=True) == set()


@pytest.mark.parametrize("word", ["", "nonsense"])
def test_a_swapped_key_is_found(kept: Kept, word: str) -> None:
    """Somebody who cannot show the old key's word is found."""
    rotated(kept, lambda _old, _new: word)
    assert kept.audit(alone=True) == {"log-key-unknown"}


def test_a_head_that_is_not_ours_is_told(kept: Kept) -> None:
    """A head that somebody else signed proves nothing against this house, and is named."""
    stranger = Signer(ORIGIN, Ed25519PrivateKey.from_private_bytes(b"s" * 32))
    text = str(Checkpoint(ORIGIN, 7, b"x" * 32))
    kept.memory.remember(Note(text, (stranger.sign(text),)))
    assert kept.audit() == {"head-not-ours"}


def test_receipts_are_read_as_they_were_saved(kept: Kept) -> None:
    """What a player saved is what is checked."""
    assert msgspec.json.decode(msgspec.json.encode(kept.receipt), type=Receipt) == kept.receipt
    assert len(msgspec.json.encode(kept.receipt)) < 2048


def test_an_audit_goes_along_with_a_living_log(tmp_path: Path) -> None:
    """Heads that are signed late, for what was passed already, count as any others; through results and by itself."""
    with SqliteJournal(tmp_path / "floor.db") as journal:
        keeper = TableKeeper(journal, SHELF.book, "T1", snapshot_every=10_000)
        dealing = deal(keeper, Bot(SHELF.book("rws-tai-sai-v6"), "C", 3))
        prover = Prover(lambda: journal, lambda: 1_800_000_000_000_000, ORIGIN)
        going, result = Audit(SHELF.book), None

        def looked() -> list[str]:
            nonlocal result
            resumed = Audit(SHELF.book, since=result)
            found = [*going.findings(journal), *resumed.findings(journal)]
            result = msgspec.json.decode(msgspec.json.encode(resumed.result()), type=AuditResult)
            return [str(each) for each in found]

        assert prover.sign()
        for step in range(12):
            for _ in islice(dealing, 20):
                pass
            while prover.follow():
                pass
            if step % 3 == 0:
                prover.sign()
            assert looked() == []
            if step % 3 == 1:
                prover.sign()  # for what the audit has passed, to the record
            for _ in islice(dealing, 7):
                pass
            assert looked() == []
            if step % 3 == 2:
                prover.sign()  # for less than the audit has passed
        assert looked() == []
        whole = Audit(SHELF.book)
        assert list(whole.findings(journal)) == []
        at_once = whole.result()
        assert at_once is not None
        assert at_once.log is not None
        assert result is not None
        assert result.log is not None
        assert (at_once.position, at_once.tables) == (result.position, result.tables)
        for name in ("size", "peaks", "keys", "number", "kept", "covered", "last_head"):
            assert getattr(at_once.log, name) == getattr(result.log, name)


def test_what_is_brought_to_a_later_audit_is_held_against_the_whole(kept: Kept) -> None:
    """A receipt and a head of before the earlier result hold, and another log's do not."""
    first = Audit(SHELF.book)
    with SqliteJournal(kept.path, read_only=True) as journal:
        assert list(first.findings(journal, kept.public)) == []
        since = first.result()
        outside = Outside((("a head", kept.first),), (("a receipt", kept.receipt),))
        later = Audit(SHELF.book, since=since)
        assert list(later.findings(journal, kept.public, outside)) == []
        assert later.records == 0
        raw_head = Checkpoint.read(kept.first.text)
        forged = Note(str(raw_head._replace(root=bytes(32))), kept.first.signatures)
        later = Audit(SHELF.book, since=since)
        codes = [each.code for each in later.findings(journal, kept.public, Outside((("a head", forged),), ()))]
        assert codes == ["head-not-ours"]
