"""By which lease each record was written, where several nodes share a journal.

Enters: a journal, and how far it has been looked at. Leaves: stretches of records with the lease that they were written
under and the node that held it; findings, where a record was written under a lease that had passed to somebody else,
under one that nobody ever had, or under none while its table was held.

The number of a lease stands beside a record and not in its hash: it is the server's word, which the database's owner
could change. It shows faults of nodes, not forgeries.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from taisai.audit.findings import AuditFinding
from taisai.journal.contract import Journal
from taisai.journal.record import Written

STEP: Final = 20_000
"""Records that are asked for at a time: far less than the server takes seconds for."""
NOT_NOTED: Final = "records of which an earlier version of the program did not note the lease"


class LeaseCheck:
    """Goes through the leases of a journal, from where it was left."""

    def __init__(self, after: int = 0) -> None:
        self.after = after
        """The last position that was looked at."""
        self.stretches: list[Written] = []
        """The leases of each table one after the other, as far as this check has looked."""
        self.not_noted = 0
        """Records of which it is not known."""
        self._last: dict[str, Written] = {}
        self._held: dict[str, Written] = {}
        """The last lease of each table, and where it was."""

    def findings(self, journal: Journal, upto: int) -> Iterator[AuditFinding]:
        """Everything wrong with the leases up to a position; nothing where a journal has none."""
        while journal.leases is not None and self.after < upto:
            until = min(upto, self.after + STEP)
            for one in journal.leases.written(self.after, until):
                yield from self._see(one)
            self.after = until

    def _see(self, one: Written) -> Iterator[AuditFinding]:
        before, held = self._last.get(one.table), self._held.get(one.table)
        if one.fence is None:
            self.not_noted += one.last - one.first + 1
        elif one.fence and one.holder is None:
            yield _finding("lease-unknown", one, f"was written under lease {one.fence}, which nobody ever had")
        if held is not None and held.fence and one.fence:
            if one.fence < held.fence:
                sentence = f"was written under lease {one.fence} after record {held.last} under lease {held.fence}"
                yield _finding("lease-order", one, sentence)
            elif one.fence == held.fence and before is not None and before.fence == 0:
                yield _finding("lease-missing", before, f"was written under no lease while {_who(held)} held the table")
        self._keep(one)

    def _keep(self, one: Written) -> None:
        before = self._last.get(one.table)
        if before is not None and before.fence == one.fence:
            place = next(number for number, each in enumerate(self.stretches) if each is before)
            one = self.stretches[place] = before._replace(last=max(before.last, one.last))
        else:
            self.stretches.append(one)
        self._last[one.table] = one
        if one.fence:
            self._held[one.table] = one


def _who(one: Written) -> str:
    return f"{node_of(one)} (lease {one.fence})"


def node_of(one: Written) -> str:
    """The address of the node that held a lease."""
    return "nobody" if one.holder is None else one.holder.partition("#")[0]


def _finding(code: str, one: Written, what: str) -> AuditFinding:
    return AuditFinding(code, f"record {one.first} {what}", one.table, None, one.first)
