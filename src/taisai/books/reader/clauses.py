"""Reads the clauses of a rule book and its register of interpretations.

Enters: `clauses.toml`, `interpretations.toml`. Leaves: clauses and interpretations by id, each id once, and every
interpretation on clauses that exist. That every clause is cited is proved last, when all rows have been read.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from taisai.books.duties import NOT_STATED, ClauseDuty, Duties, Duty
from taisai.books.reader import forms
from taisai.books.reader.files import BookFile, Reading
from taisai.books.reader.forms import quoted
from taisai.books.reader.software import SOFTWARE, clause_duty
from taisai.core.faults import shown
from taisai.core.rulebook import Clause, Interpretation


def effective_from(file: BookFile, raw: object, key: str, index: int | None = None) -> date | None:
    """From when something is in force: a date, a date-time (which is a date to Python too), or unknown."""
    if raw is None or isinstance(raw, date):
        return raw
    reason = f"must be a date or a date and time, got {quoted(raw)}"
    file.fault(reason if index is None else f"`effective` {reason}", key, index)
    return None


def read_clauses(reading: Reading, file: BookFile, effective: date | None) -> tuple[dict[str, Clause], Duties]:
    """The clauses by id, and the duties that stand here rather than in `software.toml`, as in version 0.1.0."""
    form = file.form(forms.ClausesForm)
    reading.ids_known = form is not None
    clauses: dict[str, Clause] = {}
    duties: dict[str, ClauseDuty] = {}
    for index, row in file.rows("clauses", form.clauses if form else (), forms.ClauseForm):
        if row.id in clauses:
            file.fault(f"clause {row.id} stands twice (also row {reading.clause_rows[row.id] + 1})", "clauses", index)
        reading.clause_rows[row.id] = index
        own = effective_from(file, row.effective, "clauses", index)
        clauses[row.id] = Clause(row.id, row.summary, own or effective)
        if row.duty is not None:
            duties[row.id] = clause_duty(file, row.duty, row.room or "", "clauses", index)
    return clauses, duties


def read_interpretations(reading: Reading, known: Mapping[str, Clause]) -> dict[str, Interpretation]:
    """The register by id; empty for a book without one."""
    if not (reading.folder / "interpretations.toml").exists():
        return {}
    file = reading.open("interpretations.toml")
    form = file.form(forms.InterpretationsForm)
    if form is None:
        reading.ids_known = False
    entries: dict[str, Interpretation] = {}
    for index, row in file.rows("interpretations", form.interpretations if form else (), forms.InterpretationForm):
        clauses = (row.clause,) if isinstance(row.clause, str) else tuple(row.clause)
        for clause in clauses:
            if clause not in known and clause not in reading.citable and reading.ids_known:
                file.fault(f"unknown clause {shown(clause)}: clauses.toml does not have it", "interpretations", index)
        if row.id in entries:
            file.fault(f"interpretation {row.id} stands twice", "interpretations", index)
        if row.id in known:
            file.fault(f"the id {row.id} is that of a clause", "interpretations", index)
        entries[row.id] = Interpretation(
            row.id, clauses, row.question, row.reading, row.house_choice, frozenset(row.admits)
        )
    return entries


def check_every_clause_is_cited(reading: Reading, file: BookFile, duties: Duties) -> None:
    """A clause that no row cites is forgotten, unless it is purely people's work."""
    for clause, index in reading.clause_rows.items():
        if clause not in reading.cited and Duty.PEOPLE not in duties.get(clause, NOT_STATED).duties:
            reason = f"no row of the book cites clause {clause}; cite it, or give it the duty people in {SOFTWARE}"
            file.fault(reason, "clauses", index)
