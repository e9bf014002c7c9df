"""A journal on disk, for one line of Python.

Enters: the file or address of a journal. Leaves: the findings of an audit, the rounds and the report as columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from taisai.audit.findings import AuditFinding
from taisai.audit.reports import Report, ReportRequest, Span, make_report
from taisai.audit.run import Audit
from taisai.books import open_shelf
from taisai.core.faults import InputFault
from taisai.journal import Journal as Records
from taisai.journal import opening
from taisai.library.values import Columns, table_of
from taisai.streams.codec import event_of
from taisai.streams.house_events import game_tables
from taisai.table import events as e


def open_journal(source: str | Path, *, book_dirs: Iterable[str | Path] = ()) -> Journal:
    """A journal by its file or address; it is read only, when something is asked."""
    file = opening.file_of(str(source))
    if file is not None and not file.is_file():
        raise InputFault("source", f"there is no journal at {file}")
    return Journal(str(source), tuple(book_dirs))


@dataclass(frozen=True, slots=True)
class Ended:
    """A round that is over."""

    table: str
    round: int
    at: datetime
    dice: tuple[int, int, int] | None
    """None when it is void."""
    staked: int
    returned: int
    void: str
    """Why it is void; empty otherwise."""


class Journal:
    """A journal: what happened at the tables of a house."""

    def __init__(self, source: str, book_dirs: tuple[str | Path, ...]) -> None:
        self.source, self._book_dirs = source, book_dirs

    @property
    def tables(self) -> list[str]:
        """The tables in it."""
        with opening.open_journal(self.source, read_only=True) as opened:
            return game_tables(opened)

    def audit(self) -> list[AuditFinding]:
        """Everything replayed and checked; an empty list when nothing is wrong."""
        shelf = open_shelf(self._book_dirs)
        audit = Audit(lambda book: shelf.book(book) if book in shelf.ids else None)
        file = opening.file_of(self.source)
        if file is not None:
            return list(audit.findings_of_file(file))
        with opening.open_journal(self.source, read_only=True) as opened:
            return list(audit.findings(opened))

    def rounds(self, table: str | None = None) -> list[Ended]:
        """The rounds that are over, in order; of one table or of all."""
        with opening.open_journal(self.source, read_only=True) as opened:
            tables = game_tables(opened)
            if table is not None and table not in tables:
                raise InputFault("table", f"no table {table!r}; there are {', '.join(tables) or 'none'}")
            found = [each for name in ([table] if table else tables) for each in _rounds(opened, name)]
        return sorted(found, key=lambda each: (each.at, each.table, each.round))

    def columns(self, table: str | None = None) -> Columns:
        """The rounds as columns, for pandas and Polars."""
        return table_of([{name: getattr(each, name) for name in Ended.__slots__} for each in self.rounds(table)])

    def report(self, by: str = "day") -> Report:
        """Meters, win and hold, voids and significant events, by day, month, year or life."""
        if by not in list(Span):
            raise InputFault("by", f"one of {', '.join(Span)}, got {by!r}")
        with opening.open_journal(self.source, read_only=True) as opened:
            return make_report(opened, ReportRequest(Span(by), datetime.now(UTC)))

    def __repr__(self) -> str:
        return f"<Journal {self.source}>"


def _rounds(opened: Records, table: str) -> Iterator[Ended]:
    for record in opened.read(table):
        what = event_of(record).what
        at = datetime.fromtimestamp(record.at / 1_000_000, tz=UTC)
        match what:
            case e.RoundConcluded():
                yield Ended(table, what.round, at, what.dice, what.staked, what.returned, "")
            case e.RoundVoided():
                handed = sum(part.amount for part in what.handed)
                yield Ended(table, what.round, at, None, handed, handed, str(what.why))
            case _:
                pass
