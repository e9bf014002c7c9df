"""Servers for the benchmarks of the floor, each in a process of its own.

    python -m bench.floor_server echo              answers every frame with itself: the bare stack
    python -m bench.floor_server short-echo        the same through the floor's fast path past ASGI
    python -m bench.floor_server floor FILE N P    N tables of P players each on a journal, dealt by the client
    python -m bench.floor_server guarded FILE N P C
                                                   the same, guarded as by `taisai serve`: C commands a second
    python -m bench.floor_server broadcast         every frame goes to everybody: a bare broadcast

The first line on standard output is JSON: the port, and for a floor the players' and dealers' tokens.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn
import uvloop

from taisai.books import open_shelf
from taisai.settings.forms import (
    Bounds,
    JournalPlace,
    Listen,
    LogForm,
    Settings,
    TableSettings,
)
from taisai.table import commands as c
from taisai.table.people import Person, Role
from taisai.web.app import App
from taisai.web.context import Context
from taisai.web.logs import set_up_logs
from taisai.web.serve import server_of, tune
from taisai.web.socket.direct import DirectSocket
from taisai.web.socket.frames import text_frame
from taisai.web.socket.transport import transport_of

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


async def echo(_scope: Message, receive: Receive, send: Send) -> None:
    """Every frame comes back."""
    await receive()
    await send({"type": "websocket.accept"})
    while True:
        message = await receive()
        if message["type"] != "websocket.receive":
            return
        await send({"type": "websocket.send", "text": message["text"]})


async def short_echo(scope: Message, receive: Receive, send: Send) -> None:
    """Every frame comes back, through the fast path that the floor's own frames take."""
    await receive()
    await send({"type": "websocket.accept"})
    transport = transport_of(scope, receive, send)
    await transport.serve(lambda raw: (transport.write(text_frame(raw)), None)[1])


EVERYBODY: set[Send] = set()


async def broadcast(_scope: Message, receive: Receive, send: Send) -> None:
    """Every frame goes to everybody, in a plain loop."""
    await receive()
    await send({"type": "websocket.accept"})
    EVERYBODY.add(send)
    try:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive":
                return
            for each in EVERYBODY:
                await each({"type": "websocket.send", "text": message["text"]})
    finally:
        EVERYBODY.discard(send)


async def _run(
    app: Any, told: Callable[[int], dict[str, Any]], ws: str | type[asyncio.Protocol] = "websockets-sansio"
) -> None:
    config = uvicorn.Config(
        app, host="127.0.0.1", port=0, ws=ws, ws_per_message_deflate=False, lifespan="off",
        access_log=False, log_config=None, backlog=4096,
    )  # fmt: skip
    await _serve(uvicorn.Server(config), told)


async def _serve(server: uvicorn.Server, told: Callable[[int], dict[str, Any]]) -> None:
    tune()
    serving = asyncio.get_running_loop().create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    print(json.dumps(told(server.servers[0].sockets[0].getsockname()[1])), flush=True)
    await serving


async def floor(journal: str, tables: int, players: int, *, a_second: int | None = None) -> None:
    """A floor whose players are seated and have plenty of chips; with `a_second`, guarded as `taisai serve` does it."""
    shelf = open_shelf(environment={})
    book = shelf.book("rws-tai-sai-v6")
    limits = c.TableLimits(100, c.BoxLimit(100, 100_000_000))
    names = [f"T{number}" for number in range(1, tables + 1)]
    many = 1_000_000_000
    settings = Settings(
        journal=JournalPlace(url=journal),
        limits=Bounds(commands_per_second=many, commands_burst=many, connections_per_address=many)
        if a_second is None
        else Bounds(commands_per_second=a_second),
        listen=Listen(port=0),
        log=LogForm(level="error"),
        tables=tuple(
            TableSettings(
                name=name, book=book.id, layout="C", limits=limits, currency="SGD", denominations=(100, 1_000, 10_000)
            )
            for name in names
        ),
    )
    set_up_logs("json", "error")
    context = Context(settings, shelf)
    await context.start()
    sessions = context.sessions
    seats: dict[str, list[tuple[str, str]]] = {}
    dealers: dict[str, str] = {}
    for name in names:
        await _open(context, name, [f"{name}-p{place}" for place in range(players)])
        dealers[name] = (await sessions.begin("dan", Role.DEALER, "*")).token
        seats[name] = [
            (f"{name}-p{place}", (await sessions.begin_player(name, f"{name}-p{place}")).token)
            for place in range(players)
        ]

    def told(port: int) -> dict[str, Any]:
        return {"port": port, "seats": seats, "dealers": dealers}

    await (_serve(server_of(context), told) if a_second else _run(App(context), told, DirectSocket))


async def _open(context: Context, name: str, players: list[str]) -> None:
    lee, dan = Person("lee", Role.SUPERVISOR), Person("dan", Role.DEALER)
    book = context.shelf.book("rws-tai-sai-v6")
    actions: list[tuple[c.Action, Person]] = [
        (c.CountFloat({10_000: 10_000_000}), lee),
        (c.ReceiveDice("D1"), lee),
        (c.SealDice("D1", "S1"), lee),
        (c.TestRun((1, 3, 6), lit_correctly=True), lee),
        *((c.CheckItem(item.item, passed=True), lee) for item in book.procedure.opening),
        (c.OpenTable(), lee),
        *((c.SitDown(player), dan) for player in players),
        *((c.BuyIn(player, 1_000_000_000), dan) for player in players),
    ]
    for place, (do, by) in enumerate(actions):
        command = c.Command(id=f"opening-{place:04d}", at=context.clock.now(), by=by, do=do)
        outcome = await context.floor.do(name, command)
        if outcome.refusal is not None:
            raise SystemExit(f"{name}: {outcome.refusal.sentence}")


def main() -> None:
    """Run the server named on the command line."""
    match sys.argv[1:]:
        case ["echo"]:
            uvloop.run(_run(echo, lambda port: {"port": port}))
        case ["short-echo"]:
            uvloop.run(_run(short_echo, lambda port: {"port": port}, DirectSocket))
        case ["broadcast"]:
            uvloop.run(_run(broadcast, lambda port: {"port": port}))
        case ["floor", journal, tables, players]:
            uvloop.run(floor(journal, int(tables), int(players)))
        case ["guarded", journal, tables, players, a_second]:
            uvloop.run(floor(journal, int(tables), int(players), a_second=int(a_second)))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
