"""Dice health: what a round costs; run by itself, how often fair tumblers raise an alarm and how soon unfair ones do.

    python -m bench.dice               false alarms and rounds to alarm, the whole measurement (some minutes)

Fair: 10,000 tumblers of 5,000 rounds. Unfair: 4,000 tumblers each, level 1/1000; the median of the rounds to alarm.
"""

from __future__ import annotations

import timeit
from functools import partial
from itertools import cycle
from typing import Final

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
UNFAIR: Final = (
    ("retention 2 %", 0.02, 0.0, 6000),
    ("retention 5 %", 0.05, 0.0, 2000),
    ("face + 5 points", 0.0, 0.05, 1500),
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


def _alarms(
    tumblers: int, rounds: int, *, retention: float = 0.0, more: float = 0.0, ordered: bool
) -> NDArray[np.int64]:
    faces = None if not more else [1 / 6 + more, *[(5 / 6 - more) / 5] * 5]
    return np.concatenate(
        [
            alarm_rounds(
                draw_tumblers(SOME, rounds, 1000 + part, retention=retention, faces=faces), level=LEVEL, ordered=ordered
            )
            for part in range(tumblers // SOME)
        ]
    )


def main() -> None:
    """The whole measurement, for dice that can be told apart and for dice that cannot."""
    for ordered in (True, False):
        print("dice told apart" if ordered else "dice not told apart")
        fair = np.count_nonzero(_alarms(10_000, 5000, ordered=ordered))
        print(f"  fair: {fair} of 10,000 alarm within 5,000 rounds (at most {10_000 * LEVEL:g} expected)", flush=True)
        for name, retention, more, rounds in UNFAIR:
            longest = rounds if ordered else 2 * rounds
            alarms = _alarms(4000, longest, retention=retention, more=more, ordered=ordered)
            median = np.median(np.where(alarms == 0, longest + 1, alarms))
            print(f"  {name}: median {median:,.0f} rounds to alarm", flush=True)


if __name__ == "__main__":
    main()
