"""The house's side of its witnesses: heads go out, cosignatures come back, and nothing unsigned is believed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from taisai.floor.witnesses import Ahead, Refused, Reply, WitnessLink, WitnessSilent
from taisai.journal.log.desk import log_id
from taisai.journal.log.merkle import leaf_hash
from taisai.journal.log.note import COSIGNATURE, Checkpoint, Note, Signer
from taisai.journal.log.tree import Tree
from taisai.journal.log.witness import Witness
from tests.journal.log.test_tree import Dictionary
from tests.journal.log.test_witness import Remembered

HOUSE = Signer("casino.example/floor", Ed25519PrivateKey.from_private_bytes(b"h" * 32))
OTHER = Signer("witness.example", Ed25519PrivateKey.from_private_bytes(b"o" * 32), COSIGNATURE)
WITNESS = Signer("witness.example", Ed25519PrivateKey.from_private_bytes(b"w" * 32), COSIGNATURE)


class Served:
    """A witness behind an address, as `WitnessLink` asks it."""

    def __init__(self, signer: Signer = WITNESS) -> None:
        self.memory = Remembered()
        self.witness = Witness(signer, {HOUSE.verifier.name: (HOUSE.verifier,)}, self.memory, lambda: 1_800_000_000)
        self.notes: dict[str, str] = {}

    def __call__(self, method: str, url: str, body: bytes | None) -> Reply:
        """Answer a request."""
        if method == "GET":
            found = self.notes.get(url.rpartition("/")[2])
            return Reply(404, "") if found is None else Reply(200, found)
        assert body is not None
        assert url == "http://witness.example/add-checkpoint"
        answer = self.witness.add_checkpoint(body.decode())
        if answer.status == 200:
            self.notes[log_id(HOUSE.verifier.name)] = body.decode().partition("\n\n")[2]
        return Reply(answer.status, answer.body)


def tree_of(count: int, start: int = 0) -> Tree:
    """A tree of so many records."""
    tree = Tree(Dictionary())
    tree.extend([leaf_hash(str(number).encode()) for number in range(start, start + count)])
    return tree


def link_to(ask: Callable[[str, str, bytes | None], Reply]) -> WitnessLink:
    """The house's link to the witness."""
    return WitnessLink("http://witness.example/", WITNESS.verifier, ask)


def test_heads_are_cosigned_one_after_another() -> None:
    """Each head goes out with the proof from the last one; the cosignature is checked and says when."""
    served, tree = Served(), tree_of(10)
    link = link_to(served)
    for count in (10, 300):
        tree.extend([leaf_hash(b"x")] * (count - tree.size))
        note = tree.sign(HOUSE)
        signature = link.cosign(note, tree.consistency)
        assert (signature.name, signature.at_s) == ("witness.example", 1_800_000_000)
        assert note.also([signature]).signed_by(WITNESS.verifier)
    assert link.known(HOUSE.verifier) == Checkpoint.read(tree.sign(HOUSE).text)


def test_a_house_that_forgot_is_told_where_the_witness_is() -> None:
    """After a restart the witness says which size it has seen, and the proof is made from there."""
    served, tree = Served(), tree_of(10)
    link_to(served).cosign(tree.sign(HOUSE), tree.consistency)
    tree.extend([leaf_hash(b"x")])
    assert link_to(served).cosign(tree.sign(HOUSE), tree.consistency)


def test_a_witness_that_knows_more_is_heard() -> None:
    """A house that was cut back learns what was seen of it."""
    served = Served()
    whole, cut = tree_of(10), tree_of(9)
    link_to(served).cosign(whole.sign(HOUSE), whole.consistency)
    link = link_to(served)
    with pytest.raises(Ahead, match="it has seen 10 records"):
        link.cosign(cut.sign(HOUSE), cut.consistency)
    known = link.known(HOUSE.verifier)
    assert known is not None
    assert known.size == 10


@pytest.mark.parametrize("count", [10, 12])
def test_another_history_is_refused(count: int) -> None:
    """Neither a rewritten journal of the same size nor one that grew is cosigned."""
    served = Served()
    whole, other = tree_of(10), tree_of(count, 5)
    link_to(served).cosign(whole.sign(HOUSE), whole.consistency)
    with pytest.raises(Refused):
        link_to(served).cosign(other.sign(HOUSE), other.consistency)


def test_what_is_not_signed_is_not_believed() -> None:
    """A cosignature or a remembered head that somebody else made counts for nothing."""
    tree = tree_of(3)
    note = tree.sign(HOUSE)
    with pytest.raises(WitnessSilent, match=r"not signed by witness\.example"):
        link_to(Served(OTHER)).cosign(note, tree.consistency)
    forged = Note(note.text, (OTHER.sign(note.text, 1),))
    for body in (str(forged), "nonsense"):
        with pytest.raises(WitnessSilent, match="what it remembers cannot be used"):
            link_to(lambda *_: Reply(200, body)).known(HOUSE.verifier)  # noqa: B023 - called at once
    for answer in (Reply(500, "oops"), Reply(200, "nonsense"), Reply(409, "-1"), Reply(409, "9" * 30)):
        with pytest.raises(WitnessSilent):
            link_to(lambda *_: answer).cosign(note, tree.consistency)  # noqa: B023 - called at once
    assert link_to(lambda *_: Reply(404, "")).known(HOUSE.verifier) is None


def test_nobody_at_the_address() -> None:
    """An address where nobody listens is silence."""
    link = WitnessLink("http://127.0.0.1:9", WITNESS.verifier)
    tree = tree_of(3)
    with pytest.raises(WitnessSilent, match="it does not answer"):
        link.cosign(tree.sign(HOUSE), tree.consistency)
