"""Bots that bet over the play socket and remember every answer, until the server is gone."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from bench.load import Socket, connect
from taisai.books import open_shelf
from tests import ROOT
from tests.torture.floor_process import LAYOUTS


class Acknowledged(NamedTuple):
    """A bet that the server has acknowledged."""

    table: str
    command_id: str
    player: str
    box: str
    amount: int


@contextmanager
def floor_process(journal: str, tables: int, players: int) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """A floor in a process of its own, killed at the end if it still runs."""
    words = [sys.executable, "-m", "tests.torture.floor_process", journal, str(tables), str(players)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, "the floor did not start"
            yield process, json.loads(line)
        finally:
            process.kill()


class Crowd:
    """All players of a floor."""

    def __init__(self, told: dict[str, Any], seed: int) -> None:
        self._port, self._seats = told["port"], told["seats"]
        self._chance = random.Random(seed)
        self._boxes = {
            table: list(open_shelf(environment={}).layout(LAYOUTS[place % len(LAYOUTS)]).boxes)
            for place, table in enumerate(sorted(self._seats))
        }
        self.done: list[Acknowledged] = []
        self.refused: dict[str, int] = {}
        self._sent: dict[str, Acknowledged] = {}
        self._sockets: dict[Socket, tuple[str, str]] = {}

    async def come(self) -> None:
        """Connect everybody and begin to bet; each bets again when answered."""
        for table, players in self._seats.items():
            for player, token in players:
                socket = await connect(self._port, f"/play/{table}", token, self._heard)
                self._sockets[socket] = (table, player)
        for socket in self._sockets:
            self._bet(socket)

    async def gone(self) -> None:
        """Wait until the server has closed every connection; what it sent before is still read."""
        await asyncio.gather(*(socket.lost for socket in self._sockets))

    def _bet(self, socket: Socket) -> None:
        if socket.lost.done():
            return
        table, player = self._sockets[socket]
        box, amount = self._chance.choice(self._boxes[table]), 100 * self._chance.randint(1, 5)
        command_id = f"{time.time_ns():x}-{player}"
        self._sent[command_id] = Acknowledged(table, command_id, player, box, amount)
        do = {"do": "place-bet", "player": player, "box": box, "amount": amount}
        socket.send(json.dumps({"t": "do", "id": command_id, "do": do}).encode())

    def _heard(self, socket: Socket, text: bytes) -> None:
        if text.startswith(b'{"t":"done"'):
            self.done.append(self._sent.pop(json.loads(text)["id"]))
        elif text.startswith(b'{"t":"refused"'):
            answer = json.loads(text)
            self._sent.pop(answer["id"], None)
            self.refused[answer["code"]] = self.refused.get(answer["code"], 0) + 1
        else:
            return
        delay = 0.0 if text.startswith(b'{"t":"done"') else 0.02
        asyncio.get_running_loop().call_later(delay + self._chance.random() * 0.01, self._bet, socket)
