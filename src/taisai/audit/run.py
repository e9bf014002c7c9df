"""The audit of a journal: everything replayed, everything checked.

Enters: a journal and the rule books at hand. Leaves: findings, each with its table, round, record and clauses; none
when the journal is whole, every snapshot is what its history leads to, the ledger balances after each event, and the
recount agrees with every settlement. The house's own stream is read, not replayed: there is no table behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from taisai.audit.checks import CHECKS_BY_EVENT, Audited, Seen, run_is_right
from taisai.audit.findings import AuditFinding
from taisai.core.rulebook import RuleBook
from taisai.journal.contract import Journal, JournalError, Progress
from taisai.journal.record import Finding, Record, Row
from taisai.journal.sqlite.journal import SqliteJournal
from taisai.journal.verify import verify, verify_file
from taisai.streams.codec import KIND_OF, VERSION_OF, event_of
from taisai.streams.house_events import HOUSE_STREAM, house_event_of
from taisai.table import events as e
from taisai.table.evolve import IN_RUNS, evolve, with_run
from taisai.table.ledger import LedgerBroken
from taisai.table.state import SNAPSHOT_FORMAT, TableState, snapshot_of, state_from

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

BookOf = Callable[[str], RuleBook | None]
"""A rule book by its id; None when it is not at hand."""

_RUNS: Final = {KIND_OF[kind]: kind for kind in IN_RUNS}
"""Events that come in long runs, by their names in the journal."""
_kind_of_row = itemgetter(3)
_decode = msgspec.json.Decoder(e.Event).decode


class _TableReplay:
    """One table on its way through the audit. Runs of bets are replayed together; checks see each of them."""

    def __init__(self, table: str, book_of: BookOf, snapshots: dict[int, bytes]) -> None:
        self.audited = Audited(table, book_of)
        self.state = TableState(table)
        self._snapshots = snapshots
        self._run: list[tuple[int, e.Event]] = []
        self._run_kind: type | None = None
        self.broken = False

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
        self._run.extend(zip(seqs, events, strict=True))
        return True

    def see(self, record: Record, found: list[AuditFinding]) -> None:
        """Check and replay one record."""
        try:
            event = event_of(record)
        except JournalError as error:
            self._stop(found, record.seq, "not-an-event", str(error))
            return
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
        if self.state.set_up is not None:
            self.audited.stand_under(self.state.set_up)
        checks = CHECKS_BY_EVENT.get(kind)
        if checks is not None:
            seen = Seen(self.audited, record.seq, self.state, event)
            for check in checks:
                found.extend(check(seen, what))
        try:
            self.state = evolve(self.state, event)
        except (LedgerBroken, LookupError, TypeError, ValueError) as error:
            self._stop(found, record.seq, "ledger-broken", str(error))
        self._compare(record.seq, found)

    def end(self, found: list[AuditFinding]) -> None:
        """Replay what is left of a run."""
        if self._run and not self.broken:
            self._flush(found)

    def _flush(self, found: list[AuditFinding]) -> None:
        run, self._run = self._run, []
        before = self.state
        if before.set_up is not None:
            self.audited.stand_under(before.set_up)
        try:
            self.state = with_run(before, [event for _, event in run])
        except (LedgerBroken, LookupError, TypeError, ValueError) as error:
            self._stop(found, run[-1][0], "ledger-broken", str(error))
            return
        found.extend(run_is_right(self.audited, run, before, self.state))

    def _stop(self, found: list[AuditFinding], seq: int, code: str, sentence: str) -> None:
        """After this nothing of the table can be replayed."""
        self.broken = True
        found.append(AuditFinding(code, sentence, self.audited.table, self.state.round.number or None, seq))

    def _compare(self, seq: int, found: list[AuditFinding]) -> None:
        """A snapshot is the very state that its history leads to."""
        kept = self._snapshots.get(seq)
        if kept is not None and not self.broken and not _is_of(kept, self.state):
            sentence = "the snapshot is not the state that the records before it lead to"
            found.append(AuditFinding("snapshot-differs", sentence, self.audited.table, None, seq))


class Audit:
    """An audit of one journal; `findings` runs it once, `states` are the tables as replayed."""

    def __init__(self, book_of: BookOf, progress: Progress | None = None) -> None:
        self._book_of = book_of
        self._progress = progress
        self._replays: dict[str, _TableReplay] = {}
        self._snapshots: dict[str, dict[int, bytes]] = {}
        self._found: list[AuditFinding] = []
        self.records = 0

    @property
    def states(self) -> dict[str, TableState]:
        """The tables as replaying their records gives them."""
        return {table: each.state for table, each in self._replays.items()}

    def findings(self, journal: Journal, public_key: Ed25519PublicKey | None = None) -> Iterator[AuditFinding]:
        """Everything that is not as it should be in an open journal."""
        self._know_snapshots(journal)
        for finding in verify(journal, public_key, self._progress, each=self._see):
            yield from self._drained()
            yield _of_journal(finding)
        yield from self._ended()

    def findings_of_file(self, path: Path, public_key: Ed25519PublicKey | None = None) -> Iterator[AuditFinding]:
        """The same of a journal's file, however damaged it is."""
        try:
            with SqliteJournal(path, read_only=True) as journal:
                self._know_snapshots(journal)
        except JournalError:
            self._snapshots = {}
        for finding in verify_file(path, public_key, self._progress, each=self._see):
            yield from self._drained()
            yield _of_journal(finding)
        yield from self._ended()

    def _know_snapshots(self, journal: Journal) -> None:
        try:
            for snapshot in journal.snapshots():
                if snapshot.format == SNAPSHOT_FORMAT:
                    self._snapshots.setdefault(snapshot.table, {})[snapshot.seq] = snapshot.state
        except JournalError:
            # Unreadable snapshots are the journal's own finding.
            self._snapshots = {}

    def _see(self, rows: list[Row]) -> None:
        self.records += len(rows)
        by_table: dict[str, list[Row]] = {}
        for row in rows:
            by_table.setdefault(row[0], []).append(row)
        for table, some in by_table.items():
            if table == HOUSE_STREAM:
                for row in some:
                    self._see_house(Record(*row))
                continue
            each = self._replays.get(table)
            if each is None:
                snapshots = self._snapshots.get(table, {})
                each = self._replays[table] = _TableReplay(table, self._book_of, snapshots)
            if not each.broken:
                each.see_rows(some, self._found)

    def _see_house(self, record: Record) -> None:
        try:
            house_event_of(record)
        except JournalError as error:
            self._found.append(AuditFinding("not-an-event", str(error), HOUSE_STREAM, None, record.seq))

    def _drained(self) -> Iterator[AuditFinding]:
        found, self._found = self._found, []
        yield from found

    def _ended(self) -> Iterator[AuditFinding]:
        for each in self._replays.values():
            each.end(self._found)
        yield from self._drained()


def _is_of(snapshot: bytes, state: TableState) -> bool:
    """Whether a snapshot is of this state: to the byte, or, written before a field was added, by its values."""
    if snapshot == snapshot_of(state):
        return True
    try:
        return state_from(snapshot) == state
    except msgspec.MsgspecError:
        return False


def _of_journal(finding: Finding) -> AuditFinding:
    """What the journal's own proof found, as a finding of the audit."""
    return AuditFinding(finding.code, finding.sentence, finding.table, None, finding.seq)
