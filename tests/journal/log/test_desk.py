"""A witness's folder: what it saw survives, keys follow people or the old key's word, contradictions are kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from taisai.journal import SigningError
from taisai.journal.log.desk import Desk, log_id
from taisai.journal.log.keys import word_for
from taisai.journal.log.note import Checkpoint, Note, Signer, Verifier, read_signature
from taisai.journal.log.tree import Tree
from taisai.journal.log.witness import make_request
from tests.journal.log.test_tree import HOUSE, Dictionary, leaves

NEW = Signer("casino.example/floor", Ed25519PrivateKey.from_private_bytes(b"n" * 32))
NOW = 1_800_000_000


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A witness that watches one house."""
    made = Desk(tmp_path / "eyes", "witness.example")
    made.pin(HOUSE.verifier)
    return made


def grown(tree: Tree, count: int, signer: Signer = HOUSE) -> Note:
    """The head after so many more records."""
    tree.extend(leaves(count, tree.size))
    return tree.keep_head(tree.sign(signer))


def test_what_was_seen_survives(desk: Desk) -> None:
    """Another process goes on where this one was, with the same key."""
    tree = Tree(Dictionary())
    note = grown(tree, 7)
    reply = desk.add_checkpoint(make_request(0, [], note), NOW)
    assert reply.status == 200
    again = Desk(desk.folder)
    assert again.signer.verifier == desk.signer.verifier
    assert Verifier.read((desk.folder / "witness.pub").read_text()) == desk.signer.verifier
    seen = again.seen(HOUSE.verifier.name)
    assert seen is not None
    assert seen.signed_by(HOUSE.verifier, desk.signer.verifier)[1] == read_signature(reply.body.rstrip())
    assert again.add_checkpoint(make_request(7, tree.consistency(7, 7), note), NOW).status == 200
    assert (desk.folder / "witness.key").stat().st_mode & 0o077 == 0


def test_a_contradiction_is_kept_once_with_both_heads(desk: Desk) -> None:
    """Two signed heads that cannot both be true are the proof; the same again is no second alarm."""
    tree, other = Tree(Dictionary()), Tree(Dictionary())
    desk.add_checkpoint(make_request(0, [], grown(tree, 7)), NOW)
    other.extend(leaves(7, 900))
    split = other.sign(HOUSE)
    for _ in range(3):
        assert desk.add_checkpoint(make_request(7, [], split), NOW).status == 409
    (alarm,) = Desk(desk.folder).alarms()
    shown, seen = Note.read(alarm["shown"]), Note.read(alarm["seen"])
    assert shown.signed_by(HOUSE.verifier)
    assert seen.signed_by(HOUSE.verifier)
    sizes = [Checkpoint.read(each.text).size for each in (shown, seen)]
    assert sizes == [7, 7]
    assert shown.text != seen.text


def test_a_new_key_by_the_old_ones_word(desk: Desk) -> None:
    """The word of the pinned key pins the next one; the old one is trusted no more."""
    tree = Tree(Dictionary())
    desk.add_checkpoint(make_request(0, [], grown(tree, 7)), NOW)
    assert desk.add_key(str(word_for(NEW, NEW.verifier))).status == 403
    assert desk.add_key("nonsense").status == 403
    assert desk.add_key(str(word_for(HOUSE, NEW.verifier))).status == 200
    assert desk.logs() == {"casino.example/floor": (NEW.verifier,)}
    tree.extend(leaves(1, 7))
    for signer, status in ((HOUSE, 403), (NEW, 200)):
        text = str(Checkpoint("casino.example/floor", 8, tree.root()))
        request = make_request(7, tree.consistency(7, 8), Note(text, (signer.sign(text),)))
        assert desk.add_checkpoint(request, NOW).status == status


def test_people_pin_and_forget(desk: Desk) -> None:
    """A key that nobody vouches for is pinned by hand; a log that ended is forgotten."""
    desk.add_checkpoint(make_request(0, [], grown(Tree(Dictionary()), 7)), NOW)
    desk.pin(NEW.verifier)
    assert desk.logs() == {"casino.example/floor": (NEW.verifier,)}
    desk.forget("casino.example/floor")
    assert (desk.logs(), desk.seen("casino.example/floor")) == ({}, None)


def test_a_folder_that_cannot_be_used_is_said(tmp_path: Path, desk: Desk) -> None:
    """No name, another name, a key that is none, a head that is damaged: each is said, nothing is guessed."""
    with pytest.raises(SigningError, match="say by which name"):
        Desk(tmp_path / "new")
    with pytest.raises(SigningError, match=r"signs as witness\.example, not as other"):
        Desk(desk.folder, "other")
    (desk.folder / "seen" / f"{log_id(HOUSE.verifier.name)}.head").write_text("damaged")
    assert desk.add_checkpoint(make_request(0, [], grown(Tree(Dictionary()), 7)), NOW).status == 500
    (desk.folder / "witness.key").write_text("nonsense")
    with pytest.raises(SigningError, match="cannot be used"):
        Desk(desk.folder)
