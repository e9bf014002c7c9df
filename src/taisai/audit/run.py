"""The audit of a journal: everything replayed, everything checked.

Enters: a journal and the rule books at hand. Leaves: findings, each with its table, round, record and clauses; none
when the journal is whole, every snapshot is what its history leads to, the ledger balances after each event, and the
recount agrees with every settlement. The house's own stream is read, not replayed: there is no table behind it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from copy import deepcopy
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from taisai.audit.actors import Actors
from taisai.audit.findings import AuditFinding
from taisai.audit.log import LogCheck, LogProven, Outside
from taisai.audit.procedure.course import Course
from taisai.audit.procedure.watch import Watch
from taisai.core.faults import InputFault
from taisai.core.rulebook import RuleBook
from taisai.journal.contract import Journal, JournalError, Progress
from taisai.journal.record import Finding, Head, Record, Row
from taisai.journal.sqlite.journal import SqliteJournal
from taisai.journal.verify import NOTHING_PROVEN, Proven, verify, verify_file
from taisai.streams.codec import KIND_OF, VERSION_OF, event_of
from taisai.streams.house_events import HOUSE_STREAM, house_event_of
from taisai.table import events as e
from taisai.table.evolve import IN_RUNS, evolve, with_run
from taisai.table.ledger import LedgerBroken
from taisai.table.people import Role
from taisai.table.state import SNAPSHOT_FORMAT, TableState, snapshot_of, state_from

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

BookOf = Callable[[str], RuleBook | None]
"""A rule book by its id; None when it is not at hand."""

_RUNS: Final = {KIND_OF[kind]: kind for kind in IN_RUNS}
"""Events that come in long runs, by their names in the journal."""
RESULT_FORM: Final = "taisai audit result 2"
AFTER_BREAK: Final = "records of tables whose replay broke off before them"
OTHER_FORMAT: Final = "snapshots in a form of another version"
BEHIND: Final = "snapshots saved after the audit had passed their record"
_kind_of_row = itemgetter(3)
_decode = msgspec.json.Decoder(e.Event).decode


class _TableReplay:
    """One table on its way through the audit. Runs of bets are replayed together; checks see each of them."""

    def __init__(self, table: str, book_of: BookOf, snapshots: dict[int, bytes], actors: Actors) -> None:
        self._table = table
        self._books = book_of
        self.watch = Watch(table, book_of)
        self._actors = actors
        self.state = TableState(table)
        self._snapshots = snapshots
        self._run: list[tuple[int, e.Event]] = []
        self._run_kind: type | None = None
        self.broken = False
        self.broken_at = 0
        self.unreplayed = 0
        """Records after the one at which the replay broke off."""

    def resume(self, state: TableState, course: Course) -> None:
        """Go on from where an earlier audit has come to."""
        self.state = state
        self.watch = Watch(self._table, self._books, course)

    def know(self, snapshots: dict[int, bytes]) -> int:
        """Snapshots to compare on the way; how many new ones are of records that have gone by already."""
        behind = sum(seq <= self.state.seq for seq in snapshots.keys() - self._snapshots.keys())
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

    def end(self, found: list[AuditFinding]) -> None:
        """Replay what is left of a run."""
        if self._run and not self.broken:
            self._flush(found)
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
        if kept is not None and not self.broken and not _is_of(kept, self.state):
            sentence = "the snapshot is not the state that the records before it lead to"
            found.append(AuditFinding("snapshot-differs", sentence, self._table, None, seq))


class TableProven(Struct, frozen=True):
    """A table as far as an audit has come."""

    seq: int
    hash: str
    state: TableState | None
    """None for the house's own stream, which no table stands behind."""
    course: Course | None = None
    """The same by the audit's own record of it."""


class AuditResult(Struct, frozen=True, kw_only=True):
    """What an audit came to: where a later one may go on. Signed, it is the word of whoever audited."""

    form: str = RESULT_FORM
    position: int
    """The last record, in the order of commits."""
    checkpoint: int
    checkpoint_hash: str
    tables: dict[str, TableProven]
    log: LogProven | None
    findings: int
    """How many there were up to here."""
    not_checked: dict[str, int]
    """What could not be checked up to here, and how often."""


class Audit:
    """An audit of one journal. `findings` runs it; called again, it goes on with what is new.

    `states` are the tables as replayed, `not_checked` counts whatever could not be looked at, by what it is.
    """

    def __init__(self, book_of: BookOf, progress: Progress | None = None, *, since: AuditResult | None = None) -> None:
        self._book_of = book_of
        self._progress = progress
        self._replays: dict[str, _TableReplay] = {}
        self._snapshots: dict[str, dict[int, bytes]] = {}
        self._found: list[AuditFinding] = []
        self._log: LogCheck | None = None
        self._log_proven: LogProven | None = None
        self._proven = NOTHING_PROVEN
        self._findings = 0
        self._actors = Actors()
        self.records = 0
        """Records that this audit itself has read."""
        self.not_checked: Counter[str] = Counter()
        if since is not None:
            self._resume(since)

    def _resume(self, since: AuditResult) -> None:
        if since.form != RESULT_FORM:
            raise InputFault("since", f"not a result of an audit: {since.form!r}")
        heads = {table: Head(each.seq, bytes.fromhex(each.hash)) for table, each in since.tables.items()}
        self._proven = Proven(since.position, heads, since.checkpoint, bytes.fromhex(since.checkpoint_hash))
        self._log_proven = since.log
        self._findings = since.findings
        self.not_checked.update(since.not_checked)
        for table, each in since.tables.items():
            if each.state is not None and each.course is not None:
                replay = self._replays[table] = _TableReplay(table, self._book_of, {}, self._actors)
                replay.resume(each.state, deepcopy(each.course))

    @property
    def position(self) -> int:
        """The last record, in the order of commits, that has been checked."""
        return self._proven.position

    @property
    def states(self) -> dict[str, TableState]:
        """The tables as replaying their records gives them."""
        return {table: each.state for table, each in self._replays.items()}

    @property
    def looked(self) -> dict[str, Counter[str]]:
        """By rule book, how often each check looked, here and in the audits that this one goes on from."""
        counts: dict[str, Counter[str]] = {}
        for each in self._replays.values():
            for book, looks in each.watch.course.looked.items():
                counts.setdefault(book, Counter()).update(looks)
        return counts

    def result(self) -> AuditResult | None:
        """Where a later audit may go on; None when a table could not be replayed to its end."""
        if any(each.broken for each in self._replays.values()):
            return None
        replays = self._replays
        return AuditResult(
            position=self._proven.position,
            checkpoint=self._proven.checkpoint,
            checkpoint_hash=self._proven.checkpoint_hash.hex(),
            tables={
                table: TableProven(
                    head.seq,
                    head.hash.hex(),
                    replays[table].state if table in replays else None,
                    deepcopy(replays[table].watch.course) if table in replays else None,
                )
                for table, head in self._proven.heads.items()
            },
            log=self._log_proven,
            findings=self._findings,
            not_checked=dict(self.not_checked),
        )

    def findings(
        self, journal: Journal, public_key: Ed25519PublicKey | None = None, outside: Outside | None = None
    ) -> Iterator[AuditFinding]:
        """Everything that is not as it should be in an open journal, also by what people bring from outside."""
        self._know_snapshots(journal)
        self._know_staff(journal)
        self._log = LogCheck(journal, public_key, outside, self._log_proven)
        yield from self._told(
            verify(journal, public_key, self._progress, each=self._see, since=self._proven, ended=self._came_to)
        )

    def findings_of_file(
        self, path: Path, public_key: Ed25519PublicKey | None = None, outside: Outside | None = None
    ) -> Iterator[AuditFinding]:
        """The same of a journal's file, however damaged it is."""
        with ExitStack() as all_open:
            try:
                journal = all_open.enter_context(SqliteJournal(path, read_only=True))
                self._know_snapshots(journal)
                self._know_staff(journal)
                self._log = LogCheck(journal, public_key, outside, self._log_proven)
            except JournalError:
                self._snapshots = {}
            yield from self._told(
                verify_file(path, public_key, self._progress, each=self._see, since=self._proven, ended=self._came_to)
            )

    def _told(self, of_journal: Iterator[Finding]) -> Iterator[AuditFinding]:
        for finding in of_journal:
            yield from self._drained()
            self._findings += 1
            yield _of_journal(finding)
        for each in self._replays.values():
            each.end(self._found)
            if each.unreplayed:
                self.not_checked[AFTER_BREAK] += each.unreplayed
                each.unreplayed = 0
            self.not_checked.update(each.watch.course.unseen)
            each.watch.course.unseen = {}
        if self._log is not None:
            self._found += self._log.ended()
            self._log_proven = self._log.proven()
        yield from self._drained()

    def _came_to(self, proven: Proven) -> None:
        self._proven = proven

    def _know_staff(self, journal: Journal) -> None:
        """The staff by the part of the house's log that an earlier audit has checked."""
        if self._proven.position and not self._actors.knows_house:
            for record in journal.read(HOUSE_STREAM):
                if record.position > self._proven.position:
                    break
                self._see_house(record)

    def _know_snapshots(self, journal: Journal) -> None:
        found: dict[str, dict[int, bytes]] = {}
        try:
            for snapshot in journal.snapshots():
                if snapshot.format == SNAPSHOT_FORMAT:
                    found.setdefault(snapshot.table, {})[snapshot.seq] = snapshot.state
                elif not self._proven.position:
                    self.not_checked[OTHER_FORMAT] += 1
        except JournalError:
            # Unreadable snapshots are the journal's own finding.
            found = {}
        self._snapshots = found
        for table, replay in self._replays.items():
            self.not_checked[BEHIND] += replay.know(found.get(table, {}))
        self.not_checked += Counter()  # drops what is zero

    def _see(self, rows: list[Row]) -> None:
        self.records += len(rows)
        if self._log is not None:
            self._log.see(rows)
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
                each = self._replays[table] = _TableReplay(table, self._book_of, snapshots, self._actors)
            if not each.broken:
                each.see_rows(some, self._found)
            if each.broken:
                each.unreplayed += sum(row[1] > each.broken_at for row in some)
        self._found += self._actors.findings()

    def _see_house(self, record: Record) -> None:
        try:
            self._actors.see_house(record.position, house_event_of(record))
        except JournalError as error:
            self._found.append(AuditFinding("not-an-event", str(error), HOUSE_STREAM, None, record.seq))

    def _drained(self) -> Iterator[AuditFinding]:
        found, self._found = self._found, []
        self._findings += len(found)
        yield from found


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
