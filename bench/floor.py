"""The floor against the bare stack: bets over WebSocket, and results to watchers. Ratios, side by side in one run."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import uvloop

from bench.load import Socket, connect
from bench.measure import Line, paired

TABLES, PLAYERS = 8, 8
ROUNDS, BETS = 36, 40
WATCHERS, RESULTS = 1_000, 12
APART_NS = 6_000_000
"""About the time between two bets of a player at full speed."""
BOXES = ("small", "big", "odd", "even", "total:9", "pair:12", "single:3", "double:4")


@contextmanager
def server(*words: str) -> Iterator[dict[str, Any]]:
    """A server process, and what it says of itself."""
    command = [sys.executable, "-m", "bench.floor_server", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())
        finally:
            process.kill()


def bet_frames(player: str, number: int) -> list[bytes]:
    """The bets of a player in one round, ready to send.

    Ids are as clients make them, of the time that a bet is sent: the third bets of all players stand side by side.
    """
    base = time.time_ns()
    return [
        json.dumps(
            {
                "t": "do",
                "id": f"{base + place * APART_NS:x}-{player}",
                "do": {"do": "place-bet", "player": player, "box": BOXES[(place + number) % len(BOXES)], "amount": 100},
            },
            separators=(",", ":"),
        ).encode()
        for place in range(BETS)
    ]


class Players:
    """Closed-loop clients: each sends the next frame when the last is answered."""

    def __init__(self, pause: float = 0.0) -> None:
        self._left: dict[Socket, list[bytes]] = {}
        self._sent_at: dict[Socket, float] = {}
        self._waiting = 0
        self._done: asyncio.Future[None] | None = None
        self.pause = pause
        self.latencies: list[float] = []
        self.refused = 0

    def heard(self, socket: Socket, text: bytes) -> None:
        """An answer, or something else from the table."""
        answer = text[:9]
        if answer in {b'{"t":"don', b'{"t":"do"'}:
            pass
        elif answer == b'{"t":"ref':
            self.refused += 1
        else:
            return
        self.latencies.append(time.perf_counter() - self._sent_at[socket])
        if self.pause:
            asyncio.get_running_loop().call_later(self.pause, self._next, socket)
        else:
            self._next(socket)

    def _next(self, socket: Socket) -> None:
        left = self._left[socket]
        if left:
            self._sent_at[socket] = time.perf_counter()
            socket.send(left.pop())
            return
        self._waiting -= 1
        if not self._waiting and self._done is not None:
            self._done.set_result(None)

    async def play(self, frames: dict[Socket, list[bytes]]) -> float:
        """All frames of all; the seconds that it took."""
        self._left = {socket: each[::-1] for socket, each in frames.items()}
        self._waiting = len(frames)
        self._done = asyncio.get_running_loop().create_future()
        started = time.perf_counter()
        for socket in frames:
            self._next(socket)
        await self._done
        return time.perf_counter() - started


class Echoes:
    """Players whose frames come back through the bare stack."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._players = Players()
        self._sockets: list[Socket] = []

    async def round(self, number: int) -> float:
        """Nanoseconds a frame."""
        if not self._sockets:
            for _ in range(TABLES * PLAYERS):
                self._sockets.append(await connect(self._port, "/", "", self._players.heard))
        frames = {socket: bet_frames(f"p{place}", number) for place, socket in enumerate(self._sockets)}
        return await self._players.play(frames) / (BETS * len(frames)) * 1e9


class Dealers:
    """One dealer a table, who waits for every answer."""

    def __init__(self) -> None:
        self._answers: dict[Socket, asyncio.Future[bytes]] = {}
        self._number = 0

    def heard(self, socket: Socket, text: bytes) -> None:
        """An answer."""
        if text[:9] in (b'{"t":"don', b'{"t":"ref') and socket in self._answers:
            self._answers.pop(socket).set_result(text)

    async def do(self, socket: Socket, **do: object) -> None:
        """A command that must succeed."""
        self._number += 1
        future = self._answers[socket] = asyncio.get_running_loop().create_future()
        socket.send(json.dumps({"t": "do", "id": f"{time.time_ns():x}-{self._number}", "do": do}).encode())
        answer = await future
        if answer[:9] != b'{"t":"don':
            raise RuntimeError(answer.decode())

    async def settle(self, socket: Socket) -> None:
        """From the close to the payment."""
        await self.do(socket, do="close-bets")
        await self.do(socket, do="tumble", times=3)
        await self.do(socket, do="uncover", dice=[1, 3, 6])
        await self.do(socket, do="announce")
        await self.do(socket, do="collect")
        await self.do(socket, do="pay-all")


class Bets:
    """Players who bet: checked by the rules, on disk, answered. A dealer a table opens and settles the rounds."""

    def __init__(self, told: dict[str, Any], pause: float = 0.0) -> None:
        self._told = told
        self.players, self._dealers = Players(pause), Dealers()
        self._crew: list[Socket] = []
        self._seats: dict[str, Socket] = {}

    async def _sit_down(self) -> None:
        port = self._told["port"]
        for table, token in self._told["dealers"].items():
            self._crew.append(await connect(port, f"/play/{table}", token, self._dealers.heard))
        for table, each in self._told["seats"].items():
            for player, token in each:
                self._seats[player] = await connect(port, f"/play/{table}", token, self.players.heard)

    async def round(self, number: int) -> float:
        """Nanoseconds a bet, of the time in which bets are open."""
        if not self._seats:
            await self._sit_down()
        await asyncio.gather(*(self._dealers.do(each, do="open-bets") for each in self._crew))
        frames = {socket: bet_frames(player, number) for player, socket in self._seats.items()}
        seconds = await self.players.play(frames)
        await asyncio.gather(*(self._dealers.settle(each) for each in self._crew))
        if self.players.refused:
            raise RuntimeError(f"{self.players.refused} bets were refused")
        return seconds / (BETS * len(frames)) * 1e9


async def side_by_side(journal: str) -> list[tuple[float, float, float]]:
    """Bets, echoes, and echoes by the short way: nanoseconds each, a round of one after a round of the others."""
    players = str(PLAYERS)
    with server("floor", journal, str(TABLES), players) as floor, server("echo") as echo, server("short-echo") as short:
        bets, echoes, shortly = Bets(floor), Echoes(echo["port"]), Echoes(short["port"])
        for each in (bets, echoes, shortly):  # one round to warm up
            await each.round(0)
        return [
            (await bets.round(number), await echoes.round(number), await shortly.round(number))
            for number in range(1, ROUNDS + 1)
        ]


async def half_load(journal: str, bet_ns: float) -> list[float]:
    """Answer times in seconds when bets come half as fast as they could."""
    with server("floor", journal, str(TABLES), str(PLAYERS)) as told:
        bets = Bets(told, 2 * TABLES * PLAYERS * bet_ns / 1e9)
        for number in range(ROUNDS // 3):
            await bets.round(number)
        return bets.players.latencies


def p99(latencies: list[float]) -> float:
    """The latency that 99 of 100 stay under, in milliseconds."""
    return sorted(latencies)[len(latencies) * 99 // 100] * 1000


async def broadcast_time(payload: bytes) -> float:
    """Seconds until a frame has reached everybody, over a bare broadcast."""
    with server("broadcast") as told:
        return await _reach(told["port"], "/", "", lambda socket: socket.send(payload), payload[:20])


async def _reach(port: int, path: str, token: str, say: Any, begins: bytes) -> float:
    heard = 0
    everybody: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def on_text(_socket: Socket, text: bytes) -> None:
        nonlocal heard
        if text.startswith(begins):
            heard += 1
            if heard == WATCHERS and not everybody.done():
                everybody.set_result(None)

    sockets = [await connect(port, path, token, on_text) for _ in range(WATCHERS)]
    times = []
    for _ in range(RESULTS):
        heard, everybody = 0, asyncio.get_running_loop().create_future()
        started = time.perf_counter()
        say(sockets[0])
        await everybody
        times.append(time.perf_counter() - started)
    return median(times)


async def result_time(journal: str) -> tuple[float, bytes]:
    """Seconds until a result has reached every watcher of a table, from the dealer's frame on; and such a frame."""
    with server("floor", journal, "1", "8") as told:
        dealers = Dealers()
        ((table, token),) = told["dealers"].items()
        dealer = await connect(told["port"], f"/play/{table}", token, dealers.heard)
        heard, last = 0, b""
        everybody: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def on_text(_socket: Socket, text: bytes) -> None:
            nonlocal heard, last
            if b"result-announced" in text:
                heard, last = heard + 1, text
                if heard == WATCHERS and not everybody.done():
                    everybody.set_result(None)

        for _ in range(WATCHERS):
            await connect(told["port"], f"/play/{table}", "", on_text)
        times = []
        for _ in range(RESULTS):
            await dealers.do(dealer, do="open-bets")
            await dealers.do(dealer, do="close-bets")
            await dealers.do(dealer, do="tumble", times=3)
            await dealers.do(dealer, do="uncover", dice=[1, 3, 6])
            await asyncio.sleep(0.2)  # what was told before has arrived
            heard, everybody = 0, asyncio.get_running_loop().create_future()
            started = time.perf_counter()
            dealer.send(json.dumps({"t": "do", "id": f"{time.time_ns():x}", "do": {"do": "announce"}}).encode())
            await everybody
            times.append(time.perf_counter() - started)
            await dealers.do(dealer, do="collect")
        return median(times), last


def measured() -> list[Line]:
    """Bets against echoes, the slowest hundredth at half that load, a result to everybody against a bare broadcast."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        rounds = uvloop.run(side_by_side(str(Path(folder) / "full.db")))
        bets, echo = paired([(ours, bare) for ours, bare, _ in rounds])
        what = f"a bet over WebSocket: rules, fsync, answer ({TABLES * PLAYERS} players, {TABLES} tables)"
        lines.append(Line(what, "an echo on the same stack", bets, echo, 2.5))
        shortly, short = paired([(ours, bare) for ours, _, bare in rounds])
        lines.append(Line(what, "an echo that goes past ASGI as bets do", shortly, short, None))
        latencies = uvloop.run(half_load(str(Path(folder) / "half.db"), bets))
        lines.append(Line("99 of 100 bets at half that load answered within", "50 ms", p99(latencies) * 1e6, 50e6, 1.0))
        result, payload = uvloop.run(result_time(str(Path(folder) / "result.db")))
        bare = uvloop.run(broadcast_time(payload))
        what = f"a result, from the dealer's frame to {WATCHERS:,} watchers"
        lines.append(Line(what, "a bare broadcast of the same frame", result * 1e9, bare * 1e9, 2.0))
    return lines


if __name__ == "__main__":
    for line in measured():
        print(f"{line.what}: {line.ours_ns:,.0f} ns, {line.against} {line.bare_ns:,.0f} ns, ratio {line.ratio:.2f}")
