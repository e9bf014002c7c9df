"""The pit on a bad connection: late, repeated or lost answers change nothing on screen and lose nothing typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from taisai.table import commands as c
from tests.browser.crew import BUY_IN, TAI_SAI, CrewHouse, crew_house
from tests.browser.late import Late, settle
from tests.browser.visits import Visit
from tests.web.serving import PASSWORD

YEN = "YEN"
"""A table in yen, last in the alphabet."""


@pytest.fixture(scope="module")
def house() -> Iterator[CrewHouse]:
    """A house with a table in yen; each test has a table of its own."""
    with crew_house() as opened:
        opened.wait(opened.running.ready_table(YEN, TAI_SAI, currency="JPY"))
        yield opened


def refusal(code: str) -> dict[str, Any]:
    """An answer that is a refusal."""
    return {"status": 409, "json": {"error": {"code": code, "sentence": f"Refused: {code}."}}}


def go(page: Page, part: str) -> None:
    """Go to a part of the pit."""
    page.evaluate("(part) => { location.hash = part; }", part)


def dialog(page: Page) -> Locator:
    """Open dialogs but the lock."""
    return page.locator("dialog[open]:not(.lock)")


def unlock(page: Page) -> None:
    """Unlock the screen with the password."""
    lock = page.locator("dialog.lock[open]")
    lock.locator("input").fill(PASSWORD)
    lock.locator("[type=submit]").click()
    expect(lock).to_have_count(0)


# ---------------------------------------------------------------- money


def test_a_late_floor_leaves_the_currency_of_a_table(house: CrewHouse, visit: Visit) -> None:
    """A late answer of the floor does not change the currency of the table on screen."""
    table = house.new_table(TAI_SAI)
    house.seat("ann", table)
    page = house.page(visit, "sue", "/pit")
    expect(page.locator(f".pit-card[data-table={table}]")).to_contain_text(re.compile(r"FloatS\$[\d,]+"))
    expect(page.locator(f".pit-card[data-table={YEN}]")).to_contain_text(re.compile(r"Float¥[\d,]+"))
    late = Late(page, "**/api/pit")
    route = late.wait()
    page.locator(f".pit-card[data-table={table}] .button", has_text="Manage").click()
    ann = page.locator("[data-player=ann]")
    expect(ann.locator(".number")).to_have_text("$200")
    late.answer(route)
    ann.locator("[data-action=buy-in]").click()
    dialog(page).locator("[name=amount]").fill("100")
    dialog(page).locator("[type=submit]").click()
    expect(ann.locator(".number")).to_have_text("$300")
    assert house.crew_view(table)["funds"] == {"ann": BUY_IN + 10_000}


def test_a_set_up_left_early_leaves_the_currency_of_a_table(house: CrewHouse, visit: Visit) -> None:
    """The set-up form of a table in yen, left before it loads, does not change the currency of another table."""
    table = house.new_table(TAI_SAI)
    house.seat("ann", table)
    page = house.page(visit, "sue", "/pit")
    expect(page.locator(".pit-card").first).to_be_visible()
    late = Late(page, "**/api/books", times=1)
    go(page, f"#setup/{YEN}")
    route = late.wait()
    go(page, f"#table/{table}")
    ann = page.locator("[data-player=ann]")
    expect(ann.locator(".number")).to_have_text("$200")
    with page.expect_response("**/api/floor"):
        late.answer(route)
    settle(page)
    ann.locator("[data-action=buy-in]").click()
    dialog(page).locator("[name=amount]").fill("100")
    dialog(page).locator("[type=submit]").click()
    expect(ann.locator(".number")).to_have_text("$300")


# ---------------------------------------------------------------- what was typed


def test_a_part_that_fails_late_leaves_the_form(house: CrewHouse, visit: Visit) -> None:
    """A late refusal of a part that was left takes nothing from the form on screen."""
    page = house.page(visit, "sue", "/pit#setup")
    name = page.locator("form.setup [name=table]")
    expect(name).to_be_visible()
    late = Late(page, "**/api/report?*")
    go(page, "#reports")
    route = late.wait()
    go(page, "#setup")
    name.fill("HALF-TYPED")
    late.answer(route, **refusal("not-allowed"))
    expect(name).to_have_value("HALF-TYPED")
    expect(page.locator(".toast.bad")).to_have_count(0)


def test_a_set_up_done_late_takes_nobody_away(house: CrewHouse, visit: Visit) -> None:
    """A late answer to a set-up form that was left changes no page; a refusal is still shown."""
    page = house.page(visit, "sue", "/pit#setup")
    form = page.locator("form.setup")
    for answer in ({}, refusal("bad-value")):
        form.locator("[name=table]").fill("SLOWLY")
        form.locator("[name=default-min]").fill("5")
        form.locator("[name=default-max]").fill("100")
        late = Late(page, "**/api/tables", times=1)
        form.locator("[type=submit]").click()
        route = late.wait()
        go(page, "#reports")
        expect(page.locator("[data-part=reports] [name=by]")).to_be_visible()
        late.answer(route, **answer)
        expect(page).to_have_url(re.compile("#reports$"))
        if answer:
            expect(page.locator(".toast.bad")).to_contain_text("Refused: bad-value.")
        go(page, "#setup")
    assert "SLOWLY" in house.running.context.floor.tables


def test_the_lock_leaves_what_was_typed(house: CrewHouse, visit: Visit) -> None:
    """After unlocking a form is as it was left; a part that could not be opened while locked opens."""
    page = house.page(visit, "sue", "/pit#setup")
    name = page.locator("form.setup [name=table]")
    name.fill("HALF-TYPED")
    page.get_by_role("button", name="Lock").click()
    unlock(page)
    settle(page)
    expect(name).to_have_value("HALF-TYPED")
    page.get_by_role("link", name="Skip to content").press("Enter")
    expect(page.locator("#main")).to_be_focused()
    settle(page)
    expect(name).to_have_value("HALF-TYPED")
    page.route("**/api/report?*", lambda route: route.fulfill(**refusal("locked")), times=1)
    go(page, "#reports")
    unlock(page)
    expect(page.locator("[data-part=reports] tbody tr").first).to_be_visible()


def test_a_form_over_which_the_lock_came_goes_on(house: CrewHouse, visit: Visit) -> None:
    """A form refused because the session is locked can be sent again after unlocking."""
    page = house.page(visit, "admin", "/pit#staff")
    page.locator("[data-action=add-staff]").click()
    dialog(page).locator("[name=login]").fill("newcomer")
    dialog(page).locator("[name=name]").fill("New Comer")
    dialog(page).locator("[name=post-dealer]").check()
    page.route("**/api/staff", lambda route: route.fulfill(**refusal("locked")), times=1)
    dialog(page).locator("[type=submit]").click()
    unlock(page)
    settle(page)
    expect(dialog(page).locator("[name=name]")).to_have_value("New Comer")
    dialog(page).locator("[type=submit]").click()
    expect(page.locator(".link-address")).to_be_visible()


# ---------------------------------------------------------------- pressed twice


def test_a_password_is_tried_once(house: CrewHouse, visit: Visit) -> None:
    """Enter pressed twice on a wrong password is one attempt, and the refusal clears nothing typed afterwards."""
    page = house.page(visit, "sue", "/pit#setup")
    page.get_by_role("button", name="Lock").click()
    lock = page.locator("dialog.lock[open]")
    late = Late(page, "**/api/unlock")
    lock.locator("input").fill("not the password")
    page.keyboard.press("Enter")
    route = late.wait()
    page.keyboard.press("Enter")
    settle(page)
    assert late.held == []
    late.answer(route, **refusal("wrong-password"))
    expect(lock.locator(".fault")).to_be_visible()
    page.unroute("**/api/unlock")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(lock).to_have_count(0)


def test_a_link_is_made_once(house: CrewHouse, visit: Visit) -> None:
    """The link button pressed twice creates one link; a late link does not open over another part."""
    page = house.page(visit, "admin", "/pit#staff")
    link = page.locator("[data-login=dan]").get_by_role("button", name="Link")
    late = Late(page, "**/api/staff/dan/link")
    link.dblclick()
    route = late.wait()
    settle(page)
    assert late.held == []
    late.answer(route)
    expect(dialog(page).locator(".link-address")).to_have_value(re.compile("/welcome"))
    page.keyboard.press("Escape")
    expect(dialog(page)).to_have_count(0)
    link.click()
    route = late.wait()
    go(page, "#house")
    expect(page.locator("#audit")).to_be_visible()
    late.answer(route)
    expect(dialog(page)).to_have_count(0)


def test_limits_are_asked_for_once(house: CrewHouse, visit: Visit) -> None:
    """The limits button pressed twice opens one dialog, none over another part, and reports a lost connection."""
    table = house.new_table(TAI_SAI)
    book = re.compile("/api/books/rws-tai-sai-v6$")
    page = house.page(visit, "sue", f"/pit#table/{table}")
    button = page.locator("[data-action=set-limits]")
    page.route(book, lambda route: route.abort("connectionrefused"), times=1)
    button.click()
    expect(page.locator(".toast.bad")).to_be_visible()
    late = Late(page, book, times=1)
    button.click()
    route = late.wait()
    go(page, "#house")
    expect(page.locator("#audit")).to_be_visible()
    late.answer(route)
    expect(dialog(page)).to_have_count(0)
    page.goto("about:blank")
    page.goto(f"{house.address}/pit#table/{table}")
    late = Late(page, book, times=1)
    button.dblclick()
    late.answer(late.wait())
    expect(dialog(page).locator("[name=default-max]")).to_be_visible()
    expect(dialog(page)).to_have_count(1)


def test_a_part_takes_its_dialogs_along(house: CrewHouse, visit: Visit) -> None:
    """Leaving a part closes its dialogs; the lock stays."""
    table = house.new_table(TAI_SAI)
    page = house.page(visit, "kim", f"/pit#table/{table}")
    page.locator("[data-action=disable]").click()
    expect(dialog(page)).to_be_visible()
    go(page, "#setup")
    expect(page.locator("form.setup")).to_be_visible()
    expect(dialog(page)).to_have_count(0)
    page.get_by_role("button", name="Lock").click()
    expect(page.locator("dialog.lock[open]")).to_be_visible()
    go(page, f"#setup/{table}")
    expect(page.locator("form.setup [name=table]")).to_have_value(table)
    expect(page.locator("dialog.lock[open]")).to_be_visible()


# ---------------------------------------------------------------- out of turn


def test_the_journal_follows_its_filters(house: CrewHouse, visit: Visit) -> None:
    """Older answers do not replace newer ones, a half-typed number does not change the order, refusals are shown."""
    table = house.new_table(TAI_SAI)
    page = house.page(visit, "sue", f"/pit#journal/{table}")
    rows = page.locator(".journal tbody tr")
    first = rows.first.locator("td").first
    expect(rows.first).to_be_visible()
    newest = first.inner_text()
    late = Late(page, "**/journal?*", times=1)
    page.get_by_role("button", name="Refresh").click()
    route = late.wait()
    page.locator("[name=round]").press_sequentially("1")
    late.answer(route)
    expect(first).to_have_text(newest)
    page.locator("[name=round]").fill("")
    late = Late(page, re.compile(r"/journal\?.*by=sue$"), times=1)
    page.locator("[name=by]").fill("sue")
    page.locator("[name=by]").blur()
    route = late.wait()
    page.locator("[name=kind]").select_option("table-opened")
    expect(rows).to_have_count(1)
    late.answer(route)
    expect(rows).to_have_count(1)
    page.route("**/journal?*", lambda route: route.fulfill(**refusal("not-here")), times=1)
    page.locator("[name=kind]").select_option("")
    expect(page.locator("[data-part=journal] [role=status]")).to_have_text("Refused: not-here.")
    expect(rows).to_have_count(0)


def test_reports_follow_their_filters(house: CrewHouse, visit: Visit) -> None:
    """An older report does not replace a newer one, the file is of the same query, and refusals are shown."""
    house.new_table(TAI_SAI)
    page = house.page(visit, "sue", "/pit#reports")
    span, rows = page.locator("[data-part=reports] [name=by]"), page.locator("[data-part=reports] tbody tr")
    expect(rows.first).to_be_visible()
    late = Late(page, "**/api/report?by=month")
    span.select_option("month")
    route = late.wait()
    span.select_option("year")
    file = page.locator("[data-part=reports] [download='report.csv']")
    expect(file).to_have_attribute("href", "/api/report?by=year&form=csv")
    late.answer(route)
    expect(file).to_have_attribute("href", "/api/report?by=year&form=csv")
    expect(rows.first.locator("td").first).to_have_text(re.compile(r"^\d{4}$"))
    span.select_option("month")
    late.answer(late.wait(), **refusal("not-here"))
    expect(page.locator("[data-part=reports] .fault")).to_have_text("Refused: not-here.")
    expect(rows).to_have_count(0)
    expect(file).to_have_count(0)


def test_a_cleared_alert_stays_cleared(house: CrewHouse, visit: Visit) -> None:
    """A late list of alerts from before one was cleared does not bring it back."""
    table = house.new_table(TAI_SAI)
    house.do("dan", table, c.SuspendTable("the dome is dull"))
    page = house.page(visit, "sue", "/pit")
    waiting = page.locator(".alert:not(.cleared)", has_text="the dome is dull")
    expect(waiting).to_be_visible()
    late = Late(page, "**/api/alerts?*", times=1)
    route = late.wait()
    before = route.fetch()
    waiting.get_by_role("button").click()
    dialog(page).locator("[type=submit]").click()
    expect(page.locator(".alert.cleared", has_text="the dome is dull")).to_be_attached()
    Late(page, "**/api/alerts?*")  # no newer answer corrects it
    late.answer(route, response=before)
    expect(waiting).to_have_count(0)


# ---------------------------------------------------------------- the audit


def test_the_audit_is_looked_at_again(house: CrewHouse, visit: Visit) -> None:
    """A failed poll of the audit is repeated; a refused one is shown, and the audit can be started again."""
    page = house.page(visit, "ada", "/pit#house")
    button = page.locator("[data-action=audit]")
    expect(page.locator("#audit [role=status]:not(#proven)")).not_to_be_empty()
    run: dict[str, Any] = {"state": "running", "by": "ada", "records": 1, "total": 9, "findings": [], "fault": ""}
    done = {**run, "state": "done", "records": 9, "ended_at": 1_700_000_000_000_000}
    answers: list[dict[str, Any] | None] = [{"json": run}, None, None, {"json": done}]
    answers += [{"json": run}, refusal("not-allowed")]

    def answer(route: Route) -> None:
        now = answers.pop(0)
        if now is None:
            route.abort("connectionrefused")
        else:
            route.fulfill(**now)

    page.route("**/api/house/audit", answer)
    button.click()
    expect(page.locator("#audit .fine")).to_contain_text("by ada")
    expect(page.locator("#audit progress")).to_be_hidden()
    button.click()
    expect(page.locator(".toast.bad")).to_contain_text("Refused: not-allowed.")
    expect(page.locator("#audit progress")).to_be_hidden()
    expect(button).to_be_enabled()
