"""The tree of a journal: its tiles in a key-value store, its signed heads, and proofs from both.

Enters: the hashes of records in the order of their commits. Leaves: roots, inclusion and consistency proofs, signed
heads. The tree follows the journal: appending a record costs nothing here, and what was not logged yet when a process
died is logged by the next one. The content of an entry follows from the records alone, so two nodes that extend the
tree at once write the same.

    log/size                   how many records the tiles hold
    log/tile/<level>/<index>   up to 256 hashes of 32 bytes: of records at level 0, of 256 of those at level 1, ...
    log/newest                 the newest signed checkpoint (C2SP), with the cosignatures of witnesses
    log/head/<size>            every signed checkpoint
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from taisai.journal.log import merkle
from taisai.journal.log.merkle import HASH_BYTES, TILE_WIDTH
from taisai.journal.log.note import Checkpoint, Note, Signer

SIZE: Final = "log/size"
NEWEST: Final = "log/newest"
TILE: Final = "log/tile/"
HEAD: Final = "log/head/"
_DIGITS: Final = 16


class LogDamaged(Exception):
    """What is kept of the log does not fit together; the text says where."""


class LogBehind(Exception):
    """A head would not extend the one that is known: the journal has been cut back or rewritten."""


class Entries(Protocol):
    """A key-value store: the journal's own, or a dictionary in tests."""

    def entries(self, prefix: str = "") -> Mapping[str, bytes]:
        """The entries whose names begin so, sorted by name."""
        ...

    def put_all(self, entries: Mapping[str, bytes | None]) -> None:
        """Write entries in one commit; None deletes one."""
        ...


def tile_name(level: int, index: int) -> str:
    """The name of a tile; all are of one length, so that a name is the beginning of no other."""
    return f"{TILE}{level}/{index:0{_DIGITS}x}"


def head_name(size: int) -> str:
    """The name of a head."""
    return f"{HEAD}{size:0{_DIGITS}x}"


class Tree:
    """The Merkle tree over a journal's records."""

    def __init__(self, store: Entries) -> None:
        self._store = store
        self._cached: dict[str, bytes] = {}
        self.size = self._stored_size()
        self._frontier = merkle.Frontier.at(self, self.size)

    def _stored_size(self) -> int:
        size = int(self._store.entries(SIZE).get(SIZE, b"0"))
        last, rest = divmod(size, TILE_WIDTH)
        if rest and len(self._tile(0, last)) != rest * HASH_BYTES:
            raise LogDamaged(
                f"the last tile should hold {rest} hashes and holds {len(self._tile(0, last)) // HASH_BYTES}"
            )
        return size

    def _tile(self, level: int, index: int) -> bytes:
        name = tile_name(level, index)
        found = self._cached.get(name)
        if found is None:
            found = self._store.entries(name).get(name, b"")
            if len(found) == TILE_WIDTH * HASH_BYTES:
                self._keep(name, found)
        return found

    def _keep(self, name: str, tile: bytes) -> None:
        """Full tiles never change: some of them are kept at hand."""
        if len(self._cached) >= TILES_CACHED:
            self._cached.pop(next(iter(self._cached)))
        self._cached[name] = tile

    def hashes(self, level: int, start: int, count: int) -> Sequence[bytes]:
        """The roots of complete subtrees of 256^`level` leaves."""
        found: list[bytes] = []
        while len(found) < count:
            index, offset = divmod(start + len(found), TILE_WIDTH)
            tile = self._tile(level, index)
            part = tile[offset * HASH_BYTES : (offset + count - len(found)) * HASH_BYTES]
            if not part:
                raise LogDamaged(f"tile {index} of level {level} is too short")
            found += [part[at : at + HASH_BYTES] for at in range(0, len(part), HASH_BYTES)]
        return found

    def extend(self, leaves: Sequence[bytes]) -> None:
        """Add the hashes of more records, in order, in one commit."""
        changed: dict[str, bytes | None] = {SIZE: str(self.size + len(leaves)).encode()}
        level, row = 0, list(leaves)
        count = self.size
        while row:
            index, offset = divmod(count, TILE_WIDTH)
            whole = self._tile(level, index)[: offset * HASH_BYTES] + b"".join(row)
            size = TILE_WIDTH * HASH_BYTES
            tiles = [whole[at : at + size] for at in range(0, len(whole), size)]
            for place, tile in enumerate(tiles):
                changed[tile_name(level, index + place)] = tile
            full = [tile for tile in tiles if len(tile) == size]
            row = [merkle.fold([tile[at : at + HASH_BYTES] for at in range(0, size, HASH_BYTES)]) for tile in full]
            level, count = level + 1, index
        self._store.put_all(changed)
        self._frontier.extend(leaves)
        self.size += len(leaves)

    # ------------------------------------------------------------------ roots and proofs

    def root(self, size: int | None = None) -> bytes:
        """The root, now or at an earlier size."""
        return self._frontier.root() if size in (None, self.size) else merkle.root(self, size or 0)

    def leaf(self, index: int) -> bytes:
        """The hash of a record, by its place from 0."""
        return self.hashes(0, index, 1)[0]

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """The proof that a record is in the tree of a size."""
        return merkle.inclusion_proof(self, index, size)

    def consistency(self, older: int, newer: int) -> list[bytes]:
        """The proof that one tree extends the other."""
        return merkle.consistency_proof(self, older, newer) if older else []

    # ------------------------------------------------------------------ heads

    def head(self) -> Note | None:
        """The newest signed head."""
        found = self._store.entries(NEWEST).get(NEWEST)
        return None if found is None else Note.read(found.decode())

    def heads(self) -> list[Note]:
        """All signed heads, oldest first."""
        return [Note.read(value.decode()) for _, value in sorted(self._store.entries(HEAD).items())]

    def sign(self, signer: Signer, known: Checkpoint | None = None) -> Note:
        """Sign the tree as it is; `LogBehind` when it does not extend the newest head, or one known from elsewhere."""
        last = self.head()
        for each in (known, None if last is None else Checkpoint.read(last.text)):
            if each is not None:
                self.check_extends(each)
        text = str(Checkpoint(signer.verifier.name, self.size, self.root()))
        if last is not None and last.text == text:
            return last
        note = Note(text, (signer.sign(text),))
        self.keep_head(note)
        return note

    def check_extends(self, known: Checkpoint) -> None:
        """That the tree extends a head; `LogBehind` when it does not."""
        if known.size > self.size:
            raise LogBehind(
                f"a head of {known.size} records is known, and the journal has {self.size}: it was cut back"
            )
        if self.root(known.size) != known.root:
            raise LogBehind(f"the first {known.size} records are not those of the head that is known: they changed")

    def keep_head(self, note: Note) -> None:
        """Keep a head, with whatever signatures it has."""
        size, newest, written = Checkpoint.read(note.text).size, self.head(), str(note).encode()
        kept: dict[str, bytes | None] = {head_name(size): written}
        if newest is None or Checkpoint.read(newest.text).size <= size:
            kept[NEWEST] = written
        self._store.put_all(kept)


TILES_CACHED: Final = 64
"""Full tiles that are kept at hand: 512 kB at most."""
