"""How tests of the screens open pages, and how long they wait.

Enters: nothing. Leaves: `Visit`, the type of the fixture `visit`, and one timeout for every expectation.
"""

from __future__ import annotations

from typing import Any, Protocol

from playwright.sync_api import Page, expect

WAIT_MS = 20_000

expect.set_options(timeout=WAIT_MS)


class Visit(Protocol):
    """Opens a page in a browser context of its own."""

    def __call__(self, path: str, *, at: str = "", **options: Any) -> Page:
        """Open an address of the floor, or of a wire to it."""
