"""A single settlement against a bare dictionary look-up, bet by bet, in one run.

The bare loop looks up each bet's odds in a plain dictionary and keeps the result; settling also multiplies, adds and
makes a `Settlement`. What counts is the ratio.
"""

from __future__ import annotations

import random
import timeit

from bench.measure import Line, best_ns
from taisai.books import open_shelf
from taisai.core.bets import Bet, PlayerId
from taisai.core.dice import ALL_ROLLS
from taisai.core.money import Chips
from taisai.core.rulebook import Layout
from taisai.core.settlement import settle

LAYOUT = "rws-tai-sai-v6/C"
TARGET = 4.0


def measured() -> list[Line]:
    """A line for each size of round."""
    layout = open_shelf(environment={}).layout(LAYOUT)
    return [_measured(layout, count) for count in (1, 5, 20, 100, 1000)]


def _measured(layout: Layout, count: int) -> Line:
    chance = random.Random(7)
    boxes = chance.choices(list(layout.boxes), k=count)
    bets = tuple(Bet(PlayerId(f"p{place % 8}"), box, Chips(100 * place + 100)) for place, box in enumerate(boxes))
    rolls = chance.choices(ALL_ROLLS, k=32)
    table = layout.pay_table

    def bare() -> None:
        for roll in rolls:
            odds = table[roll.index]
            [odds.get(bet.box) for bet in bets]

    def settled() -> None:
        for roll in rolls:
            settle(layout, roll, bets)

    each = len(rolls) * count
    bare_ns, ours_ns = best_ns(timeit.Timer(bare), each), best_ns(timeit.Timer(settled), each)
    # One bet alone pays for the call and the Settlement itself; the target is for a table's round.
    target = TARGET if count >= 20 else None
    return Line(f"settle, {count} bets a round", "dictionary look-up a bet", ours_ns, bare_ns, target)
