"""Vectors of the proofs: receipts, heads and dice that any verifier must accept, and forgeries that it must refuse."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from taisai.core.fair import commitment_of, opening_of, roll_from
from taisai.journal import MemoryJournal
from taisai.journal.log.note import COSIGNATURE, Checkpoint, Note, Signer
from taisai.journal.log.tree import Tree
from taisai.journal.record import Batch, NewRecord, Record
from taisai.streams.leaves import leaf_of
from taisai.streams.receipts import receipt_for

SALT = bytes(range(32))
HOUSE = Signer("casino.example/floor", Ed25519PrivateKey.from_private_bytes(b"h" * 32))
WITNESS = Signer("witness.example", Ed25519PrivateKey.from_private_bytes(b"w" * 32), COSIGNATURE)
STRANGER = Signer("casino.example/floor", Ed25519PrivateKey.from_private_bytes(b"s" * 32))
NOON = 1_800_000_000_000_000
SEEN_AT = 1_800_000_001


class _Store:
    """A key-value store in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self.kept.get(key)

    def entries(self, prefix: str = "", *, after: str = "", count: int | None = None) -> Mapping[str, bytes]:
        found = ((key, self.kept[key]) for key in sorted(self.kept) if key.startswith(prefix) and key > after)
        return dict(islice(found, count))

    def put_all(self, entries: Mapping[str, bytes | None], _when: object = None) -> bool:
        self.kept.update({key: value for key, value in entries.items() if value is not None})
        return True


def _records() -> list[Record]:
    """Some records of two tables, as a house writes them."""
    journal = MemoryJournal()
    close = {"event": "bets-closed", "bets": [["ann", "small", 500, 500], ["bob", "total:9", 100, 100]]}
    for number in range(300):
        table, seq = ("T1", "桌二")[number % 2], number // 2
        kind = "bets-closed" if number in (40, 299) else "bet-placed"
        what = close if kind == "bets-closed" else {"event": kind, "player": "ann", "box": "small", "amount": 500}
        body = msgspec.json.encode({"at": NOON + number, "by": {"id": "ann", "role": "player"}, "what": what})
        new = NewRecord(kind, 1, NOON + number, f"c-{number}", 0, "ann", body)
        journal.append([Batch(table, seq, [new])])
    return list(journal.read_all())


def proof_vectors() -> dict[str, Any]:
    """All of them, as one document."""
    records, tree, heads = _records(), Tree(_Store()), dict[int, Note]()
    leaves = [leaf_of(record, SALT) for record in records]
    for size in (1, 2, 3, 8, 41, 256, 257, 300):
        tree.extend([leaf.hash for leaf in leaves[tree.size : size]])
        head = tree.keep_head(tree.sign(HOUSE))
        heads[size] = head.also([WITNESS.sign(head.text, SEEN_AT)])
    shown = [(1, 0, 1), (8, 5, 8), (41, 0, 300), (41, 2, 300), (256, 0, 257), (300, 1, 300)]
    receipts = []
    for position, part, size in shown:
        record = records[position - 1]
        receipt = receipt_for(record, SALT, tree, heads[size], min(part, len(leaves[position - 1].parts) - 1))
        receipts.append({"receipt": msgspec.to_builtins(receipt), "table": record.table, "record": record.seq})
    pairs = [(1, 2), (2, 3), (3, 8), (8, 41), (41, 257), (256, 257), (257, 300), (300, 300)]
    return {
        "key": str(HOUSE.verifier),
        "witness": str(WITNESS.verifier),
        "cosigned_at": SEEN_AT,
        "receipts": receipts,
        "consistency": [
            {
                "form": "taisai consistency 1",
                "older_size": older,
                "newer_size": newer,
                "older": str(heads[older]),
                "newer": str(heads[newer]),
                "proof": b64encode(b"".join(tree.consistency(older, newer))).decode(),
            }
            for older, newer in pairs
        ],
        "forged": list(_forged(receipts[3]["receipt"], receipts[4]["receipt"], heads)),
        "dice": _dice(),
    }


def _forged(mine: Any, other: Any, heads: Mapping[int, Note]) -> Iterator[dict[str, Any]]:
    """A receipt with one thing changed each."""
    for field in ("leaf", "salt", "content", "part_proof", "part"):
        yield {"why": f"the {field} of another receipt", "receipt": {**mine, field: other[field]}}
    yield {"why": "a head that is too small", "receipt": {**mine, "head": str(heads[8])}}
    yield {"why": "a proof that is too short", "receipt": {**mine, "proof": mine["proof"][: 4 * 32]}}
    text = Note.read(mine["head"]).text
    stranger = Note(text, (STRANGER.sign(text), WITNESS.sign(text, SEEN_AT)))
    yield {"why": "signed by somebody else", "receipt": {**mine, "head": str(stranger)}}
    larger = str(Checkpoint.read(text)._replace(size=301))
    yield {"why": "a changed size", "receipt": {**mine, "head": mine["head"].replace(text, larger)}}
    yield {"why": "no cosignature", "receipt": {**mine, "head": str(Note(text, (HOUSE.sign(text),)))}}


def _dice() -> dict[str, Any]:
    secret, brought = bytes(range(32)), sorted(f"{number:032x}" for number in (7, 1, 2**127))
    roll = roll_from(secret, "T1", 12, brought)
    return {
        "form": 2,
        "commitment": commitment_of(secret, "T1", 12),
        "opening": opening_of(secret),
        "table": "T1",
        "round": 12,
        "brought": brought,
        "dice": list(roll.faces),
    }


def proof_text() -> str:
    """The document as it is kept."""
    return json.dumps(proof_vectors(), indent=1) + "\n"
