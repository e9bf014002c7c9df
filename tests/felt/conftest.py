"""Fixtures of the felt's tests: every layout of the package's own books."""

from __future__ import annotations

import pytest

from taisai.books import Shelf, open_shelf
from taisai.core.rulebook import Layout
from tests.felt.reading import LAYOUT_NAMES


@pytest.fixture(scope="session")
def shelf() -> Shelf:
    """The package's own books and no others."""
    return open_shelf(environment={})


@pytest.fixture(scope="session", params=LAYOUT_NAMES)
def layout(request: pytest.FixtureRequest, shelf: Shelf) -> Layout:
    """Each layout of each book in turn."""
    return shelf.layout(str(request.param))
