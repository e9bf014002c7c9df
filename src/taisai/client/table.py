"""A table over the play socket: its view kept up to date, commands carried out once.

Enters: frames of the house. Leaves: the view, one's own chips, and answers. When the connection is lost it is made
again, the view goes on from the last record number, and commands without an answer are repeated with the ids that they
had: the house answers a repeat and does nothing twice. A disconnect cancels no bet.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
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
from taisai.view.patch import merged

TableMessage = Snapshot[Json] | Change | SeatUpdate[Json] | CrewUpdate[Json] | Notice
"""What a table tells, in the order of `async for`."""

PATIENCE_S: Final = 60.0
"""How long a lost connection is tried for."""
FIRST_WAIT_S: Final = 0.1
LONGEST_WAIT_S: Final = 5.0
MESSAGES_KEPT: Final = 1_000
"""Messages kept for whoever reads them late; older ones are left out, and the view is right all the same."""
MISBEHAVED: Final = 1008
PASSING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses that may be another after a while."""

_decode: Final = msgspec.json.Decoder(ReceivedMessage).decode
_encode: Final = msgspec.json.Encoder().encode


class _Asked(Struct):
    """A command without an answer yet."""

    again: str
    """What is sent after a lost connection."""
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
        """A player's own part: chips in hand, last round."""
        self.crew: Json = {}
        """What the crew sees beyond that."""
        self.until: Until | None = None
        self.mode = ""
        self.you: You | None = None
        self.connections = 0
        """How many times the connection was made."""
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
        """The record up to which an answer has told one's chips in hand."""
        self._closing = False

    # ------------------------------------------------------------------ coming and going

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
        """Leave; what stands on the felt stands."""
        self._closing = True
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        self._end(Lost("the table was left"))

    async def drop(self) -> None:
        """Cut the connection, as a bad network does: it is made again by itself."""
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
        """Wait until the view holds a record: an answer may come a moment before the change that it made."""
        while self.seq < seq:
            if self._over is not None:
                raise self._over
            self._heard.clear()
            await self._heard.wait()

    # ------------------------------------------------------------------ what is seen

    @property
    def phase(self) -> str:
        """The phase of the round: `betting` while bets are taken."""
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
        """One's own chips on the felt, by box."""
        found: dict[str, int] = self.view.get("stakes", {}).get(self.player or "", {})
        return found

    @property
    def funds(self) -> int:
        """One's own chips in hand."""
        return int(self.seat.get("funds", 0))

    @property
    def results(self) -> list[Json]:
        """Completed rounds, oldest first."""
        found: list[Json] = self.view.get("results", [])
        return found

    # ------------------------------------------------------------------ what is done

    async def do(
        self,
        action: Action,
        *,
        reason: str = "",
        second: SecondPerson | None = None,
        command_id: str = "",
        of_round: int | None = None,
    ) -> Done:
        """Have something done. Returns when it is on disk; `Refused` when the house or the book says no.

        What is said to be `of_round` is refused (`round-over`) in another round. A bet that goes out again after a lost
        connection is always of the round in which it was made.
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

    async def bet(self, box: str, amount: int, *, colour: str | None = None, of_round: int | None = None) -> Done:
        """Put chips into a box, or more of them. The view has them when this returns.

        `of_round=table.round` lets a bet that comes too late be refused instead of falling into the next round.
        """
        bet = PlaceBet(self._player(), box, amount, colour=colour)
        return await self._seen(await self.do(bet, of_round=of_round))

    async def withdraw(self, box: str, amount: int | None = None, *, of_round: int | None = None) -> Done:
        """Take chips back while bets are open; all of them when no amount is given."""
        return await self._seen(await self.do(WithdrawBet(self._player(), box, amount), of_round=of_round))

    async def _seen(self, done: Done) -> Done:
        await self.until_seq(done.seq)
        return done

    async def ping(self) -> int:
        """The house's time in microseconds; proof that it is there."""
        self._ping_number += 1
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._pings[self._ping_number] = answer
        await self._send(_encode(Ping(self._ping_number)).decode())
        return await answer

    def _player(self) -> str:
        if self.player is None:
            raise ValueError("only players bet for themselves: use do(PlaceBet(player, ...)) as crew")
        return self.player

    async def _send(self, frame: str) -> None:
        """Send now if there is a connection; what has no answer is sent again with the next one."""
        if self._socket is not None:
            with contextlib.suppress(ConnectionClosed):
                await self._socket.send(frame)

    # ------------------------------------------------------------------ the connection

    async def _keep_up(self) -> None:
        """Be connected until told otherwise, or until patience ends."""
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
        """One connection from its beginning to its end; why it ended. What waiting cannot mend is raised."""
        url = f"{self._url}?after={self.seq}" if self.view else self._url
        try:
            async with connect(
                url, additional_headers=self._headers, compression=None, max_size=None, open_timeout=10, proxy=None
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
                raise Lost("the house ended the connection: too many messages that it could not take") from error
            return Lost(f"the connection was lost: {error}")
        except (OSError, InvalidHandshake, TimeoutError) as error:
            return Lost(f"there is no house at {self._url}: {error}")
        finally:
            self._socket = None
        return Lost("the house ended the connection")

    async def _read(self, socket: ClientConnection) -> None:
        while True:
            frame = await socket.recv()
            try:
                message = _decode(frame)
            except msgspec.DecodeError as error:
                raise Lost(f"the house said something that this client does not know: {error}") from error
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
                # An answer came first, and knows better.
                self.seat = {**message.seat, "funds": self.seat["funds"]}
            case SeatUpdate():
                self.seat = message.seat
            case CrewUpdate():
                self.crew = message.crew
            case Notice():
                pass
        # A seat's or the crew's own part is sent right behind the table's.
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
        """Nothing more comes: everybody who waits is told."""
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
