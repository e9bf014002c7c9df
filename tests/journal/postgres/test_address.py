"""The address of a journal on PostgreSQL."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from taisai.journal import (
    JournalUnreachable,
    open_journal,
)
from taisai.journal.postgres.address import read_address

pytestmark = pytest.mark.postgres


def test_an_address_is_parsed() -> None:
    """Schema and key are taisai's own options, the rest is PostgreSQL's, and the password is shown nowhere."""
    read = read_address("postgres://ann:s%40cret@db.example:6432/floor?schema=pit_2&sslmode=require&key=/keys/pit.key")
    assert read.dsn == "postgresql://ann:s%40cret@db.example:6432/floor?sslmode=require"
    assert (read.schema, read.key) == ("pit_2", Path("/keys/pit.key"))
    assert read.shown == "postgresql://ann@db.example:6432/floor (schema pit_2)"
    plain = read_address("postgresql:///floor")
    assert (plain.dsn, plain.shown, plain.schema, plain.key) == (
        "postgresql:///floor",
        "postgresql:///floor",
        "taisai",
        None,
    )
    for shown in (repr(read), read_address("postgresql://ann@/floor?password=s%40cret&host=/run").shown):
        assert "cret" not in shown


@pytest.mark.parametrize(
    ("tail", "words"),
    [
        ("?schema=Floor", "schema='Floor' .* lower-case letters"),
        ("?schema=pg_floor", "no pg_ in front"),
        ("?schema=", "is not a valid name for a journal's schema"),
        ("?key=/keys/house.pem", r"must name a file that ends in \.key"),
        ("?key=/keys/.key", r"must name a file that ends in \.key"),
        ("?nonsense", "cannot be read: write postgresql://"),
        ("?sslmode=sometimes", "has an option that cannot be used"),
    ],
)
def test_a_wrong_address(tail: str, words: str) -> None:
    """An invalid address is refused with the reason, and without its password."""
    password = "hush-hush"
    with pytest.raises(JournalUnreachable, match=words) as refused:
        open_journal(f"postgresql://ann:{password}@localhost/floor{tail}")
    assert password not in "".join(traceback.format_exception(refused.value))
