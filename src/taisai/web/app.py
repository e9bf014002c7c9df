"""The ASGI application: endpoints, the play socket, pages.

Enters: connections of any ASGI server. Leaves: answers of the API and the pages, and sockets, each on the transport
that its server offers (`socket.transport`). `taisai serve` runs it on uvicorn.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import Final
from urllib.parse import parse_qs

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request, cookie_parser
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import Message, Receive, Scope, Send

from taisai.floor.answers import HouseCode
from taisai.house.sessions import Session
from taisai.journal import JournalError
from taisai.table.refusals import Refusal
from taisai.web.api.house import HOUSE_ENDPOINTS
from taisai.web.api.people import PEOPLE_ENDPOINTS
from taisai.web.api.pit import PIT_ENDPOINTS
from taisai.web.api.proof import PROOF_ENDPOINTS
from taisai.web.api.requests import REQUEST_ENDPOINTS
from taisai.web.api.rounds import ROUND_ENDPOINTS
from taisai.web.api.rules import RULES_ENDPOINTS
from taisai.web.api.tables import TABLE_ENDPOINTS
from taisai.web.api.training import TRAINING_ENDPOINTS
from taisai.web.context import Context
from taisai.web.endpoint import Endpoint
from taisai.web.errors import NOTHING_HERE, TOO_FAST, Stop, error_response, no_such_table
from taisai.web.openapi import openapi
from taisai.web.pages import page_routes
from taisai.web.security import HEADERS, bearer, is_own_origin
from taisai.web.socket.peers import PATH as PEERS
from taisai.web.socket.peers import serve_peer
from taisai.web.socket.play import Inbox, PlaySocket
from taisai.web.socket.transport import transport_of

LOGGER = logging.getLogger("taisai.web")

ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    *RULES_ENDPOINTS,
    *TRAINING_ENDPOINTS,
    *TABLE_ENDPOINTS,
    *PEOPLE_ENDPOINTS,
    *PIT_ENDPOINTS,
    *REQUEST_ENDPOINTS,
    *ROUND_ENDPOINTS,
    *HOUSE_ENDPOINTS,
    *PROOF_ENDPOINTS,
)
PLAY: Final = "/play/"
PAGE_COST: Final = 0.1
"""What a page or file takes of its address's allowance; an endpoint takes its own."""
HANDSHAKE_COST: Final = 2
"""What a socket takes of it: its first frame is a whole table."""


class App:
    """Everything that the house serves."""

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
        self._endpoints = frozenset(by_path)
        routes.append(Route("/openapi.json", lambda _request: Response(document, media_type="application/json")))
        routes += page_routes(context.settings.house.purpose)
        self._router = Router(routes, redirect_slashes=False, default=self._nothing_here)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        else:
            await self._lifespan(receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in HEADERS:
                    headers.setdefault(name.decode(), value.decode())
                if self.context.is_secure:
                    headers.setdefault("strict-transport-security", "max-age=31536000")
            await send(message)

        if scope["path"] not in self._endpoints and not self._rated(scope):
            await error_response(TOO_FAST, headers={"retry-after": "1"})(scope, receive, send_guarded)
            return
        scope["app"] = self  # without it the router answers a wrong method itself, in a shape of its own
        try:
            await self._router(scope, receive, send_guarded)
        except HTTPException as error:
            headers = dict(error.headers or {})
            methods = headers.get("Allow", "")
            sentence = f"This address accepts {methods} only." if methods else error.detail
            response = error_response(Refusal(HouseCode.NOT_FOUND, sentence, allowed=methods), headers=headers)
            response.status_code = error.status_code
            await response(scope, receive, send_guarded)

    def _rated(self, scope: Scope) -> bool:
        """Whether the address of a request may have another page or file."""
        addresses = self.context.addresses
        where = addresses.client_of((scope.get("client") or ("",))[0], Headers(scope=scope))
        return self.context.rates.take(addresses.group_of(where), PAGE_COST)

    async def _serve(self, methods: dict[str, Endpoint], request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await methods[method].serve(self.context, request)

    async def _nothing_here(self, scope: Scope, receive: Receive, send: Send) -> None:
        await error_response(NOTHING_HERE)(scope, receive, send)

    # ------------------------------------------------------------------ sockets

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        headers = Headers(scope=scope)
        if scope["path"] == PEERS:
            if not await serve_peer(self.context, headers, transport_of(scope, receive, send), send):
                await _refuse(scope, send, NOTHING_HERE)
        else:
            await self._play(scope, headers, receive, send)

    async def _play(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        context = self.context
        name = scope["path"].removeprefix(PLAY)
        where = context.addresses.client_of((scope.get("client") or ("",))[0], headers)
        admitted = self._not_served(scope["path"], name, where) or await self._session_of(headers, name, where)
        if isinstance(admitted, Refusal):
            await _refuse(scope, send, admitted)
            return
        with context.addresses.connected(where), context.counts.connected():
            await send({"type": "websocket.accept"})
            transport = transport_of(scope, receive, send)
            await PlaySocket(context, context.floor.tables[name], admitted, transport).run(_after(scope), self._inbox)

    def _not_served(self, path: str, name: str, where: str) -> Refusal | None:
        """Why a socket is refused, whoever opens it."""
        context = self.context
        if not path.startswith(PLAY) or name not in context.floor.tables:
            return no_such_table(name)
        if not context.addresses.may_connect(where):
            return Refusal(HouseCode.TOO_MANY, "Too many connections from this address.")
        if not context.is_ready:
            return Refusal(HouseCode.CLOSING, "The house is not open.")
        if not context.rates.take(context.addresses.group_of(where), HANDSHAKE_COST):
            return TOO_FAST
        return None

    async def _session_of(self, headers: Headers, table: str, where: str) -> Session | Refusal | None:
        """The session of a socket: by its token, or by the cookies of one that comes from our own pages."""
        token = bearer(headers)
        if token is None and not is_own_origin(headers, self.context.settings.listen.allowed_origins):
            return Refusal(HouseCode.BAD_ORIGIN, "This came from another site.", field="Origin")
        try:
            if token is not None:
                return await self.context.session_of(token, where)
            return await self.context.session_in(cookie_parser(headers.get("cookie", "")), table, where)
        except Stop as stop:
            return stop.refusal
        except JournalError as error:
            LOGGER.warning("a session could not be looked up: %s", error)
            return Refusal(HouseCode.TRY_AGAIN, "The journal does not answer.", allowed="try again")

    # ------------------------------------------------------------------ start and stop

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        """Start and stop the house with the server; `taisai serve` does it by itself, with this protocol off."""
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                try:
                    if not self.context.is_ready:
                        await self.context.start()
                except Exception as error:  # a server would go on serving a house that has not started
                    LOGGER.exception("the house could not be started")
                    await send({"type": "lifespan.startup.failed", "message": str(error)})
                    return
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                if self.context.is_ready:
                    await self.context.stop("the server stops")
                await send({"type": "lifespan.shutdown.complete"})
                return


def _after(scope: Scope) -> int | None:
    """The seq that a reconnecting client has seen, if it states a valid one."""
    found = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("after", [""])[0]
    return int(found) if found.isascii() and found.isdigit() and len(found) < 19 else None


async def _refuse(scope: Scope, send: Send, refusal: Refusal) -> None:
    """Refuse a socket: with an HTTP answer that says why, where the server can send one."""
    if "websocket.http.response" not in (scope.get("extensions") or {}):
        await send({"type": "websocket.close"})
        return
    response = error_response(refusal)
    await send(
        {
            "type": "websocket.http.response.start",
            "status": response.status_code,
            "headers": [(b"content-type", b"application/json"), *HEADERS],
        }
    )
    await send({"type": "websocket.http.response.body", "body": bytes(response.body)})
