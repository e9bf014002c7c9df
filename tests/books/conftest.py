"""Fixtures of the books' tests."""

from __future__ import annotations

import pytest

from taisai.books import Shelf, open_shelf
from taisai.core.rulebook import RuleBook


@pytest.fixture(scope="session")
def shelf() -> Shelf:
    """The package's own books and no others."""
    return open_shelf(environment={})


@pytest.fixture(scope="session")
def tai_sai(shelf: Shelf) -> RuleBook:
    """The book with the most clauses."""
    return shelf.book("rws-tai-sai-v6")
