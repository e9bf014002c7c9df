"""Between nodes: commands for tables that another node holds.

Enters: commands to forward, and commands that other nodes forward to this one. Leaves: their answers. There is one
WebSocket to each other node, opened with the house's shared secret; commands go out on it and answers come back by
number. When a connection breaks, everything in flight on it fails: the router repeats each command, by its id, at the
node that holds the table by then. A connection on which nothing arrives in time is given up as well.

Nodes of different versions understand each other. Each states its version when it connects, and unknown fields are
ignored, except in what a command asks for: there an unknown field could change the meaning, so the receiving node
refuses the command.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from typing import TYPE_CHECKING, Final

import msgspec
from starlette.datastructures import Headers
from starlette.types import Send
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus, WebSocketException

from taisai.floor.answers import Answer, HouseCode
from taisai.floor.live import Reply
from taisai.floor.router import NotAccepted
from taisai.protocol.peers import ForwardAnswer, Forwarded, ForwardNumber, peer_command
from taisai.table.commands import Command
from taisai.table.refusals import Refusal
from taisai.version import __version__
from taisai.web.errors import bad_message
from taisai.web.security import bearer
from taisai.web.socket.frames import text_frame
from taisai.web.socket.subscriber import Subscriber
from taisai.web.socket.transport import Transport

if TYPE_CHECKING:
    from taisai.web.context import Context

LOGGER = logging.getLogger("taisai.web")
PATH: Final = "/internal/forward"
OPEN_S: Final = 2.0
ANSWER_S: Final = 4.0
VERSION: Final = "taisai-version"
"""The header in which each end states its version."""
HOLDER: Final = "taisai-node"
"""The header in which each end states the name under which it holds its leases."""


_encode: Final = msgspec.json.Encoder().encode
_read_forwarded: Final = msgspec.json.Decoder(Forwarded).decode
_read_number: Final = msgspec.json.Decoder(ForwardNumber).decode
_read_answered: Final = msgspec.json.Decoder(ForwardAnswer).decode


class Peers:
    """Forwards commands to the other nodes."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self.version = __version__
        """The version that this node states."""
        self.holder = ""
        """The name that this node states: that of its leases."""
        self._peers: dict[str, _Peer] = {}

    async def __call__(self, address: str, table: str, command: Command) -> Answer:
        """Forward a command; raises `OSError` or `TimeoutError` when the node cannot be reached."""
        return await self._peer(address).ask(table, command)

    async def greet(self, address: str) -> str:
        """Open the connection to a node; the name of its leases, or nothing when its version does not state it."""
        return await self._peer(address).greet()

    def _peer(self, address: str) -> _Peer:
        peer = self._peers.get(address)
        if peer is None:
            headers = {"Authorization": f"Bearer {self._secret}", VERSION: self.version, HOLDER: self.holder}
            peer = self._peers[address] = _Peer(address, headers)
        return peer

    async def close(self) -> None:
        """Close all connections."""
        for peer in self._peers.values():
            await peer.close()


class _Peer:
    """The connection to one other node."""

    def __init__(self, address: str, headers: dict[str, str]) -> None:
        self._url = address.replace("http", "ws", 1) + PATH
        self._headers = headers
        self._answers = 0
        """How many have arrived; a command that times out while none does gives up the connection."""
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._connection: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._opening: asyncio.Task[ClientConnection] | None = None

    async def greet(self) -> str:
        response = (await self._connected()).response
        return "" if response is None else response.headers.get(HOLDER, "")

    async def ask(self, table: str, command: Command) -> Answer:
        connection = await self._connected()
        self._number += 1
        number = self._number
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        answers = self._answers
        try:
            async with asyncio.timeout(ANSWER_S):
                await connection.send(_encode(Forwarded(number, table, peer_command(command))).decode())
                return await future
        except TimeoutError:
            if answers == self._answers and self._connection is connection:
                self._give_up(connection)
            raise
        except WebSocketException as error:
            raise ConnectionError(str(error)) from error
        finally:
            self._waiting.pop(number, None)

    async def _connected(self) -> ClientConnection:
        """The open connection; callers that find none share one attempt to open it, and fail together with it."""
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
        except InvalidStatus as error:
            raise NotAccepted(f"{self._url}: {error}") from error
        except (WebSocketException, TimeoutError) as error:
            raise ConnectionError(f"{self._url}: {error}") from error
        answer = connection.response
        _note_version(self._url, self._headers[VERSION], "" if answer is None else answer.headers.get(VERSION, ""))
        self._connection = connection
        self._reader = asyncio.get_running_loop().create_task(self._read(connection))
        return connection

    def _opened(self, opening: asyncio.Task[ClientConnection]) -> None:
        self._opening = None
        if not opening.cancelled():
            opening.exception()  # marks it as retrieved; the callers that wait get it too

    def _give_up(self, connection: ClientConnection) -> None:
        """Nothing arrives: the network may drop packets silently. The next command opens a new connection."""
        LOGGER.warning("%s does not answer; giving up the connection", self._url)
        self._connection = None
        connection.transport.abort()
        self._fail_all()

    def _fail_all(self) -> None:
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ConnectionError("the connection to the other node broke"))

    async def _read(self, connection: ClientConnection) -> None:
        try:
            async for text in connection:
                answer = _read_answered(text)
                self._answers += 1
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


# ------------------------------------------------------------------ the receiving end


async def serve_peer(context: Context, headers: Headers, transport: Transport, send: Send) -> bool:
    """Carry out what another node forwards; false when the caller is no node of this house."""
    secret, nodes = context.settings.node.secret, context.floor.nodes
    if nodes is None or not secret:
        return False
    if not hmac.compare_digest((bearer(headers) or "").encode(), secret.encode()):
        return False
    _note_version("another node", context.peers.version, headers.get(VERSION, ""))
    nodes.greetings.heard.add(headers.get(HOLDER, ""))
    stated = [(VERSION, context.peers.version), (HOLDER, context.peers.holder)]
    await send({"type": "websocket.accept", "headers": [(name.encode(), text.encode()) for name, text in stated]})
    await transport.serve(_PeerSocket(context, transport).handle)
    return True


class _PeerSocket:
    """The connection from one other node."""

    def __init__(self, context: Context, transport: Transport) -> None:
        self._context, self._transport = context, transport
        self._subscriber = Subscriber(transport, None, None)

    def handle(self, raw: bytes) -> None:
        """Carry out a forwarded command, if this node holds its table."""
        context = self._context
        try:
            forwarded = _read_forwarded(raw)
        except msgspec.MsgspecError as error:
            self._refuse_unknown(raw, error)
            return
        reply = self._reply_to(forwarded.n)
        table = context.floor.tables.get(forwarded.table)
        if table is None or not table.owned:
            reply(Answer(0, refusal=Refusal(HouseCode.NOT_HELD, "This node does not hold the table.")))
            return
        # The node that writes sets the time, so that each table has one clock.
        asked = forwarded.command
        command = Command(
            id=asked.id,
            at=max(context.clock.now(), table.state.at),
            by=asked.by.person,
            do=asked.do,
            authorised_by=None if asked.authorised_by is None else asked.authorised_by.person,
            reason=asked.reason,
            round=asked.round,
        )
        context.floor.submit_here(table, command, reply)

    def _refuse_unknown(self, raw: bytes, error: msgspec.MsgspecError) -> None:
        LOGGER.warning("another node sent a message that cannot be decoded: %s", error)
        try:
            number = _read_number(raw).n
        except msgspec.MsgspecError:  # without a number there is nothing to answer
            self._transport.abort()
            return
        version, why = self._context.peers.version, bad_message(error).sentence
        sentence = f"The node that holds the table ({version}) does not know this command: {why}."
        self._reply_to(number)(Answer(0, refusal=Refusal(HouseCode.BAD_MESSAGE, sentence)))

    def _reply_to(self, number: int) -> Reply:
        def reply(answer: Answer) -> None:
            answered = ForwardAnswer(number, answer.seq, answer.refusal, answer.repeated)
            self._subscriber.reply(text_frame(_encode(answered)))

        return reply


def _note_version(who: str, ours: str, theirs: str) -> None:
    """Log that two versions run side by side, as they do during an upgrade."""
    if theirs != ours:
        LOGGER.warning("%s is of version %s, this node of %s", who, theirs or "unknown", ours)
