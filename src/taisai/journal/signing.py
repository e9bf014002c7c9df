"""A journal's key, and the checkpoints of versions before 0.2: signed statements of the whole journal.

Enters: the path of a journal; the standing of a journal, the previous checkpoint, a time. Leaves: an Ed25519 key as a
file (mode 0600, made on first use) and its public half as PEM; a `Checkpoint`, or what is wrong with one. The heads of
the log (`journal.log`) have taken the place of checkpoints: old ones are verified, and none is written any more.

What is signed is the text "taisai checkpoint" and a zero byte, followed by a MessagePack array of [1, number, prev,
position, count, at, heads, key], each value in its shortest encoding; `heads` is itself a MessagePack array of [table,
seq, hash], sorted by table. A checkpoint carries the hash of the previous one: none can be removed from the middle,
and none can be edited without the private key.

Beside a journal `shift.db` are `shift.db.key` (private: keep it safe and apart from the backups) and `shift.db.pub`.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final, Self

import msgspec
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from taisai.journal.contract import SigningError
from taisai.journal.record import Checkpoint, Head, Standing

FORMAT: Final = 1
PEM_BYTES_MAX: Final = 16_384
"""No key is larger."""
PREFIX: Final = b"taisai checkpoint\0"
NO_CHECKPOINT: Final = bytes(32)
"""The previous hash in the first checkpoint."""

_packed = msgspec.msgpack.Encoder().encode
_heads_of = msgspec.msgpack.Decoder(list[tuple[str, int, bytes]]).decode


class Signer:
    """A private key."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self.private = private
        self.public: Ed25519PublicKey = private.public_key()

    @classmethod
    def new(cls) -> Self:
        """A key that ends with the process."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def beside(cls, journal: Path, *, make: bool) -> Self:
        """The key of a journal's file, made now if there is none and `make` allows it."""
        path = key_path(journal)
        if not path.exists():
            if not make:
                raise SigningError(f"the key {path} is missing, and this journal was signed with it")
            _make_key(path)
        signer = cls(_read_private(path))
        if not public_path(journal).exists():
            write_public(signer.public, public_path(journal))
        return signer

    def sign(self, standing: Standing, before: Checkpoint | None, at: int) -> Checkpoint:
        """The checkpoint that follows `before`."""
        key = raw(self.public)
        if before is not None and before.key != key:
            raise SigningError("this journal's checkpoints were signed with a different key from the one beside it")
        unsigned = Checkpoint(
            number=1 if before is None else before.number + 1,
            prev=NO_CHECKPOINT if before is None else before.hash,
            position=standing.position,
            count=sum(head.seq for head in standing.heads.values()),
            at=at,
            heads=heads_bytes(standing.heads),
            key=key,
            signature=b"",
            hash=b"",
        )
        signed = signed_bytes(unsigned)
        signature = self.private.sign(signed)
        return msgspec.structs.replace(unsigned, signature=signature, hash=sha256(signed + signature).digest())


def require_next(checkpoint: Checkpoint, last: Checkpoint | None) -> None:
    """Refuse a checkpoint that does not follow the last one."""
    number, digest = (0, NO_CHECKPOINT) if last is None else (last.number, last.hash)
    if (checkpoint.number, checkpoint.prev) != (number + 1, digest):
        raise SigningError(f"checkpoint {checkpoint.number} does not follow checkpoint {number}")


def heads_bytes(heads: Mapping[str, Head]) -> bytes:
    """All heads in their canonical encoding."""
    return _packed([(table, *heads[table]) for table in sorted(heads)])


def heads_in(checkpoint: Checkpoint) -> dict[str, Head]:
    """The heads that a checkpoint states; `SigningError` when they cannot be read."""
    try:
        return {table: Head(seq, digest) for table, seq, digest in _heads_of(checkpoint.heads)}
    except (msgspec.MsgspecError, TypeError) as error:
        raise SigningError(f"the heads in checkpoint {checkpoint.number} cannot be read: {error}") from error


def signed_bytes(checkpoint: Checkpoint) -> bytes:
    """The bytes that the signature is over."""
    one = checkpoint
    return PREFIX + _packed((FORMAT, one.number, one.prev, one.position, one.count, one.at, one.heads, one.key))


def flaw_of(checkpoint: Checkpoint, public: Ed25519PublicKey | None) -> str | None:
    """What is wrong with a checkpoint taken by itself, or None; without a key only its hash can be checked."""
    try:
        signed = signed_bytes(checkpoint)
        if sha256(signed + checkpoint.signature).digest() != checkpoint.hash:
            return "it was altered: its hash does not match its content"
        if public is None:
            return None
        if checkpoint.key != raw(public):
            return "it was signed with a different key"
        public.verify(checkpoint.signature, signed)
    except InvalidSignature:
        return "it was altered: its signature does not match"
    except (TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        return f"it cannot be read ({error})"
    return None


def sign_text(key: Path, text: str) -> tuple[str, str]:
    """A text signed with the private key in this file: signature and public key, in hexadecimal digits."""
    try:
        private = _read_private(key)
    except FileNotFoundError:
        raise SigningError(f"there is no key {key}") from None
    return private.sign(text.encode()).hex(), raw(private.public_key()).hex()


def raw(public: Ed25519PublicKey) -> bytes:
    """The 32 bytes of a public key."""
    return public.public_bytes(Encoding.Raw, PublicFormat.Raw)


def public_pem(public: Ed25519PublicKey) -> bytes:
    """A public key as PEM, to be handed to auditors."""
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def public_from_pem(pem: bytes) -> Ed25519PublicKey:
    """The public key in a PEM text."""
    try:
        key = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise SigningError("this is not a public key in PEM format") from error
    if not isinstance(key, Ed25519PublicKey):
        raise SigningError("this is a public key of another type: an Ed25519 key is needed")
    return key


def _beside(journal: Path, ending: str) -> Path:
    """A file beside a journal; of a folder, which is none, the name comes to nothing, and opening it says why."""
    return journal.parent / (journal.name + ending)


def key_path(journal: Path) -> Path:
    """Where the private key of a journal's file is."""
    return _beside(journal, ".key")


def public_path(journal: Path) -> Path:
    """Where the public key of a journal's file is."""
    return _beside(journal, ".pub")


def public_beside(journal: Path) -> Ed25519PublicKey | None:
    """The public key beside a journal's file, if there is one."""
    try:
        return public_from_pem(_pem_of(public_path(journal)))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise SigningError(f"the public key {public_path(journal)} cannot be read: {error.strerror}") from error
    try:
        return _read_private(key_path(journal)).public_key()
    except FileNotFoundError:
        return None


def write_public(public: Ed25519PublicKey, path: Path) -> None:
    """Write a public key as PEM, atomically; an existing file is left alone."""
    _write_new(path, public_pem(public), 0o644)


def _make_key(path: Path) -> None:
    private = Ed25519PrivateKey.generate()
    _write_new(path, private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), 0o600)


def _write_new(path: Path, content: bytes, mode: int) -> None:
    """Write a file that exists either with all its content or not at all; the first of two writers wins."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise SigningError(f"the key {path} cannot be written: {error.strerror}") from error


def _pem_of(path: Path) -> bytes:
    """The content of a key's file; nothing is waited for, and no more is read than a key has."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        return file.read(PEM_BYTES_MAX) or b""


def _read_private(path: Path) -> Ed25519PrivateKey:
    try:
        key = load_pem_private_key(_pem_of(path), password=None)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise SigningError(f"the key {path} cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise SigningError(f"{path} is not a private key") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise SigningError(f"{path} is a key of another type: an Ed25519 key is needed")
    return key
