"""The gate of clauses: every duty that is owed has a test, and the index that `taisai clause` shows is fresh."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping

import pytest

from taisai.books import open_shelf
from taisai.books.clause_tests import INDEX
from taisai.core.rulebook import Duty, Room, RuleBook
from tests import ROOT

OWED = frozenset({Duty.DATA, Duty.RULE, Duty.RECORD})
BUILT = frozenset({Room.BOOKS, Room.CORE, Room.FELT, Room.TABLE})
"""The rooms that exist: what they owe must be held by a test."""


def unheld(books: Iterable[RuleBook], index: Mapping[str, list[str]]) -> list[str]:
    """The clauses that a room owes a test and has none."""
    return [
        f"{book.id} §{clause.id}"
        for book in books
        for clause in book.clauses.values()
        if clause.room in BUILT and OWED & set(clause.duties) and not index.get(f"{book.id} §{clause.id}")
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
    """What `taisai clause` shows is what the tests are marked with (else: make clauses)."""
    assert json.loads(INDEX.read_text(encoding="utf-8")) == collected


def test_every_mark_names_a_clause(collected: dict[str, list[str]]) -> None:
    """No test claims to hold a clause that does not exist."""
    assert strange(open_shelf(environment={}).books(), collected) == []


def test_every_owed_clause_is_held(collected: dict[str, list[str]]) -> None:
    """Each clause with duty data, rule or record, of a room that exists, has at least one test."""
    assert unheld(open_shelf(environment={}).books(), collected) == []


def test_the_gate_can_fail() -> None:
    """A clause without a test, and a mark without a clause, are found."""
    books = open_shelf(environment={}).books()
    assert "nz-division-9 §4.10" in unheld(books, {})
    assert strange(books, {"nz-division-9 §99": ["x"]}) == ["nz-division-9 §99"]
