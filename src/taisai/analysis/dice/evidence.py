"""What is asked of a tumbler's dice.

Enters: rolls, one after the other. Leaves: for each question (a check) the cells that a roll falls into, and the bets
on them (`mixtures`). Serves R23.

The checks share the first unit by their weights, and their wealth added together is again an e-value: that one sum
holds the level over all checks. Weights and bets are fixed beforehand. Where dice that look alike are written down in
any order, often from low to high, only checks that do not mind the order are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from itertools import combinations, permutations
from math import log
from typing import Final, NamedTuple, TypeAlias

from taisai.analysis.dice.mixtures import SIDES, Mixture, Point, Shuffle, log_sum, mixture_of, urns_of
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, DICE_COUNT, FACES, Roll

Cells: TypeAlias = tuple[int, ...]
CellsOf: TypeAlias = Callable[[Roll, Roll], Cells]
"""From an earlier roll and the roll now: the cells that are counted up by one. Without lag both are the roll now."""

LEVEL: Final = 0.001
"""Chance of an alarm from fair dice, for the whole life of a set of dice."""
LAG_MOST: Final = 2
"""How many rolls a check looks back, at most."""

_KEEPS: Final = ((0.02, 0.60), (0.05, 0.27), (0.11, 0.04), (0.22, 0.02), (0.50, 0.01), (-0.06, 0.04), (-0.15, 0.02))
"""Retentions that are bet on, and the share of each: chances that a die keeps its face through a shake. A negative one
is a face that comes again too rarely."""
_HEAVIER: Final = ((0.015, 0.42), (0.045, 0.15), (0.11, 0.04), (0.25, 0.03))
"""How much more often one face may come, and the share of each. A triple that pays 180 is worth 5 % to a player from
0.013 on, which is the least that 5,000 rounds can show: most of the wealth is near it."""
_FLATS: Final = ((0.010, 0.06), (0.03, 0.03))
"""How much more often each of two opposite faces may come (a die that is flat between them), and the share of each."""
_EDGES: Final = ((0.012, 0.09),)
"""The same for two faces that meet at an edge (a die that is heavy there)."""
_FACE_URNS: Final = ((100.0, 0.03), (4000.0, 0.15))
"""Sizes of urns over the faces, and the share of each."""
_HEAVIER_TWO: Final = 0.02
"""How much more often one face may come on two of the dice."""
_TIPS: Final = (0.03, 0.08, 0.25)
"""Chances that a die tips from its face to the one that this leads to."""
_FEW_TIPS: Final = (0.04, 0.20)
"""The same, for checks of single dice and of two rolls back."""
_TIPS_SHARE: Final = 0.6
"""Of the wealth on which face follows which: what goes on shuffles of the faces; the rest goes on all ways."""
_SIXTH: Final = (1 / 6,) * 6


class Check(NamedTuple):
    """One question to the dice."""

    name: str
    title: str
    weight: float
    """Its share of the first unit."""
    lag: int
    """How many rolls it looks back; 0 for the roll alone."""
    mixture: Mixture
    cells_of: CellsOf

    @property
    def size(self) -> int:
        """Number of cells."""
        return self.mixture.size


def combined_log_e(checks: Sequence[Check], logs: Sequence[float]) -> float:
    """Logarithm of the wealth of all checks together."""
    return log_sum(log(check.weight) + each for check, each in zip(checks, logs, strict=True))


# ------------------------------------------------------------------ one roll


def _more_often(faces: Sequence[int], more: float) -> list[float]:
    """For each face the logarithm of how much likelier it becomes when each of these comes so much more often."""
    less = len(faces) * more / (SIDES - len(faces))
    return [log(1 + SIDES * (more if face in faces else -less)) for face in FACES]


def _faces() -> Mixture:
    pairs = tuple(combinations(FACES, 2))
    ways = (
        (_HEAVIER, [(face,) for face in FACES]),
        (_FLATS, [pair for pair in pairs if sum(pair) == SIDES + 1]),
        (_EDGES, [pair for pair in pairs if sum(pair) != SIDES + 1]),
    )
    points = [
        Point(log(share / len(sets)), tuple(_more_often(faces, more)))
        for amounts, sets in ways
        for more, share in amounts
        for faces in sets
    ]
    urns = tuple(urn for size, share in _FACE_URNS for urn in urns_of(_SIXTH, (size,), share))
    return Mixture(SIDES, tuple(map(log, _SIXTH)), 1, urns, tuple(points))


def _faces_of_two() -> Mixture:
    """Cells: die and face. One face comes more often on two of the dice, and the third is fair."""
    points = []
    for fair in range(DICE_COUNT):
        for face in FACES:
            heavy = _more_often((face,), _HEAVIER_TWO)
            ratios = [0.0 if die == fair else each for die in range(DICE_COUNT) for each in heavy]
            points.append(Point(log(1 / (DICE_COUNT * SIDES)), tuple(ratios)))
    return Mixture(DICE_COUNT * SIDES, (), 1, points=tuple(points))


def _pairs() -> Mixture:
    """Half of the wealth goes on two dice that show one face too often, as if they clung together."""
    points = [
        Point(log(1 / 6), tuple(log(1 + 5 * cling) if cell % 7 == 0 else log(1 - cling) for cell in range(36)))
        for cling in (0.05, 0.15, 0.4)
    ]
    return mixture_of((1 / 36,) * 36, (600.0,), points=points)


def _shares(values: Iterable[int]) -> tuple[float, ...]:
    """The chances of what all 216 rolls come to, in ascending order."""
    counts = Counter(values)
    return tuple(counts[value] / len(ALL_ROLLS) for value in sorted(counts))


def _kind_of_faces(roll: Roll) -> int:
    """0 three equal faces, 1 two, 2 none."""
    return len(set(roll.faces)) - 1


_PLACE_OF: Final = {roll.faces: place for place, roll in enumerate(ALL_COMBINATIONS)}


def _combination(roll: Roll) -> int:
    return _PLACE_OF[roll.low_to_high]


def _each_face(_: Roll, now: Roll) -> Cells:
    return tuple(face - 1 for face in now.faces)


def _face_of(die: int, _: Roll, now: Roll) -> Cells:
    return (now.faces[die] - 1,)


def _face_of_each(_: Roll, now: Roll) -> Cells:
    return tuple(SIDES * die + face - 1 for die, face in enumerate(now.faces))


def _pair_of(one: int, two: int, _: Roll, now: Roll) -> Cells:
    return (6 * now.faces[one] + now.faces[two] - 7,)


def _value_of(value: Callable[[Roll], int], _: Roll, now: Roll) -> Cells:
    return (value(now),)


def _side(roll: Roll) -> int:
    """0 a triple, 1 Small, 2 Big."""
    return 0 if len(set(roll.faces)) == 1 else 1 if roll.total <= 10 else 2


def _parity(roll: Roll) -> int:
    return roll.total % 2


def _even_money(roll: Roll) -> int:
    """Even-money bets together: 0 a triple, 1 Small and even, 2 Small and odd, 3 Big and even, 4 Big and odd."""
    return 0 if _side(roll) == 0 else 2 * _side(roll) - 1 + _parity(roll)


def _evens() -> Mixture:
    """Most of the wealth goes on one of the four even-money bets that wins too often."""
    points = []
    for more, share in ((0.06, 0.5), (0.12, 0.3)):
        often, rarely = log(1 + more), log(1 - more)
        points += [Point(log(share / 4), (0.0, *(often if cell in wins else rarely for cell in (1, 2, 3, 4))))
                   for wins in ((1, 2), (3, 4), (1, 3), (2, 4))]  # fmt: skip
    return mixture_of(_shares(map(_even_money, ALL_ROLLS)), (300.0,), points=points)


# ------------------------------------------------------------------ from roll to roll, dice told apart


def _keeps() -> Mixture:
    """Cells: another face, the same face."""
    points = (Point(log(share), (log(1 - keep), log(1 + 5 * keep))) for keep, share in _KEEPS)
    return Mixture(2, (), 1, points=tuple(points))


def _moves(size: float, tips: Sequence[float]) -> Mixture:
    """Cells: face before and face now. Shuffles of the faces, and an urn over all transitions."""
    shuffles = []
    for tip in tips:
        hit, miss = log(1 + 5 * tip), log(1 - tip)
        forms = tuple(
            tuple((SIDES * before + now, hit if now == to else miss) for now in range(SIDES))
            for before in range(SIDES)
            for to in range(SIDES)
        )
        shuffles.append(Shuffle(log(_TIPS_SHARE / len(tips)), tip, forms))
    return mixture_of(_SIXTH, (size,), rows=SIDES, shuffles=shuffles)


def _same(before: int, now: int) -> int:
    return int(before == now)


def _turn(before: int, now: int) -> int:
    """0 the same face again, 1 the opposite one, 2 one of the four beside it."""
    return 0 if before == now else 1 if before + now == 7 else 2


def _move(before: int, now: int) -> int:
    return 6 * before + now - 7


def _of_die(die: int, relation: Callable[[int, int], int], before: Roll, now: Roll) -> Cells:
    return (relation(before.faces[die], now.faces[die]),)


def _of_dice(relation: Callable[[int, int], int], step: int, before: Roll, now: Roll) -> Cells:
    """Of each die with the one so many places further on: 0 is the die itself."""
    one, two, three = now.faces[step:] + now.faces[:step]
    a, b, c = before.faces
    return relation(a, one), relation(b, two), relation(c, three)


# ------------------------------------------------------------------ from roll to roll, dice not told apart


@cache
def kept_unordered() -> tuple[tuple[tuple[int, ...], ...], dict[tuple[int, int], int]]:
    """Retention when the dice cannot be told apart: the cells, and which one each pair of rolls falls into.

    With the roll before known only as a set of faces, each die may have been any of the three. A cell says for the six
    orders of the roll now on how many of them 0, 1, 2 or 3 dice show the face they had.
    """
    cells: dict[tuple[int, ...], int] = {}
    cell_of: dict[tuple[int, int], int] = {}
    for before in ALL_COMBINATIONS:
        for now in ALL_COMBINATIONS:
            same = [sum(map(int.__eq__, before.faces, order)) for order in permutations(now.faces)]
            cell = tuple(same.count(dice) for dice in range(DICE_COUNT + 1))
            cell_of[_combination(before), _combination(now)] = cells.setdefault(cell, len(cells))
    return tuple(cells), cell_of


def log_ratio_unordered(cell: tuple[int, ...], keep: float) -> float:
    """Logarithm of how much likelier a cell of `kept_unordered` becomes when each die keeps its face so often."""
    orders = sum(count * (1 + 5 * keep) ** dice * (1 - keep) ** (DICE_COUNT - dice) for dice, count in enumerate(cell))
    return log(orders / 6)


def _keeps_unordered() -> Mixture:
    cells = kept_unordered()[0]
    points = (Point(log(share), tuple(log_ratio_unordered(cell, keep) for cell in cells)) for keep, share in _KEEPS)
    return Mixture(len(cells), (), 1, points=tuple(points))


def _kept_cells(before: Roll, now: Roll) -> Cells:
    return (kept_unordered()[1][_combination(before), _combination(now)],)


def _moves_unordered(tips: Sequence[float]) -> Mixture:
    """Shuffles of the faces when nobody knows which die came from which.

    Each die now is taken to come from any of the three before. If face a leads to b with chance t, then b comes with
    chance (1 - t) / 6 + t m / 3, where m dice showed a before. Cells: how often each b came at all, and how often when
    one, two or three dice showed a.
    """
    shuffles = []
    for tip in tips:
        logs = [log(1 - tip + 2 * tip * many) for many in range(DICE_COUNT + 1)]
        forms = tuple(
            ((to, logs[0]), *((_met(before, to, many), logs[many] - logs[0]) for many in (1, 2, 3)))
            for before in range(SIDES)
            for to in range(SIDES)
        )
        shuffles.append(Shuffle(log(1 / len(tips)), tip, forms))
    return Mixture(SIDES + SIDES**2 * DICE_COUNT, (), 1, shuffles=tuple(shuffles))


def _met(before: int, to: int, many: int) -> int:
    return SIDES + (SIDES * before + to) * DICE_COUNT + many - 1


def _met_cells(before: Roll, now: Roll) -> Cells:
    shown = Counter(before.faces)
    return (
        *(face - 1 for face in now.faces),
        *(_met(old - 1, new - 1, many) for old, many in shown.items() for new in now.faces),
    )


def _rank_of(place: int, before: Roll, now: Roll) -> Cells:
    return (_move(before.low_to_high[place], now.low_to_high[place]),)


def _after(value: Callable[[Roll], int], values: int, before: Roll, now: Roll) -> Cells:
    return (values * value(before) + value(now),)


@cache
def checks_of(*, ordered: bool = True) -> tuple[Check, ...]:
    """The checks, with weights that add up to 1. With `ordered`, the first number of a roll is always the same die."""
    return _ordered() if ordered else _unordered()


def _ordered() -> tuple[Check, ...]:
    keeps, faces, pairs = _keeps(), _faces(), _pairs()
    moves, die_moves = _moves(900.0, _TIPS), _moves(400.0, _FEW_TIPS)
    far_moves, any_moves = _moves(900.0, _FEW_TIPS), mixture_of(_SIXTH, (900.0,), rows=SIDES)
    turns = mixture_of((1 / 6, 1 / 6, 4 / 6), (30.0, 300.0))
    dice = range(DICE_COUNT)
    return (
        Check("keeps", "dice keep their faces", 0.18, 1, keeps, partial(_of_dice, _same, 0)),
        *(Check(f"keeps-{i + 1}", f"die {i + 1} keeps its face", 0.018, 1, keeps, partial(_of_die, i, _same))
          for i in dice),
        Check("keeps-any", "faces stay, on whichever die", 0.01, 1, _keeps_unordered(), _kept_cells),
        Check("keeps-right", "faces move to the next die", 0.02, 1, keeps, partial(_of_dice, _same, 1)),
        Check("keeps-left", "faces move to the die before", 0.02, 1, keeps, partial(_of_dice, _same, 2)),
        Check("keeps-lag2", "dice keep their faces over two rolls", 0.05, 2, keeps, partial(_of_dice, _same, 0)),
        Check("turns", "same, opposite or adjacent face", 0.01, 1, turns, partial(_of_dice, _turn, 0)),
        Check("moves", "which face follows which, all dice", 0.112, 1, moves, partial(_of_dice, _move, 0)),
        *(Check(f"moves-{i + 1}", f"which face follows which, die {i + 1}", 0.018, 1, die_moves,
                partial(_of_die, i, _move)) for i in dice),
        Check("moves-right", "which face follows on the next die", 0.025, 1, any_moves, partial(_of_dice, _move, 1)),
        Check("moves-left", "which face follows on the die before", 0.025, 1, any_moves, partial(_of_dice, _move, 2)),
        Check("moves-lag2", "which face follows which over two rolls", 0.06, 2, far_moves,
              partial(_of_dice, _move, 0)),
        Check("faces", "faces, all dice", 0.165, 0, faces, _each_face),
        Check("faces-two", "one face on two of the dice", 0.025, 0, _faces_of_two(), _face_of_each),
        *(Check(f"faces-{i + 1}", f"faces, die {i + 1}", 0.015, 0, faces, partial(_face_of, i)) for i in dice),
        *(Check(f"pair-{i + 1}-{j + 1}", f"dice {i + 1} and {j + 1} together", 0.01, 0, pairs, partial(_pair_of, i, j))
          for i, j in combinations(dice, 2)),
        *_of_either(totals=0.03, alike=0.02, combinations=0.02, evens=0.02, sides=0.015, parity=0.01),
    )  # fmt: skip


def _unordered() -> tuple[Check, ...]:
    keeps, moves, far_moves = _keeps_unordered(), _moves_unordered(_TIPS), _moves_unordered(_FEW_TIPS)
    names = ("lowest", "middle", "highest")
    ranks = [_shares(roll.low_to_high[place] for roll in ALL_ROLLS) for place in range(DICE_COUNT)]
    return (
        Check("keeps", "dice keep their faces", 0.25, 1, keeps, _kept_cells),
        Check("keeps-lag2", "dice keep their faces over two rolls", 0.06, 2, keeps, _kept_cells),
        Check("moves", "which face follows which, all dice", 0.14, 1, moves, _met_cells),
        Check("moves-lag2", "which face follows which over two rolls", 0.05, 2, far_moves, _met_cells),
        *(Check(f"rank-{place + 1}", f"which {names[place]} face follows which", 0.01, 1,
                mixture_of(ranks[place], (600.0,), rows=SIDES), partial(_rank_of, place))
          for place in range(DICE_COUNT)),
        Check("faces", "faces, all dice", 0.23, 0, _faces(), _each_face),
        *_of_either(totals=0.05, alike=0.07, combinations=0.04, evens=0.04, sides=0.03, parity=0.01),
    )  # fmt: skip


def _of_either(
    *, totals: float, alike: float, combinations: float, evens: float, sides: float, parity: float
) -> Iterable[Check]:
    """Checks that need no order of the dice, by their weights."""
    total_shares = _shares(roll.total for roll in ALL_ROLLS)
    yield Check("totals", "totals", totals, 0, mixture_of(total_shares, (60.0, 300.0)),
                partial(_value_of, lambda roll: roll.total - 3))  # fmt: skip
    yield Check("alike", "equal faces in a roll", alike, 0,
                mixture_of(_shares(map(_kind_of_faces, ALL_ROLLS)), (100.0,)),
                partial(_value_of, _kind_of_faces))  # fmt: skip
    yield Check("combinations", "all 56 combinations", combinations, 0,
                mixture_of(_shares(map(_combination, ALL_ROLLS)), (1500.0,)),
                partial(_value_of, _combination))  # fmt: skip
    yield Check("evens", "Small, Big, odd and even", evens, 0, _evens(), partial(_value_of, _even_money))
    yield Check("sides", "Small and Big after each other", sides, 1,
                mixture_of(_shares(map(_side, ALL_ROLLS)), (300.0,), rows=3),
                partial(_after, _side, 3))  # fmt: skip
    yield Check("parity", "odd and even after each other", parity, 1,
                mixture_of(_shares(map(_parity, ALL_ROLLS)), (300.0,), rows=2),
                partial(_after, _parity, 2))  # fmt: skip
