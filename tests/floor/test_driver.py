"""The driver: an automatic table is dealt in time, finishes its round, and waits where it must."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from time import time_ns

import pytest

from taisai.floor.clock import Clock
from taisai.floor.dealer import AutomaticDealer, Countdown, Stage, opening_moves
from taisai.floor.dice import VirtualTumbler
from taisai.floor.driver import Driver
from taisai.floor.floor import Floor
from taisai.floor.live import LiveTable
from taisai.settings.forms import Timing
from taisai.streams.codec import event_of
from taisai.table import commands as c
from taisai.table.events import BetsClosed, BetsOpened, ClockSet
from taisai.table.state import RoundPhase
from tests.floor.gated import BOOK, LIMITS, GatedJournal, bet, command, floor_on
from tests.house.people import on_a_loop

FAST = Timing(betting_ms=20, after_close_ms=0, tumbling_ms=0, reveal_ms=0, lit_ms=0, paid_ms=0, between_ms=0)
SLOW = Timing(betting_ms=3_600_000)


async def open_table(floor: Floor) -> LiveTable:
    """A table that is open, with a player who has chips."""
    set_up = c.SetUp(BOOK.id, "C", BOOK.digest, LIMITS, "SGD", (100, 1_000, 10_000))
    commands = opening_moves(floor.table("T").state, BOOK, set_up, {10_000: 100_000}, 1)
    commands += [command(900, c.SitDown("p1")), command(901, c.BuyIn("p1", 1_000_000))]
    for each in commands:
        answer = await floor.do("T", each)
        assert answer.refusal is None, answer.refusal
    return floor.table("T")


def driver(timing: Timing = FAST, minimum_betting_ms: int = 0) -> Driver:
    """A driver that deals without people."""
    return Driver(
        AutomaticDealer(
            BOOK,
            VirtualTumbler(),
            timing,
            unattended=True,
            idle_when_empty=False,
            minimum_betting_ms=minimum_betting_ms,
            purpose=c.Purpose.DEMO,
        )
    )


async def until(floor: Floor, so: Callable[[], bool]) -> None:
    """Wait until something is so, which every change of a table may bring about."""
    changed = asyncio.Event()
    floor.listen(lambda _table, _events: changed.set())
    async with asyncio.timeout(10):
        while not so():
            changed.clear()
            await changed.wait()


@on_a_loop
async def test_rounds_are_dealt_one_after_another() -> None:
    """An automatic table deals round after round without anybody's help."""
    floor = await floor_on(GatedJournal())
    table = await open_table(floor)
    floor.automate("T", driver())
    await until(floor, lambda: len(table.state.history) >= 3)
    assert [past.number for past in table.state.history][:3] == [1, 2, 3]
    assert all(past.dice for past in table.state.history[:3])
    assert floor.mode("T") == "automatic"
    await floor.stop()


@on_a_loop
async def test_finishing_settles_the_bets_of_the_round() -> None:
    """A table with a bet finishes its round before the driver ends, and begins no other."""
    floor = await floor_on(GatedJournal())
    table = await open_table(floor)
    dealing = driver(Timing(**dict.fromkeys(FAST.__struct_fields__, 0) | {"betting_ms": 200}))
    floor.automate("T", dealing)
    await until(floor, lambda: table.state.round.phase is RoundPhase.BETTING)
    assert (await floor.do("T", bet(1_000))).refusal is None
    number = table.state.round.number
    await asyncio.wait_for(dealing.finish(), 10)
    assert table.state.history[-1].number == number
    assert table.state.round.phase is RoundPhase.BETWEEN
    await floor.stop()


@on_a_loop
async def test_finishing_does_not_wait_for_a_round_without_bets() -> None:
    """Nobody has bet: the driver ends at once, though the round is open for an hour."""
    floor = await floor_on(GatedJournal())
    table = await open_table(floor)
    dealing = driver(SLOW)
    floor.automate("T", dealing)
    await until(floor, lambda: table.state.round.phase is RoundPhase.BETTING)
    await asyncio.wait_for(dealing.finish(), 10)
    assert table.state.round.phase is RoundPhase.BETTING
    await floor.stop()


@on_a_loop
async def test_a_hurried_stop_leaves_the_round_for_the_next_start() -> None:
    """Before stopping it is known how many rounds have bets and how long they take; who hurries finishes none."""
    floor = await floor_on(GatedJournal())
    table = await open_table(floor)
    floor.automate("T", driver(Timing(betting_ms=4_000, reveal_ms=1_000)))
    assert floor.to_finish() == (0, 0)
    await until(floor, lambda: table.state.round.phase is RoundPhase.BETTING)
    assert (await floor.do("T", bet(1_000))).refusal is None
    rounds, seconds = floor.to_finish()
    assert (rounds, seconds) == (1, 4 + 2 + 4 + 1 + 4 + 3)
    stopping = asyncio.ensure_future(floor.stop())
    await asyncio.sleep(0)
    floor.hurry()
    await asyncio.wait_for(stopping, 2)
    assert table.state.round.phase is RoundPhase.BETTING


@on_a_loop
async def test_displays_see_the_next_step_and_its_time() -> None:
    """`until` gives the stage, and when it ends in the clock's microseconds."""
    floor = await floor_on(GatedJournal())
    table = await open_table(floor)
    floor.automate("T", driver(SLOW))
    await until(floor, lambda: table.state.round.phase is RoundPhase.BETTING)
    ends = table.state.round.opened_at + 3_600_000_000
    assert floor.until(table.state) == Countdown(Stage.BETTING, ends)
    await floor.stop(finish_s=0.1)


@on_a_loop
async def test_a_table_of_another_node_is_left_alone() -> None:
    """The driver gives no command while another node holds the table, and goes on when it is woken."""
    floor = await floor_on(GatedJournal())
    table = await open_table(floor)
    table.owned = False
    dealing = driver()
    floor.automate("T", dealing)
    given = table.commands
    for _ in range(1_000):
        dealing.wake()
        await asyncio.sleep(0)
    assert table.commands == given
    table.owned = True
    floor.wake("T")
    await until(floor, lambda: bool(table.state.history))
    await floor.stop()


def test_a_refused_driver_says_so_and_waits_for_a_change(caplog: pytest.LogCaptureFixture) -> None:
    """A disabled table refuses the next round: the driver logs it once, waits, and deals when it is enabled."""

    async def run() -> None:
        floor = await floor_on(GatedJournal())
        table = await open_table(floor)
        await floor.disable("T", by="lee", rank="supervisor", reason="a test")
        floor.automate("T", driver())
        while not caplog.records:
            await asyncio.sleep(0)
        for _ in range(1_000):
            await asyncio.sleep(0)
        await floor.enable("T", by="lee", rank="supervisor", reason="looked at")
        await until(floor, lambda: bool(table.state.history))
        await floor.stop()

    with caplog.at_level(logging.WARNING, "taisai.floor"):
        asyncio.run(run())
    assert caplog.messages == ["table T: the automatic dealer was refused: The table is disabled: no new round begins."]


class Watch:
    """The two clocks of a machine: the wall clock can be set, the monotonic one goes on."""

    def __init__(self) -> None:
        self.set_by_us = 0
        self.clock = Clock(lambda: time_ns() // 1000 + self.set_by_us)


HOUR_US = 3_600_000_000


@pytest.mark.parametrize("jumps", [(-HOUR_US,), (24 * HOUR_US, -24 * HOUR_US), (24 * HOUR_US,), (-24 * HOUR_US,)])
@on_a_loop
async def test_tables_go_on_whatever_the_wall_clock_shows(jumps: tuple[int, ...]) -> None:
    """Set back or forward, and back again: rounds go on, with their least period; records say when it jumped."""
    watch = Watch()
    floor = await floor_on(GatedJournal(), clock=watch.clock)
    table = await open_table(floor)
    floor.automate("T", driver(Timing(**dict.fromkeys(FAST.__struct_fields__, 1) | {"betting_ms": 30}), 30))
    for jump in jumps:
        await until(floor, lambda: table.state.round.phase is RoundPhase.BETTING)
        watch.set_by_us += jump
        rounds = len(table.state.history)
        await until(floor, lambda: len(table.state.history) >= rounds + 3)  # noqa: B023 - awaited before the next
    assert abs(table.state.at - watch.clock.now()) < 10_000_000
    events = [event_of(record) for record in floor.writer.journal.read("T")]
    assert [round(each.what.by_us / HOUR_US) for each in events if isinstance(each.what, ClockSet)] == [
        round(jump / HOUR_US) for jump in jumps
    ]
    opened = 0
    for each in events:
        if isinstance(each.what, BetsOpened):
            opened = each.at
        elif isinstance(each.what, ClockSet):
            opened += each.what.by_us
        elif isinstance(each.what, BetsClosed):
            assert each.at - opened >= 30_000
    await floor.stop()


@on_a_loop
async def test_deadlines_are_clamped_when_a_table_is_loaded() -> None:
    """A table whose last record is a day ahead, after a restart by a clock that is right again, is dealt at once."""
    ahead, journal = Watch(), GatedJournal()
    ahead.set_by_us = 24 * HOUR_US
    floor = await floor_on(journal, clock=ahead.clock)
    table = await open_table(floor)
    floor.automate("T", driver())
    await until(floor, lambda: len(table.state.history) >= 1)
    await floor.stop()
    again = await floor_on(journal, clock=Watch().clock)
    table, rounds = again.table("T"), len(again.table("T").state.history)
    again.automate("T", driver())
    await until(again, lambda: len(table.state.history) >= rounds + 2)
    assert abs(table.state.at - again.clock.now()) < 10_000_000
    await again.stop()


@on_a_loop
async def test_a_stop_waits_for_as_long_as_the_longest_round_in_play() -> None:
    """No fixed time: the round's own timing says how long a planned stop lasts at most; without a round it is short."""
    floor = await floor_on(GatedJournal())
    table = await open_table(floor)
    assert floor.longest_round_s == 0
    timing = Timing(betting_ms=60_000)
    floor.automate("T", driver(timing))
    await until(floor, lambda: table.state.round.phase is RoundPhase.BETTING)
    whole = 60 + (2_000 + 4_000 + 2_000 + 4_000 + 3_000 + 3_000) / 1_000
    assert floor.longest_round_s == whole
    assert (await floor.do("T", bet(1_000))).refusal is None
    rounds, seconds = floor.to_finish()
    assert rounds == 1
    assert 60 < seconds <= whole
    table.owned = False  # another node plays it, and this one need not wait for that
    assert floor.longest_round_s == 0
    await asyncio.wait_for(floor.stop(), 5)


@on_a_loop
async def test_among_nodes_an_empty_round_is_finished_too() -> None:
    """Bets still arrive until the table is handed over, so a node that leaves finishes whatever it has begun."""
    floor = await floor_on(GatedJournal())
    table = await open_table(floor)
    dealing = driver(Timing(**dict.fromkeys(FAST.__struct_fields__, 0) | {"betting_ms": 200}))
    floor.automate("T", dealing)
    await until(floor, lambda: table.state.round.phase is RoundPhase.BETTING)
    number = table.state.round.number
    await asyncio.wait_for(dealing.finish(with_empty=True), 10)
    assert table.state.history[-1].number == number
    assert table.state.round.phase is RoundPhase.BETWEEN
    await floor.stop()
