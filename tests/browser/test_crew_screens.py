"""Every part of the crew's screens: accessible in each language and size, from little script."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from taisai.table import commands as c
from tests.browser.checks import LANGUAGES, SCRIPT_BYTES, SIZES, cut_off, loaded, serious_findings, too_wide
from tests.browser.crew import CrewHouse, crew_house
from tests.browser.visits import Visit
from tests.web.serving import set_up_of

TABLE = "T1"
"""A table in the middle of a round of `nz-division-9`, with a dispute, an alert, a wrong entry and bets to pay."""
ROUND = "T3"
"""A table with a round that is over."""
CLOSED = "T2"
"""A table that is not open yet."""
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
    "round": ("kim", f"/round?table={ROUND}&round=1", ".records tbody tr"),
    "staff": ("admin", "/pit#staff", "[data-login=dan]"),
}
"""Who opens each screen, its address, and a selector that matches once it is drawn."""


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
        opened.wait(opened.running.ready_table(ROUND, "rws-tai-sai-v6/A"))
        bob = opened.seat("bob", ROUND)
        opened.do("dan", ROUND, c.OpenBets())
        opened.do(bob, ROUND, c.PlaceBet("bob", "small", 1_000))
        opened.do("dan", ROUND, c.CloseBets(), c.Tumble(3), c.Uncover((1, 2, 4)), c.Announce(), c.Collect())
        opened.do("dan", ROUND, c.PayAll(), c.OpenDispute("", "bob", 1, "paid short"))
        yield opened


def look(house: CrewHouse, visit: Visit, screen: str, **options: object) -> Page:
    """Open a screen and wait until it is drawn."""
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
    """Axe-core finds nothing serious in any language or in the dark theme, and no text shows its key."""
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
    """On a phone, a tablet and a table's display no part scrolls sideways, and every text fits its button."""
    page = look(house, visit, screen)
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        assert (too_wide(page), cut_off(page)) == ([], [])


@pytest.mark.parametrize("width", [721, 820, 900, 1024, 1280])
def test_nothing_in_the_top_bar_lies_over_anything_else(house: CrewHouse, visit: Visit, width: int) -> None:
    """Links, the table's name and the buttons of the desk's top bar stand side by side at every width."""
    page = look(house, visit, "deal")
    page.set_viewport_size({"width": width, "height": 900})
    over = page.evaluate(
        """() => {
          const parts = [...document.querySelectorAll("#top a, #top button, #top strong")]
            .map((each) => [each.textContent.trim(), each.getBoundingClientRect()])
            .filter(([, { width, bottom }]) => width > 0 && bottom > 0);
          return parts.flatMap(([one, a], at) => parts.slice(at + 1)
            .filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1)
            .map(([other]) => `${one} / ${other}`));
        }"""
    )
    assert over == []


@pytest.mark.parametrize("screen", ["deal", "floor"])
def test_little_script_from_here_alone(house: CrewHouse, visit: Visit, screen: str) -> None:
    """The screen loads under 150 KB of script, and nothing from elsewhere."""
    page = look(house, visit, screen)
    script, elsewhere = loaded(page, house.address)
    assert elsewhere == []
    assert 0 < script < SCRIPT_BYTES
