"""Training in a browser: a drill is passed, mistakes are explained by clauses, a seed is repeated."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import taisai.web
from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import BoxName
from taisai.core.dice import roll_of
from taisai.core.limits import make_limits
from taisai.core.money import Chips
from taisai.core.names import result_call
from taisai.core.prorata import fix_stakes
from taisai.core.settlement import settle
from taisai.training.cases import CASE_TEXTS, OUTCOME_TEXTS, cases_of
from taisai.training.drills import Drill, make_drill
from tests.browser.checks import serious_findings, too_wide
from tests.browser.visits import Visit
from tests.web.serving import shelf

STATIC = Path(taisai.web.__file__).parent / "static"


class Solution:
    """The right answers to a drill, computed with the core."""

    def __init__(self, name: str, level: int, seed: str) -> None:
        layout = shelf().layout(name)
        book = shelf().book(layout.book_id)
        self.drill: Drill = make_drill(book, layout, level, seed)
        roll = roll_of(self.drill.dice)
        bets = [Bet(PlayerId(bet.player), BoxName(bet.box), Chips(bet.stake)) for bet in self.drill.bets]
        sign = self.drill.limits
        limits = None
        if sign is not None:
            limits = make_limits(
                unit=sign.unit,
                default={"min": sign.default.min, "max": sign.default.max},
                kinds={kind: {"min": each.min, "max": each.max} for kind, each in sign.kinds.items()},
                differential=dict(sign.differential),
            )
        rulings = settle(layout, roll, bets, fix_stakes(book, limits, bets).at_risk).rulings
        self.call = result_call(book.procedure.calls, roll)
        self.losing = list(dict.fromkeys(str(each.bet.box) for each in rulings if each.pays is None))
        self.due: dict[str, int] = {
            f"{each.bet.player}|{each.bet.box}": each.returned if each.pays is None else each.winnings
            for each in rulings
        }
        right = {case.id: str(case.right) for case in cases_of(book)}
        self.cases = {each.id: right[each.id] for each in self.drill.situations}

    def typed(self, key: str) -> str:
        """An amount as a dealer types it."""
        return f"{self.due[key] / 100:.2f}".removesuffix(".00")


def begin(page: Page) -> None:
    """Start the drill that the page offers, and wait for its chips."""
    page.get_by_role("button", name="Begin").click()
    expect(page.locator(".felt g.stack").first).to_be_attached()


def onward(page: Page) -> None:
    """The large button."""
    page.locator(".work button[type=submit]").click()


def deal(page: Page, right: Solution, *, type_call: bool = False) -> None:
    """Answer everything right, up to the last button."""
    if type_call:
        page.locator("input[name=call]").fill(right.call.upper())
    else:
        page.locator(".work").get_by_role("button", name=right.call, exact=True).click()
    onward(page)
    for box in right.losing:
        page.locator(f'.felt g.box[data-box="{box}"]').first.click()
    onward(page)
    for line in page.locator(".pay-line input").all():
        line.fill(right.typed(line.get_attribute("name") or ""))
    onward(page)
    for name, answer in right.cases.items():
        page.locator(f'input[name="{name}"][value="{answer}"]').check()


@pytest.mark.parametrize("layout", ["rws-tai-sai-v6/C", "nz-division-9/1"])
def test_the_drill_is_passed_at_level_2(visit: Visit, layout: str) -> None:
    """With the core's answers everything is right and in time, and the result is stored."""
    right = Solution(layout, 2, "exam")
    page = visit(f"/train?layout={layout}&level=2&seed=exam")
    begin(page)
    deal(page, right)
    onward(page)
    expect(page.locator(".marks .percent")).to_have_text("100 %")
    expect(page.locator(".marks h2")).to_have_text("Passed")
    expect(page.locator(".verdicts .wrong")).to_have_count(0)
    lit = page.locator(".felt g.box.lit").evaluate_all("(all) => all.map((each) => each.dataset.box)")
    assert set(lit) == set(map(str, shelf().layout(layout).lit(roll_of(right.drill.dice))))
    (kept,) = page.evaluate("JSON.parse(localStorage.getItem('taisai.train.results'))")
    assert (kept["layout"], kept["level"], kept["seed"], kept["percent"]) == (layout, 2, "exam", 100)
    page.get_by_role("button", name="Back to start").click()
    expect(page.locator(".kept li")).to_contain_text("100 %")


@pytest.mark.parametrize("layout", ["rws-tai-sai-v6/E", "nz-division-9/2", "rws-open-cover-v3/B", "rws-mini-dice-v3/A"])
def test_the_fourth_level_is_passed_under_each_book(visit: Visit, layout: str) -> None:
    """The fourth level has colours and pro rata where the book has them; a call typed in capitals counts."""
    right = Solution(layout, 4, "exam")
    page = visit(f"/train?layout={layout}&level=4&seed=exam")
    begin(page)
    expect(page.locator(".sign")).to_have_count(0 if right.drill.limits is None else 1)
    expect(page.locator(".players .colour")).to_have_count(
        len({bet.player for bet in right.drill.bets}) if right.drill.players[0].colour else 0
    )
    deal(page, right, type_call=True)
    onward(page)
    expect(page.locator(".marks .percent")).to_have_text("100 %")


def test_a_mistake_is_explained_by_its_clause(visit: Visit) -> None:
    """A wrong payment shows what was due and given, how it is worked out, and the words of its clause."""
    right = Solution("rws-tai-sai-v6/A", 2, "exam")
    key = next(name for name, due in right.due.items() if due)
    page = visit("/train?layout=rws-tai-sai-v6/A&level=2&seed=exam")
    begin(page)
    deal(page, right)
    page.get_by_role("button", name="Back").click()
    page.locator(f'input[name="{key}"]').fill("1")
    onward(page)
    onward(page)
    wrong = page.locator(".verdicts .wrong")
    expect(wrong).to_have_count(1)
    expect(wrong).to_contain_text(key.partition("|")[0])
    expect(wrong).to_contain_text("You gave $1.")
    expect(wrong).to_contain_text(f"{right.due[key] / 100:,.2f}".removesuffix(".00"))
    expect(wrong.locator("q").last).to_have_text("Pay table 1 gives the odds of layout A.")
    wrong.get_by_role("button", name="§4.1.1").click()
    expect(page.locator("dialog")).to_contain_text("Pay table 1 gives the odds of layout A.")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)


def test_an_irregularity_answered_wrongly_names_the_books_clause(visit: Visit) -> None:
    """A wrong answer to an irregularity shows the right one, with the clause of the book."""
    book = shelf().book("nz-division-9")
    right = Solution("nz-division-9/1", 1, "exam")
    case = next(each for each in cases_of(book) if each.id == right.drill.situations[0].id)
    page = visit("/train?layout=nz-division-9/1&level=1&seed=exam")
    begin(page)
    deal(page, right)
    chosen = next(each.id for each in right.drill.situations[0].choices if each.id != case.right)
    page.locator(f'input[name="{case.id}"][value="{chosen}"]').check()
    onward(page)
    wrong = page.locator("[data-part=cases] .wrong")
    expect(wrong).to_contain_text(OUTCOME_TEXTS[case.right])
    words = book.clauses.get(case.clauses[-1]) or book.interpretations[case.clauses[-1]]
    expect(wrong.locator("q").last).to_have_text(getattr(words, "summary", "") or getattr(words, "reading", ""))


def test_chips_build_an_amount_and_nonsense_is_refused(visit: Visit) -> None:
    """Tapped chips add up in the field; what is not an amount is reported, and nothing is marked."""
    page = visit("/train?layout=rws-tai-sai-v6/A&level=2&seed=exam")
    begin(page)
    onward(page)
    onward(page)
    field = page.locator(".pay-line input").nth(1)
    field.focus()
    for chip in (2, 2, 0):
        page.locator(".chip-button").nth(chip).click()
    expect(field).to_have_value("51")
    page.locator(".work").get_by_role("button", name="Clear").click()
    expect(field).to_have_value("")
    field.fill("a lot")
    onward(page)
    onward(page)
    expect(page.locator(".toast.bad")).to_contain_text("enter an amount")
    expect(page.locator(".marks")).to_have_count(0)
    expect(field).to_have_value("a lot")


def test_a_seed_is_repeated(visit: Visit) -> None:
    """The address of a drill gives the same dice and chips in another browser; without a seed each drill is new."""

    def seen(page: Page) -> tuple[list[str], list[str]]:
        begin(page)
        dice = page.locator(".dice-shown .die").evaluate_all(
            "(all) => all.map((die) => die.getAttribute('aria-label'))"
        )
        stacks = page.locator("g.stack").evaluate_all("(all) => all.map((one) => one.dataset.box + one.dataset.amount)")
        return dice, sorted(stacks)

    first = visit("/train?layout=rws-tai-sai-v6/A&level=3")
    here = seen(first)
    expect(first).to_have_url(re.compile(r"layout=rws-tai-sai-v6/A&level=3&seed=[0-9a-f]{8}$"))
    address = first.url.partition("/train")[2]
    assert seen(visit("/train" + address)) == here
    assert seen(visit("/train?layout=rws-tai-sai-v6/A&level=3")) != here


def test_the_collecting_works_by_keyboard(visit: Visit) -> None:
    """Boxes are buttons: Enter collects a focused box, and again takes that back."""
    right = Solution("rws-tai-sai-v6/A", 2, "exam")
    page = visit("/train?layout=rws-tai-sai-v6/A&level=2&seed=exam")
    begin(page)
    onward(page)
    page.locator(f'.felt g.box[data-box="{right.losing[0]}"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator(".work [aria-pressed=true]")).to_have_count(1)
    expect(page.locator(".work [role=status]")).to_have_text("1 box to collect")
    label = page.locator(f'.felt g.box[data-box="{right.losing[0]}"]').get_attribute("aria-label") or ""
    assert label.endswith("collected")
    page.keyboard.press("Enter")
    expect(page.locator(".work [aria-pressed=true]")).to_have_count(0)


@pytest.mark.parametrize(
    ("locale", "options"),
    [
        ("en-GB", {"color_scheme": "light"}),
        ("zh-CN", {"color_scheme": "dark"}),
        ("zh-TW", {"viewport": {"width": 390, "height": 844}}),
    ],
)
def test_every_step_of_a_drill_is_readable_by_all(visit: Visit, locale: str, options: dict[str, Any]) -> None:
    """Throughout a drill axe-core finds nothing serious and nothing is wider than the screen."""
    page = visit("/train?layout=rws-tai-sai-v6/C&level=4&seed=exam", locale=locale, reduced_motion="reduce", **options)
    page.locator(".big").click()
    expect(page.locator(".felt g.stack").first).to_be_attached()
    for _ in range(4):
        assert serious_findings(page) == []
        assert too_wide(page) == []
        onward(page)
    expect(page.locator(".marks")).to_be_visible()
    assert serious_findings(page) == []
    assert too_wide(page) == []


def test_cases_and_outcomes_read_the_same_on_screen() -> None:
    """The English catalogue has the server's own words for every case and outcome."""
    english = json.loads((STATIC / "texts" / "en.json").read_text(encoding="utf-8"))
    assert {key: text for key, text in english.items() if key.startswith("train.case-")} == {
        f"train.case-{name}": text for name, text in CASE_TEXTS.items()
    }
    assert {key: text for key, text in english.items() if key.startswith("train.then-")} == {
        f"train.then-{name}": text for name, text in OUTCOME_TEXTS.items()
    }
