"""Bad connections: a page's requests and its play socket under the control of the test.

Enters: a page, an address. Leaves: requests and messages that wait until the test releases them, in any order.
"""

from __future__ import annotations

import json
import re
from time import monotonic
from typing import Any

from playwright.sync_api import Page, Route, WebSocketRoute

from tests.browser.visits import WAIT_MS


class Late:
    """Requests that are held back until the test releases them."""

    def __init__(self, page: Page, url: str | re.Pattern[str], *, times: int | None = None) -> None:
        self._page = page
        self.held: list[Route] = []
        page.route(url, self._hold, times=times)

    def _hold(self, route: Route) -> None:
        self.held.append(route)

    def wait(self) -> Route:
        """Wait for a held request; returns the oldest."""
        until = monotonic() + WAIT_MS / 1000
        while not self.held and monotonic() < until:
            settle(self._page)
        return self.held.pop(0)

    def answer(self, route: Route, **answer: Any) -> None:
        """Release a request to the server, or answer it with this, and let the page handle the answer."""
        with self._page.expect_response(lambda response: response.request == route.request):
            if answer:
                route.fulfill(**answer)
            else:
                route.continue_()
        settle(self._page)


def settle(page: Page) -> None:
    """Let the page handle everything that has arrived: a request of its own is answered after it."""
    page.evaluate("fetch('/api/me').then((answer) => answer.json()).then(() => new Promise((go) => setTimeout(go)))")


class PlaySocket:
    """The play socket of a page: records commands, holds answers back, cuts the connection."""

    def __init__(self, page: Page) -> None:
        self.asked: list[dict[str, Any]] = []
        self._hold: frozenset[str] = frozenset()
        self._held: list[tuple[WebSocketRoute, str]] = []
        self._open: list[WebSocketRoute] = []
        self._down = False
        page.route_web_socket(re.compile("/play/"), self._opened)

    def hold(self, *kinds: str) -> None:
        """Hold back messages of these kinds from the server."""
        self._hold = frozenset(kinds)

    def release(self) -> None:
        """Deliver everything that was held back."""
        self._hold = frozenset()
        for socket, message in self._held:
            socket.send(message)
        self._held.clear()

    def cut(self) -> None:
        """Close the connection and refuse new ones."""
        self._down = True
        for socket in self._open:
            socket.close()
        self._open.clear()

    def mend(self) -> None:
        """Accept connections again."""
        self._down = False

    def _opened(self, socket: WebSocketRoute) -> None:
        if self._down:
            socket.close()
            return
        self._open.append(socket)
        house = socket.connect_to_server()

        def ask(message: str | bytes) -> None:
            said = json.loads(message)
            if said["t"] == "do":
                self.asked.append(said)
            house.send(message)

        def answer(message: str | bytes) -> None:
            if json.loads(message)["t"] in self._hold:
                self._held.append((socket, str(message)))
            else:
                socket.send(message)

        socket.on_message(ask)
        house.on_message(answer)
