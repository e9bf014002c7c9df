"""A floor for browsers: `taisai serve` in a process of its own, with short rounds; and a connection that can be cut.

Enters: a folder to write in. Leaves: the address, and the one-time links of the demo's staff by post. The tables:

    QUICK   rws-tai-sai-v6/C     automatic, a round of about eleven seconds
    SLOW    rws-tai-sai-v6/C     automatic, bets stay open throughout a test
    E       rws-tai-sai-v6/E     automatic, the largest layout, bets stay open throughout a test
    NZ, OC, MD, TS               dealer tables, one for each book, closed at first
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

STARTS_S: Final = 60
_TIMES: Final = (
    "after_close_ms = 200, tumbling_ms = 300, reveal_ms = 300, lit_ms = 1500, paid_ms = 1200, between_ms = 2000"
)
_KINDS: Final = "kinds = { total = { min = 100, max = 20000 } }"
_TABLES: Final = (
    ("QUICK", "rws-tai-sai-v6", "C", "automatic", 8_000),
    ("SLOW", "rws-tai-sai-v6", "C", "automatic", 3_600_000),
    ("E", "rws-tai-sai-v6", "E", "automatic", 3_600_000),
    ("NZ", "nz-division-9", "1", "dealer", 2_500),
    ("OC", "rws-open-cover-v3", "A", "dealer", 2_500),
    ("MD", "rws-mini-dice-v3", "A", "dealer", 2_500),
    ("TS", "rws-tai-sai-v6", "A", "dealer", 2_500),
)


def settings() -> str:
    """The text of the floor's settings file."""
    parts = [
        "demo = { enabled = true, guest_chips = 100000 }",
        'house = { name = "Test House", minimum_betting_ms = 0, purpose = "demo" }',
        "limits = { sign_ins_per_minute = 100000 }",
        'log = { level = "error" }',
    ]
    for name, book, layout, mode, betting_ms in _TABLES:
        kinds = "" if book == "rws-mini-dice-v3" else f", {_KINDS}"  # Mini Dice has no totals
        differential = ", differential = { big-small = 200000 }" if book == "rws-tai-sai-v6" else ""
        parts += [
            "[[tables]]",
            f'name = "{name}"\nbook = "{book}"\nlayout = "{layout}"\nmode = "{mode}"',
            'currency = "SGD"\ndenominations = [100, 500, 2500, 10000]',
            "float_count = { 100 = 20000, 500 = 20000, 2500 = 20000, 10000 = 20000 }",
            f"limits = {{ unit = 100, default = {{ min = 500, max = 500000 }}{kinds}{differential} }}",
            f"timing = {{ betting_ms = {betting_ms}, {_TIMES} }}",
            f"unattended = {str(mode == 'automatic').lower()}",
        ]
    return "\n".join(parts) + "\n"


@dataclass
class Floor:
    """A running floor."""

    address: str
    links: dict[str, str] = field(default_factory=dict)
    """One-time links by post: dealer, supervisor, shift-manager, administrator."""

    def get(self, path: str) -> Any:
        """An answer of the API, without signing in."""
        with urllib.request.urlopen(self.address + path, timeout=10) as answer:
            return json.load(answer)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.address.rpartition(":")[2])


@contextmanager
def running_floor(folder: Path) -> Iterator[Floor]:
    """Run a temporary floor."""
    file = folder / "floor.toml"
    file.write_text(settings(), encoding="utf-8")
    command = [sys.executable, "-m", "taisai", "serve", "--settings", str(file), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(
        [*command, "--journal", "memory:"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    ) as process:
        watch = threading.Timer(STARTS_S, process.kill)
        watch.start()
        try:
            floor = _greeting(process)
            watch.cancel()
            yield floor
        finally:
            watch.cancel()
            process.kill()


def _greeting(process: subprocess.Popen[str]) -> Floor:
    """Read the address and the one-time links from the program's output."""
    assert process.stdout is not None
    said = []
    floor = None
    for line in process.stdout:
        said.append(line)
        found = re.search(r"is open at (http://\S+)", line)
        if found:
            floor = Floor(found[1])
        elif floor is not None and (link := re.search(r"(http://\S+/welcome\?post=([a-z-]+)\S*#\S+)", line)):
            floor.links[link[2]] = link[1]
            if link[2] == "administrator":
                return floor
    raise AssertionError("the floor did not open:\n" + "".join(said))


class Wire:
    """A proxy between browsers and a floor: `mute` swallows the floor's answers, `cut` closes every connection."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self._muted = self._down = False
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def mute(self) -> None:
        """Pass everything on to the floor, and none of its answers."""
        self._muted = True

    def cut(self) -> None:
        """Close every connection and refuse new ones."""
        self._down = True
        for each in self._ends:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._ends.clear()

    def mend(self) -> None:
        """Pass everything on again."""
        self._muted = self._down = False

    def close(self) -> None:
        """Stop for good."""
        self.cut()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                here, _ = self._listener.accept()
            except OSError:
                return
            if self._down:
                here.close()
                continue
            there = socket.create_connection(("127.0.0.1", self._port))
            self._ends += [here, there]
            threading.Thread(target=self._carry, args=(here, there, False), daemon=True).start()
            threading.Thread(target=self._carry, args=(there, here, True), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket, back: bool) -> None:
        with suppress(OSError):
            while data := one.recv(65_536):
                if not (back and self._muted):
                    other.sendall(data)
        for each in (one, other):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
