"""The play socket: one connection to one table.

Enters: frames of a client. Leaves: answers and the table's stream. Every frame is checked: size, rate, form, role,
table and seat; what is not right is refused with a word, and a client that keeps on is dropped. A disconnect cancels
nothing: what was sent and accepted stands.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from time import monotonic
from typing import Any, Final

import msgspec

from taisai import __version__
from taisai.floor.answers import Answer, HouseCode
from taisai.floor.clock import Clock
from taisai.floor.live import LiveTable
from taisai.house.sessions import Session
from taisai.table.commands import Command
from taisai.table.people import Person
from taisai.table.refusals import Refusal
from taisai.web.context import Context
from taisai.web.socket.feed import Channel, Connection
from taisai.web.socket.frames import Do, Done, Hello, Ping, Pong, Refused, Watch, You, decode_client, field_of, frame_of
from taisai.web.socket.transport import Line

LOGGER = logging.getLogger("taisai.web")
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

POLICY: Final = 1008
FAULTS_MAX: Final = 20
"""Frames that cannot be read before a client is dropped."""
GOODBYE_S: Final = 2.0
"""How long a client that is dropped has to take the word."""


class Inbox:
    """The frames of all clients that one turn of the event loop brings, heard one after the other at its end.

    The loop lets go of the interpreter's lock at every socket that it reads from. Heard together, frames keep it until
    all are decided, and what they bring about is written together.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._frames: list[tuple[PlaySocket, bytes]] = []

    def put(self, socket: PlaySocket, raw: bytes) -> None:
        """Have a frame heard."""
        if not self._frames:
            asyncio.get_running_loop().call_soon(self._hear)
        self._frames.append((socket, raw))

    def _hear(self) -> None:
        frames, self._frames = self._frames, []
        at, now = self._clock.now(), monotonic()
        for socket, raw in frames:
            try:
                socket.hear(raw, at, now)
            except Exception:  # a fault of ours: the others are heard all the same
                LOGGER.exception("a frame could not be handled")
                socket.cut()


class PlaySocket:
    """One client at one table."""

    def __init__(self, context: Context, table: LiveTable, session: Session | None, line: Line, send: Send) -> None:
        self._context = context
        self._table = table
        self._session = session
        self._person: Person | None = None
        player = None
        if session is not None and session.reaches(table.name):
            self._person = session.person
            player = session.who if session.is_player else None
        self._line = line
        self._send = send
        limits = context.settings.limits
        self.connection = Connection(line, self._person, player, outbox_max=limits.queue_per_client)
        if session is not None:
            self.connection.is_trusted = partial(_is_good, context, session.key)
        self._channel: Channel = context.channel(table.name)
        self._rate, self._burst = float(limits.commands_per_second), float(limits.commands_burst)
        self._tokens, self._filled_at = self._burst, monotonic()
        self._frame_bytes = limits.frame_bytes
        self._faults = 0
        self._dropped = False

    async def run(self, receive: Receive, after: int | None, inbox: Inbox) -> None:
        """Serve the client until it goes."""
        connection = self.connection
        you = None
        if self._person is not None:
            you = You(self._person.id, self._person.role, connection.player)
        now = self._context.clock.now()
        connection.push(
            frame_of(Hello(self._table.name, you, self._context.floor.mode(self._table.name), now, __version__))
        )
        self._channel.join(connection, after)
        # A client that does not keep up is cut: a word of goodbye would wait behind everything that it does not read.
        connection.dropped = self._line.cut
        put = self._line.heard = partial(inbox.put, self)
        try:
            # What came before there was somebody to hear it comes this way; then only the end does.
            while (message := await receive())["type"] == "websocket.receive":
                text = message.get("text")
                put(message.get("bytes") or b"" if text is None else text.encode())
        finally:
            self._line.heard = None
            connection.over()
            self._channel.leave(connection)

    async def _close(self, code: int) -> None:
        try:
            async with asyncio.timeout(GOODBYE_S):
                await self._send({"type": "websocket.close", "code": code})
        except Exception:  # it is gone already, or does not read
            LOGGER.debug("a dropped client was gone already")
            self._line.cut()

    def cut(self) -> None:
        """End the connection at once."""
        self._line.cut()

    # ------------------------------------------------------------------ frames

    def hear(self, raw: bytes, at: int, now: float) -> None:
        """A frame has come, at this time by the house's clock and by the steady one."""
        if self._dropped:
            return
        if len(raw) > self._frame_bytes:
            self._fault("", Refusal(HouseCode.TOO_LARGE, f"A frame has at most {self._frame_bytes} bytes."))
            return
        # A bucket of tokens that fills with time.
        tokens = min(self._burst, self._tokens + (now - self._filled_at) * self._rate)
        self._filled_at = now
        self._tokens = tokens if tokens < 1 else tokens - 1
        if tokens < 1:
            self._fault(
                _id_in(raw), Refusal(HouseCode.TOO_FAST, "Too many messages: slow down.", allowed="in a second")
            )
            return
        try:
            message = decode_client(raw)
        except msgspec.ValidationError as error:
            sentence, place = field_of(error)
            self._fault(_id_in(raw), Refusal(HouseCode.BAD_MESSAGE, sentence, field=place))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self._fault("", Refusal(HouseCode.BAD_MESSAGE, "This is not JSON."))
        else:
            if type(message) is Do:
                self._do(message, at)
            elif type(message) is Ping:
                self.connection.reply(frame_of(Pong(message.n, self._context.clock.now())))
            elif type(message) is Watch:
                self._channel.leave(self.connection)
                self._channel.join(self.connection, message.after)

    def _fault(self, command_id: str, refusal: Refusal) -> None:
        self._faults += 1
        self._context.counts.refused(refusal.code)
        self.connection.reply(refused_frame(command_id, refusal))
        if self._faults > FAULTS_MAX and not self._dropped:
            self._dropped = True
            self._context.floor.background(self._close(POLICY))

    # ------------------------------------------------------------------ commands

    def _do(self, message: Do, at: int) -> None:
        session, person = self._session, self._person
        if session is None or not self._context.sessions.is_seat(session.key, at):
            refusal = self._not_now(session)
            if refusal is not None:
                self._refuse(message.id, refusal)
                return
        if person is None:
            self._refuse(message.id, Refusal(HouseCode.NOT_HERE, "You only watch this table.", allowed="sit down"))
        elif message.second is not None:
            self._context.floor.background(self._do_with_second(message, person))
        else:
            self._submit(
                Command(id=message.id, at=at, by=person, do=message.do, reason=message.reason, round=message.round)
            )

    def _not_now(self, session: Session | None) -> Refusal | None:
        """Why the session may do nothing; its state is looked up for every command."""
        if session is None:
            return Refusal(HouseCode.NOT_SIGNED_IN, "Sign in or sit down first.")
        current = self._context.sessions.by_key(session.key)
        if current is None:
            return Refusal(HouseCode.NOT_SIGNED_IN, "The session is over: sign in again.")
        if current.locked:
            return Refusal(HouseCode.LOCKED, "The session is locked: give the password to go on.", ("R15",))
        self._context.sessions.touch(session.key)
        return None

    async def _do_with_second(self, message: Do, person: Person) -> None:
        second = message.second
        assert second is not None
        vouched = await self._context.vouch(
            second.login, second.password, second.role, self._table.name, asker=person.id
        )
        if isinstance(vouched, Refusal):
            self._refuse(message.id, vouched)
            return
        command = Command(
            id=message.id,
            at=self._context.clock.now(),
            by=person,
            do=message.do,
            reason=message.reason,
            authorised_by=vouched,
            round=message.round,
        )
        self._submit(command)

    def _submit(self, command: Command) -> None:
        connection, command_id, table = self.connection, command.id, self._table
        player = connection.player

        def reply(answer: Answer) -> None:
            if answer.refusal is None:
                funds = None if player is None else table.state.funds(player)
                connection.reply(frame_of(Done(command_id, answer.seq, answer.repeated, funds)))
            else:
                connection.reply(refused_frame(command_id, answer.refusal))

        self._context.floor.submit(self._table, command, reply)

    def _refuse(self, command_id: str, refusal: Refusal) -> None:
        self._context.counts.refused(refusal.code)
        self.connection.reply(refused_frame(command_id, refusal))


def _is_good(context: Context, key: str) -> bool:
    """Whether a session is neither over nor locked."""
    session = context.sessions.by_key(key)
    return session is not None and not session.locked


def refused_frame(command_id: str, refusal: Refusal) -> bytes:
    """A refusal as a frame."""
    return frame_of(
        Refused(command_id, refusal.code, refusal.sentence, refusal.clauses, refusal.allowed, refusal.field)
    )  # fmt: skip


class _OnlyId(msgspec.Struct):
    id: str = ""


_decode_id: Final = msgspec.json.Decoder(_OnlyId).decode


def _id_in(raw: bytes) -> str:
    """The id of a frame that is otherwise wrong, so that its sender knows which."""
    try:
        return _decode_id(raw).id[:64]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
