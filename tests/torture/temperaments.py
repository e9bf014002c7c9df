"""Bots of mixed temperament: who plays at a floor, and how.

Enters: a crowd (where the floor is, what everybody has heard). Leaves: frames on play sockets, good and bad ones; every
answer in the crowd's ledger. A bot that loses its node, or waits too long there, goes to another one, continues from
the last number that it saw and repeats what was not answered with the ids that it had.

    careful   few small bets
    hasty     many bets at the last moment; sends some twice, and repeats old ones
    changer   takes back what it has laid
    clumsy    frames that are none, other people's seats, too much for the box, boxes that are not there
    nomad     goes from node to node
    watcher   only looks, and sees whether the changes follow one another without a gap
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bench.load import Socket

if TYPE_CHECKING:
    from tests.torture.load import Crowd

PATIENCE_S: Final = 3.0
"""How long a bot waits for an answer before it leaves the node, half of it by chance on top."""
CONNECT_S: Final = 5.0
LAST_MOMENT_S: Final = 0.4
OLD_KEPT: Final = 5
AGAIN: Final = frozenset({"try-again", "not-recorded", "not-held", "closing", "too-fast"})
"""Refusals after which the same is sent again, under the same id."""
UNREADABLE: Final = (
    b"",
    b"{",
    b"[1,2]",
    b'{"t":"do"}',
    b'{"t":"dance","id":"x"}',
    b'{"t":"do","id":"","do":{}}',
    b"\xc3",
)

_change: Final = re.compile(rb'\{"t":"change","after":(\d+),"seq":(\d+)').match
_snapshot: Final = re.compile(rb'\{"t":"snapshot","seq":(\d+)').match
_stage: Final = re.compile(rb'"until":\{"what":"([a-z-]+)","at":(\d+|null)\},"now":(\d+)').search


class Asked(NamedTuple):
    """A command that a bot has sent."""

    table: str
    id: str
    player: str
    do: str
    box: str
    amount: int | None
    """None where everything is taken back."""
    sent_at: float
    """The first time, by the clock of the event loop's process."""
    is_allowed: bool = True
    """Whether anybody may say that it was done."""

    def frame(self) -> bytes:
        """As it is sent."""
        do: dict[str, Any] = {"do": self.do, "player": self.player, "box": self.box}
        if self.amount is not None:
            do["amount"] = self.amount
        return json.dumps({"t": "do", "id": self.id, "do": do}).encode()


class Seat(NamedTuple):
    """Where a bot sits, and what proves it; no token for who only watches."""

    table: str
    player: str
    token: str


class Felt(NamedTuple):
    """What a bot knows of its table's rules."""

    boxes: tuple[str, ...]
    least: int
    most: int


async def open_socket(place: tuple[str, int], path: str, token: str, heard: Callable[[Socket, bytes], None]) -> Socket:
    """A connection, or an `OSError` or a time-out; what was half made is let go of."""
    made: list[Socket] = []

    def make() -> Socket:
        made.append(Socket(path, token, heard))
        made[0].ready.add_done_callback(lambda ready: ready.cancelled() or ready.exception())
        return made[0]

    try:
        async with asyncio.timeout(CONNECT_S):
            _, socket = await asyncio.get_running_loop().create_connection(make, *place)
            await socket.ready
    except BaseException:
        if made and hasattr(made[0], "transport"):
            made[0].transport.abort()
        raise
    return socket


class Bot:
    """One client at one table."""

    def __init__(self, crowd: Crowd, seat: Seat, temperament: Temperament, number: int) -> None:
        self.crowd = crowd
        self.table, self.player, self.token = seat
        self.temperament = temperament
        self.chance = random.Random(f"{crowd.seed} {number} {seat.player}")
        self.seq: int | None = None
        """The last number that was seen."""
        self.stage = ""
        self.closes_at = 0.0
        """When no more bets are taken, by the local clock."""
        self.old: list[Asked] = []
        self.laid: list[str] = []
        self._sent = 0
        self._open: dict[str, Asked] = {}
        self._waiting_since = 0.0
        self._socket: Socket | None = None
        self._event = asyncio.Event()

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection."""
        return self._socket is not None and not self._socket.lost.done()

    @property
    def takes_bets(self) -> bool:
        """Whether bets are open, as far as is known."""
        return self.stage == "betting"

    # ------------------------------------------------------------------ coming and going

    async def live(self) -> None:
        """Play until the crowd stops."""
        crowd, chance = self.crowd, self.chance
        await asyncio.sleep(chance.random() * crowd.ramp_s)
        while not crowd.stopping:
            if not await self._connect():
                await asyncio.sleep(0.1 + chance.random() * 0.3)
                continue
            socket = self._socket
            assert socket is not None
            try:
                while not socket.lost.done() and not crowd.stopping:
                    await self._pause(self.temperament.pause(self))
                    if self._open and time.monotonic() - self._waiting_since > PATIENCE_S * (1 + chance.random() / 2):
                        crowd.ledger.gave_up += 1
                        break
                    if not socket.lost.done() and not crowd.stopping:
                        self.temperament.act(self)
            finally:
                socket.transport.abort()

    async def _connect(self) -> bool:
        crowd = self.crowd
        host, port = self.chance.choice(crowd.places)
        after = "" if self.seq is None else f"?after={self.seq}"
        self._socket = None  # the first frames may come with the handshake: they are heard all the same
        try:
            socket = await open_socket((host, port), f"/play/{self.table}{after}", self.token, self._heard)
        except (OSError, TimeoutError):
            crowd.ledger.not_reached += 1
            return False
        self._socket = socket
        socket.lost.add_done_callback(lambda _lost: self._event.set())
        crowd.ledger.connections += 1
        self._waiting_since = time.monotonic()
        for asked in self._open.values():
            socket.send(asked.frame())
        return True

    async def _pause(self, seconds: float) -> None:
        """Wait, but not when the connection is lost, and no longer than patience lasts."""
        if self._open:
            seconds = min(seconds, PATIENCE_S)
        self._event.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            pass

    def leave(self) -> None:
        """Cut the connection; the next is made elsewhere, by chance."""
        if self._socket is not None:
            self._socket.transport.abort()

    # ------------------------------------------------------------------ saying

    def ask(self, do: str, box: str, amount: int | None, *, player: str = "", is_allowed: bool = True) -> Asked:
        """Send a command of its own."""
        self._sent += 1
        command_id = f"{self.crowd.name}-{self.player or 'nobody'}-{self._sent}"
        now = time.monotonic()
        asked = Asked(self.table, command_id, player or self.player, do, box, amount, now, is_allowed)
        if not self._open:
            self._waiting_since = now
        self._open[command_id] = asked
        self.say(asked.frame())
        return asked

    def say(self, text: bytes) -> None:
        """Send whatever it is."""
        if self.is_connected and self._socket is not None:
            self._socket.send(text)

    def bet(self) -> Asked | None:
        """Lay a small bet somewhere."""
        felt = self.crowd.felts.get(self.table)
        if felt is None or not self.token:
            return None
        asked = self.ask("place-bet", self.chance.choice(felt.boxes), felt.least * self.chance.randint(1, 3))
        self.laid = [*self.laid[-2:], asked.box]
        return asked

    # ------------------------------------------------------------------ hearing

    def _heard(self, socket: Socket, text: bytes) -> None:
        if socket is not self._socket and self._socket is not None:
            return
        kind = text[6:9]
        if kind == b"cha":
            self._changed(text)
        elif kind in (b"don", b"ref"):
            self._answered(json.loads(text))
        elif kind == b"sna":
            found = _snapshot(text)
            assert found is not None
            seq = int(found[1])
            self.crowd.ledger.went_back += self.seq is not None and seq < self.seq
            self.seq = seq
            self._see_stage(text)
            if self.table not in self.crowd.felts:
                self.crowd.learn(self.table, json.loads(text)["view"])

    def _changed(self, text: bytes) -> None:
        found = _change(text)
        assert found is not None
        after, seq = int(found[1]), int(found[2])
        if self.seq is not None and after != self.seq:
            self.crowd.ledger.wrong.append(f"{self.table}: a change after {after} came to who had seen {self.seq}")
        self.seq = seq
        self._see_stage(text)

    def _see_stage(self, text: bytes) -> None:
        found = _stage(text, max(0, len(text) - 120))
        if found is not None:
            self.stage = found[1].decode()
            if found[2] != b"null":
                self.closes_at = time.monotonic() + (int(found[2]) - int(found[3])) / 1e6

    def _answered(self, answer: dict[str, Any]) -> None:
        ledger = self.crowd.ledger
        asked = self._open.get(answer["id"])
        if answer["t"] == "refused":
            code = answer["code"]
            ledger.refused[code] += 1
            ledger.sentences[code] = answer["sentence"]
            if asked is not None and code in AGAIN:
                asyncio.get_running_loop().call_later(0.2, self._repeat, asked)
                return
        elif asked is not None:
            ledger.heard(asked, answer["seq"], repeated=bool(answer.get("repeated")))
            self.old = [*self.old[1 - OLD_KEPT :], asked]
        if asked is not None:
            del self._open[asked.id]
            self._waiting_since = time.monotonic()

    def _repeat(self, asked: Asked) -> None:
        if asked.id in self._open:
            self.say(asked.frame())


# ------------------------------------------------------------------ temperaments


class Temperament(NamedTuple):
    """How a bot plays."""

    name: str
    share: int
    """Of a hundred bots."""
    pause: Callable[[Bot], float]
    act: Callable[[Bot], None]


def _now_and_then(bot: Bot) -> float:
    return bot.crowd.pace_s * (0.5 + bot.chance.random())


def _careful(bot: Bot) -> None:
    if bot.takes_bets:
        bot.bet()


def _until_the_last_moment(bot: Bot) -> float:
    left = bot.closes_at - time.monotonic() - LAST_MOMENT_S
    if bot.takes_bets and left > 0:
        return left + bot.chance.random() * LAST_MOMENT_S
    return 0.2 + bot.crowd.pace_s * bot.chance.random()


def _hasty(bot: Bot) -> None:
    if not bot.takes_bets or bot.closes_at - time.monotonic() > 2 * LAST_MOMENT_S:
        return
    asked = [bot.bet() for _ in range(3)]
    if asked[0] is not None and bot.chance.random() < 0.5:
        bot.say(asked[0].frame())
    if bot.old and bot.chance.random() < 0.5:
        bot.say(bot.chance.choice(bot.old).frame())  # answered as it was, and done once
    bot.stage = ""  # enough for this round


def _changer(bot: Bot) -> None:
    if not bot.takes_bets:
        return
    if bot.laid and bot.chance.random() < 0.5:
        bot.ask("withdraw-bet", bot.laid.pop(), None)
    else:
        bot.bet()


def _clumsy(bot: Bot) -> None:
    felt = bot.crowd.felts.get(bot.table)
    if felt is None:
        return
    box = bot.chance.choice(felt.boxes)
    match bot.chance.randrange(8):
        case 0:
            bot.say(bot.chance.choice(UNREADABLE))
        case 1:
            bot.ask("place-bet", box, felt.least, player=f"{bot.player}x", is_allowed=False)
        case 2:
            bot.ask("place-bet", box, felt.most * 1_000, is_allowed=False)
        case 3:
            bot.ask("place-bet", "the moon", felt.least, is_allowed=False)
        case 4:
            bot.ask("place-bet", box, -felt.least, is_allowed=False)
        case 5:
            bot.say(b'{"t":"watch","after":999999999}')
        case _:
            bot.bet()


def _nomad(bot: Bot) -> None:
    if bot.takes_bets:
        bot.bet()
    if bot.chance.random() < 0.2:
        bot.leave()


def _watcher(bot: Bot) -> None:
    if bot.chance.random() < 0.1:
        bot.say(b'{"t":"ping","n":1}')


TEMPERAMENTS: Final = (
    Temperament("careful", 40, _now_and_then, _careful),
    Temperament("hasty", 14, _until_the_last_moment, _hasty),
    Temperament("changer", 16, _now_and_then, _changer),
    Temperament("clumsy", 8, _now_and_then, _clumsy),
    Temperament("nomad", 12, _now_and_then, _nomad),
    Temperament("watcher", 10, lambda bot: 4 * _now_and_then(bot), _watcher),
)


def temperament_of(number: int) -> Temperament:
    """The temperament of the so-many-th bot: every six have one of each, so to speak, and a hundred the shares."""
    order = [each for each in TEMPERAMENTS for _ in range(each.share)]
    return order[number * 37 % len(order)]
