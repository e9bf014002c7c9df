"""What is known while a folder is read: one fault does not look like many, and citations are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.books.reader import forms
from taisai.books.reader.files import Reading
from tests.books.broken_cases import BOOK, CLAUSES, GOOD, INTERPRETATIONS, LAYOUT, SOFTWARE
from tests.books.helpers import faults_of, write_book


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("clauses.toml", CLAUSES.replace("clauses = [", "clauses = [[]")),
        ("clauses.toml", CLAUSES.replace("clauses = [", "clauses = [ 4,")),
        ("clauses.toml", CLAUSES.replace('{ id = "4",', '{ id = "4", duty = ["x"],')),
        ("software.toml", SOFTWARE.replace("duties = [", "duties = [ 4,")),
        ("software.toml", SOFTWARE.replace('"rule"], room = "table"', '"rule"], room = 4')),
        ("software.toml", SOFTWARE.replace('duty = ["people"]', 'duty = "people"')),
        ("software.toml", SOFTWARE.replace("formerly = [", "former = [")),
        ("interpretations.toml", INTERPRETATIONS.replace("interpretations = [", "interpretations = [ 4,")),
        ("interpretations.toml", INTERPRETATIONS.replace("house_choice = true", "house_choice = 1")),
        ("interpretations.toml", INTERPRETATIONS.replace("{ id", "{ no")),
        ("layout-A.toml", LAYOUT.replace('bet = "Small"', "bet = 0")),
        ("layout-A.toml", LAYOUT.replace('"small", pays', '"smal", pays')),
        ("layout-A.toml", LAYOUT.replace('title = "Layout A"', "title = 1")),
        ("book.toml", BOOK.replace('{ term = "round", clause = "1" }', '{ term = 1, clause = "1" }')),
        ("book.toml", BOOK.replace('{ term = "round", clause = "1" }', '{ term = "round", clause = 1 }')),
        ("book.toml", BOOK.replace('{ term = "round", clause = "1" }', '"round"')),
        ("book.toml", BOOK.replace('{ rule = "maximum", clause', '{ rule = "maximun", clause')),
    ],
)
def test_one_fault_does_not_look_like_many(tmp_path: Path, file: str, text: str) -> None:
    """What cannot be read leaves no trail of clauses that seem unknown or not cited."""
    assert text != GOOD[file]
    faults = faults_of(write_book(tmp_path / "mini", {file: text}))
    assert {fault.file for fault in faults} == {file}
    assert len({fault.line for fault in faults}) == 1
    assert not any("clauses.toml" in fault.reason or "cites" in fault.reason for fault in faults)


def test_a_citation_of_no_clause_is_a_fault_of_its_row(tmp_path: Path) -> None:
    """What a row cites is kept as cited, and a clause that does not exist is named with the row's line."""
    reading = Reading(write_book(tmp_path / "mini"))
    reading.citable = {"1"}
    file = reading.open("book.toml")
    assert reading.cite(file, ["1", "9"], "rules", 1) == ("1", "9")
    assert reading.cite(file, None, "rules") == ()
    assert reading.cited == {"1", "9"}
    assert [(fault.line, fault.row) for fault in reading.faults] == [(14, "rules row 2")]


def test_citations_are_not_judged_while_ids_are_unknown(tmp_path: Path) -> None:
    """When some clause could not be read, a citation may well be of that one."""
    reading = Reading(write_book(tmp_path / "mini"))
    reading.note_unreadable({"summary": "No id."}, forms.ClauseForm)
    reading.cite(reading.open("book.toml"), "9", "rules", 0)
    assert reading.faults == []
