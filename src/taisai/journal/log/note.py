"""Signed notes and checkpoints, in the forms of C2SP: signed-note, tlog-checkpoint, tlog-cosignature.

Enters: a text and keys, or a note that somebody sent. Leaves: the note with its signatures, or who has signed it. A
checkpoint is a note whose text is the log's name, its size and its root; a witness adds a cosignature with the time at
which it saw that head.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from taisai.journal.log.merkle import HASH_BYTES

ED25519: Final = 0x01
COSIGNATURE: Final = 0x04
"""The kinds of keys that are used here: of a log, of a witness."""
_DASH: Final = "\N{EM DASH} "
_NAME: Final = re.compile(r"[^\s+]+")
_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,18}")
NOTE_MAX: Final = 64 * 1024
SIGNATURES_MAX: Final = 64


class BadNote(ValueError):
    """A note, checkpoint or key that is not in the form that it should have, or not signed as it should be."""


class Verifier(NamedTuple):
    """Somebody's public key with the name that it signs by."""

    name: str
    key: bytes
    kind: int = ED25519

    @property
    def id(self) -> bytes:
        """The four bytes that stand for the key in a signature."""
        return sha256(self.name.encode() + b"\n" + bytes((self.kind,)) + self.key).digest()[:4]

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{b64encode(bytes((self.kind,)) + self.key).decode()}"

    @classmethod
    def read(cls, text: str) -> Verifier:
        """A key as `str` writes it: name, id, kind and key."""
        name, first, rest = text.strip().partition("+")
        shown, second, key = rest.partition("+")
        raw = _decoded(key, "the key")
        if not (first and second and _NAME.fullmatch(name) and len(raw) == 33 and raw[0] in (ED25519, COSIGNATURE)):
            raise BadNote(f"{text.strip()[:80]!r} is not a verifier key: NAME+ID+KEY")
        made = cls(name, raw[1:], raw[0])
        if made.id.hex() != shown:
            raise BadNote(f"the id of the key of {name} is {made.id.hex()}, not {shown[:16]!r}")
        return made

    def holds(self, signature: bytes, text: str) -> bool:
        """Whether a signature (without the key's id) is this key's, over this text."""
        message = text.encode()
        if self.kind == COSIGNATURE:
            if len(signature) != 72:
                return False
            message = _cosigned(int.from_bytes(signature[:8], "big"), text)
            signature = signature[8:]
        try:
            Ed25519PublicKey.from_public_bytes(self.key).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True


class Signer:
    """A private key with the name that it signs by."""

    def __init__(self, name: str, key: Ed25519PrivateKey, kind: int = ED25519) -> None:
        if not _NAME.fullmatch(name):
            raise BadNote(f"{name!r} is no name for a key: no spaces, no plus sign")
        self._key = key
        self.verifier = Verifier(name, key.public_key().public_bytes_raw(), kind)

    def sign(self, text: str, at_s: int = 0) -> Signature:
        """Sign a text; a witness also says when, in seconds since 1970."""
        if self.verifier.kind == ED25519:
            return Signature(self.verifier.name, self.verifier.id, self._key.sign(text.encode()))
        signed = at_s.to_bytes(8, "big") + self._key.sign(_cosigned(at_s, text))
        return Signature(self.verifier.name, self.verifier.id, signed)


class Signature(NamedTuple):
    """One line under a note."""

    name: str
    key_id: bytes
    value: bytes

    @property
    def line(self) -> str:
        """As it stands under the note."""
        return f"{_DASH}{self.name} {b64encode(self.key_id + self.value).decode()}\n"

    @property
    def at_s(self) -> int | None:
        """When a witness cosigned, in seconds since 1970; None for a plain signature."""
        return int.from_bytes(self.value[:8], "big") if len(self.value) == 72 else None


class Note(NamedTuple):
    """A text with the signatures under it, not yet checked."""

    text: str
    signatures: tuple[Signature, ...]

    def __str__(self) -> str:
        return self.text + "\n" + "".join(each.line for each in self.signatures)

    @classmethod
    def read(cls, note: str) -> Note:
        """A note as `str` writes it."""
        if len(note) > NOTE_MAX:
            raise BadNote(f"a note of more than {NOTE_MAX} characters")
        text, blank, lines = note.rpartition("\n\n")
        if not blank or not lines.endswith("\n") or any(ord(sign) < 32 and sign != "\n" for sign in note):
            raise BadNote("a note is a text, a blank line and signatures, each on a line of its own")
        found = lines.removesuffix("\n").split("\n")
        if len(found) > SIGNATURES_MAX:
            raise BadNote(f"a note with more than {SIGNATURES_MAX} signatures")
        return cls(text + "\n", tuple(read_signature(line) for line in found))

    def signed_by(self, *known: Verifier) -> tuple[Signature, ...]:
        """The signatures of these keys, each checked; `BadNote` for one that claims to be theirs and is not."""
        good = []
        for key in known:
            for each in self.signatures:
                if (each.name, each.key_id) == (key.name, key.id):
                    if not key.holds(each.value, self.text):
                        raise BadNote(f"the signature of {key.name} does not hold")
                    good.append(each)
                    break
        return tuple(good)

    def also(self, signatures: Iterable[Signature]) -> Note:
        """The note with more signatures; of one key the newest stays."""
        more = tuple(signatures)
        keys = {(each.name, each.key_id) for each in more}
        kept = tuple(each for each in self.signatures if (each.name, each.key_id) not in keys)
        return Note(self.text, kept + more)


class Checkpoint(NamedTuple):
    """The head of a log: its name, its size and its root."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = (self.origin, str(self.size), b64encode(self.root).decode(), *self.extensions)
        return "".join(f"{line}\n" for line in lines)

    @classmethod
    def read(cls, text: str) -> Checkpoint:
        """A head as `str` writes it: the text of a note."""
        lines = text.removesuffix("\n").split("\n")
        if len(lines) < 3 or not lines[0] or not _SIZE.fullmatch(lines[1]) or not all(lines):
            raise BadNote("a checkpoint has a name, a size and a root, each on a line of its own")
        root = _decoded(lines[2], "the root")
        if len(root) != HASH_BYTES:
            raise BadNote(f"the root of a checkpoint has {HASH_BYTES} bytes, not {len(root)}")
        return cls(lines[0], int(lines[1]), root, tuple(lines[3:]))


def read_signature(line: str) -> Signature:
    """One line under a note."""
    name, space, value = line.removeprefix(_DASH).partition(" ")
    raw = _decoded(value, "a signature") if line.startswith(_DASH) and space and _NAME.fullmatch(name) else b""
    if len(raw) < 5:
        raise BadNote(f"{line[:80]!r} is not a line of a signature")
    return Signature(name, raw[:4], raw[4:])


def proof_lines(path: Sequence[bytes]) -> str:
    """The hashes of a proof, a line each."""
    return "".join(b64encode(each).decode() + "\n" for each in path)


def read_proof(lines: Iterable[str]) -> list[bytes]:
    """The hashes of a proof from its lines."""
    path = [_decoded(line, "a hash of the proof") for line in lines]
    if any(len(each) != HASH_BYTES for each in path):
        raise BadNote(f"a hash of a proof has {HASH_BYTES} bytes")
    return path


def _cosigned(at_s: int, text: str) -> bytes:
    return f"cosignature/v1\ntime {at_s}\n{text}".encode()


def _decoded(text: str, what: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadNote(f"{what} is not base64: {text[:60]!r}") from error
