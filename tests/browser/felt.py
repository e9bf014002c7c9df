"""The felt of a player's page: boxes, stacks of chips, and a seat.

Enters: a page of `/play`. Leaves: locators, and a guest who is seated.
"""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

ROUND_MS = 60_000
"""More than a round takes, with the pause after it."""


def box(page: Page, name: str) -> Locator:
    """A box of the felt."""
    return page.locator(f'g.box[data-box="{name}"]').first


def stack(page: Page, name: str, layer: str = "own") -> Locator:
    """The stack of chips in a box."""
    return page.locator(f'g.chips.{layer} g.stack[data-box="{name}"]').first


def sit(page: Page) -> str:
    """Sit down as a guest and wait until bets are open; returns the player's name."""
    page.locator("[data-action=sit]").click()
    expect(page.locator(".rail-chip").first).to_be_visible()
    expect(page.locator("body[data-phase=betting]")).to_be_attached(timeout=ROUND_MS)
    expect(page.locator("g.box").first).to_be_attached()
    who: str = page.evaluate("fetch('/api/me').then((answer) => answer.json()).then((me) => me.who)")
    return who
