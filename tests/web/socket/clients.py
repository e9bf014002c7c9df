"""Clients of the play socket as the tests drive them: raw messages over a real socket, and a transport held by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from taisai.client import Session
from taisai.table import commands as c
from taisai.web.socket.frames import text_in
from tests.web.serving import Running, open_house

Frame = dict[str, Any]


@asynccontextmanager
async def raw(running: Running, table: str, who: Session | None, after: int | str | None = None) -> AsyncIterator[Raw]:
    """A play socket, without the Python client."""
    headers = {} if who is None else {"authorization": f"Bearer {who.token}"}
    query = "" if after is None else f"?after={after}"
    url = f"ws{running.address.removeprefix('http')}/play/{table}{query}"
    async with connect(url, additional_headers=headers, compression=None, proxy=None) as socket:
        yield Raw(socket)


class Raw:
    """Sends and reads single messages."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def send(self, *frames: str | bytes | Frame) -> None:
        """Send messages, whatever they are."""
        for frame in frames:
            await self.socket.send(frame if isinstance(frame, (str, bytes)) else msgspec.json.encode(frame).decode())

    async def next(self, *kinds: str) -> Frame:
        """The next message of one of these kinds."""
        while True:
            found: Frame = msgspec.json.decode(await self.socket.recv())
            if found["t"] in kinds:
                return found

    async def until_pong(self, number: int = 7) -> list[Frame]:
        """Everything up to the answer to a ping sent now."""
        await self.send({"t": "ping", "n": number})
        found: list[Frame] = []
        while True:
            frame = msgspec.json.decode(await self.socket.recv())
            if frame["t"] == "pong" and frame["n"] == number:
                return found
            found.append(frame)

    async def until_end(self) -> tuple[list[Frame], int | None]:
        """Everything up to the end of the connection, and the code with which the house closed it."""
        found: list[Frame] = []
        try:
            while True:
                found.append(msgspec.json.decode(await self.socket.recv()))
        except ConnectionClosed as ended:
            return found, None if ended.rcvd is None else ended.rcvd.code

    async def refused(self, frame: str | bytes | Frame) -> Frame:
        """The refusal that answers a message."""
        await self.send(frame)
        return await self.next("refused")


def bet(command_id: str, player: str = "ann", box: str = "small", amount: int = 100) -> Frame:
    """A bet, as a message."""
    return {"t": "do", "id": command_id, "do": {"do": "place-bet", "player": player, "box": box, "amount": amount}}


@asynccontextmanager
async def betting(settings: Any = None) -> AsyncIterator[tuple[Running, Session, Session]]:
    """A house with one table where bets are open, and ann and bob seated."""
    async with open_house(settings) as running:
        await running.ready_table("T1")
        ann, bob = await running.seat("ann"), await running.seat("bob")
        await running.crew["dan"].do("T1", c.OpenBets())
        yield running, ann, bob


class Pipe:
    """A transport held by hand: its buffer is open, or full until the test reads."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.is_full = False
        self.takes_one = False
        """Full after one frame more."""
        self.is_aborted = False
        self.on_drained: Callable[[], None] | None = None

    def write(self, frame: bytes) -> bool:
        """Keep what the server sends."""
        self.frames.append(msgspec.json.decode(text_in(frame)))
        self.is_full = self.takes_one
        return True

    async def serve(self, on_text: Callable[[bytes], None]) -> None:
        """Nobody sends anything here."""

    async def close(self, code: int) -> None:
        """Nobody is closed here."""

    def abort(self) -> None:
        """Remember that the client was dropped."""
        self.is_aborted = True

    def read(self) -> None:
        """Read all of it."""
        self.is_full = self.takes_one = False
        if self.on_drained is not None:
            self.on_drained()
