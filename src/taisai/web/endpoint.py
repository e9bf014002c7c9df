"""Endpoints: one declaration that is served, checked and published.

Enters: a request. Leaves: JSON of the type that the endpoint declares, or an error. An `Endpoint` declares who may call
it, its query, its body and its answer; `/openapi.json` is generated from the same values.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from inspect import iscoroutinefunction
from secrets import token_hex
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from taisai.core.faults import InputFault
from taisai.floor.answers import HouseCode
from taisai.house.sessions import Session
from taisai.journal import JournalError
from taisai.table.people import SUPERVISORS, Role
from taisai.table.refusals import Refusal
from taisai.web.errors import (
    SESSION_LOCKED,
    SIGN_IN_FIRST,
    TOO_FAST,
    UNREADABLE,
    Stop,
    bad_message,
    error_response,
    no_such_table,
    not_at_table,
)
from taisai.web.guard.work import Made, Queue, made_of
from taisai.web.security import SAFE_METHODS, bearer, forged, from_elsewhere, not_json

if TYPE_CHECKING:
    from taisai.web.context import Context

LOGGER = logging.getLogger("taisai.web")
PROBES: Final = frozenset({"/healthz", "/readyz", "/metrics"})
"""What machines ask every few seconds: an answer that is all right is logged at debug level."""
OVERSEERS: Final = SUPERVISORS | {Role.AUDITOR}
SHORT: Final = 5
"""Work up to this cost never waits behind longer work."""
PATH_MAX: Final = 200
"""Characters of an address that are logged: a request may bring 64 kB."""


class Who(StrEnum):
    """Who may call an endpoint."""

    ANYONE = "anyone"
    SIGNED_IN = "anyone signed in"
    PLAYER = "a player"
    CREW = "crew of the table"
    SUPERVISOR = "supervisors and above"
    OVERSEER = "supervisors, auditors and administrators"
    STAFF = "any staff, auditors and administrators included"
    ADMINISTRATOR = "administrators"


@dataclass(slots=True)
class Call:
    """One request, checked and decoded."""

    context: Context
    request: Request
    id: str
    where: str
    """The client's address."""
    session: Session | None
    path: dict[str, str]
    query: Any
    body: Any
    cookies: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Set by handlers that begin or end a session: token and lifetime in seconds by name; an empty token ends it."""

    def queue(self, *, is_long: bool) -> Queue | None:
        """Where the caller's work waits; None for what staff ask for that is short, which does not."""
        if self.session is None:
            return Queue.LONG if is_long else Queue.SHORT
        if self.session.is_player:
            return Queue.PLAYERS
        return Queue.STAFF if is_long else None

    @property
    def mine(self) -> Session:
        """The session of the caller, on endpoints that require one."""
        if self.session is None:
            raise Stop(SIGN_IN_FIRST)
        return self.session


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What is served at a path, for a method."""

    method: str
    path: str
    handler: Callable[[Call], Any]
    """A coroutine runs on the event loop and takes less than a millisecond of it; a plain function runs in a thread."""
    summary: str
    answer: Any
    tag: str
    who: Who = Who.ANYONE
    body: Any = None
    query: Any = None
    while_locked: bool = False
    """Whether a locked session may call it: to unlock, to sign out, to see whose it is."""
    media: str = "application/json"
    also: tuple[str, ...] = ()
    """Other media types in which the answer can be requested."""
    cost: int = 1
    """What a request takes of its address's allowance: about one for each millisecond of work."""
    raw: bool = False
    """Whether ids of persons stay in the answer: where it says which is whose, or proves a record byte for byte."""
    derived: bool = False
    """Whether the answer follows from the rule books, the path and the query alone: it is made once and kept."""
    made_for: Callable[[Call], tuple[Call, str]] | None = None
    """For a derived answer: the call that it is made for, spelled in one way, and the caller's own words, which are put
    in afterwards. Free text makes nothing anew, and whatever means the same is the same call."""

    async def serve(self, context: Context, request: Request) -> Response:
        """Answer a request."""
        started = perf_counter()
        request_id = token_hex(8)
        where = context.addresses.client_of(request.client.host if request.client else "", request.headers)
        status, who = 500, ""
        path = request.url.path[:PATH_MAX]
        try:
            async with asyncio.timeout(context.settings.limits.request_timeout_s):
                call = await self._call_of(context, request, request_id, where)
            who = call.session.who if call.session else ""
            async with asyncio.timeout(context.settings.limits.request_timeout_s):
                response = await self._answer(call)
        except Stop as stop:
            response = error_response(stop.refusal, request_id, stop.headers)
            _show_names(response, context.persons.named(bytes(response.body)))
        except InputFault as fault:
            response = error_response(bad_message(fault), request_id)
        except TimeoutError:
            response = error_response(Refusal(HouseCode.TRY_AGAIN, "This took too long: try again."), request_id)
        except ClientDisconnect:
            response = Response(status_code=499)
        except JournalError as error:
            LOGGER.warning("the journal failed: %s", error, extra={"request": request_id})
            response = error_response(Refusal(HouseCode.NOT_RECORDED, str(error)), request_id)
        except Exception:
            LOGGER.exception("a request failed", extra={"request": request_id, "path": path})
            sentence = "The program failed on this request, and has logged why."
            response = error_response(Refusal(HouseCode.BROKEN, sentence), request_id)
        status = response.status_code
        seconds = perf_counter() - started
        context.counts.request(self.path, status, seconds)
        LOGGER.log(
            logging.DEBUG if self.path in PROBES and status < 400 else logging.INFO,
            "%s %s %d",
            request.method,
            path,
            status,
            extra={
                "request": request_id,
                "ms": round(seconds * 1000, 2),
                "who": who,
                "where": where,
                "table": request.path_params.get("table", ""),
            },
        )
        response.headers["x-request-id"] = request_id
        return response

    async def _answer(self, call: Call) -> Response:
        """The answer: kept, made on the loop, or made in a thread, where each kind of caller has its own."""
        work = call.context.work
        if self.derived:
            meant, words = (call, "") if self.made_for is None else self.made_for(call)
            key = (self.path, *meant.path.values(), meant.query)
            made = work.kept(key)
            if made is None:
                self._charge(call.context, call.where)
                made = await work.make(key, lambda: self._derive(meant))
            return made.with_words(words).answer(call.request)
        if iscoroutinefunction(self.handler):
            response = self._response(await self.handler(call), call)
            if not self.raw:
                _show_names(response, call.context.persons.named(bytes(response.body)))
            return response
        queue = call.queue(is_long=self.cost > SHORT)
        return await (
            asyncio.to_thread(self._made, call) if queue is None else work.run(lambda: self._made(call), queue)
        )

    def _derive(self, call: Call) -> Made:
        answer = self.handler(call)
        return answer if isinstance(answer, Made) else made_of(self._response(answer, call))

    def _made(self, call: Call) -> Response:
        response = self._response(self.handler(call), call)
        if not self.raw:
            _show_names(response, call.context.persons.named(bytes(response.body), look_up=True))
        return response

    def _charge(self, context: Context, where: str) -> None:
        """Take what the work costs, beyond the one token of every request."""
        if self.cost > 1 and not context.rates.take(context.addresses.group_of(where), self.cost - 1):
            raise Stop(TOO_FAST, {"retry-after": "1"})

    def _response(self, answer: Any, call: Call) -> Response:
        if isinstance(answer, Response):
            response = answer
        else:
            response = Response(msgspec.json.encode(answer), media_type="application/json")
            response.headers["cache-control"] = "no-store"
        for name, (token, seconds) in call.cookies.items():
            response.set_cookie(
                name,
                token,
                max_age=seconds,
                httponly=True,
                samesite="strict",
                secure=call.context.is_secure,
                path="/",
            )
        return response

    # ------------------------------------------------------------------ checks

    async def _call_of(self, context: Context, request: Request, request_id: str, where: str) -> Call:
        if not context.rates.take(context.addresses.group_of(where)):
            raise Stop(TOO_FAST, {"retry-after": "1"})
        session = await self._session(context, request, where)
        query = _typed_query(self.query, request) if self.query is not None else None
        path = {name: str(value) for name, value in request.path_params.items()}
        table = path.get("table")
        if table is not None and table not in context.floor.tables:
            raise Stop(no_such_table(table))
        self._let_in(session, table)
        if not self.derived:
            self._charge(context, where)
        body = None
        if self.body is not None:
            wrong = not_json(request.headers)
            if wrong is not None:
                raise Stop(wrong)
            body = _typed_body(self.body, await _read(request, context.settings.limits.body_bytes))
        return Call(context, request, request_id, where, session, path, query, body)

    async def _session(self, context: Context, request: Request, where: str) -> Session | None:
        token, method = bearer(request.headers), request.method
        session = await context.session_of(token, where)
        if token is None:
            refusal = from_elsewhere(method, request.headers, context.settings.listen.allowed_origins)
            if refusal is None:
                table = request.path_params.get("table") or request.query_params.get("table", "")
                session = await context.session_in(request.cookies, table, where)
                refusal = None if session is None else forged(method, request.headers, session.csrf)
            if refusal is not None:
                raise Stop(refusal)
        if session is not None and session.locked and not self.while_locked and self.who is not Who.ANYONE:
            raise Stop(SESSION_LOCKED)
        if session is not None and not session.is_player and method not in SAFE_METHODS:
            # Screens read by themselves, at night too: only what a person does keeps a session awake (R15).
            context.sessions.touch(session.key)
        return session

    def _let_in(self, session: Session | None, table: str | None) -> None:
        if self.who is Who.ANYONE:
            return
        if session is None:
            raise Stop(SIGN_IN_FIRST)
        allowed = {
            Who.SIGNED_IN: True,
            Who.PLAYER: session.is_player,
            Who.CREW: session.is_crew,
            Who.SUPERVISOR: session.role in SUPERVISORS,
            Who.OVERSEER: session.role in OVERSEERS or session.is_administrator,
            Who.STAFF: not session.is_player,
            Who.ADMINISTRATOR: session.is_administrator,
        }[self.who]
        if not allowed:
            raise Stop(Refusal(HouseCode.NOT_ALLOWED, f"This is for {self.who}.", ("R37",)))
        if table is not None and self.who in (Who.PLAYER, Who.CREW, Who.SUPERVISOR) and not session.reaches(table):
            raise Stop(not_at_table(table))


def _show_names(response: Response, body: bytes) -> None:
    """Put a body with names in the place of one with ids."""
    if body != response.body:
        response.body = body
        response.headers["content-length"] = str(len(body))


async def _read(request: Request, most: int) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise Stop(Refusal(HouseCode.TOO_LARGE, f"A body has at most {most} bytes."))
        parts.append(part)
    return b"".join(parts)


def _typed_body(kind: Any, raw: bytes) -> Any:
    try:
        return msgspec.json.decode(raw, type=kind)
    except UNREADABLE as error:
        raise Stop(bad_message(error)) from error


def _typed_query(kind: Any, request: Request) -> Any:
    try:
        return msgspec.convert(dict(request.query_params), kind, strict=False)
    except msgspec.ValidationError as error:
        raise Stop(bad_message(error)) from error
