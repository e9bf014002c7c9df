"""API: the pit. Alerts, which stay until somebody clears them, and the audit of the live journal."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from taisai.floor.alerts import Alert
from taisai.floor.answers import HouseCode
from taisai.protocol.answers import AuditRun, ProvenCard
from taisai.table.refusals import Refusal
from taisai.web.endpoint import Call, Endpoint, Who
from taisai.web.errors import Stop


class AlertsQuery(Struct, frozen=True):
    """Which alerts."""

    cleared: bool = False
    """Also those that have been cleared."""


async def list_alerts(call: Call) -> list[Alert]:
    """Alerts of the tables that the session reaches, newest first."""
    await call.context.alerts.refresh()
    return [each for each in call.context.alerts.shown(cleared=call.query.cleared) if _reaches(call, each)]


def _reaches(call: Call, alert: Alert) -> bool:
    """Alerts of the whole house concern everybody who may read alerts."""
    return not alert.table or call.mine.reaches(alert.table)


class ClearBody(Struct, frozen=True, forbid_unknown_fields=True):
    """What was done about it."""

    note: Annotated[str, Meta(max_length=500)] = ""


async def clear_alert(call: Call) -> Alert:
    """Clear an alert; who cleared it and when is recorded."""
    alerts = call.context.alerts
    found = alerts.find(call.path["alert"])
    if found is None or not _reaches(call, found):
        raise Stop(Refusal(HouseCode.NOT_FOUND, "There is no such alert.", field="alert"))
    return await alerts.clear(found, by=call.mine.actor, note=call.body.note)


# ------------------------------------------------------------------ the audit


async def begin_audit(call: Call) -> AuditRun:
    """Verify the journal and replay everything in it, while the tables run; one audit runs at a time."""
    _check_whole_house(call)
    return call.context.auditor.begin(call.context, call.mine.who)


async def get_audit(call: Call) -> AuditRun:
    """The progress of the audit, and its findings."""
    _check_whole_house(call)
    return call.context.auditor.now


async def get_proven(call: Call) -> ProvenCard:
    """How far the audit beside the tables has come, when it last came to the end, and how many findings there are."""
    return replace(call.context.watching.card, now=call.context.clock.now())


def _check_whole_house(call: Call) -> None:
    """An audit is about every table, and so are its findings."""
    if not (call.mine.is_administrator or call.mine.tables == "*"):
        sentence = "The audit is about every table of the house: it is for those who reach all of them."
        raise Stop(Refusal(HouseCode.NOT_ALLOWED, sentence, ("R37",)))


_TAG: Final = "pit"
PIT_ENDPOINTS: Final = (
    Endpoint("GET", "/api/alerts", list_alerts, "Alerts", list[Alert], _TAG, who=Who.SUPERVISOR, query=AlertsQuery),
    Endpoint(
        "POST", "/api/alerts/{alert}", clear_alert, "Clear an alert", Alert, _TAG, who=Who.SUPERVISOR, body=ClearBody
    ),
    Endpoint("GET", "/api/house/audit", get_audit, "The progress of the audit", AuditRun, _TAG, who=Who.OVERSEER),
    Endpoint("GET", "/api/house/proven", get_proven, "How far it is proven", ProvenCard, _TAG, who=Who.OVERSEER),
    Endpoint("POST", "/api/house/audit", begin_audit, "Audit the journal", AuditRun, _TAG, who=Who.OVERSEER),
)  # fmt: skip
