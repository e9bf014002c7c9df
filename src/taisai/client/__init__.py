"""A typed client of a taisai server, for bots, screens and integrators. Needs the extra `client`.

Enters: the address of a server. Leaves: sessions of players and crew, tables that keep their view up to date, and
commands that are carried out once, however often the connection is lost.

    async with Client("http://127.0.0.1:8000") as client:
        seat = await client.sit_down(guest_at="TS-C")
        async with seat.table() as table:
            async for _ in table:
                if table.takes_bets and not table.stakes:
                    await table.bet("small", 1_000)
"""

from __future__ import annotations

from taisai.client.errors import ClientError, Lost, Refused
from taisai.client.ids import CommandIds

try:
    from taisai.client.session import Client, Session
    from taisai.client.table import Table
except ModuleNotFoundError as missing:
    if missing.name not in ("httpx", "websockets"):
        raise
    raise ModuleNotFoundError(
        "taisai.client needs the extra `client`: pip install 'taisai[client]'", name=missing.name
    ) from None
from taisai.protocol.answers import FloorCard, Me, TableCard
from taisai.protocol.messages import Change, Done, Notice, Snapshot
from taisai.protocol.messages import SecondPerson as Second
from taisai.view.patch import merged

__all__ = [
    "Change",
    "Client",
    "ClientError",
    "CommandIds",
    "Done",
    "FloorCard",
    "Lost",
    "Me",
    "Notice",
    "Refused",
    "Second",
    "Session",
    "Snapshot",
    "Table",
    "TableCard",
    "merged",
]
