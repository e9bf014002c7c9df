"""The crew's screens, every part of them: readable by all, in each language and size, from little script."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from taisai.table import commands as c
from tests.browser.conftest import Visit
from tests.browser.crew import CrewHouse, crew_house
from tests.browser.test_screens import LANGUAGES, SCRIPT_BYTES, SIZES, serious_findings
from tests.web.serving import set_up_of

TABLE = "T1"
"""In the middle of a round of `nz-division-9`, with a dispute, an alert, a wrong entry and bets to pay."""
CLOSED = "T2"
"""Not opened yet."""
SCREENS = {
    "deal": ("dan", f"/deal?table={TABLE}", ".payouts"),
    "deal-dialog": ("dan", f"/deal?table={TABLE}", ".payouts"),
    "floor": ("kim", "/pit", ".pit-card"),
    "table": ("kim", f"/pit#table/{TABLE}", "[data-dispute]"),
    "opening": ("kim", f"/pit#table/{CLOSED}", "[data-item=power]"),
    "setup": ("kim", "/pit#setup", "[name=default-min]"),
    "journal": ("kim", f"/pit#journal/{TABLE}", ".journal tbody tr"),
    "reports": ("kim", "/pit#reports", "[data-part=reports] tbody tr"),
    "house": ("kim", "/pit#house", "#audit button"),
    "staff": ("admin", "/pit#staff", "[data-login=dan]"),
}
"""Who looks at it, its address, and what is there when it is drawn."""


@pytest.fixture(scope="module")
def house() -> Iterator[CrewHouse]:
    """A house with one table in the middle of a round, and one that is not open."""
    with crew_house() as opened:
        assert opened.new_table("nz-division-9/1") == TABLE
        ann = opened.seat("ann", TABLE)
        opened.do("dan", TABLE, c.Tumble(3), c.OpenBets())
        opened.do(ann, TABLE, c.PlaceBet("ann", "small", 1_000), c.PlaceBet("ann", "total:7", 500))
        opened.do("dan", TABLE, c.PlaceBet("ann", "big", 11_000, c.How.FELT), c.CloseBets(), c.Uncover((1, 2, 4)))
        opened.do("dan", TABLE, c.Announce(), *(c.Press(face) for face in (1, 2, 5)), c.Enter())
        opened.do("dan", TABLE, c.OpenDispute("D-1", "ann", 1, "the die was moved"))
        opened.wait(opened.running.crew["sue"].put_up(CLOSED, set_up_of("nz-division-9/1")))
        yield opened


def look(house: CrewHouse, visit: Visit, screen: str, **options: object) -> Page:
    """A screen, drawn."""
    who, path, _ = SCREENS[screen]
    page = house.page(visit, who, path, **options)
    drawn(page, screen)
    return page


def drawn(page: Page, screen: str) -> None:
    """Wait until a screen is drawn."""
    expect(page.locator(SCREENS[screen][2]).first).to_be_attached()
    if screen == "deal-dialog":
        page.keyboard.press("v")
        expect(page.locator("dialog[open]")).to_be_visible()


@pytest.mark.parametrize("screen", SCREENS)
def test_axe_has_no_serious_finding(house: CrewHouse, visit: Visit, screen: str) -> None:
    """Axe-core finds nothing serious, in each language and in a dark room; no text shows its key for its words."""
    page = look(house, visit, screen, reduced_motion="reduce")
    for language in LANGUAGES:
        page.evaluate("(code) => localStorage.setItem('taisai.language', JSON.stringify(code))", language)
        page.reload()
        drawn(page, screen)
        assert page.locator("html").get_attribute("lang") == language
        assert serious_findings(page) == []
        words = page.locator("body").inner_text()
        assert [word for word in words.split() if word.startswith(("deal.", "pit.", "code.", "phase."))] == []
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    assert serious_findings(page) == []


@pytest.mark.parametrize("screen", SCREENS)
def test_nothing_is_wider_than_the_screen(house: CrewHouse, visit: Visit, screen: str) -> None:
    """No part scrolls sideways, on a phone, a tablet or a table's display, and no line of text leaves its button."""
    page = look(house, visit, screen)
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        cut = page.evaluate(
            """() => [...document.querySelectorAll('button, .button, .tag')]
                .filter((each) => each.offsetParent && each.scrollWidth > each.clientWidth + 2)
                .map((each) => each.textContent)"""
        )
        assert cut == []


@pytest.mark.parametrize("screen", ["deal", "floor"])
def test_little_script_from_here_alone(house: CrewHouse, visit: Visit, screen: str) -> None:
    """Under 150 KB of script, and not a byte from another place."""
    page = look(house, visit, screen)
    entries = page.evaluate("performance.getEntriesByType('resource').map((each) => [each.name, each.decodedBodySize])")
    assert [name for name, _ in entries if not name.startswith(house.address)] == []
    assert 0 < sum(size for name, size in entries if name.endswith(".js")) < SCRIPT_BYTES
