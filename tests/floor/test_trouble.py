"""A full or read-only disk, and a database that goes away under load: clear refusals, nothing lost, play goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from taisai.audit.run import Audit
from taisai.floor.answers import Answer, HouseCode
from taisai.floor.floor import Floor
from taisai.journal import Journal, SqliteJournal, open_journal
from taisai.streams.loading import load
from tests.floor.gated import SHELF, bet, betting
from tests.postgres import Server


async def _floor(url: str) -> Floor:
    floor = Floor(SHELF.book, lambda: open_journal(url))
    await floor.start()
    return floor


def _writer(floor: Floor) -> SqliteJournal:
    journal = floor.writer.journal
    assert isinstance(journal, SqliteJournal)
    return journal


def _sound(journal: Journal) -> bool:
    return list(Audit(SHELF.book).findings(journal)) == []


@pytest.mark.parametrize(
    ("spoil", "mend", "words"),
    [
        ("PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000", "disk is full"),
        ("PRAGMA query_only = ON", "PRAGMA query_only = OFF", "read-only"),
    ],
    ids=["full", "read-only"],
)
def test_a_disk_that_takes_nothing_refuses_bets_and_loses_none(
    spoil: str, mend: str, words: str, tmp_path: Path
) -> None:
    """While the disk is full or read-only every bet is refused with the reason; afterwards play goes on."""

    async def run() -> None:
        floor = await _floor(str(tmp_path / "floor.db"))
        table = await betting(floor)
        taken = [number for number in range(100, 120) if (await floor.do("T", bet(number))).refusal is None]
        assert len(taken) == 20
        writer = _writer(floor)._writer
        assert writer is not None
        writer.execute(spoil).fetchall()
        refused: list[Answer] = []
        number = 1_000
        while len(refused) < 20:  # a full disk still has some space in its last page
            number += 1
            answer = await floor.do("T", bet(number))
            if answer.refusal is None:
                taken.append(number)
            else:
                refused.append(answer)
        assert {answer.refusal.code for answer in refused if answer.refusal} == {HouseCode.NOT_RECORDED}
        assert all(words in answer.refusal.sentence for answer in refused if answer.refusal)
        assert table.state.round.totals == {"small": 100 * len(taken)}
        writer.execute(mend).fetchall()
        assert (await floor.do("T", bet(9_000))).refusal is None
        assert table.state == load(floor.writer.journal, "T")[0]
        await floor.stop()

    asyncio.run(run())
    with open_journal(tmp_path / "floor.db", read_only=True) as journal:
        assert _sound(journal)


@pytest.mark.slow
@pytest.mark.postgres
def test_a_database_that_restarts_under_load_loses_nothing(tmp_path: Path) -> None:
    """PostgreSQL restarts in the middle of bets: each bet is recorded once, or was refused."""
    server = Server()
    try:
        url = server.journal_url(tmp_path)

        async def run() -> tuple[list[str], list[str]]:
            floor = await _floor(url)
            table = await betting(floor)
            done: list[str] = []
            refused: list[str] = []
            down = asyncio.Event()

            async def play(first: int) -> None:
                for number in range(first, first + 60):
                    if number == first + 30:
                        await down.wait()  # however fast the bets are, half of them meet the restart
                    command = bet(number)
                    answer = await floor.do("T", command)
                    while answer.refusal is not None and len(refused) < 10_000:
                        assert answer.refusal.code in (HouseCode.NOT_RECORDED, HouseCode.TRY_AGAIN), answer.refusal
                        refused.append(command.id)
                        await asyncio.sleep(0.05)  # a client that tries again, with the same id
                        answer = await floor.do("T", command)
                    done.append(command.id)

            async def restart() -> None:
                while len(done) < 40:
                    await asyncio.sleep(0.005)
                await asyncio.to_thread(server.stop)
                down.set()
                while not refused:
                    await asyncio.sleep(0.005)
                await asyncio.to_thread(server.start)

            await asyncio.gather(restart(), *(play(1_000 * player) for player in range(1, 5)))
            assert table.state == load(floor.writer.journal, "T")[0]
            assert table.state.round.totals == {"small": 100 * 240}
            await floor.stop()
            return done, refused

        done, refused = asyncio.run(run())
        assert len(done) == len(set(done)) == 240
        assert refused, "the restart was not felt"
        with open_journal(url, read_only=True) as journal:
            assert _sound(journal)
    finally:
        server.stop("end")


@pytest.mark.postgres
def test_a_connection_cut_off_under_load_loses_nothing(tmp_path: Path) -> None:
    """The database ends the sessions again and again: every bet is recorded once in the end."""
    server = Server()
    try:
        url = server.journal_url(tmp_path)

        async def run() -> None:
            floor = await _floor(url)
            table = await betting(floor)

            async def play(first: int) -> None:
                for number in range(first, first + 40):
                    while (await floor.do("T", bet(number))).refusal is not None:
                        await asyncio.sleep(0.02)  # a client that tries again, with the same id

            async def cut() -> None:
                for _ in range(5):
                    await asyncio.sleep(0.05)
                    kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                    await asyncio.to_thread(server.execute, kill)

            await asyncio.gather(cut(), *(play(1_000 * player) for player in range(1, 4)))
            assert table.state.round.totals == {"small": 100 * 120}
            assert table.state == load(floor.writer.journal, "T")[0]
            await floor.stop()

        asyncio.run(run())
        with open_journal(url, read_only=True) as journal:
            assert _sound(journal)
    finally:
        server.stop("end")
