"""API: the house. Health, metrics, reports, significant events, digests, settings, disabling tables."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from msgspec import Meta, Struct
from starlette.responses import Response

from taisai.audit.pages import STYLE_HASH, events_to_csv, to_csv, to_html
from taisai.audit.reports import ReportRequest, ReportRow, Span, make_report
from taisai.floor.answers import HouseCode
from taisai.journal import JournalError
from taisai.protocol.answers import (
    Disabled,
    Health,
    HouseEntry,
    ReportAnswer,
    ReportLine,
    SignificantEntry,
    Verified,
)
from taisai.protocol.messages import Json
from taisai.streams.house_events import HOUSE_KINDS, read_house
from taisai.streams.narration import is_significant, narrate
from taisai.table.people import SUPERVISORS
from taisai.table.refusals import Refusal
from taisai.version import __version__
from taisai.web.endpoint import Call, Endpoint, Who
from taisai.web.errors import Stop, no_such_table, not_at_table
from taisai.web.metrics import metrics_text

ALIVE_S: Final = 5.0
ALERTS_S: Final = 1.0
"""How long the metrics wait for the alerts that other nodes have raised."""


async def get_health(call: Call) -> Health:
    """Whether the program runs."""
    floor = call.context.floor
    broken = [name for name, table in floor.tables.items() if table.broken]
    return Health(True, __version__, len(floor.tables), broken, floor.writer.depth, call.context.degraded())


async def get_readiness(call: Call) -> Health:
    """Whether the house takes bets: it is open, and its journal takes writes."""
    context = call.context
    if not context.is_ready or context.floor.closing:
        raise Stop(Refusal(HouseCode.CLOSING, "The house is not open."))
    async with asyncio.timeout(ALIVE_S):
        others = await context.probe.check()
    nodes = context.floor.nodes
    if others and nodes is None:
        sentence = f"Other nodes serve this journal ({', '.join(others)}), and this one has no node.address."
        raise Stop(Refusal(HouseCode.CLOSING, sentence, allowed="set node.address and node.secret, and restart"))
    if nodes is not None and nodes.unmet:
        raise Stop(Refusal(HouseCode.CLOSING, f"This node is not ready: {'; '.join(nodes.unmet)}."))
    return await get_health(call)


async def get_metrics(call: Call) -> Response:
    """Metrics for Prometheus, for the addresses that the settings name."""
    if not call.context.addresses.may_measure(call.where):
        raise Stop(
            Refusal(HouseCode.NOT_ALLOWED, "This address may not read the metrics.", allowed="listen.metrics_from")
        )
    with suppress(JournalError, TimeoutError):  # without it, the alerts are those that this node knows
        async with asyncio.timeout(ALERTS_S):
            await call.context.alerts.refresh()
    alerts = call.context.alerts.shown()
    text = await asyncio.to_thread(metrics_text, call.context, alerts)
    return Response(text, media_type="text/plain; version=0.0.4")


class ReportQuery(Struct, frozen=True):
    """Which report, and in which format."""

    by: Span = Span.DAY
    table: Annotated[str, Meta(max_length=64)] = ""
    form: Annotated[str, Meta(pattern="^(json|csv|events|html)$")] = "json"


def get_report(call: Call) -> Response | ReportAnswer:
    """Meters, win and hold, voids and significant events, by day, month, year or life (R33)."""
    context, query = call.context, call.query
    zone = UTC if context.settings.house.zone == "UTC" else ZoneInfo(context.settings.house.zone)
    tables = _tables(call, query.table)
    asked = ReportRequest(query.by, datetime.now(zone), zone, tables, context.settings.house.large_win)
    made = make_report(context.floor.writer.journal, asked)
    if query.form == "csv":
        return Response(to_csv(made), media_type="text/csv")
    if query.form == "events":
        return Response(events_to_csv(made), media_type="text/csv")
    if query.form == "html":
        policy = f"default-src 'none'; style-src '{STYLE_HASH}'; frame-ancestors 'none'"
        return Response(to_html(made), media_type="text/html", headers={"content-security-policy": policy})
    return ReportAnswer(
        title=made.title,
        interval=made.interval,
        made_at=made.made_at,
        notice=made.notice,
        rows=tuple(_report_line(row) for row in made.rows),
        significant=tuple(SignificantEntry(**each._asdict()) for each in made.significant),
    )


def _tables(call: Call, table: str) -> frozenset[str]:
    """The tables of a report: those asked for, of those that the session reaches; empty for the whole house."""
    mine = call.mine.tables
    if call.mine.is_administrator or mine == "*":
        return frozenset({table} - {""})
    if table and table not in mine:
        raise Stop(not_at_table(table))
    return frozenset({table} if table else mine)


def _report_line(row: ReportRow) -> ReportLine:
    ratios = (row.hold, row.actual_return, row.theoretical_return)
    hold, actual, theoretical = (None if ratio is None else float(ratio) for ratio in ratios)
    lowest, highest = row.return_interval or (None, None)
    return ReportLine(
        **row._asdict(),
        hold=hold,
        actual=actual,
        theoretical=theoretical,
        lowest=lowest,
        highest=highest,
        outside=row.is_outside,
    )


class EventsQuery(Struct, frozen=True):
    """Which events."""

    after: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=1, le=1000)] = 200
    all: bool = False
    """Also those that are not significant."""


def list_house_events(call: Call) -> list[HouseEntry]:
    """What happened away from the tables: sign-ins, locks, staff, starts and stops (R30).

    Who has some tables only is shown what concerns those.
    """
    journal, query = call.context.floor.writer.journal, call.query
    mine = _tables(call, "")
    found = [
        HouseEntry(
            seq=seq,
            at=event.at,
            by=event.by,
            authorised_by=event.authorised_by,
            reason=event.reason,
            kind=HOUSE_KINDS[type(event.what)],
            told=narrate(event.what),
        )
        for seq, event in read_house(journal, query.after)
        if (query.all or is_significant(event.what)) and (not mine or getattr(event.what, "table", None) in mine)
    ]
    return found[-query.count :]


async def verify_digests(call: Call) -> Verified:
    """Verify program, rule books and settings now (R36)."""
    differences = await call.context.verify()
    now = call.context.manifest
    return Verified(now.version, now.program, now.settings, dict(now.books), differences)


class DisableBody(Struct, frozen=True, forbid_unknown_fields=True):
    """What to disable, and why."""

    what: Annotated[str, Meta(min_length=1, max_length=64, description="A table, or * for all of them.")]
    reason: Annotated[str, Meta(min_length=1, max_length=500)]


async def disable(call: Call) -> Disabled:
    """Disable a table, or all of them: no new round begins, and rounds in play are finished (R35)."""
    return await _switch(call, call.context.floor.disable)


async def enable(call: Call) -> Disabled:
    """Enable a table, or all of them, again: as a rank not below the one that disabled it."""
    return await _switch(call, call.context.floor.enable)


async def _switch(call: Call, change: Callable[..., Awaitable[Refusal | None]]) -> Disabled:
    _check_reach(call)
    refused = await change(call.body.what, by=call.mine.actor, rank=call.mine.post, reason=call.body.reason)
    if refused is not None:
        raise Stop(refused)
    return Disabled(sorted(call.context.floor.disabled))


def _check_reach(call: Call) -> None:
    what = call.body.what
    if what != "*" and what not in call.context.floor.tables:
        raise Stop(no_such_table(what, "what"))
    if not call.mine.is_administrator and not (call.mine.tables == "*" or what in call.mine.tables):
        raise Stop(not_at_table(what, "what"))
    if not call.mine.is_administrator and call.mine.role not in SUPERVISORS:
        raise Stop(Refusal(HouseCode.NOT_ALLOWED, "This is for supervisors and administrators.", ("R35",)))


async def get_settings(call: Call) -> Json:
    """The settings in force, with passwords left out."""
    return call.context.settings.shown()


_TAG: Final = "house"
HOUSE_ENDPOINTS: Final = (
    Endpoint("GET", "/healthz", get_health, "Whether the program runs", Health, _TAG),
    Endpoint("GET", "/readyz", get_readiness, "Whether the house takes bets", Health, _TAG),
    Endpoint("GET", "/metrics", get_metrics, "Metrics for Prometheus", str, _TAG, media="text/plain"),
    Endpoint(
        "GET", "/api/report", get_report, "Meters, win and hold", ReportAnswer, _TAG,
        who=Who.OVERSEER, query=ReportQuery, also=("text/csv", "text/html"), cost=20,
    ),
    Endpoint(
        "GET", "/api/house/events", list_house_events, "Significant events of the house", list[HouseEntry], _TAG,
        who=Who.OVERSEER, query=EventsQuery, cost=10,
    ),
    Endpoint("GET", "/api/house/settings", get_settings, "The settings in force", Json, _TAG, who=Who.ADMINISTRATOR),
    Endpoint(
        "POST", "/api/house/verify", verify_digests, "Verify by digest", Verified, _TAG, who=Who.STAFF, cost=200
    ),
    Endpoint("POST", "/api/house/disable", disable, "No new rounds", Disabled, _TAG, who=Who.STAFF, body=DisableBody),
    Endpoint("POST", "/api/house/enable", enable, "Rounds again", Disabled, _TAG, who=Who.STAFF, body=DisableBody),
)  # fmt: skip
