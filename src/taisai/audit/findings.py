"""What an audit finds.

A finding names the table, the round, the record, the clauses and what is wrong, in a sentence.
"""

from __future__ import annotations

from typing import NamedTuple


class AuditFinding(NamedTuple):
    """Something that is not as it should be."""

    code: str
    sentence: str
    table: str | None = None
    round: int | None = None
    seq: int | None = None
    clauses: tuple[str, ...] = ()

    def __str__(self) -> str:
        place = [f"table {self.table}"] if self.table is not None else []
        if self.round:
            place.append(f"round {self.round}")
        if self.seq is not None:
            place.append(f"record {self.seq}")
        cited = f" (§{', §'.join(self.clauses)})" if self.clauses else ""
        return f"{', '.join(place) or 'journal'}: {self.code}: {self.sentence}{cited}"
