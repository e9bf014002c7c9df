"""The OpenAPI document and the house agree: requests that fit it, and many that do not, are answered as it says."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, Verbosity, given
from hypothesis import settings as hypothesis_settings
from schemathesis import checks
from schemathesis.core.result import Ok

from taisai.house.sessions import Admission
from taisai.table.people import Role
from taisai.view.public import PublicView
from taisai.web.app import ENDPOINTS
from tests.web.doors import MAY, PATHS
from tests.web.serving import Running, open_house

EXAMPLES = 25
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
NAMES = [f"{each.method} {each.path}" for each in ENDPOINTS]


class Fuzzed:
    """A house on a thread of its own, and sessions to call it with."""

    def __init__(self, running: Running, loop: asyncio.AbstractEventLoop) -> None:
        self.running, self._loop = running, loop
        self.document: dict[str, Any] = httpx.get(f"{running.address}/openapi.json").json()
        self.schema = schemathesis.openapi.from_dict(self.document)
        self.operations: dict[str, Any] = {}
        for each in self.schema.get_all_operations():
            assert isinstance(each, Ok), each
            found = each.ok()
            self.operations[f"{found.method.upper()} {found.path}"] = found

    def token_for(self, name: str) -> str:
        """A new session of somebody who may call this endpoint."""
        return asyncio.run_coroutine_threadsafe(self._someone(MAY[name]), self._loop).result().token

    async def _someone(self, may: frozenset[str]) -> Admission:
        # Without signing in, since the requests tried here lock logins.
        sessions = self.running.context.sessions
        if "sue" in may:
            return await sessions.begin("sue", Role.SUPERVISOR, "*")
        if "admin" in may:
            return await sessions.begin("admin", None, ())
        return await sessions.begin_player("T1", "ann")


@pytest.fixture(scope="module")
def fuzzed() -> Iterator[Fuzzed]:
    """A house with an open table, served from another thread."""
    ready: Future[tuple[Running, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        over = asyncio.Event()
        loop = asyncio.get_running_loop()
        async with open_house() as running:
            await running.ready_table("T1")
            await running.seat("ann")
            ready.set_result((running, loop, over))
            await over.wait()

    def run() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(error)

    thread = threading.Thread(target=run)
    thread.start()
    running, loop, over = ready.result(timeout=60)
    try:
        yield Fuzzed(running, loop)
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()


@pytest.mark.parametrize("who", ["somebody", "nobody"])
@pytest.mark.parametrize("name", NAMES)
def test_answers_conform_to_the_document(fuzzed: Fuzzed, name: str, who: str) -> None:
    """No endpoint fails on any input, and every answer has the type that the document declares."""
    operation = fuzzed.operations[name]
    headers = {"authorization": f"Bearer {fuzzed.token_for(name)}"} if who == "somebody" else {}
    tried = 0

    @hypothesis_settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        verbosity=Verbosity.quiet,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def conforms(case: schemathesis.Case[Any]) -> None:
        nonlocal tried
        tried += 1
        if who == "somebody" and tried % 3:
            # Random names never match anything, so two requests in three use names that exist.
            case.path_parameters = {each: PATHS[each] for each in case.path_parameters or {}}
        response = case.call(base_url=fuzzed.running.address, headers=headers)
        case.validate_response(response, checks=CHECKS)

    conforms()
    assert tried


def test_the_document_is_whole(fuzzed: Fuzzed) -> None:
    """Every endpoint is in the document once, under a name of its own, and every reference resolves."""
    operations = [each for path in fuzzed.document["paths"].values() for each in path.values()]
    assert len(operations) == len(ENDPOINTS) == len({each["operationId"] for each in operations})
    assert fuzzed.document["openapi"] == "3.1.0"
    known = fuzzed.document["components"]["schemas"]
    references = set(_references(fuzzed.document))
    assert references
    assert {each.rpartition("/")[2] for each in references} <= set(known)
    assert fuzzed.document["x-websocket"]["path"] == "/play/{table}"


def test_views_and_messages_are_in_the_document(fuzzed: Fuzzed) -> None:
    """Messages and answers refer to the schemas of the views, and an announcement to the events that are public."""
    known = fuzzed.document["components"]["schemas"]
    view = {"$ref": "#/components/schemas/PublicView"}
    assert known["Snapshot"]["properties"]["view"] == known["TableNow"]["properties"]["view"] == view
    assert known["SeatUpdate"]["properties"]["seat"] == {"$ref": "#/components/schemas/SeatView"}
    assert known["CrewUpdate"]["properties"]["crew"] == {"$ref": "#/components/schemas/CrewView"}
    assert set(known["PublicView"]["required"]) == set(PublicView.__struct_fields__) - {"set_up", "room"}
    announced = known["Change"]["properties"]["told"]["items"]["properties"]["event"]["enum"]
    assert "dice-uncovered" in announced
    assert "bought-in" not in announced
    assert [name for name in known if not name.isalnum()] == []


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "$ref":
                yield inner
            else:
                yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def test_the_house_still_takes_bets(fuzzed: Fuzzed) -> None:
    """After all of these requests no table is broken and the house takes bets."""
    health = httpx.get(f"{fuzzed.running.address}/readyz").json()
    assert (health["ok"], health["broken"]) == (True, [])
