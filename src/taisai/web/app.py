"""The ASGI application: endpoints, the play socket, pages.

Plain ASGI all through; uvicorn serves it, and another server would do.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from typing import Any, Final
from urllib.parse import parse_qs

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request, cookie_parser
from starlette.responses import Response
from starlette.routing import Route, Router

from taisai.floor.answers import HouseCode
from taisai.journal import JournalError
from taisai.table.refusals import Refusal
from taisai.web.api.house import HOUSE_ENDPOINTS
from taisai.web.api.people import PEOPLE_ENDPOINTS
from taisai.web.api.pit import PIT_ENDPOINTS
from taisai.web.api.rules import RULES_ENDPOINTS
from taisai.web.api.tables import TABLE_ENDPOINTS
from taisai.web.api.training import TRAINING_ENDPOINTS
from taisai.web.context import Context
from taisai.web.endpoint import Endpoint, error_response
from taisai.web.openapi import openapi
from taisai.web.pages import page_routes
from taisai.web.security import COOKIE, HEADERS, bearer, is_own_origin
from taisai.web.socket.peers import PATH as PEERS
from taisai.web.socket.peers import serve_peer
from taisai.web.socket.play import Inbox, PlaySocket
from taisai.web.socket.transport import line_of

LOGGER = logging.getLogger("taisai.web")
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    *RULES_ENDPOINTS,
    *TRAINING_ENDPOINTS,
    *TABLE_ENDPOINTS,
    *PEOPLE_ENDPOINTS,
    *PIT_ENDPOINTS,
    *HOUSE_ENDPOINTS,
)
PLAY: Final = "/play/"


class App:
    """The whole of the web side."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._inbox = Inbox(context.clock)
        document = msgspec.json.encode(openapi(ENDPOINTS, public_url=context.settings.listen.public_url))
        by_path: dict[str, dict[str, Endpoint]] = {}
        for each in ENDPOINTS:
            by_path.setdefault(each.path, {})[each.method] = each
        routes = [
            Route(path, partial(self._serve, methods), methods=list(methods)) for path, methods in by_path.items()
        ]
        routes.append(Route("/openapi.json", lambda _request: Response(document, media_type="application/json")))
        routes += page_routes()
        self._router = Router(routes, redirect_slashes=False, default=self._nothing_here)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One connection."""
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        else:
            await self._lifespan(receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in HEADERS:
                    headers.setdefault(name.decode(), value.decode())
                if self.context.is_secure:
                    headers.setdefault("strict-transport-security", "max-age=31536000")
            await send(message)

        scope["app"] = self  # without it the router would answer another method by itself, in a shape of its own
        try:
            await self._router(scope, receive, guarded)
        except HTTPException as error:
            headers = dict(error.headers or {})
            methods = headers.get("Allow", "")
            sentence = f"This address takes {methods} alone." if methods else error.detail
            response = error_response(Refusal(HouseCode.NOT_FOUND, sentence, allowed=methods), headers=headers)
            response.status_code = error.status_code
            await response(scope, receive, guarded)

    async def _serve(self, methods: dict[str, Endpoint], request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await methods[method].serve(self.context, request)

    async def _nothing_here(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = error_response(Refusal(HouseCode.NOT_FOUND, "There is nothing at this address."))
        await response(scope, receive, send)

    # ------------------------------------------------------------------ the play socket

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        context = self.context
        await receive()
        headers = Headers(scope=scope)
        name = scope["path"].removeprefix(PLAY)
        if scope["path"] == PEERS:
            if not await serve_peer(context, headers, line_of(scope), receive, send):
                await _refuse(send, Refusal(HouseCode.NOT_FOUND, "There is nothing at this address."))
            return
        refusal = self._unwelcome(scope, headers, name)
        if refusal is not None:
            await _refuse(send, refusal)
            return
        token = bearer(headers)
        if token is None:
            token = cookie_parser(headers.get("cookie", "")).get(COOKIE)
            if not is_own_origin(headers, context.settings.listen.allowed_origins):
                await _refuse(send, Refusal(HouseCode.BAD_ORIGIN, "This came from another site.", field="Origin"))
                return
        try:
            session = await context.session_of(token)
        except JournalError as error:
            LOGGER.warning("a session could not be looked up: %s", error)
            await _refuse(send, Refusal(HouseCode.TRY_AGAIN, "The journal does not answer.", allowed="try again"))
            return
        where = context.address_of((scope.get("client") or ("",))[0], headers)
        context.connections_of[where] = context.connections_of.get(where, 0) + 1
        context.counts.connections += 1
        context.counts.connections_total += 1
        try:
            await send({"type": "websocket.accept"})
            socket = PlaySocket(context, context.floor.tables[name], session, line_of(scope), send)
            await socket.run(receive, _after(scope), self._inbox)
        finally:
            context.counts.connections -= 1
            left = context.connections_of[where] - 1
            if left:
                context.connections_of[where] = left
            else:
                del context.connections_of[where]

    def _unwelcome(self, scope: Scope, headers: Headers, name: str) -> Refusal | None:
        context = self.context
        if not scope["path"].startswith(PLAY) or name not in context.floor.tables:
            return Refusal(HouseCode.NO_SUCH_TABLE, f"There is no table {name[:64]!r}.")
        where = context.address_of((scope.get("client") or ("",))[0], headers)
        if context.connections_of.get(where, 0) >= context.settings.limits.connections_per_address:
            return Refusal(HouseCode.TOO_MANY, "Too many connections from this address.")
        if not context.is_ready:
            return Refusal(HouseCode.CLOSING, "The house is not open.")
        return None

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await send({"type": "lifespan.shutdown.complete"})
                return


def _after(scope: Scope) -> int | None:
    """The record number that a client has seen, if it says so."""
    found = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("after", [""])[0]
    return int(found) if found.isascii() and found.isdigit() and len(found) < 19 else None


async def _refuse(send: Send, refusal: Refusal) -> None:
    """Refuse a socket with an answer that says why."""
    response = error_response(refusal)
    await send(
        {
            "type": "websocket.http.response.start",
            "status": response.status_code,
            "headers": [(b"content-type", b"application/json"), *HEADERS],
        }
    )
    await send({"type": "websocket.http.response.body", "body": bytes(response.body)})
