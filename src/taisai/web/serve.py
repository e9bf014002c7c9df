"""Serves a house on uvicorn, with the direct transport, and with uvloop where there is one.

Enters: settings and rule books. Leaves: a running server. SIGINT or SIGTERM stops it in order: clients are notified,
automatic tables finish their rounds, everything is written.
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
"""How long the writer's thread waits for the GIL; Python's five milliseconds would delay every answer."""
YOUNG: Final = 20_000
"""Allocations between garbage collections: a bet makes a dozen objects, nearly all freed when it is answered."""


def tune() -> None:
    """Tune the interpreter for serving, once everything long-lived is loaded."""
    sys.setswitchinterval(SWITCH_S)
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 20, 20)


def server_of(context: Context) -> uvicorn.Server:
    """The uvicorn server of a context, not started."""
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
    """Serve until a signal arrives; `started` is called with the context and its address."""
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
    """Serve in this process until it is signalled to stop."""
    set_up_logs(settings.log.format, settings.log.level)
    if sys.platform == "win32":
        asyncio.run(serve(settings, open_shelf, started))
        return
    import uvloop  # noqa: PLC0415 - not on every system

    uvloop.run(serve(settings, open_shelf, started))
