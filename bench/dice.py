"""Dice health: what a round costs; run by itself, every figure of "How well it works" in docs/dice-health.md.

    python -m bench.dice               false alarms, rounds to alarm, what is worth 5 % to a player (an hour)
    python -m bench.dice worth         one part alone: level, delays or worth

Fair: 10,000 tumblers of 5,000 rounds, looked at every 25 rounds, and after every round where the evidence then came
within a factor of 50 of an alarm. Unfair: the median of the rounds to alarm of 500 tumblers, looked at every 5 rounds
where dice are told apart, every 25 where they are not. Worth 5 %: how many of 200 tumblers are seen within 5,000
rounds, looked at every 25, and how many a chi-square made for that one fault sees, looked at once. All at level 1/1000.
"""

from __future__ import annotations

import sys
import timeit
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import cycle
from math import log
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc  # type: ignore[import-untyped] # SciPy has no types of its own

from bench.measure import Line, best_ns
from taisai.analysis.dice.gathering import Indices
from taisai.analysis.dice.paths import alarm_rounds, draw_tumblers, watch_rolls
from taisai.analysis.dice.watch import DiceWatch
from taisai.core.dice import ALL_ROLLS

LEVEL: Final = 0.001
MILLISECOND_NS: Final = 1_000_000
SOME: Final = 500
"""Tumblers drawn at a time."""
NEAR: Final = 50
"""A fair tumbler whose evidence comes so near to an alarm is looked at after every round."""
SELDOM: Final = 25
OFTEN: Final = 5
"""Rounds from one look to the next."""
DELAY_TUMBLERS: Final = 500
WORTH_TUMBLERS: Final = 200
WORTH_ROUNDS: Final = 5000
TIPS: Final = (2, 3, 6, 1, 4, 5)
SLIGHTLY: Final = 0.0131
"""How much more often a face comes when the triple that pays 180 is worth 5 % of a stake."""
AVOIDS: Final = 0.3


def _avoiding(tumblers: int, rounds: int, seed: int) -> Indices:
    """Dice of which three in ten throws that would show the last face show another."""
    chance = np.random.default_rng(seed)
    faces = chance.integers(0, 6, (tumblers, rounds, 3), dtype=np.int8)
    for at in range(1, rounds):
        last = faces[:, at - 1]
        avoids = (faces[:, at] == last) & (chance.random(last.shape) < AVOIDS)
        faces[:, at] = np.where(avoids, (last + chance.integers(1, 6, last.shape, dtype=np.int8)) % 6, faces[:, at])
    return _rolls(faces)


def _rolls(faces: NDArray[np.int8]) -> Indices:
    one, two, three = np.moveaxis(faces.astype(np.uint8), 2, 0)
    rolls: Indices = 36 * one + 6 * two + three
    return rolls


def _falling(faces: Sequence[float], dice: int, tumblers: int, rounds: int, seed: int) -> Indices:
    """The first dice fall by these chances, the others fairly."""
    chance = np.random.default_rng(seed)
    fair = (1 / 6,) * 6
    columns = [chance.choice(6, (tumblers, rounds), p=faces if die < dice else fair) for die in range(3)]
    return _rolls(np.stack(columns, axis=2).astype(np.int8))


def _odd(more: float, tumblers: int, rounds: int, seed: int) -> Indices:
    """Totals that are odd so much more often than even ones."""
    odd = np.array([roll.total % 2 for roll in ALL_ROLLS])
    ways = (1 + 2 * more * (2 * odd - 1)) / 216
    return np.random.default_rng(seed).choice(216, (tumblers, rounds), p=ways).astype(np.uint8)


def _following(tumblers: int, rounds: int, seed: int, *, lag: int, step: int, size: float = 120.0) -> Indices:
    """After each face every face has a chance of its own, drawn anew for each tumbler: near to fair if `size` is."""
    chance = np.random.default_rng(seed)
    bounds = np.cumsum(chance.dirichlet([size] * 6, (tumblers, 6)), axis=2)[..., :5]
    fallen = chance.integers(0, 6, (tumblers, rounds, 3), dtype=np.int8)
    drawn = chance.random((tumblers, rounds, 3))
    which = np.arange(tumblers)[:, None]
    for at in range(lag, rounds):
        before = np.roll(fallen[:, at - lag], step, axis=1)
        fallen[:, at] = (drawn[:, at, :, None] >= bounds[which, before]).sum(axis=2)
    return _rolls(fallen)


Draw = Callable[[int, int, int], Indices]
"""Tumblers, rounds and a seed: rolls, one row a tumbler."""


def _drawn(**how: Any) -> Draw:
    return partial(draw_tumblers, **how)


def _uneven(heavy: Sequence[int], more: float) -> tuple[float, ...]:
    rest = (1 - len(heavy) * (1 / 6 + more)) / (6 - len(heavy))
    return tuple(1 / 6 + more if face in heavy else rest for face in range(1, 7))


UNFAIR: Final[tuple[tuple[str, int, Draw], ...]] = (
    ("retention 2 %", 6000, _drawn(retention=0.02)),
    ("retention 5 %", 2000, _drawn(retention=0.05)),
    ("face + 5 points", 1500, _drawn(faces=_uneven((1,), 0.05))),
    ("tips 10 %", 1500, _drawn(retention=0.1, leads=TIPS)),
    ("tips 5 %", 3000, _drawn(retention=0.05, leads=TIPS)),
    ("one die tips 10 %", 3000, _drawn(retention=(0.0, 0.1, 0.0), leads=TIPS)),
    ("30 % of repeats avoided", 1500, _avoiding),
    ("to the next die 5 %", 2000, _drawn(retention=0.05, step=1)),
    ("retention 5 % over two rolls", 2000, _drawn(retention=0.05, lag=2)),
    ("tips 10 % over two rolls", 2000, _drawn(retention=0.1, leads=TIPS, lag=2)),
)


# ------------------------------------------------------------------ worth 5 %, against a chi-square of that fault


def _sees(counts: NDArray[np.int64], chances: NDArray[np.float64], freedom: int) -> int:
    """In how many rows of counts a chi-square is below the level."""
    expected = counts.sum(axis=1, keepdims=True) * chances
    return int(np.count_nonzero(chdtrc(freedom, ((counts - expected) ** 2 / expected).sum(axis=1)) < LEVEL))


def _faces(rolls: Indices) -> NDArray[np.int64]:
    return np.stack([rolls // 36, rolls // 6 % 6, rolls % 6], axis=2).astype(np.int64)


def _counted(cells: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    return np.stack([np.bincount(row.ravel(), minlength=size) for row in cells])


def _by_faces(rolls: Indices) -> int:
    return _sees(_counted(_faces(rolls), 6), np.full(6, 1 / 6), 5)


def _by_each_face(rolls: Indices) -> int:
    """Of each die by itself: which of them are heavy is not known."""
    return _sees(_counted(_faces(rolls) + 6 * np.arange(3), 18), np.full(18, 1 / 18), 15)


def _by_moves(lag: int, step: int, rolls: Indices) -> int:
    faces = _faces(rolls)
    counts = _counted(6 * np.roll(faces[:, :-lag], step, axis=2) + faces[:, lag:], 36)
    chances = np.repeat(counts.reshape(-1, 6, 6).sum(axis=2), 6, axis=1) / counts.sum(axis=1, keepdims=True) / 6
    return _sees(counts, chances, 30)


def _by_same(lag: int, step: int, rolls: Indices) -> int:
    faces = _faces(rolls)
    same = (np.roll(faces[:, :-lag], step, axis=2) == faces[:, lag:]).astype(np.int64)
    return _sees(_counted(same, 2), np.array([5 / 6, 1 / 6]), 1)


def _by_parity(rolls: Indices) -> int:
    odd = np.array([roll.total % 2 for roll in ALL_ROLLS])[rolls]
    return _sees(_counted(odd, 2), np.array([0.5, 0.5]), 1)


class Worth(NamedTuple):
    """A fault that is worth about 5 % to a player."""

    name: str
    draw: Draw
    chi_square: Callable[[Indices], int]
    """How many of the tumblers it sees that is made for this fault."""


STEPS: Final = tuple(1 / 6 + SLIGHTLY * at / 5 for at in (-5, -3, -1, 1, 3, 5))
WORTH: Final = (
    Worth("one face 1.3 points more often", partial(_falling, _uneven((6,), SLIGHTLY), 3), _by_faces),
    Worth("one face 2 points, on two dice", partial(_falling, _uneven((6,), 0.02), 2), _by_each_face),
    Worth("two faces at an edge", partial(_falling, _uneven((1, 2), SLIGHTLY), 3), _by_faces),
    Worth("two opposite faces", partial(_falling, _uneven((1, 6), SLIGHTLY), 3), _by_faces),
    Worth("six faces by steps", partial(_falling, STEPS, 3), _by_faces),
    *(
        Worth(f"{what}, {where}", draw, partial(chi_square, lag, step))
        for lag, step, where in ((1, 0, "same die"), (2, 0, "over two rolls"), (1, 1, "next die"))
        for what, draw, chi_square in (
            ("retention 2.8 %", _drawn(retention=0.028, lag=lag, step=step), _by_same),
            ("tips 2.8 %", _drawn(retention=0.028, leads=TIPS, lag=lag, step=step), _by_moves),
            ("transitions by chance", partial(_following, lag=lag, step=step), _by_moves),
        )
    ),
    Worth("odd totals 4 points", partial(_odd, 0.04), _by_parity),
)


def _whole_unit(rolls: Indices, more: float) -> int:
    """How many tumblers the best bet on one heavier face would see if it had the whole first unit to itself.

    For each of the six faces a bet on exactly this fault, a sixth of the unit each: no mixture can do better.
    """
    faces = _faces(rolls)
    often, rarely = log(1 + 6 * more), log(1 - 6 * more / 5)
    wealth = np.zeros(rolls.shape)
    for face in range(6):
        came = np.cumsum((faces == face).sum(axis=2), axis=1)
        thrown = 3 * np.arange(1, rolls.shape[1] + 1)
        wealth += np.exp(came * often + (thrown - came) * rarely) / 6
    return int(np.count_nonzero((wealth >= 1 / LEVEL).any(axis=1)))


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


def _batches(tumblers: int, rounds: int, draw: Draw) -> Iterable[Indices]:
    for first in range(0, tumblers, SOME):
        yield draw(min(SOME, tumblers - first), rounds, 1000 + first // SOME)


def level(*, ordered: bool) -> Iterable[str]:
    """How many fair tumblers raise an alarm."""
    near = fair = 0
    for rolls in _batches(10_000, 5000, draw_tumblers):
        looked = rolls[alarm_rounds(rolls, level=NEAR * LEVEL, ordered=ordered, every=SELDOM) > 0]
        near += len(looked)
        fair += int(np.count_nonzero(alarm_rounds(looked, level=LEVEL, ordered=ordered)))
    yield f"fair: {fair} of 10,000 alarm within 5,000 rounds (at most {10_000 * LEVEL:g} expected; {near} came near)"


def delays(*, ordered: bool) -> Iterable[str]:
    """The median of the rounds to alarm."""
    for name, rounds, draw in UNFAIR:
        longest = rounds if ordered else 3 * rounds
        alarms = np.concatenate([
            alarm_rounds(rolls, level=LEVEL, ordered=ordered, every=OFTEN if ordered else SELDOM)
            for rolls in _batches(DELAY_TUMBLERS, longest, draw)
        ])  # fmt: skip
        seen = np.count_nonzero(alarms)
        median = np.median(np.where(alarms == 0, longest + 1, alarms))
        if median > longest:
            yield f"{name}: {100 * seen / DELAY_TUMBLERS:.0f} % within {longest:,} rounds"
        else:
            yield f"{name}: median {median:,.0f} rounds to alarm"


def worth(*, ordered: bool) -> Iterable[str]:
    """What is seen of faults that are worth 5 %, beside the chi-square of each."""
    for fault in WORTH:
        rolls = fault.draw(WORTH_TUMBLERS, WORTH_ROUNDS, 500)
        ours = np.count_nonzero(alarm_rounds(rolls, level=LEVEL, ordered=ordered, every=SELDOM))
        theirs = fault.chi_square(rolls)
        yield f"{fault.name}: {100 * ours / WORTH_TUMBLERS:g} % seen, chi-square {100 * theirs / WORTH_TUMBLERS:g} %"
    rolls = WORTH[0].draw(WORTH_TUMBLERS, WORTH_ROUNDS, 500)
    whole = _whole_unit(rolls, SLIGHTLY)
    yield f"one face 1.3 points, the whole first unit on it: {100 * whole / WORTH_TUMBLERS:g} % seen"


PARTS: Final = {"level": level, "delays": delays, "worth": worth}


def main(parts: Sequence[str] = tuple(PARTS)) -> None:
    """The parts asked for, for dice that can be told apart and for dice that cannot."""
    for ordered in (True, False):
        print("dice told apart" if ordered else "dice not told apart")
        for part in parts:
            for line in PARTS[part](ordered=ordered):
                print(f"  {line}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or tuple(PARTS))
