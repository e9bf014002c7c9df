"""The audit of a journal: everything replayed, everything checked.

Enters: a journal and the rule books at hand. Leaves: findings, each with its table, round, record and clauses; none
when the journal is whole, every snapshot is what its history leads to, the ledger balances after each event, and the
recount agrees with every settlement. Of a long journal other processes replay the tables (`replay.apart`), while this
one checks chain, log and signatures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from taisai.audit.findings import AuditFinding
from taisai.audit.leases import NOT_NOTED, LeaseCheck
from taisai.audit.log import LogCheck, LogProven, Outside
from taisai.audit.procedure.course import Course
from taisai.audit.replay.apart import Apart, Replayed, Share, Workers, replay, shared_out
from taisai.audit.replay.stretches import cuts
from taisai.audit.replay.table import BookOf
from taisai.audit.replay.tables import TableFar, Tables
from taisai.core.faults import InputFault
from taisai.journal.contract import Journal, JournalError, Progress
from taisai.journal.opening import open_journal
from taisai.journal.record import Finding, Head, Row, Written
from taisai.journal.sqlite.journal import SqliteJournal
from taisai.journal.verify import NOTHING_PROVEN, Proven, verify, verify_file
from taisai.streams.house_events import HOUSE_STREAM
from taisai.table.state import TableState

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

RESULT_FORM: Final = "taisai audit result 3"


class TableProven(Struct, frozen=True):
    """A table as far as an audit has come."""

    seq: int
    hash: str
    state: TableState | None
    """None for the house's own stream, which no table stands behind."""
    course: Course | None = None
    """The same by the audit's own record of it."""
    compared: dict[str, str] = {}
    """The snapshots that were compared with the state at their records, each by its hash."""


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

    def __init__(
        self,
        book_of: BookOf,
        progress: Progress | None = None,
        *,
        since: AuditResult | None = None,
        apart: Apart | None = None,
    ) -> None:
        self._book_of = book_of
        self._progress = progress
        self._apart = apart
        self._workers: Workers | None = None
        self._tables = Tables(book_of)
        self._rest: list[Row] = []
        """Records that were written after the other processes had begun."""
        self._log: LogCheck | None = None
        self._log_proven: LogProven | None = None
        self._proven = NOTHING_PROVEN
        self._leases = LeaseCheck()
        self._journal: Journal | None = None
        self._findings = 0
        self.records = 0
        """Records that this audit itself has read."""
        if since is not None:
            self._resume(since)

    def _resume(self, since: AuditResult) -> None:
        if since.form != RESULT_FORM:
            raise InputFault("since", f"not a result of an audit: {since.form!r}")
        heads = {table: Head(each.seq, bytes.fromhex(each.hash)) for table, each in since.tables.items()}
        self._proven = Proven(since.position, heads, since.checkpoint, bytes.fromhex(since.checkpoint_hash))
        self._log_proven = since.log
        self._leases.after = since.position
        self._findings = since.findings
        self._tables.not_checked.update(since.not_checked)
        self._tables.resume(
            {
                table: TableFar(each.state, each.course, compared=each.compared)
                for table, each in since.tables.items()
                if each.state is not None and each.course is not None
            }
        )

    @property
    def position(self) -> int:
        """The last record, in the order of commits, that has been checked."""
        return self._proven.position

    @property
    def states(self) -> dict[str, TableState]:
        """The tables as replaying their records gives them."""
        return self._tables.states

    @property
    def not_checked(self) -> Counter[str]:
        """Whatever could not be looked at, by what it is."""
        return self._tables.not_checked

    @property
    def leases(self) -> list[Written]:
        """By which lease the records were written that this audit has read, where nodes share a journal."""
        return self._leases.stretches

    @property
    def unsigned(self) -> int:
        """Records of a journal with a log that no signed head covers: the last seconds of a house that runs."""
        far = self._log_proven
        return far.size - far.covered if far is not None and far.keys else 0

    @property
    def looked(self) -> dict[str, Counter[str]]:
        """By rule book, how often each check looked, here and in the audits that this one goes on from."""
        counts: dict[str, Counter[str]] = {}
        for each in self._tables.replays.values():
            for book, looks in each.watch.course.looked.items():
                counts.setdefault(book, Counter()).update(looks)
        return counts

    def result(self) -> AuditResult | None:
        """Where a later audit may go on; None when a table could not be replayed to its end."""
        if any(each.broken for each in self._tables.replays.values()):
            return None
        replays = self._tables.replays
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
                    dict(replays[table].compared) if table in replays else {},
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
        self._begin(journal, public_key, outside)
        self._journal = journal
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
                self._begin(journal, public_key, outside)
            except JournalError:
                self._tables.know_none()
            yield from self._told(
                verify_file(path, public_key, self._progress, each=self._see, since=self._proven, ended=self._came_to)
            )

    def _begin(self, journal: Journal, public_key: Ed25519PublicKey | None, outside: Outside | None) -> None:
        self._tables.know(journal, anew=not self._proven.position)
        self._know_staff(journal)
        self._log = LogCheck(journal, public_key, outside, self._log_proven)
        self._share_out(journal)

    def _share_out(self, journal: Journal) -> None:
        """Have other processes replay the tables, if there is enough to do."""
        apart, after = self._apart, self._proven.position
        if apart is None or apart.processes < 2:
            return
        try:
            upto, heads = journal.position(), journal.standing().heads
        except JournalError:
            return  # damaged: one process looks at it, record by record
        if upto - after < apart.worth:
            return
        known = self._proven.heads
        new = {
            table: head.seq - (known[table].seq if table in known else 0)
            for table, head in heads.items()
            if table != HOUSE_STREAM
        }
        far = self._tables.far()

        def share(tables: tuple[str, ...]) -> Share:
            since = {each: far[each] for each in tables if each in far}
            return Share(apart.journal, apart.books, tables, after, upto, since)

        parted = None
        largest = max(new, key=lambda table: new[table], default=None)
        if largest is not None and new[largest] * 2 > sum(new.values()):
            last = heads[largest].seq
            at = cuts(self._tables.snapshots(largest), last - new[largest], last, apart.processes)
            if at:
                parted = (share((largest,)), at)
                del new[largest]
        self._workers = Workers((share(tables) for tables in shared_out(new, apart.processes - 1)), parted)

    def _told(self, of_journal: Iterator[Finding]) -> Iterator[AuditFinding]:
        try:
            for finding in of_journal:
                yield from self._drained()
                self._findings += 1
                yield _of_journal(finding)
            self._gather()
        finally:
            if self._workers is not None:
                self._workers.stop()
                self._workers = None
        if self._log is not None:
            self._tables.found += self._log.ended()
            self._log_proven = self._log.proven()
        self._tables.end()
        yield from self._drained()
        yield from self._lease_findings()

    def _lease_findings(self) -> Iterator[AuditFinding]:
        """What is wrong with the leases of what was read."""
        if self._journal is None:
            return
        before = self._leases.not_noted
        for finding in self._leases.findings(self._journal, self._proven.position):
            self._findings += 1
            yield finding
        if self._leases.not_noted > before:
            self.not_checked[NOT_NOTED] += self._leases.not_noted - before

    def _gather(self) -> None:
        """What the other processes came to, and what was written since they began."""
        if self._workers is None:
            return
        for each in self._workers.replayed(self._replay):
            self._tables.found += each.findings
            self._tables.not_checked.update(each.not_checked)
            self._tables.actors.told.update(each.told)
            self._tables.resume(each.tables)
        rest, self._rest = self._rest, []
        self._tables.see(rest)

    def _replay(self, share: Share) -> Replayed:
        """A share whose process failed, replayed in this one."""
        with open_journal(share.journal, read_only=True) as journal:
            return replay(share, journal, self._book_of)

    def _came_to(self, proven: Proven) -> None:
        self._proven = proven

    def _know_staff(self, journal: Journal) -> None:
        """The staff by the part of the house's log that an earlier audit has checked."""
        if self._proven.position and not self._tables.actors.knows_house:
            self._tables.know_staff(journal, self._proven.position)

    def _see(self, rows: list[Row]) -> None:
        self.records += len(rows)
        if self._log is not None:
            self._log.see(rows)
        if self._workers is None:
            self._tables.see(rows)
            return
        theirs, upto = self._workers.tables, self._workers.upto
        self._tables.see([row for row in rows if row[0] not in theirs])
        self._rest += [row for row in rows if row[2] > upto and row[0] in theirs]

    def _drained(self) -> Iterator[AuditFinding]:
        found, self._tables.found = self._tables.found, []
        self._findings += len(found)
        yield from found


def _of_journal(finding: Finding) -> AuditFinding:
    """What the journal's own proof found, as a finding of the audit."""
    return AuditFinding(finding.code, finding.sentence, finding.table, None, finding.seq)
