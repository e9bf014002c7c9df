"""Endpoints: who is let in, how a request is checked before its handler runs, and how every failure is answered."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from msgspec.structs import replace

from taisai.core.faults import InputFault
from taisai.journal import JournalError
from taisai.table.people import Role
from taisai.web.app import ENDPOINTS
from taisai.web.security import Rates
from tests.web.asking import JSON, one_shape
from tests.web.doors import ALL, BODIES, DOORS, MAY, PATHS, QUERIES, staffed
from tests.web.serving import PASSWORD, POSTS, ROOMY, on_a_loop, open_house, settings_for


def test_every_endpoint_has_its_line() -> None:
    """A new endpoint fails here until somebody has written down who may call it."""
    assert {f"{each.method} {each.path}" for each in ENDPOINTS} == set(MAY)


@on_a_loop
async def test_who_may_call_what() -> None:
    """Every endpoint called as everybody: those who may are let in, all others get an error that says why."""
    wrong: list[str] = []
    async with staffed() as (running, people), httpx.AsyncClient(base_url=running.address) as http:
        for name, allowed in MAY.items():
            for who in sorted(ALL):
                method, _, path = name.partition(" ")
                session = people[who]
                if session is not None and path in ("/api/sign-out", "/api/lock"):
                    if session.me.player:
                        session = await running.seat(f"x-{who}", session.me.tables[0])
                    else:
                        session = await running.client.sign_in(who, PASSWORD, session.me.post)
                answer = await http.request(
                    method,
                    path.format(**PATHS),
                    headers={} if session is None else {"authorization": f"Bearer {session.token}"},
                    json=BODIES.get(name),
                    params=QUERIES.get(name),
                )
                code = one_shape(answer)["code"] if answer.status_code >= 400 else ""
                assert answer.status_code < 500, (name, who, answer.text)
                refused = code in DOORS and answer.status_code in (401, 403)
                if refused is (who in allowed):
                    wrong.append(f"{name} as {who}: {answer.status_code} {code}")
    assert wrong == []


def test_the_posts_are_those_of_the_table() -> None:
    """The people in the table of doors hold the posts that it speaks of."""
    assert {POSTS[login] for login in ("dan", "sue", "ada")} == {Role.DEALER, Role.SUPERVISOR, Role.AUDITOR}


@on_a_loop
async def test_requests_are_rated_and_bounded() -> None:
    """A body that is too large and requests that come too fast are refused, each with its status."""
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        answer = await http.post("/api/settle", content=b"[" + b" " * 70_000, headers=JSON)
        assert (answer.status_code, one_shape(answer)["code"]) == (413, "too-large")
        running.context.rates = Rates(1, 5)
        answers = [await http.get("/healthz") for _ in range(10)]
        assert [answer.status_code for answer in answers[:5]] == [200] * 5
        assert answers[-1].status_code == 429
        assert one_shape(answers[-1])["code"] == "too-fast"
        assert answers[-1].headers["retry-after"] == "1"


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (InputFault("dice", "three numbers"), 400, "bad-message"),
        (JournalError("no disk"), 503, "not-recorded"),
        (ZeroDivisionError("a bug"), 500, "broken"),
        (None, 503, "try-again"),
    ],
    ids=["a fault of input", "the journal fails", "a bug", "it takes too long"],
)
@on_a_loop
async def test_a_handler_that_fails_is_answered(failure: Exception | None, status: int, code: str) -> None:
    """Whatever goes wrong inside a handler becomes an error with the request's id, and no bug shows its message."""
    async with open_house() as running:
        context = running.context
        await running.hire("ada")

        async def verify() -> list[str]:
            if failure is not None:
                raise failure
            return await asyncio.Event().wait()  # type: ignore[return-value]  # it never returns

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(context, "verify", verify)
            if failure is None:
                patched.setattr(
                    context, "settings", replace(context.settings, limits=replace(ROOMY, request_timeout_s=0))
                )
            token = {"authorization": f"Bearer {running.crew['ada'].token}"}
            async with httpx.AsyncClient(base_url=running.address) as http:
                answer = await http.post("/api/house/verify", headers=token)
        error = one_shape(answer)
        assert (answer.status_code, error["code"]) == (status, code)
        assert error["request"] == answer.headers["x-request-id"]
        assert "a bug" not in answer.text


@on_a_loop
async def test_a_body_that_does_not_come_has_a_deadline() -> None:
    """A sender who announces a body and sends none is answered when the time of a request is over."""
    limits = replace(ROOMY, request_timeout_s=1)
    async with open_house(settings_for(limits=limits)) as running:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(running.address.rpartition(":")[2]))
        writer.write(
            b"POST /api/settle HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
        )
        assert b" 503 " in await reader.readline()
        writer.close()
