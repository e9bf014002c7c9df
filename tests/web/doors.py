"""Who may call which endpoint, written down a second time, so that a door left open shows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from taisai.client import Session
from taisai.table.people import Role
from tests.web.serving import PASSWORD, Running, open_house

ALL = frozenset({"nobody", "ann", "eve", "dan", "dot", "sue", "ada", "admin"})

"""ann sits at T1 and eve at T2; dan, sue and ada reach every table, dot deals at T2 alone."""
SIGNED_IN = ALL - {"nobody"}

STAFF = frozenset({"dan", "dot", "sue", "ada", "admin"})

OVERSEERS = frozenset({"sue", "ada", "admin"})


MAY: dict[str, frozenset[str]] = {
    "GET /api/books": ALL,
    "GET /api/books/{book}": ALL,
    "GET /api/books/{book}/clauses/{clause}": ALL,
    "GET /api/books/{book}/conformance": ALL,
    "GET /api/books/{book}/layouts/{layout}": ALL,
    "GET /api/books/{book}/layouts/{layout}/felt.svg": ALL,
    "POST /api/books/{book}/layouts/{layout}/odds": ALL,
    "GET /api/compare": ALL,
    "POST /api/settle": ALL,
    "POST /api/training/drill": ALL,
    "POST /api/training/mark": ALL,
    "GET /api/floor": ALL,
    "GET /api/tables/{table}": ALL,
    "GET /api/tables/{table}/join.svg": ALL,
    "GET /api/tables/{table}/felt.svg": ALL,
    "GET /api/tables/{table}/rounds": ALL,
    "GET /api/me/rounds": frozenset({"ann", "eve"}),
    "POST /api/tables/{table}/commands": frozenset({"ann", "dan", "sue", "ada"}),
    "POST /api/tables": frozenset({"sue"}),
    "GET /api/tables/{table}/crew": frozenset({"dan", "sue"}),
    "GET /api/pit": frozenset({"sue"}),
    "GET /api/tables/{table}/rounds/{number}": frozenset({"dan", "sue", "ada", "admin"}),
    "GET /api/tables/{table}/rounds/{number}/file": frozenset({"dan", "sue", "ada", "admin"}),
    "POST /api/tables/{table}/requests": frozenset({"dan", "sue"}),
    "GET /api/tables/{table}/requests/{request}": frozenset({"dan", "sue"}),
    "POST /api/tables/{table}/requests/{request}/withdraw": frozenset({"dan", "sue"}),
    "POST /api/tables/{table}/preview": frozenset({"dan", "sue"}),
    "GET /api/requests": frozenset({"sue"}),
    "POST /api/requests/{request}": frozenset({"sue"}),
    "GET /api/tables/{table}/journal": frozenset({"dan", "sue", "ada", "admin"}),
    "POST /api/sign-in": ALL,
    "POST /api/sign-out": SIGNED_IN,
    "GET /api/me": SIGNED_IN,
    "GET /api/visitor": ALL,
    "POST /api/unlock": STAFF,
    "POST /api/lock": STAFF,
    "POST /api/me/awake": STAFF,
    "POST /api/one-time": ALL,
    "POST /api/me/password": STAFF,
    "POST /api/seat": ALL,
    "POST /api/me/chips": frozenset({"ann", "eve"}),
    "POST /api/tables/{table}/seat-codes": frozenset({"dan", "sue"}),
    "GET /api/persons": frozenset({"admin"}),
    "POST /api/persons/{person}/erase": frozenset({"admin"}),
    "GET /api/staff/names": STAFF,
    "GET /api/staff": frozenset({"admin"}),
    "POST /api/staff": frozenset({"admin"}),
    "PATCH /api/staff/{login}": frozenset({"admin"}),
    "POST /api/staff/{login}/disable": frozenset({"admin"}),
    "POST /api/staff/{login}/enable": frozenset({"admin"}),
    "POST /api/staff/{login}/unlock": frozenset({"admin"}),
    "POST /api/staff/{login}/link": frozenset({"admin"}),
    "GET /api/alerts": frozenset({"sue"}),
    "POST /api/alerts/{alert}": frozenset({"sue"}),
    "GET /api/house/audit": OVERSEERS,
    "POST /api/house/audit": OVERSEERS,
    "GET /api/house/proven": OVERSEERS,
    "GET /healthz": ALL,
    "GET /readyz": ALL,
    "GET /metrics": ALL,
    "GET /api/report": OVERSEERS,
    "GET /api/house/events": OVERSEERS,
    "GET /api/house/settings": frozenset({"admin"}),
    "POST /api/house/verify": STAFF,
    "POST /api/house/disable": frozenset({"sue", "admin"}),
    "POST /api/house/enable": frozenset({"sue", "admin"}),
    "GET /api/log": ALL,
    "GET /log/checkpoint": ALL,
    "GET /api/log/consistency": ALL,
    "POST /api/log/sign": STAFF,
    "GET /api/tables/{table}/receipts/{seq}": frozenset({"ann", "dan", "sue", "ada", "admin"}),
    "GET /api/me/proofs": frozenset({"ann", "eve"}),
}

"""Who is let in at each endpoint, for table T1."""

PATHS = {
    "book": "rws-tai-sai-v6",
    "layout": "A",
    "clause": "5.1",
    "table": "T1",
    "login": "zoe",
    "alert": "no-such-alert",
    "seq": "999999",
    "request": "no-such-request",
    "number": "1",
    "person": "p.abcdefghijkl",
}

BODIES: dict[str, Any] = {
    "POST /api/books/{book}/layouts/{layout}/odds": {"bets": "small=100"},
    "POST /api/settle": {"layout": "rws-tai-sai-v6/A", "dice": [1, 3, 6], "limits": None, "bets": []},
    "POST /api/training/drill": {"layout": "rws-tai-sai-v6/A", "level": 1, "seed": "matrix"},
    "POST /api/training/mark": {"layout": "rws-tai-sai-v6/A", "level": 1, "seed": "matrix", "answers": {}},
    "POST /api/tables/{table}/commands": {"id": "matrix", "do": {"do": "pay-next"}},
    "POST /api/sign-in": {"login": "nobody", "password": "nothing at all", "post": "dealer"},
    "POST /api/unlock": {"password": PASSWORD},
    "POST /api/one-time": {"token": "no-such-token", "password": PASSWORD},
    "POST /api/me/password": {"old": "not the old one", "new": "another horse 9"},
    "POST /api/seat": {"code": "ZZZZ-ZZZZ"},
    "POST /api/tables/{table}/seat-codes": {},
    "POST /api/staff": {"login": "new", "name": "New", "posts": [{"role": "owner"}]},
    "POST /api/persons/{person}/erase": {"reason": "asked for"},
    "PATCH /api/staff/{login}": {},
    "POST /api/staff/{login}/disable": {},
    "POST /api/staff/{login}/enable": {},
    "POST /api/alerts/{alert}": {},
    "POST /api/tables/{table}/requests": {"id": "matrix", "do": {"do": "pay-next"}},
    "POST /api/tables/{table}/preview": {"id": "matrix", "do": {"do": "pay-next"}},
    "POST /api/requests/{request}": {"approve": False},
    "POST /api/house/disable": {"what": "T1", "reason": "to try"},
    "POST /api/house/enable": {"what": "T2", "reason": "to try"},
}

QUERIES = {
    "GET /api/compare": {"one": "rws-tai-sai-v6/A", "two": "rws-tai-sai-v6/C"},
    "GET /api/persons": {"name": "ann"},
}

DOORS = {"not-signed-in", "not-allowed", "not-here", "not-yours-to-do", "locked"}

"""The codes with which a door is shut."""


@asynccontextmanager
async def staffed() -> AsyncIterator[tuple[Running, dict[str, Session | None]]]:
    """A house with two tables and everybody who appears here."""
    async with open_house() as running:
        await running.hire("dan", "sue", "ada")
        await running.ready_table("T1")
        await running.ready_table("T2")
        link = await running.crew["admin"].add_staff("dot", "Dot", {Role.DEALER: ("T2",)})
        await running.client.choose_password(link.token, PASSWORD)
        people: dict[str, Session | None] = {"nobody": None, **running.crew}
        people["dot"] = await running.client.sign_in("dot", PASSWORD, "dealer")
        people["ann"] = await running.seat("ann", "T1")
        people["eve"] = await running.seat("eve", "T2")
        assert set(people) == ALL
        yield running, people
