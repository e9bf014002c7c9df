"""API: the pit. Alerts that stay until somebody clears them; an audit of the live journal."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from taisai.floor.alerts import Alert
from taisai.floor.answers import HouseCode
from taisai.table.people import SUPERVISORS
from taisai.table.refusals import Refusal
from taisai.web.auditing import AuditRun
from taisai.web.endpoint import Call, Endpoint, Who
from taisai.web.errors import Stop


class AlertsQuery(Struct, frozen=True):
    """Which alerts."""

    cleared: bool = False
    """Also those that somebody cleared."""


async def list_alerts(call: Call) -> list[Alert]:
    """Alerts of the tables that the session reaches, newest first."""
    await call.context.alerts.refresh()
    return [each for each in call.context.alerts.shown(cleared=call.query.cleared) if call.mine.reaches(each.table)]


class ClearBody(Struct, frozen=True, forbid_unknown_fields=True):
    """What was done about it."""

    note: Annotated[str, Meta(max_length=500)] = ""


async def clear_alert(call: Call) -> Alert:
    """Say that an alert was seen to; who did and when is kept."""
    alerts = call.context.alerts
    found = alerts.find(call.path["alert"])
    if found is None or not call.mine.reaches(found.table):
        raise Stop(Refusal(HouseCode.NOT_FOUND, "There is no such alert.", field="alert"))
    return await alerts.clear(found, by=call.mine.who, note=call.body.note)


# ------------------------------------------------------------------ the audit


def _let_in(call: Call) -> None:
    mine = call.mine
    if mine.role is not None and mine.role not in SUPERVISORS and mine.post != "auditor":
        raise Stop(Refusal(HouseCode.NOT_ALLOWED, "Audits are for supervisors, auditors and administrators.", ("R37",)))


async def begin_audit(call: Call) -> AuditRun:
    """Verify the journal and replay everything in it, beside the play; one audit runs at a time."""
    _let_in(call)
    return call.context.auditor.begin(call.context, call.mine.who)


async def get_audit(call: Call) -> AuditRun:
    """How far the audit has come, and what it found."""
    _let_in(call)
    return call.context.auditor.now


_TAG: Final = "pit"
PIT_ENDPOINTS: Final = (
    Endpoint("GET", "/api/alerts", list_alerts, "Alerts", list[Alert], _TAG, who=Who.SUPERVISOR, query=AlertsQuery),
    Endpoint(
        "POST", "/api/alerts/{alert}", clear_alert, "Clear an alert", Alert, _TAG, who=Who.SUPERVISOR, body=ClearBody
    ),
    Endpoint("GET", "/api/house/audit", get_audit, "How the audit stands", AuditRun, _TAG, who=Who.STAFF),
    Endpoint("POST", "/api/house/audit", begin_audit, "Audit the journal", AuditRun, _TAG, who=Who.STAFF),
)  # fmt: skip
