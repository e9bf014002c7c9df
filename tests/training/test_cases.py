"""Cases: each book asks about its own irregularities."""

from __future__ import annotations

import pytest

from taisai.training.cases import CASE_TEXTS, OUTCOME_TEXTS, Outcome, cases_of
from tests.table.driver import shelf


def test_cases_come_from_the_book() -> None:
    """Each book asks about its own void reasons and rules, cites its own clauses, and leaves wrong answers to offer."""
    seen = set()
    for book in shelf().books():
        cases = cases_of(book)
        known = {*book.clauses, *book.interpretations}
        assert len({case.id for case in cases}) == len(cases)
        for case in cases:
            assert case.clauses
            assert set(case.clauses) <= known
            assert len(case.wrong) >= 3
            assert case.right not in case.wrong
        asked = {case.id for case in cases}
        assert {str(reason) for reason in book.procedure.voids} - {"interrupted"} <= asked
        seen |= asked
    assert seen == set(CASE_TEXTS)
    assert set(OUTCOME_TEXTS) == set(Outcome)


@pytest.mark.parametrize(
    ("book", "case", "right", "clause"),
    [
        ("rws-tai-sai-v6", "exposed", "void", "5.5.3"),
        ("nz-division-9", "exposed", "void", "7.1(c)"),
        ("rws-open-cover-v3", "activated-before-close", "void", "5.1.4"),
        ("rws-mini-dice-v3", "dice-stacked", "void", "5.1.2"),
        ("rws-tai-sai-v6", "damaged-dice", "void-affected", "5.6"),
        ("rws-open-cover-v3", "damaged-dice", "void", "5.1.1"),
        ("nz-division-9", "entry-amended", "amend", "7.2"),
        ("rws-tai-sai-v6", "pro-rata", "pro-rata", "5.1.1"),
    ],
)
def test_each_book_judges_the_same_mishap(book: str, case: str, right: str, clause: str) -> None:
    """The right outcome and its clause are the book's own."""
    (asked,) = (each for each in cases_of(shelf().book(book)) if each.id == case)
    assert asked.right == right
    assert clause in asked.clauses
