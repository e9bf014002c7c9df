"""The checks of an audit: each wrong event is found, with its code and its record."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from taisai.audit.procedure.watch import BY_KIND, CHECKS, RUNS
from taisai.books import Shelf
from taisai.core.limits import Per
from taisai.core.rulebook import Fact, Rule
from taisai.streams.codec import KIND_OF
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.commands import BoxLimit, How, TableLimits
from taisai.table.parts import Handed, ReversedLine
from taisai.table.people import Person, Role
from tests.audit.forged import Change, altered, dealt, event, found_in
from tests.table.driver import SUPERVISOR, opened
from tests.table.driver import shelf as deal_shelf

LIMITS = TableLimits(100, BoxLimit(100, 2_000_000))


def same(what: Any) -> Any:
    """No change of what happened."""
    return what


ALTERATIONS: list[tuple[str, str, type, Change, Change]] = [
    ("settled-wrong", "nz-division-9/1", e.BetPaid, lambda what: replace(what, pays=(what.pays or 0) + 1), same),
    ("sums-wrong", "nz-division-9/1", e.RoundConcluded, lambda what: replace(what, staked=what.staked + 1), same),
    (
        "dice-differ",
        "rws-tai-sai-v6/E",
        e.RoundConcluded,
        lambda what: replace(what, dice=(what.dice[0] % 6 + 1, 1, 1)),
        same,
    ),
    ("lights-wrong", "nz-division-9/1", e.ResultEntered, lambda what: replace(what, lit=what.lit[1:]), same),
    (
        "lights-wrong",
        "rws-tai-sai-v6/E",
        e.AreasLit,
        lambda what: replace(what, lit=(*what.lit, "total:4", "total:17")),
        same,
    ),
    ("lights-wrong", "nz-division-9/1", e.TestRunMade, lambda what: replace(what, lit=()), same),
    ("call-wrong", "nz-division-9/1", e.ResultAnnounced, lambda what: replace(what, call="triple 1, total 3."), same),
    ("book-differs", "nz-division-9/1", e.TableSetUp, lambda what: replace(what, digest="0" * 64), same),
    ("book-changed", "nz-division-9/1", e.BetsOpened, lambda what: replace(what, digest="0" * 64), same),
    (
        "not-authorised",
        "nz-division-9/1",
        e.TableOpened,
        same,
        lambda event: replace(event, by=Person("dan", Role.DEALER)),
    ),
    (
        "not-authorised",
        "nz-division-9/1",
        e.BetPlaced,
        same,
        lambda event: replace(event, by=Person("eve", Role.PLAYER)),
    ),
    ("settled-wrong", "rws-tai-sai-v6/E", e.BetPlaced, lambda what: replace(what, box="any-triple"), same),
    ("bell-wrong", "nz-division-9/1", e.BetsClosed, lambda what: replace(what, bell=False), same),
    ("bell-wrong", "rws-tai-sai-v6/E", e.BetsClosed, lambda what: replace(what, bell=True), same),
]


@pytest.mark.parametrize("alteration", ALTERATIONS, ids=lambda alteration: f"{alteration[0]}-{alteration[2].__name__}")
def test_a_forged_event_is_found(shelf: Shelf, alteration: tuple[str, str, type, Change, Change]) -> None:
    """An event that was not so, in a chain that is whole, is found with its table and record."""
    code, layout, kind, change, whole = alteration
    findings = found_in(shelf, altered(dealt(shelf, layout), kind, change, whole))
    # Money that was never there breaks the ledger at once; the replay of that table then ends.
    assert {finding.code for finding in findings} & {code, "ledger-broken"}
    assert all(finding.table == "T1" and finding.seq for finding in findings)


FORGED: list[tuple[str, str, e.EventBody]] = [
    ("out-of-order", "rws-tai-sai-v6/E", e.BetPlaced("p1", "big", 100)),
    ("out-of-order", "rws-tai-sai-v6/E", e.DiceUncovered((1, 2, 3))),
    ("out-of-order", "nz-division-9/1", e.BetsClosed("No more bets", bell=True, bets=(), flags=(), capacity={})),
    ("one-person", "nz-division-9/1", e.LimitsSet(LIMITS, LIMITS)),
    ("no-reason", "nz-division-9/1", e.LimitsSet(LIMITS, LIMITS)),
    ("reversal-without-damage", "rws-tai-sai-v6/E", e.RoundReversed(1, (), ())),
    ("not-authorised", "rws-tai-sai-v6/E", e.Ruled("x", "y", ())),
    ("void-reason", "nz-division-9/1", e.RoundVoided(9, Fact.DAMAGED_DICE, True, "", (), ())),
    ("ledger-broken", "nz-division-9/1", e.CashedOut("p1", 10**12)),
    ("ledger-broken", "nz-division-9/1", e.BetPlaced("nobody", "big", 100)),
    ("table-not-open", "nz-division-9/1", e.BetsOpened(99, "Place your bets", "0" * 64)),
]


@pytest.mark.parametrize(("code", "layout", "what"), FORGED)
def test_an_inserted_event_is_found(shelf: Shelf, code: str, layout: str, what: e.EventBody) -> None:
    """An event that should not be there is found."""
    events = dealt(shelf, layout, 200)
    if code == "table-not-open":
        events = events[:3]
    findings = found_in(shelf, [*events, event(what)])
    assert code in {finding.code for finding in findings}
    assert findings[0].seq == len(events) + 1
    assert "record" in str(findings[0])


def test_bets_over_the_limits_are_found(shelf: Shelf) -> None:
    """A bet under the minimum, over the maximum or over the differential, and not found on the felt, is a finding."""
    limits = TableLimits(100, BoxLimit(200, 1000), differential={"big-small": 600})
    events = altered(dealt(shelf, "rws-tai-sai-v6/A", 120), e.TableSetUp, lambda what: replace(what, limits=limits))
    place = next(place for place, each in enumerate(events) if isinstance(each.what, e.BetsOpened))
    me = Person("p1", Role.PLAYER)
    bets = [e.BetPlaced("p1", "small", 100), e.BetPlaced("p1", "single:1", 1100), e.BetPlaced("p1", "big", 900)]
    findings = found_in(shelf, [*events[: place + 1], *(event(bet, me) for bet in bets)])
    assert [finding.code for finding in findings] == ["under-minimum", "over-maximum", "over-differential"]
    assert findings[0].clauses == shelf.book("rws-tai-sai-v6").clauses_for(Rule.MINIMUM)
    assert "§3.4" in str(findings[0])
    strange = [*events[: place + 1], event(e.BetPlaced("p1", "nowhere", 200), me)]
    assert found_in(shelf, strange)[0].code == "unknown-box"


def test_bets_over_a_players_maximum_are_found(shelf: Shelf) -> None:
    """Who has more in a box than each player may have is a finding; a box that many are in is none."""
    limits = TableLimits(100, BoxLimit(100, 1000, Per.PLAYER), {"total:4/17": BoxLimit(100, 300)})
    events = altered(dealt(shelf, "nz-division-9/1", 120), e.TableSetUp, lambda what: replace(what, limits=limits))
    place = next(place for place, each in enumerate(events) if isinstance(each.what, e.BetsOpened))
    bets = [("p1", "small", 900), ("p2", "small", 900), ("p1", "small", 200), ("p1", "total:17", 400)]
    placed = [event(e.BetPlaced(*bet), Person(bet[0], Role.PLAYER)) for bet in bets]
    findings = [each for each in found_in(shelf, [*events[: place + 1], *placed]) if each.code == "over-maximum"]
    assert [finding.sentence for finding in findings] == [
        "p1 has 1100 in small, maximum 1000 for each player",
        "total:17 holds 400, maximum 300",
    ]


def test_an_edition_out_of_turn_is_found(shelf: Shelf) -> None:
    """An edition that is not in force, replaces another book or is taken up in a round is found."""
    events = dealt(shelf, "nz-division-9/1", 200)
    opened = next(place for place, each in enumerate(events) if isinstance(each.what, e.BetsOpened))
    tai_sai = shelf.book("rws-tai-sai-v6")
    taken = e.EditionTaken(tai_sai.id, "A", tai_sai.digest, "nz-division-9")
    found = found_in(shelf, [*events[: opened + 1], replace(event(taken), at=1_000_000)])
    assert {"edition-early", "wrong-edition", "edition-in-round"} <= {finding.code for finding in found}


def test_an_unsettled_or_twice_settled_bet_is_found(shelf: Shelf) -> None:
    """A payment left out, or made twice, is found at the end of its round."""
    events = dealt(shelf, "rws-tai-sai-v6/A")
    paid = max(place for place, each in enumerate(events) if isinstance(each.what, e.BetPaid))
    left_out = found_in(shelf, events[:paid] + events[paid + 1 :])
    assert {"felt-not-empty", "settled-not-once"} <= {finding.code for finding in left_out}
    twice = found_in(shelf, [*events[: paid + 1], events[paid], *events[paid + 1 :]])
    assert {finding.code for finding in twice} & {"ledger-broken", "settled-not-once"}


def test_a_void_that_keeps_chips_is_found(shelf: Shelf) -> None:
    """A void that does not hand everything back, and rests on no fact, is found."""
    events = dealt(shelf, "nz-division-9/1")
    place = max(place for place, each in enumerate(events) if isinstance(each.what, e.DiceUncovered))
    number = next(each.what.round for each in reversed(events[:place]) if isinstance(each.what, e.BetsOpened))
    void = e.RoundVoided(number, Fact.NOT_FLAT, True, "No spin", (), ())
    codes = {finding.code for finding in found_in(shelf, [*events[: place + 1], event(void)])}
    assert {"void-not-whole", "void-without-fact"} <= codes


def void_of_a_fact(shelf: Shelf, attester: Person, *, why: str = Fact.NOT_FLAT, confirmed: bool = True) -> set[str]:
    """What is found when dan records after the reveal that a die does not lie flat, and somebody attests it."""
    events = dealt(shelf, "nz-division-9/1")
    place = max(place for place, each in enumerate(events) if isinstance(each.what, e.DiceUncovered))
    closed = next(each.what for each in reversed(events[:place]) if isinstance(each.what, e.BetsClosed))
    handed = tuple(Handed(bet.player, bet.box, bet.stake, bet.in_colour, bet.colour) for bet in closed.bets)
    number = next(each.what.round for each in reversed(events[:place]) if isinstance(each.what, e.BetsOpened))
    told = [
        event(e.FactRecorded(Fact.NOT_FLAT, number, ("void-round",), (), attested=False)),
        event(e.FactAttested(Fact.NOT_FLAT, number, confirmed=confirmed), attester),
        event(e.FactRecorded(Fact.NOT_FLAT, number, ("void-round",), ()), attester),
        event(e.RoundVoided(number, why, True, "No spin", handed, ()), attester),
    ]
    return {finding.code for finding in found_in(shelf, [*events[: place + 1], *told])}


def test_a_void_that_two_attest_is_right(shelf: Shelf) -> None:
    """One records a fact, another of rank attests it: the void needs no more. One alone is found, and another void."""
    sue = Person("sue", Role.SUPERVISOR)
    assert void_of_a_fact(shelf, sue) == set()
    assert "one-person" in void_of_a_fact(shelf, Person("dan", Role.DEALER))
    assert "one-person" in void_of_a_fact(shelf, Person("dot", Role.DEALER))
    assert {"void-without-fact", "not-followed"} <= void_of_a_fact(shelf, sue, why=Fact.TOO_FEW_TUMBLES)
    assert {"one-person", "no-reason"} <= void_of_a_fact(shelf, sue, confirmed=False)


def test_a_colour_of_two_players_is_found() -> None:
    """A colour that is out to somebody else, at another value, or put down by another player, is found."""
    deal = opened("nz-division-9/1", ann=1000, bob=1000)
    deal.do(c.TakeColour("ann", "red", 5, 500))
    deal.do(c.TakeColour("bob", "blue", 5, 500))
    deal.begin().bet("ann", "small", 50, "red")
    assert found_in(deal_shelf(), deal.record) == []
    for wrong in (
        e.ColourTaken("bob", "red", 5, 100),
        e.ColourTaken("ann", "red", 10, 100),
        e.BetPlaced("bob", "big", 50, How.PLACED, "red"),
        e.BetPlaced("ann", "big", 52, How.PLACED, "red"),
    ):
        by = Person("bob" if getattr(wrong, "player", "") == "bob" else "ann", Role.PLAYER)
        codes = {finding.code for finding in found_in(deal_shelf(), [*deal.record, event(wrong, by)])}
        assert "colour-wrong" in codes


def test_damage_of_a_set_that_was_taken_out_is_followed() -> None:
    """Its rounds are reversed and no other: a reversal too few, and a void of the round in play, are found."""
    deal = opened("rws-tai-sai-v6/A", ann=1000)
    for _ in range(2):
        deal.begin().bet("ann", "single:1", 100).finish(1, 2, 4)
    deal.do(c.ReceiveDice("d2"), SUPERVISOR)
    deal.do(c.RetireDice("d1"), SUPERVISOR)
    deal.do(c.SealDice("d2", "s2"), SUPERVISOR)
    deal.begin().bet("ann", "single:1", 100)
    deal.do(c.Report(Fact.DAMAGED_DICE, dice_set="d1"))
    deal.do(c.Attest(Fact.DAMAGED_DICE, confirmed=True), SUPERVISOR)
    whole = len(deal.record)
    deal.finish(1, 2, 4)
    assert found_in(deal_shelf(), deal.record) == []
    short = [each for each in deal.record[:whole] if getattr(each.what, "round", 0) != 2 or
             not isinstance(each.what, e.RoundReversed)]  # fmt: skip
    assert "reversal-incomplete" in {finding.code for finding in found_in(deal_shelf(), short)}
    lines = (ReversedLine("ann", 0, 0, 10, 0, 0),)
    ruling = event(e.Ruled("x", "y", ("5.14",), "not-covered", ("5.8",), lines, 1), Person("max", Role.SHIFT_MANAGER))
    codes = [{finding.code for finding in found_in(deal_shelf(), [*deal.record, each])} for each in (
        ruling, replace(ruling, what=replace(ruling.what, about=3)))]  # fmt: skip
    assert codes == [{"ruling-under-fact"}, set()]
    void = event(e.RoundVoided(3, "damaged-dice", True, "Void", (Handed("ann", "single:1", 100),), ()))
    assert "void-without-fact" in {finding.code for finding in found_in(deal_shelf(), [*deal.record[:whole], void])}


@pytest.mark.parametrize(("by", "found"), [(Role.SUPERVISOR, False), (Role.DEALER, True)])
def test_an_entry_is_amended_under_a_supervisor(shelf: Shelf, by: Role, *, found: bool) -> None:
    """A supervisor amends an entry alone, with a reason; a dealer does not."""
    events = dealt(shelf, "nz-division-9/1")
    place = max(place for place, each in enumerate(events) if isinstance(each.what, e.ResultEntered))
    entered = events[place].what
    assert isinstance(entered, e.ResultEntered)
    amended = event(e.EntryAmended(entered.dice, entered.dice, entered.lit), Person("sue", by), reason="a slip")
    codes = {finding.code for finding in found_in(shelf, [*events[: place + 1], amended])}
    assert ("one-person" in codes) is found
    assert "no-reason" not in codes


def test_chips_that_were_not_there_are_found(shelf: Shelf) -> None:
    """More chips handed back than lay in the box is a finding."""
    events = dealt(shelf, "nz-division-9/1")
    place = max(place for place, each in enumerate(events) if isinstance(each.what, e.BetPlaced))
    bet = events[place].what
    assert isinstance(bet, e.BetPlaced)
    back = e.BetWithdrawn(Handed(bet.player, bet.box, 10**9))
    codes = [finding.code for finding in found_in(shelf, [*events[: place + 1], event(back)])]
    assert codes[0] == "chips-not-there"


def test_an_opening_without_its_check_is_found(shelf: Shelf) -> None:
    """A table opened without its items, or without dice, is a finding."""
    events = [
        each for each in dealt(shelf, "nz-division-9/1", 60) if not isinstance(each.what, e.ItemChecked | e.DiceSealed)
    ]
    opened = next(place for place, each in enumerate(events) if isinstance(each.what, e.TableOpened))
    codes = {finding.code for finding in found_in(shelf, events[: opened + 1])}
    assert codes == {"check-incomplete", "no-dice"}


def test_every_check_can_be_reached() -> None:
    """Each check looks at some event, and no event is checked twice by one."""
    reached = {check for checks in BY_KIND.values() for check in checks}
    assert reached == {check for _, check, _ in CHECKS}
    assert BY_KIND.keys() | RUNS.keys() == set(KIND_OF.values()), "every kind of event is looked at"
