"""Facts and what follows from them: a void, a reversal and a re-roll rest on a fact, and on nothing else but a ruling.

Serves `nz-division-9` §7.1, §7.3, §7.4; `rws-open-cover-v3` §5.1; `rws-tai-sai-v6` §5.4-5.6, §5.8, §5.12, §5.14;
`rws-mini-dice-v3` §5.1; interpretations I11, I26, I27, I29.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from taisai.audit.findings import AuditFinding
from taisai.audit.procedure.course import BETWEEN, COLLECTED, DAMAGE, KNOWN, Course, waits_as
from taisai.audit.procedure.reading import AGAIN, ENDS, RECORD, VOID_SET, VOIDING, Reading
from taisai.audit.procedure.seen import SYSTEM, Seen, are_two

FOLLOWING: Final = frozenset({"fact-recorded", "settlement-undone", "roll-voided", "round-voided", "round-reversed"})
"""What follows from a fact, a second person's word or an inspection."""
BESIDE: Final = frozenset({"table-suspended"})
"""What may stand among them."""
RULED: Final = "ruling"


def fact_recorded(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """A fact is recorded with what the book makes of it, by two people where it undoes a result; and that follows."""
    reading, course, turn = seen.ruled.reading, seen.course, seen.turn
    if reading is None or not seen.ruled.current:
        return
    course.look(f"fact:{what.fact}")
    over = turn.step == BETWEEN
    if what.late:
        if what.round > turn.number or (what.round == turn.number and not over):
            sentence = f"{what.fact} of round {what.round} is recorded as found late, and that round was in play"
            yield seen.of_fact("not-late", sentence, what.fact)
        return
    then = _then(course, what, reading)
    if tuple(what.then) != then:
        sentence = f"of {what.fact} the book makes {', '.join(then)}, recorded is {', '.join(what.then) or 'nothing'}"
        yield seen.of_fact("not-followed", sentence, what.fact)
    if what.round != turn.number + over:
        sentence = f"{what.fact} is recorded of round {what.round}, in play was {turn.number + over}"
        yield seen.of_fact("wrong-round", sentence, what.fact)
    if not what.attested:
        return
    yield from _contradicted(seen, what, reading)
    if _undoes(course, what, then) and not _two_stand_by(seen, what.fact):
        sentence = f"{what.fact} undoes a known result, and no second person of rank attested it"
        yield seen.of_fact("one-person", sentence, what.fact)
    course.attested = ""
    course.due = _follows(course, what, then, reading)
    course.due_of = what.fact if course.due else ""


def _elsewhere(course: Course, what: Any) -> bool:
    """Whether damage is of dice that are not in the tumbler: it touches the rounds played with them, not this one."""
    return what.fact == DAMAGE and what.dice_set not in ("", course.dice_in)


def _then(course: Course, what: Any, reading: Reading) -> tuple[str, ...]:
    """What the book makes of a fact here."""
    then = reading.then(what.fact)
    if not _elsewhere(course, what):
        return then
    return (VOID_SET,) if VOID_SET in then else (RECORD,)


def _contradicted(seen: Seen, what: Any, reading: Reading) -> Iterator[AuditFinding]:
    """A fact against an earlier record is a correction of it: two people, a reason, and the record that it corrects."""
    turn = seen.turn
    against = {
        "too-few-tumbles": turn.tumbles >= reading.tumbles_min,
        "not-activated": turn.tumbles > 0,
        "exposed": turn.tumbles > 0 and turn.tumbled_after_close,
        "activated-before-close": turn.tumbles > 0 and turn.tumbled_after_close,
    }.get(what.fact, False)
    event = seen.event
    by_two = are_two(event.by, event.authorised_by) or event.by.role == SYSTEM
    if against and not (by_two and event.reason.strip() and what.corrects):
        after = ", after the close" if turn.tumbled_after_close else ""
        sentence = f"{what.fact}, and on record are {turn.tumbles} tumbles{after}; it corrects no record, by two people"
        yield seen.of_fact("against-record", sentence, what.fact)


def _undoes(course: Course, what: Any, then: tuple[str, ...]) -> bool:
    known = (course.turn.step in KNOWN or course.turn.fixed is not None) and not _elsewhere(course, what)
    played = course.affected(what.dice_set or course.dice_in)
    return (known and not ENDS.isdisjoint(then)) or (VOID_SET in then and bool(played))


def _two_stand_by(seen: Seen, fact: str) -> bool:
    event = seen.event
    return event.by.role == SYSTEM or are_two(event.by, event.authorised_by) or seen.course.attested == fact


def _follows(course: Course, what: Any, then: tuple[str, ...], reading: Reading) -> list[tuple[str, str]]:
    """The events that a fact has for consequence now."""
    turn, fact, due = course.turn, what.fact, []
    if turn.step != BETWEEN and not ENDS.isdisjoint(then) and not _elsewhere(course, what):
        if AGAIN in then and turn.step != COLLECTED:
            return [("roll-voided", reading.word(fact))]
        if turn.step == COLLECTED and any(turn.settled()):
            due.append(("settlement-undone", str(turn.number)))
        due.append(("round-voided", reading.word(fact)))
    if VOID_SET in then:
        due += [("round-reversed", number) for number in course.affected(what.dice_set or course.dice_in)]
    return due


def fact_attested(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """Somebody else says whether a fact that holds the round is so; one of the two is a supervisor."""
    course, by = seen.course, seen.event.by
    if not seen.ruled.current:
        return
    waits = waits_as(what)
    if waits not in course.held:
        yield seen.of_fact("against-record", f"{what.fact} was attested, and nobody had recorded it", what.fact)
    else:
        first, role = course.held[waits]
        if not are_two(by, _Who(first, role)):
            sentence = f"{what.fact} was not attested by a second person of rank"
            yield seen.of_fact("one-person", sentence, what.fact)
        elif what.confirmed:
            course.attested = what.fact
    if not what.confirmed and not seen.event.reason.strip():
        yield seen.of_fact("no-reason", f"{what.fact} was told not to be so, and nobody said why", what.fact)
    if what.confirmed:
        course.due, course.due_of = [("fact-recorded", what.fact)], f"{what.fact}, attested"


class _Who:
    def __init__(self, person: str, role: str) -> None:
        self.id = person
        self.role = role


def inspected(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """A set found damaged is a fact; one that is on record as damaged is not sound again."""
    course = seen.course
    if what.dice_set != course.dice_in:
        sentence = f"set {what.dice_set} was looked at, in the tumbler was {course.dice_in or 'none'}"
        yield seen.finding("dice-set-wrong", sentence, "dice-set")
    if not seen.ruled.current:
        return
    waits = course.held.keys() & {DAMAGE, f"{DAMAGE} {what.dice_set}"}
    if what.sound and (waits or not course.sets.get(what.dice_set, True)):
        yield seen.finding("against-record", f"set {what.dice_set} is on record as damaged", "dice-set")
    if not what.sound:
        course.due, course.due_of = [("fact-recorded", DAMAGE)], "a set found damaged"


# ------------------------------------------------------------------ what follows


def is_due(seen: Seen, kind: str) -> Iterator[AuditFinding]:
    """What a fact has for consequence comes right after it, all of it; and nothing of that kind comes without."""
    course, what = seen.course, seen.event.what
    if course.ruling and kind not in (*BESIDE, "settlement-undone", "round-voided"):
        course.ruling = False
    if kind in BESIDE or not (course.due or kind in FOLLOWING):
        return
    if kind in FOLLOWING and any(_is(each, kind, what) for each in course.due):
        while not _is(course.due[0], kind, what):
            yield missing(seen, course.due.pop(0))
        course.due.pop(0)
        if not course.due:
            course.due_of = ""
        return
    reversal = kind == "round-reversed" and any(due[0] == kind for due in course.due)
    if not reversal:
        for each in course.due:
            yield missing(seen, each)
        course.due, course.due_of = [], ""
    if kind in FOLLOWING and kind != "fact-recorded" and seen.ruled.current:
        yield from _groundless(seen, kind, what, reversal=reversal)


def _is(due: tuple[str, str], kind: str, what: Any) -> bool:
    if due[0] != kind:
        return False
    said = what.fact if kind == "fact-recorded" else what.why if kind in ("round-voided", "roll-voided") else what.round
    return str(said) in due[1].split("|")


def missing(seen: Seen, due: tuple[str, str]) -> AuditFinding:
    """The finding for a consequence that did not follow."""
    kind, which = due
    code = "reversal-incomplete" if kind == "round-reversed" else "not-followed"
    told = f"round {which} was not reversed" if kind == "round-reversed" else f"no {kind} ({which}) followed"
    return seen.of_fact(code, f"after {seen.course.due_of} {told}", seen.course.due_of.partition(",")[0])


def _groundless(seen: Seen, kind: str, what: Any, *, reversal: bool) -> Iterator[AuditFinding]:
    turn, course = seen.turn, seen.course
    if kind == "round-reversed":
        if reversal:
            sentence = f"round {what.round} was reversed, which was not played with the damaged set since it was sound"
            yield seen.finding("reversal-wrong-round", sentence, "damaged-dice-void")
        else:
            sentence = f"round {what.round} was reversed, and no damage of its dice is on record"
            yield seen.finding("reversal-without-damage", sentence, "damaged-dice-void")
    elif turn.step == BETWEEN or getattr(what, "round", turn.number) != turn.number:
        sentence = f"{kind} of round {what.round} ({getattr(what, 'why', 'undone')}), which was not in play"
        yield seen.finding("void-after-end", sentence, "found-late", "later-round-untouched")
    elif course.ruling and kind in ("round-voided", "settlement-undone"):
        yield from _ruled_void(seen, kind, what)
    else:
        sentence = f"{kind} ({getattr(what, 'why', 'undone')}), and no fact is on record that it follows from"
        yield seen.finding("void-without-fact", sentence, "void-returns-bets")


def _ruled_void(seen: Seen, kind: str, what: Any) -> Iterator[AuditFinding]:
    """The shift manager voids the round in play where the book says nothing: not where a fact has its consequence."""
    reading = seen.ruled.reading
    if reading is None or kind != "round-voided":
        return
    if not reading.shift_manager or what.why != RULED:
        sentence = f"void ({what.why}) by a ruling, which this book does not have"
        yield seen.finding("void-without-fact", sentence, "shift-manager-decides", "void-returns-bets")
    decided = [fact for fact in seen.turn.facts if reading.then(fact) != ("record",)]
    if decided:
        sentence = f"void by a ruling, though the book says what follows from {', '.join(decided)}"
        yield seen.of_fact("ruling-under-fact", sentence, decided[0])


def void_reason(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """The reason of a void is one that the book has."""
    reading = seen.ruled.reading
    if reading is None:
        return
    words = {reading.word(fact) for fact, then in reading.facts.items() if not VOIDING.isdisjoint(then)}
    words |= {"interrupted", *([RULED] if reading.shift_manager else [])}
    if what.why not in words:
        yield seen.finding("void-reason", f"the book has no void reason {what.why}", "void-returns-bets")
