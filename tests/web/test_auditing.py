"""Audits of the live journal: one at a time, beside the play, with their findings."""

from __future__ import annotations

import asyncio

import pytest

from taisai.audit.run import Audit
from taisai.protocol.answers import AuditRun
from tests.web.serving import Running, on_a_loop, open_house


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
