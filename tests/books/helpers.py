"""Books for tests: copies of the own ones and the small one, written to a folder of the test's own."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from taisai.books import BookFault, BookRefused, read_book
from taisai.books.shelf import OWN_BOOKS
from taisai.core.rulebook import RuleBook
from tests.books.broken_cases import GOOD

OWN_IDS: Final = ("nz-division-9", "rws-mini-dice-v3", "rws-open-cover-v3", "rws-tai-sai-v6")
HOUSE: Final = Path(__file__).parent / "sample"


def write_book(folder: Path, files: Mapping[str, str | bytes | None] = GOOD) -> Path:
    """The small good book in a folder, some of its files replaced or left out (None)."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {**GOOD, **files}.items():
        if text is not None:
            (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def copy_own(book_id: str, root: Path, name: str = "") -> Path:
    """A copy of an own book, under its own name or another."""
    return Path(shutil.copytree(OWN_BOOKS / book_id, root / (name or book_id)))


def change(folder: Path, file: str, old: str, new: str) -> Path:
    """Change one piece of text in a book, the first that stands there."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{old!r} does not stand in {file}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return folder


def faults_of(folder: Path) -> tuple[BookFault, ...]:
    """The faults of a book that must be refused."""
    try:
        read_book(folder)
    except BookRefused as refused:
        return refused.faults
    raise AssertionError(f"{folder.name} was not refused")


def lines_of(folder: Path) -> list[str]:
    """The faults of a book that must be refused, as they are printed."""
    return [str(fault) for fault in faults_of(folder)]


def citations_of(book: RuleBook) -> set[str]:
    """Every id that some row of a book cites, interpretations aside."""
    procedure = book.procedure
    cited = [*book.terms.values(), *book.rules.values(), procedure.calls.clauses]
    cited += [step.clauses for step in procedure.steps]
    cited += [item.clauses for item in procedure.opening]
    cited += [void.clauses for void in procedure.facts.values()]
    for layout in book.layouts.values():
        cited += [layout.clauses, layout.triple_clauses]
        cited += [clauses for row in layout.rows for clauses in (row.clauses, row.triple_clauses)]
    return {clause for clauses in cited for clause in clauses}
