"""The crew on a bad connection: no command reaches another round or player, or is done twice or by a stray key."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from taisai.core.rulebook import Fact
from taisai.table import commands as c
from tests.browser.crew import BUY_IN, TAI_SAI, CrewHouse
from tests.browser.desk import dealt_to, form_of, next_is
from tests.browser.late import Late, PlaySocket
from tests.browser.visits import Visit
from tests.web.serving import FLOAT, PASSWORD, set_up_of

OVER = "The round this was meant for is over."
LOST = "Connection lost"


def on_a_line(house: CrewHouse, visit: Visit, login: str, path: str) -> tuple[Page, PlaySocket]:
    """A page of a member of the crew, and its play socket."""
    page = house.page(visit, login, "/rules")
    line = PlaySocket(page)
    page.goto(house.address + path)
    return page, line


def next_round(house: CrewHouse, table: str, *steps: c.Action) -> None:
    """Another dealer voids the round and begins the next."""
    house.do("dan", table, c.Report(Fact.NOT_FLAT), c.OpenBets(), *steps)


# ---------------------------------------------------------------- another round


def test_a_form_does_not_outlive_its_round(house: CrewHouse, visit: Visit) -> None:
    """A form that was open when another round began says so and cannot be sent; the new round goes on."""
    table = house.new_table(TAI_SAI)
    page = house.page(visit, "dan", f"/deal?table={table}")
    dealt_to(page, house, table, "close-bets")
    page.keyboard.press("v")
    form = form_of(page, "report")
    expect(form.locator("[type=submit]")).to_be_enabled()
    next_round(house, table)
    expect(form.locator(".fault")).to_have_text(OVER)
    expect(form.locator("[type=submit]")).to_be_disabled()
    page.keyboard.press("Enter")
    form.get_by_role("button", name="Cancel").click()
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".deal-state")).to_have_text("Round 2 · Place your bets")
    assert house.crew_view(table)["next"]["do"] == "close-bets"


def test_a_form_that_knows_of_no_new_round_is_refused(house: CrewHouse, visit: Visit) -> None:
    """A form is for the round in which it was opened, even if the page does not know of another yet."""
    table = house.new_table(TAI_SAI)
    house.seat("ann", table)
    page, line = on_a_line(house, visit, "dan", f"/deal?table={table}")
    dealt_to(page, house, table, "close-bets")
    page.locator("[data-player=ann] .person").click()
    page.locator("dialog[open] [data-action=place-bet]").click()
    form = form_of(page, "place-bet")
    form.locator("[name=amount]").fill("10")
    line.hold("change", "snapshot", "crew")
    next_round(house, table)
    form.locator("[type=submit]").click()
    expect(form.locator(".fault")).to_be_visible()
    expect(form.locator("[type=submit]")).to_be_enabled()
    assert [each["round"] for each in line.asked] == [1]
    assert house.crew_view(table)["funds"] == {"ann": BUY_IN}
    line.release()
    expect(form.locator(".fault")).to_have_text(OVER)


def test_faces_do_not_outlive_their_round(house: CrewHouse, visit: Visit) -> None:
    """Faces typed for a round that was then void are dropped: the next dice are not uncovered with them."""
    table = house.new_table(TAI_SAI)
    page = house.page(visit, "dan", f"/deal?table={table}")
    dealt_to(page, house, table, "uncover")
    for face in "124":
        page.keyboard.press(face)
    button = page.locator("#next")
    expect(button).to_contain_text("1-2-4")
    next_round(house, table, c.CloseBets(), c.Tumble(3))
    expect(page.locator(".deal-state")).to_contain_text("Round 2")
    next_is(page, "uncover")
    expect(button).not_to_contain_text("1-2-4")
    expect(button).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Enter")
    for face in "356":
        page.keyboard.press(face)
    expect(button).to_contain_text("3-5-6")
    page.keyboard.press("Enter")
    next_is(page, "announce")
    assert house.running.context.floor.tables[table].state.round.dice == (3, 5, 6)


# ---------------------------------------------------------------- the focus


def test_the_focus_stays_where_it_is(house: CrewHouse, visit: Visit) -> None:
    """While others bet, the focus stays on the button it was moved to by keyboard, and Enter activates that one."""
    table = house.new_table(TAI_SAI)
    ann, bob = house.seat("ann", table), house.seat("bob", table)
    page = house.page(visit, "dan", f"/deal?table={table}")
    dealt_to(page, house, table, "close-bets")
    person, sale = page.locator("[data-player=bob] .person"), page.locator("[data-player=bob] [data-action=buy-in]")
    person.focus()
    house.do(ann, table, c.PlaceBet("ann", "big", 500))
    house.do(bob, table, c.PlaceBet("bob", "big", 500))
    expect(person.locator(".number")).to_have_text("$195")
    expect(person).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open] h2")).to_have_text("bob")
    house.do(bob, table, c.PlaceBet("bob", "big", 500))
    expect(person.locator(".number")).to_have_text("$190")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    expect(person).to_be_focused()
    page.keyboard.press("Tab")
    house.do(bob, table, c.PlaceBet("bob", "big", 500))
    expect(person.locator(".number")).to_have_text("$185")
    expect(sale).to_be_focused()
    page.keyboard.press("Enter")
    expect(form_of(page, "buy-in").locator("[name=player]")).to_have_value("bob")
    assert house.crew_view(table)["next"]["do"] == "close-bets"


def test_enter_is_not_for_the_next_step_when_its_button_has_gone(house: CrewHouse, visit: Visit) -> None:
    """If the focused button disappears, Enter only moves the focus to the large button; the next Enter deals."""
    table = house.new_table(TAI_SAI)
    house.seat("ann", table)
    page = house.page(visit, "dan", f"/deal?table={table}")
    dealt_to(page, house, table, "close-bets")
    house.do("dan", table, c.PlaceBet("ann", "big", 11_500, c.How.FELT))
    page.locator(".breaches [data-action=reject-excess]").focus()
    house.do("dan", table, c.RejectExcess("big"))
    expect(page.locator(".breaches")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator("#next")).to_be_focused()
    assert house.crew_view(table)["next"]["do"] == "close-bets"
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "false")
    page.keyboard.press("Enter")
    next_is(page, "tumble")


def test_a_step_that_only_says_why_takes_no_other(house: CrewHouse, visit: Visit) -> None:
    """A step that is not next can be focused to read its reason; Enter there deals nothing."""
    table = house.new_table(TAI_SAI)
    ann = house.seat("ann", table)
    page = house.page(visit, "dan", f"/deal?table={table}")
    dealt_to(page, house, table, "close-bets")
    later = page.locator(".steps li", has_text="Collect losing")
    later.focus()
    house.do(ann, table, c.PlaceBet("ann", "big", 500))
    expect(page.locator("[data-player=ann] .number")).to_have_text("$195")
    expect(later).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("v")
    expect(form_of(page, "report")).to_be_visible()
    assert house.crew_view(table)["next"]["do"] == "close-bets"


def test_an_opening_check_keeps_its_place(house: CrewHouse, visit: Visit) -> None:
    """When two people share an opening check, what one records does not move the other's focus to another item."""
    table = "CHECK"
    house.wait(house.running.crew["sue"].put_up(table, set_up_of("nz-division-9/1")))
    page = house.page(visit, "sue", f"/pit#table/{table}")
    failed = page.locator("[data-item=tumbler]").get_by_role("button", name="Failed")
    failed.focus()
    house.do("kim", table, c.ReceiveDice("D1"), c.CheckItem("power", True), c.CheckItem("tumbler", True))
    expect(page.locator("[data-item=tumbler]")).to_contain_text("passed, kim")
    expect(failed).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-item=tumbler]")).to_contain_text("failed, sue")
    checks = house.crew_view(table)["checks"]
    assert {item: check["passed"] for item, check in checks.items()} == {"power": True, "tumbler": False}


@pytest.mark.parametrize("selector", ["#next", "[data-player=bob] [data-action=buy-in]"])
def test_a_click_is_not_lost_when_somebody_bets(selector: str, house: CrewHouse, visit: Visit) -> None:
    """A bet that arrives between press and release of the mouse does not lose the click."""
    table = house.new_table(TAI_SAI)
    ann, _ = house.seat("ann", table), house.seat("bob", table)
    page = house.page(visit, "dan", f"/deal?table={table}")
    dealt_to(page, house, table, "close-bets")
    page.locator(selector).hover()
    page.mouse.down()
    house.do(ann, table, c.PlaceBet("ann", "big", 500))
    expect(page.locator("[data-player=ann] .number")).to_have_text("$195")
    page.mouse.up()
    if selector == "#next":
        next_is(page, "tumble")
    else:
        expect(form_of(page, "buy-in").locator("[name=player]")).to_have_value("bob")


# ---------------------------------------------------------------- twice


def test_what_is_on_its_way_cannot_be_cancelled(house: CrewHouse, visit: Visit) -> None:
    """A form that was sent stays open until it is answered, so that nobody sends it twice to be safe."""
    table = house.new_table(TAI_SAI)
    house.seat("ann", table)
    page, line = on_a_line(house, visit, "dan", f"/deal?table={table}")
    page.locator("[data-player=ann] [data-action=buy-in]").click()
    form = form_of(page, "buy-in")
    form.locator("[name=amount]").fill("100")
    line.hold("done", "refused")
    form.locator("[type=submit]").click()
    expect(page.locator("dialog[open]")).to_have_attribute("aria-busy", "true")
    expect(form.get_by_role("button", name="Cancel")).to_be_disabled()
    for _ in range(3):
        page.keyboard.press("Escape")
        expect(form).to_be_visible()
    page.locator("dialog[open] .x").click()
    page.mouse.click(5, 5)
    expect(form).to_be_visible()
    line.release()
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator("[data-player=ann] .number")).to_have_text("$300")
    assert len({each["id"] for each in line.asked}) == 1


def test_nothing_is_begun_without_a_connection(house: CrewHouse, visit: Visit) -> None:
    """Without a connection a form cannot be sent but can be left, and a step is refused: neither is done later."""
    table = house.new_table(TAI_SAI)
    house.seat("ann", table)
    page, line = on_a_line(house, visit, "dan", f"/deal?table={table}")
    next_is(page, "open-bets")
    sale = page.locator("[data-player=ann] [data-action=buy-in]")
    sale.click()
    form = form_of(page, "buy-in")
    form.locator("[name=amount]").fill("100")
    line.cut()
    expect(form.locator(".fault")).to_contain_text(LOST)
    expect(form.locator("[type=submit]")).to_be_disabled()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.locator("#next").click()
    expect(page.locator(".toast.bad")).to_contain_text(LOST)
    sale.click()
    form.locator("[name=amount]").fill("100")
    line.mend()
    expect(form.locator(".fault")).to_be_hidden()
    form.locator("[type=submit]").click()
    expect(page.locator("[data-player=ann] .number")).to_have_text("$300")
    assert [each["do"]["do"] for each in line.asked] == ["buy-in"]
    next_is(page, "open-bets")


def test_the_same_asked_again_has_the_same_id(house: CrewHouse, visit: Visit) -> None:
    """A form sent again unchanged has the same command id, a changed one another; opening a clause sends nothing."""
    table = house.new_table(TAI_SAI)
    house.seat("ann", table)
    page, line = on_a_line(house, visit, "dan", f"/deal?table={table}")
    dealt_to(page, house, table, "close-bets")
    page.keyboard.press("b")
    form = form_of(page, "place-bet")
    form.locator("[name=box]").select_option("big")
    for amount, sent in (("101", 1), ("101", 2), ("102", 3)):
        form.locator("[name=amount]").fill(amount)
        page.keyboard.press("Enter")
        expect(form.locator(".fault")).to_be_visible()
        expect(form.locator("[type=submit]")).to_be_enabled()
        assert len(line.asked) == sent
    one, two, three = (each["id"] for each in line.asked)
    assert one == two != three
    form.locator(".fault .link").first.click()
    expect(page.locator("dialog[open]")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    assert len(line.asked) == 3


def test_a_form_goes_with_its_table(house: CrewHouse, visit: Visit) -> None:
    """Leaving a table closes its form; a command without an answer is reported."""
    table = house.new_table(TAI_SAI)
    page, line = on_a_line(house, visit, "sue", f"/pit#table/{table}")
    for on_its_way in (False, True):
        page.locator("[data-action=suspend-table]").click()
        form = form_of(page, "suspend-table")
        form.locator("[name=cause]").fill("the dome is cracked")
        if on_its_way:
            line.hold("done", "refused")
            page.keyboard.press("Enter")
            expect(page.locator("dialog[open]")).to_have_attribute("aria-busy", "true")
        page.evaluate("location.hash = '#floor'")
        expect(page.locator("dialog")).to_have_count(0)
        expect(page.locator(f".pit-card[data-table={table}]")).to_be_visible()
        page.evaluate("(part) => { location.hash = part; }", f"#table/{table}")
    expect(page.locator(".toast.bad")).to_contain_text("cannot be reached")


# ---------------------------------------------------------------- late, or not at all


def test_a_felt_that_failed_is_asked_for_again(house: CrewHouse, visit: Visit) -> None:
    """A felt that failed to load is requested again."""
    table = house.new_table(TAI_SAI)
    page = house.page(visit, "dan", "/rules")
    failed: list[Route] = []

    def fail(route: Route) -> None:
        failed.append(route)
        route.abort("connectionreset")

    page.route("**/felt.svg*", fail)
    with page.expect_event("requestfailed"):
        page.goto(f"{house.address}/deal?table={table}")
    next_is(page, "open-bets")
    expect(page.locator("#felt svg")).to_have_count(0)
    page.unroute("**/felt.svg*")
    house.do("dan", table, c.OpenBets())
    expect(page.locator("#felt [data-box=big]")).to_be_visible()
    assert failed


def test_an_older_felt_does_not_cover_a_newer_one(house: CrewHouse, visit: Visit) -> None:
    """The green cloth arrives after red was chosen: red stays."""
    table = house.new_table(TAI_SAI)
    ann = house.seat("ann", table)
    page = house.page(visit, "dan", "/rules")
    held = Late(page, "**/felt.svg?lang=en&palette=green").held
    page.goto(f"{house.address}/deal?table={table}")
    next_is(page, "open-bets")
    page.get_by_role("button", name="Settings").click()
    page.locator("dialog[open] select", has_text="Red").select_option("red")
    page.keyboard.press("Escape")
    expect(page.locator("#felt svg.red")).to_be_visible()
    with page.expect_response("**/felt.svg?lang=en&palette=green"):
        held.pop(0).continue_()
    house.do("dan", table, c.OpenBets())
    house.do(ann, table, c.PlaceBet("ann", "big", 500))
    expect(page.locator("#felt svg.red g.box[data-box=big]")).to_have_attribute("aria-label", "Big, ann $5")
    expect(page.locator("#felt svg.green")).to_have_count(0)


def test_the_lock_opens_on_the_table_as_it_is(house: CrewHouse, visit: Visit) -> None:
    """After unlocking, the desk shows what happened while it was locked, and the right next step."""
    table = house.new_table(TAI_SAI)
    page = house.page(visit, "dan", f"/deal?table={table}")
    next_is(page, "open-bets")
    with page.expect_response("**/api/lock"):
        page.get_by_role("button", name="Lock").click()
    house.do("dan", table, c.OpenBets())
    expect(page.locator(".deal-state")).to_have_text("Round 1 · Place your bets")
    page.locator("dialog.lock input").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("dialog.lock")).to_have_count(0)
    next_is(page, "close-bets")


def test_a_form_over_which_the_lock_came_is_sent_again(house: CrewHouse, visit: Visit) -> None:
    """If the session is locked while a form is open, the form is unchanged after unlocking and can be sent."""
    table = house.new_table(TAI_SAI)
    house.seat("ann", table)
    page = house.page(visit, "sue", f"/pit#table/{table}")
    page.locator("[data-action=suspend-table]").click()
    form = page.locator("dialog[open]:not(.lock) form")
    words = form.locator("[name=cause]")
    words.fill("the felt is torn")
    page.evaluate("() => import('/static/lib/api.js').then((api) => api.post('/api/lock'))")
    form.locator("[type=submit]").click()
    lock = page.locator("dialog.lock[open]")
    lock.locator("input").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(lock).to_have_count(0)
    expect(words).to_have_value("the felt is torn")
    form.locator("[type=submit]").click()
    expect(page.locator("dialog")).to_have_count(0)
    assert house.running.context.floor.tables[table].state.suspended


@pytest.mark.parametrize(("login", "path"), [("dan", "/deal?table="), ("sue", "/pit#table/")])
def test_a_table_set_up_anew_shows_its_new_currency(login: str, path: str, house: CrewHouse, visit: Visit) -> None:
    """A table set up again in yen under the same layout shows no dollars any more."""
    table = house.new_table(TAI_SAI)
    page = house.page(visit, login, path + table)
    figures = page.locator(".facts, .figures").first
    expect(figures).to_contain_text("$6,000")
    house.do("sue", table, c.CloseTable(FLOAT), set_up_of(TAI_SAI, currency="JPY"))
    house.do("sue", table, c.CountFloat(FLOAT))
    expect(figures).to_contain_text("¥600,000")
    expect(figures).not_to_contain_text("$")
