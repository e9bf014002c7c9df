"""Rounds of a table one after the other: the house's result, and the most that it was behind on the way.

Enters: the chain of a table. Leaves: the distribution of the result after chosen rounds, or of the largest loss on the
way, in whole numbers or in floats with a bound on their error.

Both are walked backwards: what so many rounds from a state come to is one move, and then what one round less from the
state after it comes to. The result adds the move; the largest loss also adds it, and is never under 0 (for one state
this is Lindley's recursion). All terms are positive, so errors of floats do not grow by cancellation.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce
from math import gcd
from typing import Final

import numpy as np
from numpy.typing import NDArray

from taisai.analysis.risk.chain import Chain
from taisai.analysis.session.free import CELLS_MOST, Weights, exact_weights, float_weights, too_fine
from taisai.core.faults import InputFault

WORK_MOST: Final = 2 * 10**10
"""Multiplications of one walk at most: some twenty seconds."""
EXACT_BITS_MOST: Final = 10**11
"""Bits that a walk in whole numbers moves, at most: some ten seconds."""

_CUT: Final = 1e-24
"""Outermost chances that are dropped when they come to no more than this; what is dropped is counted as error."""
_CUT_EVERY: Final = 8


def results_after(chain: Chain, marks: Collection[int], *, exact: bool = False) -> dict[int, Weights]:
    """The house's result after each of these numbers of rounds."""
    if len(chain.states) == 1:
        power = exact_weights if exact else float_weights
        ways: dict[int, int] = {}
        for move in chain.states[0]:
            ways[move.net] = ways.get(move.net, 0) + move.ways
        if len(ways) == 1 and not exact:
            # Nothing is left to chance: everybody is refused, or bets pay each other on every roll.
            (net,) = ways
            return {mark: Weights([net * mark], [1.0], 1, float(np.finfo(np.float64).eps)) for mark in marks}
        return {mark: power(tuple(sorted(ways.items())), mark) for mark in marks}
    return _walked(chain, marks, sign=1, exact=exact)


def worst_until(chain: Chain, rounds: int, *, exact: bool = False) -> Weights:
    """How far the house is behind at the worst moment of so many rounds: 0 when it never is."""
    return _walked(chain, (rounds,), sign=-1, exact=exact)[rounds]


def _walked(chain: Chain, marks: Collection[int], *, sign: int, exact: bool) -> dict[int, Weights]:
    unit = reduce(gcd, (move.net for moves in chain.states for move in moves)) or 1
    moves = [
        (state, move.then, sign * move.net // unit, move.ways)
        for state, each in enumerate(chain.states)
        for move in each
    ]
    walk = _exact_walk if exact else _float_walk
    return walk(moves, chain, sorted(marks), unit, fold=sign < 0)


_Moves = list[tuple[int, int, int, int]]


def _float_walk(moves: _Moves, chain: Chain, marks: list[int], unit: int, *, fold: bool) -> dict[int, Weights]:
    down = max(0, *(-units for _, _, units, _ in moves))
    up = max(0, *(units for _, _, units, _ in moves))
    if down + up > CELLS_MOST:
        raise too_fine(down + up, unit)
    chances = [(state, then, units, ways / chain.total) for state, then, units, ways in moves]
    most = max(sum(state == each for state, *_ in moves) for each in range(len(chain.states)))
    # A chance is rounded, its product is, and so is each addition; and each is at most half of eps.
    slip = (most + 2) * float(np.finfo(np.float64).eps)
    cells, low, lost, work = np.ones((len(chain.states), 1)), 0, 0.0, 0
    found: dict[int, Weights] = {}
    for number in range(1, marks[-1] + 1):
        width = cells.shape[1]
        work += width * len(moves)
        if width * len(chain.states) > 8 * CELLS_MOST:
            raise too_fine(width, unit)
        if work > WORK_MOST:
            raise InputFault("hours", "too much work with this traffic: fewer hours, fewer players or rounder stakes")
        then = np.zeros((len(chain.states), width + down + up))
        for state, after, units, chance in chances:
            then[state, down + units : down + units + width] += chance * cells[after]
        if fold:
            # The stretch begins at 0: whoever is better off than that is at 0.
            then[:, down] += then[:, :down].sum(axis=1)
            cells = then[:, down:]
        else:
            cells, low = then, low - down
        if number % _CUT_EVERY == 0:
            cells, cut, dropped = _cropped(cells, keep_low=fold)
            low, lost = low + cut, lost + dropped
        if number in marks:
            places = np.flatnonzero(cells[0])
            nets = [(low + place) * unit for place in places.tolist()]
            error = 1.1 * (number * slip + lost)
            found[number] = Weights(nets, cells[0][places].tolist(), 1, error)
    return found


def _cropped(cells: NDArray[np.float64], *, keep_low: bool) -> tuple[NDArray[np.float64], int, float]:
    """The cells without their far tails, how many went at the low end, and what was dropped of a state at most."""
    columns = cells.max(axis=0)
    head = 0 if keep_low else int(np.searchsorted(np.cumsum(columns), _CUT, side="right"))
    tail = int(np.searchsorted(np.cumsum(columns[::-1]), _CUT, side="right"))
    end = columns.size - tail
    dropped = float(columns[:head].sum() + columns[end:].sum())
    return cells[:, head:end], head, dropped


def _exact_walk(moves: _Moves, chain: Chain, marks: list[int], unit: int, *, fold: bool) -> dict[int, Weights]:
    """The walk in whole numbers, each row of cells packed into one: a shift moves all of them at once."""
    rounds = marks[-1]
    down = max(0, *(-units for _, _, units, _ in moves))
    up = max(0, *(units for _, _, units, _ in moves))
    size = -(-(chain.total**rounds).bit_length() // 8) * 8
    widest = rounds * up + 1 if fold else rounds * (down + up) + 1
    if widest * size * rounds * len(moves) // 2 > EXACT_BITS_MOST:
        raise InputFault("hours", "too much work in fractions: fewer rounds, fewer players or rounder stakes")
    rows, found = [1] * len(chain.states), {}
    for number in range(1, rounds + 1):
        then = [0] * len(chain.states)
        for state, after, units, ways in moves:
            then[state] += (rows[after] * ways) << (size * (down + units))
        rows = [_folded(row, size, down) for row in then] if fold else then
        if number in marks:
            low = 0 if fold else -down * number
            total = chain.total**number
            counts = _unpacked(rows[0], size)
            kept = [(place, count) for place, count in enumerate(counts) if count]
            found[number] = Weights(
                [(low + place) * unit for place, _ in kept], [count for _, count in kept], total, 0.0
            )
    return found


def _folded(row: int, size: int, down: int) -> int:
    """The row from 0 on; what lies under 0 is added there."""
    under = row & ((1 << (size * down)) - 1)
    return (row >> (size * down)) + sum(_unpacked(under, size))


def _unpacked(row: int, size: int) -> list[int]:
    each = size // 8
    data = row.to_bytes(-(-row.bit_length() // size) * each, "little")
    return [int.from_bytes(data[at : at + each], "little") for at in range(0, len(data), each)]
