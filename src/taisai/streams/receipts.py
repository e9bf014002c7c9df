"""Receipts: what proves one record, or one person's part of it, to whoever holds the receipt.

Enters: a record, the journal's salt, its tree and a signed head. Leaves: a `Receipt` of less than 2 kB as JSON. It
opens one part of the leaf, shows that the part belongs to the leaf and the leaf to the tree, and carries the head that
the house signed. `taisai_verify.py`, one file without anything of taisai, checks it.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from taisai.journal.log import merkle
from taisai.journal.log.merkle import BadProof
from taisai.journal.log.note import Checkpoint, Note
from taisai.journal.log.tree import Tree
from taisai.journal.record import Record
from taisai.streams.leaves import Leaf, leaf_of, part_leaf

FORM: Final = "taisai receipt 1"
_fields_of = msgspec.msgpack.Decoder(tuple[int, str, int, int, str, int, int, int, bytes]).decode


class Receipt(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One part of one record, proven. Bytes are base64; the hashes of a proof stand one behind the other."""

    form: str
    head: str
    """The signed head, a C2SP note."""
    leaf: str
    proof: str
    """That the leaf is in the tree of the head."""
    part: int
    """Which part is opened: 0 is the whole record."""
    content: str
    salt: str
    part_proof: str
    """That the part belongs to the leaf."""
    why: str = ""
    """What the house says of it: not proven, and for the book to confirm."""
    clauses: tuple[str, ...] = ()


class NotInLog(LookupError):
    """A record that no signed head reaches yet."""


class _Row:
    """The commitments of a leaf's parts, as a tree's lowest tile."""

    def __init__(self, hashes: Sequence[bytes]) -> None:
        self._hashes = hashes

    def hashes(self, level: int, start: int, count: int) -> Sequence[bytes]:
        """The commitments from `start` on, or the roots over 256 of them each."""
        if level == 0:
            return self._hashes[start : start + count]
        wide = merkle.TILE_WIDTH**level
        return [merkle.fold(self._hashes[at * wide : (at + 1) * wide]) for at in range(start, start + count)]


def part_of(leaf: Leaf, owner: str) -> int | None:
    """The number of a player's part; None when the event has none for them alone."""
    return next((number for number, part in enumerate(leaf.parts) if number and part.owner == owner), None)


def receipt_for(record: Record, salt: bytes, tree: Tree, head: Note, part: int = 0) -> Receipt:
    """The receipt that opens one part of a record; `NotInLog` when the head does not reach it yet."""
    size = Checkpoint.read(head.text).size
    if record.position > size:
        raise NotInLog(f"record {record.position} is not in the log yet: the last signed head has {size}")
    leaf = leaf_of(record, salt)
    return Receipt(
        form=FORM,
        head=str(head),
        leaf=_text(leaf.data),
        proof=_text(b"".join(tree.inclusion(record.position - 1, size))),
        part=part,
        content=_text(leaf.parts[part].content),
        salt=_text(leaf.salts[part]),
        part_proof=_text(b"".join(merkle.inclusion_proof(_Row(leaf.commitments), part, len(leaf.parts)))),
    )


class Proven(NamedTuple):
    """What the proofs of a receipt lead to, whoever signed its head."""

    note: Note
    head: Checkpoint
    position: int
    leaf: bytes
    """The hash of the leaf."""


def proven_by(receipt: Receipt) -> Proven:
    """Follow the proofs of a receipt; `BadProof` or `BadNote` when they lead nowhere. The signature is not checked."""
    if receipt.form != FORM:
        raise BadProof(f"{receipt.form[:60]!r} is not a form of receipt that is known")
    note = Note.read(receipt.head)
    head = Checkpoint.read(note.text)
    try:
        leaf, content, salt = (b64decode(each, validate=True) for each in (receipt.leaf, receipt.content, receipt.salt))
        paths = [read_proof_bytes(b64decode(each, validate=True)) for each in (receipt.proof, receipt.part_proof)]
        fields = _fields_of(leaf)
    except (ValueError, msgspec.MsgspecError) as error:
        raise BadProof(f"the receipt cannot be read: {error}") from error
    position, count, root = fields[3], fields[7], fields[8]
    found = merkle.root_from_inclusion(merkle.leaf_hash(leaf), position - 1, head.size, paths[0])
    if found != head.root:
        raise BadProof("the record is not in the log under this head")
    if merkle.root_from_inclusion(part_leaf(salt, content), receipt.part, count, paths[1]) != root:
        raise BadProof("what the receipt opens is not what the log holds")
    return Proven(note, head, position, merkle.leaf_hash(leaf))


def read_proof_bytes(raw: bytes) -> list[bytes]:
    """The hashes of a proof, which stand one behind the other."""
    if len(raw) % merkle.HASH_BYTES:
        raise BadProof("a proof is not made of hashes")
    return [raw[at : at + merkle.HASH_BYTES] for at in range(0, len(raw), merkle.HASH_BYTES)]


def as_json(receipt: Receipt) -> bytes:
    """A receipt as it is saved."""
    return msgspec.json.encode(receipt)


def _text(raw: bytes) -> str:
    return b64encode(raw).decode()
