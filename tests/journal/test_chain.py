"""The hash chain, computed a second time."""

from __future__ import annotations

from hashlib import sha256

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from taisai.journal import Batch, Head, NewRecord
from taisai.journal.chain import Header, genesis, linked, record_hash, snapshot_digest
from tests.journal.samples import NOON, new

TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
KNOWN_HASH = "36f49573ab8184b635fb3036e7cc298b8a5fe2cec95db41987b1e3fe6c7e701e"
NUMBER = st.integers(-(2**63) + 1, 2**63 - 1)
HEADERS = st.tuples(st.just(1), TEXT, NUMBER, NUMBER, TEXT, NUMBER, NUMBER, TEXT, NUMBER, TEXT)


def packed(value: object) -> bytes:
    """MessagePack in its shortest encoding, by its specification; written a second time."""
    if isinstance(value, tuple):
        return bytes([0x90 + len(value)]) + b"".join(map(packed, value))
    if isinstance(value, str):
        raw = value.encode()
        size = len(raw)
        head = (
            bytes([0xA0 + size]) if size < 32 else b"\xd9" + bytes([size]) if size < 256 else b"\xda" + size.to_bytes(2)
        )
        return head + raw
    assert isinstance(value, int)
    if 0 <= value < 128:
        return bytes([value])
    if -32 <= value < 0:
        return value.to_bytes(1, signed=True)
    kinds = (0xCC, 0xCD, 0xCE, 0xCF) if value >= 0 else (0xD0, 0xD1, 0xD2, 0xD3)
    for kind, size in zip(kinds, (1, 2, 4, 8), strict=True):
        try:
            return bytes([kind]) + value.to_bytes(size, signed=value < 0)
        except OverflowError:
            continue
    raise AssertionError(value)


@given(HEADERS, st.binary(max_size=50), st.binary(min_size=32, max_size=32))
def test_the_hash_is_what_is_documented(header: Header, body: bytes, prev: bytes) -> None:
    """The hash is SHA-256 over the previous hash, the header in MessagePack, and the body."""
    assert record_hash(prev, header, body) == sha256(prev + packed(header) + body).digest()


@given(HEADERS, HEADERS, st.binary(max_size=9), st.binary(max_size=9))
def test_no_two_records_have_the_same_bytes(one: Header, two: Header, body: bytes, other: bytes) -> None:
    """Headers differ whatever follows them: none is a prefix of another."""
    same = (one, body) == (two, other)
    assert (packed(one) + body == packed(two) + other) == same


def test_the_chain_of_a_known_record() -> None:
    """A table's first hash and the hash of a known record never change."""
    assert genesis("pit1/tai-sai-1") == sha256(b"taisai:pit1/tai-sai-1").digest()
    rows, heads = linked(
        [Batch("t", 0, [NewRecord("bet-placed", 1, NOON, "c1", 0, "p7", b"{}")])],
        41,
        lambda table: Head(0, genesis(table)),
    )
    assert heads["t"].hash.hex() == rows[0][-1].hex() == KNOWN_HASH
    assert rows[0][:3] == ("t", 1, 42)


def test_every_field_is_in_the_hash() -> None:
    """Changing any field of a record, or its position, changes its hash."""
    head = Head(5, b"h" * 32)
    base = new("c1", 0)

    def hashed(record: NewRecord, table: str = "t", position: int = 9, head: Head = head) -> bytes:
        return linked([Batch(table, head.seq, [record])], position, lambda _: head)[1][table].hash

    changes = {
        "kind": "bet-raised",
        "version": 2,
        "at": NOON + 1,
        "command_id": "c2",
        "part": 1,
        "by": "p8",
        "body": b"",
    }
    hashes = [hashed(msgspec.structs.replace(base, **{name: value})) for name, value in changes.items()]
    hashes += [
        hashed(base),
        hashed(base, table="u"),
        hashed(base, position=10),
        hashed(base, head=Head(6, head.hash)),
        hashed(base, head=Head(5, b"i" * 32)),
    ]
    assert len(set(hashes)) == len(hashes) == len(changes) + 5


def test_every_field_is_in_the_digest_of_a_snapshot() -> None:
    """Changing any field of a snapshot changes its digest."""
    digests = {
        snapshot_digest("t", 1, 1, b"r", b"s"),
        snapshot_digest("u", 1, 1, b"r", b"s"),
        snapshot_digest("t", 2, 1, b"r", b"s"),
        snapshot_digest("t", 1, 2, b"r", b"s"),
        snapshot_digest("t", 1, 1, b"q", b"s"),
        snapshot_digest("t", 1, 1, b"r", b"t"),
        snapshot_digest("t", 1, 1, b"rs", b""),
    }
    assert len(digests) == 7
