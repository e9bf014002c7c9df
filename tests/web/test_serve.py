"""Serving: the server that `taisai serve` runs, and its end by a signal."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys

import pytest
from msgspec.structs import replace

from taisai.client import Client
from taisai.core.faults import InputFault
from taisai.settings.forms import Listen
from taisai.web.context import Context
from taisai.web.serve import SWITCH_S, YOUNG, bound, serve, server_of, tune
from taisai.web.socket.direct import DirectSocket
from tests.web.serving import on_a_loop, settings_for, shelf


class Told:
    """What the console would be told."""

    def __init__(self) -> None:
        self.open: asyncio.Future[tuple[Context, str]] = asyncio.get_running_loop().create_future()
        self.to_finish: list[tuple[int, int]] = []

    def started(self, context: Context, address: str) -> None:
        """Keep the context and the address."""
        self.open.set_result((context, address))

    def finishing(self, rounds: int, seconds: int) -> None:
        """Keep what is left to do."""
        self.to_finish.append((rounds, seconds))


def test_the_server_has_our_socket_and_says_nothing_of_itself() -> None:
    """Sockets are direct, and end at four times the largest message; no header names the server or is a proxy's."""
    settings = settings_for()
    config = server_of(Context(settings, shelf())).config
    assert config.ws is DirectSocket
    assert config.ws_max_size == settings.limits.frame_bytes * 4
    assert (config.server_header, config.proxy_headers, config.access_log) == (False, False, False)


def test_the_interpreter_is_tuned_for_serving() -> None:
    """Threads switch soon, and the collector looks at young objects rarely."""
    before = sys.getswitchinterval(), gc.get_threshold()
    try:
        tune()
        assert sys.getswitchinterval() == pytest.approx(SWITCH_S)
        assert gc.get_threshold()[0] == YOUNG
    finally:
        gc.unfreeze()
        sys.setswitchinterval(before[0])
        gc.set_threshold(*before[1])


@pytest.mark.parametrize(("host", "url"), [("127.0.0.1", "http://127.0.0.1:"), ("::1", "http://[::1]:")])
@on_a_loop
async def test_a_signal_ends_it_in_order(host: str, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address is told once the house is open; after SIGTERM the house has stopped and the port is free."""
    monkeypatch.setattr("taisai.web.serve.tune", lambda: None)
    told = Told()
    settings = replace(settings_for(), listen=Listen(host=host, port=0))
    serving = asyncio.ensure_future(serve(settings, shelf, told))
    context, address = await told.open
    assert address.startswith(url)
    async with Client(address) as client:
        assert (await client.call("GET", "/readyz"))["ok"]
    os.kill(os.getpid(), signal.SIGTERM)
    await serving
    assert not context.is_ready
    assert told.to_finish == []


@on_a_loop
async def test_a_second_signal_waits_for_no_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first signal says which rounds are finished and how long that takes; the second one ends it at once."""
    monkeypatch.setattr("taisai.web.serve.tune", lambda: None)
    told = Told()
    settings = settings_for(demo=True)
    settings = replace(settings, listen=Listen(port=0), tables=settings.tables[1:2])
    serving = asyncio.ensure_future(serve(settings, shelf, told))
    context, address = await told.open
    async with Client(address) as client:
        seat = await client.sit_down(guest_at="TS-C", player="Ann")
        async with seat.table() as table:
            async for _ in table:
                if table.takes_bets:
                    break
            await table.bet("small", 500)
    os.kill(os.getpid(), signal.SIGINT)
    while not context.floor.closing:
        await asyncio.sleep(0)
    [(rounds, seconds)] = told.to_finish
    assert rounds == 1
    assert 15 < seconds <= 30
    assert not serving.done()
    os.kill(os.getpid(), signal.SIGINT)
    await asyncio.wait_for(serving, 10)
    assert context.floor.tables["TS-C"].state.round.stakes


def test_an_address_that_cannot_be_had_says_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A port in use, a foreign or unknown host and a reserved port are one sentence each, with the remedy."""
    with bound("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputFault, match=rf"--port: {port} is in use by another program: .* --port \d+"):
            bound("127.0.0.1", port)
    with pytest.raises(InputFault, match=r"--host: 192\.0\.2\.77 is no address of this machine"):
        bound("192.0.2.77", 0)
    with pytest.raises(InputFault, match="--host: no address for 'no host at all'"):
        bound("no host at all", 0)

    def refuse(_socket: socket.socket, _address: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("taisai.web.serve.socket.socket.bind", refuse)
    with pytest.raises(InputFault, match=r"--port: 80 is reserved for the administrator: .* --port 8000"):
        bound("127.0.0.1", 80)
