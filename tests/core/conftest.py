"""Fixtures of the core's tests: the package's own rule books, each read once."""

from __future__ import annotations

import pytest

from taisai.audit import recount
from taisai.books import Shelf, open_shelf
from taisai.core.rulebook import Layout, RuleBook
from tests.core.samples import LAYOUT_NAMES, quick_pays


@pytest.fixture(scope="session")
def shelf() -> Shelf:
    """The package's own books and no others."""
    return open_shelf(environment={})


@pytest.fixture(scope="session")
def tai_sai(shelf: Shelf) -> RuleBook:
    """The one book with a differential and pro rata."""
    return shelf.book("rws-tai-sai-v6")


@pytest.fixture
def quick_recount(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second count as it is, but each cell of its tables is worked out only once."""
    monkeypatch.setattr(recount, "pays", quick_pays)


@pytest.fixture(scope="session", params=LAYOUT_NAMES)
def layout(request: pytest.FixtureRequest, shelf: Shelf) -> Layout:
    """Each layout of each book in turn."""
    return shelf.layout(str(request.param))
