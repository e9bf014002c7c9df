"""Bots that go from node to node: who loses his connection comes back elsewhere and repeats what was not answered."""

from __future__ import annotations

import asyncio
import json
import random
import time
from typing import Any

from bench.load import Socket, connect
from taisai.books import open_shelf
from tests.web.bots import Acknowledged
from tests.web.floor_process import LAYOUTS


class Wanderer:
    """One player."""

    def __init__(self, crowd: Wanderers, table: str, player: str, token: str, boxes: list[str]) -> None:
        self._crowd = crowd
        self._table, self._player, self._token = table, player, token
        self._boxes = boxes
        self._unanswered: tuple[Acknowledged, bytes] | None = None
        self._socket: Socket | None = None
        self._answered = asyncio.Event()

    async def play(self) -> None:
        """Bet without end, at whatever node there is."""
        chance = self._crowd.chance
        while True:
            try:
                async with asyncio.timeout(5):
                    port = chance.choice(self._crowd.ports)
                    self._socket = await connect(port, f"/play/{self._table}", self._token, self._heard)
            except (OSError, TimeoutError):
                await asyncio.sleep(0.05)
                continue
            try:
                await self._bet_on(self._socket)
            finally:
                self._socket.transport.abort()

    async def _bet_on(self, socket: Socket) -> None:
        chance = self._crowd.chance
        socket.lost.add_done_callback(lambda _lost: self._answered.set())
        while not socket.lost.done():
            if self._unanswered is None:
                bet = Acknowledged(
                    self._table,
                    f"{time.time_ns():x}-{self._player}",
                    self._player,
                    chance.choice(self._boxes),
                    100 * chance.randint(1, 3),
                )
                do = {"do": "place-bet", "player": bet.player, "box": bet.box, "amount": bet.amount}
                self._unanswered = (bet, json.dumps({"t": "do", "id": bet.command_id, "do": do}).encode())
            self._answered.clear()
            socket.send(self._unanswered[1])
            try:
                async with asyncio.timeout(3 + chance.random()):  # a frozen node is left, like a dead one
                    await self._answered.wait()
            except TimeoutError:
                return
            await asyncio.sleep(0.01 + chance.random() * 0.05)

    def _heard(self, socket: Socket, text: bytes) -> None:
        if socket is not self._socket or self._unanswered is None:
            return
        bet = self._unanswered[0]
        if text.startswith(b'{"t":"done"') and json.loads(text)["id"] == bet.command_id:
            self._crowd.done.append((time.monotonic(), bet))
        elif text.startswith(b'{"t":"refused"') and json.loads(text)["id"] == bet.command_id:
            code = json.loads(text)["code"]
            self._crowd.refused[code] = self._crowd.refused.get(code, 0) + 1
            if code in ("try-again", "not-recorded", "not-held"):
                self._answered.set()
                return  # the same again
        else:
            return
        self._unanswered = None
        self._answered.set()


class Wanderers:
    """Everybody."""

    def __init__(self, told: dict[str, Any], ports: list[int], seed: int) -> None:
        self.ports = ports
        self.chance = random.Random(seed)
        self.done: list[tuple[float, Acknowledged]] = []
        self.refused: dict[str, int] = {}
        shelf = open_shelf(environment={})
        self._all = [
            Wanderer(self, table, player, token, list(shelf.layout(LAYOUTS[(int(table[1:]) - 1) % 4]).boxes))
            for table, players in told["seats"].items()
            for player, token in players
        ]
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self) -> None:
        """Let them play."""
        self._tasks = [asyncio.ensure_future(each.play()) for each in self._all]

    async def end(self) -> None:
        """Enough."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def tables_since(self, moment: float) -> set[str]:
        """Tables at which a bet was taken after a moment."""
        return {bet.table for at, bet in self.done if at > moment}
