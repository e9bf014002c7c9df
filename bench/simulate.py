"""Simulation on one core against a bare draw, a straightforward NumPy simulation, an inline generator and a plain loop.

The bare draw is one draw of 216 with NumPy's default generator, with the count of what fell, in chunks that fit the
cache, of the faster of two widths. The straightforward simulation draws, looks up what the bet wins and adds up. The
plain loop rolls three dice with Python's `random` and looks the bet up in the layout; the shortest loop draws one
number and looks up a list. Ours counts the rolls, each shift's result and its worst moment.
"""

from __future__ import annotations

import random
import timeit
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from bench.measure import Line
from taisai.analysis.risk.traffic import Group, TableRules, Traffic, rules_of
from taisai.analysis.session.exact import Plan
from taisai.analysis.simulate.run import job_of, simulate
from taisai.books import open_shelf
from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_ROLLS
from taisai.core.limits import make_limits
from taisai.core.money import Chips
from taisai.core.settlement import settle

LAYOUT = "rws-tai-sai-v6/C"
ROUNDS = 1 << 23
CHUNK = 1 << 16
SLICE = 100_000
"""Rounds of the plain loop."""
WHOLE = 1 << 18
"""Rounds of the whole table."""
SETTLED = 2000
"""Rounds settled one by one."""
REPEATS = 5
BARE_TARGET, LOOP_TARGET, INLINE_TARGET = 2.0, 1 / 100, 1.3


def measured() -> list[Line]:
    """Flat bets of one player and of eight, and the whole table."""
    shelf = open_shelf(environment={})
    layout, book = shelf.layout(LAYOUT), shelf.book("rws-tai-sai-v6")
    small = Traffic((Group("small", ((BoxName("small"), 1000),)),))
    eight = Traffic(
        (
            Group("small", ((BoxName("small"), 1000), (BoxName("total:9"), 100)), count=4),
            Group("big", ((BoxName("big"), 2000),), count=3),
            Group("triple", ((BoxName("triple:1"), 100), (BoxName("odd"), 100))),
        )
    )
    raiser = Group("raiser", ((BoxName("odd"), 100),), plan=Plan.MARTINGALE, stake_max=1600, bankroll=5000)
    mixed = Traffic((*eight.groups[:2], raiser))
    limits = make_limits(unit=100, default={"min": 100, "max": 5000}, differential={"big-small": 1000})
    free, limited = rules_of(book, None), rules_of(book, limits)
    jobs = {
        "one": job_of(layout, free, small, rounds=ROUNDS, seed=7),
        "eight": job_of(layout, free, eight, rounds=ROUNDS, seed=7),
        "mixed": job_of(layout, free, mixed, rounds=WHOLE, seed=7),
        "limited": job_of(layout, limited, mixed, rounds=WHOLE, seed=7),
    }
    nets = np.array([-layout.pay_table[index][BoxName("small")] or 1 for index in range(216)], dtype=np.int64) * 1000
    chance, plain = np.random.default_rng(7), random.Random(7)
    listed = nets.tolist()

    def bare(kind: type[np.signedinteger[Any] | np.unsignedinteger[Any]]) -> None:
        counts = np.zeros(216, dtype=np.int64)
        for _ in range(ROUNDS // CHUNK):
            counts += np.bincount(chance.integers(0, 216, CHUNK, dtype=kind), minlength=216)

    def straightforward() -> None:
        nets[chance.integers(0, 216, ROUNDS)].sum()

    def looped() -> None:
        won, roll, odds = 0, plain.randint, layout.pay_table
        for _ in range(SLICE):
            one, two, three = roll(1, 6), roll(1, 6), roll(1, 6)
            pays = odds[(one - 1) * 36 + (two - 1) * 6 + three - 1][BoxName("small")]
            won += 1000 * pays or -1000

    def looped_shortly() -> None:
        won = 0
        for _ in range(SLICE):
            won += listed[plain.randrange(216)]

    bets = tuple(
        Bet(PlayerId(f"{group.name} {seat}"), box, Chips(stake))
        for group in mixed.groups
        for seat in range(group.count)
        for box, stake in group.bets
    )

    def by_the_core(rules: TableRules) -> None:
        for _ in range(SETTLED):
            _ = settle(layout, plain.choice(ALL_ROLLS), bets, [Chips(each) for each in rules.at_risk(bets)]).totals

    runs: dict[str, tuple[Callable[[], object], int]] = {
        "bare, bytes": (lambda: bare(np.uint8), ROUNDS),
        "bare, words": (lambda: bare(np.int64), ROUNDS),
        "straightforward": (straightforward, ROUNDS),
        "loop": (looped, SLICE),
        "short loop": (looped_shortly, SLICE),
        "settled": (lambda: by_the_core(free), SETTLED),
        "shared": (lambda: by_the_core(limited), SETTLED),
        "one": (lambda: simulate(jobs["one"]), ROUNDS),
        "eight": (lambda: simulate(jobs["eight"]), ROUNDS),
        "mixed": (lambda: simulate(jobs["mixed"]), WHOLE),
        "limited": (lambda: simulate(jobs["limited"]), WHOLE),
    }
    if find_spec("numba") is not None:
        inline = _inline(nets)
        compiled = job_of(layout, free, small, rounds=ROUNDS, seed=7, kernel="numba")
        inline(1)  # compiles, as the next line does
        if simulate(compiled) != simulate(jobs["one"]):
            raise SystemExit("the compiled simulation differs from NumPy's")
        runs["inline"] = (lambda: inline(ROUNDS), ROUNDS)
        runs["compiled"] = (lambda: simulate(compiled), ROUNDS)
    best = dict.fromkeys(runs, float("inf"))
    # Interleaved, so that other load on the machine affects all of them alike.
    for _ in range(REPEATS):
        for name, (run, rounds) in runs.items():
            best[name] = min(best[name], timeit.timeit(run, number=1) / rounds * 1e9)
    draw = min(best["bare, bytes"], best["bare, words"])
    lines = [
        Line("simulate a flat bet", "bare NumPy draw of 216 with its count", best["one"], draw, BARE_TARGET),
        Line("simulate a flat bet", "plain Python loop", best["one"], best["loop"], LOOP_TARGET),
        Line("simulate a flat bet", "shortest Python loop", best["one"], best["short loop"], None),
        Line("simulate a flat bet", "straightforward NumPy", best["one"], best["straightforward"], None),
        Line("simulate 8 flat players", "bare NumPy draw of 216 with its count", best["eight"], draw, None),
        Line("simulate 8 players, plans, ruin", "their bets settled by the core", best["mixed"], best["settled"], None),
        Line("the same with pro rata", "the same with its pro rata", best["limited"], best["shared"], None),
    ]
    if "inline" in best:
        what = "numba, generator inline"
        lines.insert(4, Line("simulate a flat bet, compiled", what, best["compiled"], best["inline"], INLINE_TARGET))
        lines.insert(5, Line("simulate a flat bet", what, best["one"], best["inline"], None))
    return lines


def _inline(nets: np.ndarray[Any, np.dtype[np.int64]]) -> Callable[[int], int]:
    """A compiled loop with its own generator: the fastest possible, but its parts cannot be reproduced separately."""
    from numba import njit  # noqa: PLC0415 - an extra, and heavy

    @njit
    def run(rounds: int, state: np.uint64, pays: Any) -> int:
        won = 0
        for _ in range(rounds):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            won += pays[((state >> np.uint64(32)) * np.uint64(216)) >> np.uint64(32)]
        return won

    return lambda rounds: int(run(rounds, np.uint64(88172645463325252), nets))
