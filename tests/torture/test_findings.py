"""What the simulator has found in the program, each held by a test of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from taisai.books import open_shelf
from taisai.floor.answers import Answer
from taisai.floor.live import LiveTable
from taisai.floor.writer import GroupWriter
from taisai.journal import Batch, Journal, JournalFailed, JournalFull, OutcomeUnknown
from taisai.journal.record import Head
from taisai.streams.loading import load
from taisai.table import commands as c
from taisai.table.events import Event
from tests.floor.gated import GatedJournal, bet, betting, command, floor_on


def test_what_was_decided_on_a_failed_commit_is_not_written_though_its_number_fits() -> None:
    """Somebody else took the first number; what was decided on top of the first has the next, and is not written."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        table = await betting(floor)
        other = await floor_on(journal)  # it interrupts the round: one record more
        journal.hold()
        answers: list[Answer] = []
        floor.submit(table, bet(101, "p2", "big", 200), answers.append)
        await journal.held()
        floor.submit(table, bet(102, "p2", "big", 300), answers.append)
        journal.open.set()
        late = await floor.do("T", bet(103))
        assert [each.refusal is not None for each in (*answers, late)] == [True, True, True]
        assert table.state == load(journal, "T")[0]
        assert table.state.round.totals == {}
        await floor.stop()
        await other.writer.stop()

    asyncio.run(run())


def test_a_table_that_could_not_read_the_disk_reads_it_before_it_decides() -> None:
    """A bet in doubt that is on disk is not refused by a state without it: its repeat gets the first answer."""

    class Blind(GatedJournal):
        """Its records cannot be read for a while."""

        blind = False

        def head(self, table: str) -> Head:
            """The first thing that is read."""
            if self.blind:
                raise JournalFailed("the connection was lost")
            return super().head(table)

    async def run() -> None:
        journal = Blind()
        floor = await floor_on(journal)
        table = await betting(floor)
        before = table.state.seq
        journal.break_off, journal.blind = OutcomeUnknown("the connection was lost in the commit"), True
        doubtful = await floor.do("T", bet(100, "p1", "small", 500))
        still = await floor.do("T", bet(100, "p1", "small", 500))
        for each in (doubtful, still):
            assert each.refusal is not None
            assert "not known" in each.refusal.sentence
        journal.blind = False
        assert journal.head("T").seq == before + 1
        answers = await asyncio.gather(floor.do("T", command(101, c.CloseBets())), floor.do("T", bet(100)))
        assert [(each.refusal, each.repeated) for each in answers] == [(None, False), (None, True)]
        assert table.state.round.totals == {"small": 500}
        assert table.state == load(journal, "T")[0]
        await floor.stop()

    asyncio.run(run())


def test_a_failed_commit_that_changed_nothing_wakes_nobody() -> None:
    """The automatic dealer, refused by a full disk, waits: its own refusal does not wake it to try again at once."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        await betting(floor)
        told: list[tuple[Event, ...]] = []

        def listen(_table: LiveTable, events: tuple[Event, ...]) -> None:
            told.append(events)

        floor.listen(listen)

        def full(_batches: Sequence[Batch]) -> Exception:
            return JournalFull("the disk is full: nothing was written")

        journal.refuse = full
        answer = await floor.do("T", bet(100))
        await asyncio.sleep(0)
        assert answer.refusal is not None
        assert told == []
        journal.refuse = lambda _batches: None
        assert (await floor.do("T", bet(100))).refusal is None
        assert len(told) == 1
        await floor.stop()

    asyncio.run(run())


def test_a_table_that_is_taken_over_does_not_step_back() -> None:
    """While a node reads the table that it takes over, it may hear of a later record: it goes on from the later one."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        await betting(floor)
        writer = GroupWriter(lambda: journal, asyncio.get_running_loop())
        table = LiveTable("T", writer, open_shelf(environment={}).book, lambda _table, _events: None, owned=False)
        read = writer.run

        async def slowly(work: Callable[[Journal], Any]) -> Any:
            found = await read(work)
            assert (await floor.do("T", bet(100))).refusal is None
            for record in journal.read("T", table.state.seq):
                table.follow(record)
            return found

        writer.run = slowly  # type: ignore[method-assign] # the reading takes its time
        await table.take_over()
        assert table.state == load(journal, "T")[0]
        await floor.stop()
        await writer.stop()

    asyncio.run(run())
