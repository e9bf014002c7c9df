"""Two readings of the same clauses agree."""

from __future__ import annotations

import pytest

from taisai.audit.procedure.reading import READINGS, reading_of, told_by
from taisai.books import Shelf


@pytest.mark.parametrize("book", sorted(READINGS))
def test_the_second_reading_agrees_with_the_data(shelf: Shelf, book: str) -> None:
    """What is typed in from the clauses is what the data of the book says."""
    assert reading_of(shelf.book(book)) is READINGS[book]
    assert told_by(shelf.book(book)) == READINGS[book]
