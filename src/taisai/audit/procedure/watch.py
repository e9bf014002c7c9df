"""The watch over one table: which check looks at which event, and by which rules of a book.

Enters: the events of a table in order. Leaves: findings. A check is a plain function of the event and the course of the
table before it; `CHECKS` says at which events it looks and which rules it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from taisai.audit.findings import AuditFinding
from taisai.audit.procedure import betting, facts, money, people, rulings, shift, steps
from taisai.audit.procedure.betting import Run
from taisai.audit.procedure.course import FOLLOWS, Course
from taisai.audit.procedure.limits import Limits, limits_on
from taisai.audit.procedure.people import ATTESTED, TWO, WHO
from taisai.audit.procedure.reading import reading_of
from taisai.audit.procedure.seen import CREW, SYSTEM, Check, Ruled, Seen
from taisai.audit.procedure.steps import ORDER
from taisai.audit.second import opinion as second

EARLIER: Final = "rounds under the digest of an earlier version: what follows from facts, and rulings"
NO_BOOK: Final = "records of tables whose rule book is not at hand, by its clauses"
_ORDERED: Final = tuple(kind for kind in ORDER if kind not in ("bet-placed", "bet-paid"))
_LIT: Final = ("result-entered", "entry-amended", "areas-lit", "test-run-made")
_BOOKED: Final = ("table-set-up", "edition-taken", "bets-opened", "table-opened")

CHECKS: Final[tuple[tuple[tuple[str, ...], Check, tuple[str, ...]], ...]] = (
    (tuple(WHO), people.of_rank, ("roles", "player-answers", "staff-bets")),
    (_ORDERED, steps.in_order, ("bets-open", "bets-close", "no-bet-before-paid", "no-change-after-close",
                                "no-touching-losers", "collect-then-pay", "uppermost-faces",
                                "suspended-after-malfunction")),
    (("limits-set", "table-closed", "dice-sealed", "dice-inspected", "dice-retired"), steps.between_rounds,
     ("no-bet-before-paid",)),
    (tuple(TWO), people.two_people, ("entry-amended", "moved-wager-corrected", "interruption-concluded",
                                     "limits-shown")),
    (tuple(ATTESTED), people.looked_at_by_people, ("opening-check", "dice-set")),
    (_BOOKED, shift.book_is_known, ()),
    (("table-set-up",), shift.set_up_while_closed, ("layout-marked",)),
    (("edition-taken",), shift.edition_is_due, ()),
    (("limits-set",), shift.limits_follow, ("limits-shown",)),
    (("dice-sealed",), shift.set_is_sound, ("dice-set",)),
    (("dice-inspected",), facts.inspected, ("dice-set",)),
    (("item-checked",), shift.item_is_proven, ("opening-check", "test-runs")),
    (("table-opened",), shift.opened_after_check, ("opening-check", "dice-set")),
    (("table-resumed",), shift.resumed_when_safe, ("suspended-after-malfunction", "test-runs")),
    (("player-left",), betting.nobody_leaves_bets, ("walk-away-settled",)),
    (("dice-committed",), steps.for_what_it_is, ("devices",)),
    (("dice-committed",), steps.committed_once, ("bets-open",)),
    (("dice-tumbled",), steps.tumbled_in_turn, ("tumble-count",)),
    (("bets-opened",), steps.opened_after_all_is_well, ("bets-open", "tumble-count", "dice-set",
                                                        "suspended-after-malfunction")),
    (("bet-withdrawn", "excess-rejected", "bet-returned", "line-ruled"), betting.chips_were_there, ("bets-by-chips",)),
    (("bet-withdrawn",), betting.withdrawn_by_players, ("no-change-after-close", "walk-away-settled", "minimum")),
    (("minimum-advised",), betting.advised_rightly, ("under-minimum-advised",)),
    (("excess-rejected",), betting.rejected_newest_first, ("excess-rejected",)),
    (("bet-returned",), betting.returned_after_advice, ("under-minimum-advised", "under-minimum-stands")),
    (("excess-left",), betting.left_over_rightly, ("excess-rejected",)),
    (("bets-closed",), betting.bets_as_closed, ("settled-by-position", "bets-close")),
    (("bets-closed",), betting.closed_by_the_limits, ("under-minimum-advised", "excess-rejected")),
    (("bets-closed",), steps.open_long_enough, ("bets-close",)),
    (("bets-closed",), steps.rung_where_it_rings, ("bell",)),
    (("colour-taken",), betting.colour_is_free, ("colour-chips",)),
    (("dice-opened",), steps.opened_as_committed, ("bets-close",)),
    (("odds-drawn",), steps.drawn_by_the_table, ("pay-table",)),
    (("dice-uncovered",), steps.uncovered_when_drawn, ()),  # counted where odds are drawn
    (("dice-uncovered",), steps.uncovered_as_committed, ("uppermost-faces",)),
    (("dice-uncovered",), steps.uncovered_when_tumbled, ("tumble-count", "uppermost-faces")),
    (("result-announced",), steps.called_right, ("uppermost-faces",)),
    (("result-entered",), steps.entered_as_pressed, ("entry-terminal",)),
    (("entry-amended",), steps.entry_put_right, ("entry-amended",)),
    (("dice-corrected",), steps.dice_put_right, ("uppermost-faces",)),
    (_LIT, steps.lights_are_right, ("winning-lights",)),
    (("losers-collected",), steps.settled_after_entry, ("entry-terminal", "collect-then-pay",
                                                        "dice-decide-over-lights")),
    (("round-concluded",), money.settled_right, ("pay-table", "pro-rata", "under-minimum-exempt", "triple-wins",
                                                 "walk-away-settled", "settled-by-position")),
    (("round-voided",), money.void_returns_all, ("void-returns-bets", "void-leaves-earlier-rounds")),
    (("round-voided",), facts.void_reason, ("void-returns-bets",)),
    (("fact-recorded",), facts.fact_recorded, ("found-late",)),
    (("fact-attested",), facts.fact_attested, ("void-returns-bets",)),
    (("settlement-undone",), money.undone_rightly, ("void-returns-bets",)),
    (("round-reversed",), money.reversed_by_two, ("damaged-dice-void",)),
    (("round-reversed",), money.reversed_rightly, ("damaged-dice-void", "later-round-untouched")),
    (("interruption-resolved",), steps.resolved_by_the_dice, ("interruption-void", "interruption-concluded")),
    (("bet-corrected",), rulings.moved_back, ("moved-wager-corrected", "settled-by-position")),
    (("line-touched",), rulings.line_touched, ("line-touching-bets",)),
    (("line-ruled",), rulings.line_ruled, ("line-touching-bets",)),
    (("ruled",), rulings.ruled, ("shift-manager-decides",)),
)  # fmt: skip
"""At which events each check looks, and the rules of a book that it holds."""

RUNS: Final[Mapping[str, tuple[Callable[[Seen, Run], list[AuditFinding]], tuple[str, ...]]]] = {
    "bet-placed": (betting.bets_placed, ("minimum", "maximum", "differential", "players-keep-limits",
                                         "room-open-to-all", "no-change-after-close", "player-answers", "staff-bets",
                                         "walk-away-settled", "bets-by-chips", "call-bet-needs-chips", "colour-chips")),
    "bet-paid": (money.bets_paid, ("collect-then-pay",)),
}  # fmt: skip
"""Events that come in long runs are looked at together."""

BY_KIND: Final[dict[str, tuple[Check, ...]]] = {
    kind: tuple(check for kinds, check, _ in CHECKS if kind in kinds) for kinds, _, _ in CHECKS for kind in kinds
}
RULES_BY_KIND: Final[dict[str, frozenset[str]]] = {
    kind: frozenset(rule for kinds, _, rules in CHECKS if kind in kinds for rule in rules) for kind in BY_KIND
} | {kind: frozenset(rules) for kind, (_, rules) in RUNS.items()}
"""The rules of a book that are looked at with each kind of event."""
_NOTHING: Final = Ruled(None, None, Limits(), "", recounted=False, current=False)


class Watch:
    """The watch over one table. `course` is all that it remembers."""

    def __init__(self, table: str, books: Callable[[str], Any], course: Course | None = None) -> None:
        self._table = table
        self._books = books
        self.course = course if course is not None else Course()
        self._under: tuple[object, ...] = ()
        self._ruled = _NOTHING

    def _stand(self) -> Ruled:
        """What the table stands under; worked out once for each book, layout, digest, sign and draw."""
        course = self.course
        under = (course.book, course.layout, course.digest, id(course.sign), course.turn.draw)
        if under != self._under:
            self._under = under
            book = self._books(course.book) if course.book else None
            name = (
                f"{course.book}/{course.layout}"
                if book is None
                else second.learn(book, course.layout, course.turn.draw)
            )
            layout = None if book is None else book.layouts.get(course.layout)
            reading = None if book is None else reading_of(book)
            boxes = () if layout is None else tuple(map(str, layout.boxes))
            limits = limits_on(course.sign, boxes, differential=reading is not None and reading.differential)
            current = book is not None and course.digest == book.digest
            self._ruled = Ruled(book, reading, limits, name, recounted=second.knows(name), current=current)
        return self._ruled

    def see(self, seq: int, kind: str, event: Any) -> list[AuditFinding]:
        """Look at one event, and put it down."""
        course, what = self.course, event.what
        found: list[AuditFinding] = []
        ruled = self._stand() if course.book else _NOTHING
        seen = Seen(self._table, course, ruled, self._books, seq, event, kind)
        if ruled.current and (course.due or course.ruling or kind in facts.FOLLOWING):
            found += facts.is_due(seen, kind)
        for check in BY_KIND[kind]:
            found += check(seen, what)
        course.look(kind)
        if kind == "bets-opened" and not ruled.current:
            course.could_not(EARLIER if ruled.book is not None else NO_BOOK)
        follow = FOLLOWS.get(kind)
        if follow is not None:
            follow(course, event, what)
        return found

    def see_run(self, kind: str, run: Run) -> list[AuditFinding]:
        """Look at events of one kind that follow each other, and put them down."""
        course, (look, _) = self.course, RUNS[kind]
        ruled = self._stand() if course.book else _NOTHING
        first = Seen(self._table, course, ruled, self._books, run[0][0], run[0][1], kind)
        found: list[AuditFinding] = []
        if ruled.current and (course.due or course.ruling):
            found += facts.is_due(first, kind)
        turn = course.turn
        stopped = course.suspended or course.held or turn.interrupted
        if turn.step not in ORDER[kind][0] or course.phase != "open" or stopped:
            for seq, event in run:
                found += steps.in_order(first._replace(seq=seq, event=event), event.what)
        if kind == "bet-paid":
            of_house = course.dealt_by == "house"
            for seq, event in run:
                if (event.by.role == SYSTEM) != of_house or not (of_house or event.by.role in CREW):
                    found += _paid_by(first._replace(seq=seq, event=event))
        course.look(kind, len(run))
        found += look(first, run)
        return found

    def ended(self, seq: int) -> list[AuditFinding]:
        """What was still to follow when the records ended."""
        if not (self.course.due and self._stand().current):
            return []
        seen = Seen(self._table, self.course, self._ruled, self._books, seq, None, "")
        due, self.course.due = self.course.due, []
        return [facts.missing(seen, each) for each in due]


def _paid_by(seen: Seen) -> list[AuditFinding]:
    by = seen.event.by
    return [seen.finding("not-authorised", f"bet-paid by {by.id} ({by.role})", "roles")]
