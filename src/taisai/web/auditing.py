"""Audits of the live journal while the tables run: one that somebody asks for, and one that never ends.

Enters: the context whose journal is audited. Leaves: the progress of the audit and its findings, which are those of
`taisai audit` for a file. Audits that somebody asks for run in a thread, one at a time; records written meanwhile are
left to the next audit.

The floor also audits itself: a process of its own (`taisai.audit.watch`) reads whatever is new every few seconds; for a
journal in memory, which no other process can read, a thread does. Its findings are alerts, and in the log; a watch that
ends is started again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec

from taisai.audit.run import Audit
from taisai.audit.watch import Asked, Look, Watcher, books_of
from taisai.core.faults import InputFault
from taisai.core.rulebook import RuleBook
from taisai.protocol.answers import AuditRun, FindingEntry, ProvenCard

if TYPE_CHECKING:
    from taisai.books import Shelf
    from taisai.floor.alerts import Alerts
    from taisai.floor.floor import Floor
    from taisai.web.context import Context

LOGGER = logging.getLogger("taisai.web")
FINDINGS_SHOWN: Final = 500
"""Findings returned at most."""


AGAIN_S: Final = 5.0
"""How long to wait before a watch that has ended is started again."""
STOP_S: Final = 5.0
ALERTED_MAX: Final = 20
"""Findings that become alerts; all are in the log."""
IN_MEMORY: Final = "memory:"

_look = msgspec.json.Decoder(Look).decode


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


# ------------------------------------------------------------------ beside the tables


class Watching:
    """Keeps the audit beside the tables going."""

    def __init__(self, floor: Floor, alerts: Alerts, shelf: Shelf, now: Callable[[], int]) -> None:
        self._floor, self._alerts, self._shelf, self._now = floor, alerts, shelf, now
        self._task: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self.card = ProvenCard(state="off")

    def start(self, journal: str, every_s: float) -> None:
        """Begin, unless it is switched off."""
        if not every_s:
            return
        self.card = ProvenCard(state="starting")
        books = {name: str(folder) for name, folder in self._shelf.folders.items()}
        asked = Asked(journal, books, every_s)
        work = self._in_thread(asked) if journal == IN_MEMORY else self._in_process(asked)
        self._task = asyncio.get_running_loop().create_task(work)

    async def stop(self) -> None:
        """End the watch, and wait for it."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def _in_thread(self, asked: Asked) -> None:
        loop = asyncio.get_running_loop()

        def tell(look: Look) -> None:
            loop.call_soon_threadsafe(self.hear, look)

        watcher = Watcher(books_of(asked.books), tell)
        while True:
            await asyncio.to_thread(watcher.look, self._floor.writer.journal)
            await asyncio.sleep(asked.every_s)

    async def _in_process(self, asked: Asked) -> None:
        while True:
            process = self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "taisai.audit.watch",
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=2**24,
            )  # fmt: skip
            try:
                await self._follow(process, asked)
            finally:
                await _ended(process)
            self.card = msgspec.structs.replace(self.card, state="failed", fault="the audit's process has ended")
            LOGGER.error("the audit beside the tables has ended with code %s: it is started again", process.returncode)
            await asyncio.sleep(AGAIN_S)

    async def _follow(self, process: asyncio.subprocess.Process, asked: Asked) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(msgspec.json.encode(asked) + b"\n")
        async for line in process.stdout:
            try:
                look = _look(line)
            except msgspec.MsgspecError:
                LOGGER.exception("the audit's process said what cannot be read")
                continue
            self.hear(look)

    def hear(self, look: Look) -> None:
        """Take down what a look has told."""
        known = self.card
        over = look.done >= look.total
        self.card = ProvenCard(
            state="failed" if look.fault else "running" if over else "catching-up",
            position=look.position,
            done=look.done,
            total=look.total,
            proven_at=self._now() if over and not look.fault else known.proven_at,
            findings=known.findings + len(look.findings),
            not_checked=look.not_checked,
            fault=look.fault,
        )
        for place, told in enumerate(look.findings):
            LOGGER.error("the audit has a finding: %s", told)
            if known.findings + place < ALERTED_MAX:
                self._alerts.raise_house_alert("audit-finding", told)


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Close the process's input, which ends it; one that does not listen is killed."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(STOP_S):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
