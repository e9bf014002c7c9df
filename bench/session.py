"""Exact sessions against their budgets, and against the simulation that would be needed for the same accuracy.

The simulation draws the rounds of many sessions with NumPy, adds them up and asks which were ruined. For a standard
error of 1e-4 it needs p (1 - p) * 1e8 sessions; its rate is measured on some and scaled up.
"""

from __future__ import annotations

import timeit
from functools import partial

import numpy as np

from bench.measure import Line, best_ns
from taisai.analysis.session.exact import Game, Manner, game_of, session
from taisai.books import open_shelf
from taisai.core.bets import parse_bets
from taisai.core.odds import bets_odds

LAYOUT = "rws-tai-sai-v6/C"
MILLISECOND_NS = 1_000_000
BANKROLL = 20_000
STANDARD_ERROR = 1e-4
SESSIONS = 2000
"""Sessions of one measured run of the simulation."""


def _game(bets: str) -> Game:
    layout = open_shelf(environment={}).layout(LAYOUT)
    return game_of(bets_odds(layout, parse_bets(layout, bets)))


def _budget(what: str, game: Game, manner: Manner, milliseconds: int) -> Line:
    ours = best_ns(timeit.Timer(partial(session, game, manner)), 1, repeats=3)
    return Line(f"{what}, {manner.rounds:,} rounds", f"{milliseconds} ms", ours, milliseconds * MILLISECOND_NS, 1.0)


def _against_simulation(game: Game) -> Line:
    manner = Manner(300, bankroll=BANKROLL)
    chance = np.random.default_rng(7)
    nets = np.array([net for net, ways in game.ways for _ in range(ways)])

    def simulated() -> float:
        paths = nets[chance.integers(0, 216, size=(SESSIONS, manner.rounds))].cumsum(axis=1)
        return float((paths.min(axis=1) <= -BANKROLL).mean())

    ruin = float(session(game, manner).ruin)
    if abs(simulated() - ruin) > 0.08:
        raise ValueError("the simulation does not agree with the exact session")
    needed = ruin * (1 - ruin) / STANDARD_ERROR**2
    theirs = best_ns(timeit.Timer(simulated), SESSIONS, repeats=3) * needed
    ours = best_ns(timeit.Timer(partial(session, game, manner)), 1, repeats=3)
    against = f"{needed:,.0f} sessions in NumPy, for a standard error of 1e-4 (rate measured, scaled up)"
    return Line("exact chance of ruin, 300 rounds", against, ours, theirs, None)


def measured() -> list[Line]:
    """Sessions of 300 and 10,000 rounds, flat, of two bets, and with a bankroll; and the simulation."""
    small, mixed = _game("small=1000"), _game("small=1000 triple:1=100")
    return [
        _budget("session of one even-money bet", small, Manner(300), 50),
        _budget("session of two bets", mixed, Manner(300), 50),
        _budget("session with bankroll and stop-win", small, Manner(300, bankroll=50_000, stop_win=50_000), 50),
        _budget("session of one even-money bet", small, Manner(10_000), 2000),
        _budget("session of two bets", mixed, Manner(10_000), 2000),
        _budget("session with bankroll and stop-win", mixed, Manner(10_000, bankroll=50_000, stop_win=50_000), 2000),
        _against_simulation(small),
    ]
