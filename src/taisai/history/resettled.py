"""Every bet of an export settled again.

Enters: an export, the rule books at hand, an engine. Leaves: for each table what was due and what was returned, the
first bets that differ, and tables whose bets do not add up to what their rounds say. The pays are a small table that is
joined (`payouts`); nothing of how the journal's own settlement came about is used.
"""

from __future__ import annotations

from typing import NamedTuple

from taisai.books import Shelf
from taisai.history import queries
from taisai.history.engines import Engine
from taisai.history.folder import Export
from taisai.history.payouts import payouts


class TableResettled(NamedTuple):
    """The bets of one table."""

    table: str
    bets: int
    known: int
    """Those whose rules are at hand: only they can be settled again."""
    staked: int
    due_winnings: int
    due: int
    """What should have gone back to players, of those known."""
    returned: int
    """What went back, of all."""
    different: int
    underpaid: int
    """By how much altogether, over the bets that got too little."""
    overpaid: int


class BetDifference(NamedTuple):
    """A bet that was not paid what was due. None for a bet whose rules are not at hand."""

    position: int
    table: str
    round: int
    line: int
    player: str
    box: str
    rules: str
    roll: int
    """Its number, 216 when the round was void."""
    stake: int
    due: int | None
    paid: int
    due_winnings: int | None
    winnings: int


class RoundsDiffer(NamedTuple):
    """A table whose bets do not add up to its rounds: rows were lost or added."""

    table: str
    bets: int
    bets_of_rounds: int
    staked: int
    staked_of_rounds: int
    returned: int
    returned_of_rounds: int


class HistoryResettled(NamedTuple):
    """What came of settling an export again."""

    records: int
    tables: tuple[TableResettled, ...]
    first: tuple[BetDifference, ...]
    """The first that differ or cannot be settled, in the order of the journal."""
    unlike_rounds: tuple[RoundsDiffer, ...]
    missing: tuple[str, ...]
    """Rules that no book at hand has."""

    @property
    def total(self) -> TableResettled:
        """All tables together."""
        sums = [sum(column) for column in zip(*(each[1:] for each in self.tables), strict=True)] or [0] * 9
        return TableResettled("", *sums)

    @property
    def is_right(self) -> bool:
        """Whether every bet could be settled again, and was paid what was due."""
        total = self.total
        return not total.different and total.known == total.bets and not self.unlike_rounds


def resettle_history(export: Export, shelf: Shelf, engine: Engine) -> HistoryResettled:
    """Settle every bet of an export again."""
    joined = payouts(export.rules, shelf)
    engine.put("pays", joined.pays)
    tables = tuple(
        TableResettled(str(row["table_name"]), *(int(row[name] or 0) for name in _SUMS))
        for row in engine.query(queries.RESETTLED).to_pylist()
    )
    rounds = {row["table_name"]: row for row in engine.query(queries.ROUND_SUMS).to_pylist()}
    found = HistoryResettled(export.position, tables, (), tuple(_unlike(tables, rounds)), joined.missing)
    total = found.total
    if not total.different and total.known == total.bets:
        return found
    first = tuple(BetDifference(*row.values()) for row in engine.query(queries.DIFFERENCES).to_pylist())
    return found._replace(first=first)


_SUMS = ("bets", "known", "staked", "due_winnings", "due", "returned", "differing", "underpaid", "overpaid")


def _unlike(tables: tuple[TableResettled, ...], rounds: dict[str, dict[str, int]]) -> list[RoundsDiffer]:
    """Tables whose bets do not add up to their rounds."""
    of_bets = {each.table: (each.bets, each.staked, each.returned) for each in tables}
    of_rounds = {table: (int(row["bets"]), int(row["staked"]), int(row["returned"])) for table, row in rounds.items()}
    unlike = []
    for table in sorted(of_bets.keys() | of_rounds.keys()):
        ours, theirs = of_bets.get(table, (0, 0, 0)), of_rounds.get(table, (0, 0, 0))
        if ours != theirs:
            pairs = (number for pair in zip(ours, theirs, strict=True) for number in pair)
            unlike.append(RoundsDiffer(table, *pairs))
    return unlike
