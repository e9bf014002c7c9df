"""Merkle trees as RFC 9162 §2.1 defines them: roots, inclusion proofs, consistency proofs.

Enters: leaves in order, or the hashes of complete subtrees that a store keeps. Leaves: roots and proofs, and whether a
proof holds. A store keeps the leaves and, for each complete run of 256 of them, the run's root, and so on upwards
(the tiles of C2SP tlog-tiles): a proof among 10^7 leaves reads a few short runs and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final, Protocol

HASH_BYTES: Final = 32
TILE_HEIGHT: Final = 8
"""Levels of the tree in one tile: a store keeps every eighth level."""
TILE_WIDTH: Final = 1 << TILE_HEIGHT
EMPTY_ROOT: Final = sha256(b"").digest()


class BadProof(ValueError):
    """A proof that does not show what it should."""


class Tiles(Protocol):
    """Where the hashes of complete subtrees are kept."""

    def hashes(self, level: int, start: int, count: int) -> Sequence[bytes]:
        """The roots of `count` complete subtrees of 256^`level` leaves each, from the `start`-th on."""
        ...


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node over its two halves."""
    return sha256(b"\x01" + left + right).digest()


def fold(hashes: Sequence[bytes]) -> bytes:
    """The root over hashes that stand side by side: any number of subtrees of one size."""
    if not hashes:
        return EMPTY_ROOT
    row = list(hashes)
    while len(row) > 1:
        pairs = [node_hash(row[place], row[place + 1]) for place in range(0, len(row) - 1, 2)]
        row = [*pairs, row[-1]] if len(row) % 2 else pairs
    return row[0]


class Frontier:
    """The right edge of a growing tree: what is needed to append leaves and to know the root, and no more."""

    __slots__ = ("_peaks", "rows", "size")

    def __init__(self) -> None:
        self.size = 0
        self.rows: dict[int, list[bytes]] | None = None
        """If a dictionary is put here: what tiles keep of the leaves that are appended, by level."""
        self._peaks: list[bytes] = []
        """The roots of the complete subtrees that the tree is made of, largest first."""

    @classmethod
    def of(cls, size: int, peaks: Sequence[bytes]) -> Frontier:
        """An edge as `size` and `peaks` told it before."""
        if len(peaks) != size.bit_count():
            raise ValueError(f"a tree of {size} leaves has {size.bit_count()} complete subtrees, not {len(peaks)}")
        made = cls()
        made.size, made._peaks = size, list(peaks)
        return made

    @property
    def peaks(self) -> tuple[bytes, ...]:
        """The roots of the complete subtrees, largest first."""
        return tuple(self._peaks)

    @classmethod
    def at(cls, tiles: Tiles, size: int) -> Frontier:
        """The right edge of a stored tree at a size."""
        made = cls()
        made.size = size
        start = 0
        for level in range(size.bit_length() - 1, -1, -1):
            if size >> level & 1:
                made._peaks.append(subtree(tiles, start, start + (1 << level)))
                start += 1 << level
        return made

    def append(self, leaf: bytes) -> None:
        """Add the hash of one more leaf."""
        done, rows, height = self.size, self.rows, 0
        if rows is not None:
            rows.setdefault(0, []).append(leaf)
        while done & 1:
            leaf = node_hash(self._peaks.pop(), leaf)
            done >>= 1
            height += 1
            if rows is not None and height % TILE_HEIGHT == 0:
                rows.setdefault(height // TILE_HEIGHT, []).append(leaf)
        self._peaks.append(leaf)
        self.size += 1

    def extend(self, leaves: Iterable[bytes]) -> None:
        """Add the hashes of more leaves, in order."""
        for leaf in leaves:
            self.append(leaf)

    def root(self) -> bytes:
        """The root of the tree as it is."""
        if not self._peaks:
            return EMPTY_ROOT
        root = self._peaks[-1]
        for peak in reversed(self._peaks[:-1]):
            root = node_hash(peak, root)
        return root


def subtree(tiles: Tiles, start: int, end: int) -> bytes:
    """The root over the leaves from `start` up to `end`, where `start` is a multiple of the range's size rounded up."""
    count = end - start
    if count == 0:
        return EMPTY_ROOT
    height = (count - 1).bit_length()
    if count == 1 << height:
        level = height // TILE_HEIGHT
        wide = TILE_HEIGHT * level
        return fold(tiles.hashes(level, start >> wide, count >> wide))
    split = 1 << (height - 1)
    return node_hash(subtree(tiles, start, start + split), subtree(tiles, start + split, end))


def root(tiles: Tiles, size: int) -> bytes:
    """The root of a stored tree at a size."""
    return subtree(tiles, 0, size)


def inclusion_proof(tiles: Tiles, index: int, size: int) -> list[bytes]:
    """The hashes which show that leaf `index` is in the tree of `size` leaves (RFC 9162 §2.1.3.1)."""
    if not 0 <= index < size:
        raise IndexError(f"a tree of {size} leaves has no leaf {index}")
    path: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        split = start + (1 << ((end - start - 1).bit_length() - 1))
        if index < split:
            path.append(subtree(tiles, split, end))
            end = split
        else:
            path.append(subtree(tiles, start, split))
            start = split
    return path[::-1]


def consistency_proof(tiles: Tiles, older: int, newer: int) -> list[bytes]:
    """The hashes which show that the tree of `newer` leaves extends the one of `older` (RFC 9162 §2.1.4.1)."""
    if not 0 < older <= newer:
        raise IndexError(f"a tree of {newer} leaves does not extend one of {older}")
    path: list[bytes] = []
    start, end, whole = 0, newer, True
    while older != end:
        split = start + (1 << ((end - start - 1).bit_length() - 1))
        if older <= split:
            path.append(subtree(tiles, split, end))
            end = split
        else:
            path.append(subtree(tiles, start, split))
            start, whole = split, False
    if not whole:
        path.append(subtree(tiles, start, end))
    return path[::-1]


def root_from_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """The root that a leaf's inclusion proof leads to (RFC 9162 §2.1.3.2); `BadProof` when it leads nowhere."""
    if not 0 <= index < size:
        raise BadProof(f"a tree of {size} leaves has no leaf {index}")
    place, last, found = index, size - 1, leaf
    for step in path:
        if last == 0:
            raise BadProof("the proof is too long")
        if place & 1 or place == last:
            found = node_hash(step, found)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            found = node_hash(found, step)
        place, last = place >> 1, last >> 1
    if last:
        raise BadProof("the proof is too short")
    return found


def check_consistency(older: int, older_root: bytes, newer: int, newer_root: bytes, path: Sequence[bytes]) -> None:
    """That one tree extends the other (RFC 9162 §2.1.4.2); `BadProof` when the proof does not show it."""
    if not 0 <= older <= newer:
        raise BadProof(f"a tree of {newer} leaves cannot extend one of {older}")
    if older in (0, newer):
        expected = EMPTY_ROOT if older == 0 else newer_root
        if path or older_root != expected:
            raise BadProof("the roots of one size differ, or the proof is not empty")
        return
    steps = list(path)
    if older & (older - 1) == 0:
        steps.insert(0, older_root)
    if not steps:
        raise BadProof("the proof is too short")
    place, last = older - 1, newer - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old = new = steps[0]
    for step in steps[1:]:
        if last == 0:
            raise BadProof("the proof is too long")
        if place & 1 or place == last:
            old, new = node_hash(step, old), node_hash(step, new)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            new = node_hash(new, step)
        place, last = place >> 1, last >> 1
    if last or old != older_root or new != newer_root:
        raise BadProof("the newer tree does not extend the older one")
