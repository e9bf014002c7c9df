"""The dealer's desk: its large button, its forms, and a round brought to a step.

Enters: a page of `/deal` and the house behind it. Leaves: locators that are what a test expects.
"""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from taisai.table import commands as c
from tests.browser.crew import CrewHouse


def next_is(page: Page, step: str) -> Locator:
    """The large button, once this step is next."""
    button = page.locator("#next")
    expect(button).to_have_attribute("data-next", step)
    return button


def press(page: Page, step: str) -> None:
    """Take the next step, which must be this one, by keyboard."""
    expect(next_is(page, step)).to_have_attribute("aria-disabled", "false")
    page.keyboard.press("Enter")


def dealt_to(page: Page, house: CrewHouse, table: str, step: str) -> None:
    """Bring a round to a step by commands, at a table whose book tumbles after the close."""
    order = (
        ("close-bets", c.OpenBets()),
        ("tumble", c.CloseBets()),
        ("uncover", c.Tumble(3)),
        ("announce", c.Uncover((1, 2, 4))),
        ("collect", c.Announce()),
    )
    for reached, action in order:
        house.do("dan", table, action)
        if reached == step:
            break
    next_is(page, step)


def form_of(page: Page, action: str) -> Locator:
    """The open form of a command."""
    return page.locator(f"dialog[open] form[data-ask={action}]")
