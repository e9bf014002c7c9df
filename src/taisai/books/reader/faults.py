"""Faults of a rule book, each with its place, and the refusal that carries them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class BookFault(NamedTuple):
    """One fault of a book: its place, and what is wrong."""

    file: str
    line: int | None
    row: str
    reason: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return ": ".join(part for part in (place, self.row, self.reason) if part)


class BookRefused(Exception):
    """A book that cannot be used; `faults` holds every reason."""

    def __init__(self, book_id: str, faults: Sequence[BookFault]) -> None:
        self.book_id = book_id
        self.faults = tuple(faults)
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(f"rule book {book_id} refused: {faults[0]}{more}")
