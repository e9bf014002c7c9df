"""The shift: book, edition, dice, opening check with its test runs, suspension and its end.

Serves `nz-division-9` §3.4(d),(e), §5.0, §7.4; `rws-tai-sai-v6` §2.1.1, §2.2.1, §3.3; interpretation I28; R3, R16.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any, Final

from taisai.audit.findings import AuditFinding
from taisai.audit.procedure.course import BETWEEN, plain_limits
from taisai.audit.procedure.reading import EQUIPMENT
from taisai.audit.procedure.seen import Seen
from taisai.audit.second import opinion as second

FURTHEST_EAST: Final = timezone(timedelta(hours=14))
"""Where a day begins first: a book that is not in force there is in force nowhere."""
TEST_RUN: Final = "test-run"


def book_is_known(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """The rule book in force is one that we have, to the last character."""
    names_it = seen.kind in ("table-set-up", "edition-taken")
    book_id = what.book if names_it else seen.course.book
    book = seen.books(book_id)
    if book is None:
        yield seen.finding("book-unknown", f"there is no rule book {book_id} here to check by")
    elif not book.matches(what.digest):
        sentence = f"rule book {book_id} had digest {what.digest[:16]}…, the one here has {book.digest[:16]}…"
        yield seen.finding("book-differs", sentence)
    if seen.course.digest and not names_it and seen.course.digest != what.digest:
        yield seen.finding("book-changed", "the digest is not the one that the table was set up with")


def set_up_while_closed(seen: Seen, _what: Any) -> Iterator[AuditFinding]:
    """A table is set up while it is closed."""
    if seen.course.phase == "open":
        yield seen.finding("out-of-order", "the table was set up anew while it was open", "no-bet-before-paid")


def edition_is_due(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """A table took up an edition that is in force and replaces the one it played by, between two rounds."""
    book, before = seen.books(what.book), seen.course.book
    if book is None or not before:
        return
    if not book.in_force(datetime.fromtimestamp(seen.event.at / 1_000_000, FURTHEST_EAST)):
        yield seen.finding("edition-early", f"rule book {what.book} is in force from {book.effective}")
    if {book.replaces, what.replaces} != {before}:
        yield seen.finding("wrong-edition", f"{what.book} does not replace {before}")
    if seen.turn.step != BETWEEN:
        yield seen.finding("edition-in-round", f"{what.book} was taken up while a round was in play")


def set_is_sound(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """One sound set at a time goes into the tumbler, and it was received before."""
    course = seen.course
    if not course.sets.get(what.dice_set, False):
        known = "damaged" if what.dice_set in course.sets else "not at this table"
        yield seen.finding("dice-set-wrong", f"set {what.dice_set} was sealed in, which is {known}", "dice-set")
    if course.dice_in and course.dice_in != what.dice_set:
        sentence = f"set {what.dice_set} was sealed in while {course.dice_in} was in the tumbler"
        yield seen.finding("dice-set-wrong", sentence, "dice-set")


def item_is_proven(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """The item of the test runs is passed when they light what the house chose, and none that failed is left (I28)."""
    seen.course.look(f"item:{what.item}")
    reading = seen.ruled.reading
    if reading is not None and what.item not in reading.opening:
        yield seen.finding("not-in-book", f"the opening check has no item {what.item}", "opening-check")
    if what.item == TEST_RUN and what.passed:
        yield from _lights_not_proven(seen, "the item of the test runs was passed")


def _lights_not_proven(seen: Seen, then: str) -> Iterator[AuditFinding]:
    course, ruled = seen.course, seen.ruled
    if not ruled.current:
        return
    if not ruled.recounted:
        course.could_not(f"not-recounted: test runs on {ruled.layout}")
        return
    failed = sorted(dice for dice, passed in course.tests.items() if not passed)
    lit: set[str] = set()
    for dice, passed in course.tests.items():
        first, middle, last = map(int, dice.split(","))
        lit |= second.lit(ruled.layout, (first, middle, last)) if passed else set()
    areas = set(ruled.limits.least)
    if course.coverage == "kinds":
        lit, areas = {_kind(box) for box in lit}, {_kind(box) for box in areas}
    dark = sorted(areas - lit)
    if failed or dark:
        wrong = f"{len(dark)} areas never lit" if dark else f"{', '.join(failed)} failed and was not run again"
        yield seen.finding("tests-incomplete", f"{then}, and {wrong}", "test-runs")


def _kind(box: str) -> str:
    return box.partition(":")[0]


def opened_after_check(seen: Seen, _what: Any) -> Iterator[AuditFinding]:
    """The table opened with every item of the opening check passed, and sound dice sealed in."""
    course, reading = seen.course, seen.ruled.reading
    if course.dealt_by == "house" and course.source_sound:
        return
    missing = [item for item in (reading.opening if reading is not None else ()) if not course.items.get(item)]
    if missing:
        yield seen.finding("check-incomplete", f"opened without {', '.join(missing)}", "opening-check")
    if not course.sets.get(course.dice_in, False):
        yield seen.finding("no-dice", "opened without a sound set of dice sealed in", "dice-set")


def resumed_when_safe(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """A suspension ends when lights and terminal are proven again, or under a procedure that the record names."""
    course, reading = seen.course, seen.ruled.reading
    if not what.note.strip():
        sentence = "resumed, and no word on what was mended or how it is safe"
        yield seen.finding("no-reason", sentence, "suspended-after-malfunction")
    mended, proves = str(what.by) == "mended", reading is not None and TEST_RUN in reading.opening
    if mended and proves and not EQUIPMENT.isdisjoint(course.faults):
        yield from _lights_not_proven(seen, "the equipment was told to be mended")


def limits_follow(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """Limits change from those that stood."""
    if seen.course.sign and plain_limits(what.before) != seen.course.sign:
        yield seen.finding("limits-differ", "the limits that were changed are not those that stood", "limits-shown")
