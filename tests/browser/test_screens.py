"""Every screen: readable by all, in each language and size; quick; nothing from elsewhere."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as TooLate

from tests import ROOT
from tests.browser.conftest import WAIT_MS, Visit
from tests.browser.floor import Floor

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
SCREENS = {
    "home": ("/", ".table-card"),
    "play": ("/play?table=SLOW", "g.box"),
    "board": ("/board?table=SLOW", ".b-limits li"),
    "sign-in": ("/sign-in", "form"),
    "welcome": ("/welcome?post=dealer#not-a-token", "form"),
    "docs": ("/docs", "details"),
    "rules": ("/rules?book=nz-division-9", ".clause"),
    "odds": ("/odds?layout=rws-tai-sai-v6/A&bets=small=500,total:9=100", ".rolls"),
    "compare": ("/compare?one=rws-tai-sai-v6/A&two=rws-tai-sai-v6/C", ".compare tbody"),
    "train": ("/train", "form"),
}
"""Address of each screen, and what is there when it is drawn."""
LANGUAGES = {"en": "en-GB", "zh-Hans": "zh-CN", "zh-Hant": "zh-TW"}
SIZES = {"phone": (390, 844), "tablet": (820, 1180), "table": (1920, 1080)}
SCRIPT_BYTES = 150_000
FIRST_PAINT_MS = 1_000
TRIES = 8
TOO_WIDE = """(width) => {
    const found = document.documentElement.scrollWidth;
    const out = [...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > width);
    const told = out.map((each) => `${each.tagName}.${each.getAttribute('class')}: ${each.textContent.slice(0, 40)}`);
    return found <= width ? [] : [`${found} pixels`, ...told];
}"""
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"

expect.set_options(timeout=WAIT_MS)


def serious_findings(page: Page) -> list[tuple[str, list[Any]]]:
    """What axe-core finds that keeps somebody from using the page."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    report = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    serious = [each for each in report["violations"] if each["impact"] in ("serious", "critical")]
    return [(each["id"], [node["target"] for node in each["nodes"]][:5]) for each in serious]


def open_screen(visit: Visit, screen: str, **options: Any) -> Page:
    """A screen, drawn."""
    path, sign = SCREENS[screen]
    page = visit(path, **options)
    expect(page.locator(sign).first).to_be_attached()
    return page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("screen", SCREENS)
def test_axe_has_no_serious_finding(visit: Visit, screen: str, language: str) -> None:
    """The screen is in the reader's language, and axe-core finds nothing serious, in a light and in a dark room."""
    for scheme in ("light", "dark") if language == "en" else ("light",):
        page = open_screen(visit, screen, locale=LANGUAGES[language], color_scheme=scheme, reduced_motion="reduce")
        assert page.locator("html").get_attribute("lang") == language
        assert serious_findings(page) == []


def test_axe_finds_a_planted_fault(visit: Visit) -> None:
    """A button without a name is found: the check above can fail."""
    page = open_screen(visit, "sign-in")
    page.evaluate("() => document.querySelector('main').append(document.createElement('button'))")
    assert [name for name, _ in serious_findings(page)] == ["button-name"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("screen", SCREENS)
def test_nothing_is_wider_than_the_screen(visit: Visit, screen: str, size: str) -> None:
    """No screen scrolls sideways, and no line of text leaves its button."""
    width, height = SIZES[size]
    page = open_screen(visit, screen, viewport={"width": width, "height": height}, locale="en-GB")
    with suppress(TooLate):  # something may move in for a moment
        page.wait_for_function("(width) => document.documentElement.scrollWidth <= width", arg=width)
    assert page.evaluate(TOO_WIDE, width) == []
    cut = page.evaluate(
        """() => [...document.querySelectorAll('button, .button, th, .tag')]
            .filter((each) => each.offsetParent && each.scrollWidth > each.clientWidth + 2)
            .map((each) => each.textContent)"""
    )
    assert cut == []


def painted(page: Page) -> float:
    """When a page was first painted, in milliseconds since it was asked for."""
    page.wait_for_function(PAINTED)
    return float(page.evaluate(PAINTED))


@pytest.mark.parametrize("screen", ["play", "board"])
def test_a_table_is_painted_at_once_from_little_script(visit: Visit, floor: Floor, screen: str) -> None:
    """First paint within a second, under 150 KB of script, and not a byte from another place."""
    page = open_screen(visit, screen)
    entries = page.evaluate(
        """() => performance.getEntriesByType('resource').map((each) => [each.name, each.decodedBodySize])"""
    )
    assert [name for name, _ in entries if not name.startswith(floor.address)] == []
    assert 0 < sum(size for name, size in entries if name.endswith(".js")) < SCRIPT_BYTES
    paints = [painted(page)]
    while min(paints) >= FIRST_PAINT_MS and len(paints) < TRIES:  # a busy machine tries again
        page.close()
        page = open_screen(visit, screen)
        paints.append(painted(page))
    assert min(paints) < FIRST_PAINT_MS


def test_the_board_shows_completed_rounds_only(visit: Visit, floor: Floor) -> None:
    """The board has as many results as rounds were completed, and says that the table prevails."""
    page = open_screen(visit, "board")
    expect(page.locator(".b-note")).to_contain_text("the table prevails")
    expect(page.locator(".b-last li")).to_have_count(len(floor.get("/api/tables/SLOW")["view"]["results"]))


def test_staff_choose_a_password_and_go_to_work(visit: Visit, floor: Floor) -> None:
    """The one-time link leads to a password, a session and the dealer's table; the token leaves the address."""
    address, _, token = floor.links["supervisor"].partition("#")
    page = visit(address.removeprefix(floor.address) + "#" + token)
    expect(page).not_to_have_url(f"{address}#{token}")
    for name in ("password", "again"):
        page.locator(f"input[name={name}]").fill("a long password 7")
    page.get_by_role("button", name="Continue").click()
    expect(page).to_have_url(f"{floor.address}/pit?table=NZ")
    assert page.evaluate("fetch('/api/me').then((answer) => answer.json()).then((me) => me.post)") == "supervisor"
