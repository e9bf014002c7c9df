"""One event on its way past the checks, and what a check is told beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from taisai.audit.findings import AuditFinding
from taisai.audit.procedure.course import Course, Turn
from taisai.audit.procedure.limits import Limits
from taisai.audit.procedure.reading import Reading

DEALER, SUPERVISOR, PIT_MANAGER, SHIFT_MANAGER, PLAYER, SYSTEM = (
    "dealer", "supervisor", "pit-manager", "shift-manager", "player", "system",
)  # fmt: skip
MANAGERS: Final = frozenset({PIT_MANAGER, SHIFT_MANAGER})
SUPERVISORS: Final = MANAGERS | {SUPERVISOR}
"""Supervisors and whoever stands above them."""
CREW: Final = SUPERVISORS | {DEALER}


class Ruled(NamedTuple):
    """What a table stands under."""

    book: Any
    """The rule book; None when it is not at hand."""
    reading: Reading | None
    limits: Limits
    layout: str
    """With its book, as the recount knows it."""
    recounted: bool
    """Whether the second settlement has this layout."""
    current: bool
    """Whether the table pins the book as it is today: an earlier version of the software kept fewer records."""


class Seen(NamedTuple):
    """One event, and the table before it."""

    table: str
    course: Course
    ruled: Ruled
    books: Callable[[str], Any]
    seq: int
    event: Any
    kind: str
    """The name of what happened."""

    @property
    def turn(self) -> Turn:
        """The round in play before it."""
        return self.course.turn

    def finding(self, code: str, sentence: str, *rules: str) -> AuditFinding:
        """A finding at this event, with the clauses that stand behind these rules of the book."""
        return AuditFinding(
            code, sentence, self.table, self.turn.number or None, self.seq, clauses_of(self.ruled.book, rules)
        )

    def of_fact(self, code: str, sentence: str, fact: str) -> AuditFinding:
        """A finding at this event, with the clauses by which something follows from a fact."""
        rule = None if self.ruled.book is None else self.ruled.book.procedure.facts.get(fact)
        found = self.finding(code, sentence, "void-returns-bets")
        return found if rule is None else found._replace(clauses=tuple(rule.clauses))


Check = Callable[[Seen, Any], Iterable[AuditFinding]]


def clauses_of(book: Any, rules: tuple[str, ...]) -> tuple[str, ...]:
    """The clauses of a book behind rules, each once."""
    if book is None:
        return ()
    return tuple(dict.fromkeys(clause for rule in rules for clause in book.rules.get(rule, ())))


def are_two(one: Any, other: Any) -> bool:
    """Whether two people of the crew stand behind something, one of them at least a supervisor."""
    if other is None or other.id == one.id or one.role not in CREW or other.role not in CREW:
        return False
    return one.role in SUPERVISORS or other.role in SUPERVISORS
