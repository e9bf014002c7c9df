"""The pit in a browser: what supervisors, managers, auditors and administrators do there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from taisai.core.rulebook import Fact
from taisai.table import commands as c
from tests.browser.crew import BUY_IN, NZ, TAI_SAI, CrewHouse, authorise
from tests.browser.desk import form_of, next_is
from tests.browser.felt import box
from tests.browser.late import Late
from tests.browser.visits import Visit
from tests.web.serving import PASSWORD, shelf


def entered_wrong(house: CrewHouse) -> str:
    """A table where the dice show 1-2-4 and 1-2-5 was entered."""
    table = house.new_table(NZ)
    ann = house.seat("ann", table)
    house.do("dan", table, c.Tumble(3), c.OpenBets())
    house.do(ann, table, c.PlaceBet("ann", "small", 1_000))
    house.do("dan", table, c.CloseBets(), c.Uncover((1, 2, 4)), c.Announce())
    house.do("dan", table, *(c.Press(face) for face in (1, 2, 5)), c.Enter())
    return table


def journal(page: Page, house: CrewHouse, table: str) -> None:
    """Go to the journal of a table, newest first."""
    page.goto(f"{house.address}/pit#journal/{table}")
    expect(page.locator(".journal tbody tr").first).to_be_visible()


def test_an_entry_is_amended_by_two(house: CrewHouse, visit: Visit) -> None:
    """A dealer corrects a wrong entry with a supervisor, not alone; the record names both, and the reason."""
    table = entered_wrong(house)
    page = house.page(visit, "sue", f"/pit#table/{table}")
    expect(page.locator(".round-facts")).to_contain_text("entered 1-2-5")
    dealer = house.page(visit, "dan", f"/deal?table={table}")
    expect(dealer.locator("#next")).to_have_attribute("data-next", "amend-entry")
    dealer.locator("#next").click()
    expect(dealer.locator("dialog[open] [name=dice]")).to_have_value("1-2-4")
    dealer.locator("dialog[open] [name=second-login]").fill("dan")
    dealer.locator("dialog[open] [name=second-password]").fill(PASSWORD)
    dealer.locator("dialog[open] [name=reason]").fill("mine alone")
    dealer.locator("dialog[open] [type=submit]").click()
    expect(dealer.locator("dialog[open] .fault")).to_be_visible()
    authorise(dealer, "pat", "5 was pressed for 4")
    expect(page.locator(".round-facts")).to_contain_text("entered 1-2-4")
    journal(page, house, table)
    row = page.locator(".journal tbody tr").first
    for words in ("dan", "authorised by Pat (pat)", "5 was pressed for 4"):
        expect(row).to_contain_text(words)


def test_a_second_person_approves_on_their_phone(house: CrewHouse, visit: Visit) -> None:
    """The dealer asks, the supervisor sees it on their phone: a declined request says why, an approved one is done."""
    table = house.new_table("nz-division-9/1")
    for step in (c.Tumble(3), c.OpenBets(), c.CloseBets(), c.Uncover((1, 2, 4)), c.Announce()):
        house.do("dan", table, step)
    house.do("dan", table, *(c.Press(face) for face in (1, 2, 5)), c.Enter())
    desk = house.page(visit, "dan", f"/deal?table={table}")
    phone = house.page(visit, "sue", "/pit", viewport={"width": 390, "height": 844})
    next_is(desk, "amend-entry")
    desk.keyboard.press("Enter")
    form = form_of(desk, "amend-entry")
    form.locator("[name=reason]").fill("a five was pressed for a four")
    for approve in (False, True):
        form.locator("[data-action=ask-elsewhere]").click()
        expect(form.locator(".asked")).to_contain_text("Supervisor to approve this at their own screen")
        waiting = phone.locator(".request")
        expect(waiting).to_contain_text("Amend entry")
        expect(waiting).to_contain_text("1-2-4")
        expect(waiting).to_contain_text("a five was pressed for a four")
        waiting.locator(f"[data-action={'approve' if approve else 'decline'}]").click()
        said = phone.locator("dialog[open]")
        if approve:
            said.locator("[name=password]").fill(PASSWORD)
        else:
            said.locator("[name=note]").fill("read it again")
        said.locator("[type=submit]").click()
        if not approve:
            expect(form.locator(".fault")).to_contain_text("sue declined. read it again")
        expect(waiting).to_have_count(0)
    expect(desk.locator("dialog")).to_have_count(0)
    next_is(desk, "collect")
    assert house.running.context.floor.tables[table].state.round.entered == (1, 2, 4)


def test_an_entry_is_amended_by_a_supervisor(house: CrewHouse, visit: Visit) -> None:
    """A supervisor corrects a wrong entry in the pit: nobody beside them is asked for, and a reason is."""
    table = entered_wrong(house)
    page = house.page(visit, "sue", f"/pit#table/{table}")
    page.locator("[data-action=amend-entry]").click()
    form = page.locator("dialog[open] form")
    expect(form.locator("[name=dice]")).to_have_value("1-2-4")
    expect(form.locator("[name=second-login]")).to_have_count(0)
    form.locator("[name=reason]").fill("the dealer pressed 5 for 4")
    form.locator("[type=submit]").click()
    expect(page.locator(".round-facts")).to_contain_text("entered 1-2-4")
    journal(page, house, table)
    expect(page.locator(".journal tbody tr").first).to_contain_text("the dealer pressed 5 for 4")


def test_a_round_is_voided_by_two(house: CrewHouse, visit: Visit) -> None:
    """Once the dice are known a second person attests what voids the round; all bets are returned."""
    table = entered_wrong(house)
    page = house.page(visit, "sue", f"/pit#table/{table}")
    page.locator("[data-action=report]").click()
    page.locator("dialog[open] [name=fact]").select_option("not-flat")
    page.locator("dialog[open] [name=announced]").select_option("yes")
    page.locator("dialog[open] [type=submit]").click()
    expect(page.locator("dialog")).to_have_count(0)
    house.do("kim", table, c.Attest(Fact.NOT_FLAT, confirmed=True))
    expect(page.locator("[data-round='1']")).to_contain_text("Void: a die does not lie flat")
    assert house.crew_view(table)["funds"] == {"ann": BUY_IN}


def test_a_new_table_is_set_up_checked_and_opened(house: CrewHouse, visit: Visit) -> None:
    """A supervisor sets up a new table, records its opening check item by item, and opens it."""
    page = house.page(visit, "sue", "/pit")
    page.get_by_role("link", name="Open a new table").click()
    form = page.locator("form.setup")
    form.locator("[name=book]").select_option("nz-division-9")
    form.locator("[name=layout]").select_option("2")
    for name, value in (("table", "NEW-1"), ("currency", "NZD"), ("dice", "D7"), ("seal", "S-77")):
        form.locator(f"[name={name}]").fill(value)
    form.locator("[name=chips]").fill("1, 5, 25")
    form.locator("[name=coverage]").select_option("kinds")
    form.locator("[name=default-min]").fill("5")
    form.locator("[name=default-max]").fill("1")
    form.locator("[type=submit]").click()
    expect(form.locator(".fault")).to_contain_text("limits")
    form.locator("[name=default-max]").fill("1000")
    form.locator("[name=triple-min]").fill("1")
    form.locator("[name=triple-max]").fill("50")
    form.locator("[type=submit]").click()
    expect(page.locator(".opening")).to_contain_text("Dice D7 are in the tumbler under seal S-77.")
    page.locator("[data-action=open-table]").click()
    expect(page.locator(".toast.bad")).to_be_visible()
    page.locator(".opening [data-action=count-float]").click()
    page.locator("dialog[open] [name=count-500]").fill("1000")
    page.locator("dialog[open] [type=submit]").click()
    expect(page.locator(".opening")).to_contain_text("The float is $5,000.")
    for left in (3, 2, 1):
        expect(page.locator(".test-runs")).to_contain_text(f"({left} left)")
        page.locator(".opening [data-action=test-run]").click()
        expect(page.locator("dialog[open] [name=lit_correctly]")).to_have_value("")
        page.locator("dialog[open] [name=lit_correctly]").select_option("yes")
        page.locator("dialog[open] [type=submit]").click()
        expect(page.locator("dialog")).to_have_count(0)
    for item in ("power", "test-run", "tumbler", "seal"):
        row = page.locator(f"[data-item={item}]")
        row.get_by_role("button", name="Passed").click()
        expect(row).to_contain_text("passed, sue")
    page.locator("[data-action=open-table]").click()
    expect(page.locator(".part-top .tag")).to_have_text("Between rounds")
    limits = house.running.context.floor.tables["NEW-1"].state.set_up
    assert limits is not None
    assert limits.limits.kinds["triple"] == c.BoxLimit(100, 5_000)
    assert limits.limits.default == c.BoxLimit(500, 100_000)


def test_limits_that_were_typed_outlive_a_late_layout(house: CrewHouse, visit: Visit) -> None:
    """A layout that loads slowly loses nothing typed and does not replace a later choice; amounts are in yen."""
    page = house.page(visit, "sue", "/pit#setup")
    form = page.locator("form.setup")
    smallest, even = form.locator("[name=default-min]"), form.locator("[name=even-min]")
    form.locator("[name=book]").select_option("rws-tai-sai-v6")
    form.locator("[name=layout]").select_option("E")
    smallest.fill("500")
    late = Late(page, "**/api/books/rws-tai-sai-v6/layouts/C?lang=*")
    form.locator("[name=layout]").select_option("C")
    expect(smallest).to_be_disabled()
    expect(form.locator("[type=submit]")).to_be_disabled()
    form.locator("[name=layout]").select_option("E")
    expect(smallest).to_be_enabled()
    late.answer(late.wait())
    expect(smallest).to_have_value("500")
    expect(even).to_have_count(0)
    form.locator("[name=layout]").select_option("C")
    expect(even).to_be_visible()
    expect(smallest).to_have_value("500")
    for name, value in (("table", "YEN-1"), ("currency", "JPY"), ("chips", "100, 1000"), ("default-max", "100000")):
        form.locator(f"[name={name}]").fill(value)
    form.locator("[type=submit]").click()
    expect(page.locator(".opening")).to_be_visible()
    made = house.running.context.floor.tables["YEN-1"].state.set_up
    assert made is not None
    assert (made.currency, made.layout, made.denominations) == ("JPY", "C", (100, 1_000))
    assert made.limits.default == c.BoxLimit(500, 100_000)


def test_an_alert_stays_until_somebody_clears_it(house: CrewHouse, visit: Visit) -> None:
    """A suspension raises an alert; one person clears it, another sees who did, and the house's log keeps it."""
    table = house.new_table(TAI_SAI)
    sue, kim = (house.page(visit, each, "/pit") for each in ("sue", "kim"))
    expect(sue.locator(f"[data-table={table}]")).to_be_visible()
    house.do("dan", table, c.SuspendTable("the dome is cracked"))
    house.do("sue", table, c.ResumeTable(c.Mending.MENDED, "a new dome"))
    alert = sue.locator(".alert", has_text="the dome is cracked")
    expect(alert).to_contain_text("Table suspended")
    alert.get_by_role("button").click()
    sue.locator("dialog[open] [name=note]").fill("spare dome fitted")
    sue.keyboard.press("Enter")
    for page in (sue, kim):
        done = page.locator(".alert.cleared", has_text="the dome is cracked")
        expect(done).to_be_attached()
        expect(done).to_contain_text(re.compile("Cleared by sue, .*“spare dome fitted”"))
    kim.goto(f"{house.address}/pit#house")
    expect(kim.locator(".events").last).to_contain_text(f"alert at {table}")
    expect(kim.locator(".events").last).to_contain_text("cleared: the dome is cracked “spare dome fitted”")


def test_the_grid_follows_the_tables(house: CrewHouse, visit: Visit) -> None:
    """Each card shows state, players, turnover, exposure, win and hold of its table, as they change."""
    table = house.new_table(TAI_SAI)
    page = house.page(visit, "sue", "/pit")
    card = page.locator(f".pit-card[data-table={table}]")
    expect(card).to_contain_text("Between rounds")
    ann = house.seat("ann", table)
    house.do("dan", table, c.OpenBets())
    house.do(ann, table, c.PlaceBet("ann", "total:7", 1_000))
    house.do("dan", table, c.CloseBets())
    expect(card).to_contain_text("No more bets")
    expect(card.locator("dl")).to_contain_text("ExposureS$120")
    house.do("dan", table, c.Tumble(3), c.Uncover((1, 1, 1)), c.Announce(), c.Collect())
    for words in ("Between rounds", "Players1", "TurnoverS$10", "WinS$10", "Hold5.0%"):
        expect(card).to_contain_text(words)


def test_staff_are_added_by_link(house: CrewHouse, visit: Visit) -> None:
    """The administrator adds a dealer for one table, who chooses a password with the link and starts work."""
    admin = house.page(visit, "admin", "/pit#staff")
    admin.locator("[data-action=add-staff]").click()
    form = admin.locator("dialog[open] form")
    form.locator("[name=login]").fill("new-dealer")
    form.locator("[name=name]").fill("New Dealer")
    form.locator("[name=post-dealer]").check()
    form.locator("[name=tables-dealer]").fill("T1")
    form.locator("[type=submit]").click()
    link = admin.locator(".link-address").input_value()
    assert link.startswith(f"{house.address}/welcome?post=dealer#")
    admin.locator("dialog[open] button", has_text="Close").last.click()
    row = admin.locator("[data-login=new-dealer]")
    expect(row).to_contain_text("no password yet")
    expect(row).to_contain_text("Dealer: T1")
    newcomer = visit(link.removeprefix(house.address), at=house.address)
    for name in ("password", "again"):
        newcomer.locator(f"input[name={name}]").fill("a horse of their own 7")
    newcomer.locator("button[type=submit]").click()
    expect(newcomer).not_to_have_url(re.compile("/welcome"))
    row.get_by_role("button", name="Disable login").click()
    admin.locator("dialog[open] [name=reason]").fill("left the house")
    admin.keyboard.press("Enter")
    expect(row).to_contain_text("disabled")


def test_a_dispute_limits_and_rulings(house: CrewHouse, visit: Visit) -> None:
    """A dispute is resolved, limits change with a manager and a reason, and the shift manager makes rulings."""
    table = house.new_table(TAI_SAI)
    ann = house.seat("ann", table)
    house.do("dan", table, c.OpenBets())
    house.do(ann, table, c.PlaceBet("ann", "big", 1_000))
    house.do("dan", table, c.CloseBets(), c.Tumble(3), c.Uncover((1, 2, 4)), c.Announce(), c.Collect())
    house.do("dan", table, c.OpenDispute("D-1", "ann", 1, "the die was moved"))
    page = house.page(visit, "kim", f"/pit#table/{table}")
    page.locator("[data-dispute=D-1] button").click()
    page.locator("dialog[open] [name=resolution]").fill("the film shows no touch")
    page.locator("dialog[open] [type=submit]").click()
    expect(page.locator("[data-dispute=D-1]")).to_contain_text("the film shows no touch")
    page.locator("[data-action=set-limits]").click()
    page.locator("dialog[open] [name=default-max]").fill("200")
    authorise(page, "pat", "a busy evening")
    expect(page.locator("dialog")).to_have_count(0)
    set_up = house.running.context.floor.tables[table].state.set_up
    assert set_up is not None
    assert set_up.limits.default.max == 20_000
    page.locator("[data-action=rule]").click()
    page.locator("dialog[open] [name=matter]").fill("a chip between two boxes")
    page.locator("dialog[open] [name=decision]").fill("it belongs to the nearer one")
    page.locator("dialog[open] [name=considered]").fill("5.9")
    page.locator("dialog[open] [type=submit]").click()
    expect(page.locator("dialog")).to_have_count(0)
    page.locator("[data-action=inspect-dice]").click()
    page.locator("dialog[open] [name=sound]").select_option("no")
    page.locator("dialog[open] [type=submit]").click()
    expect(page.locator("dialog")).to_have_count(0)
    house.do("dan", table, c.Attest(Fact.DAMAGED_DICE, confirmed=True))
    expect(page.locator("[data-round='1']")).to_contain_text("Void: a die is damaged")
    assert house.crew_view(table)["funds"] == {"ann": BUY_IN}
    journal(page, house, table)
    page.locator("[name=kind]").select_option("ruled")
    expect(page.locator(".journal tbody tr")).to_have_count(1)
    expect(page.locator(".journal tbody tr")).to_contain_text("it belongs to the nearer one")


def test_an_auditor_audits(house: CrewHouse, visit: Visit) -> None:
    """An auditor reads journal and reports, verifies digests, runs the audit of the live journal, and finds nothing."""
    house.new_table(NZ)
    page = house.page(visit, "ada", "/pit")
    expect(page.locator(".tabs a")).to_have_text(["Journal", "Reports", "House"])
    page.locator(".tabs a", has_text="Reports").click()
    expect(page.locator("[data-part=reports] tbody tr").first).to_be_visible()
    page.locator(".tabs a", has_text="House").click()
    page.locator("#digests button").click()
    expect(page.locator("#digests")).to_contain_text(shelf().book("nz-division-9").digest)
    page.locator("[data-action=audit]").click()
    expect(page.locator("#audit .fine")).to_contain_text("by ada")
    expect(page.locator("#audit .fine")).to_contain_text("0 findings.")
    expect(page.locator("[data-action=disable]")).to_have_count(0)


def test_rounds_are_disabled_and_enabled(house: CrewHouse, visit: Visit) -> None:
    """A supervisor disables a table with a reason, which stops new rounds and shows on its card, and enables it."""
    table = house.new_table(TAI_SAI)
    page = house.page(visit, "sue", f"/pit#table/{table}")
    page.locator("[data-action=disable]").click()
    page.locator("dialog[open] [name=reason]").fill("the tumbler is looked at")
    page.keyboard.press("Enter")
    expect(page.locator("[data-action=enable]")).to_be_visible()
    page.goto(f"{house.address}/pit#floor")
    expect(page.locator(f".pit-card[data-table={table}]")).to_contain_text("No new rounds")
    dealer = house.page(visit, "dan", f"/deal?table={table}")
    expect(dealer.locator("#next")).to_have_attribute("data-next", "open-bets")
    dealer.keyboard.press("Enter")
    expect(dealer.locator(".toast.bad")).to_contain_text("disabled")
    page.goto(f"{house.address}/pit#table/{table}")
    page.locator("[data-action=enable]").click()
    page.locator("dialog[open] [name=reason]").fill("it is sound")
    page.keyboard.press("Enter")
    expect(page.locator("[data-action=disable]")).to_be_visible()
    dealer.keyboard.press("Enter")
    expect(dealer.locator("#next")).to_have_attribute("data-next", "close-bets")


def test_a_dealer_has_no_business_in_the_pit(house: CrewHouse, visit: Visit) -> None:
    """A dealer who opens the pit sees a link to sign in, and no table."""
    page = house.page(visit, "dan", "/pit")
    expect(page.get_by_role("link", name="Staff sign-in")).to_be_visible()
    expect(page.locator(".pit-card")).to_have_count(0)


@pytest.mark.clause("rws-tai-sai-v6 §5.6")
def test_a_player_is_told_of_a_round_that_was_reversed(house: CrewHouse, visit: Visit) -> None:
    """What was won goes back with the reason and the clause; what is gone is owed, and the notice waits to be read."""
    table = house.new_table(TAI_SAI)
    code = house.wait(house.running.crew["dan"].seat_code(table, "ann", BUY_IN))
    page = visit(f"/play?table={table}", at=house.address)
    page.locator("[name=code]").fill(code.code)
    page.locator("form.sit button").click()
    expect(page.locator(".rail-chip").first).to_be_visible()
    house.do("dan", table, c.BuyIn("ann", BUY_IN), c.OpenBets())
    expect(page.locator("body[data-phase=betting]")).to_be_attached()
    page.locator(".rail-chip").nth(1).click()
    box(page, "small").click()
    expect(page.locator("#on-felt")).to_have_attribute("aria-busy", "false")
    house.do("dan", table, c.CloseBets(), c.Tumble(3), c.Uncover((1, 2, 4)), c.Announce(), c.Collect(), c.PayAll())
    house.do("dan", table, c.CashOut("ann", BUY_IN + 500))
    house.do("kim", table, c.InspectDice(sound=False))
    house.do("dan", table, c.Attest(Fact.DAMAGED_DICE, confirmed=True))
    told = page.get_by_role("alert").filter(has_text="Round 1 is void after all")
    expect(told).to_contain_text("a die is damaged")
    expect(told).to_contain_text("§5.6")
    page.reload()
    expect(told).to_contain_text("you owe $5")
    expect(page.locator("#debt")).to_have_text("you owe $5")
    told.get_by_role("button", name="Close").click()
    expect(told).to_have_count(0)
    page.reload()
    expect(page.locator("#funds")).to_be_visible()
    expect(told).to_have_count(0)


def test_from_a_complaint_to_the_proof_in_four_clicks(house: CrewHouse, visit: Visit) -> None:
    """An inspector finds the disputed round in the journal, reads why the bet lost, and takes the proofs with them."""
    table = house.new_table(TAI_SAI)
    ann = house.seat("ann", table)
    house.do("dan", table, c.OpenBets())
    house.do(ann, table, c.PlaceBet("ann", "big", 1_000))
    house.do("dan", table, c.CloseBets(), c.Tumble(3), c.Uncover((1, 2, 4)), c.Announce(), c.Collect())
    house.do("dan", table, c.OpenDispute("", "ann", 1, "it was eleven"))
    page = house.page(visit, "ada", f"/pit#journal/{table}")
    page.locator("[data-kind=dispute-opened] .round-link").click()  # 1
    expect(page.locator("h1")).to_have_text(f"Table {table}, round 1")
    expect(page.locator("[data-dispute]")).to_contain_text("it was eleven")
    lost = page.locator("[data-player=ann] [data-box=big]")
    expect(lost).to_contain_text("$10")
    lost.locator(".clauses button").first.click()  # 2
    expect(page.locator("dialog[open]")).to_be_visible()
    page.keyboard.press("Escape")
    with page.expect_download() as taken:
        page.locator("[data-action=download]").click()  # 3
    made = json.loads(Path(taken.value.path()).read_text(encoding="utf-8"))
    assert [made["round"]["number"], len(made["receipts"])] == [1, len(made["round"]["records"])]
    assert "Dan (dan)" in page.locator(".round-facts").inner_text()


def test_the_journal_as_a_file(house: CrewHouse, visit: Visit) -> None:
    """What stands on the screen is saved as CSV and JSON: names and money, and no formula."""
    table = house.new_table(TAI_SAI)
    house.seat("ann", table)
    page = house.page(visit, "ada", f"/pit#journal/{table}")
    page.locator("[name=kind]").select_option("bought-in")
    expect(page.locator(".journal tbody tr")).to_have_count(1)
    expect(page.locator(".journal tbody tr")).to_contain_text("$200")
    texts = []
    for action in ("csv", "json"):
        with page.expect_download() as taken:
            page.locator(f"[data-action={action}]").click()
        texts.append(Path(taken.value.path()).read_text(encoding="utf-8-sig"))
    assert "Amount: $200" in texts[0]
    assert [each["kind"] for each in json.loads(texts[1])] == ["bought-in"]


def test_a_count_shows_its_difference_before_it_is_sealed(house: CrewHouse, visit: Visit) -> None:
    """While the float is counted its total and difference stand there; a preview tells; a short close is an alert."""
    table = house.new_table(TAI_SAI)
    page = house.page(visit, "sue", f"/pit#table/{table}")
    page.locator("[data-action=close-table]").click()
    form = page.locator("dialog[open] form")
    form.locator("[name=count-100]").fill("1000")
    expect(form.locator(".count-total")).to_have_text("Counted: $1,000. The books say $6,000: $5,000 short")
    form.locator("[name=count-500]").fill("990")
    expect(form.locator(".count-total")).to_contain_text("$50 short")
    form.locator("[data-action=preview]").click()
    expect(form.locator(".foreseen")).to_contain_text("Table closed")
    expect(form.locator(".foreseen")).to_contain_text("$5,950")
    assert house.crew_view(table)["float"] == 600_000
    form.locator("[type=submit]").click()
    expect(page.locator("dialog")).to_have_count(0)
    page.goto(f"{house.address}/pit#floor")
    alert = page.locator(".alert.grave", has_text=table)
    expect(alert).to_contain_text("The closing count is $50 short.")
    expect(page.locator(".strip .grave")).to_be_visible()
