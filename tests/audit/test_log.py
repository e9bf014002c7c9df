"""The audit of the log: what is no forgery and must not look like one. `test_forgeries.py` has those that are."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from taisai.audit.log import LogCheck, Outside
from taisai.audit.run import Audit, AuditResult
from taisai.house.log import append_house
from taisai.house.proof import Prover
from taisai.journal import MemoryJournal, SqliteJournal
from taisai.journal.log.headfile import HeadFile
from taisai.journal.log.keys import word_for
from taisai.journal.log.note import Checkpoint, Note, Signer, Verifier
from taisai.journal.record import Batch
from taisai.streams.house_events import (
    HOUSE_ACTOR,
    HOUSE_STREAM,
    HouseEvent,
    KeyChanged,
    SigningRefused,
    house_records_of,
)
from taisai.streams.receipts import Receipt
from tests.audit.bot import Bot, deal
from tests.audit.forgers import ORIGIN, SHELF, Kept
from tests.streams.keeper import TableKeeper


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """The house, once."""
    return Kept(tmp_path_factory.mktemp("house"))


@pytest.fixture
def kept(made: Kept, tmp_path: Path) -> Kept:
    """A copy of it, to be forged."""
    return made.copied(tmp_path / "house")


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


def test_what_was_written_before_there_was_a_log_waited_for_no_head() -> None:
    """The log of a journal of version 0.1 begins after hours of play, which no head could have covered."""
    journal, began = MemoryJournal(), 1_800_000_000_000_000
    for number in range(100):
        append_house(journal, [HouseEvent(began + number * 2_000_000, HOUSE_ACTOR, SigningRefused("the disk is full"))])
    prover = Prover(lambda: journal, lambda: began + 200_000_000, ORIGIN)
    while prover.follow():
        pass
    prover.sign()
    check = LogCheck(journal, journal.public_key())
    check.see(journal.rows(0, journal.position(), 1_000))
    assert [finding.code for finding in check.ended()] == []


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
