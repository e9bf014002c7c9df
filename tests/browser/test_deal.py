"""The dealer's desk in a browser: whole rounds by keyboard under every book, limits, voids, interruptions, the lock."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from taisai.table import commands as c
from tests.browser.crew import BUY_IN, CrewHouse, authorise
from tests.browser.desk import dealt_to, form_of, next_is, press
from tests.browser.floor import Floor
from tests.browser.visits import Visit
from tests.web.serving import PASSWORD


@dataclass(frozen=True)
class Book:
    """What a round under a book consists of."""

    layout: str
    steps: tuple[str, ...]
    """The steps in order, as the large button names them."""
    winner: str
    loser: str
    pays: int
    """Odds to 1 of the winner, on 1-2-4."""
    facts: frozenset[str]


BOOKS = {
    "tai-sai": Book(
        "rws-tai-sai-v6/A",
        ("open-bets", "close-bets", "tumble", "uncover", "announce", "collect", "pay-next"),
        "total:7", "big", 12,
        frozenset({"too-few-tumbles", "not-flat", "dice-stacked", "exposed", "damaged-dice", "lights-fault"}),
    ),
    "open-cover": Book(
        "rws-open-cover-v3/B",
        ("open-bets", "close-bets", "tumble", "uncover", "announce", "collect", "pay-next"),
        "small", "big", 1,
        frozenset({"damaged-dice", "too-few-tumbles", "not-flat", "dice-stacked", "activated-before-close"}),
    ),
    "mini-dice": Book(
        "rws-mini-dice-v3/A",
        ("open-bets", "close-bets", "tumble", "uncover", "announce", "collect", "pay-next"),
        "single:4", "single:6", 1,
        frozenset({"too-few-tumbles", "dice-stacked", "damaged-dice", "not-flat"}),
    ),
    "new-zealand": Book(
        "nz-division-9/1",
        ("tumble", "open-bets", "close-bets", "uncover", "announce", "enter", "collect", "pay-next"),
        "total:7", "big", 12,
        frozenset(
            {"not-flat", "dice-stacked", "tumbler-fault", "exposed", "not-activated", "too-few-tumbles", "damaged-dice"}
            | {"lights-fault", "terminal-dead"}
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BOOKS)
def test_a_whole_round_by_keyboard(name: str, house: CrewHouse, visit: Visit) -> None:
    """A dealer deals a round by keyboard alone: each step follows the book, the sums are shown, and all are paid."""
    book = BOOKS[name]
    table = house.new_table(book.layout)
    ann, bob = house.seat("ann", table), house.seat("bob", table)
    page = house.page(visit, "dan", f"/deal?table={table}")
    for step in book.steps:
        if step == "uncover":
            expect(next_is(page, step)).to_have_attribute("aria-disabled", "true")
            for face in "1264":
                page.keyboard.press(face)
                if face == "6":
                    page.keyboard.press("Backspace")
            expect(page.locator("#next")).to_contain_text("1-2-4")
        if step == "announce":
            expect(page.locator(".deal-call")).to_have_text("“1, 2, 4, total 7”")
        if step == "enter":
            expect(next_is(page, step)).to_be_visible()
            for face in "3124":
                page.keyboard.press(face)
            expect(page.locator(".slots")).to_have_attribute("aria-label", "1-2-4")
        if step == "collect":
            expect(page.locator(".losers")).to_contain_text("$10")
            expect(page.locator(".losers li")).to_have_count(1)
        press(page, step)
        if step == "open-bets":
            next_is(page, "close-bets")
            house.do(ann, table, c.PlaceBet("ann", book.winner, 500), c.PlaceBet("ann", book.loser, 1_000))
            house.do(bob, table, c.PlaceBet("bob", book.winner, 1_500))
    first = page.locator(".pay-list li").first
    expect(first).to_contain_text(f"$5 × {book.pays} to 1 = ${5 * book.pays}")
    expect(first).to_contain_text("paid")
    expect(page.locator(".pay-list [aria-current=step]")).to_contain_text(f"$15 × {book.pays} to 1 = ${15 * book.pays}")
    handed = page.locator(".pay-list [aria-current=step] .chip-count")
    faces = handed.evaluate_all("(all) => all.map((each) => each.innerText.match(/\\d+/g).map(Number))")
    assert sum(count * chip for count, chip in faces) == 15 * book.pays  # the winnings: the stake stays where it lies
    press(page, "pay-next")
    expect(page.locator(".deal-state")).to_have_text("Round 1 · Between rounds")
    funds = house.crew_view(table)["funds"]
    assert funds == {"ann": BUY_IN + 500 * book.pays - 1_000, "bob": BUY_IN + 1_500 * book.pays}


def test_what_is_not_next_is_greyed_with_the_reason(house: CrewHouse, visit: Visit) -> None:
    """Commands that the table would refuse show the reason to mouse, keyboard and screen reader."""
    table = house.new_table("rws-tai-sai-v6/A")
    page = house.page(visit, "dan", f"/deal?table={table}")
    dealt_to(page, house, table, "close-bets")
    collect = page.locator(".steps li", has_text="Collect losing")
    why = "Now: Place your bets. This comes at: Result announced or Result lit."
    expect(collect).to_have_attribute("data-why", why)
    lights = page.locator("[data-action=correct-dice]")
    expect(lights).to_have_attribute("aria-disabled", "true")
    lights.hover()
    page.wait_for_function(
        """() => getComputedStyle(document.querySelector('[data-action=correct-dice]'), '::after')
            .content.includes('Now: Place your bets')"""
    )
    expect(lights.locator(".visually-hidden")).to_contain_text("Now: Place your bets")
    lights.click(force=True)
    expect(page.locator(".toast")).to_contain_text("Now: Place your bets")
    assert house.crew_view(table)["next"]["do"] == "close-bets"


def test_excess_is_rejected_and_call_bets_are_placed(house: CrewHouse, visit: Visit) -> None:
    """A bet over the maximum that lies on the felt is shown as a breach; one key returns the excess."""
    table = house.new_table("rws-tai-sai-v6/A")
    house.seat("ann", table)
    page = house.page(visit, "dan", f"/deal?table={table}")
    dealt_to(page, house, table, "close-bets")
    page.keyboard.press("b")
    form = page.locator("dialog[open] form")
    form.locator("[name=how]").select_option("felt")
    form.locator("[name=box]").select_option("big")
    form.locator("[name=amount]").fill("115")
    page.keyboard.press("Enter")
    expect(page.locator(".breaches")).to_contain_text("Big is $15 over the maximum")
    expect(page.locator("g.box.over")).to_have_attribute("data-box", "big")
    page.keyboard.press("x")
    expect(page.locator(".breaches")).to_have_count(0)
    expect(page.locator("[data-player=ann] .number")).to_have_text("$100")


@pytest.mark.parametrize("name", BOOKS)
def test_every_void_reason_of_the_book(name: str, house: CrewHouse, visit: Visit) -> None:
    """The dialog offers exactly the book's facts; before the dice are known no second person is needed."""
    book = BOOKS[name]
    table = house.new_table(book.layout)
    ann = house.seat("ann", table)
    if book.steps[0] == "tumble":
        house.do("dan", table, c.Tumble(3))
    house.do("dan", table, c.OpenBets())
    house.do(ann, table, c.PlaceBet("ann", book.loser, 1_000))
    page = house.page(visit, "dan", f"/deal?table={table}")
    next_is(page, "close-bets")
    page.keyboard.press("v")
    form = page.locator("dialog[open] form")
    reasons = form.locator("[name=fact] option")
    facts = {each["fact"] for each in house.crew_view(table)["procedure"]["facts"]}
    assert facts >= book.facts
    expect(reasons).to_have_count(len(facts))
    assert set(reasons.evaluate_all("(all) => all.map((each) => each.value)")) == facts
    expect(form.locator("[name=second-login]")).to_have_count(0)
    form.locator("[name=fact]").select_option("not-flat")
    expect(form.locator("[name=announced]")).to_have_value("")  # nobody vouches for it but the dealer
    form.locator("[name=announced]").select_option("yes")
    form.locator("[type=submit]").click()
    expect(page.locator(".deal-state")).to_have_text("Round 1 · Between rounds")
    assert house.crew_view(table)["funds"] == {"ann": BUY_IN}


def test_an_interruption_is_resolved_by_two(house: CrewHouse, visit: Visit) -> None:
    """Dealer and supervisor together resume an interrupted round as the dice lie; a wrong password is refused."""
    table = house.new_table("rws-tai-sai-v6/A")
    page = house.page(visit, "dan", f"/deal?table={table}")
    dealt_to(page, house, table, "uncover")
    page.keyboard.press("i")
    page.locator("dialog[open] [name=cause]").fill("fire alarm")
    page.keyboard.press("Enter")
    expect(page.locator(".deal-state")).to_contain_text("fire alarm")
    press(page, "resolve-interruption")
    form = page.locator("dialog[open] form")
    form.locator("[name=readable]").fill("1 2 4")
    form.locator("[name=dice]").fill("1-2-4")
    form.locator("[name=reason]").fill("all three lie in sight")
    form.locator("[name=second-login]").fill("sue")
    form.locator("[name=second-password]").fill("not the password")
    form.locator("[type=submit]").click()
    expect(form.locator(".fault")).to_be_visible()
    authorise(page, "sue", "all three lie in sight")
    next_is(page, "announce")
    expect(page.locator(".tumbler")).to_have_attribute("data-dice", "shown")


def test_lights_that_failed_are_reported(house: CrewHouse, visit: Visit) -> None:
    """The dealer reports that the lights failed; the dice decide, and the round is paid."""
    table = house.new_table("rws-tai-sai-v6/A")
    page = house.page(visit, "dan", f"/deal?table={table}")
    dealt_to(page, house, table, "collect")
    page.keyboard.press("v")
    form = form_of(page, "report")
    form.locator("[name=fact]").select_option("lights-fault")
    form.locator("[name=note]").fill("small stayed dark")
    form.locator("[name=announced]").select_option("yes")
    form.locator("[type=submit]").click()
    expect(page.locator("dialog")).to_have_count(0)
    shown = Floor(house.address).get(f"/api/tables/{table}")["view"]["round"]
    assert shown["lights_fault"] == "small stayed dark"
    press(page, "collect")
    expect(page.locator(".deal-state")).to_contain_text("Between rounds")


def test_dice_written_down_wrongly_are_corrected(house: CrewHouse, visit: Visit) -> None:
    """Faces mistyped at uncovering are put right by one key; after the call a supervisor vouches for it too."""
    table = house.new_table("rws-tai-sai-v6/A")
    page = house.page(visit, "dan", f"/deal?table={table}")
    dealt_to(page, house, table, "announce")
    page.keyboard.press("c")
    form = form_of(page, "correct-dice")
    expect(form).to_contain_text("On record: 1-2-4.")
    expect(form.locator("[name=dice]")).to_have_value("")
    expect(form.locator("[name=second-login]")).to_have_count(0)
    form.locator("[name=dice]").fill("125")
    page.keyboard.press("Enter")
    expect(page.locator(".deal-call")).to_have_text("“1, 2, 5, total 8”")
    press(page, "announce")
    next_is(page, "collect")
    page.keyboard.press("c")
    expect(form).to_contain_text("On record: 1-2-5.")
    form.locator("[name=dice]").fill("6 2 5")
    authorise(page, "sue", "the six was read as a one")
    expect(page.locator(".deal-call")).to_have_text("“2, 5, 6, total 13”")
    assert house.running.context.floor.tables[table].state.round.dice == (6, 2, 5)


@pytest.mark.clause("nz-division-9 §3.4(a)", "nz-division-9 §3.4(b)")
def test_the_rack_and_bets_in_a_colour(house: CrewHouse, visit: Visit) -> None:
    """Dealer, player and board see what a colour is worth; the player bets in it from their own page."""
    table = house.new_table("nz-division-9/1", colours={"red": c.ColourSet(100)})
    code = house.wait(house.running.crew["dan"].seat_code(table, "ann", BUY_IN))
    page = visit(f"/play?table={table}", at=house.address)
    page.locator("[name=code]").fill(code.code)
    page.locator("form.sit button").click()
    expect(page.locator("[data-action=chip-0]")).to_be_visible()
    red = c.TakeColour("ann", "red", 500, 5000)
    house.do("dan", table, c.BuyIn("ann", BUY_IN), red, c.Tumble(3), c.OpenBets())
    desk = house.page(visit, "dan", f"/deal?table={table}")
    board = visit(f"/board?table={table}", at=house.address)
    for each in (page, desk, board):
        expect(each.locator(".rack [data-colour=red]")).to_contain_text("red at $5")
    page.locator(".rail-chip[data-colour=red]").click()
    page.locator("#felt [data-box=small]").first.click()
    expect(page.locator("#on-felt")).to_have_text("$5")
    (stack,) = house.running.context.floor.tables[table].state.round.stacks
    assert (stack.box, stack.amount, stack.colour) == ("small", 500, "red")


def test_chips_and_seats(house: CrewHouse, visit: Visit) -> None:
    """A dealer seats a player, sells and buys back chips, and creates a seat code; an amount must be readable."""
    table = house.new_table("nz-division-9/1", colours={"red": c.ColourSet(100)})
    page = house.page(visit, "dan", f"/deal?table={table}", viewport={"width": 390, "height": 844})
    expect(page.locator("[data-action=sit-down]")).to_be_visible()
    page.keyboard.press("n")
    page.locator("dialog[open] [name=player]").fill("cat")
    page.keyboard.press("Enter")
    person = page.locator("[data-player=cat]")
    person.locator("[data-action=buy-in]").click()
    page.locator("dialog[open] [name=amount]").fill("250")
    page.keyboard.press("Enter")
    expect(person.locator(".number")).to_have_text("$250")
    for action, fields, left in (
        ("cash-out", {"amount": "50"}, "$200"),
        ("take-colour", {"value": "5", "amount": "100"}, "$200"),
        ("turn-in-colour", {}, "$200"),
    ):
        person.locator(".person").click()
        page.locator(f"dialog[open] [data-action={action}]").click()
        for name, value in fields.items():
            page.locator(f"dialog[open] [name={name}]").fill(value)
        page.locator("dialog[open] [type=submit]").click()
        expect(page.locator("dialog")).to_have_count(0)
        expect(person.locator(".number")).to_have_text(left)
    page.keyboard.press("k")
    page.locator("dialog[open] [name=player]").fill("dov")
    page.locator("dialog[open] [name=buy_in]").fill("10,00")
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open] .fault")).to_contain_text("enter an amount")
    page.locator("dialog[open] [name=buy_in]").fill("1,000")
    page.keyboard.press("Enter")
    code = page.locator(".seat-code").inner_text()
    assert house.wait(house.running.client.sit_down(code=code)).me.player == "dov"


def test_an_idle_screen_locks_itself(house: CrewHouse, visit: Visit) -> None:
    """An idle screen is covered and takes no step; the password of its user unlocks it."""
    table = house.new_table("rws-tai-sai-v6/A")
    page = house.page(visit, "dan", f"/deal?table={table}")
    page.clock.install()
    page.reload()
    next_is(page, "open-bets")
    page.clock.fast_forward("06:00")
    lock = page.locator("dialog.lock[open]")
    expect(lock).to_contain_text("dan")
    for _ in range(4):  # browsers close a dialog after a few
        page.keyboard.press("Escape")
        expect(lock).to_be_visible()
    lock.locator("input").fill("not the password")
    page.keyboard.press("Enter")
    expect(lock.locator(".fault")).to_be_visible()
    lock.locator("input").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(lock).to_have_count(0)
    press(page, "open-bets")
    next_is(page, "close-bets")


def test_ten_rounds_by_keys(house: CrewHouse, visit: Visit) -> None:
    """A dealer deals ten rounds by keyboard alone; the large button never moves."""
    table = house.new_table("rws-tai-sai-v6/A")
    page = house.page(visit, "dan", f"/deal?table={table}")
    places = set()
    for number in range(1, 11):
        for step in BOOKS["tai-sai"].steps[:-1]:
            next_is(page, step)
            box = page.locator("#next").bounding_box()
            assert box is not None
            places.add((box["x"], box["y"], box["width"], box["height"]))
            if step == "uncover":
                page.keyboard.type("364")
            press(page, step)
        expect(page.locator(".deal-state")).to_have_text(f"Round {number} · Between rounds")
        expect(page.locator(".last-round")).to_contain_text(str(number))
    assert len(places) == 1


def test_found_bets_are_put_down_by_touch(house: CrewHouse, visit: Visit) -> None:
    """Pick the player, pick the chip, touch the box: their chips lie there in their colour, and can be taken back."""
    table = house.new_table("rws-tai-sai-v6/A")
    house.seat("ann", table), house.seat("bob", table)
    page = house.page(visit, "dan", f"/deal?table={table}", viewport={"width": 1366, "height": 768})
    dealt_to(page, house, table, "close-bets")
    page.locator("[data-action=hold][data-for=bob]").click()
    page.locator("[data-action=chip][data-for='500']").click()
    page.locator("g.box[data-box=small]").click()
    page.locator("g.box[data-box=small]").click()
    stack = page.locator(".seat-stack[data-box=small]")
    expect(stack).to_have_attribute("data-amount", "1000")
    expect(stack).to_have_attribute("data-player", "bob")
    expect(stack).to_have_class(re.compile(r"\bseat-2\b"))
    expect(page.locator("[data-player=bob] .boxes")).to_contain_text("$10")
    expect(page.locator("g.box[data-box=small]").first).to_have_attribute("aria-label", "Small, bob $10")
    page.locator("[data-action=take-back]").click()
    page.locator("g.box[data-box=small]").click()
    expect(stack).to_have_attribute("data-amount", "500")
    (bet,) = house.running.context.floor.tables[table].state.round.stacks
    assert (bet.box, bet.amount, bet.how) == ("small", 500, c.How.FELT)
    page.locator("[data-action=free]").click()
    page.locator("g.box[data-box=small]").click()  # with nothing in the hand, a touch asks what lies there
    expect(page.locator("dialog[open]")).to_contain_text("bob")


def test_a_moved_bet_is_put_back_by_two_touches(house: CrewHouse, visit: Visit) -> None:
    """Touch where the bet lies, touch where it lay: the form knows player, boxes and amount."""
    table = house.new_table("nz-division-9/1")
    ann = house.seat("ann", table)
    bob = house.seat("bob", table)
    house.do("dan", table, c.Tumble(3), c.OpenBets())
    house.do(ann, table, c.PlaceBet("ann", "small", 1_000))
    house.do(
        bob, table, c.PlaceBet("bob", "big", 500), c.WithdrawBet("bob", "big", 500), c.PlaceBet("bob", "small", 500)
    )
    house.do("dan", table, c.CloseBets())
    page = house.page(visit, "dan", f"/deal?table={table}")
    page.locator(".hand [data-action=correct-bet]").click()
    expect(page.locator(".hand-words")).to_contain_text("where it lies now")
    page.locator("g.box[data-box=small]").first.click()
    expect(page.locator(".hand-words")).to_contain_text("It lies on Small")
    page.locator("g.box[data-box=big]").first.click()
    page.locator("[data-action=whose][data-for=bob]").click()
    form = form_of(page, "correct-bet")
    for name, value in {"player": "bob", "lies_on": "small", "belongs_on": "big", "amount": "5"}.items():
        expect(form.locator(f"[name={name}]")).to_have_value(value)
    form.locator("[name=ground]").select_option("moved-by-patron")
    authorise(page, "sue", "seen on camera")
    expect(page.locator(".seat-stack[data-box=big][data-player=bob]")).to_have_attribute("data-amount", "500")


def test_a_dispute_has_a_number_and_an_answer(house: CrewHouse, visit: Visit) -> None:
    """A dispute is numbered by the table; the desk says that it is on record, and later how it was answered."""
    table = house.new_table("rws-tai-sai-v6/A")
    house.seat("ann", table)
    house.do("dan", table, c.OpenBets())
    page = house.page(visit, "dan", f"/deal?table={table}")
    page.locator("[data-action=open-dispute]").click()
    form = form_of(page, "open-dispute")
    expect(form.locator("[name=dispute]")).to_have_count(0)
    form.locator("[name=player]").select_option("ann")
    form.locator("[name=claim]").fill("I said ten on big")
    form.locator("[type=submit]").click()
    shown = page.locator(".deal-disputes [data-dispute]")
    expect(shown).to_contain_text("waits for a supervisor")
    number = str(shown.get_attribute("data-dispute"))
    assert number.isdigit()
    expect(page.locator(".toast")).to_contain_text(f"Dispute {number} of ann is on record")
    house.do("sue", table, c.ResolveDispute(number, "The camera shows no bet."))
    expect(shown).to_contain_text("The camera shows no bet.")
    expect(page.locator(".toast").first).to_contain_text(f"Dispute {number}: The camera shows no bet.")
