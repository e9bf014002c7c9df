"""Attempts at what the book does not allow: on record, and bounded."""

from __future__ import annotations

import asyncio

import pytest

from taisai.bounds import ATTEMPTS_OF_ROUND
from taisai.core.rulebook import Fact
from taisai.floor.floor import Floor
from taisai.journal import MemoryJournal
from taisai.streams.house_events import Attempted, read_house
from taisai.table import commands as c
from taisai.table.people import Person, Role
from tests.floor.gated import GatedJournal, bet, betting, command, floor_on

SETTLING: tuple[c.Action, ...] = (c.Tumble(3), c.Uncover((1, 2, 3)), c.Announce(), c.Collect())


def attempts_in(journal: MemoryJournal) -> list[tuple[str, Attempted]]:
    """What the house's log says of attempts: who, and what."""
    return [(event.by, event.what) for _, event in read_house(journal) if isinstance(event.what, Attempted)]


async def settle(floor: Floor) -> None:
    """Bring the round to its end."""
    for number, do in enumerate(SETTLING, 900_000):
        assert (await floor.do("T", command(number, do))).refusal is None


@pytest.mark.clause("rws-tai-sai-v6 §5.7", "rws-tai-sai-v6 §5.14", "rws-tai-sai-v6 §5.5.1")
def test_attempts_are_on_record_with_who_what_clause_and_how_often() -> None:
    """A bet after the close, an act above one's rank, a contradicted fact: the first at once, the count at the end."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        await betting(floor)
        await floor.do("T", command(100, c.CloseBets()))
        for number in range(110, 115):
            answer = await floor.do("T", bet(number))
            assert answer.refusal is not None
        ruling = c.MakeRuling("x", "y", c.RulingGround.MEANING, ("5.14",))
        assert (await floor.do("T", command(120, ruling))).refusal is not None
        await floor.do("T", command(121, c.Tumble(3)))
        assert (await floor.do("T", command(122, c.Report(Fact.TOO_FEW_TUMBLES)))).refusal is not None
        for number, do in enumerate(SETTLING[1:], 130):
            assert (await floor.do("T", command(number, do))).refusal is None
        await floor.stop()
        assert attempts_in(journal) == [
            ("p1", Attempted("T", 1, "place-bet", "bets-closed", ("5.7",))),
            ("dan", Attempted("T", 1, "rule", "not-yours-to-do", ("5.14",))),
            ("dan", Attempted("T", 1, "report", "contradicted", ("5.5.1",))),
            ("p1", Attempted("T", 1, "place-bet", "bets-closed", ("5.7",), 5)),
        ]

    asyncio.run(run())


def test_a_flood_of_attempts_costs_a_counter() -> None:
    """However many try however often, a round has a bounded number of records of it; ordinary refusals have none."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        await betting(floor)
        assert (await floor.do("T", bet(99, box="no-such-box"))).refusal is not None
        await floor.do("T", command(100, c.CloseBets()))
        for number in range(3 * ATTEMPTS_OF_ROUND):
            for again in range(2):
                by = Person(f"q{number}", Role.PLAYER)
                late = command(1_000 + 2 * number + again, c.PlaceBet(by.id, "small", 100), by)
                assert (await floor.do("T", late)).refusal is not None
        await settle(floor)
        await floor.stop()
        found = attempts_in(journal)
        assert len(found) == 2 * (ATTEMPTS_OF_ROUND + 1)
        assert found[-1] == ("house", Attempted("T", 1, "others", "others", (), 4 * ATTEMPTS_OF_ROUND))

    asyncio.run(run())


def test_what_is_counted_is_written_before_the_program_stops() -> None:
    """A count that no end of a round has written yet is written when the floor stops."""

    async def run() -> None:
        journal = GatedJournal()
        floor = await floor_on(journal)
        await betting(floor)
        await floor.do("T", command(100, c.CloseBets()))
        for number in range(110, 113):
            await floor.do("T", bet(number))
        await floor.stop()
        assert [what.times for _, what in attempts_in(journal)] == [1, 3]

    asyncio.run(run())
