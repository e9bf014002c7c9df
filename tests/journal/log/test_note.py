"""Signed notes and checkpoints: the published example, and everything that is not quite one."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from taisai.journal.log.note import (
    COSIGNATURE,
    BadNote,
    Checkpoint,
    Note,
    Signer,
    Verifier,
    proof_lines,
    read_proof,
    read_signature,
)

PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETERS_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
"""The example of the format's first description."""


def key(seed: int) -> Ed25519PrivateKey:
    """A key that is the same each time."""
    return Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)


HOUSE = Signer("casino.example/floor", key(1))
WITNESS = Signer("witness.example", key(2), COSIGNATURE)
HEAD = Checkpoint("casino.example/floor", 7, bytes(range(32)))


def test_the_published_example_holds() -> None:
    """A note that was signed by other software is read, checked and written as it was."""
    peter = Verifier.read(PETER)
    note = Note.read(PETERS_NOTE)
    assert str(peter) == PETER
    assert [each.name for each in note.signed_by(peter)] == ["PeterNeumann"]
    assert str(note) == PETERS_NOTE
    with pytest.raises(BadNote, match="does not hold"):
        Note.read(PETERS_NOTE.replace("problem is", "answer is")).signed_by(peter)


def test_a_head_is_signed_and_cosigned() -> None:
    """The house signs, a witness cosigns with its time, and each key finds its own signature alone."""
    note = Note(str(HEAD), (HOUSE.sign(str(HEAD)),)).also([WITNESS.sign(str(HEAD), 1_700_000_000)])
    read = Note.read(str(note))
    assert Checkpoint.read(read.text) == HEAD
    (mine,) = read.signed_by(HOUSE.verifier)
    (theirs,) = read.signed_by(WITNESS.verifier)
    assert (mine.at_s, theirs.at_s) == (None, 1_700_000_000)
    assert read.signed_by(Signer("witness.example", key(3), COSIGNATURE).verifier) == ()


def test_of_one_key_the_newest_signature_stays() -> None:
    """A witness that cosigns again replaces its earlier line."""
    note = Note(str(HEAD), (HOUSE.sign(str(HEAD)),))
    again = note.also([WITNESS.sign(str(HEAD), 1)]).also([WITNESS.sign(str(HEAD), 2)])
    assert [each.at_s for each in again.signatures] == [None, 2]


def test_a_cosignature_of_another_time_does_not_hold() -> None:
    """The time is part of what a witness signs."""
    signed = WITNESS.sign(str(HEAD), 5)
    moved = signed._replace(value=(6).to_bytes(8, "big") + signed.value[8:])
    with pytest.raises(BadNote, match=r"witness\.example does not hold"):
        Note(str(HEAD), (moved,)).signed_by(WITNESS.verifier)
    assert not WITNESS.verifier.holds(signed.value[8:], str(HEAD))


def test_extensions_are_kept() -> None:
    """Lines after the root belong to the head."""
    head = HEAD._replace(extensions=("taisai 0.2.0",))
    assert Checkpoint.read(str(head)) == head


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a text, a blank line and signatures"),
        ("text\n", "a text, a blank line and signatures"),
        ("text\n\n", "a text, a blank line and signatures"),
        ("te\txt\n\n— a AAAAAAA=\n", "a text, a blank line and signatures"),
        ("text\n\n— a AAAAAAA=", "a text, a blank line and signatures"),
        ("text\n\n- a AAAAAAA=\n", "is not a line of a signature"),
        ("text\n\n— a+b AAAAAAA=\n", "is not a line of a signature"),
        ("text\n\n— a AAAA\n", "is not a line of a signature"),
        ("text\n\n— a ????\n", "is not base64"),
        ("text\n\n" + "— a AAAAAAA=\n" * 65, "more than 64 signatures"),
        ("x" * 70_000, "more than 65536 characters"),
    ],
)
def test_what_is_no_note_is_refused(text: str, words: str) -> None:
    """Each kind of mistake is named."""
    with pytest.raises(BadNote, match=words):
        Note.read(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("origin\n7\n", "a name, a size and a root"),
        ("\n7\nAAAA\n", "a name, a size and a root"),
        ("origin\n07\nAAAA\n", "a name, a size and a root"),
        ("origin\n-1\nAAAA\n", "a name, a size and a root"),
        ("origin\n7\nAAAA\n\nmore\n", "a name, a size and a root"),
        ("origin\n7\nAAAA\n", "has 32 bytes, not 3"),
        ("origin\n7\n%%%%\n", "the root is not base64"),
    ],
)
def test_what_is_no_checkpoint_is_refused(text: str, words: str) -> None:
    """Each kind of mistake is named."""
    with pytest.raises(BadNote, match=words):
        Checkpoint.read(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("PeterNeumann", "is not a verifier key"),
        ("PeterNeumann+c74f20a3", "is not a verifier key"),
        ("PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "the id of the key of PeterNeumann"),
        ("Peter Neumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "is not a verifier key"),
        ("PeterNeumann+c74f20a3+BRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "is not a verifier key"),
    ],
)
def test_what_is_no_key_is_refused(text: str, words: str) -> None:
    """Each kind of mistake is named."""
    with pytest.raises(BadNote, match=words):
        Verifier.read(text)
    with pytest.raises(BadNote, match="is no name for a key"):
        Signer("a b", key(1))


def test_proofs_go_line_by_line() -> None:
    """The hashes of a proof are read as they are written; others are refused."""
    path = [bytes([each]) * 32 for each in range(3)]
    assert read_proof(proof_lines(path).splitlines()) == path
    with pytest.raises(BadNote, match="has 32 bytes"):
        read_proof(["AAAA"])
    assert read_signature(HOUSE.sign("x\n").line.rstrip("\n")).name == "casino.example/floor"
