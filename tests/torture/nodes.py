"""The torture of several nodes: processes, PostgreSQL and bots, all real, and faults by chance.

    python -m tests.torture.nodes --nodes 3 --tables 200 --bots 2000 --minutes 10 --seed 7
    make torture-nodes

Enters: a seed. Leaves: progress, how long tables were away after each fault, and a verdict; the exit code is 1 when
something was lost, doubled or does not add up, or when a table was away for too long. Nodes are killed, frozen for
longer than their lease lasts, drained, cut off from the database and from one another (silently, or by resets);
PostgreSQL dies once and is started again. The seed decides which and when; what follows from it is up to the machine.

Back is a table when somebody at another node lays a bet there that was sent after the fault, and is told that it is
done. The logs of nodes and what was acknowledged stay in a folder when something was wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench.load import Socket
from taisai.journal import open_journal
from tests.torture.fleet import Fleet, Node
from tests.torture.load import Crowd, Ledger
from tests.torture.reckoning import reckon
from tests.torture.temperaments import AGAIN, Asked, Felt, open_socket

BACK_S: Final = 5.0
"""How long a table may be away after its node has died."""
AWAY_MAX_S: Final = 60.0
"""How long is waited for a table."""
FROZEN_S: Final = (4.0, 8.0)
"""Longer than a lease lasts."""
PULSE_S: Final = 0.1
STILL_S: Final = 1.0
"""A pulse so late is a machine that stood still."""
FAULTS: Final = ("kill", "freeze", "drain", "cut_off", "cut_peers", "restart_server")
BETWEEN_S: Final = (3.0, 8.0)


class Fault(NamedTuple):
    """What was done to a node, and how long its tables were away."""

    what: str
    node: int
    at_s: float
    away: dict[str, float]
    is_death: bool
    """Whether its tables had to go elsewhere."""
    stood_still_s: float = 0.0
    """How long the whole machine was busy with something else meanwhile: times of then say nothing."""

    def __str__(self) -> str:
        name = f"{self.at_s:5.0f} s  {self.what}" + (f" node {self.node}" if self.node else "")
        if not self.away:
            return f"{name}: it held nothing"
        times = sorted(self.away.values())
        still = f"; the machine stood still for {self.stood_still_s:.1f} s" if self.stood_still_s else ""
        half = times[len(times) // 2]
        return f"{name}: {len(times)} tables back after {half:.1f} s (p50), {times[-1]:.1f} s (most){still}"


class Probe:
    """Somebody who lays a bet at a table until one is taken."""

    def __init__(self, table: str, seat: Sequence[str], felt: Felt, ledger: Ledger) -> None:
        self._table, (self._player, self._token) = table, seat
        self._felt, self._ledger = felt, ledger
        self._count = 0
        self._asked: Asked | None = None
        self._answer: asyncio.Future[str] | None = None
        self.last = "no connection"
        """What became of the last try."""

    async def back_at(self, nodes: Callable[[], list[Node]], chance: random.Random) -> float:
        """When a bet was taken that was sent from now on."""
        name = f"{time.time_ns():x}"
        while True:
            there = nodes()
            if not there:
                await asyncio.sleep(0.05)
                continue
            try:
                node = chance.choice(there)
                place = ("127.0.0.1", node.port)
                self.last = f"no connection to node {node.number}"
                socket = await open_socket(place, f"/play/{self._table}", self._token, self._heard)
            except (OSError, TimeoutError):
                await asyncio.sleep(0.05)
                continue
            try:
                self.last = f"nothing from node {node.number}"
                if await self._bet(socket, name):
                    return time.monotonic()
            finally:
                socket.transport.abort()

    async def _bet(self, socket: Socket, name: str) -> bool:
        """Bets at one node, until one is taken or nobody answers."""
        while not socket.lost.done():
            if self._asked is None:
                self._count += 1
                command_id = f"probe-{name}-{self._player}-{self._count}"
                now = time.monotonic()
                self._asked = Asked(
                    self._table, command_id, self._player, "place-bet", self._felt.boxes[0], self._felt.least, now
                )
            self._answer = asyncio.get_running_loop().create_future()
            socket.send(self._asked.frame())
            try:
                async with asyncio.timeout(9):  # a node waits a while for a table that is on its way
                    code = await self._answer
            except TimeoutError:
                return False
            self.last = f"{self.last.partition(':')[0]}: {code}"
            if code not in AGAIN:
                self._asked = None
            if code == "done":
                return True
            await asyncio.sleep(0.05)
        return False

    def _heard(self, _socket: Socket, text: bytes) -> None:
        asked = self._asked
        if asked is None or text[6:9] not in (b"don", b"ref") or self._answer is None or self._answer.done():
            return
        answer = json.loads(text)
        if answer["id"] == asked.id:
            if answer["t"] == "done":
                self._ledger.heard(asked, answer["seq"], repeated=bool(answer.get("repeated")))
            self._answer.set_result(answer.get("code", "done"))


class Torture:
    """One run."""

    def __init__(
        self,
        fleet: Fleet,
        crowd: Crowd,
        seats: Mapping[str, Sequence[Sequence[str]]],
        seed: int,
        say: Callable[[object], None] = print,
    ) -> None:
        self.fleet, self.crowd = fleet, crowd
        self.say = say
        self.frozen_s = FROZEN_S
        self.faults: list[Fault] = []
        self.stopping = asyncio.Event()
        self._seats = seats
        self._chance = random.Random(seed)
        self._began = time.monotonic()
        self._stills: list[tuple[float, float]] = []

    # ------------------------------------------------------------------ waiting

    def _well(self) -> list[Node]:
        return [node for node in self.fleet.nodes if node.is_well]

    async def away(self, tables: Sequence[str], since: float) -> dict[str, float]:
        """How long each table was away."""

        async def one(table: str) -> float:
            while table not in self.crowd.felts:
                await asyncio.sleep(0.05)
            probe = Probe(table, self._seats[table][-1], self.crowd.felts[table], self.crowd.ledger)
            try:
                async with asyncio.timeout(AWAY_MAX_S):
                    return await probe.back_at(self._well, self._chance) - since
            except TimeoutError:
                self.say(f"    {table} is away: {probe.last}")
                return AWAY_MAX_S

        return dict(zip(tables, await asyncio.gather(*map(one, tables)), strict=True))

    async def until_spread(self, seconds: float) -> dict[int, int]:
        """Wait until every node holds about its share; how many each holds."""
        share = len(self.fleet.tables) // len(self.fleet.nodes)
        until = time.monotonic() + seconds
        while True:
            spread = await asyncio.to_thread(self.fleet.spread)
            if min(spread.values()) >= share * 3 // 4 or time.monotonic() > until:
                return spread
            await asyncio.sleep(0.5)

    async def feel_the_pulse(self) -> None:
        """Know when this process did not run: then the nodes did not either."""
        while True:
            before = time.monotonic()
            await asyncio.sleep(PULSE_S)
            late = time.monotonic() - before - PULSE_S
            if late > STILL_S:
                self._stills.append((before, late))

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self.stopping.wait()
        except TimeoutError:
            pass

    def _between(self, bounds: tuple[float, float]) -> float:
        return self._chance.uniform(*bounds)

    def _note(self, what: str, node: Node | None, began: float, away: dict[str, float], *, is_death: bool) -> None:
        stood_still = sum(seconds for at, seconds in self._stills if at > began)
        number = 0 if node is None else node.number
        fault = Fault(what, number, began - self._began, away, is_death, stood_still)
        self.faults.append(fault)
        self.say(fault)

    # ------------------------------------------------------------------ faults

    async def kill(self, node: Node) -> None:
        """Kill -9, and started again later."""
        held = await asyncio.to_thread(self.fleet.held_by, node)
        began = time.monotonic()
        await asyncio.to_thread(node.kill)
        self._note("kill", node, began, await self.away(held, began), is_death=True)
        await asyncio.to_thread(node.start)

    async def freeze(self, node: Node) -> None:
        """Frozen for longer than its lease, and woken."""
        held = await asyncio.to_thread(self.fleet.held_by, node)
        began = time.monotonic()
        node.is_well = False
        node.signal(signal.SIGSTOP)
        waking = asyncio.ensure_future(asyncio.sleep(self._between(self.frozen_s)))
        away = await self.away(held, began)
        await waking
        node.signal(signal.SIGCONT)
        node.is_well = True
        self._note("freeze", node, began, away, is_death=True)

    async def drain(self, node: Node) -> None:
        """Asked to end, as for an upgrade, and started again."""
        held = await asyncio.to_thread(self.fleet.held_by, node)
        began = time.monotonic()
        node.is_well = False
        node.signal(signal.SIGTERM)
        away = await self.away(held, began)
        await asyncio.to_thread(node.wait, 40.0)
        self._note("drain", node, began, away, is_death=False)
        await asyncio.to_thread(node.start)

    async def cut_off(self, node: Node) -> None:
        """No way to the database, or to nobody at all."""
        await self._cut(node, database=True, peers=self._chance.random() < 0.5)

    async def cut_peers(self, node: Node) -> None:
        """No way to other nodes: its tables stay with it, and others cannot reach them."""
        await self._cut(node, database=False, peers=True)

    async def _cut(self, node: Node, *, database: bool, peers: bool) -> None:
        network = self.fleet.network
        word = self._chance.choice(("drop", "reset"))
        what = "/".join(["database"] * database + ["nodes"] * peers)
        ways = self.fleet.ways_of(node, database=database, peers=peers)
        held = await asyncio.to_thread(self.fleet.held_by, node)
        began = time.monotonic()
        node.is_well = not database
        await asyncio.to_thread(network.set, word, *ways)
        mending = asyncio.ensure_future(asyncio.sleep(self._between(self.frozen_s)))
        away = await self.away(held, began) if database else {}
        await mending
        mended = time.monotonic()
        await asyncio.to_thread(network.set, self._chance.choice(("mend", "forget")), *ways)
        node.is_well = True
        self._note(f"cut from {what} ({word})", node, began, away, is_death=database)
        back = await self.away(self._chance.sample(self.fleet.tables, min(10, len(self.fleet.tables))), mended)
        self._note("mended", node, mended, back, is_death=False)

    async def restart_server(self, _node: Node | None = None) -> None:
        """PostgreSQL dies and is started again."""
        began = time.monotonic()
        seconds = await asyncio.to_thread(self.fleet.restart_server)
        away = await self.away(self.fleet.tables, began)
        self._note(f"PostgreSQL away for {seconds:.1f} s", None, began, away, is_death=False)

    async def run(self, faults: Sequence[Callable[[Node], Awaitable[None]]] | None, seconds: float) -> None:
        """Faults by chance until the time is over, or these in turn."""
        self._began = time.monotonic()
        if faults is not None:
            for fault in faults:
                await fault(self._chance.choice(self._well()))
            return
        kinds = (self.kill, self.kill, self.freeze, self.freeze, self.cut_off, self.cut_off, self.cut_peers, self.drain)
        half, until = self._began + seconds / 2, self._began + seconds
        has_restarted = False
        while time.monotonic() < until and not self.stopping.is_set():
            if not has_restarted and time.monotonic() > half:
                has_restarted = True
                await self.restart_server()
            else:
                node = self._chance.choice(self._well())
                await self._chance.choice(kinds)(node)
                await self.until_spread(10.0)
            await self._pause(self._between(BETWEEN_S))


# ------------------------------------------------------------------ from beginning to end


class Wish(NamedTuple):
    """What to run."""

    nodes: int
    tables: int
    bots: int
    seconds: float
    seed: int
    betting_ms: int
    pace_s: float | None = None
    faults: tuple[str, ...] | None = None
    """These in turn, instead of faults by chance."""
    frozen_s: tuple[float, float] = FROZEN_S
    """How long a node is frozen or cut off."""


class Verdict(NamedTuple):
    """What came of it."""

    wrong: list[str]
    faults: list[Fault]
    summary: str
    acknowledged: int

    def deaths(self) -> list[float]:
        """How long tables were away whose node had died, was frozen or cut off."""
        counted = [fault for fault in self.faults if fault.is_death and not fault.stood_still_s]
        return sorted(seconds for fault in counted for seconds in fault.away.values())


def torture(wish: Wish, folder: Path, *, tell: bool = True) -> Verdict:
    """Run it, and reckon; without `tell`, in silence."""
    say = print if tell else _nothing
    players = -(-wish.bots // wish.tables) + 1  # one seat a table is the probe's
    with Fleet(folder, wish.nodes, wish.tables, betting_ms=wish.betting_ms) as fleet:
        seats = fleet.start(players)
        crowd = Crowd(
            [node.url for node in fleet.nodes],
            {table: each[:-1] for table, each in seats.items()},
            wish.bots,
            seed=wish.seed,
            pace_s=wish.pace_s,
        )
        run = Torture(fleet, crowd, seats, wish.seed, say)
        run.frozen_s = wish.frozen_s
        faults = asyncio.run(_run(wish, run, tell=tell))
        fleet.end()
        crowd.ledger.write(folder / "acknowledged.jsonl")
        wrong = [*crowd.ledger.wrong, *fleet.wrong_writers()]
        wrong += [f"{fault.what}: {table} did not come back" for fault in faults for table in _never(fault)]
        say(f"reckoning over {len(crowd.ledger.done):,} acknowledged commands")
        with open_journal(fleet.journal_url, read_only=True) as journal:
            wrong += reckon(journal, crowd.ledger.done.values())
        return Verdict(wrong, faults, crowd.summary(), len(crowd.ledger.done))


def _never(fault: Fault) -> list[str]:
    return [table for table, seconds in fault.away.items() if seconds >= AWAY_MAX_S and not fault.stood_still_s]


def _nothing(_what: object) -> None:
    pass


async def _run(wish: Wish, run: Torture, *, tell: bool) -> list[Fault]:
    fleet, crowd = run.fleet, run.crowd
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, run.stopping.set)
    crowd.begin()
    telling = asyncio.ensure_future(crowd.tell() if tell else asyncio.sleep(0))
    pulse = asyncio.ensure_future(run.feel_the_pulse())
    try:
        await run.away(fleet.tables, time.monotonic())
        run.say(f"tables at each node: {await run.until_spread(60.0)}")
        chosen = None if wish.faults is None else [getattr(run, name) for name in wish.faults]
        await run.run(chosen, wish.seconds)
        began = time.monotonic()
        run.faults.append(Fault("the end", 0, 0, await run.away(fleet.tables, began), is_death=False))
    finally:
        telling.cancel()
        pulse.cancel()
        await crowd.end()
        loop.remove_signal_handler(signal.SIGINT)
    return run.faults


def main(words: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture.nodes", description="Torture several nodes.")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--bots", type=int, default=2_000)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=None, help="which faults, and when; by chance when not given")
    parser.add_argument("--betting-ms", type=int, default=6_000, help="how long bets are open in a round")
    parser.add_argument("--pace", type=float, default=None, help="seconds between two commands of a bot")
    parser.add_argument("--faults", help="these in turn instead of by chance: kill,freeze,cut_off,restart_server")
    parser.add_argument("--back", type=float, default=BACK_S, help="seconds that a table may be away after a death")
    given = parser.parse_args(words)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # standard output is a text file
    seed = int.from_bytes(os.urandom(4)) if given.seed is None else given.seed
    faults = tuple(given.faults.split(",")) if given.faults else None
    if unknown := set(faults or ()) - set(FAULTS):
        parser.error(f"--faults: {', '.join(sorted(unknown))}: choose from {', '.join(FAULTS)}")
    seconds = given.minutes * 60
    wish = Wish(given.nodes, given.tables, given.bots, seconds, seed, given.betting_ms, given.pace, faults)
    print(f"seed {seed}: {wish.nodes} nodes, {wish.tables} tables, {wish.bots:,} bots, {given.minutes:g} minutes")
    folder = Path(tempfile.mkdtemp(prefix="taisai-torture-"))
    verdict = torture(wish, folder)
    print(verdict.summary)
    deaths = verdict.deaths()
    late = [seconds for seconds in deaths if seconds > given.back]
    if deaths:
        print(
            f"tables away after a death: {len(deaths)}, p50 {deaths[len(deaths) // 2]:.1f} s,"
            f" p99 {deaths[int(len(deaths) * 0.99)]:.1f} s, most {deaths[-1]:.1f} s; {len(late)} over {given.back:g} s"
        )
    print("\n".join(verdict.wrong[:50]))
    good = not verdict.wrong and not late
    if good:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"logs and acknowledged commands: {folder}")
    print(f"seed {seed}: {'good' if good else f'NOT GOOD: {len(verdict.wrong)} things wrong, {len(late)} tables late'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
