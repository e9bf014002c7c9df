"""Clause by clause, what an audit looked at: how often in this journal, by which tests otherwise, or people's work.

Enters: a rule book with its duties, and how often each check looked (`audit.procedure.course`). Leaves: a line for each
clause. A clause that neither a check nor a test holds, and that is not people's work alone, is named as such.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct

from taisai.audit.procedure.watch import RULES_BY_KIND
from taisai.books.clause_tests import tests_holding
from taisai.books.duties import NOT_STATED, Duties, Duty
from taisai.core.rulebook import RuleBook

OF_STEP: Final[Mapping[str, tuple[str, ...]]] = {
    "tumble": ("dice-tumbled",),
    "open-bets": ("bets-opened",),
    "close-bets": ("bets-closed",),
    "uncover": ("dice-uncovered",),
    "announce": ("result-announced",),
    "enter": ("result-entered",),
    "light": ("areas-lit", "result-entered"),
    "collect": ("losers-collected",),
    "pay": ("bet-paid",),
}
"""The records of each step of a round."""
_SET_UP: Final = ("table-set-up", "edition-taken")


class Held(StrEnum):
    """By what a clause is held."""

    CHECKED = "checked"
    """The audit looked, in this journal."""
    TESTED = "tested"
    """Tests hold it; nothing in this journal was about it."""
    PEOPLE = "people"
    """It is people's work alone."""
    BY_NOTHING = "nothing"


class ClauseChecked(Struct, frozen=True, kw_only=True):
    """One clause."""

    book: str
    clause: str
    words: str
    checked: int
    """How often the audit looked at something that the clause is about."""
    tests: tuple[str, ...]
    held: Held


def clauses_checked(book: RuleBook, duties: Duties, looked: Mapping[str, int]) -> tuple[ClauseChecked, ...]:
    """Every clause of a book, with how often it was looked at."""
    lines = []
    for clause in book.clauses.values():
        checked = sum(looked.get(each, 0) for each in dict.fromkeys(looks_at(book, clause.id)))
        tests = tests_holding(book.id, clause.id)
        people = Duty.PEOPLE in duties.get(clause.id, NOT_STATED).duties
        held = Held.CHECKED if checked else Held.TESTED if tests else Held.PEOPLE if people else Held.BY_NOTHING
        lines.append(
            ClauseChecked(book=book.id, clause=clause.id, words=clause.summary, checked=checked, tests=tests, held=held)
        )
    return tuple(lines)


def looks_at(book: RuleBook, clause: str) -> Iterator[str]:
    """The names under which the checks of a clause, or of a reading, count what they look at."""
    rules = {str(rule) for rule, clauses in book.rules.items() if clause in clauses}
    for kind, held in RULES_BY_KIND.items():
        if not rules.isdisjoint(held):
            yield kind
    for step in book.procedure.steps:
        if clause in step.clauses:
            yield from OF_STEP[step.step]
    for item in book.procedure.opening:
        if clause in item.clauses:
            yield f"item:{item.item}"
    for rule in book.procedure.facts.values():
        if clause in rule.clauses:
            yield f"fact:{rule.fact}"
    for layout in book.layouts.values():
        if clause in layout.clauses:
            yield from _SET_UP
        for row in layout.rows:
            if clause in row.clauses or clause in row.triple_clauses:
                for box in row.boxes:
                    yield f"box:{layout.id}:{box}"
