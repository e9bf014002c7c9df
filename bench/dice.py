"""Dice health: what a round costs; run by itself, how often fair tumblers raise an alarm and how soon unfair ones do.

    python -m bench.dice               false alarms and rounds to alarm, the whole measurement (half an hour)

Fair: 10,000 tumblers of 5,000 rounds. Unfair: 1,000 tumblers each, level 1/1000; the median of the rounds to alarm.
"""

from __future__ import annotations

import timeit
from functools import partial
from itertools import cycle
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.measure import Line, best_ns
from taisai.analysis.dice.paths import alarm_rounds, draw_tumblers, watch_rolls
from taisai.analysis.dice.watch import DiceWatch
from taisai.core.dice import ALL_ROLLS

LEVEL: Final = 0.001
MILLISECOND_NS: Final = 1_000_000
SOME: Final = 500
"""Tumblers drawn at a time."""
TIPS: Final = (2, 3, 6, 1, 4, 5)
UNFAIR: Final[tuple[tuple[str, int, dict[str, Any]], ...]] = (
    ("retention 2 %", 6000, {"retention": 0.02}),
    ("retention 5 %", 2000, {"retention": 0.05}),
    ("face + 5 points", 1500, {"faces": (1 / 6 + 0.05, *[(5 / 6 - 0.05) / 5] * 5)}),
    ("tips 10 %", 1500, {"retention": 0.1, "leads": TIPS}),
    ("tips 5 %", 3000, {"retention": 0.05, "leads": TIPS}),
    ("one die tips 10 %", 3000, {"retention": (0.0, 0.1, 0.0), "leads": TIPS}),
    ("to the next die 5 %", 2000, {"retention": 0.05, "step": 1}),
    ("retention 5 % over two rolls", 2000, {"retention": 0.05, "lag": 2}),
    ("tips 10 % over two rolls", 2000, {"retention": 0.1, "leads": TIPS, "lag": 2}),
)


def measured() -> list[Line]:
    """A round of the watch against a millisecond; a round in columns against one of the watch."""
    watch, rolls = DiceWatch(), cycle(ALL_ROLLS[::5])
    live = best_ns(timeit.Timer(lambda: watch.see(next(rolls))), 1)
    many = draw_tumblers(1, 100_000, 7)[0]
    columns = best_ns(timeit.Timer(partial(watch_rolls, many)), len(many), repeats=3)
    return [
        Line("evidence after a round, live", "1 ms", live, MILLISECOND_NS, 1.0),
        Line("evidence after each of 100,000 rounds, in columns", "live", columns, live, 0.2),
    ]


def _alarms(tumblers: int, rounds: int, drawn: dict[str, Any], *, ordered: bool) -> NDArray[np.int64]:
    return np.concatenate(
        [
            alarm_rounds(draw_tumblers(SOME, rounds, 1000 + part, **drawn), level=LEVEL, ordered=ordered)
            for part in range(tumblers // SOME)
        ]
    )


def main() -> None:
    """The whole measurement, for dice that can be told apart and for dice that cannot."""
    for ordered in (True, False):
        print("dice told apart" if ordered else "dice not told apart")
        fair = np.count_nonzero(_alarms(10_000, 5000, {}, ordered=ordered))
        print(f"  fair: {fair} of 10,000 alarm within 5,000 rounds (at most {10_000 * LEVEL:g} expected)", flush=True)
        for name, rounds, drawn in UNFAIR:
            longest = rounds if ordered else 3 * rounds
            alarms = _alarms(1000, longest, drawn, ordered=ordered)
            median = np.median(np.where(alarms == 0, longest + 1, alarms))
            print(f"  {name}: median {median:,.0f} rounds to alarm", flush=True)


if __name__ == "__main__":
    main()
