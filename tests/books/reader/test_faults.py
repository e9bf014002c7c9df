"""Faults in words, and the refusal that holds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.books import BookFault, BookRefused, open_shelf
from tests.books.helpers import write_book


def test_a_fault_reads_as_one_line() -> None:
    """A fault prints its file, line, row and reason, as far as it has them."""
    assert str(BookFault("a.toml", 3, "pay row 1", "wrong")) == "a.toml:3: pay row 1: wrong"
    assert str(BookFault("a.toml", None, "", "wrong")) == "a.toml: wrong"


def test_a_refusal_counts_its_faults(tmp_path: Path) -> None:
    """The message of a refusal is its first fault and the number of the others."""
    folder = write_book(tmp_path / "mini", {"book.toml": ""})
    with pytest.raises(BookRefused, match=r"^rule book mini refused: book\.toml: missing key `title` \(and 6 more\)$"):
        open_shelf([folder], environment={}).book("mini")
