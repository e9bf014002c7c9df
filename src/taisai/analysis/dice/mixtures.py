"""Bets on counts: how evidence against fair dice is counted.

Enters: counts of cells. Leaves: the logarithm of an e-value: the wealth of a bettor who began with 1 and bet on the
cells at fair odds. While the dice are fair it passes 1/level, at any time and however often it is looked at, with
probability `level` at most (Ville). Shares of the first unit go on urns (all ways to be unfair, most of it on those
near to fair), on points (single ways that are known of dice), and on shuffles (each face leads to another one,
whichever). Plain Python: a live table needs no NumPy; `paths` computes the same in columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, factorial, inf, lgamma, log
from operator import add, mul
from typing import Any, Final, NamedTuple

SIDES: Final = 6


class Urn(NamedTuple):
    """Dirichlet-multinomials, one for each row of cells."""

    alphas: tuple[float, ...]
    sizes: tuple[float, ...]
    """The alphas of each row added together: the greater, the nearer to fair."""
    log_start: float
    """Logarithm of its share, and what the alphas alone come to."""


class Point(NamedTuple):
    """One way to be unfair: for each cell the logarithm of how much likelier it becomes."""

    log_share: float
    log_ratios: tuple[float, ...]


class Shuffle(NamedTuple):
    """Every face leads to another one, by a permutation that is not known: all 720 of them share alike.

    For face a followed by face b the logarithm of the likelihood ratio is a sum over counts. That of a permutation adds
    up over its six faces, so that the sum over all permutations is the permanent of a matrix of six by six.
    """

    log_share: float
    tip: float
    """The chance that a die goes where its face leads; else all faces come alike."""
    forms: tuple[tuple[tuple[int, float], ...], ...]
    """For each a and b, row by row: cells and what each of their counts adds."""
    common: tuple[int, float]
    """What every permutation has: the first so many cells, and what each of their counts adds."""

    def log_e(self, counts: Sequence[int]) -> float:
        """Logarithm of the wealth of all permutations together."""
        matrix, top = self._matrix(counts)
        ways = permanent(matrix)
        return self.log_share + top + self._common(counts) + log(ways / factorial(SIDES)) if ways else -inf

    def leads(self, counts: Sequence[int]) -> list[float]:
        """For each a and b, row by row: how probable it is by now that a leads to b."""
        matrix, _ = self._matrix(counts)
        ways = permanent(matrix)
        if not ways:
            return [1 / SIDES] * SIDES**2
        found = []
        for place in range(SIDES**2):
            row = place // SIDES
            only = [each if at // SIDES != row or at == place else 0.0 for at, each in enumerate(matrix)]
            found.append(permanent(only) / ways)
        return found

    def _common(self, counts: Sequence[int]) -> float:
        cells, ratio = self.common
        return ratio * sum(counts[:cells])

    def _matrix(self, counts: Sequence[int]) -> tuple[list[float], float]:
        """The likelihood ratios, each row by its largest, and the logarithm of what was taken out."""
        logs = [sum([ratio * counts[cell] for cell, ratio in form]) for form in self.forms]
        tops = [max(logs[at : at + SIDES]) for at in range(0, SIDES**2, SIDES)]
        return [exp(each - tops[at // SIDES]) for at, each in enumerate(logs)], sum(tops)


_PAIRS: Final = tuple(combinations(range(SIDES), 2))
_TRIPLES: Final = tuple(
    (_PAIRS.index((j, k)), i, _PAIRS.index((i, k)), j, _PAIRS.index((i, j)), k)
    for i, j, k in combinations(range(SIDES), 3)
)


def permanent(matrix: Sequence[Any]) -> Any:
    """The sum over all ways to choose one cell of each row and column, of their products; six by six, row by row.

    Cells are floats, or columns of them. The first three rows take three columns, the others the three that are left:
    in the order of `combinations` these are the same sets backwards.
    """
    return sum(map(mul, _of_three(matrix[: 3 * SIDES]), reversed(_of_three(matrix[3 * SIDES :]))))


def _of_three(rows: Sequence[Any]) -> list[Any]:
    """The permanents of three rows, for each set of three columns."""
    a, b, c = rows[:SIDES], rows[SIDES : 2 * SIDES], rows[2 * SIDES :]
    two = [a[i] * b[j] + a[j] * b[i] for i, j in _PAIRS]
    return [two[p] * c[i] + two[q] * c[j] + two[r] * c[k] for p, i, q, j, r, k in _TRIPLES]


@dataclass(frozen=True, slots=True)
class Mixture:
    """How a check bets on its cells. The shares of all urns, points and shuffles add up to 1."""

    size: int
    """Number of cells."""
    log_nulls: tuple[float, ...]
    """Logarithm of the chance of each cell within its row when the dice are fair; empty without urns."""
    rows: int
    """The cells of urns lie in so many rows of equal length."""
    urns: tuple[Urn, ...] = ()
    points: tuple[Point, ...] = ()
    shuffles: tuple[Shuffle, ...] = ()

    def log_e(self, counts: Sequence[int]) -> float:
        """Logarithm of the wealth after these counts."""
        logs = [log_share + sum(map(mul, counts, log_ratios)) for log_share, log_ratios in self.points]
        logs.extend(shuffle.log_e(counts) for shuffle in self.shuffles)
        if self.urns:
            width = self.size // self.rows
            totals = [sum(counts[at : at + width]) for at in range(0, self.size, width)]
            fair = sum(map(mul, counts, self.log_nulls))
            for alphas, sizes, log_start in self.urns:
                won = sum(map(lgamma, map(add, alphas, counts))) - sum(map(lgamma, map(add, sizes, totals)))
                logs.append(log_start + won - fair)
        return log_sum(logs)

    def moves(self, counts: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        """For each face before, how often each face follows: the belief of somebody who has seen these counts.

        Half of it is on fair dice at first, the rest on the bets as they share; each then gains by its wealth. Of a
        mixture over which face follows which.
        """
        beliefs: list[tuple[float, list[float]]] = [(0.0, [1 / SIDES] * SIDES**2)]
        for shuffle in self.shuffles:
            leads = shuffle.leads(counts)
            beliefs.append((shuffle.log_e(counts), [(1 - shuffle.tip) / SIDES + shuffle.tip * each for each in leads]))
        for urn in self.urns:
            alone = Mixture(self.size, self.log_nulls, self.rows, (urn,))
            totals = [sum(counts[at : at + SIDES]) for at in range(0, self.size, SIDES)]
            shares = [
                (alpha + count) / (urn.sizes[at // SIDES] + totals[at // SIDES])
                for at, (alpha, count) in enumerate(zip(urn.alphas, counts, strict=True))
            ]
            beliefs.append((alone.log_e(counts), shares))
        whole = log_sum(weight for weight, _ in beliefs)
        mean = [sum(exp(weight - whole) * shares[at] for weight, shares in beliefs) for at in range(SIDES**2)]
        return tuple(tuple(mean[at : at + SIDES]) for at in range(0, SIDES**2, SIDES))


class Product(NamedTuple):
    """Rows of cells, each bet on by a bettor of its own; their wealth is multiplied.

    That is fair where what falls into one row says nothing of the others: they are filled in different rounds.
    """

    each: Mixture
    rows: int

    @property
    def size(self) -> int:
        """Number of cells."""
        return self.each.size * self.rows

    def log_e(self, counts: Sequence[int]) -> float:
        """Logarithm of the wealth of all rows together."""
        width = self.each.size
        return sum(self.each.log_e(counts[at : at + width]) for at in range(0, self.size, width))


def log_sum(logs: Iterable[float]) -> float:
    """Logarithm of a sum whose parts are given as logarithms."""
    parts = tuple(logs)
    most = max(parts)
    return most + log(sum([exp(part - most) for part in parts]))


def urns_of(nulls: Sequence[float], sizes: Sequence[float], share: float, rows: int = 1) -> tuple[Urn, ...]:
    """Urns of these sizes, with `share` of the wealth together; each row has these chances when the dice are fair."""
    urns = []
    for size in sizes:
        alphas = [size * null for null in nulls]
        start = log(share / len(sizes)) + rows * (lgamma(size) - sum(map(lgamma, alphas)))
        urns.append(Urn(tuple(alphas * rows), (size,) * rows, start))
    return tuple(urns)


def mixture_of(
    nulls: Sequence[float],
    sizes: Sequence[float],
    *,
    rows: int = 1,
    points: Sequence[Point] = (),
    shuffles: Sequence[Shuffle] = (),
) -> Mixture:
    """Urns over rows of these chances take what the points and shuffles leave of the wealth."""
    given = [each.log_share for each in points] + [each.log_share for each in shuffles]
    share = 1 - sum(map(exp, given))
    urns = urns_of(nulls, sizes, share, rows)
    return Mixture(len(nulls) * rows, tuple(map(log, nulls)) * rows, rows, urns, tuple(points), tuple(shuffles))
