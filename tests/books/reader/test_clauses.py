"""Clauses and interpretations as they are read."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

from taisai.books import read_book
from tests.books.helpers import change, lines_of, write_book


def test_a_clause_may_have_a_date_of_its_own(tmp_path: Path) -> None:
    """A clause is in force from the book's date, or from its own, which may have a time."""
    folder = write_book(tmp_path / "mini")
    change(folder, "clauses.toml", '"A round is one game."', '"A round is one game.", effective = 2025-02-03T04:05:06')
    clauses = read_book(folder).clauses
    assert clauses["1"].effective == datetime(2025, 2, 3, 4, 5, 6)  # noqa: DTZ001 - as the document has it
    assert clauses["2"].effective == date(2024, 1, 1)


def test_a_book_may_be_without_a_date_and_without_readings(tmp_path: Path) -> None:
    """A document without a date is read, and so is a book without a register of interpretations."""
    folder = write_book(tmp_path / "mini", {"interpretations.toml": None})
    change(folder, "book.toml", "effective = 2024-01-01\n", "")
    change(folder, "book.toml", '["2", "I1"]', '"2"')
    book = read_book(folder)
    assert book.effective is None
    assert {clause.effective for clause in book.clauses.values()} == {None}
    assert not book.interpretations


def test_an_interpretation_may_be_cited_and_cites(tmp_path: Path) -> None:
    """An interpretation stands on clauses, and a rule may stand on it."""
    book = read_book(write_book(tmp_path / "mini"))
    assert book.interpretations["I1"].clauses == ("2",)
    assert book.interpretations_of("2") == (book.interpretations["I1"],)


def test_an_interpretation_alone_does_not_cite_a_clause(tmp_path: Path) -> None:
    """A clause that only the register names is still held by no row."""
    folder = change(write_book(tmp_path / "mini"), "interpretations.toml", 'clause = "2"', 'clause = ["2", "6"]')
    change(folder, "software.toml", '["people"], room = "people"', '["show"], room = "web"')
    (line,) = lines_of(folder)
    assert line.startswith("clauses.toml:7: clauses row 6: no row of the book cites clause 6; ")
