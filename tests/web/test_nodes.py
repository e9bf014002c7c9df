"""Several nodes on one PostgreSQL: killed, frozen and drained under load, they lose nothing and never write twice."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from taisai.journal import open_journal
from tests.postgres import Server
from tests.web.bots import ROOT
from tests.web.test_kill import check
from tests.web.wanderers import Wanderers

TORTURE = bool(os.environ.get("TAISAI_TORTURE"))
NODES = 3
TABLES, PLAYERS = (60, 8) if TORTURE else (6, 2)
FAULTS = 60 if TORTURE else 3
BACK_S = 30.0
"""Longest wait for every table to take bets again; how long it took is printed."""


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


class Node:
    """A node as a process, started again on the same port."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.port = _free_port()
        self.told: dict[str, Any] = {}
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start, and wait until it serves."""
        words = [sys.executable, "-m", "tests.web.floor_process", self._url, str(TABLES), str(PLAYERS), str(self.port)]
        self._process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the node did not start"
        self.told = json.loads(line)

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def end(self) -> None:
        """Kill it, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()


async def _until_all_play(crowd: Wanderers) -> float:
    """Wait until every table has taken a bet from now on; the seconds."""
    began = time.monotonic()
    while len(crowd.tables_since(began)) < TABLES:
        assert time.monotonic() - began < BACK_S, (
            f"not back: {sorted({f'T{n + 1}' for n in range(TABLES)} - crowd.tables_since(began))}, {crowd.refused}"
        )
        await asyncio.sleep(0.05)
    return time.monotonic() - began


async def _kill(node: Node, crowd: Wanderers) -> float:
    await asyncio.to_thread(node.end)
    seconds = await _until_all_play(crowd)
    await asyncio.to_thread(node.start)
    return seconds


async def _freeze(node: Node, crowd: Wanderers) -> float:
    node.signal(signal.SIGSTOP)
    seconds = await _until_all_play(crowd)
    node.signal(signal.SIGCONT)
    await _until_all_play(crowd)
    return seconds


async def _drain(node: Node, crowd: Wanderers) -> float:
    node.signal(signal.SIGTERM)
    seconds = await _until_all_play(crowd)
    await asyncio.to_thread(node.end)
    await asyncio.to_thread(node.start)
    return seconds


def test_nodes_that_die_freeze_and_drain_lose_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every acknowledged bet is there once, whichever node it was given to; every balance is right; audit clean."""
    server = Server("max_connections=200")
    nodes: list[Node] = []
    try:
        url = server.journal_url(tmp_path)
        nodes = [Node(url) for _ in range(NODES)]
        for node in nodes:
            node.start()

        async def run() -> Wanderers:
            chance = random.Random(7)
            crowd = Wanderers(nodes[0].told, [node.port for node in nodes], 7)
            crowd.begin()
            times = [("start", await _until_all_play(crowd))]
            for number in range(FAULTS):
                fault = (_kill, _freeze, _drain)[number % 3]
                times.append((fault.__name__[1:], await fault(chance.choice(nodes), crowd)))
            await crowd.end()
            with capsys.disabled():
                if TORTURE:
                    print("seconds until all tables were back:", [(what, round(took, 1)) for what, took in times])
            return crowd

        crowd = asyncio.run(run())
        for node in nodes:
            node.end()
        with open_journal(url, read_only=True) as journal:
            check(journal, [bet for _, bet in crowd.done], PLAYERS)
    finally:
        for node in nodes:
            node.end()
        server.stop("end")
