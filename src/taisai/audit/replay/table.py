"""One table on its way through the audit: its records replayed, checked, and compared with its snapshots.

Enters: records of the table in order, the snapshots that the journal keeps of it. Leaves: its state, its course by the
audit's own record, and findings. Runs of bets are replayed together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Final

import msgspec

from taisai.audit.actors import Actors
from taisai.audit.findings import AuditFinding
from taisai.audit.procedure.course import Course
from taisai.audit.procedure.watch import Watch
from taisai.core.rulebook import RuleBook
from taisai.journal.contract import JournalError
from taisai.journal.record import Record, Row
from taisai.streams.codec import KIND_OF, VERSION_OF, event_of
from taisai.table import events as e
from taisai.table.evolve import IN_RUNS, evolve, with_run
from taisai.table.ledger import LedgerBroken
from taisai.table.people import Role
from taisai.table.state import TableState, snapshot_of, state_from

BookOf = Callable[[str], RuleBook | None]
"""A rule book by its id; None when it is not at hand."""

_RUNS: Final = {KIND_OF[kind]: kind for kind in IN_RUNS}
"""Events that come in long runs, by their names in the journal."""
_kind_of_row = itemgetter(3)
_decode = msgspec.json.Decoder(e.Event).decode


class TableReplay:
    """One table on its way through the audit. Runs of bets are replayed together; checks see each of them."""

    def __init__(self, table: str, book_of: BookOf, snapshots: dict[int, bytes], actors: Actors) -> None:
        self._table = table
        self._books = book_of
        self.watch = Watch(table, book_of)
        self._actors = actors
        self.state = TableState(table)
        self._snapshots = snapshots
        self.compared: dict[str, str] = {}
        """The snapshots that were compared with the state at their records: each by the hash of what it said."""
        self._run: list[tuple[int, e.Event]] = []
        self._run_kind: type | None = None
        self.broken = False
        self.broken_at = 0
        self.unreplayed = 0
        """Records after the one at which the replay broke off."""

    def resume(self, state: TableState, course: Course, compared: Mapping[str, str]) -> None:
        """Go on from where an earlier audit has come to, which has compared these snapshots."""
        self.state = state
        self.compared = dict(compared)
        self.watch = Watch(self._table, self._books, course)

    def know(self, snapshots: dict[int, bytes]) -> int:
        """Snapshots to compare on the way; how many are of records that went by before they stood there like this."""
        passed = {str(seq): _hashed(kept) for seq, kept in snapshots.items() if seq <= self.state.seq}
        behind = sum(self.compared.get(seq) != digest for seq, digest in passed.items())
        self.compared = passed
        self._snapshots = snapshots
        return behind

    def see_rows(self, rows: Sequence[Row], found: list[AuditFinding]) -> None:
        """Check and replay records of this table that follow each other."""
        for kind, group in groupby(rows, _kind_of_row):
            alike = list(group)
            if kind not in _RUNS or not self._joins_run(kind, alike, found):
                for row in alike:
                    if not self.broken:
                        self.see(Record(*row), found)
            if self.broken:
                return

    def _joins_run(self, kind: str, rows: Sequence[Row], found: list[AuditFinding]) -> bool:
        """Put bets or payments into the run; False when anything about them asks for a closer look, one by one."""
        seqs = [row[1] for row in rows]
        if {row[4] for row in rows} != {VERSION_OF[kind]} or not self._snapshots.keys().isdisjoint(seqs):
            return False
        try:
            events = [_decode(row[9]) for row in rows]
        except (msgspec.MsgspecError, UnicodeDecodeError, TypeError):
            return False
        what = _RUNS[kind]
        if {type(event.what) for event in events} != {what}:
            return False
        if self._run_kind is not what:
            if self._run:
                self._flush(found)
            self._run_kind = what
        for row, event in zip(rows, events, strict=True):
            if event.by.role is not Role.PLAYER or event.authorised_by is not None:
                self._actors.see(row[0], row[1], row[2], row[6], event)
        self._run.extend(zip(seqs, events, strict=True))
        return True

    def see(self, record: Record, found: list[AuditFinding]) -> None:
        """Check and replay one record."""
        try:
            event = event_of(record)
        except JournalError as error:
            self._stop(found, record.seq, "not-an-event", str(error))
            return
        self._actors.see(record.table, record.seq, record.position, record.command_id, event)
        what = event.what
        kind = type(what)
        if kind is not self._run_kind:
            if self._run:
                self._flush(found)
                if self.broken:
                    return
            self._run_kind = kind
        if kind in IN_RUNS:
            self._run.append((record.seq, event))
            if record.seq in self._snapshots:
                self._flush(found)
                self._compare(record.seq, found)
            return
        if kind is e.RoundConcluded:
            found.extend(self._chips_left(record.seq))
        found.extend(self.watch.see(record.seq, KIND_OF[kind], event))
        try:
            self.state = evolve(self.state, event)
        except (LedgerBroken, LookupError, TypeError, ValueError) as error:
            self._stop(found, record.seq, "ledger-broken", str(error))
        self._compare(record.seq, found)

    def pause(self, found: list[AuditFinding]) -> None:
        """Replay what is left of a run, so that `state` and the course are those of the last record."""
        if self._run and not self.broken:
            self._flush(found)

    def end(self, found: list[AuditFinding]) -> None:
        """The records end here."""
        self.pause(found)
        if not self.broken:
            found.extend(self.watch.ended(self.state.seq))

    def _flush(self, found: list[AuditFinding]) -> None:
        run, self._run = self._run, []
        try:
            self.state = with_run(self.state, [event for _, event in run])
        except (LedgerBroken, LookupError, TypeError, ValueError) as error:
            self._stop(found, run[-1][0], "ledger-broken", str(error))
            return
        found.extend(self.watch.see_run(KIND_OF[type(run[0][1].what)], run))

    def _chips_left(self, seq: int) -> Iterator[AuditFinding]:
        """The felt is empty when a round is over, by the ledger."""
        left = sorted(account for account in self.state.ledger if account.startswith("box:"))
        if left:
            sentence = f"chips are left in {', '.join(left)}"
            yield AuditFinding("felt-not-empty", sentence, self._table, self.state.round.number, seq)

    def _stop(self, found: list[AuditFinding], seq: int, code: str, sentence: str) -> None:
        """After this nothing of the table can be replayed."""
        self.broken, self.broken_at = True, seq
        found.append(AuditFinding(code, sentence, self._table, self.state.round.number or None, seq))

    def _compare(self, seq: int, found: list[AuditFinding]) -> None:
        """A snapshot is the very state that its history leads to."""
        kept = self._snapshots.get(seq)
        if kept is None or self.broken:
            return
        self.compared[str(seq)] = _hashed(kept)
        if not _is_of(kept, self.state):
            sentence = "the snapshot is not the state that the records before it lead to"
            found.append(AuditFinding("snapshot-differs", sentence, self._table, None, seq))


def _hashed(snapshot: bytes) -> str:
    return sha256(snapshot).hexdigest()


def _is_of(snapshot: bytes, state: TableState) -> bool:
    """Whether a snapshot is of this state: to the byte, or, written before a field was added, by its values."""
    if snapshot == snapshot_of(state):
        return True
    try:
        return state_from(snapshot) == state
    except msgspec.MsgspecError:
        return False
