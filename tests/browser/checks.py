"""What holds for every screen: languages, sizes, accessibility, little script from this house alone.

Enters: a page that is drawn. Leaves: what is wrong with it.
"""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tests import ROOT

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
LANGUAGES = {"en": "en-GB", "ms": "ms-MY", "zh-Hans": "zh-CN", "zh-Hant": "zh-TW"}
SIZES = {"phone": (390, 844), "tablet": (820, 1180), "table": (1920, 1080)}
SCRIPT_BYTES = 160_000
PAGE_BYTES = 300_000
"""Everything that a page loads before anybody touches it, as it comes over the line."""
_TOO_WIDE = """() => {
    const width = document.documentElement.clientWidth;
    const found = document.documentElement.scrollWidth;
    const out = [...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > width);
    const told = out.map((each) => `${each.tagName}.${each.getAttribute('class')}: ${each.textContent.slice(0, 40)}`);
    return found <= width ? [] : [`${found} pixels`, ...told];
}"""
_CUT = """() => [...document.querySelectorAll('button, .button, th, .tag')]
    .filter((each) => each.offsetParent && each.scrollWidth > each.clientWidth + 2)
    .map((each) => each.textContent)"""
_WEIGHT = """() => performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
    .reduce((sum, each) => sum + each.encodedBodySize, 0)"""
_LOADED = "() => performance.getEntriesByType('resource').map((each) => [each.name, each.decodedBodySize])"


def serious_findings(page: Page) -> list[tuple[str, list[Any]]]:
    """Findings of axe-core that keep people from using the page."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    report = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    serious = [each for each in report["violations"] if each["impact"] in ("serious", "critical")]
    return [(each["id"], [node["target"] for node in each["nodes"]][:5]) for each in serious]


def too_wide(page: Page) -> list[str]:
    """What makes a page wider than its window."""
    found: list[str] = page.evaluate(_TOO_WIDE)
    return found


def cut_off(page: Page) -> list[str]:
    """Texts that do not fit their button, heading or tag."""
    found: list[str] = page.evaluate(_CUT)
    return found


def weight(page: Page) -> int:
    """The bytes that came over the line for a page, itself included."""
    found: int = page.evaluate(_WEIGHT)
    return found


def loaded(page: Page, address: str) -> tuple[int, list[str]]:
    """The bytes of script that a page loaded, and everything that came from elsewhere."""
    entries = page.evaluate(_LOADED)
    script = sum(size for name, size in entries if name.endswith(".js"))
    return script, [name for name, _ in entries if not name.startswith(address)]
