"""Which tests check a clause.

Enters: the index that `make clauses` writes from the tests' marks. Leaves: the tests of a clause, by name. Books from
outside the package have none here.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

INDEX = Path(__file__).parent / "data" / "tests_by_clause.json"


@cache
def _index() -> dict[str, list[str]]:
    index: dict[str, list[str]] = json.loads(INDEX.read_text(encoding="utf-8"))
    return index


def tests_holding(book_id: str, clause_id: str) -> tuple[str, ...]:
    """The tests marked with a clause, as pytest names them."""
    return tuple(_index().get(f"{book_id} §{clause_id}", ()))
