"""The tree of a journal: its tiles in a key-value store, its signed heads, and proofs from both.

Enters: the hashes of records in the order of their commits. Leaves: roots, inclusion and consistency proofs, signed
heads. The tree follows the journal: appending a record costs nothing here, and what was not logged yet when a process
died is logged by the next one. The content of an entry follows from the records alone, so two nodes that extend the
tree at once write the same.

    log/size                   how many records the tiles hold
    log/tile/<level>/<index>   up to 256 hashes of 32 bytes: of records at level 0, of 256 of those at level 1, ...
    log/newest                 the newest signed checkpoint (C2SP), with the cosignatures of witnesses
    log/cosigned               the newest one with as many cosignatures as the house demands
    log/head/<size>            every signed checkpoint
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

from taisai.journal.contract import JournalError
from taisai.journal.log import merkle
from taisai.journal.log.merkle import HASH_BYTES, TILE_WIDTH
from taisai.journal.log.note import Checkpoint, Note, Signer

SIZE: Final = "log/size"
NEWEST: Final = "log/newest"
COSIGNED: Final = "log/cosigned"
TILE: Final = "log/tile/"
HEAD: Final = "log/head/"
NUMBER: Final = "head "
"""The line of a head that says its number: none can be taken away unnoticed."""
_DIGITS: Final = 16
_PAGE: Final = 1_000
TILES_CACHED: Final = 64
"""Full tiles that are kept at hand: 512 kB at most."""


class LogDamaged(JournalError):
    """What is kept of the log does not fit together; the text says where."""


class LogBehind(JournalError):
    """A head would not extend the one that is known: the journal has been cut back or rewritten."""


class Entries(Protocol):
    """A key-value store: a journal's own, or a dictionary in tests."""

    def get(self, key: str) -> bytes | None:
        """The value under a name."""
        ...

    def entries(self, prefix: str = "", *, after: str = "", count: int | None = None) -> Mapping[str, bytes]:
        """The entries whose names begin so, sorted by name, a page at a time."""
        ...

    def put_all(self, entries: Mapping[str, bytes | None], when: Mapping[str, bytes | None] | None = None) -> bool:
        """Write entries in one commit (None deletes one) if those in `when` are as expected; whether it did."""
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
        self.size = 0
        self._frontier = merkle.Frontier()
        self.reload()

    def reload(self) -> None:
        """Read how far the tree reaches by now: another node may have extended it."""
        size = self._stored_size()
        if size != self.size:
            self.size, self._frontier = size, merkle.Frontier.at(self, size)

    def _stored_size(self) -> int:
        size = int(self._store.get(SIZE) or b"0")
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
            found = self._store.get(name) or b""
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

    def extend(self, leaves: Sequence[bytes]) -> bool:
        """Add the hashes of more records, in order, in one commit; False when another node was quicker."""
        before = str(self.size).encode() if self.size else None
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
        if not leaves:
            return True
        if not self._store.put_all(changed, {SIZE: before}):
            self.reload()
            return False
        self._frontier.extend(leaves)
        self.size += len(leaves)
        return True

    def clear(self) -> None:
        """Forget all tiles, to be built again from the records; the heads stay."""
        while names := self._store.entries(TILE, count=_PAGE):
            self._store.put_all(dict.fromkeys(names))
        self._store.put_all({SIZE: None})
        self._cached.clear()
        self.reload()

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

    def head(self, name: str = NEWEST) -> Note | None:
        """The newest signed head; with `COSIGNED`, the newest that enough witnesses have cosigned."""
        found = self._store.get(name)
        return None if found is None else Note.read(found.decode())

    def head_of(self, size: int) -> Note | None:
        """The head that was signed at a size, if one was."""
        return self.head(head_name(size))

    def heads(self, after: int = 0) -> Iterator[Note]:
        """All signed heads above a size, smallest first."""
        last = head_name(after)
        while page := self._store.entries(HEAD, after=last, count=_PAGE):
            for last, value in page.items():  # noqa: B007 - the next page begins after it
                yield Note.read(value.decode())

    def sign(self, signer: Signer, known: Sequence[Checkpoint] = ()) -> Note:
        """Sign the tree as it is; `LogBehind` when it does not extend the newest head, or one known from elsewhere."""
        last = self.head()
        for each in (*known, *(() if last is None else (Checkpoint.read(last.text),))):
            self.check_extends(each)
        before = [] if last is None else [Checkpoint.read(last.text)]
        if last is not None and before[0].size == self.size and last.signed_by(signer.verifier):
            return last
        number = 1 + max(map(number_of, (*known, *before)), default=0)
        text = str(Checkpoint(signer.verifier.name, self.size, self.root(), (f"{NUMBER}{number}",)))
        return Note(text, (signer.sign(text),))

    def check_extends(self, known: Checkpoint) -> None:
        """That the tree extends a head; `LogBehind` when it does not."""
        if known.size > self.size:
            raise LogBehind(
                f"a head of {known.size} records is known, and the journal has {self.size}: it was cut back"
            )
        if self.root(known.size) != known.root:
            raise LogBehind(f"the first {known.size} records are not those of the head that is known: they changed")

    def keep_next(self, note: Note) -> bool:
        """Keep a head that was just signed; False when another node has signed one meanwhile."""
        newest = self._store.get(NEWEST)
        head, written = Checkpoint.read(note.text), str(note).encode()
        if newest is not None and number_of(Checkpoint.read(Note.read(newest.decode()).text)) >= number_of(head):
            return newest == written
        return self._store.put_all({head_name(head.size): written, NEWEST: written}, {NEWEST: newest})

    def keep_head(self, note: Note, *, cosigned: bool = False) -> Note:
        """Keep a head with whatever signatures it has, beside those that are known already; the head as kept."""
        size = Checkpoint.read(note.text).size
        while True:
            before = self._store.get(head_name(size))
            newest, attested = self._store.get(NEWEST), self._store.get(COSIGNED)
            whole = note
            if before is not None:
                known = Note.read(before.decode())
                whole = known.also(note.signatures) if known.text == note.text else note
            written = str(whole).encode()
            kept: dict[str, bytes | None] = {head_name(size): written}
            if newest is None or _size_of(newest) <= size:
                kept[NEWEST] = written
            if cosigned and (attested is None or _size_of(attested) <= size):
                kept[COSIGNED] = written
            if self._store.put_all(kept, {head_name(size): before, NEWEST: newest, COSIGNED: attested}):
                return whole


def number_of(head: Checkpoint) -> int:
    """The number of a head among those of its log, from 1; 0 when it has none."""
    for line in head.extensions:
        number = line.removeprefix(NUMBER)
        if line.startswith(NUMBER) and number.isascii() and number.isdigit() and len(number) < 16:
            return int(number)
    return 0


def _size_of(head: bytes) -> int:
    return Checkpoint.read(Note.read(head.decode()).text).size
