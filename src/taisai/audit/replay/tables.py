"""All tables of a journal on their way through the audit, or some of them.

Enters: records in commit order. Leaves: each table as replayed, findings, and who acted. The house's own stream is
read, not replayed: there is no table behind it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cache
from typing import Final

from msgspec import Struct

from taisai.audit.actors import Actors
from taisai.audit.findings import AuditFinding
from taisai.audit.procedure.course import Course
from taisai.audit.replay.table import BookOf, TableReplay
from taisai.journal.contract import Journal, JournalError
from taisai.journal.record import Record, Row
from taisai.streams.house_events import HOUSE_STREAM, house_event_of
from taisai.table.state import SNAPSHOT_FORMAT, TableState

AFTER_BREAK: Final = "records of tables whose replay broke off before them"
OTHER_FORMAT: Final = "snapshots in a form of another version"
BEHIND: Final = "snapshots saved after the audit had passed their record"


class TableFar(Struct, frozen=True):
    """A table as far as it was replayed."""

    state: TableState
    course: Course
    broken: bool = False
    broken_at: int = 0
    unreplayed: int = 0
    compared: dict[str, str] = {}
    """The snapshots that were compared, each by its hash."""


class Tables:
    """The tables of a journal."""

    def __init__(self, book_of: BookOf) -> None:
        self._book_of = cache(book_of)  # a book stays as it is while an audit lasts
        self._snapshots: dict[str, dict[int, bytes]] = {}
        self.replays: dict[str, TableReplay] = {}
        self.actors = Actors()
        self.found: list[AuditFinding] = []
        self.not_checked: Counter[str] = Counter()

    @property
    def states(self) -> dict[str, TableState]:
        """The tables as replaying their records gives them."""
        return {table: each.state for table, each in self.replays.items()}

    def know(self, journal: Journal, *, anew: bool) -> None:
        """Read the snapshots to compare on the way; `anew` when the records are read from the first."""
        found: dict[str, dict[int, bytes]] = {}
        try:
            for snapshot in journal.snapshots():
                if snapshot.format == SNAPSHOT_FORMAT:
                    found.setdefault(snapshot.table, {})[snapshot.seq] = snapshot.state
                elif anew:
                    self.not_checked[OTHER_FORMAT] += 1
        except JournalError:
            # Unreadable snapshots are the journal's own finding.
            found = {}
        self._snapshots = found
        for table, replay in self.replays.items():
            self.not_checked[BEHIND] += replay.know(found.get(table, {}))
        self.not_checked += Counter()  # drops what is zero

    def snapshots(self, table: str) -> Mapping[int, bytes]:
        """The snapshots of a table to compare, by their records."""
        return self._snapshots.get(table, {})

    def know_none(self) -> None:
        """There are no snapshots that could be read."""
        self._snapshots = {}

    def far(self) -> dict[str, TableFar]:
        """How far each table is, as it may be handed on; runs of bets are replayed to their end first."""
        for each in self.replays.values():
            each.pause(self.found)
        return {
            table: TableFar(
                each.state, each.watch.course, each.broken, each.broken_at, each.unreplayed, dict(each.compared)
            )
            for table, each in self.replays.items()
        }

    def resume(self, far: Mapping[str, TableFar]) -> None:
        """Go on from where an earlier audit, or another process, has come to."""
        for table, each in far.items():
            replay = self.replays[table] = TableReplay(
                table, self._book_of, self._snapshots.get(table, {}), self.actors
            )
            replay.resume(each.state, deepcopy(each.course), each.compared)
            replay.broken, replay.broken_at, replay.unreplayed = each.broken, each.broken_at, each.unreplayed

    def see(self, rows: Sequence[Row]) -> None:
        """Some records, in commit order."""
        by_table: dict[str, list[Row]] = {}
        for row in rows:
            by_table.setdefault(row[0], []).append(row)
        for table, some in by_table.items():
            if table == HOUSE_STREAM:
                for row in some:
                    self.see_house(Record(*row))
                continue
            each = self.replays.get(table)
            if each is None:
                snapshots = self._snapshots.get(table, {})
                each = self.replays[table] = TableReplay(table, self._book_of, snapshots, self.actors)
            if not each.broken:
                each.see_rows(some, self.found)
            if each.broken:
                each.unreplayed += sum(row[1] > each.broken_at for row in some)
        self.found += self.actors.findings()

    def know_staff(self, journal: Journal, upto: int) -> None:
        """The staff by the part of the house's log that an earlier audit has checked."""
        for record in journal.read(HOUSE_STREAM):
            if record.position > upto:
                break
            self.see_house(record)

    def see_house(self, record: Record) -> None:
        """A record of the house's own."""
        try:
            self.actors.see_house(record.position, house_event_of(record))
        except JournalError as error:
            self.found.append(AuditFinding("not-an-event", str(error), HOUSE_STREAM, None, record.seq))

    def end(self) -> None:
        """The records end here."""
        for each in self.replays.values():
            each.end(self.found)
            if each.unreplayed:
                self.not_checked[AFTER_BREAK] += each.unreplayed
                each.unreplayed = 0
            self.not_checked.update(each.watch.course.unseen)
            each.watch.course.unseen = {}
