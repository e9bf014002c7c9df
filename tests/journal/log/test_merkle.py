"""Merkle trees: published roots, and every proof of every small tree, right and wrong."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import pytest

from taisai.journal.log import merkle
from taisai.journal.log.merkle import BadProof, Frontier, leaf_hash

LEAVES = ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
ROOTS = (
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
"""The roots of the first 0 to 8 of these leaves, as the test vectors of Certificate Transparency have them."""


class Kept:
    """The tiles of a tree that is kept whole."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self.levels = [list(leaves)]
        while len(self.levels[-1]) >= merkle.TILE_WIDTH:
            row = self.levels[-1]
            whole = range(0, len(row) - merkle.TILE_WIDTH + 1, merkle.TILE_WIDTH)
            self.levels.append([merkle.fold(row[start : start + merkle.TILE_WIDTH]) for start in whole])
        self.read = 0

    def hashes(self, level: int, start: int, count: int) -> Sequence[bytes]:
        """As a store gives them."""
        found = self.levels[level][start : start + count]
        assert len(found) == count, "a subtree that is not complete was asked for"
        self.read += count
        return found


def some(count: int) -> list[bytes]:
    """Hashes of so many leaves."""
    return [leaf_hash(str(number).encode()) for number in range(count)]


@pytest.mark.parametrize("size", range(9))
def test_the_roots_of_certificate_transparency(size: int) -> None:
    """The first leaves have the published roots, stored or appended."""
    leaves = [leaf_hash(bytes.fromhex(leaf)) for leaf in LEAVES[:size]]
    frontier = Frontier()
    frontier.extend(leaves)
    assert frontier.root().hex() == merkle.root(Kept(leaves), size).hex() == ROOTS[size]


def test_an_edge_tells_what_tiles_keep() -> None:
    """By level, from wherever the edge begins: an audit compares every tile with what the records lead to."""
    kept = Kept(some(1_000))
    frontier = Frontier.at(kept, 300)
    frontier.rows = {}
    frontier.extend(kept.hashes(0, 300, 700))
    assert frontier.rows == {0: list(kept.hashes(0, 300, 700)), 1: list(kept.hashes(1, 1, 2))}
    assert frontier.root() == merkle.root(kept, 1_000)


def test_every_inclusion_in_every_small_tree() -> None:
    """Each leaf of each tree up to 70 leaves is shown to be there, and no other leaf in its place."""
    kept = Kept(some(70))
    for size in range(1, 71):
        root = merkle.root(kept, size)
        for index in range(size):
            path = merkle.inclusion_proof(kept, index, size)
            leaf = kept.levels[0][index]
            assert merkle.root_from_inclusion(leaf, index, size, path) == root
            assert merkle.root_from_inclusion(leaf_hash(b"x"), index, size, path) != root
            wrong = (index + 1) % size
            if wrong != index:
                assert _root_or_none(leaf, wrong, size, path) != root


def _root_or_none(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    try:
        return merkle.root_from_inclusion(leaf, index, size, path)
    except BadProof:
        return None


def test_every_consistency_of_small_trees() -> None:
    """Every tree up to 70 leaves extends every smaller one; a proof with one hash changed, missing or more does not."""
    kept = Kept(some(70))
    roots = [merkle.root(kept, size) for size in range(71)]
    for newer in range(1, 71):
        for older in range(1, newer + 1):
            path = merkle.consistency_proof(kept, older, newer)
            merkle.check_consistency(older, roots[older], newer, roots[newer], path)
            for forged in (path[:-1], [*path, roots[0]], [roots[0], *path[1:]]):
                if forged != path:
                    with pytest.raises(BadProof):
                        merkle.check_consistency(older, roots[older], newer, roots[newer], forged)
            with pytest.raises(BadProof):
                merkle.check_consistency(older, roots[older - 1], newer, roots[newer], path)


def test_nothing_extends_to_anything() -> None:
    """The empty tree is extended by every tree, with an empty proof and its own root alone."""
    kept = Kept(some(5))
    merkle.check_consistency(0, merkle.EMPTY_ROOT, 5, merkle.root(kept, 5), [])
    with pytest.raises(BadProof):
        merkle.check_consistency(0, merkle.root(kept, 5), 5, merkle.root(kept, 5), [])
    with pytest.raises(BadProof):
        merkle.check_consistency(6, merkle.EMPTY_ROOT, 5, merkle.EMPTY_ROOT, [])
    assert sha256().digest() == merkle.EMPTY_ROOT


@pytest.mark.parametrize("size", [255, 256, 257, 511, 513, 65_535, 65_536, 65_537, 70_000])
def test_large_trees_read_few_hashes(size: int) -> None:
    """At the edges of tiles proofs hold as well, and none reads more than a few tiles."""
    kept = Kept(some(size))
    frontier = Frontier.at(kept, size)
    assert frontier.root() == merkle.root(kept, size)
    for index in {0, 1, 255, size // 2, size - 1}:
        if index < size:
            kept.read = 0
            path = merkle.inclusion_proof(kept, index, size)
            assert kept.read < 4 * merkle.TILE_WIDTH
            assert merkle.root_from_inclusion(kept.levels[0][index], index, size, path) == frontier.root()
    for older in {1, 255, 256, size // 3, size - 1}:
        if 0 < older <= size:
            path = merkle.consistency_proof(kept, older, size)
            merkle.check_consistency(older, merkle.root(kept, older), size, frontier.root(), path)


def test_a_frontier_goes_on_where_a_stored_tree_ends() -> None:
    """Appending to the right edge of a stored tree gives the root of the larger one."""
    leaves = some(600)
    for size in (0, 1, 255, 256, 300, 599):
        frontier = Frontier.at(Kept(leaves[:size]), size)
        frontier.extend(leaves[size:])
        assert (frontier.size, frontier.root()) == (600, merkle.root(Kept(leaves), 600))


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_a_leaf_that_is_not_there_has_no_proof(index: int, size: int) -> None:
    """Asking for one is a mistake of the caller; claiming one is a bad proof."""
    with pytest.raises(IndexError):
        merkle.inclusion_proof(Kept(some(3)), index, size)
    with pytest.raises(BadProof):
        merkle.root_from_inclusion(leaf_hash(b""), index, size, [])
    with pytest.raises(IndexError):
        merkle.consistency_proof(Kept(some(3)), 4, 3)
