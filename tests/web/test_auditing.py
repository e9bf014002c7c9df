"""Audits of the live journal: one at a time, beside the play, with their findings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from taisai.audit.run import Audit
from taisai.audit.watch import Look
from taisai.protocol.answers import AuditRun
from tests.web.api.test_pit import ask
from tests.web.serving import Running, on_a_loop, open_house, settings_for, sqlite_url


async def ended(running: Running) -> AuditRun:
    """The audit, when it has ended."""
    auditor = running.context.auditor
    while auditor.now.state == "running":
        await asyncio.sleep(0)
    return auditor.now


@on_a_loop
async def test_a_whole_journal_has_no_finding() -> None:
    """The audit goes over every record and says who began it; a second begin meanwhile is the same audit."""
    async with open_house() as running:
        await running.ready_table("T1")
        context = running.context
        assert context.auditor.now == AuditRun("none")
        first = context.auditor.begin(context, "ada")
        assert context.auditor.begin(context, "sue").started_at == first.started_at
        run = await ended(running)
        assert (run.state, run.by, run.findings, run.fault) == ("done", "ada", (), "")
        assert run.records == run.total > 10
        assert run.ended_at is not None


@on_a_loop
async def test_an_audit_that_cannot_go_on_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal that cannot be read ends the audit as failed, with the reason; the next one may be begun."""

    def broken(_audit: Audit, _journal: object) -> None:
        raise OSError("the disk is away")

    async with open_house() as running:
        context = running.context
        with monkeypatch.context() as patched:
            patched.setattr(Audit, "findings", broken)
            context.auditor.begin(context, "ada")
            run = await ended(running)
        assert (run.state, run.fault) == ("failed", "the disk is away")
        context.auditor.begin(context, "ada")
        assert (await ended(running)).state == "done"


@pytest.mark.parametrize("store", ["memory", "sqlite"])
@on_a_loop
async def test_the_floor_audits_itself_while_it_runs(store: str, tmp_path: Path) -> None:
    """In a thread for a journal in memory, else in a process of its own: proven to the end, again and again."""
    url = "memory:" if store == "memory" else sqlite_url(tmp_path)
    async with open_house(settings_for(url)) as running:
        await running.ready_table("T1")
        watching = running.context.watching
        assert watching.card.state == "off"
        watching.start(url, 0.01)
        assert watching.card.state == "starting"
        await until(lambda: watching.card.state == "running")
        first = watching.card.position
        assert first > 0
        await running.seat("ann")
        await until(lambda: watching.card.position > first)
        found = await ask(running.crew["sue"], "GET", "/api/house/proven")
        assert (found["state"], found["findings"], found["fault"]) == ("running", 0, "")
        assert found["now"] >= found["proven_at"] > 0
        await watching.stop()


@on_a_loop
async def test_what_the_watch_finds_is_an_alert() -> None:
    """A finding stands in the pit until somebody clears it, counts, and makes the line a fault; a fault is kept too."""
    async with open_house() as running:
        watching = running.context.watching
        watching.hear(Look(position=5, done=5, total=5, findings=("T1, record 3: altered",), not_checked={"x": 2}))
        assert (watching.card.findings, watching.card.not_checked) == (1, {"x": 2})
        alerts = [each.what for each in running.context.alerts.shown() if each.kind == "audit-finding"]
        assert alerts == ["T1, record 3: altered"]
        proven_at = watching.card.proven_at
        watching.hear(Look(position=5, done=7, total=900))
        assert (watching.card.state, watching.card.proven_at) == ("catching-up", proven_at)
        watching.hear(Look(position=5, done=5, total=5, fault="the database is away"))
        assert (watching.card.state, watching.card.proven_at) == ("failed", proven_at)


async def until(so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(60):
        while not so():
            await asyncio.sleep(0.01)
