"""Between nodes: commands for tables that another node holds.

One WebSocket to each other node, on which commands go out and outcomes come back by number; the house's shared secret
opens it. A connection that breaks fails what was on its way: the asker repeats it, by its id, to whoever holds the
table then.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from starlette.datastructures import Headers
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from taisai.floor.answers import Fault, HouseCode, Outcome
from taisai.floor.live import Reply
from taisai.table.actions import Command
from taisai.web.channel import Connection
from taisai.web.security import bearer

if TYPE_CHECKING:
    from taisai.web.house import House

LOGGER = logging.getLogger("taisai.web")
PATH: Final = "/internal/forward"
OPEN_S: Final = 2.0
ANSWER_S: Final = 6.0


class Handed(Struct, frozen=True):
    """A command for a table of the node that is asked."""

    n: int
    table: str
    command: Command


class Answered(Struct, frozen=True):
    """What became of it."""

    n: int
    seq: int
    fault: Fault | None = None
    repeated: bool = False


_encode: Final = msgspec.json.Encoder().encode
_read_handed: Final = msgspec.json.Decoder(Handed).decode
_read_answered: Final = msgspec.json.Decoder(Answered).decode


class Peers:
    """The other nodes, as they are reached from here."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._peers: dict[str, _Peer] = {}

    async def __call__(self, address: str, table: str, command: Command) -> Outcome:
        """Hand a command on; an `OSError` or a time-out when the node is not there."""
        peer = self._peers.get(address)
        if peer is None:
            peer = self._peers[address] = _Peer(address, self._secret)
        return await peer.ask(table, command)

    async def close(self) -> None:
        """Let go of all connections."""
        for peer in self._peers.values():
            await peer.close()


class _Peer:
    def __init__(self, address: str, secret: str) -> None:
        self._url = address.replace("http", "ws", 1) + PATH
        self._secret = secret
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Outcome]] = {}
        self._connection: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()

    async def ask(self, table: str, command: Command) -> Outcome:
        connection = await self._connected()
        self._number += 1
        number = self._number
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        try:
            async with asyncio.timeout(ANSWER_S):
                await connection.send(_encode(Handed(number, table, command)).decode())
                return await future
        except WebSocketException as error:
            raise ConnectionError(str(error)) from error
        finally:
            self._waiting.pop(number, None)

    async def _connected(self) -> ClientConnection:
        async with self._opening:
            if self._connection is None:
                headers = {"Authorization": f"Bearer {self._secret}"}
                try:
                    self._connection = await connect(
                        self._url, additional_headers=headers, open_timeout=OPEN_S, compression=None, proxy=None
                    )
                except (WebSocketException, TimeoutError) as error:
                    raise ConnectionError(f"{self._url}: {error}") from error
                self._reader = asyncio.get_running_loop().create_task(self._read(self._connection))
            return self._connection

    async def _read(self, connection: ClientConnection) -> None:
        try:
            async for text in connection:
                answer = _read_answered(text)
                future = self._waiting.get(answer.n)
                if future is not None and not future.done():
                    future.set_result(Outcome(answer.seq, fault=answer.fault, repeated=answer.repeated))
        except (WebSocketException, msgspec.MsgspecError) as error:
            LOGGER.debug("%s: %s", self._url, error)
        finally:
            self._connection = None
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(ConnectionError("the other node is gone"))

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()
        if self._reader is not None:
            self._reader.cancel()


# ------------------------------------------------------------------ the other end

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


async def serve_peer(house: House, headers: Headers, receive: Receive, send: Send) -> bool:
    """Carry out what another node hands on; false when it is none of ours."""
    secret = house.settings.node.secret
    if house.floor.nodes is None or not secret:
        return False
    if not hmac.compare_digest((bearer(headers) or "").encode(), secret.encode()):
        return False
    await send({"type": "websocket.accept"})
    connection = Connection(send, None, None)

    def reply_to(number: int) -> Reply:
        def reply(outcome: Outcome) -> None:
            answer = Answered(number, outcome.seq, outcome.fault, outcome.repeated)
            connection.reply(_encode(answer).decode())

        return reply

    while True:
        message = await receive()
        if message["type"] != "websocket.receive":
            return True
        try:
            handed = _read_handed(message.get("text") or message.get("bytes") or b"")
        except msgspec.MsgspecError as error:
            LOGGER.warning("another node sent what cannot be read: %s", error)
            return True
        table = house.floor.tables.get(handed.table)
        if table is None or not table.owned:
            fault = Fault(HouseCode.NOT_HELD, "This node does not hold the table.")
            reply_to(handed.n)(Outcome(0, fault=fault))
            continue
        # The time is that of the node that writes: one clock a table.
        command = replace(handed.command, at=max(house.clock.now(), table.state.at))
        house.floor.submit_here(table, command, reply_to(handed.n))
