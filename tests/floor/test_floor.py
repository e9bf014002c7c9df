"""The floor: disabled tables, closing, significant events, the clock, snapshots."""

from __future__ import annotations

import asyncio

import pytest

from taisai.floor.answers import HouseCode
from taisai.floor.clock import JUMP_US, Clock
from taisai.floor.floor import Floor
from taisai.floor.live import SNAPSHOT_EVERY
from taisai.journal import MemoryJournal
from taisai.streams.house_events import ClockChanged, read_house
from taisai.table import commands as c
from tests.floor.gated import DAN, SHELF, GatedJournal, bet, betting, command, floor_on

SETTLING: tuple[c.Action, ...] = (c.CloseBets(), c.Tumble(3), c.Uncover((1, 2, 3)), c.Announce(), c.Collect())


def _logged(journal: MemoryJournal) -> list[str]:
    return [str(event.what.__struct_config__.tag) for _, event in read_house(journal)]


@pytest.mark.parametrize("what", ["T", "*"])
def test_a_disabled_table_finishes_its_round_and_begins_no_other(what: str) -> None:
    """R35: the round in play goes on; the next round is refused until the table is enabled again."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        await betting(floor)
        await floor.disable(what, by="lee", rank="supervisor", reason="a test")
        assert (await floor.do("T", bet(100))).refusal is None
        for number, do in enumerate(SETTLING, 200):
            assert (await floor.do("T", command(number, do))).refusal is None
        assert (await floor.do("T", command(210, c.PayAll()))).refusal is None
        refused = await floor.do("T", command(211, c.OpenBets()))
        assert refused.refusal is not None
        assert (refused.refusal.code, refused.refusal.clauses) == (HouseCode.DISABLED, ("R35",))
        await floor.stop()
        again = await floor_on(journal)
        assert set(again.disabled) == {what}
        await again.enable(what, by="lee", rank="supervisor", reason="looked at")
        assert (await again.do("T", command(212, c.OpenBets()))).refusal is None
        kind = "table" if what == "T" else "house"
        assert [each for each in _logged(journal) if "abled" in each] == [f"{kind}-disabled", f"{kind}-enabled"]
        await again.stop()

    asyncio.run(run())


def test_a_large_win_is_a_significant_event() -> None:
    """Winnings that reach the house's amount are journalled in the house's stream (R30)."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal, large_win=5_000)
        await betting(floor)
        await floor.do("T", bet(100, box="small", amount=5_000))
        await floor.do("T", bet(101, "p2", "odd", 100))
        for number, do in enumerate(SETTLING, 200):
            await floor.do("T", command(number, do))
        await floor.do("T", command(210, c.PayAll()))
        await floor.stop()
        assert _logged(journal).count("large-win") == 1

    asyncio.run(run())


def test_a_closing_house_takes_no_bet() -> None:
    """While the house closes no round begins and no bet is taken; the round in play is settled."""

    async def run() -> None:
        floor = await floor_on(GatedJournal())
        await betting(floor)
        floor.closing = True
        refused = await floor.do("T", bet(100))
        assert refused.refusal is not None
        assert refused.refusal.code == HouseCode.CLOSING
        assert (await floor.do("T", command(101, c.CloseBets(), DAN))).refusal is None
        await floor.stop()

    asyncio.run(run())


def test_a_changed_clock_is_a_significant_event() -> None:
    """A wall clock that was set is journalled, with what it should have shown and what it showed (R30)."""
    machine = [10_000 * JUMP_US, 0]
    clock = Clock(lambda: machine[0], lambda: machine[1])
    journal = GatedJournal()

    async def run() -> None:
        floor = Floor(SHELF.book, lambda: journal, clock)
        await floor.start()
        machine[0] -= JUMP_US + 1
        clock.now()
        await floor.stop()

    asyncio.run(run())
    assert [event.what for _, event in read_house(journal)] == [
        ClockChanged(10_000 * JUMP_US, 10_000 * JUMP_US - JUMP_US - 1)
    ]


def test_snapshots_are_saved_during_a_shift(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long shift need not be replayed from its beginning."""
    monkeypatch.setattr("taisai.table.handlers.betting.STACKS_OF_PLAYER", 2 * SNAPSHOT_EVERY)

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        table = await betting(floor)
        answers: list[object] = []
        for number in range(SNAPSHOT_EVERY):
            floor.submit(table, bet(1_000 + number), answers.append)
        await floor.do("T", bet(900_000))
        await floor.writer.run(lambda _journal: None)
        snapshot = journal.latest_snapshot("T")
        assert snapshot is not None
        assert SNAPSHOT_EVERY <= snapshot.seq <= table.state.seq
        await floor.stop()

    asyncio.run(run())
