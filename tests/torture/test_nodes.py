"""Several nodes on one PostgreSQL: killed, frozen, cut off and drained under load, they lose nothing.

`python -m tests.torture.nodes` does the same for any length of time.
"""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from taisai.version import __version__
from tests.torture.fleet import Fleet
from tests.torture.load import Crowd
from tests.torture.nodes import Torture, Wish, torture

TORTURE = bool(os.environ.get("TAISAI_TORTURE"))
FAULTS = ("kill", "freeze", "cut_off", "drain") * (5 if TORTURE else 1)
WISH = Wish(
    nodes=3, tables=6, bots=24, seconds=0, seed=7, betting_ms=1_000, pace_s=0.3, faults=FAULTS, frozen_s=(3.5, 4.5)
)  # fmt: skip
BACK_S = 55.0
"""Far more than the five seconds that a table may be away: other tests run beside this one."""
LONG_S = 90.0


@pytest.mark.postgres
@pytest.mark.slow
def test_nodes_that_die_freeze_drain_and_are_cut_off_lose_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every acknowledged bet is there once, whichever node took it; only a table's holder writes it; it adds up."""
    with capsys.disabled():
        verdict = torture(WISH, tmp_path, tell=TORTURE)
    assert verdict.wrong == []
    assert verdict.acknowledged > 100
    assert {fault.what.partition(" ")[0] for fault in verdict.faults} >= {"kill", "freeze", "cut", "drain", "mended"}
    assert max(verdict.deaths(), default=0.0) < BACK_S


@pytest.mark.postgres
@pytest.mark.slow
def test_nodes_of_two_versions_serve_the_same_tables(tmp_path: Path) -> None:
    """As in a rolling upgrade, they forward commands to each other, and each logs the other's version."""
    with Fleet(tmp_path, 2, 4, betting_ms=1_000) as fleet:
        old, new = fleet.nodes
        new.wants["version"] = "99.0"
        seats = fleet.start(players=3)

        async def run() -> None:
            crowd = Crowd([node.url for node in fleet.nodes], seats, 8, seed=1, pace_s=0.2)
            run = Torture(fleet, crowd, seats, 1)
            crowd.begin()
            async with asyncio.timeout(LONG_S):
                while await asyncio.to_thread(fleet.spread) != {1: 2, 2: 2}:
                    await asyncio.sleep(0.2)  # tables move when their rounds end
            for one, other in ((old, new), (new, old)):
                one.is_well = False  # bots connect to the other node, which forwards their bets
                assert max((await run.away(fleet.held_by(one), time.monotonic())).values()) < BACK_S
                one.is_well = True
                assert other.is_well
            await crowd.end()
            assert crowd.ledger.wrong == []

        asyncio.run(run())
        assert f"is of version 99.0, this node of {__version__}" in old.log.read_text(encoding="utf-8")
        assert f"is of version {__version__}, this node of 99.0" in new.log.read_text(encoding="utf-8")


@pytest.mark.postgres
@pytest.mark.slow
def test_an_upgrade_node_by_node_under_load_loses_nothing(tmp_path: Path) -> None:
    """Each node is drained and comes back as a later release, with fields in its messages that others do not know."""
    with Fleet(tmp_path, 2, 4, betting_ms=1_000) as fleet:
        seats = fleet.start(players=3)

        async def run() -> None:
            crowd = Crowd([node.url for node in fleet.nodes], seats, 8, seed=1, pace_s=0.2)
            run = Torture(fleet, crowd, seats, 1)
            crowd.begin()
            for node in fleet.nodes:
                node.wants |= {"version": "99.0", "newer": True}
                await run.drain(node)
                async with asyncio.timeout(LONG_S):
                    while await asyncio.to_thread(fleet.spread) != {1: 2, 2: 2}:
                        await asyncio.sleep(0.2)  # tables move when their rounds end
                for one in fleet.nodes:
                    one.is_well = False  # bets for its tables go through the other node
                    assert max((await run.away(fleet.held_by(one), time.monotonic())).values()) < BACK_S
                    one.is_well = True
            await crowd.end()
            assert crowd.ledger.wrong == []
            assert max(max(fault.away.values()) for fault in run.faults) < BACK_S

        asyncio.run(run())
        assert fleet.wrong_writers() == []
        old, new = (node.log.read_text(encoding="utf-8") for node in fleet.nodes)
        assert f"is of version {__version__}, this node of 99.0" in old
        assert f"is of version 99.0, this node of {__version__}" in new
