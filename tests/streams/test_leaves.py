"""Leaves: every player's part of a record stands apart, hidden from the others, and the leaf never changes."""

from __future__ import annotations

import hmac
from itertools import islice
from typing import get_args

import msgspec
import pytest

from taisai.books import open_shelf
from taisai.journal import MemoryJournal, Record
from taisai.journal.log.merkle import fold, leaf_hash
from taisai.streams.codec import KIND_OF
from taisai.streams.leaves import SHARED, hashes_of, leaf_of, part_leaf, part_salt
from taisai.table import events as e
from tests.audit.bot import Bot, deal
from tests.streams.keeper import TableKeeper

SALT = bytes(range(32))


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """Some rounds of a table with trouble."""
    shelf = open_shelf(environment={})
    journal = MemoryJournal()
    keeper = TableKeeper(journal, shelf.book, "T1")
    for _ in islice(deal(keeper, Bot(shelf.book("rws-tai-sai-v6"), "C", 3, trouble=0.2)), 600):
        pass
    return list(journal.read_all())


def test_a_leaf_commits_to_every_part(records: list[Record]) -> None:
    """The leaf's root is that of its salted parts; the header says where the record stands."""
    for record in records:
        leaf = leaf_of(record, SALT)
        *header, count, root = msgspec.msgpack.decode(leaf.data)
        assert header == [2, record.table, record.seq, record.position, record.kind, record.version, record.at]
        assert (count, root) == (len(leaf.parts), fold(leaf.commitments))
        assert leaf.hash == leaf_hash(leaf.data)
        assert leaf.salts == tuple(part_salt(SALT, record.position, number) for number in range(count))


def test_each_player_has_a_part_of_their_own(records: list[Record]) -> None:
    """At the close, at the collection and in a void a player's part names them and nobody else."""
    seen = set()
    for record in records:
        leaf = leaf_of(record, SALT)
        assert (len(leaf.parts) > 1) <= (record.kind in SHARED)
        owners = [part.owner for part in leaf.parts]
        assert owners[0] == ""
        assert len(set(owners)) == len(owners)
        for part in leaf.parts[1:]:
            seen.add(record.kind)
            player, said = msgspec.msgpack.decode(part.content)
            assert player == part.owner
            others = {owner for owner in owners[1:] if owner != part.owner}
            assert not any(f'"{other}"'.encode() in said for other in others)
    assert seen >= {"bets-closed", "losers-collected", "round-voided"}


def test_a_part_tells_nothing_without_its_salt(records: list[Record]) -> None:
    """The same content behind another salt has another commitment, and so has every record."""
    leaf = leaf_of(records[0], SALT)
    other = leaf_of(records[0], bytes(32))
    assert leaf.parts == other.parts
    assert leaf.hash != other.hash
    assert part_leaf(leaf.salts[0], b"x") != part_leaf(other.salts[0], b"x")
    assert len({leaf_of(record, SALT).hash for record in records}) == len(records)


def test_shared_events_name_fields_that_exist() -> None:
    """Every event with lines of several players is listed, by the field that holds them."""
    classes = {KIND_OF[each]: each for each in get_args(e.EventBody)}
    lists = {
        kind: field
        for kind, each in classes.items()
        for field in ("bets", "losses", "lines", "leaving")
        if field in each.__struct_fields__
    }
    assert lists.items() <= SHARED.items()
    assert all(field in classes[kind].__struct_fields__ for kind, field in SHARED.items())


def test_many_leaves_are_hashed_as_each_one_is(records: list[Record]) -> None:
    """The quick loop over rows gives what the leaf of each record gives, shared records included."""
    rows = [msgspec.structs.astuple(record) for record in records]
    assert hashes_of(rows, SALT) == [leaf_of(record, SALT).hash for record in records]
    assert any(len(leaf_of(record, SALT).parts) > 1 for record in records)
    assert part_salt(SALT, 7, 1) == hmac.digest(SALT, msgspec.msgpack.encode((7, 1)), "sha256")[:16]
