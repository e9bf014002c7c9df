"""What the software owes the clauses of the package's books."""

from __future__ import annotations

import pytest

from taisai.books import Shelf, open_shelf
from taisai.books.duties import NOT_STATED, ClauseDuty, Duty
from tests.books.helpers import HOUSE, OWN_IDS

SHELF: Shelf = open_shelf([HOUSE], environment={})


@pytest.mark.parametrize("book_id", [*OWN_IDS, "harbour-sic-bo"])
def test_every_clause_has_a_duty(book_id: str) -> None:
    """Each clause of a book that states duties has at least one, and people's work is nothing else."""
    duties = SHELF.duties(book_id)
    assert duties.keys() == SHELF.book(book_id).clauses.keys()
    for owed in duties.values():
        assert owed.duties
        assert owed.room
        assert (Duty.PEOPLE in owed.duties) == (owed.room == "people") == (owed.duties == (Duty.PEOPLE,))


def test_a_duty_names_its_room() -> None:
    """Pro rata is computed in the core, and the closing call is kept by the table."""
    duties = SHELF.duties("rws-tai-sai-v6")
    assert duties["5.1.1"] == ClauseDuty((Duty.RULE,), "core")
    assert duties["3.6"].room == "table"
    assert duties.get("99", NOT_STATED) == ((), "")
