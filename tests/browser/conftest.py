"""Fixtures of the browser tests: Chromium, a floor, a crew house, and visits that fail on any error on a page."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.browser.crew import CrewHouse, crew_house
from tests.browser.floor import Floor, Wire, running_floor
from tests.browser.visits import WAIT_MS, Visit

FOLDER = Path(__file__).parent
_EXPECTED = ("401", "409", "ERR_CONNECTION", "ERR_INTERNET_DISCONNECTED", "WebSocket connection", "ERR_EMPTY_RESPONSE")
"""Console errors that tests cause on purpose: not signed in, a refusal, a cut connection."""

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
"""Delays answers and changes their order, from a seed; every page has it under TAISAI_TORTURE."""


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """A real Chromium, as the system has it."""
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


@pytest.fixture(scope="module")
def house() -> Iterator[CrewHouse]:
    """A house with a crew and without guests, for the tests of a file; each test has a table of its own."""
    with crew_house() as opened:
        yield opened


@pytest.fixture
def wire(floor: Floor) -> Iterator[Wire]:
    """A connection to the floor that can be cut."""
    made = Wire(floor.port)
    yield made
    made.close()


@pytest.fixture
def visit(chromium: Browser, floor: Floor) -> Iterator[Visit]:
    """Opens pages, each in a browser context of its own; an error on any of them fails the test."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []
    seed = random.randrange(1, 2**31 - 1)
    print(f"seed of the slow line: {seed}")  # pytest shows it when the test fails

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
