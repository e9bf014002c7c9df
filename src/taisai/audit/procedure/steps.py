"""The steps of a round in their order, the dice, the terminal, the lights and the call.

Serves `nz-division-9` §3.3, §6.1-6.5, §7.2-7.4; `rws-open-cover-v3` §3.1-3.5, §5.1.4; `rws-tai-sai-v6` §3.2, §3.6-3.9;
`rws-mini-dice-v3` §3.1-3.5; interpretations I4, I5, I23, I24; R14, R20, R22.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from taisai.audit.findings import AuditFinding
from taisai.audit.openings import draw_of, opened_wrong
from taisai.audit.procedure.course import (
    ANNOUNCED,
    BETTING,
    BETWEEN,
    CLOSED,
    COLLECTED,
    ENTERED,
    UNCOVERED,
)
from taisai.audit.procedure.reading import SUSPEND
from taisai.audit.procedure.seen import Seen
from taisai.audit.second import opinion as second
from taisai.audit.second.outcomes import odds_of

_BEFORE_SETTLING: Final = frozenset({CLOSED, UNCOVERED, ANNOUNCED, ENTERED})
_IN_ROUND: Final = _BEFORE_SETTLING | {BETTING, COLLECTED}
ORDER: Final[Mapping[str, tuple[frozenset[str], str]]] = {
    "dice-committed": (frozenset({BETWEEN}), "bets-open"),
    "bets-opened": (frozenset({BETWEEN}), "no-bet-before-paid"),
    "bet-placed": (frozenset({BETTING}), "no-change-after-close"),
    "bet-withdrawn": (frozenset({BETTING}), "no-change-after-close"),
    "minimum-advised": (frozenset({BETTING}), "under-minimum-advised"),
    "excess-rejected": (frozenset({BETTING}), "excess-rejected"),
    "excess-left": (frozenset({BETTING}), "excess-rejected"),
    "bet-returned": (frozenset({BETTING}), "under-minimum-advised"),
    "bets-closed": (frozenset({BETTING}), "bets-close"),
    "odds-drawn": (frozenset({CLOSED}), "pay-table"),
    "dice-uncovered": (frozenset({CLOSED}), "uppermost-faces"),
    "result-announced": (frozenset({UNCOVERED}), "uppermost-faces"),
    "number-pressed": (frozenset({UNCOVERED, ANNOUNCED}), "entry-terminal"),
    "result-entered": (frozenset({ANNOUNCED}), "entry-terminal"),
    "areas-lit": (frozenset({ANNOUNCED}), "winning-lights"),
    "entry-amended": (frozenset({ENTERED}), "entry-amended"),
    "dice-corrected": (frozenset({UNCOVERED, ANNOUNCED, ENTERED}), "uppermost-faces"),
    "losers-collected": (frozenset({ANNOUNCED, ENTERED}), "collect-then-pay"),
    "bet-paid": (frozenset({COLLECTED}), "collect-then-pay"),
    "round-concluded": (frozenset({COLLECTED}), "collect-then-pay"),
    "bet-corrected": (_BEFORE_SETTLING, "moved-wager-corrected"),
    "line-touched": (_IN_ROUND, "line-touching-bets"),
    "line-ruled": (_IN_ROUND, "line-touching-bets"),
    "round-interrupted": (_IN_ROUND, "interruption-void"),
}
"""At which steps of a round it comes, and the rule behind that."""
_STOPPED: Final = frozenset(ORDER) - {
    "line-touched", "minimum-advised", "round-interrupted", "excess-left", "bet-returned",
}  # fmt: skip
"""What nobody does while the round is interrupted, or a fact waits for a second person."""
_NOT_SUSPENDED: Final = frozenset({"dice-committed", "bets-opened", "bet-placed"})


def in_order(seen: Seen, _what: Any) -> Iterable[AuditFinding]:
    """Each step comes when the procedure has it, at an open table, and not while the round is stopped."""
    course = seen.course
    turn = course.turn
    stopped = course.suspended or course.held or turn.interrupted
    if turn.step in ORDER[seen.kind][0] and course.phase == "open" and not stopped:
        return ()
    return _out_of_order(seen)


def _out_of_order(seen: Seen) -> Iterator[AuditFinding]:
    kind, course, turn = seen.kind, seen.course, seen.turn
    steps, rule = ORDER[kind]
    if turn.step not in steps:
        yield seen.finding("out-of-order", f"{kind} while the round was at {turn.step}", rule)
    if course.phase != "open":
        yield seen.finding("table-not-open", f"{kind} while the table was {course.phase}", "opening-check")
    if course.suspended and kind in _NOT_SUSPENDED:
        yield seen.finding("table-suspended", f"{kind} while the table was suspended", "suspended-after-malfunction")
    if turn.interrupted and kind in _STOPPED:
        yield seen.finding("interrupted", f"{kind} while the round was interrupted", "interruption-void")
    if course.held and kind in _STOPPED:
        waits = ", ".join(course.held)
        yield seen.finding("played-on", f"{kind} while {waits} waited for a second person", "void-returns-bets")


def between_rounds(seen: Seen, _what: Any) -> Iterator[AuditFinding]:
    """Limits, dice and the table itself change between two rounds only."""
    if seen.turn.step != BETWEEN:
        sentence = f"{seen.kind} while the round was at {seen.turn.step}"
        yield seen.finding("out-of-order", sentence, "no-bet-before-paid")


# ------------------------------------------------------------------ the dice


def for_what_it_is(seen: Seen, _what: Any) -> Iterator[AuditFinding]:
    """Virtual dice are for demonstration and training, unless the book or a declared reading admits them (I23)."""
    book, purpose = seen.ruled.book, seen.course.purpose
    if book is None or book.admits("virtual") or purpose in ("training", "demo"):
        return
    if purpose == "gaming" or seen.ruled.current:
        said = "for gaming" if purpose == "gaming" else "of which nobody said that it is not for gaming"
        yield seen.finding("not-admitted", f"virtual dice at a table {said}, which its book does not admit", "devices")


def committed_once(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """The dice of the next round are committed once, before it begins."""
    turn = seen.turn
    if what.round != turn.number + 1:
        yield seen.finding("not-as-committed", f"committed for round {what.round}, the next is {turn.number + 1}")
    if turn.commitment:
        yield seen.finding("not-as-committed", f"the dice of round {what.round} were committed a second time")


def opened_as_committed(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """At the close the house's secret and what the players brought fix the dice; a void round is opened without."""
    turn = seen.turn
    if what.dice is not None:
        if turn.step != CLOSED:
            yield seen.finding("out-of-order", f"dice-opened while the round was at {turn.step}", "bets-close")
        commitment, number, brought = turn.commitment, turn.number, sorted(turn.brought.values())
    else:
        commitment, brought = seen.course.unopened.get(str(what.round), ("", []))
        number = what.round if commitment else 0
    wrong = opened_wrong(commitment, what.opening, seen.table, number, what.dice, contributions=tuple(brought))
    if what.round != number:
        wrong = f"dice of round {what.round} were opened, which has none to open"
    elif list(what.contributions) != brought:
        wrong = "what the players brought is not what their bets say"
    if wrong:
        yield seen.finding("not-as-committed", wrong, "uppermost-faces")


def drawn_by_the_table(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """Odds are drawn once a round, from the layout's draw table; with virtual dice, as the opening has them."""
    turn, layout = seen.turn, _printed(seen)
    if layout is None:
        return
    draws = {draw.name: draw for draw in layout.draws}
    should = (
        {str(box): odds_of(said) for box, (_, said) in draws[what.draw].raised.items()} if what.draw in draws else {}
    )
    if what.draw not in draws:
        yield seen.finding("wrong-draw", f"{what.draw} was drawn, which the draw table does not have", "pay-table")
    elif {box: Fraction(odds) for box, odds in what.raised.items()} != should or what.round != turn.number:
        yield seen.finding(
            "wrong-draw", f"what {what.draw} raises is recorded otherwise than the book has it", "pay-table"
        )
    elif turn.draw:
        yield seen.finding("wrong-draw", f"odds were drawn a second time, {what.draw} after {turn.draw}", "pay-table")
    elif turn.fixed is not None:
        brought = sorted(turn.brought.values())
        weights = [draw.weight for draw in layout.draws]
        gives = layout.draws[draw_of(turn.opening, seen.table, turn.number, brought, weights)].name
        if gives != what.draw:
            sentence = f"{what.draw} was drawn, the opening gives {gives}"
            yield seen.finding("not-as-committed", sentence, "pay-table")


def uncovered_when_drawn(seen: Seen, _what: Any) -> Iterator[AuditFinding]:
    """Where a layout draws odds, they are known before the dice."""
    layout = _printed(seen)
    if layout is not None and layout.draws and not seen.turn.draw:
        yield seen.finding("wrong-draw", "the dice were uncovered before the odds of the round were drawn", "pay-table")


def _printed(seen: Seen) -> Any:
    """The layout with its draw table; None where the book is not at hand as the table has it."""
    return seen.ruled.book.layouts.get(seen.course.layout) if seen.ruled.current else None


def uncovered_as_committed(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """Committed dice were uncovered by the secret they were fixed by, and by nothing else; others by none."""
    turn = seen.turn
    if turn.form > 1:
        agrees = (what.dice, what.opening) == (turn.fixed, turn.opening)
        wrong = "" if agrees else f"the dice were recorded as {what.dice}, the close fixed {turn.fixed}"
    else:
        wrong = opened_wrong(turn.commitment, what.opening, seen.table, turn.number, what.dice)
    if wrong:
        yield seen.finding("not-as-committed", wrong, "uppermost-faces")


def tumbled_in_turn(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """The dice are tumbled when the book has it; out of turn is a fact, of which the book says more."""
    turn, reading = seen.turn, seen.ruled.reading
    if reading is None:
        return
    turns = {
        "before-bets": {BETWEEN},
        "after-close": {CLOSED},
        "either": {BETWEEN, BETTING, CLOSED},
    }[reading.tumble]
    again = turn.again and turn.step in (BETTING, CLOSED)
    if not again and turn.step not in turns:
        sentence = f"the dice were tumbled at {turn.step}, and that is recorded as if it were in turn"
        fact = "activated-before-close" if turn.step == BETTING else "tumbled-out-of-turn"
        yield seen.of_fact("tumbled-out-of-turn", sentence, fact)
    number = turn.number + (turn.step == BETWEEN)
    if what.round != number:
        yield seen.finding("wrong-round", f"tumbled for round {what.round}, it was {number}", "tumble-count")
    if reading.adds_up and not turn.again and what.times < turn.tumbles:
        sentence = f"{what.times} tumbles on record after {turn.tumbles}: they add up"
        yield seen.finding("tumbles-wrong", sentence, "tumble-count")
    if seen.ruled.current and what.times < reading.tumbles_min and not reading.adds_up and turn.step != BETWEEN:
        seen.course.due, seen.course.due_of = [("fact-recorded", "too-few-tumbles")], "too few tumbles"


def opened_after_all_is_well(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """A round begins with its number, with dice that are sound and tumbled where the book has that, and mended."""
    course, turn, reading = seen.course, seen.turn, seen.ruled.reading
    if what.round != turn.number + 1:
        yield seen.finding("wrong-round", f"round {what.round} was opened after round {turn.number}", "bets-open")
    if reading is None or not seen.ruled.current:
        return
    if reading.tumble == "before-bets" and turn.tumbles < reading.tumbles_min:
        sentence = f"bets were called for after {turn.tumbles} tumbles, at least {reading.tumbles_min} come first"
        yield seen.finding("too-few-tumbles", sentence, "tumble-count")
    virtually = course.dealt_by == "house" and course.source_sound
    if not virtually and not course.sets.get(course.dice_in, False):
        yield seen.finding("no-dice", "a round without a sound set of dice sealed in", "dice-set")
    failed = [fact for fact in course.faults if SUSPEND in reading.then(fact)]
    if failed and not course.procedure and not course.suspended:
        sentence = f"the next round was opened after {', '.join(failed)}, neither mended nor under a procedure"
        yield seen.finding("not-suspended", sentence, "suspended-after-malfunction")


def uncovered_when_tumbled(seen: Seen, _what: Any) -> Iterator[AuditFinding]:
    """Dice that tumbled fewer than three times give no result."""
    reading = seen.ruled.reading
    if reading is not None and seen.turn.tumbles < reading.tumbles_min:
        sentence = f"uncovered after {seen.turn.tumbles} tumbles, at least {reading.tumbles_min} are needed"
        yield seen.of_fact("too-few-tumbles", sentence, "too-few-tumbles")


def dice_put_right(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """Dice written down wrongly: what stood there, a new call where there was one, and never of virtual dice."""
    turn = seen.turn
    if turn.commitment:
        yield seen.finding("against-record", "virtual dice show what they were committed to", "uppermost-faces")
    if tuple(what.before) != turn.dice:
        sentence = f"{tuple(what.before)} put right, on record were {turn.dice}"
        yield seen.finding("dice-differ", sentence, "uppermost-faces")
    if turn.step != UNCOVERED and seen.ruled.recounted and what.call != second.call(seen.ruled.layout, what.after):
        yield seen.finding("call-wrong", f"called {what.call!r} after dice were put right", "uppermost-faces")


# ------------------------------------------------------------------ call, terminal, lights


def called_right(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """The call is what the dice show."""
    dice = seen.turn.dice
    if dice is None:
        return
    if not seen.ruled.recounted:
        seen.course.could_not(f"not-recounted: calls on {seen.ruled.layout}")
    elif what.call != (should := second.call(seen.ruled.layout, dice)):
        sentence = f"called {what.call!r}, the dice show {should!r}"
        yield seen.finding("call-wrong", sentence, "uppermost-faces")


def lights_are_right(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """The lights are exactly the boxes that win on the numbers entered."""
    kind = seen.kind
    dice = what.after if kind == "entry-amended" else seen.turn.dice if kind == "areas-lit" else what.dice
    if dice is None:
        return
    if not seen.ruled.recounted:
        seen.course.could_not(f"not-recounted: lights on {seen.ruled.layout}")
        return
    should = second.lit(seen.ruled.layout, dice)
    if set(what.lit) != should:
        wrong = ", ".join(sorted(set(what.lit) ^ should))
        yield seen.finding("lights-wrong", f"lit for {dice} differ from the recount in {wrong}", "winning-lights")


def entered_as_pressed(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """The terminal takes the last three numbers that were pressed, where there is a terminal."""
    reading, turn = seen.ruled.reading, seen.turn
    if reading is not None and not reading.terminal:
        yield seen.finding("not-in-book", "an entry under a book that has no terminal", "entry-terminal")
    elif list(what.dice) != turn.pressed:
        sentence = f"entered {tuple(what.dice)}, pressed were {turn.pressed}"
        yield seen.finding("entry-differs", sentence, "entry-terminal")
    if turn.dice is not None and what.matches != (sorted(what.dice) == sorted(turn.dice)):
        yield seen.finding("entry-differs", "whether it agrees with the dice is told wrongly", "entry-terminal")


def entry_put_right(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """A wrong entry is amended to what the dice show."""
    dice = seen.turn.dice
    if dice is not None and sorted(what.after) != sorted(dice):
        yield seen.finding("entry-differs", f"amended to {tuple(what.after)}, the dice show {dice}", "entry-amended")


def settled_after_entry(seen: Seen, _what: Any) -> Iterator[AuditFinding]:
    """Nothing is settled before the right result is entered, unless lights or terminal failed by the record."""
    reading, turn = seen.ruled.reading, seen.turn
    if reading is None or not reading.terminal or turn.by_dice:
        return
    if turn.entered is None:
        sentence = "settled without an entry, and no dead terminal or dark light is on record"
        yield seen.finding("not-entered", sentence, "entry-terminal", "dice-decide-over-lights")
    elif turn.dice is not None and sorted(turn.entered) != sorted(turn.dice):
        sentence = f"settled while the entry was {turn.entered}, the dice show {turn.dice}"
        yield seen.finding("entry-differs", sentence, "entry-amended")


# ------------------------------------------------------------------ interruptions


def resolved_by_the_dice(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """With an outcome on record, or any die read, the round goes on; with none it is void (I5, I14)."""
    turn, course, reading = seen.turn, seen.course, seen.ruled.reading
    if not turn.interrupted:
        yield seen.finding("against-record", "no interruption is on record", "interruption-concluded")
    if turn.commitment and what.dice is not None:
        sentence = "virtual dice were read that nobody can read"
        yield seen.finding("not-as-committed", sentence, "uppermost-faces")
    if reading is None or not seen.ruled.current:
        return
    established = turn.dice or turn.fixed
    if established is not None:
        if what.dice is not None and sorted(what.dice) != sorted(established):
            sentence = f"resolved with {tuple(what.dice)}, on record before were {established}"
            yield seen.finding("against-record", sentence, "interruption-concluded")
        return
    if what.dice is None:
        if what.readable and turn.step != BETTING and turn.tumbles >= reading.tumbles_min:
            sentence = f"void though {', '.join(map(str, what.readable))} could be read"
            yield seen.finding("against-record", sentence, "interruption-concluded")
        if "interrupted" in reading.facts:
            course.due = [("fact-recorded", "interrupted|exposed")]
        else:
            course.due = [("round-voided", "interrupted")]
        course.due_of = "an interruption with no die read"
    elif turn.step == BETTING or not what.readable or turn.tumbles < reading.tumbles_min:
        sentence = f"concluded by {tuple(what.dice)}, and no outcome had been established"
        yield seen.finding("against-record", sentence, "interruption-void")


# ------------------------------------------------------------------ when it comes


def rung_where_it_rings(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """The bell rings with the closing call where the book has a bell."""
    reading = seen.ruled.reading
    if reading is not None and what.bell != reading.bell:
        yield seen.finding("bell-wrong", f"bets were closed {'with' if what.bell else 'without'} a bell", "bell")


def open_long_enough(seen: Seen, _what: Any) -> Iterator[AuditFinding]:
    """Bets were open for as long as the table promises (R20), and until the time that the opening call fixed."""
    turn = seen.turn
    open_us, least_ms = seen.event.at - turn.opened_at, seen.course.betting_min_ms
    if turn.closes_at:
        least_ms = max(least_ms, (turn.closes_at - turn.opened_at) // 1_000)
    if open_us < least_ms * 1_000:
        sentence = f"bets were open for {open_us // 1_000} ms, at least {least_ms} are promised"
        yield seen.finding("betting-too-short", sentence, "bets-close")
