"""Memory: idle watchers are cheap, and a floor that runs on does not grow."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.load import Socket, connect
from taisai.journal import Batch, Head, MemoryJournal
from taisai.journal.chain import genesis, linked
from taisai.table import commands as c
from taisai.table.state import HISTORY_ROUNDS
from taisai.web.socket.feed import Feed
from taisai.web.socket.subscriber import Subscriber
from tests.floor.gated import DAN, LEE, bet, betting, command, floor_on
from tests.torture.bots import Crowd, floor_process

TORTURE = bool(os.environ.get("TAISAI_TORTURE"))
WATCHERS = 2_000 if TORTURE else 400
FULL_BETS, SOAK_BETS = 200_000, 400_000
"""How many bets fill the caches, and how many are made in all."""
WATCHER_KIB = 100
GROWTH_BYTES_PER_BET = 10
"""Far less than the smallest thing that could be kept of a bet."""


def _resident_kib(process: subprocess.Popen[str]) -> int:
    text = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    line = next(line for line in text.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1])


async def _watch(told: dict[str, Any], count: int) -> list[Socket]:
    """Connect so many watchers; each has received a table."""
    tables = sorted(told["seats"])
    seeing: set[Socket] = set()
    all_see = asyncio.Event()

    def saw(socket: Socket, _text: bytes) -> None:
        seeing.add(socket)
        if len(seeing) == count:
            all_see.set()

    sockets = [await connect(told["port"], f"/play/{tables[number % len(tables)]}", "", saw) for number in range(count)]
    await all_see.wait()
    return sockets


def test_an_idle_watcher_costs_less_than_a_hundred_kib(tmp_path: Path) -> None:
    """The server's memory grows by less than that for each watcher who connects."""
    with floor_process(str(tmp_path / "floor.db"), 2, 1) as (process, told):

        async def run() -> int:
            first = await _watch(told, 50)
            before = _resident_kib(process)
            more = await _watch(told, WATCHERS)
            after = _resident_kib(process)
            for socket in (*first, *more):
                socket.transport.abort()
            await asyncio.sleep(0)
            return after - before

        assert asyncio.run(run()) / WATCHERS < WATCHER_KIB


class ForgetfulJournal(MemoryJournal):
    """A journal that keeps only the heads of the tables: whatever grows beside it belongs to the floor."""

    def __init__(self) -> None:
        super().__init__()
        self._tips: dict[str, Head] = {}

    def append(self, batches: Sequence[Batch]) -> dict[str, Head]:
        """Hash the records, and forget them."""
        _, heads = linked(batches, 0, lambda table: self._tips.get(table) or Head(0, genesis(table)))
        self._tips.update(heads)
        return heads

    def save_snapshot(self, table: str, seq: int, format_number: int, state: bytes) -> None:
        """Forget it."""


class Deaf:
    """A transport that takes everything and keeps nothing."""

    on_drained: Callable[[], None] | None = None
    is_full = False

    def write(self, _frame: bytes) -> bool:
        """Forget it."""
        return True

    async def serve(self, on_text: Callable[[bytes], None]) -> None:
        """Nobody sends anything."""

    async def close(self, code: int) -> None:
        """Nothing to close."""

    def abort(self) -> None:
        """Nothing to abort."""


SETTLING: tuple[c.Action, ...] = (c.CloseBets(), c.Tumble(3), c.Uncover((1, 2, 3)), c.Announce(), c.Collect())


def test_a_table_that_runs_on_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once its history is full and its dice are looked at, three times as many rounds add nothing, all sent to one."""
    # Fills the list of known commands soon, too.
    monkeypatch.setattr("taisai.floor.live.COMMANDS_KEPT", 500)

    async def run() -> tuple[int, int]:
        journal = ForgetfulJournal()
        floor = await floor_on(journal)
        table = await betting(floor)
        feed = Feed(table, floor.clock.now, floor.until)
        floor.listen(lambda _live, events: feed.changed(events))

        feed.join(Subscriber(Deaf(), None, None), None)
        number = 1_000

        async def play(rounds: int) -> int:
            nonlocal number
            for left in reversed(range(rounds)):
                for place in range(20):
                    number += 1
                    player, box = ("p1", "small") if place % 3 else ("p2", "big")
                    done = await floor.do("T", bet(number, player, box))
                    assert done.refusal is None, done.refusal
                # The rounds of a set of dice are kept until it is found sound again: they may have to be voided.
                look = () if left else (c.InspectDice(sound=True),)
                for do in (*SETTLING, c.PayAll(), *look, c.OpenBets()):
                    number += 1
                    done = await floor.do("T", command(number, do, LEE if do in look else DAN))
                    assert done.refusal is None, done.refusal
            gc.collect()
            return tracemalloc.get_traced_memory()[0]

        tracemalloc.start()
        try:
            await play(HISTORY_ROUNDS + 20)
            return await play(20), await play(3 * HISTORY_ROUNDS)
        finally:
            tracemalloc.stop()
            await floor.stop()

    settled, later = asyncio.run(run())
    # A dict or set doubles now and then; something that grew with every round would be far more.
    assert later < settled * 1.2


@pytest.mark.skipif(not TORTURE, reason="minutes of soak: `make torture` runs it; its short form is the test above")
def test_a_floor_that_runs_on_does_not_grow(tmp_path: Path) -> None:
    """A process on a real file, with bets without pause: memory stays flat once caches are full."""
    with floor_process(str(tmp_path / "floor.db"), 2, 3) as (process, told):

        async def run() -> tuple[int, int]:
            crowd = Crowd(told, 5)
            await crowd.come()
            found: list[int] = []
            for bets in (FULL_BETS, SOAK_BETS):
                while len(crowd.done) < bets and process.poll() is None:
                    await asyncio.sleep(1.0)
                found.append(_resident_kib(process))
            process.kill()
            await crowd.gone()
            return found[0], found[1]

        full, end = asyncio.run(run())
        assert (end - full) * 1024 / (SOAK_BETS - FULL_BETS) < GROWTH_BYTES_PER_BET
