"""The server is killed under load again and again: every acknowledged bet is there once, and everything adds up."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections import Counter, defaultdict
from pathlib import Path
from subprocess import Popen

import pytest

from taisai.audit.run import Audit
from taisai.books import open_shelf
from taisai.journal import Journal, open_journal
from taisai.streams.codec import event_of
from taisai.streams.house_events import game_tables
from taisai.streams.loading import load
from taisai.table import events as e
from tests.postgres import journal_url
from tests.torture.bots import Acknowledged, Crowd, floor_process

KILLS = 50 if os.environ.get("TAISAI_TORTURE") else 3
TABLES, PLAYERS = 4, 4


async def _under_load(process: Popen[str], told: dict[str, object], seed: int, seconds: float) -> Crowd:
    """Bet for a while, kill the server, and read what was still on its way."""
    crowd = Crowd(told, seed)
    await crowd.come()
    async with asyncio.timeout(60):
        while not crowd.done:
            await asyncio.sleep(0.01)
    await asyncio.sleep(seconds)  # the time under load is what the test is about
    process.send_signal(signal.SIGKILL)
    await crowd.gone()
    return crowd


def _funds(journal: Journal, table: str) -> dict[str, int]:
    """Every player's chips in hand, added up from the events."""
    funds: dict[str, int] = defaultdict(int)
    for record in journal.read(table):
        match event_of(record).what:
            case e.BoughtIn(player=player, amount=amount):
                funds[player] += amount
            case e.BetPlaced(player=player, amount=amount):
                funds[player] -= amount
            case e.BetPaid(player=player, returned=returned):
                funds[player] += returned
            case e.RoundVoided(handed=handed):
                for each in handed:
                    funds[each.player] += each.amount
            case _:
                pass
    return dict(funds)


@pytest.mark.slow
@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_a_killed_floor_loses_and_doubles_nothing(store: str, tmp_path: Path) -> None:
    """Every acknowledged bet is there once; every balance is right; the audit finds nothing (R25, R27)."""
    url = journal_url(tmp_path) if store == "postgresql" else str(tmp_path / "floor.db")
    chance = random.Random(f"kill {store}")
    acknowledged: list[Acknowledged] = []
    for number in range(KILLS):
        with floor_process(url, TABLES, PLAYERS) as (process, told):
            crowd = asyncio.run(_under_load(process, told, number, 0.4 + chance.random()))
        assert crowd.done, f"no bet was taken: {crowd.refused}"
        acknowledged += crowd.done
    with open_journal(url, read_only=True) as journal:
        check(journal, acknowledged)


def check(journal: Journal, acknowledged: list[Acknowledged], players: int = PLAYERS) -> None:
    """Check that acknowledged bets are there once, balances are right, and the audit finds nothing."""
    kept: Counter[Acknowledged] = Counter()
    for table in game_tables(journal):
        for record in journal.read(table):
            what = event_of(record).what
            if isinstance(what, e.BetPlaced):
                kept[Acknowledged(table, record.command_id, what.player, what.box, what.amount)] += 1
        state, _ = load(journal, table)
        funds = _funds(journal, table)
        assert {player: state.funds(player) for player in funds} == funds
        assert sum(1 for player in funds if player.startswith(f"{table}-")) == players
    assert [bet for bet in acknowledged if kept[bet] != 1] == []
    assert [bet for bet, times in kept.items() if times != 1] == []
    shelf = open_shelf(environment={})
    assert list(Audit(shelf.book).findings(journal)) == []
