"""Which clauses the tests of the table hold, read from their marks; run it to see what is left.

python -m tests.table.clauses
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from taisai.books import open_shelf
from taisai.books.duties import ClauseDuty, Duty

TESTS = Path(__file__).parent
OWED = frozenset({Duty.RULE, Duty.RECORD})
ELSEWHERE = ("core", "floor", "web")


def marked(folder: Path = TESTS) -> set[str]:
    """Every clause named in a `pytest.mark.clause` under a folder, starred names of the module included."""
    return {clause for path in folder.rglob("test_*.py") for clause in _marked_in(path)}


def _marked_in(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "clause":
            for argument in node.args:
                starred = argument.value if isinstance(argument, ast.Starred) else argument
                value = named.get(starred.id, starred) if isinstance(starred, ast.Name) else starred
                yield from (each for each in _texts(value))


def _texts(node: ast.expr) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


def owed() -> dict[str, ClauseDuty]:
    """Every clause of the own books that the software must keep or record."""
    shelf = open_shelf(environment={})
    return {
        f"{book_id} §{clause}": owed
        for book_id in shelf.ids
        for clause, owed in shelf.duties(book_id).items()
        if OWED & set(owed.duties)
    }


def unmarked(room: str) -> list[str]:
    """Clauses of a room that no test of the table holds."""
    held = marked()
    return [name for name, each in owed().items() if each.room == room and name not in held]


def unknown() -> list[str]:
    """Marks that name no clause and no reading of any book."""
    books = list(open_shelf(environment={}).books())
    every = {f"{book.id} §{clause}" for book in books for clause in book.clauses}
    readings = {f"{book.id} {reading}" for book in books for reading in book.interpretations}
    return sorted(marked() - every - readings)


def main() -> int:
    """List what is left: of the table's own clauses, which must be none, and of other rooms, which have their tests."""
    left = unmarked("table")
    sys.stdout.write(f"of the table, held by no test here: {', '.join(left) or 'none'}\n")
    for room in ELSEWHERE:
        others = unmarked(room)
        sys.stdout.write(f"of {room}, held elsewhere or not at all: {', '.join(others) or 'none'}\n")
    sys.stdout.write(f"marks that name no clause: {', '.join(unknown()) or 'none'}\n")
    return 1 if left or unknown() else 0


if __name__ == "__main__":
    sys.exit(main())
