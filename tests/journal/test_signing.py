"""Keys and checkpoints."""

from __future__ import annotations

import stat
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from taisai.journal import Head, MemoryJournal, SigningError, SqliteJournal, Standing
from taisai.journal.signing import (
    PREFIX,
    Signer,
    flaw_of,
    heads_bytes,
    heads_in,
    public_beside,
    public_from_pem,
    public_pem,
    raw,
    signed_bytes,
)
from taisai.journal.verify import verify
from tests.journal.samples import NOON, codes, fill, sign_checkpoint

STANDING = Standing(5, {"b": Head(2, b"2" * 32), "a": Head(3, b"3" * 32)}, 0)


def test_a_checkpoint_states_the_standing() -> None:
    """A checkpoint contains position, count, time and every head, and the public key is enough to check it."""
    signer = Signer.new()
    one = signer.sign(STANDING, None, NOON)
    assert (one.number, one.prev, one.position, one.count, one.at) == (1, bytes(32), 5, 5, NOON)
    assert heads_in(one) == STANDING.heads
    assert flaw_of(one, signer.public) is None
    assert flaw_of(one, None) is None
    assert flaw_of(one, Signer.new().public) == "it was signed with a different key"
    two = signer.sign(STANDING, one, NOON + 1)
    assert (two.number, two.prev) == (2, one.hash)
    with pytest.raises(SigningError, match="signed with a different key"):
        Signer.new().sign(STANDING, two, NOON)


def test_the_signed_bytes_are_what_is_documented() -> None:
    """What is signed is the prefix and a MessagePack array; the heads are sorted by table."""
    one = Signer.new().sign(STANDING, None, NOON)
    signed = signed_bytes(one)
    assert signed.startswith(PREFIX)
    assert msgspec.msgpack.decode(signed[len(PREFIX) :]) == [1, 1, bytes(32), 5, 5, NOON, one.heads, one.key]
    assert msgspec.msgpack.decode(one.heads) == [["a", 3, b"3" * 32], ["b", 2, b"2" * 32]]
    assert one.heads == heads_bytes({table: STANDING.heads[table] for table in ("a", "b")})


@pytest.mark.parametrize(
    "change",
    [
        {"number": 2},
        {"prev": b"1" * 32},
        {"position": 6},
        {"count": 6},
        {"at": 0},
        {"heads": b""},
        {"key": bytes(32)},
        {"signature": bytes(64)},
        {"signature": b""},
        {"hash": bytes(32)},
        {"number": None},
        {"signature": None},
    ],
)
def test_every_field_of_a_checkpoint_counts(change: dict[str, object]) -> None:
    """A changed field is detected, with or without the key."""
    signer = Signer.new()
    one = msgspec.structs.replace(signer.sign(STANDING, None, NOON), **change)
    assert flaw_of(one, signer.public) is not None
    assert flaw_of(one, None) is not None


def test_heads_that_cannot_be_read() -> None:
    """A checkpoint whose heads cannot be decoded raises."""
    one = msgspec.structs.replace(Signer.new().sign(STANDING, None, NOON), heads=b"\xc1")
    with pytest.raises(SigningError, match="the heads in checkpoint 1 cannot be read"):
        heads_in(one)


def test_a_key_is_made_once(tmp_path: Path) -> None:
    """The key is made on first use, readable by its owner only, and used from then on; its public half is beside it."""
    journal = tmp_path / "journal.db"
    assert public_beside(journal) is None
    with pytest.raises(SigningError, match=r"journal\.db\.key is missing"):
        Signer.beside(journal, make=False)
    signer = Signer.beside(journal, make=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["journal.db.key", "journal.db.pub"]
    assert stat.S_IMODE((tmp_path / "journal.db.key").stat().st_mode) == 0o600
    assert Signer.beside(journal, make=False).public == signer.public == public_beside(journal)
    pem = (tmp_path / "journal.db.pub").read_bytes()
    assert pem == public_pem(signer.public)
    assert pem.startswith(b"-----BEGIN PUBLIC KEY-----")
    assert raw(public_from_pem(pem)) == raw(signer.public)
    (tmp_path / "journal.db.pub").unlink()
    assert public_beside(journal) == signer.public


def test_wrong_keys_are_refused(tmp_path: Path) -> None:
    """Files that are not keys, or keys of another type, are refused with the reason."""
    journal, key, public = tmp_path / "journal.db", tmp_path / "journal.db.key", tmp_path / "journal.db.pub"
    other = X25519PrivateKey.generate()
    key.write_bytes(b"no key")
    with pytest.raises(SigningError, match="is not a private key"):
        Signer.beside(journal, make=True)
    key.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(SigningError, match="a key of another type"):
        Signer.beside(journal, make=True)
    public.write_bytes(b"no key")
    with pytest.raises(SigningError, match="not a public key"):
        public_beside(journal)
    public.write_bytes(other.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    with pytest.raises(SigningError, match="of another type"):
        public_beside(journal)
    public.unlink()
    public.mkdir()
    with pytest.raises(SigningError, match="cannot be read"):
        public_beside(journal)
    key.unlink()
    key.mkdir()
    with pytest.raises(SigningError, match="cannot be read"):
        Signer.beside(journal, make=True)
    with pytest.raises(SigningError, match="cannot be written"):
        Signer.beside(tmp_path / "nowhere" / "journal.db", make=True)


def test_a_lost_or_changed_key_signs_nothing(tmp_path: Path) -> None:
    """A journal with checkpoints accepts no new key, whether the old one was lost or replaced."""
    path = tmp_path / "journal.db"
    with SqliteJournal(path) as journal:
        fill(journal)
    Path(f"{path}.key").unlink()
    with SqliteJournal(path) as journal, pytest.raises(SigningError, match="is missing"):
        sign_checkpoint(journal, NOON)
    private = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    Path(f"{path}.key").write_bytes(private)
    with SqliteJournal(path) as journal:
        with pytest.raises(SigningError, match="with a different key from the one beside it"):
            sign_checkpoint(journal, NOON)
        assert list(verify(journal)) == []


def test_checkpoints_of_two_journals_are_not_mixed() -> None:
    """A checkpoint signed with one key is not valid under another."""
    with MemoryJournal() as one, MemoryJournal() as two:
        fill(one)
        fill(two)
        assert codes(verify(one, two.public_key())) == {"checkpoint-altered"}
