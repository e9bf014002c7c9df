"""The play socket: one client's connection to one table.

Enters: messages of a client. Leaves: answers, and the table's feed. Every message is checked: size, rate, form, role,
table and seat. What fails is refused with a reason, and a client that keeps failing is dropped. A disconnect cancels
nothing: a command that was sent and accepted stands.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from time import monotonic
from typing import Final

import msgspec
from msgspec.structs import replace

from taisai.floor.answers import Answer, HouseCode
from taisai.floor.clock import Clock
from taisai.floor.live import LiveTable
from taisai.house.sessions import Session
from taisai.protocol.messages import Do, Done, Hello, Ping, Pong, Watch, You
from taisai.table.commands import Command, MakeRuling, PlaceBet
from taisai.table.people import Person
from taisai.table.refusals import Refusal
from taisai.version import __version__
from taisai.web.context import Context
from taisai.web.errors import SESSION_LOCKED, SIGN_IN_FIRST, UNREADABLE, bad_message, refused_frame
from taisai.web.socket.frames import decode_client, frame_of
from taisai.web.socket.subscriber import Subscriber
from taisai.web.socket.transport import Transport

LOGGER = logging.getLogger("taisai.web")

POLICY: Final = 1008
"""The close code for a client that was dropped for what it sent (RFC 6455 §7.4.1)."""
FAULTS_MAX: Final = 20
"""Messages that could not be taken before a client is dropped."""
WATCH_COST: Final = 25
"""Messages that a `watch` counts for besides itself: a few bytes ask for a whole table."""
CLOSE_S: Final = 2.0
"""How long a dropped client has to take the close before the connection is aborted."""


class Inbox:
    """Collects the messages of all clients that arrive in one turn of the event loop, and handles them at its end.

    The loop releases the GIL at every socket that it reads. Handled together, the messages hold it until all of them
    are decided, and their events are written in one commit.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._messages: list[tuple[PlaySocket, bytes]] = []

    def put(self, socket: PlaySocket, raw: bytes) -> None:
        """Have a message handled."""
        if not self._messages:
            asyncio.get_running_loop().call_soon(self._handle_all)
        self._messages.append((socket, raw))

    def _handle_all(self) -> None:
        messages, self._messages = self._messages, []
        at, now = self._clock.now(), monotonic()
        for socket, raw in messages:
            try:
                socket.handle(raw, at, now)
            except Exception:  # a bug: the other clients are served all the same
                LOGGER.exception("a message could not be handled")
                socket.abort()


class PlaySocket:
    """One client at one table."""

    def __init__(self, context: Context, table: LiveTable, session: Session | None, transport: Transport) -> None:
        self._context = context
        self._table = table
        self._session = session
        self._person: Person | None = None
        player = None
        if session is not None and session.reaches(table.name):
            self._person = session.person
            player = session.who if session.is_player else None
        self._name = context.persons.names.get(player) if player is not None else None
        """What the player is shown as."""
        self._transport = transport
        limits = context.settings.limits
        self.subscriber = Subscriber(transport, self._person, player, replies_max=limits.queue_per_client)
        if session is not None:
            self.subscriber.is_trusted = partial(_is_trusted, context, session.key)
        self._feed = context.feed(table.name)
        self._rate, self._burst = float(limits.commands_per_second), float(limits.commands_burst)
        self._tokens, self._filled_at = self._burst, monotonic()
        self._frame_bytes = limits.frame_bytes
        self._faults = 0
        self._is_dropped = False

    async def run(self, after: int | None, inbox: Inbox) -> None:
        """Serve the client until it disconnects."""
        context, subscriber, table = self._context, self.subscriber, self._table.name
        you = None
        if self._person is not None:
            you = You(self._person.id, self._person.role, subscriber.player)
        hello = Hello(table, you, context.floor.mode(table), context.clock.now(), __version__)
        subscriber.push(frame_of(hello, context.persons.named))
        self._feed.join(subscriber, after)
        try:
            await self._transport.serve(partial(inbox.put, self))
        finally:
            subscriber.end()
            self._feed.leave(subscriber)

    async def _close(self) -> None:
        try:
            async with asyncio.timeout(CLOSE_S):
                await self._transport.close(POLICY)
        except Exception:  # the client is gone already, or does not read
            LOGGER.debug("a dropped client did not take the close")
            self._transport.abort()

    def abort(self) -> None:
        """End the connection at once."""
        self._transport.abort()

    # ------------------------------------------------------------------ messages

    def handle(self, raw: bytes, at: int, now: float) -> None:
        """Handle a message that arrived at this time, by the house's clock and by the monotonic one."""
        if self._is_dropped:
            return
        if len(raw) > self._frame_bytes:
            self._fault("", Refusal(HouseCode.TOO_LARGE, f"A message has at most {self._frame_bytes} bytes."))
            return
        # A token bucket: it fills with time, and every message takes one.
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
        except UNREADABLE as error:
            self._fault(_id_in(raw), bad_message(error))
        else:
            if type(message) is Do:
                self._do(message, at)
            elif type(message) is Ping:
                self.subscriber.reply(frame_of(Pong(message.n, self._context.clock.now())))
            elif type(message) is Watch and self._tokens < WATCH_COST:
                self._fault("", Refusal(HouseCode.TOO_FAST, "Too many messages: slow down.", allowed="in a second"))
            elif type(message) is Watch:
                self._tokens -= WATCH_COST
                self._feed.leave(self.subscriber)
                self._feed.join(self.subscriber, message.after)

    def _fault(self, command_id: str, refusal: Refusal) -> None:
        self._faults += 1
        self._refuse(command_id, refusal)
        if self._faults > FAULTS_MAX and not self._is_dropped:
            self._is_dropped = True
            self._context.floor.background(self._close())

    def _refuse(self, command_id: str, refusal: Refusal) -> None:
        self._context.counts.refused(refusal.code)
        self.subscriber.reply(refused_frame(command_id, refusal, self._context.persons.named))

    # ------------------------------------------------------------------ commands

    def _do(self, message: Do, at: int) -> None:
        session, person = self._session, self._person
        if session is None or not self._context.sessions.is_seat(session.key, at):
            refusal = self._session_refusal(session)
            if refusal is not None:
                self._refuse(message.id, refusal)
                return
        if person is None:
            self._refuse(message.id, Refusal(HouseCode.NOT_HERE, "You only watch this table.", allowed="sit down"))
        else:
            do = message.do
            name = getattr(do, "player", None)
            if name is not None and name == self._name:
                do = replace(do, player=person.id)  # a player's own bets: by far the most of all that comes
            elif (
                message.second is not None
                or (name is not None and name not in self._table.state.players)
                or type(do) is MakeRuling
            ):
                self._context.floor.background(self._do_apart(message, person))
                return
            self._submit(Command(id=message.id, at=at, by=person, do=do, reason=message.reason, round=message.round))

    def _session_refusal(self, session: Session | None) -> Refusal | None:
        """Why the session may do nothing now; its state is looked up for every command."""
        if session is None:
            return SIGN_IN_FIRST
        current = self._context.sessions.by_key(session.key)
        if current is None:
            return Refusal(HouseCode.NOT_SIGNED_IN, "The session has ended: sign in again.")
        if current.locked:
            return SESSION_LOCKED
        self._context.sessions.touch(session.key)
        return None

    async def _do_apart(self, message: Do, person: Person) -> None:
        """Carry out a command that a second person authorises, or that names somebody by their name."""
        command = await self._context.command_of(message, person, self._table.name)
        if isinstance(command, Refusal):
            self._refuse(message.id, command)
        else:
            self._submit(command)

    def _submit(self, command: Command) -> None:
        subscriber, command_id, table = self.subscriber, command.id, self._table
        player, named = subscriber.player, self._context.persons.named
        counts = self._context.counts if type(command.do) is PlaceBet else None
        asked_at = monotonic()

        def reply(answer: Answer) -> None:
            if counts is not None:
                counts.bet_seconds.add(monotonic() - asked_at)
            if answer.refusal is None:
                # Another node may have carried it out, and this one not read it yet: then the feed tells the chips.
                is_read = player is not None and table.state.seq >= answer.seq
                funds = table.state.funds(player) if player is not None and is_read else None
                subscriber.reply(frame_of(Done(command_id, answer.seq, answer.repeated, funds)))
            else:
                subscriber.reply(refused_frame(command_id, answer.refusal, named))

        self._context.floor.submit(self._table, command, reply)


def _is_trusted(context: Context, key: str) -> bool:
    """Whether a session is still there and not locked."""
    session = context.sessions.by_key(key)
    return session is not None and not session.locked


class _OnlyId(msgspec.Struct):
    id: str = ""


_decode_id: Final = msgspec.json.Decoder(_OnlyId).decode


def _id_in(raw: bytes) -> str:
    """The id of a message that is otherwise wrong, so that the client knows which of its commands it was."""
    try:
        return _decode_id(raw).id[:64]
    except UNREADABLE:
        return ""
