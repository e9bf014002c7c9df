"""Rules, odds and comparison in a browser: readable without a bet, and every figure is the core's."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from taisai.core.odds import compare, layout_odds
from tests.browser.checks import too_wide
from tests.browser.visits import Visit
from tests.web.serving import shelf

BETS = {"small": 500, "total:9": 100, "double:3": 200}


def rows(page: Page) -> list[str]:
    """The boxes of the odds table, in order."""
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('.odds-table tbody tr')].map((row) => row.dataset.box)"
    )
    return found


def drawn_odds(page: Page) -> Page:
    """The odds page, once both felts can be touched."""
    expect(page.locator(".felt-scroll g.box[role=button]").first).to_be_attached()
    expect(page.locator("#bets g.box[role=button]").first).to_be_attached()
    expect(page.locator(".odds-table tbody tr").first).to_be_attached()
    return page


@pytest.mark.parametrize("start", ["/", "/play?table=SLOW", "/train", "/sign-in"])
def test_rules_are_one_tap_away_without_a_stake(visit: Visit, start: str) -> None:
    """From any screen the menu leads to the rule books, without signing in or sitting down (R4)."""
    page = visit(start)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Rules and odds").click()
    expect(page.locator(".book")).to_have_count(len(shelf().books()))
    expect(page.locator(".clause").first).to_be_attached()


@pytest.mark.clause("nz-division-9 §2.0", "rws-tai-sai-v6 §3.1")
@pytest.mark.parametrize("book_id", [book.id for book in shelf().books()])
def test_a_book_is_shown_whole(visit: Visit, book_id: str) -> None:
    """Every clause, interpretation, step, fact and pay row of a book is on its page (R4, R9)."""
    book = shelf().book(book_id)
    page = visit(f"/rules?book={book_id}")
    expect(page.locator(".clause").first).to_be_attached()
    shown = page.evaluate("[...document.querySelectorAll('.clause')].map((each) => each.dataset.clause)")
    assert shown == [*book.clauses, *book.interpretations]
    text = page.locator("main").evaluate("(each) => each.textContent")
    for clause in book.clauses.values():
        assert clause.summary in text
    for rule in book.procedure.facts.values():
        assert rule.summary in page.locator(f'[data-fact="{rule.fact}"]').inner_text()
    expect(page.locator(".steps > li")).to_have_count(len(book.procedure.steps))
    expect(page.locator(".layout tbody tr")).to_have_count(sum(len(layout.rows) for layout in book.layouts.values()))
    calls = book.procedure.calls
    assert all(call in text for call in (calls.open, calls.close, calls.void))


@pytest.mark.parametrize(
    ("address", "clause"),
    [
        ("/rules?book=rws-tai-sai-v6#clause-5.1.1", "5.1.1"),
        ("/rules?book=nz-division-9&clause=7.1(c)", "7.1(c)"),
        ("/rules?book=rws-mini-dice-v3#clause-1%20Field%20Bet", "1 Field Bet"),
        ("/rules?book=rws-tai-sai-v6#clause-I6", "I6"),
    ],
)
def test_a_link_leads_to_its_clause(visit: Visit, address: str, clause: str) -> None:
    """An address with a clause highlights that clause and scrolls to it."""
    page = visit(address)
    asked = page.locator(".clause.asked")
    expect(asked).to_have_count(1)
    expect(asked).to_have_attribute("data-clause", clause)
    expect(asked).to_be_in_viewport()


def test_clauses_are_searched_and_show_what_stands_behind_them(visit: Visit) -> None:
    """Search filters the clauses; a clause shows its interpretations, the rows that cite it and its tests."""
    page = visit("/rules?book=rws-tai-sai-v6")
    page.locator("#search").fill("pro-rated minimum")
    expect(page.locator('.clause[data-clause="3.8"]')).to_be_hidden()
    names = page.locator(".clause:visible").evaluate_all("(all) => all.map((each) => each.dataset.clause)")
    assert "5.1.1" in names
    expect(page.get_by_role("status").first).to_contain_text(f"{len(names)} of ")
    clause = page.locator('.clause[data-clause="5.1.1"]')
    expect(clause.locator(".readings")).to_contain_text("largest remainder")
    clause.locator(".behind summary").click()
    expect(clause.locator(".behind li").first).to_contain_text("rule: pro-rata")
    expect(clause.locator(".behind code").first).to_be_visible()


def test_the_odds_table_sorts(visit: Visit) -> None:
    """A column's heading sorts by it, and reverses the order when pressed again; screen readers are told."""
    odds = {str(each.box.name): each for each in layout_odds(shelf().layout("rws-tai-sai-v6/C"))}
    page = drawn_odds(visit("/odds?layout=rws-tai-sai-v6/C"))
    assert rows(page) == list(odds)
    head = page.locator('th[data-column="edge"]')
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    ascending = [odds[box].edge for box in rows(page)]
    assert ascending == sorted(ascending)
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    assert [odds[box].edge for box in rows(page)] == sorted(ascending, reverse=True)
    page.locator('th[data-column="ways"] button').click()
    expect(head).to_have_attribute("aria-sort", "none")
    assert [odds[box].ways for box in rows(page)] == sorted((each.ways for each in odds.values()), reverse=True)


def test_odds_are_exact_and_low_returns_are_flagged(visit: Visit) -> None:
    """Each row has the core's own fractions; exactly the boxes under 75 % are flagged (R7)."""
    odds = layout_odds(shelf().layout("rws-tai-sai-v6/C"))
    page = drawn_odds(visit("/odds?layout=rws-tai-sai-v6/C"))
    texts = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.odds-table tbody tr')]"
        ".map((row) => [row.dataset.box, [...row.cells].map((cell) => cell.textContent)]))"
    )
    for each in odds:
        _, _, ways, returned, edge, _, _ = texts[each.box.name]
        assert str(each.probability) in ways
        assert str(each.returned) in returned
        assert str(each.edge) in edge
        assert ("under 75" in returned) == each.is_below_floor
    assert any(each.is_below_floor for each in odds)


def test_row_and_box_light_each_other_up(visit: Visit) -> None:
    """Pointing at a row highlights its box on the heat map; pointing at or focusing a box highlights its row."""
    page = drawn_odds(visit("/odds?layout=rws-tai-sai-v6/A", viewport={"width": 1920, "height": 1080}))
    heat = page.locator(".odds g.box[data-box='triple:2']")
    page.locator("tr[data-box='big']").hover()
    expect(page.locator(".odds g.box[data-box='big']")).to_have_class("box picked")
    heat.hover()
    expect(page.locator("tr.linked")).to_have_attribute("data-box", "triple:2")
    expect(page.locator("tr.linked")).to_be_in_viewport()
    expect(page.locator(".pointed")).to_have_text("Triple 2: house edge 16.20%, return 83.80%")
    page.locator(".odds g.box[data-box='total:9']").focus()
    expect(page.locator("tr.linked")).to_have_attribute("data-box", "total:9")
    assert "12.50%" in (page.locator(".odds g.box[data-box='total:4']").get_attribute("aria-label") or "")


def told_by_the_command(bets: str) -> dict[str, Any]:
    """The output of `taisai odds --bets`."""
    command = [sys.executable, "-m", "taisai", "odds", "rws-tai-sai-v6/A", "--bets", bets, "--json"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    found: dict[str, Any] = json.loads(said)
    return found


def test_a_set_of_bets_has_the_figures_of_the_command(visit: Visit) -> None:
    """Bets on the felt give the same figures as `taisai odds --bets`: facts, results, all 216 rolls."""
    page = drawn_odds(visit("/odds?layout=rws-tai-sai-v6/A"))
    chips = page.locator("#bets .chip-button")
    for box, amount in BETS.items():
        chips.nth(1 if amount == 500 else 0).click()
        for _ in range(1 if amount == 500 else amount // 100):
            page.locator(f'#bets g.box[data-box="{box}"]').click()
    expect(page.locator(".bet-list li")).to_have_count(len(BETS))
    expect(page.locator("[data-fact=staked] dd")).to_have_text("8")
    said = told_by_the_command(" ".join(f"{box}={amount}" for box, amount in BETS.items()))
    for fact, name in (("hit", "hit_frequency"), ("ahead", "ahead"), ("return", "return"), ("edge", "edge")):
        expect(page.locator(f"[data-fact={fact}] .exact")).to_have_text(said[name]["exact"])
    expect(page.locator("[data-fact=expected] .exact")).to_have_text(f"{said['expected_net']['exact']} in cents")
    expect(page.locator("[data-fact=deviation] .exact")).to_have_text(f"√({said['variance']['exact']})")
    expect(page.locator("[data-fact=worst]")).to_contain_text("-".join(map(str, said["house_worst"]["dice"])))
    results = page.evaluate(
        "[...document.querySelectorAll('.distribution tbody tr')]"
        ".map((row) => [Number(row.dataset.net), Number(row.cells[1].textContent)])"
    )
    assert results == [[each["net"], each["ways"]] for each in said["distribution"]]
    cells = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('[data-roll]')]"
        ".map((cell) => [cell.dataset.roll, Number(cell.dataset.net)]))"
    )
    assert cells == {"".join(map(str, each["dice"])): each["net"] for each in said["rolls"]}
    expect(page.locator(".chart .bar")).to_have_count(len(results))
    page.reload()
    drawn_odds(page)
    expect(page.locator(".bet-list li")).to_have_count(len(BETS))
    page.get_by_role("button", name="Remove Small").click()
    expect(page.locator("[data-fact=staked] dd")).to_have_text("3")


@pytest.mark.parametrize(
    ("one", "two"), [("rws-tai-sai-v6/A", "rws-tai-sai-v6/C"), ("nz-division-9/2", "rws-tai-sai-v6/E")]
)
def test_comparison_shows_what_differs(visit: Visit, one: str, two: str) -> None:
    """Exactly the boxes that differ are shown, and all boxes when the switch is off."""
    pairs = compare(shelf().layout(one), shelf().layout(two))
    page = visit(f"/compare?one={one}&two={two}")
    visible = page.locator(".compare tbody tr:visible")
    expect(visible).to_have_count(sum(pair.differs for pair in pairs))
    shown = visible.evaluate_all("(all) => all.map((each) => each.dataset.box)")
    assert shown == [pair.name for pair in pairs if pair.differs]
    same = sum(not pair.differs for pair in pairs)
    expect(page.locator("[data-count=same]")).to_have_text(f"the same: {same}")
    for pair in pairs:
        text = page.locator(f'tr[data-box="{pair.name}"]').inner_text() if pair.differs else ""
        assert not pair.differs or all(str(side.edge) in text for side in pair.sides if side is not None)
    page.get_by_label("Only differences").uncheck()
    expect(visible).to_have_count(len(pairs))


def test_the_largest_felt_is_usable_on_a_phone(visit: Visit) -> None:
    """On a phone a button scrolls to a part of Layout E, and its boxes can be tapped with a finger."""
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    page = drawn_odds(visit("/odds?layout=rws-tai-sai-v6/E", **phone))
    page.locator("#bets").get_by_role("button", name="Single Dice").click()
    box = page.locator('#bets g.box[data-box="single:1"]').first
    box.scroll_into_view_if_needed()
    box.tap()
    expect(page.locator(".bet-list li")).to_have_attribute("data-box", "single:1")
    assert too_wide(page) == []
