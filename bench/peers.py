"""Other open-source games of chance, where they are installed, each playing a round of its own game, as context.

crapssim rolls two dice for a player with a pass line bet; pokerkit deals a hand between two players who check to the
end. Neither is our game, so there is no target. Ours draws three dice and settles five bets.
"""

from __future__ import annotations

import random
import sys
import timeit
from collections.abc import Callable
from importlib import import_module
from typing import Any

from bench.measure import Line, best_ns
from taisai.books import open_shelf
from taisai.core.bets import parse_bets
from taisai.core.dice import ALL_ROLLS
from taisai.core.settlement import settle

LAYOUT = "rws-tai-sai-v6/C"
ROUNDS = 200


def measured() -> list[Line]:
    """A line for each peer that is installed; a note on standard error for each that is not."""
    layout = open_shelf(environment={}).layout(LAYOUT)
    bets = parse_bets(layout, "small=1000 total:9=100 triple:1=50 odd=200 single:6=100")
    chance = random.Random(7)

    def ours() -> None:
        for _ in range(ROUNDS):
            _ = settle(layout, chance.choice(ALL_ROLLS), bets).totals

    ours_ns = best_ns(timeit.Timer(ours), ROUNDS)
    lines = []
    for name, prepared in (("crapssim", _crapssim), ("pokerkit", _pokerkit)):
        try:
            run = prepared()
        except ImportError:
            print(f"  {name}: not installed, left out", file=sys.stderr)
            continue
        theirs_ns = best_ns(timeit.Timer(run), ROUNDS, repeats=3)
        lines.append(
            Line("draw and settle a round of 5 bets", f"{name}, a roll or a hand of its game", ours_ns, theirs_ns, None)
        )
    return lines or [Line("draw and settle a round of 5 bets", "no peer is installed", ours_ns, ours_ns, None)]


def _crapssim() -> Callable[[], Any]:
    table_of = import_module("crapssim.table").Table

    def run() -> None:
        table = table_of(seed=7)
        table.add_player(10**9)  # the default strategy bets five on the pass line
        table.run(max_rolls=ROUNDS, verbose=False)

    return run


def _pokerkit() -> Callable[[], Any]:
    kit = import_module("pokerkit")
    everything = tuple(kit.Automation)

    def run() -> None:
        for _ in range(ROUNDS):
            hand = kit.NoLimitTexasHoldem.create_state(everything, True, 0, (1, 2), 2, 200, 2)
            while hand.status:
                hand.check_or_call()

    return run
