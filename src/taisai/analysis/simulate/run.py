"""Simulation: a table played many shifts long, where no formula reaches.

Enters: a layout, the rules of the table, its traffic, a number of rounds and a seed. Leaves: a tally of whole numbers,
the same to the last bit however many workers played it, in whatever order they finished. Any executor of
`concurrent.futures` will do: processes by default, or Dask's by `distributed.Client(...).get_executor()`.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from typing import Final

import numpy as np

from taisai.analysis.kernels import Kernel, is_compiled
from taisai.analysis.risk.traffic import Group, TableRules, Traffic
from taisai.analysis.session.exact import Plan
from taisai.analysis.simulate.draws import SEED_MOST, threshold
from taisai.analysis.simulate.table import Job, play_block
from taisai.analysis.simulate.tally import GroupTally, Tally
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_ROLLS
from taisai.core.faults import InputFault
from taisai.core.rulebook import Layout

ROUNDS_MOST: Final = 10**12
SHIFT_HOURS: Final = 8
SHIFT_ROUNDS_MOST: Final = 1 << 20
WORKERS_MOST: Final = 512
COMPILE_FROM: Final = 1_000_000_000
"""Rounds from which the compiled kernels, where they are installed, save more than the second that compiling takes."""
_AHEAD: Final = 4
"""Blocks handed out for each worker, at most: memory stays bounded however long the simulation is."""

Progress = Callable[[int, int], None]


def job_of(
    layout: Layout,
    rules: TableRules,
    traffic: Traffic,
    *,
    rounds: int,
    seed: int,
    shift_rounds: int | None = None,
    kernel: Kernel = "auto",
) -> Job:
    """The simulation of so many rounds, in whole shifts: the last shift is played to its end."""
    length = traffic.rounds_per_hour * SHIFT_HOURS if shift_rounds is None else shift_rounds
    if not 1 <= length <= SHIFT_ROUNDS_MOST:
        raise InputFault("shift-rounds", f"a shift has 1 to {SHIFT_ROUNDS_MOST:,} rounds, got {length:,}")
    if not 1 <= rounds <= ROUNDS_MOST:
        raise InputFault("rounds", f"1 to {ROUNDS_MOST:,} rounds, got {rounds:,}")
    if type(seed) is not int or not 0 <= seed <= SEED_MOST:
        raise InputFault("seed", f"a whole number from 0 to {SEED_MOST}, got {seed}")
    players = [(place, group) for place, group in enumerate(traffic.groups) for _ in range(group.count)]
    bets = [(seat, box, stake) for seat, (_, group) in enumerate(players) for box, stake in group.bets]
    boxes = tuple(box for _, box, _ in bets)
    pays = np.zeros((len(ALL_ROLLS) + 1, len(bets)), dtype=np.int64)
    for roll in ALL_ROLLS:
        pays[roll.index] = [layout.pay_table[roll.index][box] or -1 for box in boxes]
    most = sum(group.staked * max(step.factor for step in group.steps) for _, group in players)
    if most * int(pays.max()) * length > np.iinfo(np.int64).max // 4:
        raise InputFault("traffic", "stakes too large: a shift does not fit 64 bits")
    return Job(
        rules=rules,
        groups=traffic.groups,
        boxes=boxes,
        stakes=tuple(stake for *_, stake in bets),
        seats=tuple(seat for seat, *_ in bets),
        owners=tuple(place for place, _ in players),
        pays=pays,
        void=threshold(traffic.void),
        seed=seed,
        shifts=-(-rounds // length),
        shift_rounds=length,
        compiled=is_compiled(kernel, rounds, COMPILE_FROM),
    )


def simulate(
    job: Job, *, workers: int = 1, executor: Executor | None = None, progress: Progress | None = None
) -> Tally:
    """Play all blocks and merge their tallies. `progress` hears of rounds played and rounds in all.

    One worker plays here; more are processes of their own. An executor that is given is used as it is, and left open.
    An interruption cancels what has not begun, and goes on upwards.
    """
    if not 1 <= workers <= WORKERS_MOST:
        raise InputFault("workers", f"1 to {WORKERS_MOST}, got {workers}")
    tally = Tally(tuple(GroupTally() for _ in job.groups))

    def take(part: Tally) -> None:
        tally.merge(part)
        if progress is not None:
            progress(tally.rounds, job.shifts * job.shift_rounds)

    if executor is not None:
        _play_with(executor, job, _AHEAD * max(workers, 4), take)
    elif workers == 1 or job.blocks == 1:
        for block in range(job.blocks):
            take(play_block(job, block))
    else:
        # Fresh processes and not forks: a fork of a process with threads may hang.
        context = get_context("spawn")
        count = min(workers, job.blocks)
        with ProcessPoolExecutor(count, mp_context=context, initializer=_leave_interrupts) as pool:
            _play_with(pool, job, _AHEAD * count, take)
    return tally


def _leave_interrupts() -> None:
    """A worker does not hear Ctrl-C: the one who started it does, and lets it finish its block."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play_with(executor: Executor, job: Job, ahead: int, take: Callable[[Tally], None]) -> None:
    pending: set[Future[Tally]] = set()
    try:
        for block in range(job.blocks):
            if len(pending) >= ahead:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    take(future.result())
            pending.add(executor.submit(play_block, job, block))
        while pending:
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                take(future.result())
    finally:
        for future in pending:
            future.cancel()


def usual_traffic(layout: Layout, players: int, stake: int = 1000) -> Traffic:
    """So many players of different habits, for a table nobody has described.

    In turn, as far as the layout has the boxes: flat on small, flat on big and a total, a martingale on odd, a
    d'Alembert on even, one on single faces, one on triples. They bring 50 stakes, leave when they have doubled or lost
    them or after 200 rounds, and the next one sits down.
    """
    if not 1 <= players <= 1000:
        raise InputFault("players", f"1 to 1000 players, got {players}")
    tenth = max(stake // 10, 1)
    wanted: list[tuple[str, Plan, list[tuple[str, int]]]] = [
        ("flat on small", Plan.FLAT, [("small", stake)]),
        ("big and a total", Plan.FLAT, [("big", stake), ("total:9", tenth)]),
        ("martingale", Plan.MARTINGALE, [("odd", stake)]),
        ("d'Alembert", Plan.DALEMBERT, [("even", stake)]),
        ("single faces", Plan.FLAT, [("single:1", tenth), ("single:6", tenth)]),
        ("triples", Plan.FLAT, [("any-triple", tenth), ("triple:6", tenth)]),
    ]
    habits: list[tuple[str, Plan, tuple[tuple[BoxName, int], ...]]] = []
    for name, plan, some in wanted:
        there = tuple((BoxName(box), amount) for box, amount in some if box in layout.boxes)
        if there:
            habits.append((name, plan, there))
    if not habits:
        first = next(iter(layout.boxes))
        habits = [(f"flat on {first}", Plan.FLAT, ((first, stake),))]
    groups = []
    for place, (name, plan, bets) in enumerate(habits[:players]):
        staked = sum(amount for _, amount in bets)
        groups.append(
            Group(
                name=name,
                bets=bets,
                count=(players - place - 1) // len(habits) + 1,
                plan=plan,
                stake_max=None if plan is Plan.FLAT else 16 * staked,
                bankroll=50 * staked,
                stop_win=50 * staked,
                visit_rounds=200,
            )
        )
    return Traffic(tuple(groups))
