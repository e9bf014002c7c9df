"""A load generator: bots of mixed temperament at a floor that runs, and a ledger of what they were told.

    python -m tests.torture.load --url http://127.0.0.1:8000 --bots 50 --seconds 30
    python -m tests.torture.load --url http://node-1:8000 --url http://node-2:8000 --bots 2000 --seconds 600 --seed 7
        --seats seats.json --out acknowledged.jsonl

Enters: the addresses of a floor's nodes; tables; seats. Without `--seats` the bots are guests of a demo floor
(`make run`); `--seats` is a file `{"seats": {"T1": [["player", "token"], ...]}}`, as `floor_process` prints it.
Leaves: a line of progress every few seconds, a summary (after Ctrl-C too), and every acknowledged command as a line of
JSON, for `tests.torture.reckoning` to look for in the journal. The exit code is 1 when something was wrong: a change
that did not follow the one before it, or a yes to what nobody may do.

What a floor lets one address do is bounded: `connections_per_address` and `commands_per_second` of its settings must
be as large as the crowd.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import secrets
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from taisai.books import open_shelf
from taisai.client import Client
from tests.torture.temperaments import Asked, Bot, Felt, Seat, temperament_of

BETS_PER_S: Final = 450
"""What a crowd bets together, unless its pace is given."""
TELL_S: Final = 5.0
SAMPLE: Final = 200_000
"""Latencies kept for the summary."""

Seats = Mapping[str, Sequence[Sequence[str]]]


class Acknowledged(NamedTuple):
    """A command that a node said is done."""

    table: str
    id: str
    player: str
    do: str
    box: str
    amount: int | None
    seq: int


class Ledger:
    """What everybody has heard."""

    def __init__(self) -> None:
        self.done: dict[str, Acknowledged] = {}
        self.repeated = 0
        self.refused: Counter[str] = Counter()
        self.sentences: dict[str, str] = {}
        """The last sentence of each kind of refusal."""
        self.connections = 0
        self.not_reached = 0
        self.gave_up = 0
        self.went_back = 0
        """Snapshots of a node that had not read as far as the one before it."""
        self.wrong: list[str] = []
        """What a client must never see."""
        self.latencies: list[float] = []
        self.recent: list[float] = []

    def heard(self, asked: Asked, seq: int, *, repeated: bool) -> None:
        """A command was done, or had been done."""
        if not asked.is_allowed:
            self.wrong.append(f"done, and nobody may do it: {asked}")
        known = self.done.get(asked.id)
        now = Acknowledged(asked.table, asked.id, asked.player, asked.do, asked.box, asked.amount, seq)
        if known is None:
            self.done[asked.id] = now
            took = time.monotonic() - asked.sent_at
            self.recent.append(took)
            if len(self.latencies) < SAMPLE:
                self.latencies.append(took)
        self.repeated += repeated

    def write(self, path: Path) -> None:
        """Every acknowledged command as a line of JSON."""
        with path.open("w", encoding="utf-8") as file:
            for each in self.done.values():
                file.write(json.dumps(each._asdict()) + "\n")


def read_acknowledged(path: Path) -> list[Acknowledged]:
    """What a ledger has written."""
    with path.open(encoding="utf-8") as file:
        return [Acknowledged(**json.loads(line)) for line in file]


class Crowd:
    """All bots at a floor."""

    def __init__(self, urls: Sequence[str], seats: Seats, bots: int, *, seed: int, pace_s: float | None = None) -> None:
        self.places = [place_of(url) for url in urls]
        self.seed = seed
        self.name = secrets.token_hex(4)
        """Ids of commands begin with it: another run at the same floor has others."""
        self.pace_s = pace_s or max(1.0, bots / BETS_PER_S)
        self.ramp_s = max(0.5, bots / 400)
        self.felts: dict[str, Felt] = {}
        self.ledger = Ledger()
        self.stopping = False
        self._shelf = open_shelf(environment={})
        self._tasks: list[asyncio.Task[None]] = []
        chosen = list(_in_turn(seats, bots))
        self.bots = [Bot(self, seat, temperament_of(number), number) for number, seat in enumerate(chosen)]
        if len(self.bots) < bots:
            raise SystemExit(f"load: --bots {bots}: there are seats for {len(self.bots)}")

    def learn(self, table: str, view: Mapping[str, Any]) -> None:
        """What a table stands under, from the first snapshot of it."""
        set_up = view.get("set_up")
        if set_up is not None:
            layout = self._shelf.layout(f"{set_up['book']}/{set_up['layout']}")
            limit = set_up["limits"]["default"]
            self.felts[table] = Felt(tuple(layout.boxes), *_bounds(limit))

    def begin(self) -> None:
        """Let them come, one after the other."""
        self._tasks = [asyncio.ensure_future(bot.live()) for bot in self.bots]

    def stop(self) -> None:
        """Enough: what was sent is waited for a moment, and nothing more is sent."""
        self.stopping = True

    async def end(self) -> None:
        """Until everybody is gone."""
        self.stop()
        await asyncio.sleep(1.0)
        for task in self._tasks:
            task.cancel()
        for ended in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(ended, Exception):
                self.ledger.wrong.append(f"a bot broke: {ended!r}")

    @property
    def connected(self) -> int:
        """How many have a connection."""
        return sum(bot.is_connected for bot in self.bots)

    async def tell(self, every_s: float = TELL_S) -> None:
        """Print a line every few seconds, without end."""
        began = before = time.monotonic()
        while True:
            await asyncio.sleep(every_s)
            now = time.monotonic()
            print(f"{now - began:6.0f} s  {self.progress(now - before)}", flush=True)
            before = now

    def progress(self, seconds: float) -> str:
        """What happened since the last time."""
        ledger = self.ledger
        recent, ledger.recent = sorted(ledger.recent), []
        return (
            f"{self.connected:,} of {len(self.bots):,} there, {len(recent) / seconds:,.0f} commands/s,"
            f" p50 {_part(recent, 0.5)}, p99 {_part(recent, 0.99)},"
            f" reconnects {max(0, ledger.connections - len(self.bots)):,}, refused {_told(ledger.refused)}"
        )

    def summary(self) -> str:
        """Everything."""
        ledger = self.ledger
        latencies = sorted(ledger.latencies)
        kinds = Counter(each.do for each in ledger.done.values())
        lines = [
            f"acknowledged: {kinds['place-bet']:,} bets, {kinds['withdraw-bet']:,} withdrawals",
            f"repeats: {ledger.repeated:,} answered as they were",
            f"latency: p50 {_part(latencies, 0.5)}, p99 {_part(latencies, 0.99)}, most {_part(latencies, 1)}",
            f"connections: {ledger.connections:,} made, {ledger.not_reached:,} not made",
            f"left without an answer: {ledger.gave_up:,}; snapshots older than what was seen: {ledger.went_back:,}",
            *(f"refused: {count:,} {code}: {ledger.sentences[code]}" for code, count in ledger.refused.most_common()),
            f"wrong: {len(ledger.wrong)}",
        ]
        return "\n".join([*lines, *(f"  {each}" for each in ledger.wrong[:20])])


def place_of(url: str) -> tuple[str, int]:
    """Host and port of an address."""
    parts = urlsplit(url)
    if parts.scheme != "http" or not parts.hostname:
        raise SystemExit(f"load: --url {url}: write http://host:port; the bots speak no TLS")
    return parts.hostname, parts.port or 80


def _in_turn(seats: Seats, bots: int) -> Iterable[Seat]:
    """One seat of each table after the other, so that few bots are at many tables."""
    places = max((len(players) for players in seats.values()), default=0)
    in_turn = [
        Seat(table, players[place][0], players[place][1])
        for place in range(places)
        for table, players in seats.items()
        if place < len(players)
    ]
    return in_turn[:bots]


def _bounds(limit: Any) -> tuple[int, int]:
    """Minimum and maximum of a box."""
    values = list(limit.values()) if isinstance(limit, dict) else list(limit)
    return int(values[0]), int(values[1])


def _part(values: Sequence[float], part: float) -> str:
    if not values:
        return "-"
    return f"{values[min(len(values) - 1, int(len(values) * part))] * 1e3:,.0f} ms"


def _told(counts: Counter[str], most: int = 4) -> str:
    return ", ".join(f"{code} {count:,}" for code, count in counts.most_common(most)) or "nothing"


async def guests(url: str, tables: Sequence[str], bots: int) -> dict[str, list[tuple[str, str]]]:
    """Seats of a demo floor, as many as there are bots."""
    async with Client(url) as client:
        floor = await client.floor()
        names = [
            card.table for card in floor.tables if card.mode == "automatic" and (not tables or card.table in tables)
        ]
        if not names:
            raise SystemExit(f"load: --tables: {url} has no automatic table of these names")
        seats: dict[str, list[tuple[str, str]]] = {name: [] for name in names}
        for number in range(bots):
            session = await client.sit_down(guest_at=names[number % len(names)])
            seats[names[number % len(names)]].append((session.me.player or "", session.token))
    return seats


async def run(given: argparse.Namespace) -> int:
    """Load a floor as the command line says; the exit code."""
    if given.seats:
        seats: Seats = json.loads(Path(given.seats).read_text(encoding="utf-8"))["seats"]
        if given.tables:
            seats = {table: seats[table] for table in given.tables if table in seats}
    else:
        seats = await guests(given.url[0], given.tables, given.bots)
    crowd = Crowd(given.url, seats, given.bots, seed=given.seed, pace_s=given.pace)
    print(f"seed {given.seed}: {given.bots:,} bots at {len(seats)} tables, a command every {crowd.pace_s:.1f} s each")
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    crowd.begin()
    telling = asyncio.ensure_future(crowd.tell())
    try:
        async with asyncio.timeout(given.seconds):
            while not (stopping.is_set() or (given.enough and len(crowd.ledger.done) >= given.enough)):
                with suppress(TimeoutError):
                    await asyncio.wait_for(stopping.wait(), 0.1)
    except TimeoutError:
        pass
    telling.cancel()
    await crowd.end()
    print(crowd.summary())
    if given.out:
        crowd.ledger.write(Path(given.out))
        print(f"{len(crowd.ledger.done):,} acknowledged commands are in {given.out}")
    return 1 if crowd.ledger.wrong or not crowd.ledger.done else 0


def main(words: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture.load", description="Load a floor with bots.")
    parser.add_argument("--url", action="append", required=True, help="a node of the floor; may be given again")
    parser.add_argument("--seats", help="a file with seats and tokens; without it the bots are guests of a demo")
    parser.add_argument("--tables", type=lambda text: text.split(","), default=[], help="only these: T1,T2")
    parser.add_argument("--bots", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--enough", type=int, default=0, help="end when so many commands are acknowledged")
    parser.add_argument("--seed", type=int, default=None, help="how the bots behave; by chance when not given")
    parser.add_argument("--pace", type=float, default=None, help="seconds between two commands of a bot")
    parser.add_argument("--out", help="the acknowledged commands go into this file, a line of JSON each")
    given = parser.parse_args(words)
    if given.seed is None:
        given.seed = int.from_bytes(os.urandom(4))
    return asyncio.run(run(given))


if __name__ == "__main__":
    sys.exit(main())
