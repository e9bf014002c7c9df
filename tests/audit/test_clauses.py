"""Clause by clause, what an audit looked at."""

from __future__ import annotations

import pytest

from taisai.audit.clauses import Held, clauses_checked
from taisai.books.duties import ClauseDuty, Duty
from tests.table.driver import shelf


def test_a_clause_counts_what_was_looked_at() -> None:
    """Rules, steps, facts, items of the opening check and pay rows each count for the clauses that they cite."""
    looked = {"dice-uncovered": 3, "fact:not-flat": 2, "box:A:small": 5, "box:C:odd": 7, "table-set-up": 1}
    book, duties = shelf().book("rws-tai-sai-v6"), shelf().duties("rws-tai-sai-v6")
    lines = {line.clause: line for line in clauses_checked(book, duties, looked)}
    assert lines.keys() == book.clauses.keys()
    assert lines["3.8"].checked == 3
    assert lines["5.5.2"].checked == 2
    assert lines["4.1.1"].checked == 5
    assert lines["4.1.2"].checked == 7
    assert lines["2.1.1"].checked >= 1
    assert (lines["5.5.3"].checked, lines["5.5.3"].held) == (0, Held.TESTED)
    opening = {line.clause: line for line in clauses_checked(shelf().book("nz-division-9"), {}, {"item:power": 4})}
    assert opening["5.0(a)"].checked == 4


def test_people_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What neither a check nor a test holds is people's work where the book's duties say so, and named otherwise."""
    monkeypatch.setattr("taisai.audit.clauses.tests_holding", lambda _book, _clause: ())
    book = shelf().book("rws-tai-sai-v6")
    lines = {line.clause: line for line in clauses_checked(book, {"3.1": ClauseDuty((Duty.PEOPLE,), "people")}, {})}
    assert lines["3.1"].held is Held.PEOPLE
    assert lines["3.2"].held is Held.BY_NOTHING
