"""The hostile soak: everything that strangers try, at once, while 64 players bet at a quarter of the load.

    python -m bench.hostile                  the whole soak
    python -m bench.hostile --short          some seconds of it, to see that it runs
    python -m bench.hostile attack PORT T1   the attackers alone, until standard input ends: what each kind has done

The floor is served as `taisai serve` does it, with the limits of the settings. Players come from one address, attackers
from others of this machine, out of a process of their own. Quiet and hostile rounds follow one another on one server,
so their answer times have a ratio. A bet that is refused, or a dealer who is not served, ends the soak.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from math import ceil
from pathlib import Path
from typing import Any, Final, NamedTuple

import uvloop

from bench.floor import BETS, PLAYERS, TABLES, Bets, p99, server
from bench.load import frame
from bench.measure import Line

FULL, BLOCKS, ROUNDS = 6, 6, 4
"""Rounds at full speed, pairs of a quiet and a hostile block, rounds of a block."""
FULL_SHORT, BLOCKS_SHORT, ROUNDS_SHORT = 1, 1, 1
ADDRESSES: Final = tuple(f"127.0.0.{last}" for last in range(2, 10))
"""Where attackers come from. All of 127.0.0.0/8 is this machine on Linux."""
LEAST: Final = 10
"""What every kind of attack must have done altogether, or the soak has shown nothing."""
BOUND_NS: Final = 50e6


# ------------------------------------------------------------------ the attackers


class Attack:
    """Everybody who wants nothing good, on one event loop."""

    def __init__(self, port: int, table: str) -> None:
        self._port, self._table = port, table
        self._chance = random.Random(13)
        self.done: Counter[str] = Counter()

    async def run(self) -> None:
        """All kinds at once, until cancelled."""
        kinds: list[tuple[Callable[[str], Awaitable[None]], int]] = [
            (self._slow_header, 16), (self._slow_body, 8), (self._flood, 2), (self._guess_password, 2),
            (self._guess_seat, 1), (self._junk, 3), (self._watch, 2), (self._deaf, 2),
        ]  # fmt: skip
        everybody: list[Coroutine[Any, Any, None]] = [
            self._again(kind, address) for address in ADDRESSES for kind, count in kinds for _ in range(count)
        ]
        await asyncio.gather(*everybody)

    async def _again(self, kind: Callable[[str], Awaitable[None]], address: str) -> None:
        """One attacker, who comes back whenever the house has ended the connection."""
        while True:
            # uvloop raises a RuntimeError for a write to a connection that the house has ended.
            with suppress(OSError, RuntimeError, asyncio.IncompleteReadError):
                await kind(address)
            await asyncio.sleep(self._chance.uniform(0.05, 0.2))

    async def _open(self, address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self._port, local_addr=(address, 0))

    async def _slow_header(self, address: str) -> None:
        """A request whose header never ends."""
        _, writer = await self._open(address)
        await self._trickle(writer, b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: ", "slow headers")

    async def _slow_body(self, address: str) -> None:
        """A request whose body never comes to its end."""
        head = (
            b"POST /api/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n"
        )
        _, writer = await self._open(address)
        await self._trickle(writer, head, "slow bodies")

    async def _trickle(self, writer: asyncio.StreamWriter, head: bytes, kind: str) -> None:
        writer.write(head)
        self.done[kind] += 1
        try:
            while not writer.is_closing():
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.5)
        finally:
            writer.close()

    async def _flood(self, address: str) -> None:
        """The costliest that anybody may ask for, never the same twice."""
        felt = "/api/books/rws-tai-sai-v6/layouts/A/felt.svg?heat=true&labels=true&title={}"
        await self._ask(address, lambda n: _get(felt.format(f"{address}-{n}")), "floods", 0.02)

    async def _guess_password(self, address: str) -> None:
        """Passwords of the administrator and of nobody."""
        await self._ask(address, lambda n: _post("/api/sign-in", login=f"{'admin' if n % 2 else 'nobody'}",
                        password=f"guess {n}", post="administrator"), "guesses", 0.1)  # fmt: skip

    async def _guess_seat(self, address: str) -> None:
        """Seat codes."""
        await self._ask(address, lambda n: _post("/api/seat", code=f"{n % 10**6:06d}"), "seat codes", 0.1)

    async def _ask(self, address: str, request: Callable[[int], bytes], kind: str, every_s: float) -> None:
        reader, writer = await self._open(address)
        try:
            for _ in range(10_000):
                writer.write(request(self._chance.randrange(10**9)))
                self.done[kind] += 1
                await _answer(reader)
                await asyncio.sleep(every_s)
        finally:
            writer.close()

    async def _junk(self, address: str) -> None:
        """Frames that are no messages."""
        kinds = (
            b"{",
            b"[[[[" * 500,
            b'{"t":"do"}',
            b'{"t":"do","id":"x","do":{"do":"void"}}',
            b"\xff\xfe",
            b"x" * 20_000,
        )
        await self._frames(address, lambda: self._chance.choice(kinds), "junk frames", 0.02)

    async def _watch(self, address: str) -> None:
        """A few bytes that ask for a whole table."""
        await self._frames(address, lambda: b'{"t":"watch"}', "watches", 0.01)

    async def _frames(self, address: str, text: Callable[[], bytes], kind: str, every_s: float) -> None:
        reader, writer = await self._open_socket(address)
        reading = asyncio.ensure_future(_read_all(reader))
        try:
            while not reading.done():
                writer.write(frame(text()))
                await writer.drain()
                self.done[kind] += 1
                await asyncio.sleep(every_s)
        finally:
            reading.cancel()
            writer.close()

    async def _deaf(self, address: str) -> None:
        """Watchers who never read."""
        _, writer = await self._open_socket(address)
        self.done["deaf watchers"] += 1
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # the transport reads as well as it writes
        try:
            await asyncio.sleep(20)
        finally:
            writer.close()

    async def _open_socket(self, address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await self._open(address)
        writer.write(
            f"GET /play/{self._table} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in head.partition(b"\r\n")[0]:
            self.done["refused sockets"] += 1
            writer.close()
            raise ConnectionError(head.decode("latin-1"))
        return reader, writer


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()


def _post(path: str, **body: object) -> bytes:
    text = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text


async def _answer(reader: asyncio.StreamReader) -> int:
    """Read one answer; its status."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    _, found, rest = head.partition(b"content-length:")
    if found:
        await reader.readexactly(int(rest.partition(b"\r\n")[0]))
    return int(head.split(b" ", 2)[1])


async def _read_all(reader: asyncio.StreamReader) -> None:
    while await reader.read(65_536):
        pass


async def attack(port: int, table: str) -> None:
    """Attack until standard input ends, then print what was done."""
    attackers = Attack(port, table)
    running = asyncio.ensure_future(attackers.run())
    print("begun", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    print(json.dumps(attackers.done), flush=True)


@contextmanager
def attacked(port: int, table: str, done: Counter[str]) -> Iterator[None]:
    """A block in which everybody attacks; what they did is added to `done`."""
    words = [sys.executable, "-m", "bench.hostile", "attack", str(port), table]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield
            told, _ = process.communicate("", timeout=30)
            done.update(json.loads(told))
        finally:
            process.kill()


# ------------------------------------------------------------------ the players


class Soak(NamedTuple):
    """Answer times in seconds, and what the attackers did."""

    quiet: list[float]
    hostile: list[float]
    done: Counter[str]
    bets: int


async def _served(port: int, token: str) -> None:
    """A dealer opens a new connection and is answered."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /api/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    try:
        async with asyncio.timeout(10):
            status = await _answer(reader)
    finally:
        writer.close()
    if status != 200:
        raise RuntimeError(f"a dealer got the status {status}")


async def soak(journal: str, *, short: bool = False) -> Soak:
    """Quiet and hostile blocks, in turn."""
    full, blocks, rounds = (FULL_SHORT, BLOCKS_SHORT, ROUNDS_SHORT) if short else (FULL, BLOCKS, ROUNDS)
    quiet, hostile, done = list[float](), list[float](), Counter[str]()
    with server("floor", f"{journal}.full", str(TABLES), str(PLAYERS)) as told:
        fast = Bets(told)
        await fast.round(0)
        full_ns = min([await fast.round(number) for number in range(1, full + 1)])
    pause = 4 * TABLES * PLAYERS * full_ns / 1e9
    a_second = max(50, ceil(1.5 / pause))  # what the settings allow, unless a player of the benchmark needs more
    with server("guarded", journal, str(TABLES), str(PLAYERS), str(a_second)) as told:
        bets = Bets(told, pause)
        await bets.round(0)
        port, (table, token) = told["port"], next(iter(told["dealers"].items()))

        async def block(number: int, latencies: list[float]) -> None:
            bets.players.latencies = latencies
            for each in range(rounds):
                await bets.round(100 * number + each)
                await _served(port, token)

        for number in range(blocks):
            await block(2 * number + 1, quiet)
            with attacked(port, table, done):
                await block(2 * number + 2, hostile)
    return Soak(quiet, hostile, done, BETS * TABLES * PLAYERS * rounds * blocks)


def soaked(*, short: bool = False) -> Soak:
    """A soak in a folder of its own, whose attackers were not idle."""
    with tempfile.TemporaryDirectory() as folder:
        found = uvloop.run(soak(str(Path(folder) / "soak.db"), short=short))
    idle = [kind for kind in KINDS if found.done[kind] < LEAST]
    if idle:
        raise RuntimeError(f"too little came of {', '.join(idle)}: {dict(found.done)}")
    return found


KINDS: Final = (
    "slow headers", "slow bodies", "floods", "guesses", "seat codes", "junk frames", "watches", "deaf watchers",
)  # fmt: skip


def _lines(found: Soak) -> list[Line]:
    quiet, hostile = p99(found.quiet) * 1e6, p99(found.hostile) * 1e6
    tried = ", ".join(f"{found.done[kind]:,} {kind}" for kind in KINDS)
    what = f"99 of 100 bets of {TABLES * PLAYERS} players at a quarter of the load answered within, while attacked"
    return [
        Line(f"{what} ({tried})", "50 ms", hostile, BOUND_NS, 1.0),
        Line("the same", "the quiet rounds between", hostile, quiet, None),
    ]


def measured() -> list[Line]:
    """The slowest hundredth under attack, against 50 ms and against the quiet rounds."""
    return _lines(soaked())


def main(words: list[str]) -> None:
    """Soak, or attack."""
    match words:
        case ["attack", port, table]:
            uvloop.run(attack(int(port), table))
        case [] | ["--short"]:
            for line in _lines(soaked(short=bool(words))):
                ours, bare = line.ours_ns / 1e6, line.bare_ns / 1e6
                print(f"{line.what}: {ours:.2f} ms, {line.against} {bare:.2f} ms, ratio {line.ratio:.2f}")
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
