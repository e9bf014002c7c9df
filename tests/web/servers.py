"""Servers for tests: the one that `taisai serve` runs, and others on which the plain transport must do the same.

Enters: an ASGI application. Leaves: the address at which it is served on this machine, until the block ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Final, cast

import uvicorn
from hypercorn.asyncio.run import worker_serve
from hypercorn.config import Config
from hypercorn.typing import ASGIFramework
from hypercorn.utils import wrap_app
from starlette.types import ASGIApp

from taisai.web.socket.direct import DirectSocket

Serve = Callable[[ASGIApp], AbstractAsyncContextManager[str]]
MESSAGE_BYTES: Final = 65_536
"""The largest message that these servers accept, as `taisai serve` has it by default."""


@asynccontextmanager
async def running(server: uvicorn.Server) -> AsyncIterator[str]:
    """Run a uvicorn server."""
    serving = asyncio.get_running_loop().create_task(server._serve())
    try:
        while not server.started:
            assert not serving.done(), "the server did not start"
            await asyncio.sleep(0.005)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await serving


@asynccontextmanager
async def on_uvicorn(app: ASGIApp, *, ws: str | type[asyncio.Protocol]) -> AsyncIterator[str]:
    """Serve on uvicorn, with one of its WebSocket implementations."""
    config = uvicorn.Config(
        app, port=0, ws=ws, ws_max_size=MESSAGE_BYTES, ws_per_message_deflate=False, lifespan="off",
        access_log=False, log_config=None, timeout_graceful_shutdown=1,
    )  # fmt: skip
    async with running(uvicorn.Server(config)) as address:
        yield address


@asynccontextmanager
async def on_hypercorn(app: ASGIApp) -> AsyncIterator[str]:
    """Serve on hypercorn, which runs the application's lifespan too."""
    config = Config()
    config.bind = ["127.0.0.1:0"]
    config.websocket_max_message_size = MESSAGE_BYTES
    config.graceful_timeout = 0.2
    config.include_server_header = False
    config.accesslog = config.errorlog = None
    sockets = config.create_sockets()
    (socket,) = sockets.insecure_sockets
    socket.listen()  # so that a client that comes before hypercorn accepts is not refused
    over = asyncio.Event()
    wrapped = wrap_app(cast(ASGIFramework, app), config.wsgi_max_body_size, "asgi")
    serving = asyncio.get_running_loop().create_task(
        worker_serve(wrapped, config, sockets=sockets, shutdown_trigger=over.wait)
    )
    try:
        yield f"http://127.0.0.1:{socket.getsockname()[1]}"
    finally:
        over.set()
        await serving


DIRECT: Final[dict[str, Serve]] = {"uvicorn, direct": partial(on_uvicorn, ws=DirectSocket)}
PLAIN: Final[dict[str, Serve]] = {
    "uvicorn, sans-io": partial(on_uvicorn, ws="websockets-sansio"),
    "uvicorn, wsproto": partial(on_uvicorn, ws="wsproto"),
    "hypercorn": on_hypercorn,
}
"""The servers that offer nothing but ASGI."""
SERVERS: Final = DIRECT | PLAIN
