"""Serves a house: uvicorn on its sans-io WebSocket, uvloop where there is one.

A signal ends it in order: no new round, automatic tables finish theirs, everything is written, clients are told.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from collections.abc import Callable
from typing import Final

import uvicorn

from taisai.books import Shelf
from taisai.settings.forms import Settings
from taisai.web.app import App
from taisai.web.context import Context
from taisai.web.logs import set_up_logs
from taisai.web.socket.direct import DirectSocket

SWITCH_S: Final = 0.0001
"""The writer's thread should not wait the usual five milliseconds for its turn: answers wait for it."""
YOUNG: Final = 20_000
"""Objects made before the collector looks for cycles: a bet makes a dozen, nearly all gone when it is answered."""


def tune() -> None:
    """Settle the interpreter for serving, when everything is loaded that stays."""
    sys.setswitchinterval(SWITCH_S)
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 20, 20)


def server_of(context: Context) -> uvicorn.Server:
    """The server of a context, not yet serving."""
    settings = context.settings
    config = uvicorn.Config(
        App(context),
        host=settings.listen.host,
        port=settings.listen.port,
        ws=DirectSocket,
        ws_max_size=settings.limits.frame_bytes * 4,
        ws_per_message_deflate=False,
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=10,
        proxy_headers=False,
    )
    return uvicorn.Server(config)


async def serve(settings: Settings, open_shelf: Callable[[], Shelf], started: Callable[[Context, str], None]) -> None:
    """Serve until a signal comes; `started` is called with the house and its address."""
    context = Context(settings, open_shelf(), reopen_shelf=open_shelf)
    await context.start()
    tune()
    server = server_of(context)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, stopping.set)
    serving = loop.create_task(server._serve())
    try:
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        if serving.done():
            await serving
            raise SystemExit(1)
        port = server.servers[0].sockets[0].getsockname()[1]
        host = settings.listen.host
        started(context, settings.listen.public_url or f"http://{f'[{host}]' if ':' in host else host}:{port}")
        await asyncio.wait({loop.create_task(stopping.wait()), serving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await context.stop()
        server.should_exit = True
        await serving


def run(settings: Settings, open_shelf: Callable[[], Shelf], started: Callable[[Context, str], None]) -> None:
    """Serve in this process until it is asked to stop."""
    set_up_logs(settings.log.format, settings.log.level)
    if sys.platform == "win32":
        asyncio.run(serve(settings, open_shelf, started))
        return
    import uvloop  # noqa: PLC0415 - not on every system

    uvloop.run(serve(settings, open_shelf, started))
