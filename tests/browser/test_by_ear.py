"""A player who sees nothing: whole rounds by keyboard, in each language, from what a screen reader is told.

What is heard are the changes of live regions, in their order; what can be done are the roles and names of the
accessibility tree. Both are read from the browser; nothing here looks at the felt.
"""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from taisai.books import open_shelf
from taisai.core.boxes import BoxName
from tests.browser.checks import LANGUAGES
from tests.browser.felt import ROUND_MS, sit
from tests.browser.visits import Visit
from tools.texts import read

LISTEN = """() => {
    const heard = (window.heard = []);
    const spoken = '[aria-live], [role=status], [role=alert]';
    const live = (node) => (node.nodeType === 1 ? node : node.parentElement)?.closest(spoken);
    new MutationObserver((changes) => {
        for (const region of new Set(changes.map((each) => live(each.target)))) {
            const words = region?.textContent.trim();
            if (words && !region.closest('[aria-hidden=true]') && heard.at(-1) !== words) heard.push(words);
        }
    }).observe(document.body, {subtree: true, childList: true, characterData: true});
}"""


def named(language: str, box: str) -> str:
    """What the book of the tables calls a box in a language."""
    book = open_shelf(environment={}).book("rws-tai-sai-v6")
    return book.names_in(language).box(book.layouts["C"].boxes[BoxName(box)])


def heard(page: Page) -> list[str]:
    """Everything that was said since the page began to listen."""
    said: list[str] = page.evaluate("window.heard")
    return said


def place_of(said: list[str], words: str) -> int:
    """Where words were first said; fails when they were not."""
    found = [at for at, each in enumerate(said) if words in each]
    assert found, f"{words!r} was not said: {json.dumps(said, ensure_ascii=False)}"
    return found[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_round_is_played_by_ear_and_keys_alone(visit: Visit, language: str) -> None:
    """Chips, boxes, bets, refusal, countdown, calls and result are spoken in an order that makes sense."""
    texts = read(language)
    page = visit("/play?table=QUICK", locale=LANGUAGES[language], reduced_motion="reduce")
    sit(page)
    page.evaluate(LISTEN)
    expect(page.locator("body[data-phase=between-rounds]")).to_be_attached(timeout=ROUND_MS)
    expect(page.locator("body[data-phase=betting]")).to_be_attached(timeout=ROUND_MS)
    page.evaluate("() => { window.heard.length = 0; }")
    chips = page.get_by_role("radiogroup", name=texts["play.chips"])
    expect(chips.get_by_role("radio")).to_have_count(4)
    page.keyboard.press("1")
    calls = {name: named(language, name) for name in ("small", "big")}
    small, big = (page.get_by_role("button", name=re.compile(f"^{each}[,，]")).first for each in calls.values())
    small.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text("$5")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    own = texts["play.your-bet"].replace("{amount}", "$5")
    expect(small).to_have_accessible_name(re.compile(re.escape(own)))
    big.focus()
    page.keyboard.press("Enter")
    expect(big).to_have_accessible_name(re.compile(re.escape(own)))
    page.keyboard.press("s")
    expect(page.locator("#said")).to_contain_text(re.compile(r"\d"), timeout=ROUND_MS)
    said = heard(page)
    order = [
        place_of(said, texts["play.under-minimum"].replace("{box}", calls["small"]).replace("{min}", "$5")),
        place_of(said, own),
        place_of(said, f"{texts['play.funds']} $990"),
        place_of(said, texts["play.seconds-left"].replace("{n}", "5")),
    ]
    closed = [at for at, each in enumerate(said) if each.startswith(("No more", texts["phase.bets-closed"]))]
    assert closed, said
    last = page.locator("#said").text_content() or ""
    dice = re.compile(texts["play.result"].replace("{dice}", ".+").replace("{total}", r"\d+"))
    called = [
        at for at, each in enumerate(said) if dice.search(each) or re.search(r"total \d+|Total|\d+ points?", each)
    ]
    assert order == sorted(order)
    assert closed[0] < said.index(last)
    assert any(closed[0] < at < said.index(last) for at in called), said
    assert calls["small"] in last
    assert calls["big"] in last


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_box_and_chip_has_a_name_and_a_role(visit: Visit, language: str) -> None:
    """Each area of the felt is a button called as the language calls it, and each chip a choice with its amount."""
    texts = read(language)
    page = visit("/play?table=SLOW", locale=LANGUAGES[language])
    sit(page)
    names = page.locator("g.box").evaluate_all(
        "(all) => all.map((each) => [each.dataset.box, each.getAttribute('aria-label')])"
    )
    assert len(names) > 100
    for box, name in names:
        assert name.startswith(named(language, box)), (box, name)
    tree = page.locator("main").aria_snapshot()
    for role, text in (("radiogroup", "play.chips"), ("group", "play.felt"), ("timer", "play.seconds")):
        assert f'{role} "{texts[text]}"' in tree
