"""What tests of screens share: Chromium, a floor, and visits that notice every error on a page."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.browser.floor import Floor, Wire, running_floor

FOLDER = Path(__file__).parent
WAIT_MS = 20_000
_EXPECTED = ("401", "409", "ERR_CONNECTION", "ERR_INTERNET_DISCONNECTED", "WebSocket connection", "ERR_EMPTY_RESPONSE")
"""What the console says about nobody being signed in, what a table refuses, and wires that a test cuts."""

SLOW_LINE = """(() => {
  const fetched = window.fetch;
  let turn = %d;
  window.fetch = async (...asked) => {
    turn = (turn * 48271) %% 2147483647;
    const late = turn %% 4 ? turn %% 200 : turn %% 2500;
    const answer = await fetched(...asked);
    await new Promise((go) => setTimeout(go, late));
    return answer;
  };
})();"""
"""Answers that come late and out of turn, as over a bad line, from a seed: every page has it under TAISAI_TORTURE."""


class Visit(Protocol):
    """Opens a page in a browser of its own."""

    def __call__(self, path: str, *, at: str = "", **options: Any) -> Page:
        """Open an address of the floor, or of a wire to it."""


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """A real Chromium: Debian's."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert program, "no Chromium found: tools/setup dev installs it (on Debian: apt-get install chromium)"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    """A floor with short rounds."""
    with running_floor(tmp_path_factory.mktemp("floor")) as running:
        yield running


@pytest.fixture
def wire(floor: Floor) -> Iterator[Wire]:
    """A wire to the floor that can be cut."""
    made = Wire(floor.port)
    yield made
    made.close()


@pytest.fixture
def visit(chromium: Browser, floor: Floor) -> Iterator[Visit]:
    """Pages, each in a browser context of its own; an error on any of them fails the test."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []
    seed = random.randrange(1, 2**31 - 1)
    print(f"the line's seed, if it is slow: {seed}")  # shown with a failure

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and not any(each in message.text for each in _EXPECTED):
            errors.append(message.text)

    def opened(path: str, *, at: str = "", **options: Any) -> Page:
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, "locale": "en-SG", **options})
        context.set_default_timeout(WAIT_MS)
        contexts.append(context)
        if os.environ.get("TAISAI_TORTURE"):
            context.add_init_script(SLOW_LINE % seed)
        page = context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((at or floor.address) + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []
