"""API: the pit. Alerts, which stay until somebody clears them, and the audit of the live journal."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from taisai.floor.alerts import Alert
from taisai.floor.answers import HouseCode
from taisai.protocol.answers import AuditRun
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
    return [each for each in call.context.alerts.shown(cleared=call.query.cleared) if call.mine.reaches(each.table)]


class ClearBody(Struct, frozen=True, forbid_unknown_fields=True):
    """What was done about it."""

    note: Annotated[str, Meta(max_length=500)] = ""


async def clear_alert(call: Call) -> Alert:
    """Clear an alert; who cleared it and when is recorded."""
    alerts = call.context.alerts
    found = alerts.find(call.path["alert"])
    if found is None or not call.mine.reaches(found.table):
        raise Stop(Refusal(HouseCode.NOT_FOUND, "There is no such alert.", field="alert"))
    return await alerts.clear(found, by=call.mine.who, note=call.body.note)


# ------------------------------------------------------------------ the audit


async def begin_audit(call: Call) -> AuditRun:
    """Verify the journal and replay everything in it, while the tables run; one audit runs at a time."""
    return call.context.auditor.begin(call.context, call.mine.who)


async def get_audit(call: Call) -> AuditRun:
    """The progress of the audit, and its findings."""
    return call.context.auditor.now


_TAG: Final = "pit"
PIT_ENDPOINTS: Final = (
    Endpoint("GET", "/api/alerts", list_alerts, "Alerts", list[Alert], _TAG, who=Who.SUPERVISOR, query=AlertsQuery),
    Endpoint(
        "POST", "/api/alerts/{alert}", clear_alert, "Clear an alert", Alert, _TAG, who=Who.SUPERVISOR, body=ClearBody
    ),
    Endpoint("GET", "/api/house/audit", get_audit, "The progress of the audit", AuditRun, _TAG, who=Who.OVERSEER),
    Endpoint("POST", "/api/house/audit", begin_audit, "Audit the journal", AuditRun, _TAG, who=Who.OVERSEER),
)  # fmt: skip
