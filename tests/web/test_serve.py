"""Serving: the server that `taisai serve` runs, and its end by a signal."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys

import pytest
from msgspec.structs import replace

from taisai.client import Client
from taisai.settings.forms import Listen
from taisai.web.context import Context
from taisai.web.serve import SWITCH_S, YOUNG, serve, server_of, tune
from taisai.web.socket.direct import DirectSocket
from tests.web.serving import on_a_loop, settings_for, shelf


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
    started: asyncio.Future[tuple[Context, str]] = asyncio.get_running_loop().create_future()
    settings = replace(settings_for(), listen=Listen(host=host, port=0))
    serving = asyncio.ensure_future(serve(settings, shelf, lambda *told: started.set_result(told)))
    context, address = await started
    assert address.startswith(url)
    async with Client(address) as client:
        assert (await client.call("GET", "/readyz"))["ok"]
    os.kill(os.getpid(), signal.SIGTERM)
    await serving
    assert not context.is_ready
