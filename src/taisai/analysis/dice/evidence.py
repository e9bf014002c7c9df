"""What is asked of a tumbler's dice.

Enters: rolls, one after the other. Leaves: for each question (a check) the cells that a roll falls into (`cells`), and
the bets on them (`mixtures`). Serves R23.

The checks share the first unit by their weights, and their wealth added together is again an e-value: that one sum
holds the level over all checks. Weights and bets are fixed beforehand. Where dice that look alike are written down in
any order, often from low to high, only checks that do not mind the order are made.

Three kinds of check. Most count from the first roll on. A check of *parts* is that of a bettor who bets on all three
dice at once, each with its own check: dice are independent while they are fair, so their wealth is multiplied. A check
of a *window* begins anew every so many rounds, and carries over what it has won: dice that were damaged in service do
not have to outweigh all that was fair before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from itertools import combinations
from math import log
from typing import Any, Final, NamedTuple, TypeVar

from taisai.analysis.dice import cells as c
from taisai.analysis.dice.cells import SIDES, TURNS, Before, Cells, CellsOf, Look
from taisai.analysis.dice.mixtures import Mixture, Point, Product, Shuffle, log_sum, mixture_of, urns_of
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, DICE_COUNT, FACES, Roll

LEVEL: Final = 0.001
"""Chance of an alarm from fair dice, for the whole life of a set of dice."""
WINDOW: Final = 2500
"""Rounds after which a check of a window begins anew."""

_KEEPS: Final = ((0.02, 0.60), (0.05, 0.27), (0.11, 0.04), (0.22, 0.02), (0.50, 0.01), (-0.06, 0.04), (-0.15, 0.02))
"""Retentions that are bet on, and the share of each: chances that a die keeps its face through a shake. A negative one
is a face that comes again too rarely."""
_KEEPS_AFTER: Final = (
    (1, ((0.03, 0.25), (0.06, 0.15), (0.2, 0.06), (-0.1, 0.04))),
    (0, ((0.12, 0.25), (0.25, 0.15), (0.6, 0.06), (-0.15, 0.04))),
)
"""Retentions after two equal faces (1) and after three (0), and the share of each."""
_TOGETHER: Final = ((2, (0.012, 0.03)), (3, (0.006, 0.02)))
"""How often two, or all three, of the dice keep their faces together, and otherwise fall fairly."""
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
"""The same, for checks of single dice."""
_ONE_TIP: Final = (0.045,)
"""The same, for other dice, for earlier rolls and in windows."""
_TIPS_SHARE: Final = 0.6
"""Of the wealth on which face follows which: what goes on shuffles of the faces; the rest goes on all ways."""
_BOX_MORE: Final = 0.2
"""How much more often one total, or two faces together, may come: part of what they should."""
_STREAKS: Final = (0.09, -0.09, 0.2)
"""How much likelier a side of even money becomes after itself; negative where sides take turns."""
_SIXTH: Final = (1 / 6,) * 6

Logs = TypeVar("Logs", bound=Any)
"""A logarithm, or a column of them."""


class Check(NamedTuple):
    """One question to the dice."""

    name: str
    title: str
    weight: float
    """Its share of the first unit."""
    look: Look
    mixture: Mixture | Product
    cells_of: CellsOf
    parts: tuple[str, ...] = ()
    """The checks whose wealth it multiplies, where it counts nothing itself."""
    window: int = 0
    """It begins anew after so many rounds; 0 for never."""

    @property
    def size(self) -> int:
        """Number of cells."""
        return self.mixture.size


def carried(log_e: float, place: int) -> float:
    """Logarithm of what a window of this place makes of the wealth so far.

    The second window gets half of it, the third a third, and so on: who has lost all windows so far still has the
    n-th part of the first unit. The first window gets nothing: the checks of the whole life see the same rolls.
    """
    return log_sum((log(place), log_e)) - log(place + 1) if place else 0.0


def combined_log_e(checks: Sequence[Check], logs: Sequence[float]) -> float:
    """Logarithm of the wealth of all checks together."""
    return log_sum(log(check.weight) + each for check, each in zip(checks, logs, strict=True))


def logs_of(checks: Sequence[Check], own: Sequence[Logs]) -> list[Logs]:
    """The logarithm of the wealth of each check: its own, or that of its parts together."""
    by_name = {check.name: each for check, each in zip(checks, own, strict=True)}
    return [
        sum(by_name[name] for name in check.parts) if check.parts else each
        for check, each in zip(checks, own, strict=True)
    ]


# ------------------------------------------------------------------ bets on one roll


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
    return mixture_of((1 / 36,) * 36, (600.0, 3000.0), points=points)


def _combinations() -> Mixture:
    """Cells: the 56 combinations. A part goes on two of the dice that show opposite faces too often."""
    points = []
    for cling in (0.06, 0.15):
        opposite = [
            sum(one + two == SIDES + 1 for one, two in combinations(roll.faces, 2)) / DICE_COUNT
            for roll in ALL_COMBINATIONS
        ]
        points.append(Point(log(0.15), tuple(log(1 - cling + SIDES * cling * each) for each in opposite)))
    points += [
        _one_box(0.3 / 15, [set(faces) <= set(roll.faces) for roll in ALL_ROLLS], c.combination)
        for faces in combinations(FACES, 2)
    ]
    return mixture_of(c.shares([c.combination(roll) for roll in ALL_ROLLS]), (1500.0, 5000.0), points=points)


def _totals() -> Mixture:
    """Cells: the totals. A part goes on one total that comes too often."""
    points = [_one_box(0.5 / 16, [roll.total == total for roll in ALL_ROLLS], c.total_of) for total in range(3, 19)]
    return mixture_of(c.shares([c.total_of(roll) for roll in ALL_ROLLS]), (300.0, 2000.0), points=points)


def _one_box(share: float, wins: Sequence[bool], value: Callable[[Roll], int]) -> Point:
    """One box wins more often than it should: `wins` by roll, `value` the cell of a roll."""
    chance = sum(wins) / len(wins)
    often, rarely = log(1 + _BOX_MORE), log(1 - _BOX_MORE * chance / (1 - chance))
    by_cell = {value(roll): won for roll, won in zip(ALL_ROLLS, wins, strict=True)}
    return Point(log(share), tuple(often if by_cell[cell] else rarely for cell in sorted(by_cell)))


def _evens() -> Mixture:
    """Most of the wealth goes on one of the four even-money bets that wins too often."""
    points = []
    for more, share in ((0.06, 0.5), (0.12, 0.3)):
        often, rarely = log(1 + more), log(1 - more)
        points += [Point(log(share / 4), (0.0, *(often if cell in wins else rarely for cell in (1, 2, 3, 4))))
                   for wins in ((1, 2), (3, 4), (1, 3), (2, 4))]  # fmt: skip
    return mixture_of(c.shares([c.even_money(roll) for roll in ALL_ROLLS]), (300.0,), points=points)


# ------------------------------------------------------------------ bets from roll to roll


def _keeps() -> Mixture:
    """Cells: another face, the same face."""
    points = (Point(log(share), (log(1 - keep), log(1 + 5 * keep))) for keep, share in _KEEPS)
    return Mixture(2, (), 1, points=tuple(points))


def _keeps_together() -> Mixture:
    """Cells: which of the dice keep their faces, as bits. Some of them keep theirs together or not at all."""
    kept = [cell.bit_count() for cell in range(8)]
    points = []
    for many, chances in _TOGETHER:
        groups = [group for group in range(8) if kept[group] == many]
        for chance in chances:
            both, none = log(1 - chance + 6**many * chance), log(1 - chance)
            points += [
                Point(
                    log(0.8 / len(_TOGETHER) / len(chances) / len(groups)),
                    tuple(both if cell & group == group else none for cell in range(8)),
                )
                for group in groups
            ]
    return mixture_of([5 ** (3 - each) / 216 for each in kept], (1500.0,), points=points)


def _keeps_by_kind(ratios: Sequence[Sequence[float]]) -> Mixture:
    """Cells: the kind of the earlier roll, and cells of retention. Dice keep their faces after one kind only.

    `ratios` has the logarithms of the likelihood ratios of those cells, for each retention of `_KEEPS_AFTER`.
    """
    width = len(ratios[0])
    each = iter(ratios)
    points = []
    for kind, amounts in _KEEPS_AFTER:
        for _, share in amounts:
            row = [0.0] * (3 * width)
            row[kind * width : (kind + 1) * width] = next(each)
            points.append(Point(log(share), tuple(row)))
    return Mixture(3 * width, (), 1, points=tuple(points))


def _keeps_again() -> Mixture:
    """Cells: whether a die kept its face the last time, and now. It keeps after the one and not after the other."""
    points = []
    for keep, share in ((0.08, 0.2), (0.25, 0.1)):
        now = (log(1 - keep), log(1 + 5 * keep))
        points += [Point(log(share), (0.0, 0.0, *now)), Point(log(share), (*now, 0.0, 0.0))]
    return mixture_of((5 / 6, 1 / 6), (400.0,), rows=2, points=points)


def _moves(size: float, tips: Sequence[float]) -> Mixture:
    """Cells: face before and face now. Shuffles of the faces, and an urn over all transitions."""
    shuffles = []
    for tip in tips:
        hit, miss = log(1 + 5 * tip), log(1 - tip)
        forms = tuple(((SIDES * before + to, hit - miss),) for before in range(SIDES) for to in range(SIDES))
        shuffles.append(Shuffle(log(_TIPS_SHARE / len(tips)), tip, forms, (SIDES**2, miss)))
    return mixture_of(_SIXTH, (size,), rows=SIDES, shuffles=shuffles)


def log_ratio_unordered(cell: tuple[int, ...], keep: float) -> float:
    """Logarithm of how much likelier a cell of `kept_unordered` becomes when each die keeps its face so often."""
    orders = sum(count * (1 + 5 * keep) ** dice * (1 - keep) ** (DICE_COUNT - dice) for dice, count in enumerate(cell))
    return log(orders / 6)


def _keeps_unordered() -> Mixture:
    cells = c.kept_unordered()[0]
    points = (Point(log(share), tuple(log_ratio_unordered(cell, keep) for cell in cells)) for keep, share in _KEEPS)
    return Mixture(len(cells), (), 1, points=tuple(points))


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
            tuple((c.met(before, to, many), logs[many] - logs[0]) for many in (1, 2, 3))
            for before in range(SIDES)
            for to in range(SIDES)
        )
        shuffles.append(Shuffle(log(1 / len(tips)), tip, forms, (SIDES, logs[0])))
    return Mixture(SIDES + SIDES**2 * DICE_COUNT, (), 1, shuffles=tuple(shuffles))


def _sides() -> Mixture:
    """Cells: a side and the next one. A part goes on Small and Big that follow themselves, or take turns."""
    points = []
    for more in _STREAKS:
        often, rarely = log(1 + more), log(1 - more)
        points.append(Point(log(0.2), (0.0, 0.0, 0.0, 0.0, often, rarely, 0.0, rarely, often)))
    return mixture_of(c.shares([c.side(roll) for roll in ALL_ROLLS]), (300.0,), rows=3, points=points)


# ------------------------------------------------------------------ the checks


@cache
def checks_of(*, ordered: bool = True) -> tuple[Check, ...]:
    """The checks, with weights that add up to 1. With `ordered`, the first number of a roll is always the same die."""
    return _ordered() if ordered else _unordered()


def _ordered() -> tuple[Check, ...]:
    keeps, faces, pairs = _keeps(), _faces(), _pairs()
    moves, die_moves, other_moves = _moves(900.0, _TIPS), _moves(400.0, _FEW_TIPS), _moves(900.0, _ONE_TIP)
    turns = mixture_of((1 / 6, 1 / 6, 4 / 6), (30.0, 300.0))
    by_kind = _keeps_by_kind([(log(1 - keep), log(1 + 5 * keep)) for _, each in _KEEPS_AFTER for keep, _ in each])
    dice = range(DICE_COUNT)
    same, move = partial(c.of_dice, c.same), partial(c.of_dice, c.move)
    return (
        Check("keeps", "dice keep their faces", 0.195, Look.LAST, keeps, partial(same, 0)),
        *(Check(f"keeps-{i + 1}", f"die {i + 1} keeps its face", 0.012, Look.LAST, keeps, partial(c.of_die, i, c.same))
          for i in dice),
        _each("keeps", "each die keeps its face in its own way", 0.005),
        Check("keeps-any", "faces stay, on whichever die", 0.007, Look.LAST, _keeps_unordered(), c.kept_cells),
        Check("keeps-right", "faces move to the next die", 0.015, Look.LAST, keeps, partial(same, 1)),
        Check("keeps-left", "faces move to the die before", 0.015, Look.LAST, keeps, partial(same, 2)),
        Check("keeps-lag2", "dice keep their faces over two rolls", 0.035, Look.LAST_2, keeps, partial(same, 0)),
        Check("keeps-lag3", "dice keep their faces over three rolls", 0.015, Look.LAST_3, keeps, partial(same, 0)),
        Check("keeps-together", "dice keep their faces together", 0.01, Look.LAST, _keeps_together(), c.which_keep),
        Check("keeps-alike", "faces stay after a double or a triple", 0.01, Look.LAST, by_kind, c.keeps_by_kind),
        Check("keeps-again", "a face stays because it stayed before", 0.01, Look.STEPS, _keeps_again(), c.keeps_again),
        Check("turns", "same, opposite or adjacent face", 0.005, Look.LAST, turns, partial(c.of_dice, c.turned, 0)),
        Check("moves", "which face follows which, all dice", 0.085, Look.LAST, moves, partial(move, 0)),
        *(Check(f"moves-{i + 1}", f"which face follows which, die {i + 1}", 0.012, Look.LAST, die_moves,
                partial(c.of_die, i, c.move)) for i in dice),
        _each("moves", "which face follows which, each die in its own way", 0.025),
        Check("moves-right", "which face follows on the next die", 0.02, Look.LAST, other_moves, partial(move, 1)),
        Check("moves-left", "which face follows on the die before", 0.02, Look.LAST, other_moves, partial(move, 2)),
        Check("moves-lag2", "which face follows which over two rolls", 0.04, Look.LAST_2, other_moves,
              partial(move, 0)),
        Check("moves-lag3", "which face follows which over three rolls", 0.015, Look.LAST_3, other_moves,
              partial(move, 0)),
        Check("moves-two", "which face follows which two", 0.01, Look.STEPS,
              mixture_of(_SIXTH, (600.0,), rows=36), c.steps),
        Check("faces", "faces, all dice", 0.155, Look.ROLL, faces, c.each_face),
        Check("faces-two", "one face on two of the dice", 0.017, Look.ROLL, _faces_of_two(), c.face_of_each),
        *(Check(f"faces-{i + 1}", f"faces, die {i + 1}", 0.008, Look.ROLL, faces, partial(c.face_of, i)) for i in dice),
        _each("faces", "faces, each die in its own way", 0.005),
        *(Check(f"pair-{i + 1}-{j + 1}", f"dice {i + 1} and {j + 1} together", 0.008, Look.ROLL, pairs,
                partial(c.pair_of, i, j)) for i, j in combinations(dice, 2)),
        *_of_either(totals=0.02, alike=0.01, combinations=0.01, evens=0.02, sides=0.012, parity=0.005),
        *_in_windows(keeps, partial(same, 0), other_moves, partial(move, 0)),
    )  # fmt: skip


def _unordered() -> tuple[Check, ...]:
    keeps, moves, far_moves = _keeps_unordered(), _moves_unordered(_TIPS), _moves_unordered(_ONE_TIP)
    names = ("lowest", "middle", "highest")
    ranks = [c.shares([roll.low_to_high[place] for roll in ALL_ROLLS]) for place in range(DICE_COUNT)]
    cells = c.kept_unordered()[0]
    by_kind = _keeps_by_kind(
        [[log_ratio_unordered(cell, keep) for cell in cells] for _, each in _KEEPS_AFTER for keep, _ in each]
    )
    return (
        Check("keeps", "dice keep their faces", 0.23, Look.LAST, keeps, c.kept_cells),
        Check("keeps-lag2", "dice keep their faces over two rolls", 0.05, Look.LAST_2, keeps, c.kept_cells),
        Check("keeps-lag3", "dice keep their faces over three rolls", 0.015, Look.LAST_3, keeps, c.kept_cells),
        Check("keeps-alike", "faces stay after a double or a triple", 0.01, Look.LAST, by_kind, c.kept_by_kind),
        Check("moves", "which face follows which, all dice", 0.12, Look.LAST, moves, c.met_cells),
        Check("moves-lag2", "which face follows which over two rolls", 0.045, Look.LAST_2, far_moves, c.met_cells),
        Check("moves-lag3", "which face follows which over three rolls", 0.015, Look.LAST_3, far_moves, c.met_cells),
        *(Check(f"rank-{place + 1}", f"which {names[place]} face follows which", 0.005, Look.LAST,
                mixture_of(ranks[place], (600.0,), rows=SIDES), partial(c.rank_of, place))
          for place in range(DICE_COUNT)),
        Check("faces", "faces, all dice", 0.197, Look.ROLL, _faces(), c.each_face),
        *_of_either(totals=0.045, alike=0.06, combinations=0.034, evens=0.04, sides=0.03, parity=0.005),
        *_in_windows(keeps, c.kept_cells, far_moves, c.met_cells),
    )  # fmt: skip


def _each(name: str, title: str, weight: float) -> Check:
    """All three dice at once, each by its own check."""
    parts = tuple(f"{name}-{die + 1}" for die in range(DICE_COUNT))
    return Check(f"{name}-each", title, weight, Look.ROLL, Mixture(0, (), 1), _no_cells, parts)


def _no_cells(_: Before, __: Roll) -> Cells:
    return ()


def _in_windows(keeps: Mixture, kept: CellsOf, moves: Mixture, moved: CellsOf) -> Iterable[Check]:
    """The checks that begin anew again and again."""
    yield Check("faces-late", f"faces, anew every {WINDOW:,} rounds", 0.015, Look.ROLL, _faces(), c.each_face,
                window=WINDOW)  # fmt: skip
    yield Check("keeps-late", f"dice keep their faces, anew every {WINDOW:,} rounds", 0.015, Look.LAST, keeps, kept,
                window=WINDOW)  # fmt: skip
    yield Check("moves-late", f"which face follows which, anew every {WINDOW:,} rounds", 0.01, Look.LAST, moves, moved,
                window=WINDOW)  # fmt: skip


def _of_either(
    *, totals: float, alike: float, combinations: float, evens: float, sides: float, parity: float
) -> Iterable[Check]:
    """Checks that need no order of the dice, by their weights."""

    def fair(value: CellsOf) -> tuple[float, ...]:
        return c.shares([value(Before(roll, roll, 0), roll)[0] for roll in ALL_ROLLS])

    def of(name: str, title: str, weight: float, value: CellsOf, sizes: tuple[float, ...]) -> Check:
        return Check(name, title, weight, Look.ROLL, mixture_of(fair(value), sizes), value)

    def by(name: str, title: str, weight: float, look: Look, mixture: Mixture | Product) -> Check:
        return Check(name, title, weight, look, mixture, partial(c.faces_by, _ROWS_OF[name]))

    def rows(count: int, size: float) -> Mixture:
        return mixture_of(_SIXTH, (size,), rows=count)

    yield Check("totals", "totals", totals, Look.ROLL, _totals(), partial(c.value_of, c.total_of))
    yield of("alike", "equal faces in a roll", alike, partial(c.value_of, c.kind_of_faces), (100.0, 500.0))
    yield Check("combinations", "all 56 combinations", combinations, Look.ROLL, _combinations(),
                partial(c.value_of, c.combination))  # fmt: skip
    yield Check("evens", "Small, Big, odd and even", evens, Look.ROLL, _evens(), partial(c.value_of, c.even_money))
    yield Check("sides", "Small and Big after each other", sides, Look.LAST, _sides(), partial(c.after, c.side, 3))
    yield Check(
        "sides-two",
        "Small and Big after the last two",
        0.01,
        Look.SIDES_2,
        mixture_of(c.shares([c.side(roll) for roll in ALL_ROLLS]), (300.0,), rows=9),
        c.side_after_two,
    )
    yield Check("parity", "odd and even after each other", parity, Look.LAST,
                mixture_of((0.5, 0.5), (300.0,), rows=2), partial(c.after, c.parity, 2))  # fmt: skip
    yield by("faces-after", "faces after Small, Big, odd and even", 0.012, Look.LAST, rows(5, 1900.0))
    yield by("faces-total", "faces after each total", 0.005, Look.LAST, rows(16, 1000.0))
    yield by("faces-second", "faces in every second round", 0.012, Look.TURN, Product(_faces(), 2))
    yield by("faces-turn", f"faces by turns of {TURNS} rounds", 0.01, Look.TURN, rows(TURNS, 1900.0))


_ROWS_OF: Final = {
    "faces-after": partial(c.last, c.even_money),
    "faces-total": partial(c.last, c.total_of),
    "faces-second": partial(c.turn, 2),
    "faces-turn": partial(c.turn, TURNS),
}
"""What the faces are counted by."""
