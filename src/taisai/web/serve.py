"""Serves a house on uvicorn, with the direct transport, and with uvloop where there is one.

Enters: settings and rule books. Leaves: a running server. SIGINT or SIGTERM stops it in order: clients are notified,
automatic tables finish their rounds, everything is written. A second signal does not wait for the rounds: they are
concluded after the next start.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Final, Protocol, cast

import uvicorn

from taisai.books import Shelf
from taisai.core.faults import InputFault
from taisai.settings.forms import Settings
from taisai.web.app import App
from taisai.web.context import Context
from taisai.web.guard.connections import Connections, GuardedHttp, places
from taisai.web.logs import set_up_logs
from taisai.web.socket.direct import DirectSocket

SWITCH_S: Final = 0.0001
"""How long the writer's thread waits for the GIL; Python's five milliseconds would delay every answer."""
PING_S: Final = 1.0
"""How often each socket is pinged: the proxy's file gives up a node on whose socket nothing arrives for 2 s."""
SILENCE_S: Final = 10.0
"""A client that has not answered a ping for so long is gone."""
LEAVE_S: Final = 3
"""How long sockets have to take the close when the program ends."""
YOUNG: Final = 20_000
"""Allocations between garbage collections: a bet makes a dozen objects, nearly all freed when it is answered."""


def tune() -> None:
    """Tune the interpreter for serving, once everything long-lived is loaded."""
    sys.setswitchinterval(SWITCH_S)
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 20, 20)


def guard_of(context: Context) -> Connections:
    """What keeps the connections of a context's server within bounds."""
    limits = context.settings.limits
    # Beside the sockets of an address there is room for its requests.
    most, of_address = places(limits.connections), 2 * limits.connections_per_address
    return Connections(
        context.addresses,
        context.is_ours,
        most=most,
        of_address=of_address,
        crowd=context.crowd,
        is_known=context.knows,
    )


def server_of(context: Context, guard: Connections | None = None) -> uvicorn.Server:
    """The uvicorn server of a context, not started."""
    settings = context.settings
    config = uvicorn.Config(
        App(context),
        http=cast(type[asyncio.Protocol], partial(GuardedHttp, guard_of(context) if guard is None else guard)),
        host=settings.listen.host,
        port=settings.listen.port,
        ws=DirectSocket,
        ws_max_size=settings.limits.frame_bytes * 4,
        ws_per_message_deflate=False,
        ws_ping_interval=PING_S,
        ws_ping_timeout=SILENCE_S,
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=LEAVE_S,
        proxy_headers=False,
    )
    return uvicorn.Server(config)


class Teller(Protocol):
    """Who tells the console what happens to the house."""

    def started(self, context: Context, address: str) -> None:
        """It is open, at this address."""

    def finishing(self, rounds: int, seconds: int) -> None:
        """It was asked to stop, and finishes this many rounds first."""


def bound(host: str, port: int) -> socket.socket:
    """A socket of this address, not yet listening; an address that cannot be had is an `InputFault` with the remedy."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except socket.gaierror as error:
        raise InputFault("--host", f"no address for {host!r}: {error.strerror}") from None
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except OSError as error:
        made.close()
        raise _not_had(host, port, error) from None
    return made


def _not_had(host: str, port: int, error: OSError) -> InputFault:
    """Why an address cannot be listened on, and what helps."""
    if error.errno == errno.EADDRINUSE:
        other = f"--port {port + 1 if port < 65_535 else 8000}"
        return InputFault("--port", f"{port} is in use by another program: end it, or choose another with {other}")
    if error.errno == errno.EACCES:
        return InputFault("--port", f"{port} is reserved for the administrator: choose one from 1024 on, --port 8000")
    if error.errno == errno.EADDRNOTAVAIL:
        return InputFault("--host", f"{host} is no address of this machine: 127.0.0.1 is here alone, 0.0.0.0 is all")
    return InputFault("--listen", f"{host}:{port}: {error.strerror}")


async def serve(settings: Settings, open_shelf: Callable[[], Shelf], teller: Teller) -> None:
    """Serve until a signal arrives; what happens is told to `teller`."""
    with closing(bound(settings.listen.host, settings.listen.port)) as listener:
        context = Context(settings, open_shelf(), reopen_shelf=open_shelf)
        await context.start()
        context.watching.start(settings.journal.url, settings.proof.audit_every_s)
        tune()
        server = server_of(context)
        stopping = asyncio.Event()
        loop = asyncio.get_running_loop()

        def stop() -> None:
            if stopping.is_set():
                server.force_exit = True
                context.floor.hurry()
                return
            stopping.set()
            rounds, seconds = context.floor.to_finish()
            if rounds:
                teller.finishing(rounds, seconds)

        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, stop)
        serving = loop.create_task(server._serve([listener]))
        try:
            while not server.started and not serving.done():
                await asyncio.sleep(0.01)
            if server.started:
                teller.started(context, _address(settings, listener))
                await asyncio.wait({loop.create_task(stopping.wait()), serving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await context.stop()
            server.should_exit = True
            try:
                await serving
            except OSError as error:  # another program began to listen since the address was bound
                raise _not_had(settings.listen.host, settings.listen.port, error) from None


def _address(settings: Settings, listener: socket.socket) -> str:
    host = settings.listen.host
    return settings.listen.public_url or f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"


def run(settings: Settings, open_shelf: Callable[[], Shelf], teller: Teller) -> None:
    """Serve in this process until it is signalled to stop."""
    set_up_logs(settings.log.format, settings.log.level)
    if sys.platform == "win32":
        asyncio.run(serve(settings, open_shelf, teller))
        return
    import uvloop  # noqa: PLC0415 - not on every system

    uvloop.run(serve(settings, open_shelf, teller))
