"""A floor in a process of its own, to be killed: fast automatic tables, players seated and with chips.

    python -m tests.torture.floor_process JOURNAL TABLES PLAYERS [PORT]

The first line on standard output is JSON: the port, and the players' tokens by table. Started again on the same
journal it continues with the same players, whose chips are what the journal says. With a port it is one node of several
on the same journal. TAISAI_TEST_NODE is JSON with more options: `betting_ms`; `peers`, the address at which each other
node is reached; `dice_key`, the file of the dice's key; `version`, the version that it states.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import msgspec
import uvicorn
import uvloop
from msgspec.structs import replace

from taisai.books import open_shelf
from taisai.floor.answers import Answer
from taisai.floor.router import Forward
from taisai.settings.forms import Bounds, JournalPlace, Listen, Node, Settings, TableSettings, Timing
from taisai.settings.forms import House as HouseSettings
from taisai.table import commands as c
from taisai.table.refusals import Refusal
from taisai.web.api.people import CASHIER
from taisai.web.app import App
from taisai.web.context import Context
from taisai.web.logs import set_up_logs
from taisai.web.security import Rates
from taisai.web.serve import PING_S, SILENCE_S
from taisai.web.socket import peers as between_nodes
from taisai.web.socket.direct import DirectSocket
from taisai.web.socket.peers import Peers

MANY = 1_000_000_000
BUY_IN = 100_000_000
HURRY = Timing(
    betting_ms=1_000, after_close_ms=20, tumbling_ms=20, reveal_ms=20, lit_ms=20, paid_ms=20, between_ms=20
)  # fmt: skip
LAYOUTS = ("rws-tai-sai-v6/C", "nz-division-9/1", "rws-open-cover-v3/A", "rws-mini-dice-v3/A")


def settings_for(journal: str, tables: int, port: int = 0, betting_ms: int = HURRY.betting_ms) -> Settings:
    """Automatic tables that need no players, each under the next of four books."""
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
                limits=c.TableLimits(100, c.BoxLimit(100, 100_000_000)),
                currency="SGD",
                denominations=(100, 1_000, 10_000),
                float_count={10_000: 1_000_000},
                timing=replace(HURRY, betting_ms=betting_ms),
                unattended=True,
                idle_when_empty=False,
            )
        )
    return Settings(
        journal=JournalPlace(url=journal),
        limits=Bounds(commands_per_second=MANY, commands_burst=MANY, connections_per_address=MANY),
        house=HouseSettings(minimum_betting_ms=0, purpose="demo"),
        listen=Listen(port=port),
        node=Node(address=f"http://127.0.0.1:{port}", secret="between us") if port else Node(),
        tables=tuple(made),
    )


async def serve(app: App, told: Callable[[int], dict[str, Any]], port: int = 0) -> None:
    """Serve, after printing where."""
    config = uvicorn.Config(
        app, host="127.0.0.1", port=port, ws=DirectSocket, ws_per_message_deflate=False, lifespan="off",
        ws_ping_interval=PING_S, ws_ping_timeout=SILENCE_S, access_log=False, log_config=None, backlog=4096,
    )  # fmt: skip
    server = uvicorn.Server(config)
    serving = asyncio.get_running_loop().create_task(server._serve())  # signals are handled here, as in `taisai serve`
    while not server.started:
        await asyncio.sleep(0.005)
    print(json.dumps(told(server.servers[0].sockets[0].getsockname()[1])), flush=True)
    await serving


async def main(journal: str, tables: int, players: int, port: int = 0) -> None:
    """Start, or continue."""
    set_up_logs("json", os.environ.get("TAISAI_TEST_LOG", "error"))
    wanted = json.loads(os.environ.get("TAISAI_TEST_NODE", "{}"))
    settings = settings_for(journal, tables, port, wanted.get("betting_ms", HURRY.betting_ms))
    settings = replace(settings, house=replace(settings.house, dice_key=wanted.get("dice_key", "")))
    context = Context(settings, open_shelf(environment={}))
    context.rates = Rates(MANY, MANY)  # everybody comes from one address here
    context.peers.version = wanted.get("version", context.peers.version)
    if wanted.get("newer"):
        between_nodes._encode = _encode_as_newer  # type: ignore[misc]
    await run(context, players, wanted.get("peers", {}))


def _encode_as_newer(message: object) -> bytes:
    """A message between nodes as a later release may send it: with a field more wherever one may be added."""
    plain = msgspec.to_builtins(message)
    command = plain.get("command")
    if command is not None:
        command["by"]["later"] = command["later"] = [1]
    plain["later"] = {"later": 1}
    return msgspec.json.encode(plain)


async def run(context: Context, players: int, peers: dict[str, str]) -> None:
    """Serve until signalled to stop."""
    port = context.settings.listen.port
    if context.floor.nodes is not None and peers:
        context.floor.nodes.router.forward = _through_proxies(context.peers, peers)
    await context.start()
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    seats = await _seated(context, players) if players else {}
    serving = asyncio.ensure_future(serve(App(context), lambda at: {"port": at, "seats": seats}, port))
    await asyncio.wait({serving, asyncio.ensure_future(stopping.wait())}, return_when=asyncio.FIRST_COMPLETED)
    await context.stop("a rolling upgrade")
    os._exit(0)


async def _seated(context: Context, players: int) -> dict[str, list[tuple[str, str]]]:
    """Seat every player with chips; their tokens by table."""

    async def seat(table: str, player: str) -> tuple[str, str]:
        for do in (c.SitDown(player), c.BuyIn(player, BUY_IN)):
            tag = type(do).__struct_config__.tag
            command_id = f"{c.HOUSE_IDS}{tag}-{player}"  # the program's own act: no person has signed in here
            fault: Refusal | None = None
            if context.floor.writer.journal.find_command(table, command_id):
                continue  # done before the restart
            for _ in range(600):  # a round may be interrupted, or the table may move to another node
                command = c.Command(id=command_id, at=context.clock.now(), by=CASHIER, do=do)
                fault = (await context.floor.do(table, command)).refusal
                if fault is None:
                    break
                await asyncio.sleep(0.1)
            if fault is not None:
                raise SystemExit(f"{player} got no seat: {fault.sentence}")
        return player, (await context.sessions.begin_player(table, player)).token

    return {
        table: await asyncio.gather(*(seat(table, f"{table}-p{place}") for place in range(players)))
        for table in list(context.floor.tables)
    }


def _through_proxies(peers: Peers, ways: dict[str, str]) -> Forward:
    """Reach each other node through the proxy of a test, which can cut the connection."""

    async def forward(address: str, table: str, command: c.Command) -> Answer:
        return await peers(ways.get(address, address), table, command)

    return forward


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], *map(int, sys.argv[2:])))
