"""A floor in a process of its own, to be killed: automatic tables in a hurry, players seated and with chips.

    python -m tests.web.floor_process JOURNAL TABLES PLAYERS [PORT]

The first line on standard output is JSON: the port, and the players' tokens by table. Started again on the same
journal it goes on from there: the same players, whose chips are what the journal says. With a port it is one node of
several on the same journal.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import uvicorn
import uvloop

from taisai.books import open_shelf
from taisai.floor.settings import Bounds, JournalPlace, Listen, Node, Settings, TableSettings, Timing
from taisai.floor.settings import House as HouseSettings
from taisai.table import actions as a
from taisai.table.people import Person, Role
from taisai.web.app import App
from taisai.web.house import House
from taisai.web.logs import set_up_logs

MANY = 1_000_000_000
BUY_IN = 1_000_000
HURRY = Timing(
    betting_ms=1_000, after_close_ms=20, tumbling_ms=20, reveal_ms=20, lit_ms=20, paid_ms=20, between_ms=20
)  # fmt: skip
LAYOUTS = ("rws-tai-sai-v6/C", "nz-division-9/1", "rws-open-cover-v3/A", "rws-mini-dice-v3/A")


def settings_for(journal: str, tables: int, port: int = 0) -> Settings:
    """Automatic tables, each under the next of four books, that need nobody."""
    shelf = open_shelf(environment={})
    made = []
    for number in range(tables):
        layout = shelf.layout(LAYOUTS[number % len(LAYOUTS)])
        made.append(
            TableSettings(
                name=f"T{number + 1}",
                book=layout.book_id,
                layout=layout.id,
                mode="automatic",
                limits=a.TableLimits(100, a.BoxLimit(100, 100_000_000)),
                currency="SGD",
                denominations=(100, 1_000, 10_000),
                float_count={10_000: 1_000_000},
                timing=HURRY,
                unattended=True,
                idle_when_empty=False,
            )
        )
    return Settings(
        journal=JournalPlace(url=journal),
        limits=Bounds(commands_per_second=MANY, commands_burst=MANY, connections_per_address=MANY),
        house=HouseSettings(minimum_betting_ms=0),
        listen=Listen(port=port),
        node=Node(address=f"http://127.0.0.1:{port}", secret="between us") if port else Node(),
        tables=tuple(made),
    )


async def serve(app: App, told: Callable[[int], dict[str, Any]], port: int = 0) -> None:
    """Serve until the end; say where first."""
    config = uvicorn.Config(
        app, host="127.0.0.1", port=port, ws="websockets-sansio", ws_per_message_deflate=False, lifespan="off",
        access_log=False, log_config=None, backlog=4096,
    )  # fmt: skip
    server = uvicorn.Server(config)
    serving = asyncio.get_running_loop().create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.005)
    print(json.dumps(told(server.servers[0].sockets[0].getsockname()[1])), flush=True)
    await serving


async def main(journal: str, tables: int, players: int, port: int = 0) -> None:
    """Start, or go on."""
    set_up_logs("json", os.environ.get("TAISAI_TEST_LOG", "error"))
    house = House(settings_for(journal, tables, port), open_shelf(environment={}))
    await house.start()
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    dan = Person("dan", Role.DEALER)
    seats: dict[str, list[tuple[str, str]]] = {}
    for name in list(house.floor.tables):
        seats[name] = []
        for place in range(players):
            player = f"{name}-p{place}"
            for do in (a.SitDown(player), a.BuyIn(player, BUY_IN)):
                tag = type(do).__struct_config__.tag
                command = a.Command(id=f"{tag}-{player}", at=house.clock.now(), by=dan, do=do)
                await house.floor.do(name, command)
            seats[name].append((player, (await house.sessions.begin_player(name, player)).token))
    serving = asyncio.ensure_future(serve(App(house), lambda at: {"port": at, "seats": seats}, port))
    await asyncio.wait({serving, asyncio.ensure_future(stopping.wait())}, return_when=asyncio.FIRST_COMPLETED)
    await house.stop("a rolling upgrade")
    os._exit(0)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], *map(int, sys.argv[2:])))
