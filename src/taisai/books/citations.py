"""Which rows of a book cite a clause.

Enters: a book and a clause number as people type it. Leaves: the clause, and every row that cites it.
"""

from __future__ import annotations

from collections.abc import Iterator

from taisai.core.faults import InputFault, shown
from taisai.core.rulebook import Clause, Interpretation, RuleBook


def find_clause(book: RuleBook, number: str, field_name: str = "clause") -> list[Clause | Interpretation]:
    """The clause or interpretation with that number, or those below it: `5.5` finds `5.5.1`."""
    wanted = spelled(number)
    entries: list[Clause | Interpretation] = [*book.clauses.values(), *book.interpretations.values()]
    for entry in entries:
        if spelled(entry.id) == wanted:
            return [entry]
    below = [
        entry
        for entry in entries
        if wanted and spelled(entry.id).startswith((f"{wanted}.", f"{wanted}(", f"{wanted} "))
    ]
    if not below:
        raise InputFault(
            field_name, f"rule book {book.id} has no clause {shown(number)}; `taisai clause {book.id}` lists them"
        )
    return below


def spelled(number: str) -> str:
    """The number of a clause in one spelling, however it was typed."""
    return " ".join(number.replace("§", " ").lower().split())


def citations_of(book: RuleBook, clause_id: str) -> tuple[str, ...]:
    """The rows that cite a clause, in words, without duplicates."""
    return tuple(dict.fromkeys(where for where, clauses in _rows(book) if clause_id in clauses))


def _rows(book: RuleBook) -> Iterator[tuple[str, tuple[str, ...]]]:
    for term, clauses in book.terms.items():
        yield f"term: {term}", clauses
    for name, clauses in book.rules.items():
        yield f"rule: {name}", clauses
    procedure = book.procedure
    for step in procedure.steps:
        yield f"step of a round: {step.step}", step.clauses
    for item in procedure.opening:
        yield f"opening check: {item.item}", item.clauses
    for rule in procedure.facts.values():
        yield f"fact: {rule.fact}, then {', '.join(rule.then)}", rule.clauses
    yield "forms of call", procedure.calls.clauses
    for layout in book.layouts.values():
        yield f"layout {layout.name}", layout.clauses
        yield f"layout {layout.name}, on a triple", layout.triple_clauses
        for row in layout.rows:
            yield f"layout {layout.name}: {row.bet} pays {row.odds}", row.clauses + row.triple_clauses
        for draw in layout.draws:
            yield f"layout {layout.name}: draw {draw.name}", draw.clauses
