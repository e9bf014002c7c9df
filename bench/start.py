"""How long a start takes: the first page of help, a floor that is ready, and its first page, in one run.

The target for the help is 1.5 times a bare interpreter plus 60 ms, that for the floor a second, that for its first page
half a second: as ratios, against what is stated beside each.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from socket import socket
from subprocess import DEVNULL, Popen, run

from bench.measure import Line, paired

RUNS = 15
FLOORS = 5
READY_S = 60.0


def measured() -> list[Line]:
    """The command, then the floor."""
    helps, bare = paired([(_seconds("-m", "taisai", "--help"), _seconds("-c", "pass")) for _ in range(RUNS)])
    ready, first = zip(*(_floor() for _ in range(FLOORS)), strict=True)
    allowed = 1.5 * bare + 0.06
    return [
        Line("`taisai --help`", "a bare interpreter", helps * 1e9, bare * 1e9, None),
        Line("`taisai --help`", "1.5 bare interpreters and 60 ms", helps * 1e9, allowed * 1e9, 1.0),
        Line("`taisai serve --demo` until ready", "a second", sorted(ready)[FLOORS // 2] * 1e9, 1e9, 1.0),
        Line("its first page and what that loads first", "half a second", sorted(first)[FLOORS // 2] * 1e9, 5e8, 1.0),
    ]


def _seconds(*words: str) -> float:
    start = time.perf_counter()
    run([sys.executable, *words], stdout=DEVNULL, check=True)
    return time.perf_counter() - start


def _floor() -> tuple[float, float]:
    """Seconds until a demonstration floor is ready, and of its first page after that."""
    with tempfile.TemporaryDirectory() as folder:
        journal, port = Path(folder) / "demo.db", _free_port()
        words = [sys.executable, "-m", "taisai", "serve", "--demo", "--journal", str(journal), "--port", str(port)]
        start = time.perf_counter()
        with Popen(words, stdout=DEVNULL, stderr=DEVNULL, env=os.environ) as server:
            try:
                while not _ok(port, "/readyz"):
                    if server.poll() is not None or time.perf_counter() - start > READY_S:
                        raise SystemExit(f"the floor did not become ready: {' '.join(words)}")
                    time.sleep(0.005)
                ready = time.perf_counter() - start
                start = time.perf_counter()
                if not _ok(port, "/") or not _ok(port, "/api/floor"):
                    raise SystemExit("the first page did not come")
                return ready, time.perf_counter() - start
            finally:
                server.send_signal(signal.SIGKILL)


def _free_port() -> int:

    with socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _ok(port: int, path: str) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
    except OSError:
        return False
    finally:
        connection.close()
    return answer.status == 200
