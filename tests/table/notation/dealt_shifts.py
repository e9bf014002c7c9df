"""The golden shifts under tests/shifts, dealt, for the tests of the notation."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from taisai.books import Shelf, open_shelf
from taisai.core.rulebook import RuleBook
from taisai.table.notation.run import Transcript, run_shift
from taisai.table.notation.script import Script, parse_shift
from tests import ROOT

SHIFTS = ROOT / "tests" / "shifts"
FILES = sorted(SHIFTS.rglob("*.shift"))
DOCUMENT = ROOT / "docs" / "shifts.md"
HEAD = "table T1 under rws-tai-sai-v6/A\ndan is dealer\nlee is supervisor\nann is player\n"


@cache
def shelf() -> Shelf:
    """The package's own books."""
    return open_shelf(environment={})


@cache
def book_of(name: str) -> RuleBook:
    """A book of the package or of the examples: shifts are dealt under both."""
    return open_shelf([ROOT / "examples" / "books"], environment={}).book(name)


@cache
def dealt(path: Path) -> tuple[Script, Transcript]:
    """A golden shift and what came of it."""
    script = parse_shift(path.read_text(encoding="utf-8"), path.name)
    return script, run_shift(book_of, script)


def run(text: str) -> list[str]:
    """All output of a shift's commands."""
    return [line for entry in run_shift(shelf().book, parse_shift(HEAD + text)).entries for line in entry.output]
