"""Answers that come late: a page's requests in the test's hand.

Enters: a page, an address. Leaves: requests that wait until the test lets them go, in whatever order it likes.
"""

from __future__ import annotations

import re
from time import monotonic
from typing import Any

from playwright.sync_api import Page, Route

from tests.browser.conftest import WAIT_MS


class Late:
    """Requests that are held back until the test lets them go."""

    def __init__(self, page: Page, url: str | re.Pattern[str], *, times: int | None = None) -> None:
        self._page = page
        self.held: list[Route] = []
        page.route(url, self._hold, times=times)

    def _hold(self, route: Route) -> None:
        self.held.append(route)

    def wait(self) -> Route:
        """The oldest that is held; it is waited for."""
        until = monotonic() + WAIT_MS / 1000
        while not self.held and monotonic() < until:
            settle(self._page)
        return self.held.pop(0)

    def answer(self, route: Route, **answer: Any) -> None:
        """Let one go, to the house or with this answer, and let the page deal with it."""
        with self._page.expect_response(lambda response: response.request == route.request):
            if answer:
                route.fulfill(**answer)
            else:
                route.continue_()
        settle(self._page)


def settle(page: Page) -> None:
    """Let the page deal with everything that has come: a question of its own is answered after it."""
    page.evaluate("fetch('/api/me').then((answer) => answer.json()).then(() => new Promise((go) => setTimeout(go)))")
