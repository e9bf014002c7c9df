"""The tree of a journal: kept in tiles, extended at any pace, signed only when it extends what is known."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from taisai.journal.log import merkle
from taisai.journal.log.merkle import check_consistency, leaf_hash, root_from_inclusion
from taisai.journal.log.note import COSIGNATURE, Checkpoint, Note, Signer
from taisai.journal.log.tree import COSIGNED, TILE, LogBehind, LogDamaged, Tree, number_of, tile_name

HOUSE = Signer("casino.example/floor", Ed25519PrivateKey.from_private_bytes(bytes(32)))


class Dictionary:
    """A key-value store in memory that counts its commits."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.commits = 0

    def get(self, key: str) -> bytes | None:
        """The value under a name."""
        return self.kept.get(key)

    def entries(self, prefix: str = "", *, after: str = "", count: int | None = None) -> Mapping[str, bytes]:
        """The entries whose names begin so."""
        found = ((name, value) for name, value in sorted(self.kept.items()) if name.startswith(prefix) and name > after)
        return dict(islice(found, count))

    def put_all(self, entries: Mapping[str, bytes | None], when: Mapping[str, bytes | None] | None = None) -> bool:
        """Write entries in one commit, if others are as expected."""
        if any(self.kept.get(name) != value for name, value in (when or {}).items()):
            return False
        self.commits += 1
        for name, value in entries.items():
            if value is None:
                self.kept.pop(name, None)
            else:
                self.kept[name] = value
        return True


def leaves(count: int, start: int = 0) -> list[bytes]:
    """Hashes of so many records."""
    return [leaf_hash(str(number).encode()) for number in range(start, start + count)]


@given(st.lists(st.integers(0, 600), max_size=6))
def test_the_pace_does_not_matter(runs: list[int]) -> None:
    """However the records arrive, the tree is that of all of them; opened again it goes on where it was."""
    store = Dictionary()
    tree = Tree(store)
    for count in runs:
        tree.extend(leaves(count, tree.size))
        again = Tree(store)
        assert (again.size, again.root()) == (tree.size, tree.root())
        tree = again
    frontier = merkle.Frontier()
    frontier.extend(leaves(sum(runs)))
    assert (tree.size, tree.root()) == (sum(runs), frontier.root())


def test_records_are_proven_from_the_tiles() -> None:
    """Inclusion and consistency hold at every size that was signed, and each extension is one commit."""
    store = Dictionary()
    tree = Tree(store)
    heads = []
    for count in (1, 3, 252, 1, 300, 66_000):
        before = store.commits
        tree.extend(leaves(count, tree.size))
        assert store.commits == before + 1
        heads.append(Checkpoint.read(tree.keep_head(tree.sign(HOUSE)).text))
    last = heads[-1]
    for head in heads:
        check_consistency(head.size, head.root, last.size, last.root, tree.consistency(head.size, last.size))
        for index in {0, head.size // 2, head.size - 1}:
            proof = tree.inclusion(index, head.size)
            assert root_from_inclusion(tree.leaf(index), index, head.size, proof) == head.root
    assert [Checkpoint.read(note.text) for note in tree.heads()] == heads


def test_a_journal_that_was_cut_back_is_not_signed() -> None:
    """A tree that is shorter than the head that is known, or another one, is refused."""
    tree = Tree(Dictionary())
    tree.extend(leaves(300))
    known = Checkpoint.read(tree.sign(HOUSE).text)
    shorter, other = Tree(Dictionary()), Tree(Dictionary())
    shorter.extend(leaves(299))
    other.extend([*leaves(299), *leaves(5, 9_000)])
    with pytest.raises(LogBehind, match="cut back"):
        shorter.sign(HOUSE, [known])
    with pytest.raises(LogBehind, match="they changed"):
        other.sign(HOUSE, [known])
    assert shorter.head() is other.head() is None


def test_the_same_tree_is_signed_once() -> None:
    """Nothing new is no new head."""
    tree = Tree(Dictionary())
    tree.extend(leaves(3))
    assert tree.keep_head(tree.sign(HOUSE)) == tree.keep_head(tree.sign(HOUSE))
    assert len(list(tree.heads())) == 1
    assert Tree(Dictionary()).head() is None


def test_missing_tiles_are_noticed() -> None:
    """A tile that is gone, or too short, is damage and not a shorter log."""
    store = Dictionary()
    tree = Tree(store)
    tree.extend(leaves(600))
    first, last = store.kept.pop(tile_name(0, 0)), store.kept[tile_name(0, 2)]
    with pytest.raises(LogDamaged, match="too short"):
        Tree(store).inclusion(5, 600)
    store.kept[tile_name(0, 0)] = first
    store.kept[tile_name(0, 2)] = last[:64]
    with pytest.raises(LogDamaged, match="should hold 88 hashes and holds 2"):
        Tree(store)


def test_two_nodes_extend_one_tree() -> None:
    """Of two that extend the tree at once, the slower one reads what the quicker one wrote, and goes on from there."""
    store = Dictionary()
    one, two = Tree(store), Tree(store)
    assert one.extend(leaves(300))
    assert not two.extend(leaves(200))
    assert (two.size, two.root()) == (300, one.root())
    assert two.extend(leaves(100, 300))
    one.reload()
    assert (one.size, one.root()) == (400, two.root())


def test_a_head_gathers_signatures() -> None:
    """Cosignatures that come later join the head; a head of another text at the same size replaces nothing newer."""
    tree = Tree(Dictionary())
    tree.extend(leaves(10))
    head = tree.keep_head(tree.sign(HOUSE))
    signatures = [
        Signer(f"w{number}.example", Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32), COSIGNATURE).sign(
            head.text, number
        )
        for number in (1, 2)
    ]
    assert tree.head(COSIGNED) is None
    tree.keep_head(Note(head.text, tuple(signatures[:1])))
    kept = tree.keep_head(Note(head.text, tuple(signatures[1:])), cosigned=True)
    assert [each.name for each in kept.signatures] == ["casino.example/floor", "w1.example", "w2.example"]
    assert tree.head() == tree.head(COSIGNED) == tree.head_of(10) == kept
    tree.extend(leaves(5, 10))
    newer = tree.keep_head(tree.sign(HOUSE))
    assert (tree.head(), tree.head(COSIGNED)) == (newer, kept)
    assert list(tree.heads(after=10)) == [newer]


def test_tiles_are_built_again() -> None:
    """Tiles follow from the records: forgotten ones are built again, and the heads still hold."""
    store = Dictionary()
    tree = Tree(store)
    tree.extend(leaves(700))
    head = tree.keep_head(tree.sign(HOUSE))
    tree.clear()
    assert (tree.size, [name for name in store.kept if name.startswith(TILE)]) == (0, [])
    tree.extend(leaves(800))
    assert tree.sign(HOUSE, [Checkpoint.read(head.text)])


def test_heads_are_numbered() -> None:
    """Each head says its number; of two nodes that sign at once, the slower one signs again."""
    tree = Tree(Dictionary())
    for number in (1, 2, 3):
        tree.extend(leaves(2, tree.size))
        note = tree.sign(HOUSE)
        assert number_of(Checkpoint.read(note.text)) == number
        assert tree.keep_next(note)
        assert tree.keep_next(note)
    last = tree.sign(HOUSE)
    assert not tree.keep_next(Note(last.text.replace("head 3", "head 2"), last.signatures))
    assert tree.head() == last
    assert number_of(Checkpoint("a", 1, bytes(32), ("head x", "other"))) == 0
