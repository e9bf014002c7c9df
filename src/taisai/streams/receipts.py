"""Receipts: what proves one record, or one person's part of it, to whoever holds the receipt.

Enters: a record, the journal's salt, its tree and a signed head. Leaves: a `Receipt` of less than 2 kB as JSON. It
opens one part of the leaf, shows that the part belongs to the leaf and the leaf to the tree, and carries the head that
the house signed. `taisai_verify.py`, one file without anything of taisai, checks it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from taisai.journal.log import merkle
from taisai.journal.log.note import Checkpoint, Note
from taisai.journal.log.tree import Tree
from taisai.journal.record import Record
from taisai.streams.leaves import Leaf, leaf_of

FORM: Final = "taisai receipt 1"


class Receipt(Struct, frozen=True, kw_only=True):
    """One part of one record, proven. Bytes are base64; the hashes of a proof stand one behind the other."""

    form: str = FORM
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
        head=str(head),
        leaf=_text(leaf.data),
        proof=_text(b"".join(tree.inclusion(record.position - 1, size))),
        part=part,
        content=_text(leaf.parts[part].content),
        salt=_text(leaf.salts[part]),
        part_proof=_text(b"".join(merkle.inclusion_proof(_Row(leaf.commitments), part, len(leaf.parts)))),
    )


def as_json(receipt: Receipt) -> bytes:
    """A receipt as it is saved."""
    return msgspec.json.encode(receipt)


def _text(raw: bytes) -> str:
    return b64encode(raw).decode()
