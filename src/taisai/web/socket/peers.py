"""Between nodes: commands for tables that another node holds.

One WebSocket to each other node, on which commands go out and answers come back by number; the house's shared secret
opens it. A connection that breaks fails what was on its way: the asker repeats it, by its id, to whoever holds the
table then. One on which nothing is heard in time is given up, too.

Nodes of different versions understand each other: each says its version when it connects, and a field that the other
does not know is left alone, but for what a command asks to be done. There a field may change everything: who does not
know it says so, and does nothing.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct, field
from starlette.datastructures import Headers
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from taisai import __version__
from taisai.floor.answers import Answer, HouseCode
from taisai.floor.live import Reply
from taisai.table.commands import Action, Command
from taisai.table.people import Person
from taisai.table.refusals import Refusal
from taisai.web.security import bearer
from taisai.web.socket.feed import Connection
from taisai.web.socket.transport import Line, text_frame

if TYPE_CHECKING:
    from taisai.web.context import Context

LOGGER = logging.getLogger("taisai.web")
PATH: Final = "/internal/forward"
OPEN_S: Final = 2.0
ANSWER_S: Final = 6.0


VERSION: Final = "taisai-version"
"""The header in which each end says what it is."""


class PeerCommand(Struct, frozen=True, kw_only=True):
    """A `Command` as another version may send it: with more fields than are known here."""

    id: str
    at: int
    by: Person
    do: Action
    authorised_by: Person | None = None
    reason: str = ""
    round: int | None = None


class Handed(Struct, frozen=True):
    """A command for a table of the node that is asked."""

    n: int
    table: str
    command: PeerCommand


class Answered(Struct, frozen=True):
    """What became of it."""

    n: int
    seq: int
    refusal: Refusal | None = field(name="fault", default=None)
    repeated: bool = False


class _OnlyNumber(Struct, frozen=True):
    n: int


_encode: Final = msgspec.json.Encoder().encode
_read_handed: Final = msgspec.json.Decoder(Handed).decode
_read_number: Final = msgspec.json.Decoder(_OnlyNumber).decode
_read_answered: Final = msgspec.json.Decoder(Answered).decode


class Peers:
    """The other nodes, as they are reached from here."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self.version = __version__
        """What this node says that it is."""
        self._peers: dict[str, _Peer] = {}

    async def __call__(self, address: str, table: str, command: Command) -> Answer:
        """Hand a command on; an `OSError` or a time-out when the node is not there."""
        peer = self._peers.get(address)
        if peer is None:
            peer = self._peers[address] = _Peer(address, self._secret, self.version)
        return await peer.ask(table, command)

    async def close(self) -> None:
        """Let go of all connections."""
        for peer in self._peers.values():
            await peer.close()


class _Peer:
    def __init__(self, address: str, secret: str, version: str) -> None:
        self._url = address.replace("http", "ws", 1) + PATH
        self._headers = {"Authorization": f"Bearer {secret}", VERSION: version}
        self._version = version
        self._heard = 0
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._connection: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._opening: asyncio.Task[ClientConnection] | None = None

    async def ask(self, table: str, command: Command) -> Answer:
        connection = await self._connected()
        self._number += 1
        number = self._number
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        heard = self._heard
        try:
            async with asyncio.timeout(ANSWER_S):
                await connection.send(_encode(Handed(number, table, _plain(command))).decode())
                return await future
        except TimeoutError:
            if heard == self._heard and self._connection is connection:
                self._give_up(connection)
            raise
        except WebSocketException as error:
            raise ConnectionError(str(error)) from error
        finally:
            self._waiting.pop(number, None)

    async def _connected(self) -> ClientConnection:
        """The connection; all who ask while there is none wait for one attempt, and hear together when it fails."""
        if self._connection is not None:
            return self._connection
        if self._opening is None:
            self._opening = asyncio.get_running_loop().create_task(self._open())
            self._opening.add_done_callback(self._opened)
        return await asyncio.shield(self._opening)

    async def _open(self) -> ClientConnection:
        try:
            connection = await connect(
                self._url, additional_headers=self._headers, open_timeout=OPEN_S, compression=None, proxy=None
            )
        except (WebSocketException, TimeoutError) as error:
            raise ConnectionError(f"{self._url}: {error}") from error
        answer = connection.response
        _note_version(self._url, self._version, "" if answer is None else answer.headers.get(VERSION, ""))
        self._connection = connection
        self._reader = asyncio.get_running_loop().create_task(self._read(connection))
        return connection

    def _opened(self, opening: asyncio.Task[ClientConnection]) -> None:
        self._opening = None
        if not opening.cancelled():
            opening.exception()  # whoever still waits has it

    def _give_up(self, connection: ClientConnection) -> None:
        """Nothing is heard: the way may be cut without a word. Whoever asks next tries a new one."""
        LOGGER.warning("%s does not answer: the connection is given up", self._url)
        self._connection = None
        connection.transport.abort()
        self._fail_all()

    def _fail_all(self) -> None:
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ConnectionError("the other node is gone"))

    async def _read(self, connection: ClientConnection) -> None:
        try:
            async for text in connection:
                answer = _read_answered(text)
                self._heard += 1
                future = self._waiting.get(answer.n)
                if future is not None and not future.done():
                    future.set_result(Answer(answer.seq, refusal=answer.refusal, repeated=answer.repeated))
        except (WebSocketException, msgspec.MsgspecError) as error:
            LOGGER.debug("%s: %s", self._url, error)
        finally:
            if self._connection in (None, connection):
                self._connection = None
                self._fail_all()

    async def close(self) -> None:
        if self._opening is not None:
            self._opening.cancel()
        if self._connection is not None:
            await self._connection.close()
        if self._reader is not None:
            self._reader.cancel()


# ------------------------------------------------------------------ the other end

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


async def serve_peer(context: Context, headers: Headers, line: Line, receive: Receive, send: Send) -> bool:
    """Carry out what another node hands on; false when it is none of ours."""
    secret = context.settings.node.secret
    if context.floor.nodes is None or not secret:
        return False
    if not hmac.compare_digest((bearer(headers) or "").encode(), secret.encode()):
        return False
    _note_version("another node", context.peers.version, headers.get(VERSION, ""))
    await send({"type": "websocket.accept", "headers": [(VERSION.encode(), context.peers.version.encode())]})
    connection = Connection(line, None, None)

    def reply_to(number: int) -> Reply:
        def reply(answer: Answer) -> None:
            told = Answered(number, answer.seq, answer.refusal, answer.repeated)
            connection.reply(text_frame(_encode(told)))

        return reply

    while True:
        message = await receive()
        if message["type"] != "websocket.receive":
            return True
        raw = message.get("text") or message.get("bytes") or b""
        try:
            handed = _read_handed(raw)
        except msgspec.MsgspecError as error:
            LOGGER.warning("another node sent what cannot be read: %s", error)
            try:
                number = _read_number(raw).n
            except msgspec.MsgspecError:
                return True
            sentence = f"The node that holds the table ({context.peers.version}) does not know this command: {error}."
            reply_to(number)(Answer(0, refusal=Refusal(HouseCode.BAD_MESSAGE, sentence)))
            continue
        table = context.floor.tables.get(handed.table)
        if table is None or not table.owned:
            refusal = Refusal(HouseCode.NOT_HELD, "This node does not hold the table.")
            reply_to(handed.n)(Answer(0, refusal=refusal))
            continue
        # The time is that of the node that writes: one clock a table.
        asked = handed.command
        command = Command(
            id=asked.id,
            at=max(context.clock.now(), table.state.at),
            by=asked.by,
            do=asked.do,
            authorised_by=asked.authorised_by,
            reason=asked.reason,
            round=asked.round,
        )
        context.floor.submit_here(table, command, reply_to(handed.n))


def _plain(command: Command) -> PeerCommand:
    return PeerCommand(
        id=command.id,
        at=command.at,
        by=command.by,
        do=command.do,
        authorised_by=command.authorised_by,
        reason=command.reason,
        round=command.round,
    )


def _note_version(who: str, ours: str, theirs: str) -> None:
    """Two versions side by side are what an upgrade looks like; the log should say so."""
    if theirs != ours:
        LOGGER.warning("%s is of version %s, this node of %s", who, theirs or "unknown", ours)
