"""Rulings: by those whom the book names, resting on the record, under a book that knows them.

Serves `nz-division-9` §4.3, §4.9; `rws-tai-sai-v6` §5.14; interpretations I12, I22.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from taisai.audit.findings import AuditFinding
from taisai.audit.procedure.betting import CALLED
from taisai.audit.procedure.course import BETTING, Turn
from taisai.audit.procedure.seen import SHIFT_MANAGER, SUPERVISORS, SYSTEM, Seen, are_two

MISPLACED: Final = "misplaced-by-dealer"
GROUNDS: Final = frozenset({"not-covered", "meaning"})


def moved_back(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """A moved bet goes back to where it lay, and nowhere else but on the word of two supervisors (§4.9, I12)."""
    turn, reading = seen.turn, seen.ruled.reading
    lies = turn.stake(what.player, what.lies_on)
    if what.amount > lies:
        sentence = f"{what.amount} moved out of {what.lies_on}, too many by {what.amount - lies}"
        yield seen.finding("chips-not-there", sentence)
    if reading is None or not seen.ruled.current:
        return
    if not reading.corrects_moved:
        sentence = "a bet was moved after the close, under a book that settles it by where it lay"
        yield seen.finding("not-in-book", sentence, "settled-by-position")
    by, other = seen.event.by, seen.event.authorised_by
    if what.ground == MISPLACED:
        called = any(how == CALLED for who, box, _, how in turn.moves if (who, box) == (what.player, what.lies_on))
        if called:
            sentence = f"a bet that {what.player} had called was moved as misplaced by the dealer"
            yield seen.finding("called-bet-moved", sentence, "moved-wager-corrected", "player-answers")
        if by.role not in SUPERVISORS or other is None or other.role not in SUPERVISORS:
            sentence = "a bet was moved as misplaced by the dealer, not on the word of two supervisors"
            yield seen.finding("one-person", sentence, "moved-wager-corrected")
    elif turn.stake(what.player, what.belongs_on) + what.amount > turn.most_on(what.player, what.belongs_on):
        sentence = f"{what.player}'s bet was moved to {what.belongs_on}, where they never had so much in this round"
        yield seen.finding("never-lay-there", sentence, "moved-wager-corrected")
    yield from _moved_and_no_more(seen, what)


def _moved_and_no_more(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """After the correction all bets are as they were, but for that one."""
    should = seen.turn.bets()
    source, target = (what.player, what.lies_on), (what.player, what.belongs_on)
    should[source] = should.get(source, 0) - what.amount
    should[target] = should.get(target, 0) + what.amount
    if {(bet.player, bet.box): bet.stake for bet in what.bets} != {
        key: stake for key, stake in should.items() if stake
    }:
        yield seen.finding("bets-differ", "the bets after a correction are not those before it", "settled-by-position")


def line_touched(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """That a bet touches the line is attested by a second person when the dice are known (I22)."""
    if not _lies(seen.turn, what):
        sentence = f"{what.player} had nothing unsettled in {what.box} that could touch a line"
        yield seen.finding("chips-not-there", sentence, "line-touching-bets")
    by_two = are_two(seen.event.by, seen.event.authorised_by) or seen.event.by.role == SYSTEM
    if seen.turn.dice is not None and what.attested and not by_two:
        sentence = "that a bet touches the line was recorded as attested, with the dice known, by one person"
        yield seen.finding("one-person", sentence, "line-touching-bets")


def line_ruled(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """A ruling on a line rests on the record that the bet touches it, and hands back all of the bet or nothing."""
    turn, reading = seen.turn, seen.ruled.reading
    if reading is None or not seen.ruled.current:
        return
    if not reading.rules_on_lines:
        sentence = "a ruling on a line, under a book that settles a bet by where it lies"
        yield seen.finding("not-in-book", sentence, "settled-by-position", "shift-manager-decides")
    touch = next((each for each in turn.touching if each[:2] == (what.player, what.box)), None)
    if touch is None or not (touch[2] or what.honoured):
        why = "it is not on record that it touches the line" if touch is None else "one person alone had recorded that"
        yield seen.finding("no-touch", f"{what.player}'s bet on {what.box}: {why}", "line-touching-bets")
    if not what.honoured and (what.player, what.box) in turn.honoured and turn.step != BETTING:
        sentence = f"{what.player}'s bet on {what.box} was honoured, and handed back once bets were closed"
        yield seen.finding("ruled-twice", sentence, "line-touching-bets")
    if not _lies(turn, what):
        sentence = f"a ruling on {what.player}'s bet on {what.box}, which does not lie there or is settled"
        yield seen.finding("out-of-order", sentence, "line-touching-bets")
    right = 0 if what.honoured else turn.stake(what.player, what.box)
    if (what.handed.amount if what.handed is not None else 0) != right:
        sentence = f"by the ruling {right} goes back out of {what.box}"
        yield seen.finding("chips-not-there", sentence, "line-touching-bets")
    if not seen.event.reason.strip():
        yield seen.finding("no-reason", f"{seen.kind} has no reason", "line-touching-bets")


def _lies(turn: Turn, what: Any) -> bool:
    """Whether a player's bet lies in a box and is not settled."""
    settled = {(player, box) for player, box, _, _ in turn.settled()}
    return turn.stake(what.player, what.box) > 0 and (what.player, what.box) not in settled


def ruled(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """The shift manager rules on what the rules do not cover or mean, naming clauses of the book (§5.14)."""
    course, reading, book = seen.course, seen.ruled.reading, seen.ruled.book
    course.ruling = seen.event.by.role == SHIFT_MANAGER
    if reading is None or not seen.ruled.current:
        return
    strange = [clause for clause in what.considered if clause not in book.clauses]
    if what.ground not in GROUNDS or not what.considered or strange:
        sentence = (
            f"a ruling on the ground {what.ground or 'none'}, considering {', '.join(what.considered) or 'nothing'}"
        )
        yield seen.finding("ruling-without-ground", sentence, "shift-manager-decides")
    if what.lines and not reading.shift_manager:
        sentence = "a ruling moved amounts, under a book that gives nobody that right"
        yield seen.finding("not-in-book", sentence, "shift-manager-decides")
    decided = [fact for fact in seen.turn.facts if reading.then(fact) != ("record",)]
    why = decided[0] if decided and what.about == seen.turn.number else course.void_by_fact.get(str(what.about), "")
    if what.lines and why:
        sentence = f"a ruling moved amounts of round {what.about}, and the book says what follows from {why}"
        yield seen.finding("ruling-under-fact", sentence, "shift-manager-decides")
    for line in what.lines:
        if line.staked or line.returned or line.owing or (line.given_back and (line.taken or line.owed)):
            sentence = f"the amount of {line.player} goes both ways, or is told as of a bet"
            yield seen.finding("undone-wrongly", sentence, "shift-manager-decides")
