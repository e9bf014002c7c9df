"""Receipts: the verifier that shares nothing with us says what they prove, and finds every forgery."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64decode, b64encode
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from taisai.books import open_shelf
from taisai.core.fair import commitment_of, opening_of, roll_from
from taisai.journal import MemoryJournal, Record
from taisai.journal.log.merkle import BadProof
from taisai.journal.log.note import COSIGNATURE, BadNote, Checkpoint, Note, Signer
from taisai.journal.log.tree import Tree
from taisai.streams.leaves import leaf_of
from taisai.streams.receipts import NotInLog, Receipt, as_json, part_of, proven_by, receipt_for
from taisai.web.static.verify import taisai_verify as verifier
from tests.audit.bot import Bot, deal
from tests.journal.log.test_tree import Dictionary
from tests.streams.keeper import TableKeeper

SALT = bytes(range(32))
HOUSE = Signer("casino.example/floor", Ed25519PrivateKey.from_private_bytes(b"h" * 32))
WITNESS = Signer("witness.example", Ed25519PrivateKey.from_private_bytes(b"w" * 32), COSIGNATURE)
HOUSE_KEY = verifier.verifier_key(str(HOUSE.verifier))
WITNESS_KEY = verifier.verifier_key(str(WITNESS.verifier))


class House(NamedTuple):
    """A house with some records in its log."""

    records: list[Record]
    tree: Tree
    head: Note


@pytest.fixture(scope="module")
def house() -> House:
    """Some rounds, all of them in the log, the head signed and cosigned."""
    shelf = open_shelf(environment={})
    journal = MemoryJournal()
    keeper = TableKeeper(journal, shelf.book, "T1")
    for _ in islice(deal(keeper, Bot(shelf.book("rws-tai-sai-v6"), "C", 3, trouble=0.2)), 700):
        pass
    records = list(journal.read_all())
    tree = Tree(Dictionary())
    tree.extend([leaf_of(record, SALT).hash for record in records])
    head = tree.sign(HOUSE)
    return House(records, tree, head.also([WITNESS.sign(head.text, 1_800_000_000)]))


def shown(house: House, record: Record, part: int = 0) -> dict[str, Any]:
    """A receipt as its holder has it."""
    saved: dict[str, Any] = json.loads(as_json(receipt_for(record, SALT, house.tree, house.head, part)))
    return saved


def test_every_record_and_every_part_is_proven(house: House) -> None:
    """The receipt of a whole record says the event; a player's part says theirs alone; each is below 2 kB."""
    for record in house.records[::7]:
        leaf = leaf_of(record, SALT)
        for number, part in enumerate(leaf.parts):
            receipt = receipt_for(record, SALT, house.tree, house.head, number)
            proven = verifier.check_receipt(json.loads(as_json(receipt)), HOUSE_KEY, [WITNESS_KEY])
            assert (proven["table"], proven["record"], proven["event"]) == (record.table, record.seq, record.kind)
            assert proven["whose"] == part.owner
            assert proven["cosigned"] == {"witness.example": 1_800_000_000}
            if number or record.kind == "bet-placed":
                assert len(as_json(receipt)) < 2048
        assert verifier.check_receipt(shown(house, record), HOUSE_KEY)["says"] == json.loads(record.body)


def test_a_players_part_is_found_by_name(house: House) -> None:
    """The close of a round has a part for each player who bet, and none for others."""
    closed = next(record for record in house.records if len(leaf_of(record, SALT).parts) > 2)
    leaf = leaf_of(closed, SALT)
    numbers = [part_of(leaf, part.owner) for part in leaf.parts[1:]]
    assert numbers == list(range(1, len(leaf.parts)))
    assert part_of(leaf, "nobody") is None


def _bytes_changed(text: str, place: int) -> str:
    raw = bytearray(b64decode(text))
    raw[place % len(raw)] ^= 1
    return b64encode(bytes(raw)).decode()


@pytest.mark.parametrize("field", ["head", "leaf", "proof", "content", "salt", "part_proof", "part", "form"])
def test_a_receipt_that_was_changed_proves_nothing(house: House, field: str) -> None:
    """Whatever is changed in a receipt, it does not hold any more."""
    closed = next(record for record in house.records if len(leaf_of(record, SALT).parts) > 3)
    receipt = shown(house, closed, 2)
    for place in range(0, 60, 7):
        forged = dict(receipt)
        if field == "part":
            forged["part"] = 1
        elif field == "head":
            lines = receipt["head"].split("\n")
            lines[1] = str(int(lines[1]) + 1)
            forged["head"] = "\n".join(lines)
        elif field == "form":
            forged["form"] = "taisai receipt 9"
        else:
            forged[field] = _bytes_changed(receipt[field], place)
        with pytest.raises((verifier.Wrong, ValueError)):
            verifier.check_receipt(forged, HOUSE_KEY)


def test_another_houses_key_and_a_missing_witness_are_noticed(house: House) -> None:
    """Who signed decides: a stranger's key, a stranger's log, a head that a witness has not seen."""
    receipt = shown(house, house.records[3])
    other = Signer("casino.example/floor", Ed25519PrivateKey.from_private_bytes(b"x" * 32))
    with pytest.raises(verifier.Wrong, match="not signed by"):
        verifier.check_receipt(receipt, verifier.verifier_key(str(other.verifier)))
    absent = Signer("other.example", Ed25519PrivateKey.from_private_bytes(b"y" * 32), COSIGNATURE)
    with pytest.raises(verifier.Wrong, match=r"not cosigned by other\.example"):
        verifier.check_receipt(receipt, HOUSE_KEY, [verifier.verifier_key(str(absent.verifier))])


def test_a_record_after_the_head_has_no_receipt_yet(house: House) -> None:
    """What no head reaches cannot be proven; the refusal says so."""
    small = Tree(Dictionary())
    small.extend([leaf_of(record, SALT).hash for record in house.records[:2]])
    with pytest.raises(NotInLog, match="not in the log yet: the last signed head has 2"):
        receipt_for(house.records[2], SALT, small, small.sign(HOUSE))


def test_the_file_is_a_command(house: House, tmp_path: Path) -> None:
    """Run as a program of its own, without taisai to import: receipts, heads and dice, with exit codes."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", str(Path(verifier.__file__)), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    receipt, shown_heads = tmp_path / "r.json", tmp_path / "heads.json"
    receipt.write_bytes(as_json(receipt_for(house.records[5], SALT, house.tree, house.head)))
    key = str(HOUSE.verifier)
    done = run("receipt", str(receipt), "--key", key, "--witness", str(WITNESS.verifier))
    assert (done.returncode, json.loads(done.stdout)["event"]) == (0, house.records[5].kind)
    early = Tree(Dictionary())
    early.extend([leaf_of(record, SALT).hash for record in house.records[:100]])
    older = str(early.sign(HOUSE))
    size = Checkpoint.read(house.head.text).size
    proof = b64encode(b"".join(house.tree.consistency(100, size))).decode()
    heads = ("heads", str(shown_heads), "--key", key)
    shown_heads.write_text(json.dumps({"older": older, "newer": str(house.head), "proof": proof}), encoding="utf-8")
    assert run(*heads).stdout == f"holds: the head of {size} records extends the one of 100\n"
    other = Tree(Dictionary())
    other.extend([leaf_of(record, bytes(32)).hash for record in house.records[:100]])
    forged = {"older": str(other.sign(HOUSE)), "newer": str(house.head), "proof": proof}
    shown_heads.write_text(json.dumps(forged), encoding="utf-8")
    assert (run(*heads).returncode, "the history was changed" in run(*heads).stderr) == (1, True)
    receipt.write_text("{", encoding="utf-8")
    assert run("receipt", str(receipt), "--key", key).returncode == 2
    secret = b"s" * 32
    dice = roll_from(secret, "T1", 4).faces
    words = ("--commitment", commitment_of(secret, "T1", 4), "--opening", opening_of(secret), "--table", "T1")
    assert run("dice", *words, "--round", "4", "--dice", ",".join(map(str, dice))).returncode == 0
    assert run("dice", *words, "--round", "5", "--dice", ",".join(map(str, dice))).returncode == 1


def test_the_vectors_hold() -> None:
    """The vectors for other implementers are what the verifier of one file accepts and refuses."""
    vectors = json.loads((Path(__file__).parents[2] / "conformance" / "proof.json").read_text(encoding="utf-8"))
    keys = verifier.verifier_key(vectors["key"]), [verifier.verifier_key(vectors["witness"])]
    for each in vectors["receipts"]:
        found = verifier.check_receipt(each["receipt"], *keys)
        assert (found["table"], found["record"]) == (each["table"], each["record"])
        assert proven_by(msgspec.convert(each["receipt"], Receipt)).position == found["position"]
    for each in vectors["forged"]:
        with pytest.raises(verifier.Wrong):
            verifier.check_receipt(each["receipt"], *keys)
    for each in vectors["consistency"]:
        (older, old_root, _), (newer, new_root, _) = (verifier.head_of(each[one], *keys) for one in ("older", "newer"))
        verifier.check_consistency(older, old_root, newer, new_root, verifier.hashes_in(each["proof"]))
    dice = vectors["dice"]
    names = ("commitment", "opening", "table", "round", "dice")
    verifier.check_dice(*(dice[name] for name in names), brought=dice["brought"], form=dice["form"])


def test_a_proof_that_leads_nowhere_is_refused() -> None:
    """The audit follows a receipt as the verifier does, and refuses what does."""
    vectors = json.loads((Path(__file__).parents[2] / "conformance" / "proof.json").read_text(encoding="utf-8"))
    unsigned = ("signed by somebody else", "no cosignature", "a changed size")  # what is signed, the audit asks
    for each in vectors["forged"]:
        if each["why"] not in unsigned:
            with pytest.raises((BadProof, BadNote)):
                proven_by(msgspec.convert(each["receipt"], Receipt))
    good = msgspec.convert(vectors["receipts"][0]["receipt"], Receipt)
    for field, value in (("form", "taisai receipt 9"), ("leaf", "!"), ("proof", "AAAA"), ("head", "x")):
        with pytest.raises((BadProof, BadNote)):
            proven_by(msgspec.structs.replace(good, **{field: value}))


def test_the_verifier_is_small_and_the_same_everywhere() -> None:
    """The file beside the documentation is the one that every house serves: below 400 lines."""
    served = Path(verifier.__file__).read_bytes()
    assert (Path(__file__).parents[2] / "docs" / "taisai_verify.py").read_bytes() == served
    assert served.count(b"\n") < 400
