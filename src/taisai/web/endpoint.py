"""Endpoints: one description that is served, checked and published.

Enters: a request. Leaves: JSON of the type that the endpoint names, or the one shape of error. Who may call, what the
query and the body are, and what comes back stand in the `Endpoint`; `/openapi.json` is made from the same values.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
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
from taisai.table.people import SUPERVISORS
from taisai.table.refusals import Code, Refusal
from taisai.web.security import COOKIE, bearer, forged
from taisai.web.socket.frames import field_of

if TYPE_CHECKING:
    from taisai.web.context import Context

LOGGER = logging.getLogger("taisai.web")

STATUS: Final[dict[str, int]] = {
    HouseCode.BAD_MESSAGE: 400,
    HouseCode.NOT_SIGNED_IN: 401,
    HouseCode.SIGN_IN_REFUSED: 401,
    HouseCode.LOCKED: 423,
    HouseCode.NOT_HERE: 403,
    HouseCode.NOT_ALLOWED: 403,
    HouseCode.BAD_ORIGIN: 403,
    HouseCode.BAD_TOKEN: 403,
    HouseCode.NO_SUCH_TABLE: 404,
    HouseCode.NOT_FOUND: 404,
    HouseCode.TOO_LARGE: 413,
    HouseCode.TOO_FAST: 429,
    HouseCode.TOO_MANY: 503,
    HouseCode.DISABLED: 503,
    HouseCode.CLOSING: 503,
    HouseCode.NOT_RECORDED: 503,
    HouseCode.TRY_AGAIN: 503,
    HouseCode.TABLE_BROKEN: 503,
    HouseCode.BROKEN: 500,
    **dict.fromkeys(Code, 409),
}
"""The status of each code; whatever the rules refuse is a conflict."""


class Who(StrEnum):
    """Who may call."""

    ANYONE = "anyone"
    SIGNED_IN = "anyone signed in"
    PLAYER = "a player"
    CREW = "crew of the table"
    SUPERVISOR = "supervisors and above"
    STAFF = "any staff, auditors and administrators included"
    ADMINISTRATOR = "administrators"


class Error(msgspec.Struct, frozen=True):
    """Why something was not done: the one shape of every error."""

    code: str
    sentence: str
    clauses: tuple[str, ...] = ()
    allowed: str = ""
    field: str = ""
    request: str = ""
    """Under this id the log has more."""


class Errors(msgspec.Struct, frozen=True):
    """The body of every answer that is an error."""

    error: Error


class Stop(Exception):
    """Ends a request with a refusal."""

    def __init__(self, refusal: Refusal, headers: dict[str, str] | None = None) -> None:
        super().__init__(refusal.sentence)
        self.refusal = refusal
        self.headers = headers or {}


@dataclass(slots=True)
class Call:
    """One request, understood."""

    context: Context
    request: Request
    id: str
    where: str
    """The client's address."""
    session: Session | None
    path: dict[str, str]
    query: Any
    body: Any
    cookie: tuple[str, int] | None = None
    """Set by handlers that begin or end a session: the token and its seconds; empty ends it."""

    @property
    def mine(self) -> Session:
        """The session; endpoints for people signed in have one."""
        if self.session is None:
            raise Stop(Refusal(HouseCode.NOT_SIGNED_IN, "Sign in or sit down first."))
        return self.session


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What is served at a path."""

    method: str
    path: str
    handler: Callable[[Call], Awaitable[Any]]
    summary: str
    answer: Any
    tag: str
    who: Who = Who.ANYONE
    body: Any = None
    query: Any = None
    while_locked: bool = False
    """A locked session may call it: to unlock, to sign out, to see who it is."""
    media: str = "application/json"
    also: tuple[str, ...] = ()
    """Other forms in which the answer may be asked for."""

    async def serve(self, context: Context, request: Request) -> Response:
        """Answer a request."""
        started = perf_counter()
        request_id = token_hex(8)
        where = context.address_of(request.client.host if request.client else "", request.headers)
        status, who = 500, ""
        # The token of a one-time link stands in the path: it does not belong into a log.
        path = self.path if "{token}" in self.path else request.url.path
        try:
            call = await self._understood(context, request, request_id, where)
            who = call.session.who if call.session else ""
            async with asyncio.timeout(context.settings.limits.request_timeout_s):
                answer = await self.handler(call)
            response = self._response(answer, context, call)
        except Stop as stop:
            response = error_response(stop.refusal, request_id, stop.headers)
        except InputFault as refusal:
            response = error_response(
                Refusal(HouseCode.BAD_MESSAGE, str(refusal), field=getattr(refusal, "field", "")), request_id
            )
        except TimeoutError:
            response = error_response(Refusal(HouseCode.TRY_AGAIN, "This took too long."), request_id)
        except ClientDisconnect:
            response = Response(status_code=499)
        except JournalError as error:
            LOGGER.warning("journal: %s", error, extra={"request": request_id})
            response = error_response(Refusal(HouseCode.NOT_RECORDED, str(error)), request_id)
        except Exception:
            LOGGER.exception("a request failed", extra={"request": request_id, "path": path})
            sentence = "Something is broken here; it has been logged."
            response = error_response(Refusal(HouseCode.BROKEN, sentence), request_id)
        status = response.status_code
        seconds = perf_counter() - started
        context.counts.request(self.path, status, seconds)
        LOGGER.info(
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

    def _response(self, answer: Any, context: Context, call: Call) -> Response:
        if isinstance(answer, Response):
            response = answer
        else:
            response = Response(msgspec.json.encode(answer), media_type="application/json")
            response.headers["cache-control"] = "no-store"
        if call.cookie is not None:
            token, seconds = call.cookie
            response.set_cookie(
                COOKIE, token, max_age=seconds, httponly=True, samesite="strict", secure=context.is_secure, path="/"
            )
        return response

    # ------------------------------------------------------------------ understanding

    async def _understood(self, context: Context, request: Request, request_id: str, where: str) -> Call:
        if not context.rates.take(where):
            raise Stop(Refusal(HouseCode.TOO_FAST, "Too many requests from this address."), {"retry-after": "1"})
        session = await self._session(context, request)
        query = _typed_query(self.query, request) if self.query is not None else None
        path = {name: str(value) for name, value in request.path_params.items()}
        table = path.get("table")
        if table is not None and table not in context.floor.tables:
            raise Stop(Refusal(HouseCode.NO_SUCH_TABLE, f"There is no table {table[:64]!r}.", field="table"))
        self._let_in(session, table)
        body = None
        if self.body is not None:
            body = _typed_body(self.body, await _read(request, context.settings.limits.body_bytes))
        return Call(context, request, request_id, where, session, path, query, body)

    async def _session(self, context: Context, request: Request) -> Session | None:
        token = bearer(request.headers)
        session = await context.session_of(token)
        if token is None:
            cookie = request.cookies.get(COOKIE)
            session = await context.session_of(cookie)
            if session is not None:
                refusal = forged(request.method, request.headers, session.csrf, context.settings.listen.allowed_origins)
                if refusal is not None:
                    raise Stop(refusal)
        if session is not None and session.locked and not self.while_locked and self.who is not Who.ANYONE:
            raise Stop(Refusal(HouseCode.LOCKED, "The session is locked: give the password to go on.", ("R15",)))
        if session is not None and not session.is_player:
            context.sessions.touch(session.key)
        return session

    def _let_in(self, session: Session | None, table: str | None) -> None:
        if self.who is Who.ANYONE:
            return
        if session is None:
            raise Stop(Refusal(HouseCode.NOT_SIGNED_IN, "Sign in or sit down first."))
        allowed = {
            Who.SIGNED_IN: True,
            Who.PLAYER: session.is_player,
            Who.CREW: session.is_crew,
            Who.SUPERVISOR: session.role in SUPERVISORS,
            Who.STAFF: not session.is_player,
            Who.ADMINISTRATOR: session.is_administrator,
        }[self.who]
        if not allowed:
            raise Stop(Refusal(HouseCode.NOT_ALLOWED, f"This is for {self.who}.", ("R37",)))
        if table is not None and self.who in (Who.PLAYER, Who.CREW, Who.SUPERVISOR) and not session.reaches(table):
            raise Stop(Refusal(HouseCode.NOT_HERE, f"You are not signed in to table {table}.", field="table"))


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
    except msgspec.ValidationError as error:
        sentence, place = field_of(error)
        raise Stop(Refusal(HouseCode.BAD_MESSAGE, sentence, field=place)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Stop(Refusal(HouseCode.BAD_MESSAGE, "The body is not JSON.")) from error


def _typed_query(kind: Any, request: Request) -> Any:
    try:
        return msgspec.convert(dict(request.query_params), kind, strict=False)
    except msgspec.ValidationError as error:
        sentence, place = field_of(error)
        raise Stop(Refusal(HouseCode.BAD_MESSAGE, sentence, field=place)) from error


def error_response(refusal: Refusal, request_id: str = "", headers: dict[str, str] | None = None) -> Response:
    """An error in the one shape."""
    error = Error(refusal.code, refusal.sentence, refusal.clauses, refusal.allowed, refusal.field, request_id)
    return Response(
        msgspec.json.encode(Errors(error)),
        status_code=STATUS.get(refusal.code, 400),
        media_type="application/json",
        headers={"cache-control": "no-store", **(headers or {})},
    )
