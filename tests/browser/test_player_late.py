"""A player, a guest and a trainee on a bad connection: answers come late, twice, cut off or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import pytest
from playwright.sync_api import Page, Route, expect

from taisai.table import commands as c
from tests.browser.crew import BUY_IN, TAI_SAI, CrewHouse
from tests.browser.felt import box, sit, stack
from tests.browser.floor import Floor, Wire
from tests.browser.late import Late
from tests.browser.visits import WAIT_MS, Visit
from tests.web.serving import FLOAT, set_up_of

CUT_OFF = """(path) => { const fetched = window.fetch; window.fetch = (...asked) =>
    String(asked[0]).startsWith(path)
      ? Promise.resolve(new Response(new ReadableStream({start: (body) => body.error(new TypeError("cut off"))}),
          {headers: {"content-type": "application/json"}}))
      : fetched(...asked); }"""
"""From now on the bodies of answers for a path are cut off."""
READ = "(path) => fetch(path).then((answer) => answer.text()).then(() => new Promise(requestAnimationFrame))"
"""Fetch something and wait for a frame: the page has handled everything that came before."""


@pytest.fixture
def line(house: CrewHouse) -> Iterator[Wire]:
    """A connection to the house that can be cut."""
    made = Wire(Floor(house.address).port)
    yield made
    made.close()


def sit_by_code(house: CrewHouse, visit: Visit, table: str, line: Wire) -> Page:
    """The page of ann, who sat down with a seat code and has chips."""
    code = house.wait(house.running.crew["dan"].seat_code(table, "ann", BUY_IN))
    page = visit(f"/play?table={table}", at=line.address)
    page.locator("[name=code]").fill(code.code)
    page.locator("form.sit button").click()
    expect(page.locator(".rail-chip").first).to_be_visible()
    house.do("dan", table, c.BuyIn("ann", BUY_IN), c.OpenBets())
    expect(page.locator("#funds")).to_have_text("$200")
    expect(page.locator("body[data-phase=betting]")).to_be_attached()
    page.locator(".rail-chip").nth(1).click()
    return page


def next_round(house: CrewHouse, table: str) -> None:
    """Finish the round with dice that pay nobody, and open bets again."""
    house.do("dan", table, c.CloseBets(), c.Tumble(3), c.Uncover((1, 1, 1)), c.Announce(), c.Collect(), c.OpenBets())


def stakes(house: CrewHouse, table: str) -> dict[str, int]:
    """What ann has on the felt, in the public view."""
    found: dict[str, int] = Floor(house.address).get(f"/api/tables/{table}")["view"]["stakes"].get("ann", {})
    return found


def come_back(page: Page, line: Wire) -> None:
    """Restore the connection and wait until the page has reconnected."""
    line.mend()
    expect(page.locator("#banner")).to_be_hidden()
    expect(page.locator("body[data-phase=betting]")).to_be_attached()


def fail_once(page: Page, address: str) -> None:
    """Make the next request for an address fail."""

    def fail(route: Route) -> None:
        route.abort("connectionrefused")

    page.route(address, fail, times=1)


# ---------------------------------------------------------------- rounds


def test_nothing_of_an_earlier_round_is_undone_after_coming_back(house: CrewHouse, visit: Visit, line: Wire) -> None:
    """After reconnecting in another round, nothing of the earlier one can be undone."""
    table = house.new_table(TAI_SAI)
    page = sit_by_code(house, visit, table, line)
    box(page, "small").click()
    expect(stack(page, "small")).to_have_attribute("data-amount", "500")
    page.locator("[data-action=clear]").click()
    expect(stack(page, "small")).not_to_be_attached()
    undo = page.locator("[data-action=undo]")
    expect(undo).to_be_enabled()
    line.cut()
    expect(page.locator("#banner")).to_be_visible()
    next_round(house, table)
    come_back(page, line)
    expect(undo).to_be_disabled()
    box(page, "big").click()
    expect(undo).to_be_enabled()
    undo.click()
    expect(stack(page, "big")).not_to_be_attached()
    assert stakes(house, table) == {}


def test_a_bet_that_comes_too_late_for_its_round_ends_there(house: CrewHouse, visit: Visit, line: Wire) -> None:
    """A bet made without a connection is refused if its round is over when it arrives, and leaves the felt."""
    table = house.new_table(TAI_SAI)
    page = sit_by_code(house, visit, table, line)
    line.cut()
    expect(page.locator("#banner")).to_be_visible()
    box(page, "small").click()
    expect(stack(page, "small")).to_have_attribute("data-amount", "500")
    next_round(house, table)
    come_back(page, line)
    expect(page.locator(".toast.bad")).to_have_count(1)
    expect(page.locator(".toast.bad")).to_contain_text("round 1")
    expect(stack(page, "small")).not_to_be_attached()
    expect(page.locator("#on-felt")).to_have_text("$0")
    expect(page.locator("#funds")).to_have_text("$200")
    expect(page.locator("[data-action=undo]")).to_be_disabled()
    box(page, "small").click()
    expect(page.locator("#on-felt")).to_have_text("$5")
    assert stakes(house, table) == {"small": 500}


def test_the_rest_of_several_bets_does_not_fall_into_the_next_round(house: CrewHouse, visit: Visit, line: Wire) -> None:
    """If the connection is lost while two bets are doubled, the second is not made in a later round."""
    table = house.new_table(TAI_SAI)
    page = sit_by_code(house, visit, table, line)
    for name in ("small", "big"):
        box(page, name).click()
        expect(stack(page, name)).to_have_attribute("data-amount", "500")
    expect(page.locator("#on-felt")).to_have_text("$10")
    line.mute()
    page.locator("[data-action=double]").click()
    until = monotonic() + WAIT_MS / 1000
    while stakes(house, table) != {"small": 1_000, "big": 500} and monotonic() < until:
        pass  # each look asks the house: the first is on its way
    line.cut()
    expect(page.locator("#banner")).to_be_visible()
    next_round(house, table)
    come_back(page, line)
    expect(page.locator(".toast.bad")).to_contain_text("round 1")
    expect(page.locator("#on-felt")).to_have_text("$0")
    assert stakes(house, table) == {}


# ---------------------------------------------------------------- currency and cloth


def test_a_table_set_up_anew_has_its_new_currency(house: CrewHouse, visit: Visit) -> None:
    """A table set up again in another currency shows it on the sign and on the start page."""
    table = house.new_table(TAI_SAI)
    page = visit(f"/play?table={table}", at=house.address)
    expect(page.locator(".limits")).to_contain_text("$1 to $100")
    house.do("sue", table, c.CloseTable(FLOAT), set_up_of(TAI_SAI, currency="JPY"))
    expect(page.locator(".limits")).to_contain_text("¥100 to ¥10,000")
    floor = visit("/", at=house.address)
    expect(floor.locator(f'[data-table="{table}"]')).to_contain_text("¥100 to ¥10,000")


def test_a_felt_that_does_not_come_is_asked_for_again(visit: Visit, floor: Floor) -> None:
    """A felt that failed to load is reported and requested again, and then takes a bet."""
    page = visit("/docs")
    fail_once(page, "**/felt.svg?lang=en&palette=*")
    page.goto(floor.address + "/play?table=SLOW")
    expect(page.locator(".toast.bad")).to_be_visible()
    sit(page)
    box(page, "small").click()
    expect(stack(page, "small")).to_be_attached()


def test_the_cloth_is_the_one_chosen_last(visit: Visit) -> None:
    """The red cloth arrives after green was chosen again: green stays."""
    page = visit("/play?table=SLOW")
    expect(box(page, "small")).to_be_attached()
    red = Late(page, "**/felt.svg?lang=en&palette=red").held
    page.get_by_role("button", name="Settings").click()
    colour = page.locator("dialog[open] select").nth(2)
    with page.expect_request("**/felt.svg?lang=en&palette=red"):
        colour.select_option("red")
    before = page.locator("svg.felt").evaluate_handle("(felt) => felt")
    colour.select_option("green")
    page.wait_for_function("(before) => !before.isConnected", arg=before)
    page.locator("svg.felt").evaluate("(felt) => { felt.dataset.test = 'green'; }")
    path = "/api/books/rws-tai-sai-v6/layouts/C/felt.svg?lang=en&palette=red"
    with page.expect_response("**/felt.svg?lang=en&palette=red"):
        red.pop().continue_()
    page.unroute("**/felt.svg?lang=en&palette=red")
    page.evaluate(READ, path)
    expect(page.locator("svg.felt")).to_have_attribute("data-test", "green")


# ---------------------------------------------------------------- pressed twice


def test_two_taps_on_a_table_seat_one_guest(visit: Visit) -> None:
    """Two taps on Sit down on the start page ask for one seat."""
    page = visit("/")
    asked = Late(page, "**/api/seat").held
    with page.expect_request("**/api/seat"):
        page.locator('[data-table="SLOW"] button').dblclick()
    page.evaluate(READ, "/api/floor")
    assert len(asked) == 1
    asked[0].continue_()
    expect(page.locator(".rail-chip").first).to_be_visible()


def test_two_taps_at_the_table_seat_one_guest(visit: Visit) -> None:
    """Two taps on Sit down at the table ask for one seat; after a failure it can be tapped again."""
    page = visit("/play?table=SLOW")
    fail_once(page, "**/api/seat*")
    page.locator("[data-action=sit]").click()
    expect(page.locator(".toast.bad")).to_be_visible()
    asked = Late(page, "**/api/seat*").held
    with page.expect_request("**/api/seat*"):
        page.locator("[data-action=sit]").dblclick()
    page.evaluate(READ, "/api/floor")
    assert len(asked) == 1
    asked[0].continue_()
    expect(page.locator(".rail-chip").first).to_be_visible()


def test_a_drill_is_not_replaced_by_one_asked_for_before(visit: Visit) -> None:
    """Begin is pressed twice: a late drill does not replace the one on screen and its answers."""
    page = visit("/train?layout=rws-tai-sai-v6/A&level=1")
    drills = Late(page, "**/api/training/drill").held
    with page.expect_request("**/api/training/drill"):
        page.get_by_role("button", name="Begin").dblclick()
    page.evaluate(READ, "/api/floor")
    drills.pop().continue_()
    expect(page.locator(".felt g.stack").first).to_be_attached()
    page.locator("input[name=call]").fill("mine")
    here = page.url
    for late in drills:
        with page.expect_response("**/api/training/drill"):
            late.continue_()
    page.evaluate(READ, "/api/floor")
    expect(page.locator("input[name=call]")).to_have_value("mine")
    expect(page).to_have_url(here)


def test_a_drill_that_was_left_does_not_come_after_all(visit: Visit) -> None:
    """A drill that arrives after another layout was chosen is dropped."""
    page = visit("/train?layout=rws-tai-sai-v6/A&level=1")
    drills = Late(page, "**/api/training/drill").held
    with page.expect_request("**/api/training/drill"):
        page.get_by_role("button", name="Begin").click()
    page.locator("form select").select_option("nz-division-9/1")
    with page.expect_response("**/api/training/drill"):
        drills.pop().continue_()
    page.evaluate(READ, "/api/floor")
    expect(page.locator("form select")).to_have_value("nz-division-9/1")


def test_a_drill_is_marked_once_and_kept_under_its_own_layout(visit: Visit) -> None:
    """Hand in is pressed twice and another layout chosen before the marks come: one result of the drill is stored."""
    page = visit("/train?layout=rws-tai-sai-v6/A&level=1&seed=exam")
    page.get_by_role("button", name="Begin").click()
    for _ in range(3):
        page.locator(".work button[type=submit]").click()
    marks = Late(page, "**/api/training/mark").held
    with page.expect_request("**/api/training/mark"):
        page.locator(".work button[type=submit]").dblclick()
    page.evaluate(READ, "/api/floor")
    assert len(marks) == 1
    page.locator(".drill-top button").click()
    page.locator("form select").select_option("nz-division-9/1")
    marks[0].continue_()
    page.wait_for_function("() => localStorage.getItem('taisai.train.results')")
    (kept,) = page.evaluate("JSON.parse(localStorage.getItem('taisai.train.results'))")
    assert (kept["layout"], kept["seed"]) == ("rws-tai-sai-v6/A", "exam")


# ---------------------------------------------------------------- cut off


@pytest.mark.parametrize("how", ["cut off", "not sent"])
def test_a_history_that_does_not_come_is_told(visit: Visit, how: str) -> None:
    """A history that is cut off or does not come is reported to the player."""
    page = visit("/play?table=SLOW")
    sit(page)
    if how == "cut off":
        page.evaluate(CUT_OFF, "/api/me/rounds")
    else:
        fail_once(page, "**/api/me/rounds*")
    page.locator("[data-action=history]").click()
    expect(page.locator(".toast.bad")).to_contain_text("The server cannot be reached.")


def test_the_way_to_sit_down_is_asked_for_until_it_is_known(house: CrewHouse, visit: Visit) -> None:
    """In a house without guests the form for a seat code appears even if the first answer was lost."""
    table = house.new_table(TAI_SAI)
    page = visit("/docs", at=house.address)
    fail_once(page, "**/api/floor")
    page.goto(f"{house.address}/play?table={table}")
    expect(page.locator("form.sit [name=code]")).to_be_visible()
