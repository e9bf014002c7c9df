"""The simulation: the same to the last bit whoever plays it, by the core's rules, in agreement with what is exact."""

from __future__ import annotations

import random
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from distributed import Client, LocalCluster

from taisai.analysis.risk.shift import shift_result
from taisai.analysis.risk.traffic import Group, Traffic, rules_of
from taisai.analysis.session.exact import Manner, Plan, game_of, session
from taisai.analysis.simulate import table as simulate_table
from taisai.analysis.simulate.report import Estimate, report_of
from taisai.analysis.simulate.run import job_of, simulate, usual_traffic
from taisai.analysis.simulate.table import Job, play_block
from taisai.analysis.simulate.tally import GroupTally, Tally
from taisai.core.bets import parse_bets
from taisai.core.boxes import BoxName
from taisai.core.faults import InputFault
from taisai.core.odds import bets_odds
from tests.analysis.simulate.samples import BOOK, FLAT, LAYOUT, LIMITS, MIXED, SHELF, group, job


def shuffled(task: Job, seed: int) -> Tally:
    """The blocks of a job, merged in an order drawn by chance."""
    parts = [play_block(task, block) for block in range(task.blocks)]
    random.Random(seed).shuffle(parts)
    tally = Tally(tuple(GroupTally() for _ in task.groups))
    for part in parts:
        tally.merge(part)
    return tally


@pytest.fixture(scope="module")
def task() -> Job:
    """A simulation of the whole table, in three blocks of which the last is short."""
    few = (MIXED[0], group("big=300", count=2, attendance=Fraction(1, 2)))
    return job(Traffic(few, limits=LIMITS, void=Fraction(1, 30)), rounds=300_000, shift_rounds=100)


@pytest.fixture(scope="module")
def alone(task: Job) -> Tally:
    """What one worker counts."""
    return simulate(task)


def test_same_to_the_last_bit_with_processes(task: Job, alone: Tally) -> None:
    """Two processes of their own count what one worker counts."""
    assert task.blocks == 3
    assert alone.cut > 0
    assert simulate(task, workers=2) == alone
    assert alone.rounds == 300_000
    assert simulate(replace(task, seed=8)) != alone


def test_same_to_the_last_bit_in_any_order(task: Job, alone: Tally, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads, blocks merged in any order, and a worker that remembers nothing count the same."""
    with ThreadPoolExecutor(3) as pool:
        assert simulate(task, executor=pool) == alone
    assert shuffled(task, 1) == shuffled(task, 2) == alone
    short = replace(task, shifts=20)
    before = simulate(short)
    monkeypatch.setattr(simulate_table, "REMEMBERED_MOST", 2)
    assert simulate(short) == before


def test_same_to_the_last_bit_on_a_dask_cluster(task: Job, alone: Tally) -> None:
    """A Dask cluster of two worker processes drops in, and counts the same."""
    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        LocalCluster(**options) as cluster,  # type: ignore[no-untyped-call] # Dask's own has no types
        Client(cluster) as client,  # type: ignore[no-untyped-call] # as above
    ):
        assert len(client.scheduler_info()["workers"]) == 2
        with client.get_executor() as executor:
            assert simulate(task, executor=executor) == alone


def test_few_blocks_are_handed_out_at_a_time() -> None:
    """However long a simulation is, only some blocks wait to be played."""
    waiting = most = 0

    class Counting(ThreadPoolExecutor):
        """Counts what has been submitted and not been taken back."""

        def submit(self, *arguments: Any, **named: Any) -> Future[Any]:
            """Submit, and count."""
            nonlocal waiting, most
            waiting += 1
            most = max(most, waiting)
            return super().submit(*arguments, **named)

    def taken(_: int, __: int) -> None:
        nonlocal waiting
        waiting -= 1

    many = job(FLAT, rounds=60 * 100, shift_rounds=100)
    with Counting(2) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulate_table, "FLAT_BLOCK_ROUNDS", 100)
        assert many.blocks == 60
        simulate(many, executor=pool, progress=taken)
    assert most == 16


def test_interruption_cancels_what_has_not_begun(task: Job, alone: Tally) -> None:
    """After Ctrl-C nothing more is played, and the executor may be used again."""
    futures: list[Future[Any]] = []

    class Recording(ThreadPoolExecutor):
        """Remembers what was submitted."""

        def submit(self, *arguments: Any, **named: Any) -> Future[Any]:
            """Submit, and remember."""
            futures.append(super().submit(*arguments, **named))
            return futures[-1]

    def interrupt(_: int, __: int) -> None:
        raise KeyboardInterrupt

    with Recording(1) as pool:
        with pytest.raises(KeyboardInterrupt):
            simulate(replace(task, shifts=task.block_shifts * 12), executor=pool, progress=interrupt)
        assert len(futures) == 12
        assert any(future.cancelled() for future in futures)
        assert simulate(task, executor=pool) == alone


def within(estimate: Estimate, truth: float) -> bool:
    """Whether the truth lies between the bounds."""
    return estimate.low <= truth <= estimate.high


@pytest.mark.parametrize(
    "traffic",
    [
        FLAT,
        replace(FLAT, limits=LIMITS),
        replace(FLAT, void=Fraction(1, 20)),
        Traffic((group("small=1000", count=3, attendance=Fraction(1, 2)), group("big=500"))),
        Traffic((group("small=100", plan=Plan.MARTINGALE, stake_max=1600), group("big=500")), limits=LIMITS),
        Traffic((group("odd=100", plan=Plan.DALEMBERT, stake_max=500, attendance=Fraction(1, 2)),)),
    ],
    ids=["flat", "pro rata", "void", "comes and goes", "martingale", "dalembert"],
)
def test_agrees_with_what_is_computed(traffic: Traffic) -> None:
    """What the house wins, risks and holds is, within the bounds, what convolution gives."""
    exact = shift_result(LAYOUT, rules_of(BOOK, traffic.limits, traffic.excess), traffic, Fraction(2))
    task = job(traffic, rounds=400_000, shift_rounds=80)
    report = report_of(task, simulate(task), confidence=Fraction(9999, 10_000))
    assert report.shifts == 5000
    assert within(report.win, float(exact.mean))
    assert within(report.turnover, float(exact.turnover)) or report.turnover.low == pytest.approx(float(exact.turnover))
    assert within(report.hold, float(exact.hold))
    assert within(report.loss, float(exact.loss))
    assert report.deviation == pytest.approx(float(exact.variance) ** 0.5, rel=0.06)
    for (_, truth), found in zip(exact.quantiles, report.quantiles, strict=True):
        assert found.low is not None
        assert found.high is not None
        assert found.low <= truth <= found.high + (abs(found.high) >> 9)
    assert report.float_needed.low is not None
    assert report.float_needed.low <= exact.float_needed
    assert report.fairness > 1e-4


@pytest.mark.parametrize(
    "habits",
    [
        {"bankroll": 3000, "stop_win": 2000},
        {"stop_loss": 1500, "stop_win": 1000},
        {"bankroll": 7000, "stop_win": 3000, "plan": Plan.MARTINGALE, "stake_max": 3200},
        {"bankroll": 5000, "plan": Plan.DALEMBERT, "stake_max": 1000},
    ],
    ids=str,
)
def test_agrees_with_exact_sessions(habits: dict[str, Any]) -> None:
    """Ruin, target, stop and being ahead are, within the bounds, those of the absorbing chain."""
    traffic = Traffic((group("small=200", refill=None, **habits),))
    exact = session(game_of(bets_odds(LAYOUT, parse_bets(LAYOUT, "small=200"))), Manner(80, **habits))
    task = job(traffic, rounds=320_000, shift_rounds=80)
    report = report_of(task, simulate(task), confidence=Fraction(9999, 10_000)).groups[0]
    ends = dict(report.ends)
    assert report.visits == 4000
    assert within(ends["ruin"], float(exact.ruin))
    assert within(ends["target"], float(exact.target))
    assert within(ends["stop"], float(exact.stopped))
    assert within(ends["shift"], float(exact.playing))
    assert within(report.ahead, float(exact.ahead))
    assert within(report.result, float(exact.mean))
    assert report.rounds == pytest.approx(float(exact.expected_rounds), rel=0.03)


def test_usual_traffic_fits_every_layout() -> None:
    """Players of different habits sit down at any layout of the shelf, as many as were asked for."""
    for book in SHELF.books():
        for layout in book.layouts.values():
            for players in (1, 3, 8, 20):
                traffic = usual_traffic(layout, players)
                assert traffic.players == players
                task = job_of(layout, rules_of(book, None), traffic, rounds=40, seed=1, shift_rounds=20)
                assert simulate(task).rounds == 40
    with pytest.raises(InputFault, match="players: 1 to 1000"):
        usual_traffic(LAYOUT, 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rounds": 0}, "rounds: 1 to"),
        ({"shift_rounds": 0}, "shift-rounds: a shift has 1 to"),
        ({"seed": -1}, "seed: a whole number from 0"),
        ({"seed": 2**64}, "seed: a whole number from 0"),
    ],
)
def test_faults_of_a_job(given: dict[str, int], message: str) -> None:
    """Numbers that are out of range are faults that name the field."""
    with pytest.raises(InputFault, match=message):
        job(FLAT, **{"rounds": 10, **given})
    with pytest.raises(InputFault, match="workers: 1 to 512"):
        simulate(job(FLAT, rounds=10), workers=0)
    rich = Traffic((Group("rich", ((BoxName("triple:1"), 10**15),), count=100),))
    with pytest.raises(InputFault, match="traffic: stakes too large"):
        job(rich, rounds=10)


def test_rounds_are_played_in_whole_shifts() -> None:
    """The last shift is played to its end; a shift is eight hours unless it is said otherwise."""
    assert (job(FLAT, rounds=1000).shifts, job(FLAT, rounds=1000).shift_rounds) == (4, 320)
    assert simulate(job(FLAT, rounds=1000)).rounds == 1280
    heard: list[tuple[int, int]] = []
    simulate(job(FLAT, rounds=1000), progress=lambda done, whole: heard.append((done, whole)))
    assert heard == [(1280, 1280)]
