"""What the log keeps of a record: a leaf that commits to every person's part apart.

Enters: a record and the journal's salt. Leaves: the leaf that goes into the tree, and the parts that a receipt may
open. Part 0 is the whole record; every player whom the event concerns beside others has a part of their own. Each part
is hidden behind a salt, so a receipt that opens one part tells nothing about the rest and stays small.

    leaf   = MessagePack [2, table, seq, position, kind, version, at, parts, root]
    root   = the Merkle root (RFC 9162) over the parts' leaves, each SHA-256(salt || part) as its data
    salt   = the first 16 bytes of HMAC-SHA-256(journal's salt, MessagePack [position, number of the part])
    part 0 = MessagePack [by, command_id, part, hash, body]
    part n = MessagePack [player, JSON of what the event says of them]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, NamedTuple

import msgspec

from taisai.journal.log.merkle import fold, leaf_hash
from taisai.journal.record import Record, Row

FORM: Final = 2
SALT_BYTES: Final = 16
BLOCK: Final = 64
"""Bytes that SHA-256 takes at once."""

_packed = msgspec.msgpack.Encoder().encode
_json = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


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
    "settlement-undone": "lines",
    "ruled": "lines",
    "table-closed": "leaving",
}
"""Events that concern several players, and the field that says what of whom: in the body as it was written."""


def _by_player(kind: str, body: bytes) -> dict[str, Any]:
    """What an event says of each player. The body is read as it stands: the leaf of an old record never changes."""
    said = _decode(body)["what"].get(SHARED[kind], ())
    if isinstance(said, dict):
        return said
    found: dict[str, Any] = {}
    for line in said:
        found.setdefault(line["player"] if isinstance(line, dict) else line[0], []).append(line)
    return found


def leaf_of(record: Record, salt: bytes) -> Leaf:
    """The leaf of a record. It follows from the record and the journal's salt alone."""
    whole = _packed((record.by, record.command_id, record.part, record.hash, record.body))
    parts = [Part("", whole)]
    if record.kind in SHARED:
        shared = _by_player(record.kind, record.body)
        parts += [Part(player, _packed((player, _json(said)))) for player, said in shared.items()]
    salts = tuple(part_salt(salt, record.position, number) for number in range(len(parts)))
    root = fold([part_leaf(each, part.content) for each, part in zip(salts, parts, strict=True)])
    header = (FORM, record.table, record.seq, record.position, record.kind, record.version, record.at)
    return Leaf(_packed((*header, len(parts), root)), tuple(parts), salts)


def hashes_of(rows: Iterable[Row], salt: bytes) -> list[bytes]:
    """The hashes of many records' leaves, as `leaf_of` gives them, without keeping their parts."""
    keyed, packed, hashed, shared = _keyed(salt), _packed, sha256, SHARED
    found = []
    for table, seq, position, kind, version, at, command_id, part, by, body, _, digest in rows:
        whole = keyed(packed((position, 0)))[:SALT_BYTES] + packed((by, command_id, part, digest, body))
        root = hashed(b"\x00" + hashed(whole).digest()).digest()
        count = 1
        if kind in shared:
            leaves = [root]
            for player, said in _by_player(kind, body).items():
                content = keyed(packed((position, count)))[:SALT_BYTES] + packed((player, _json(said)))
                leaves.append(hashed(b"\x00" + hashed(content).digest()).digest())
                count += 1
            root = fold(leaves)
        leaf = packed((FORM, table, seq, position, kind, version, at, count, root))
        found.append(hashed(b"\x00" + leaf).digest())
    return found


def part_salt(salt: bytes, position: int, number: int) -> bytes:
    """What hides a part: known to whoever has the journal's salt, or a receipt that opens the part."""
    return _keyed(salt)(_packed((position, number)))[:SALT_BYTES]


@lru_cache(maxsize=8)
def _keyed(salt: bytes) -> Callable[[bytes], bytes]:
    """HMAC-SHA-256 under a key, which is hashed once: `hmac.digest` would do so each time, and takes thrice as long."""
    key = (salt if len(salt) <= BLOCK else sha256(salt).digest()).ljust(BLOCK, b"\0")
    inner, outer = (sha256(bytes(byte ^ pad for byte in key)) for pad in (0x36, 0x5C))

    def digest(message: bytes) -> bytes:
        within, around = inner.copy(), outer.copy()
        within.update(message)
        around.update(within.digest())
        return around.digest()

    return digest
