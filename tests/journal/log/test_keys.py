"""A key's word for the next one."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from taisai.journal.log.keys import vouched_by, word_for
from taisai.journal.log.note import BadNote, Note, Signer
from tests.journal.log.test_tree import HOUSE

NEW = Signer("casino.example/floor", Ed25519PrivateKey.from_private_bytes(b"n" * 32))
OTHER = Signer("other.example", Ed25519PrivateKey.from_private_bytes(b"o" * 32))


def test_the_old_key_names_the_new_one() -> None:
    """Who trusts the old key learns the new one from it, over any way."""
    word = Note.read(str(word_for(HOUSE, NEW.verifier)))
    assert vouched_by(word, HOUSE.verifier) == NEW.verifier
    assert vouched_by(word, OTHER.verifier, HOUSE.verifier) == NEW.verifier


def test_nobody_else_can() -> None:
    """A word of another key, for another log, or that is something else, counts for nothing."""
    with pytest.raises(BadNote, match="not signed by the key that is known"):
        vouched_by(word_for(NEW, NEW.verifier), HOUSE.verifier)
    with pytest.raises(BadNote, match="for another log"):
        vouched_by(word_for(HOUSE, OTHER.verifier), HOUSE.verifier)
    with pytest.raises(BadNote, match="not a key's word"):
        vouched_by(Note("hello\n", (HOUSE.sign("hello\n"),)), HOUSE.verifier)
