"""Dice health: loaded dice alert the pit, fair ones do not, and a restart continues the test."""

from __future__ import annotations

import asyncio
import random

from taisai.floor.alerts import Alerts
from taisai.floor.floor import Floor
from taisai.journal import MemoryJournal
from taisai.table import commands as c
from taisai.web.dice_health import DiceHealth
from tests.floor.gated import SHELF, betting, command


class _Kept(MemoryJournal):
    def close(self) -> None:
        """Stay open for the next start."""


async def _house(journal: MemoryJournal) -> tuple[Floor, Alerts, DiceHealth]:
    floor = Floor(SHELF.book, lambda: journal)
    alerts = Alerts(floor, floor.clock.now, 10**12)
    health = DiceHealth(floor, alerts)
    await floor.start()
    alerts.load()
    health.load()
    return floor, alerts, health


async def _throw(floor: Floor, rolls: list[tuple[int, int, int]], first: int) -> None:
    """Rounds without a bet: open, close, tumble, uncover, announce, collect."""
    number = first
    for roll in rolls:
        actions: tuple[c.Action, ...] = (
            c.CloseBets(), c.Tumble(3), c.Uncover(roll), c.Announce(), c.Collect(), c.OpenBets(),
        )  # fmt: skip
        for do in actions:
            number += 1
            answer = await floor.do("T", command(number, do))
            assert answer.refusal is None, answer.refusal


def test_dice_that_show_one_face_too_often_raise_an_alert() -> None:
    """A loaded set alerts the pit once (R23); the evidence against it survives a restart."""

    async def run() -> None:
        chance = random.Random(3)
        loaded = [(chance.choice((6, 6, chance.randint(1, 6))), chance.randint(1, 6), 6) for _ in range(60)]
        journal = _Kept()
        floor, alerts, health = await _house(journal)
        await betting(floor)
        await _throw(floor, loaded, 1_000)
        (alert,) = [each for each in alerts.shown() if each.kind == "dice-health"]
        assert (alert.table, alert.times) == ("T", 1)
        seen = health.of("T")
        assert seen is not None
        assert (seen.dice_set, seen.rounds, seen.alarm) == ("D1", 60, True)
        await floor.stop()
        again, _, later = await _house(journal)
        kept = later.of("T")
        assert kept is not None
        assert kept.alarm
        await again.stop()

    asyncio.run(run())


def test_fair_dice_raise_no_alert() -> None:
    """There is evidence, and no alarm."""

    async def run() -> None:
        chance = random.Random(4)
        floor, alerts, health = await _house(_Kept())
        await betting(floor)
        rolls = [(chance.randint(1, 6), chance.randint(1, 6), chance.randint(1, 6)) for _ in range(60)]
        await _throw(floor, rolls, 1_000)
        assert [each for each in alerts.shown() if each.kind == "dice-health"] == []
        seen = health.of("T")
        assert seen is not None
        assert (seen.rounds, seen.alarm) == (60, False)
        await floor.stop()

    asyncio.run(run())


def test_the_order_of_the_dice_is_that_of_the_record() -> None:
    """A dealer's dice are not told apart; a gap in the record is a gap in the watch."""

    async def run() -> None:
        floor, _, health = await _house(_Kept())
        await betting(floor)
        await _throw(floor, [(1, 2, 3), (1, 2, 4), (6, 5, 4)], 1_000)
        _, watch = health._watches["T"]
        assert not watch.ordered
        assert sum(watch.counts("keeps")) == 2
        await floor.stop()

    asyncio.run(run())
