"""The board is built for the distance from which it is read: sizes are computed from it, on a screen of 55 inches.

ISO 9241-303 asks for characters of 16 minutes of arc at least. What counts is the height of a capital letter or of a
Chinese character as it is drawn, in millimetres on that screen.
"""

from __future__ import annotations

from math import radians, tan

import pytest
from playwright.sync_api import Page, expect

from tests.browser.felt import sit
from tests.browser.floor import Floor
from tests.browser.visits import Visit

ARC_MINUTES = 16
SCREEN_MM = 55 * 25.4 * 16 / (16**2 + 9**2) ** 0.5
"""The width of a screen of 55 inches, of 1920 pixels."""
PRESETS = {"far": 5_000, "near": 2_000}
"""The distance in millimetres that each view is for."""
READ = (
    ".b-call",
    ".b-seconds",
    ".b-total",
    ".b-last li b",
    ".b-last .bead",
    ".road .bead",
    ".b-limits b",
    ".b-limits span",
)
HEIGHTS = """(read) => {
    const pen = document.createElement('canvas').getContext('2d');
    const found = {};
    for (const selector of read) {
        const seen = (each) => each.offsetParent && each.textContent.trim();
        const all = [...document.querySelectorAll(selector)].filter(seen);
        found[selector] = Math.min(...all.map((each) => {
            pen.font = getComputedStyle(each).font;
            const drawn = pen.measureText(/[a-z0-9]/i.test(each.textContent) ? 'H' : '国');
            return drawn.actualBoundingBoxAscent + drawn.actualBoundingBoxDescent;
        }));
    }
    const dice = [...document.querySelectorAll('.b-last .die, .b-now .cube-place')];
    found.dice = Math.min(...dice.map((each) => each.getBoundingClientRect().height));
    return found;
}"""


def needed_px(distance_mm: float) -> float:
    """How many pixels a character must be high to be read from a distance."""
    return distance_mm * tan(radians(ARC_MINUTES / 60)) / SCREEN_MM * 1920


def board(visit: Visit, view: str, locale: str = "en-SG", **size: int) -> Page:
    """The board of a table that has played a round and takes bets again."""
    sit(visit("/play?table=QUICK"))
    viewport = {"width": 1920, "height": 1080, **size}
    page = visit(f"/board?table=QUICK&view={view}", viewport=viewport, locale=locale)
    expect(page.locator(".b-last li .die").first).to_be_attached(timeout=60_000)
    expect(page.locator(".b-seconds")).not_to_be_empty(timeout=60_000)
    return page


@pytest.mark.parametrize("view", PRESETS)
def test_the_board_is_read_from_its_distance(visit: Visit, view: str) -> None:
    """Dice, call, last results, roads and limits are high enough for five metres, or in the near view for two."""
    page = board(visit, view)
    expect(page.locator(".tumbler[data-dice=shown]")).to_be_attached(timeout=60_000)
    least = needed_px(PRESETS[view])
    heights = page.evaluate(HEIGHTS, list(READ))
    assert {name: height for name, height in heights.items() if height is not None and height < least} == {}
    assert heights["dice"] >= 2 * least, "a die has pips within it"


@pytest.mark.parametrize("view", PRESETS)
@pytest.mark.parametrize("size", [(1280, 720), (1366, 768), (1920, 1080)])
def test_the_board_is_whole_on_its_screen(visit: Visit, view: str, size: tuple[int, int]) -> None:
    """Nothing of the board is below or beside its screen, and no part lies over another."""
    page = board(visit, view, width=size[0], height=size[1])
    for part in (".b-top", ".b-now", ".b-results", ".b-roads", ".b-sign", ".b-note"):
        expect(page.locator(part)).to_be_in_viewport(ratio=0.97)
    cut = "(all) => all.filter((each) => each.scrollHeight > each.clientHeight + 2).map((each) => each.className)"
    assert page.locator(".b-results, .b-roads, .b-sign, .b-now").evaluate_all(cut) == []


@pytest.mark.parametrize(
    ("locale", "words"), [("en-SG", ("Table limits", "本桌限额")), ("ms-MY", ("Had meja", "Table limits"))]
)
def test_the_board_speaks_two_languages(visit: Visit, floor: Floor, locale: str, words: tuple[str, str]) -> None:
    """Calls, headings and limits are in the reader's language and in a second one; the address chooses another."""
    page = board(visit, "far", locale)
    for each in words:
        expect(page.locator(".b-sign h2")).to_contain_text(each)
    expect(page.locator(".b-call.two")).not_to_be_empty()
    page.goto(f"{floor.address}/board?table=QUICK&second=zh-Hant")
    expect(page.locator(".b-results h2")).to_contain_text("最近結果")
