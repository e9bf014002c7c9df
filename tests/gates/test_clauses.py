"""The gate of clauses: every duty that is owed has a test, and the index that `taisai clause` shows is fresh."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from taisai.books import Shelf, open_shelf
from taisai.books.clause_tests import INDEX
from taisai.books.duties import NOT_STATED, Duty
from taisai.core.rulebook import RuleBook
from tests import ROOT
from tests.books.helpers import change, write_book
from tests.gates.rooms import BUILDS_ON
from tests.golden import require_same

OWED = frozenset({Duty.DATA, Duty.RULE, Duty.RECORD})
HELD_BY_TESTS = frozenset({"books", "core", "felt", "table"})
"""The rooms whose duties must be held by a marked test."""


def unheld(shelf: Shelf, index: Mapping[str, list[str]]) -> list[str]:
    """The clauses that a room owes a test and has none."""
    return [
        f"{book_id} §{clause}"
        for book_id in shelf.ids
        for clause, owed in shelf.duties(book_id).items()
        if owed.room in HELD_BY_TESTS and OWED & set(owed.duties) and not index.get(f"{book_id} §{clause}")
    ]


def misplaced(shelf: Shelf) -> list[str]:
    """Clauses without a duty, and those kept by a folder that does not exist."""
    rooms = {*BUILDS_ON, "people"}
    return [
        f"{book.id} §{clause}"
        for book in shelf.books()
        for clause in book.clauses
        if shelf.duties(book.id).get(clause, NOT_STATED).room not in rooms
    ]


def strange(books: Iterable[RuleBook], index: Mapping[str, list[str]]) -> list[str]:
    """Marks that name no clause of any book."""
    known = {f"{book.id} §{each}" for book in books for each in (*book.clauses, *book.interpretations)}
    return sorted(set(index) - known)


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The index made anew from the marks of all tests."""
    target = tmp_path_factory.mktemp("clauses") / "index.json"
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    command.append(f"--clause-index={target}")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    index: dict[str, list[str]] = json.loads(target.read_text(encoding="utf-8"))
    return index


def test_the_index_is_fresh(collected: dict[str, list[str]]) -> None:
    """What `taisai clause` shows is what the tests are marked with."""
    made = json.dumps(collected, indent=1, ensure_ascii=False) + "\n"
    require_same(INDEX.name, "make clauses", INDEX.read_text(encoding="utf-8"), made)


def test_every_mark_names_a_clause(collected: dict[str, list[str]]) -> None:
    """No test claims to hold a clause that does not exist."""
    assert strange(open_shelf(environment={}).books(), collected) == []


def test_every_owed_clause_is_held(collected: dict[str, list[str]]) -> None:
    """Each clause with duty data, rule or record, of a room that exists, has at least one test."""
    assert unheld(open_shelf(environment={}), collected) == []


def test_every_clause_has_its_room() -> None:
    """What the software owes each clause of the package's books is stated, and the folder that keeps it exists."""
    assert misplaced(open_shelf(environment={})) == []


def test_the_gate_can_fail(tmp_path: Path) -> None:
    """A clause without a test, a mark without a clause, and a clause without a room are found."""
    shelf = open_shelf(environment={})
    assert "nz-division-9 §4.10" in unheld(shelf, {})
    assert strange(shelf.books(), {"nz-division-9 §99": ["x"]}) == ["nz-division-9 §99"]
    folder = change(write_book(tmp_path / "mini"), "software.toml", 'room = "books"', 'room = "cellar"')
    change(folder, "software.toml", '  { clause = "2", duty = ["rule"], room = "core" },\n', "")
    assert misplaced(open_shelf([folder], environment={})) == ["mini §1", "mini §2"]
