"""A table over the play socket: its view is kept up to date, and commands are carried out once.

Enters: messages of the server. Leaves: the view, the player's own chips, and answers. After a lost connection the
client reconnects, resumes the view from the last record number, and repeats unanswered commands with their ids: the
server answers a repeat and does nothing twice. A disconnect cancels no bet.

Views are kept as JSON objects, because merge patches are applied to them and a newer server may send more than this
client knows. `public_view`, `seat_view` and `crew_view` read them as typed values.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
from collections import deque
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from taisai.client.errors import ClientError, Lost, Refused, refused_by
from taisai.client.ids import CommandIds
from taisai.core.fair import CONTRIBUTION_BYTES
from taisai.protocol.messages import (
    Change,
    CrewUpdate,
    Do,
    Done,
    Hello,
    Json,
    Notice,
    Ping,
    Pong,
    ReceivedMessage,
    SeatUpdate,
    SecondPerson,
    Snapshot,
    Until,
    Watch,
    You,
)
from taisai.protocol.messages import Refused as RefusedMessage
from taisai.table.commands import Action, PlaceBet, WithdrawBet
from taisai.view.crew import CrewView
from taisai.view.patch import merged
from taisai.view.public import PublicView
from taisai.view.seat import SeatView

TableMessage = Snapshot[Json] | Change | SeatUpdate[Json] | CrewUpdate[Json] | Notice
"""What `async for` yields, in order."""

PATIENCE_S: Final = 60.0
"""How long the client tries to reconnect."""
FIRST_WAIT_S: Final = 0.1
LONGEST_WAIT_S: Final = 5.0
PING_S: Final = 0.8
PONG_S: Final = 1.4
"""How often the server is pinged, and how long its answer may take: a frozen node is left after both."""
OPEN_S: Final = 3.5
"""How long a handshake may take: longer than a proxy needs to give one node up and ask the next."""
MESSAGES_KEPT: Final = 1_000
"""Messages buffered for `async for`; when more arrive the oldest are dropped, and the view is right all the same."""
MISBEHAVED: Final = 1008
CLOSE_S: Final = 0.2
"""How long a silent server is waited for when the connection is closed: commands are waiting for the next one."""
PASSING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
"""HTTP statuses after which it is worth trying again."""

_decode: Final = msgspec.json.Decoder(ReceivedMessage).decode
_encode: Final = msgspec.json.Encoder().encode


class _Asked(Struct):
    """A command that is not answered yet."""

    again: str
    """The frame that is sent after a reconnect."""
    answer: asyncio.Future[Done]


class Table:
    """One table, live. Use it as `async with session.table() as table`."""

    def __init__(
        self,
        address: str,
        name: str,
        *,
        token: str = "",
        ids: CommandIds | None = None,
        player: str | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self.name = name
        self.player = player
        self.seq = 0
        """The number of the table's last record in the view."""
        self.view: Json = {}
        """The table as everybody sees it."""
        self.seat: Json = {}
        """The player's own view: chips in hand, last round."""
        self.crew: Json = {}
        """What the crew sees beyond the public view."""
        self.until: Until | None = None
        """What an automatic dealer does next, and when."""
        self.mode = ""
        self.you: You | None = None
        self.connections = 0
        """How often the client has connected."""
        self._url = f"ws{address.removeprefix('http')}/play/{quote(name)}"
        self._headers = {"authorization": f"Bearer {token}"} if token else {}
        self._ids = ids or CommandIds()
        self._patience_s = patience_s
        self._asked: dict[str, _Asked] = {}
        self._pings: dict[int, asyncio.Future[int]] = {}
        self._ping_number = 0
        self._messages: deque[TableMessage] = deque(maxlen=MESSAGES_KEPT)
        self._heard = asyncio.Event()
        self._ready = asyncio.Event()
        self._socket: ClientConnection | None = None
        self._task: asyncio.Task[None] | None = None
        self._over: ClientError | None = None
        self._funds_seq = 0
        """The record number of the last answer that told the player's chips in hand."""
        self._closing = False
        self._drawn: tuple[int, str] | None = None
        """Round and contribution: what this client brings to the virtual dice."""

    # ------------------------------------------------------------------ joining and leaving

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._keep_up())
        await self._ready.wait()
        if self._over is not None:
            await self.close()
            raise self._over
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Disconnect; bets on the felt stand."""
        self._closing = True
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        self._end(Lost("the client left the table"))

    async def drop(self) -> None:
        """Cut the connection as a bad network does; the client reconnects by itself."""
        if self._socket is not None:
            self._socket.transport.abort()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> TableMessage:
        while not self._messages:
            if self._closing:
                raise StopAsyncIteration
            if self._over is not None:
                raise self._over
            self._heard.clear()
            await self._heard.wait()
        return self._messages.popleft()

    async def until_seq(self, seq: int) -> None:
        """Wait until the view has a record: an answer may arrive a moment before the change that it made."""
        while self.seq < seq:
            if self._over is not None:
                raise self._over
            self._heard.clear()
            await self._heard.wait()

    # ------------------------------------------------------------------ views

    def public_view(self) -> PublicView:
        """The view as a typed value; raises `msgspec.ValidationError` if the server's view does not fit this client."""
        return msgspec.convert(self.view, PublicView)

    def seat_view(self) -> SeatView:
        """The player's own view as a typed value."""
        return msgspec.convert(self.seat, SeatView)

    def crew_view(self) -> CrewView:
        """The crew's view as a typed value."""
        return msgspec.convert(self.crew, CrewView, str_keys=True)

    @property
    def phase(self) -> str:
        """The phase of the round: `betting` while bets are open."""
        return str(self.view.get("round", {}).get("phase", ""))

    @property
    def takes_bets(self) -> bool:
        """Whether bets are open."""
        return self.phase == "betting" and not self.view["round"].get("interrupted")

    @property
    def round(self) -> int:
        """The number of the round."""
        return int(self.view.get("round", {}).get("number", 0))

    @property
    def stakes(self) -> dict[str, int]:
        """The player's own chips on the felt, by box."""
        found: dict[str, int] = self.view.get("stakes", {}).get(self.player or "", {})
        return found

    @property
    def funds(self) -> int:
        """The player's own chips in hand."""
        return int(self.seat.get("funds", 0))

    @property
    def results(self) -> list[Json]:
        """Completed rounds, oldest first."""
        found: list[Json] = self.view.get("results", [])
        return found

    # ------------------------------------------------------------------ commands

    async def do(
        self,
        action: Action,
        *,
        reason: str = "",
        second: SecondPerson | None = None,
        command_id: str = "",
        of_round: int | None = None,
    ) -> Done:
        """Carry out a command. Returns when it is on disk; raises `Refused` when the server or the book refuses.

        A command with `of_round` is refused (`round-over`) in any other round. A bet that is repeated after a
        reconnect is always meant for the round in which it was made.
        """
        if self._over is not None:
            raise self._over
        chosen = command_id or self._ids()
        asked = Do(chosen, action, reason, second, of_round)
        earlier = self._asked.get(chosen)
        answer = asyncio.get_running_loop().create_future() if earlier is None else earlier.answer
        if earlier is None:
            is_bet = self.takes_bets and isinstance(action, (PlaceBet, WithdrawBet))
            again = replace(asked, round=self.round) if is_bet and of_round is None else asked
            self._asked[chosen] = _Asked(_encode(again).decode(), answer)
            await self._send(_encode(asked).decode())
        try:
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            self._asked.pop(chosen, None)
            raise

    @property
    def contribution(self) -> str | None:
        """The client's own part in the virtual dice of the round on view, drawn here; None where dice are physical."""
        if not self.view.get("round", {}).get("commitment"):
            return None
        if self._drawn is None or self._drawn[0] != self.round:
            self._drawn = (self.round, secrets.token_hex(CONTRIBUTION_BYTES))
        return self._drawn[1]

    async def bet(self, box: str, amount: int, *, colour: str | None = None, of_round: int | None = None) -> Done:
        """Put chips into a box, or more of them. The view has them when this returns.

        With `of_round=table.round` a bet that arrives too late is refused; otherwise it counts for the next round.
        """
        bet = PlaceBet(self._player(), box, amount, colour=colour, contribution=self.contribution)
        return await self._seen(await self.do(bet, of_round=of_round))

    async def withdraw(self, box: str, amount: int | None = None, *, of_round: int | None = None) -> Done:
        """Take chips back while bets are open; all of them if no amount is given."""
        return await self._seen(await self.do(WithdrawBet(self._player(), box, amount), of_round=of_round))

    async def _seen(self, done: Done) -> Done:
        await self.until_seq(done.seq)
        return done

    async def ping(self) -> int:
        """Ask whether the server is there; returns its time in microseconds."""
        self._ping_number += 1
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._pings[self._ping_number] = answer
        await self._send(_encode(Ping(self._ping_number)).decode())
        return await answer

    def _player(self) -> str:
        if self.player is None:
            raise ValueError("only a player bets this way: as crew, use do(PlaceBet(player, ...))")
        return self.player

    async def _send(self, frame: str) -> None:
        """Send if there is a connection; unanswered commands are sent again on the next one."""
        if self._socket is not None:
            with contextlib.suppress(ConnectionClosed):
                await self._socket.send(frame)

    # ------------------------------------------------------------------ the connection

    async def _keep_up(self) -> None:
        """Stay connected until the table is left, or reconnecting has failed for too long."""
        loop = asyncio.get_running_loop()
        wait, until = FIRST_WAIT_S, loop.time() + self._patience_s
        try:
            while True:
                before = self.connections
                failure = await self._connected_once()
                if self.connections > before:
                    wait, until = FIRST_WAIT_S, loop.time() + self._patience_s
                elif loop.time() + wait > until:
                    raise failure
                await asyncio.sleep(wait * random.uniform(0.5, 1.0))
                wait = min(wait * 2, LONGEST_WAIT_S)
        except ClientError as error:
            self._end(error)

    async def _connected_once(self) -> ClientError:
        """Run one connection; returns why it ended, or raises what trying again cannot help."""
        url = f"{self._url}?after={self.seq}" if self.view else self._url
        try:
            async with connect(
                url,
                additional_headers=self._headers,
                compression=None,
                max_size=None,
                open_timeout=OPEN_S,
                ping_interval=PING_S,
                ping_timeout=PONG_S,
                close_timeout=CLOSE_S,
                proxy=None,
            ) as socket:
                self._socket = socket
                await self._read(socket)
        except InvalidStatus as error:
            refused = refused_by(error.response.status_code, bytes(error.response.body or b""))
            if error.response.status_code not in PASSING:
                raise refused from error
            return refused
        except ConnectionClosed as error:
            if error.rcvd is not None and error.rcvd.code == MISBEHAVED:
                raise Lost("the server ended the connection: too many messages that it could not take") from error
            return Lost(f"the connection was lost: {error}")
        except (OSError, InvalidHandshake, TimeoutError) as error:
            return Lost(f"there is no server at {self._url}: {error}")
        finally:
            self._socket = None
        return Lost("the server ended the connection")

    async def _read(self, socket: ClientConnection) -> None:
        while True:
            frame = await socket.recv()
            try:
                message = _decode(frame)
            except msgspec.DecodeError as error:
                raise Lost(f"the server sent a message that this client does not know: {error}") from error
            if isinstance(message, Hello):
                self._greeted(message)
                for asked in list(self._asked.values()):
                    await socket.send(asked.again)
            else:
                await self._hear(socket, message)

    def _greeted(self, hello: Hello) -> None:
        self.connections += 1
        self.mode, self.you = hello.mode, hello.you

    async def _hear(self, socket: ClientConnection, message: Any) -> None:
        match message:
            case Done():
                if message.funds is not None and not message.repeated and message.seq > self._funds_seq:
                    self._funds_seq, self.seat = message.seq, {**self.seat, "funds": message.funds}
                self._answer(message.id, message)
            case RefusedMessage():
                self._answer(message.id, _refused(message))
            case Pong():
                ping = self._pings.pop(message.n, None)
                if ping is not None and not ping.done():
                    ping.set_result(message.now)
            case Change() if message.after != self.seq:
                await socket.send(_encode(Watch()).decode())
            case Snapshot() | Change() | SeatUpdate() | CrewUpdate() | Notice():
                self._apply(message)
                self._messages.append(message)
                self._heard.set()

    def _apply(self, message: TableMessage) -> None:
        match message:
            case Snapshot():
                self.seq, self.view, self.until = message.seq, message.view, message.until
            case Change():
                self.seq, self.view, self.until = message.seq, merged(self.view, message.patch), message.until
            case SeatUpdate() if message.seq < self._funds_seq:
                # An answer about a later record came first; its balance is newer.
                self.seat = {**message.seat, "funds": self.seat["funds"]}
            case SeatUpdate():
                self.seat = message.seat
            case CrewUpdate():
                self.crew = message.crew
            case Notice():
                pass
        # Players and crew are sent their own view right after the public one.
        if self.view and (self.you is None or self.seat or self.crew):
            self._ready.set()

    def _answer(self, command_id: str, found: Done | Refused) -> None:
        asked = self._asked.pop(command_id, None)
        if asked is None or asked.answer.done():
            return
        if isinstance(found, Refused):
            asked.answer.set_exception(found)
        else:
            asked.answer.set_result(found)

    def _end(self, error: ClientError) -> None:
        """Fail everything that waits: nothing more will come."""
        self._over = self._over or error
        asked, self._asked = self._asked, {}
        for command_id, each in asked.items():
            if not each.answer.done():
                each.answer.set_exception(error if isinstance(error, Refused) else Lost(str(error), command_id))
        pings, self._pings = self._pings, {}
        for ping in pings.values():
            if not ping.done():
                ping.set_exception(error)
        self._ready.set()
        self._heard.set()


def _refused(message: RefusedMessage) -> Refused:
    return Refused(
        message.code, message.sentence, clauses=message.clauses, allowed=message.allowed, field=message.field
    )
