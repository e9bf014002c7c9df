"""An audit of the live journal while the tables run.

Enters: the context whose journal is audited. Leaves: the progress of the audit and its findings, which are those of
`taisai audit` for a file. Audits run in a thread, one at a time; records written meanwhile are left to the next audit.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Final

from taisai.audit.run import Audit
from taisai.core.faults import InputFault
from taisai.core.rulebook import RuleBook
from taisai.protocol.answers import AuditRun, FindingEntry

if TYPE_CHECKING:
    from taisai.web.context import Context

FINDINGS_SHOWN: Final = 500
"""Findings returned at most."""


class Auditor:
    """Runs one audit at a time over the live journal."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = AuditRun("none")

    @property
    def now(self) -> AuditRun:
        """The current audit, or the last one."""
        return self._now

    def begin(self, context: Context, who: str) -> AuditRun:
        """Start an audit, unless one is running."""
        with self._lock:
            if self._now.state == "running":
                return self._now
            self._now = AuditRun("running", who, context.clock.now())
        context.floor.background(asyncio.to_thread(self._work, context))
        return self._now

    def _work(self, context: Context) -> None:
        run = self._now
        seen = [0, 0]

        def progress(done: int, total: int) -> None:
            seen[:] = [done, total]
            self._now = AuditRun("running", run.by, run.started_at, None, done, total, tuple(found[:FINDINGS_SHOWN]))

        def book_of(name: str) -> RuleBook | None:
            try:
                return context.shelf.book(name)
            except InputFault:
                return None

        found: list[FindingEntry] = []
        state, fault = "done", ""
        audit = Audit(book_of, progress)
        try:
            found.extend(
                FindingEntry(**finding._asdict(), told=str(finding))
                for finding in audit.findings(context.floor.writer.journal)
            )
        except Exception as error:  # whatever stops an audit is reported as its fault
            state, fault = "failed", str(error)
        ended = context.clock.now()
        total = max(seen[1], audit.records)
        self._now = AuditRun(
            state, run.by, run.started_at, ended, audit.records, total, tuple(found[:FINDINGS_SHOWN]), fault
        )  # fmt: skip
