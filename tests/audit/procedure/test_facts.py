"""What the record contradicts is found, in journals whose chain is whole; what honest people dealt is not."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from taisai.audit.run import Audit
from taisai.books import Shelf, open_shelf
from taisai.core.rulebook import Fact
from taisai.journal import Batch, MemoryJournal
from taisai.streams.codec import records_of
from taisai.table import events as e
from taisai.table.commands import BoxLimit, TableLimits
from taisai.table.parts import Handed, ReversedLine
from taisai.table.people import Person, Role
from tests.audit.forged import altered, dealt, event, found_in
from tests.table.notation.dealt_shifts import FILES, book_of
from tests.table.notation.dealt_shifts import dealt as shift_of

NZ, V6, OPEN, MINI = "nz-division-9/1", "rws-tai-sai-v6/E", "rws-open-cover-v3/B", "rws-mini-dice-v3/A"
DAN, SUE, SAM = Person("dan", Role.DEALER), Person("sue", Role.SUPERVISOR), Person("sam", Role.SHIFT_MANAGER)
TWO: dict[str, Any] = {"authorised_by": SUE, "reason": "seen by both"}
Events = list[e.Event]


@cache
def books() -> Shelf:
    """The package's own books."""
    return open_shelf(environment={})


@cache
def _dealt(layout: str) -> tuple[e.Event, ...]:
    return tuple(dealt(books(), layout))


def last(events: Events, kind: type) -> int:
    """The place of the last event of a kind."""
    return max(place for place, each in enumerate(events) if isinstance(each.what, kind))


def after(layout: str, kind: type, *more: e.Event) -> Events:
    """What was dealt until the last event of a kind, and then something else."""
    events = list(_dealt(layout))
    return [*events[: last(events, kind) + 1], *more]


def number_of(events: Events) -> int:
    """The round in play, or the last one."""
    what = events[last(events, e.BetsOpened)].what
    assert isinstance(what, e.BetsOpened)
    return what.round


def in_round(layout: str, kind: type, *bodies: Callable[[int], e.EventBody], **rest: Any) -> Events:
    """What was dealt until the last event of a kind, and then bodies that are told the number of the round."""
    events = after(layout, kind)
    number = number_of(events)
    return [*events, *(event(body(number), **rest) for body in bodies)]


def fact(name: Fact, then: tuple[str, ...], **rest: Any) -> Callable[[int], e.EventBody]:
    """A fact of the round."""
    return lambda number: e.FactRecorded(name, number, then, (), **rest)


def handed_all(events: Events) -> tuple[Handed, ...]:
    """Every bet of the round, as it goes back."""
    closed = events[last(events, e.BetsClosed)].what
    assert isinstance(closed, e.BetsClosed)
    return tuple(Handed(bet.player, bet.box, bet.stake, bet.in_colour, bet.colour) for bet in closed.bets)


def reversal(*, wrong: bool) -> Events:
    """Damage on record, and then a reversal: of a round that was not, or of one alone."""
    events = list(_dealt(V6))
    sealed = events[last(events, e.DiceSealed)].what
    assert isinstance(sealed, e.DiceSealed)
    number = number_of(events)
    damage = e.FactRecorded(Fact.DAMAGED_DICE, number + 1, ("void-rounds-of-set",), (), dice_set=sealed.dice_set)
    gone = e.RoundReversed(number + 7 if wrong else number, (), ())
    return [*events, event(damage, **TWO), event(gone)]


def walked(kind: type) -> Events:
    """A player walks away, and then something is done for them."""
    events = after(V6, e.BetPlaced)
    bet = events[-1].what
    assert isinstance(bet, e.BetPlaced)
    away = event(e.PlayerWalkedAway(bet.player), DAN)
    if kind is e.BetPlaced:
        return [*events[:-1], away, replace(events[-1], by=DAN, what=replace(bet, how="staff"))]
    return [
        *events,
        away,
        event(e.BetWithdrawn(Handed(bet.player, bet.box, bet.amount, 0))),
    ]


def under_limits(least: int, most: int, *, advice: bool) -> Events:
    """Bets under other limits than they were placed under, one of them advised."""
    limits = TableLimits(100, BoxLimit(least, most))
    events = altered(list(_dealt(V6)), e.TableSetUp, lambda what: replace(what, limits=limits))
    place = last(events, e.BetsClosed)
    closed = events[place].what
    assert isinstance(closed, e.BetsClosed)
    bet = closed.bets[0]
    told = [event(e.MinimumAdvised(bet.player, bet.box, bet.stake, least))] if advice else []
    return [*events[:place], *told, *events[place:]]


def ruled_void(*facts: e.Event) -> Events:
    """The shift manager rules that the round in play is void."""
    events = after(V6, e.BetsClosed)
    number = number_of(events)
    ruled = e.Ruled("a dispute", "void", ("5.14",), "not-covered", ("5.5",))
    void = e.RoundVoided(number, "ruling", True, "Void", handed_all(events), ("5.14",))
    facts = tuple(replace(each, what=replace(each.what, round=number)) for each in facts)
    return [*events, *facts, event(ruled, SAM), event(void, SAM)]


def moved(ground: str, by: Person = DAN) -> Events:
    """After the close a bet goes where it never lay."""
    events = after(NZ, e.BetsClosed)
    closed = events[-1].what
    assert isinstance(closed, e.BetsClosed)
    bet, theirs = closed.bets[0], {each.box for each in closed.bets if each.player == closed.bets[0].player}
    box = next(box for box in ("big", "small", "any-triple", "double:1", "double:2", "total:9") if box not in theirs)
    bets = (replace(bet, box=box), *closed.bets[1:])
    return [*events, event(e.BetCorrected(bet.player, bet.box, box, bet.stake, bets, {}, ground), by, **TWO)]


def ruled_twice() -> Events:
    """A bet on the line is honoured, and handed back when the dice are known."""
    events = after(NZ, e.DiceUncovered)
    bet = handed_all(events)[0]
    return [
        *events,
        event(e.LineTouched(bet.player, bet.box, attested=True), **TWO),
        event(e.LineRuled(bet.player, bet.box, honoured=True, handed=None), SUE, reason="clear"),
        event(e.LineRuled(bet.player, bet.box, honoured=False, handed=bet), SUE, reason="it loses"),
    ]


def moved_onto_another() -> Events:
    """After the close a player's bet joins another of theirs, where so much never lay."""
    events = after(NZ, e.BetsClosed)
    closed = events[-1].what
    assert isinstance(closed, e.BetsClosed)
    bet = closed.bets[0]
    other = next(each for each in closed.bets if each.player == bet.player and each.box != bet.box)
    rest = tuple(each for each in closed.bets if each not in (bet, other))
    bets = (replace(other, stake=other.stake + bet.stake), *rest)
    moved_by = "moved-by-patron"
    return [*events, event(e.BetCorrected(bet.player, bet.box, other.box, bet.stake, bets, {}, moved_by), **TWO)]


def on_line(kind: type) -> Events:
    """Somebody rules on a line, or attests alone that a bet touches one when the dice are known."""
    events = after(NZ, e.DiceUncovered)
    bet = handed_all(events)[0]
    if kind is e.LineTouched:
        return [*events, event(e.LineTouched(bet.player, bet.box, attested=True))]
    return [*events, event(e.LineRuled(bet.player, bet.box, honoured=True, handed=None), SUE, reason="looks fine")]


def without(layout: str, kind: type, *, one: bool = False) -> Events:
    """What was dealt, without the events of a kind, or without the first of them."""
    events = list(_dealt(layout))
    if one:
        place = next(place for place, each in enumerate(events) if isinstance(each.what, kind))
        return [*events[:place], *events[place + 1 :]]
    return [each for each in events if not isinstance(each.what, kind)]


def by_program(name: str) -> Events:
    """The opening check under the name of a program."""
    return altered(
        list(_dealt(NZ)), e.ItemChecked, lambda what: what,
        lambda each: replace(each, by=Person(name, Role.SUPERVISOR)),
    )  # fmt: skip


def corrected(*, alone: bool) -> Events:
    """The dice put right after the call."""
    events = after(V6, e.ResultAnnounced)
    before = events[last(events, e.DiceUncovered)].what
    assert isinstance(before, e.DiceUncovered)
    right = e.DiceCorrected(before.dice, (1, 1, 2), "double 1, 2, total 4", 4, ())
    return [*events, event(right, **({} if alone else TWO))]


def advised_return() -> Events:
    """A bet of which nobody was told goes back before the close."""
    events = after(V6, e.BetPlaced)
    bet = events[-1].what
    assert isinstance(bet, e.BetPlaced)
    back = Handed(bet.player, bet.box, bet.amount)
    return [*events, event(e.BetReturned(bet.player, bet.box, 10, back))]


SUSPEND_NZ = event(e.FactRecorded(Fact.TUMBLER_FAULT, 0, ("void-round", "suspend"), ()))


def not_suspended() -> Events:
    """The tumbler failed between rounds, and the next round begins all the same."""
    events = list(_dealt(NZ))
    number, opened = number_of(events), events[last(events, e.BetsOpened)]
    fault = replace(SUSPEND_NZ, what=replace(SUSPEND_NZ.what, round=number + 1))
    again = [event(e.DiceTumbled(number + 1, 3)), replace(opened, what=replace(opened.what, round=number + 1))]
    return [*events, fault, *again]


ROWS: list[tuple[str, str, Callable[[], Events]]] = [
    ("reversal-without-damage", "§5.6", lambda: [*_dealt(V6), event(e.RoundReversed(1, (), ()), SAM, **TWO)]),
    ("reversal-wrong-round", "§5.6", lambda: reversal(wrong=True)),
    ("reversal-incomplete", "§5.6", lambda: reversal(wrong=False)),
    ("undone-wrongly", "§5.6", lambda: reversal(wrong=False)),
    ("void-after-end", "I29", lambda: [*_dealt(V6), event(e.RoundVoided(1, Fact.NOT_FLAT, True, "", (), ()))]),
    ("void-without-fact", "§5.5", lambda: in_round(
        V6, e.BetsClosed, lambda n: e.RoundVoided(n, Fact.NOT_FLAT, True, "", (), ()))),
    ("against-record", "§5.5.1", lambda: in_round(
        V6, e.DiceUncovered, fact(Fact.TOO_FEW_TUMBLES, ("void-round",)), **TWO)),
    ("against-record", "§7.1(d)", lambda: in_round(
        NZ, e.BetsClosed, fact(Fact.NOT_ACTIVATED, ("void-round",)), **TWO)),
    ("not-followed", "§7.1(a)", lambda: in_round(NZ, e.BetsClosed, fact(Fact.NOT_FLAT, ("void-round",)))),
    ("not-followed", "§7.1(a)", lambda: in_round(NZ, e.BetsClosed, fact(Fact.NOT_FLAT, ("record",)))),
    ("not-followed", "§5.1.4", lambda: in_round(
        OPEN, e.BetPlaced, fact(Fact.ACTIVATED_BEFORE_CLOSE, ("void-round",)))),
    ("tumbled-out-of-turn", "§5.1.4", lambda: in_round(OPEN, e.BetPlaced, lambda n: e.DiceTumbled(n, 3))),
    ("one-person", "§7.1(a)", lambda: in_round(NZ, e.DiceUncovered, fact(Fact.NOT_FLAT, ("void-round",)))),
    ("not-late", "I29", lambda: in_round(V6, e.BetsClosed, fact(Fact.NOT_FLAT, ("record",), late=True))),
    ("played-on", "§5.5.2", lambda: [
        *in_round(V6, e.DiceUncovered, fact(Fact.NOT_FLAT, ("void-round",), attested=False)),
        event(e.ResultAnnounced("", 3))]),
    ("void-without-fact", "§7.1", lambda: in_round(
        NZ, e.LosersCollected, lambda n: e.SettlementUndone(n, (ReversedLine("p1", 1, 0, 1, 0, 0),)))),
    ("void-without-fact", "§5.12", lambda: in_round(
        V6, e.DiceUncovered, lambda n: e.RollVoided(n, Fact.NOT_FLAT, "Void", ()))),
    ("interrupted", "§5.4", lambda: in_round(
        V6, e.BetsClosed, lambda n: e.RoundInterrupted(n, "power", "bets-closed"),
        lambda _: e.DiceUncovered((1, 2, 3)))),
    ("against-record", "§5.4", lambda: in_round(
        V6, e.DiceUncovered, lambda n: e.RoundInterrupted(n, "power", "uncovered"),
        lambda n: e.InterruptionResolved(n, (1, 1, 1), (1, 1, 1)), **TWO)),
    ("not-suspended", "§7.4", not_suspended),
    ("not-entered", "§7.3", lambda: without(NZ, e.ResultEntered)),
    ("tests-incomplete", "§5.0(b)", lambda: without(NZ, e.TestRunMade, one=True)),
    ("attested-by-nobody", "§5.0", lambda: by_program("auto-supervisor")),
    ("absent-player", "§5.3", lambda: walked(e.BetPlaced)),
    ("absent-player", "§5.3", lambda: walked(e.BetWithdrawn)),
    ("excess-not-said", "§5.1", lambda: under_limits(100, 100, advice=False)),
    ("advised-bet-stood", "§5.2", lambda: under_limits(10**9, 10**9, advice=True)),
    ("returned-wrongly", "I21", advised_return),
    ("excess-wrong", "§5.1", lambda: in_round(V6, e.BetPlaced, lambda _: e.ExcessLeft("big", "maximum", 7))),
    ("excess-not-rejected", "§5.1", lambda: in_round(
        V6, e.BetPlaced, lambda _: e.ExcessLeft("big", "maximum", 7), by=Person("auto-dealer", Role.SYSTEM))),
    ("rejected-wrongly", "§5.1", lambda: in_round(V6, e.BetPlaced, lambda _: e.ExcessRejected("big", "maximum", ()))),
    ("not-authorised", "§5.14", lambda: [*_dealt(V6), event(e.Ruled("x", "y", ()), SUE)]),
    ("ruling-without-ground", "§5.14", lambda: [*_dealt(V6), event(e.Ruled("x", "y", ()), SAM)]),
    ("ruling-under-fact", "§5.14", lambda: ruled_void(
        event(e.FactRecorded(Fact.LIGHTS_FAULT, 0, ("dice-decide",), ())))),
    ("no-touch", "§4.3", lambda: on_line(e.LineRuled)),
    ("one-person", "§4.3", lambda: on_line(e.LineTouched)),
    ("ruled-twice", "§4.3", ruled_twice),
    ("never-lay-there", "§4.9", moved_onto_another),
    ("never-lay-there", "§4.9", lambda: moved("moved-by-patron")),
    ("one-person", "§4.9", lambda: moved("misplaced-by-dealer")),
    ("one-person", "§3.8", lambda: corrected(alone=True)),
    ("dice-set-wrong", "§2.2.1", lambda: [*_dealt(V6), event(e.DiceSealed("unknown", "s"), SUE)]),
]  # fmt: skip


@pytest.mark.clause("rws-tai-sai-v6 §5.6")
@pytest.mark.clause("rws-tai-sai-v6 §5.14")
@pytest.mark.clause("nz-division-9 §4.9")
@pytest.mark.clause("nz-division-9 §7.3")
@pytest.mark.clause("rws-open-cover-v3 §5.1.4")
@pytest.mark.parametrize(("code", "clause", "forged"), ROWS, ids=[f"{row[0]} {row[1]}" for row in ROWS])
def test_what_the_record_contradicts_is_found(code: str, clause: str, forged: Callable[[], Events]) -> None:
    """An event that the record, the clause or the rank of its author speaks against is found."""
    assert clause
    assert code in {finding.code for finding in found_in(books(), forged())}


@pytest.mark.parametrize("events", [ruled_void(), moved("misplaced-by-dealer", SUE), corrected(alone=False)])
def test_what_is_ruled_rightly_is_no_finding(events: Events) -> None:
    """A void by the shift manager, a bet that two supervisors move, dice put right by two."""
    second = [replace(each, authorised_by=SAM) if each.by == SUE and each.authorised_by else each for each in events]
    assert [str(each) for each in found_in(books(), second)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_written_shift_is_clean(path: Path) -> None:
    """No honest shift has a finding, and nothing of it is left unlooked at."""
    _, transcript = shift_of(path)
    journal, table = MemoryJournal(), transcript.state.table
    for entry in transcript.entries:
        if entry.events:
            journal.append([Batch(table, journal.head(table).seq, records_of(entry.command.id, entry.events))])
    audit = Audit(book_of)
    assert [str(each) for each in audit.findings(journal)] == []
    assert dict(audit.not_checked) == {}
