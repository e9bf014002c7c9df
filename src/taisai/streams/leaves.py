"""What the log keeps of a record: a leaf that commits to every person's part apart.

Enters: a record and the journal's salt. Leaves: the leaf that goes into the tree, and the parts that a receipt may
open. Part 0 is the whole record; every player whom the event concerns beside others has a part of their own. Each part
is hidden behind a salt, so a receipt that opens one part tells nothing about the rest and stays small.

    leaf   = MessagePack [2, table, seq, position, kind, version, at, parts, root]
    root   = the Merkle root (RFC 9162) over the parts' leaves, each SHA-256(salt || part) as its data
    salt   = the first 16 bytes of HMAC-SHA-256(journal's salt, MessagePack [position, number of the part])
    part 0 = MessagePack [by, command_id, part, prev, hash, body]
    part n = MessagePack [player, JSON of what the event says of them]
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple

import msgspec

from taisai.journal.log.merkle import fold, leaf_hash
from taisai.journal.record import Record

FORM: Final = 2
SALT_BYTES: Final = 16

_packed = msgspec.msgpack.Encoder().encode
_json = msgspec.json.Encoder().encode


class Part(NamedTuple):
    """What a receipt may open."""

    owner: str
    """The player whose it is; empty for the whole record."""
    content: bytes


class Leaf(NamedTuple):
    """A record as the log has it."""

    data: bytes
    parts: tuple[Part, ...]
    salts: tuple[bytes, ...]

    @property
    def hash(self) -> bytes:
        """The hash that goes into the tree."""
        return leaf_hash(self.data)

    @property
    def commitments(self) -> list[bytes]:
        """The leaves of the small tree over the parts."""
        return [part_leaf(salt, part.content) for salt, part in zip(self.salts, self.parts, strict=True)]


def part_leaf(salt: bytes, content: bytes) -> bytes:
    """What stands for a part in the small tree."""
    return leaf_hash(sha256(salt + content).digest())


SHARED: Final[Mapping[str, str]] = {
    "bets-closed": "bets",
    "bet-corrected": "bets",
    "losers-collected": "losses",
    "excess-rejected": "handed",
    "round-voided": "handed",
    "round-reversed": "lines",
    "table-closed": "leaving",
}
"""Events that concern several players, and the field that says what of whom: in the body as it was written."""


def _by_player(record: Record) -> dict[str, Any]:
    """What an event says of each player. The body is read as it stands: the leaf of an old record never changes."""
    said = msgspec.json.decode(record.body)["what"].get(SHARED[record.kind], ())
    if isinstance(said, dict):
        return said
    found: dict[str, Any] = {}
    for line in said:
        found.setdefault(line["player"] if isinstance(line, dict) else line[0], []).append(line)
    return found


def leaf_of(record: Record, salt: bytes) -> Leaf:
    """The leaf of a record. It follows from the record and the journal's salt alone."""
    whole = _packed((record.by, record.command_id, record.part, record.prev, record.hash, record.body))
    parts = [Part("", whole)]
    if record.kind in SHARED:
        parts += [Part(player, _packed((player, _json(said)))) for player, said in _by_player(record).items()]
    salts = tuple(part_salt(salt, record.position, number) for number in range(len(parts)))
    root = fold([part_leaf(each, part.content) for each, part in zip(salts, parts, strict=True)])
    header = (FORM, record.table, record.seq, record.position, record.kind, record.version, record.at)
    return Leaf(_packed((*header, len(parts), root)), tuple(parts), salts)


def part_salt(salt: bytes, position: int, number: int) -> bytes:
    """What hides a part: known to whoever has the journal's salt, or a receipt that opens the part."""
    return hmac.digest(salt, _packed((position, number)), "sha256")[:SALT_BYTES]
