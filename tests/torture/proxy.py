"""A small TCP proxy whose ways can be cut and mended: the network between nodes, and between a node and its database.

    python -m tests.torture.proxy '{"db-1": "/tmp/pg/.s.PGSQL.5432", "1-2": "127.0.0.1:8002"}'

Enters: where each way leads, as a host and port or as the path of a socket. Leaves: on the first line of standard
output the port of each way, as JSON. Then each line of standard input is a word and the name of a way:

    drop 1-2        everything is swallowed, both ways; who connects waits; nobody is told anything
    reset 1-2       every connection is reset, and so is every new one
    mend 1-2        what was held back goes on, as after lost packets
    forget 1-2      as mend, but the connections that there were are reset

and each is answered by the line `done`. It ends when its standard input does.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Final, Self, cast

import uvloop

from tests import ROOT

WORDS: Final = ("drop", "reset", "mend", "forget")


class _End(asyncio.Protocol):
    """One end of a connection through the proxy."""

    def __init__(self, way: Way, other: _End | None = None) -> None:
        self.way = way
        self.other = other
        self.transport: asyncio.Transport
        self.is_lost = False
        self._before: list[bytes] = []
        """What came before the other end was there."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody is there: go on to where the way leads, unless it is cut."""
        self.transport = cast(asyncio.Transport, transport)  # uvloop's are of a class of their own
        if self.other is None:
            self.way.came(self)

    def data_received(self, data: bytes) -> None:
        """Pass it on."""
        if self.other is None:
            self._before.append(data)
        else:
            self.other.transport.write(data)

    def connection_lost(self, _error: Exception | None) -> None:
        """It is gone: so is the other, when it can hear of it."""
        self.is_lost = True
        self.way.gone(self)

    def joined(self, other: _End) -> None:
        """The other end is there."""
        self.other = other
        for data in self._before:
            other.transport.write(data)
        self._before = []


class Way:
    """From one port to one place."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._how = "mend"
        self._ends: set[_End] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> int:
        """Listen; the port."""
        server = await asyncio.get_running_loop().create_server(lambda: _End(self), "127.0.0.1", 0, backlog=1000)
        port: int = server.sockets[0].getsockname()[1]
        return port

    def set(self, word: str) -> None:
        """Cut or mend it."""
        self._how = word
        for end in list(self._ends):
            if word in ("reset", "forget"):
                _reset(end.transport)
            elif word == "drop":
                end.transport.pause_reading()
            else:
                self._go_on(end)

    def _go_on(self, end: _End) -> None:
        if end.other is not None and end.other.is_lost:
            end.transport.abort()
            return
        end.transport.resume_reading()
        if end.other is None:
            self._lead_on(end)

    def came(self, end: _End) -> None:
        """Somebody connects."""
        self._ends.add(end)
        if self._how == "reset":
            _reset(end.transport)
        elif self._how == "drop":
            end.transport.pause_reading()
        else:
            self._lead_on(end)

    def gone(self, end: _End) -> None:
        """Somebody has left; behind a cut nobody hears of it."""
        self._ends.discard(end)
        if end.other is not None and not end.other.is_lost and self._how != "drop":
            end.other.transport.close()

    def _lead_on(self, end: _End) -> None:
        task = asyncio.ensure_future(self._connect(end))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, near: _End) -> None:
        loop = asyncio.get_running_loop()
        host, _, port = self._target.rpartition(":")
        far = _End(self, near)
        try:
            if "/" in self._target:
                await loop.create_unix_connection(lambda: far, self._target)
            else:
                await loop.create_connection(lambda: far, host, int(port))
        except OSError:
            near.transport.abort()
            return
        if near.is_lost:
            far.transport.abort()
            return
        self._ends.add(far)
        near.joined(far)
        if self._how == "drop":
            far.transport.pause_reading()


def _reset(transport: asyncio.Transport) -> None:
    """Close in the way that the other end hears as a reset, and not as a goodbye."""
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


async def serve(targets: Mapping[str, str]) -> None:
    """Serve until standard input ends."""
    ways = {name: Way(target) for name, target in targets.items()}
    print(json.dumps({name: await way.open() for name, way in ways.items()}), flush=True)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        word, _, name = line.decode().strip().partition(" ")
        if word not in WORDS or name not in ways:
            raise SystemExit(f"proxy: {line!r}: say one of {', '.join(WORDS)}, and the name of a way")
        ways[name].set(word)
        print("done", flush=True)


class Network:
    """The proxy as a process, for who cuts its ways."""

    def __init__(self, targets: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.torture.proxy", json.dumps(dict(targets))],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.ports: dict[str, int] = json.loads(self._line())
        """Where each way begins."""

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the proxy did not start, or has ended"
        return line

    def set(self, word: str, *names: str) -> None:
        """Cut or mend ways; it is so when this returns."""
        assert self._process.stdin is not None
        for name in names:
            self._process.stdin.write(f"{word} {name}\n")
            self._process.stdin.flush()
            self._line()

    def close(self) -> None:
        """End it."""
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def main() -> None:
    """The command line."""
    uvloop.run(serve(json.loads(sys.argv[1])))


if __name__ == "__main__":
    main()
