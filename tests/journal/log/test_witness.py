"""A witness cosigns what extends the last head it saw, and raises the alarm at everything that does not."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from taisai.journal.log.note import COSIGNATURE, Checkpoint, Note, Signer, read_signature
from taisai.journal.log.tree import Tree
from taisai.journal.log.witness import Witness, make_request, read_request
from tests.journal.log.test_tree import HOUSE, Dictionary, leaves

EYES = Signer("witness.example", Ed25519PrivateKey.from_private_bytes(b"w" * 32), COSIGNATURE)
STRANGER = Signer("casino.example/floor", Ed25519PrivateKey.from_private_bytes(b"x" * 32))


class Remembered:
    """A witness's memory, in memory."""

    def __init__(self) -> None:
        self.heads: dict[str, Note] = {}

    def seen(self, origin: str) -> Note | None:
        """The last head."""
        return self.heads.get(origin)

    def remember(self, note: Note) -> None:
        """Keep a head."""
        self.heads[Checkpoint.read(note.text).origin] = note


@pytest.fixture
def memory() -> Remembered:
    """Nothing seen yet."""
    return Remembered()


@pytest.fixture
def witness(memory: Remembered) -> Witness:
    """A witness that knows one house."""
    return Witness(EYES, {HOUSE.verifier.name: (HOUSE.verifier,)}, memory, lambda: 1_800_000_000)


def grown(tree: Tree, count: int) -> Note:
    """The head after so many more records."""
    tree.extend(leaves(count, tree.size))
    return tree.sign(HOUSE)


def size_of(note: Note) -> int:
    """Of a head."""
    return Checkpoint.read(note.text).size


def test_a_growing_log_is_cosigned(witness: Witness, memory: Remembered) -> None:
    """Each head that extends the one before gets a cosignature with the time; the same head again as well."""
    tree, older = Tree(Dictionary()), 0
    for count in (1, 4, 300, 1):
        note = grown(tree, count)
        reply = witness.add_checkpoint(make_request(older, tree.consistency(older, tree.size), note))
        assert (reply.status, reply.alarm) == (200, False)
        cosigned = note.also([read_signature(reply.body.rstrip("\n"))])
        assert [each.at_s for each in cosigned.signed_by(EYES.verifier)] == [1_800_000_000]
        older = tree.size
    again = witness.add_checkpoint(make_request(older, [], tree.sign(HOUSE)))
    assert (again.status, size_of(memory.heads[HOUSE.verifier.name])) == (200, tree.size)


def test_a_caller_who_is_behind_is_told_the_size(witness: Witness) -> None:
    """The witness says what it has seen, so that the right proof can be made."""
    tree = Tree(Dictionary())
    witness.add_checkpoint(make_request(0, [], grown(tree, 7)))
    note = grown(tree, 3)
    assert witness.add_checkpoint(make_request(0, [], note)) == (409, "7\n", False)


def test_two_histories_raise_the_alarm(witness: Witness, memory: Remembered) -> None:
    """A head of another tree, one of fewer records and one with a wrong proof: none is cosigned, all are shouted."""
    tree, other = Tree(Dictionary()), Tree(Dictionary())
    witness.add_checkpoint(make_request(0, [], grown(tree, 7)))
    other.extend([*leaves(6), *leaves(4, 900)])
    split = witness.add_checkpoint(make_request(7, other.consistency(7, 10), other.sign(HOUSE)))
    shorter = Tree(Dictionary())
    cut = witness.add_checkpoint(make_request(7, [], grown(shorter, 5)))
    same_size = Tree(Dictionary())
    same_size.extend(leaves(7, 50))
    swapped = witness.add_checkpoint(make_request(7, [], same_size.sign(HOUSE)))
    assert [each.status for each in (split, cut, swapped)] == [422, 400, 409]
    assert all(each.alarm for each in (split, cut, swapped))
    assert "another history" in split.body
    assert "cut back: 5 records, and 7 were seen" in cut.body
    assert size_of(memory.heads[HOUSE.verifier.name]) == 7


def test_strangers_get_nothing(witness: Witness) -> None:
    """A log that is not known, a key that is not its own, a signature that does not hold."""
    tree = Tree(Dictionary())
    tree.extend(leaves(3))
    unknown = tree.sign(Signer("other.example", Ed25519PrivateKey.from_private_bytes(b"o" * 32)))
    assert witness.add_checkpoint(make_request(0, [], unknown)).status == 404
    head = str(Checkpoint(HOUSE.verifier.name, 3, tree.root()))
    forged = Note(head, (STRANGER.sign(head),))
    assert witness.add_checkpoint(make_request(0, [], forged)).status == 403
    bent = Note(head, (HOUSE.sign(head + "x"),))
    assert witness.add_checkpoint(make_request(0, [], bent)).status == 403


@pytest.mark.parametrize(
    "request_text",
    [
        "",
        "old 3\n",
        "old -1\n\nnote",
        "old 03\n\nnote",
        "new 3\n\nnote",
        "old 3\n!\n\nnote",
        "old 3\n\nnote",
        "x" * 70_000,
    ],
)
def test_what_is_no_request_is_refused(witness: Witness, request_text: str) -> None:
    """Junk gets a sentence and no cosignature."""
    assert witness.add_checkpoint(request_text).status == 400


def test_a_request_is_read_as_it_was_made() -> None:
    """Size, proof and note survive the way."""
    tree = Tree(Dictionary())
    note = grown(tree, 9)
    proof = tree.consistency(4, 9)
    assert read_request(make_request(4, proof, note)) == (4, proof, note)
    assert size_of(note) == 9
