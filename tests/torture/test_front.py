"""Players behind Debian's nginx with the file of `deploy/`: nobody waits for a node that is stopped, frozen or dead."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml  # type: ignore[import-untyped] # has no types of its own

from taisai.client import Refused
from taisai.client.table import Table
from taisai.journal import open_journal
from taisai.table.commands import PlaceBet
from tests import ROOT
from tests.torture.fleet import Fleet, Node
from tests.torture.front import Front
from tests.torture.load import Acknowledged, Seats
from tests.torture.reckoning import reckon

DEPLOY = ROOT / "deploy"
MOST_S = 5.0
"""How long anybody may wait."""
SHOWN_S = 15.0
"""When the dashboard shows that a node is dead, at the latest."""
CALM_S = 4.0
FROZEN_S = 8.0
PAUSE_S = 0.15
BOXES = ("small", "field")
"""Every layout has one of them."""


class Players:
    """People who bet behind the proxy, one bet after the other, and how long each of them waited."""

    def __init__(self, url: str, seats: Seats) -> None:
        self.done: list[Acknowledged] = []
        self.longest = 0.0
        self.stalled = 0.0
        """How long this process could not run though it wanted to: the machine had other work."""
        self._since: dict[str, float] = {}
        everybody = [(table, *seat) for table, of_table in seats.items() for seat in of_table]
        self._tasks = [asyncio.create_task(self._play(url, *one)) for one in everybody]
        self._tasks.append(asyncio.create_task(self._feel()))

    async def _play(self, url: str, table: str, player: str, token: str) -> None:
        async with Table(url, table, token=token, player=player) as live:
            box, number = BOXES[0], 0
            while True:
                number += 1
                asked = f"{player}-{number}"
                self._since[player] = time.monotonic()
                try:
                    done = await live.do(PlaceBet(player, box, 100, contribution=live.contribution), command_id=asked)
                    self.done.append(Acknowledged(table, asked, player, "place-bet", box, 100, done.seq))
                except Refused as refused:
                    box = BOXES[1] if refused.code == "unknown" else box
                self._waited(player)
                await asyncio.sleep(PAUSE_S)

    def _waited(self, player: str) -> None:
        self.longest = max(self.longest, time.monotonic() - self._since.pop(player))

    async def _feel(self) -> None:
        """Whether this process runs when it should."""
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.05)
            self.stalled += max(0.0, time.monotonic() - began - 0.06)

    async def during(self, what: Awaitable[object], seconds: float) -> float:
        """The longest that anybody waited while something was done, and for some time after it."""
        self.longest = self.stalled = 0.0
        await what
        await asyncio.sleep(seconds)
        for player in list(self._since):
            self.longest = max(self.longest, time.monotonic() - self._since[player])
        return self.longest - self.stalled

    async def leave(self) -> None:
        """Everybody goes; whoever broke says why."""
        for task in self._tasks:
            task.cancel()
        for ended in await asyncio.gather(*self._tasks, return_exceptions=True):
            assert isinstance(ended, asyncio.CancelledError), ended


@pytest.mark.postgres
@pytest.mark.slow
def test_nobody_behind_the_proxy_waits_five_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A node is drained, frozen and killed: bets are answered within 5 s, once, and a planned stop voids no round."""
    with Fleet(tmp_path, 3, 6, betting_ms=1_000) as fleet:
        for node in fleet.nodes:
            node.wants["dice_key"] = str(tmp_path / "dice.key")  # whoever takes a table over goes on with its round
        seats = fleet.start(players=2)
        with Front(tmp_path, [node.port for node in fleet.nodes]) as front:
            monkeypatch.setenv("SSL_CERT_FILE", str(front.certificate))
            waits, players = asyncio.run(_faults(fleet, front.url, seats))
    assert len(players.done) > 100
    assert {what: seconds for what, seconds in waits.items() if seconds > MOST_S} == {}


async def _faults(fleet: Fleet, url: str, seats: Seats) -> tuple[dict[str, float], Players]:
    players, (one, other, third) = Players(url, seats), fleet.nodes
    waits = {"calm": await players.during(asyncio.sleep(0), CALM_S)}
    waits["drain"] = await players.during(asyncio.to_thread(_drained, one), CALM_S)
    assert await asyncio.to_thread(_broken_rounds, fleet) == []
    waits["freeze"] = await players.during(_now(lambda: other.signal(signal.SIGSTOP)), FROZEN_S)
    waits["thaw"] = await players.during(_now(lambda: other.signal(signal.SIGCONT)), CALM_S)
    waits["kill"] = await players.during(asyncio.to_thread(_killed, fleet, third), FROZEN_S)
    waits["start"] = await players.during(asyncio.to_thread(third.start), CALM_S)
    await players.leave()
    assert fleet.wrong_writers() == []
    fleet.end()
    with open_journal(fleet.journal_url, read_only=True) as journal:
        assert reckon(journal, players.done) == []
    return waits, players


def _killed(fleet: Fleet, node: Node) -> None:
    """Kill a node; the dashboard shows it in time: the others' metrics say so, are scraped, and the page asks again."""
    scraped = yaml.safe_load((DEPLOY / "prometheus.example.yaml").read_text(encoding="utf-8"))["global"]
    board = json.loads((DEPLOY / "dashboard.json").read_text(encoding="utf-8"))
    pauses = sum(int(each.removesuffix("s")) for each in (scraped["scrape_interval"], board["refresh"]))
    node.kill()
    began = time.monotonic()
    left = [f"{each.url}/metrics" for each in fleet.nodes if each is not node]
    while any(b"\ntaisai_nodes_alive 2.0\n" not in _text(url) for url in left):
        assert time.monotonic() - began + pauses < SHOWN_S


def _text(url: str) -> bytes:
    with urlopen(url, timeout=SHOWN_S) as answer:
        return bytes(answer.read())


async def _now(act: Callable[[], object]) -> None:
    act()


def _drained(node: Node) -> None:
    """As a rolling upgrade does it: SIGTERM, and the next version in its place."""
    node.signal(signal.SIGTERM)
    node.wait(60.0)
    node.start()


def _broken_rounds(fleet: Fleet) -> list[str]:
    """Rounds that were interrupted, though nobody has died yet."""
    asked = f"SELECT table_name, seq, convert_from(body, 'UTF8') FROM {fleet.schema}.record WHERE kind = $1"
    return [f"{table} {seq}: {body}" for table, seq, body in fleet.server.fetch(asked, "round-interrupted")]
