"""Drills for dealers: a felt with chips and a roll; call, collect, pay; and irregularities to resolve.

Enters: a book, a layout, a level and a seed. Leaves: a drill without its answers, always the same for the same seed.
Nothing is stored; `marking` makes the drill again from its seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Final, NamedTuple, TypeVar

from msgspec import Struct, structs

from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_ROLLS, Roll
from taisai.core.faults import InputFault, shown
from taisai.core.limits import OPPOSITE_BOXES, OPPOSITE_OF, Limits, make_limits
from taisai.core.money import CURRENCIES, NO_CURRENCY, Chips
from taisai.core.names import result_call
from taisai.core.rulebook import Layout, Rule, RuleBook
from taisai.table.commands import BoxLimit, TableLimits
from taisai.training.cases import OUTCOME_TEXTS, Case, cases_of

T = TypeVar("T")

LEVELS: Final = (1, 2, 3, 4)
"""Even money; singles and totals; the full layout; colours, differentials and pro rata."""
SEED_MAX: Final = 40
UNIT: Final = 100
DENOMINATIONS: Final = (100, 500, 2_500, 10_000)
COLOURS: Final = {"red": 100, "blue": 200, "yellow": 500, "green": 1_000}
"""What a colour chip of each player's colour is worth in a drill."""

_PLAYERS: Final = ("Ann", "Ben", "Chu", "Dev")
_SINGLES_TOTALS: Final = frozenset({"single", "total"})
"""The groups of boxes that join those of even money at level 2."""
_TRIPLE_ONE_IN: Final = 9
_CALLS_OFFERED: Final = 4
_OPTIONS_OFFERED: Final = 4


class _Size(NamedTuple):
    """How much is on the felt at a level."""

    players: int
    winning: int
    losing: int
    together: int
    """Players in one box, at most."""
    chips: int
    """Units in one bet, at most."""
    cases: int


_SIZES: Final = {
    1: _Size(players=2, winning=2, losing=2, together=2, chips=20, cases=1),
    2: _Size(players=3, winning=3, losing=3, together=1, chips=20, cases=1),
    3: _Size(players=4, winning=4, losing=4, together=2, chips=40, cases=2),
    4: _Size(players=4, winning=3, losing=3, together=2, chips=40, cases=2),
}


class DrillPlayer(Struct, frozen=True):
    """A player in a drill; with colour chips, their colour and value."""

    name: str
    colour: str = ""
    value: int = 0


class DrillBet(Struct, frozen=True):
    """A bet on the felt; `chips` counts it in the player's colour."""

    player: str
    box: str
    stake: int
    chips: int = 0


class Choice(Struct, frozen=True):
    """An answer to choose from."""

    id: str
    text: str


class Situation(Struct, frozen=True):
    """An irregularity, for which the dealer chooses what to do."""

    id: str
    text: str
    choices: tuple[Choice, ...]


class Drill(Struct, frozen=True):
    """A drill without its answers."""

    book: str
    layout: str
    digest: str
    level: int
    seed: str
    currency: str
    denominations: tuple[int, ...]
    limits: TableLimits | None
    """The sign at the table, where the drill is about limits."""
    players: tuple[DrillPlayer, ...]
    bets: tuple[DrillBet, ...]
    dice: tuple[int, int, int]
    calls: tuple[str, ...]
    """Calls to choose from; the right one is among them."""
    situations: tuple[Situation, ...]
    par_s: int
    """In how many seconds a trained dealer is done."""


class _Chance:
    """Random choices from a seed: the same on every machine and under every version of Python."""

    def __init__(self, *names: object) -> None:
        self._seed = "|".join(map(str, names))
        self._drawn = 0

    def below(self, bound: int) -> int:
        """A whole number from 0 to below the bound."""
        self._drawn += 1
        digest = sha256(f"{self._seed}|{self._drawn}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % bound

    def pick(self, things: Sequence[T]) -> T:
        """One of them."""
        return things[self.below(len(things))]

    def some(self, things: Sequence[T], count: int) -> list[T]:
        """`count` of them, or all, in random order."""
        left = list(things)
        return [left.pop(self.below(len(left))) for _ in range(min(count, len(left)))]


class MadeDrill(NamedTuple):
    """A drill, with what the engine needs to mark it."""

    drill: Drill
    roll: Roll
    bets: tuple[Bet, ...]
    limits: Limits | None
    cases: tuple[Case, ...]


def make_drill(book: RuleBook, layout: Layout, level: int, seed: str) -> Drill:
    """The drill of a seed: the same chips, dice and questions every time."""
    return make(book, layout, level, seed).drill


def make(book: RuleBook, layout: Layout, level: int, seed: str) -> MadeDrill:
    """The drill of a seed, with what marking it needs; `InputFault` for a level or seed out of bounds."""
    if level not in LEVELS:
        raise InputFault("level", f"from 1 to {LEVELS[-1]}, got {shown(level)}")
    if not seed.strip() or len(seed) > SEED_MAX or not seed.isprintable():
        raise InputFault("seed", f"from 1 to {SEED_MAX} printable characters, got {shown(seed)}")
    size = _SIZES[level]
    chance = _Chance("drill", layout.name, level, seed)
    boxes = _boxes(layout, level)
    roll = _roll(layout, boxes, chance)
    colours = level == LEVELS[-1] and book.has(Rule.COLOUR_CHIPS)
    players = tuple(
        DrillPlayer(name, colour, value) if colours else DrillPlayer(name)
        for name, (colour, value) in zip(_PLAYERS[: size.players], COLOURS.items(), strict=False)
    )
    bets = _bets(layout, boxes, roll, players, size, chance)
    limits = None
    if level == LEVELS[-1] and book.has(Rule.PRO_RATA):
        bets, limits = _crowded(layout, roll, players, bets, chance)
    cases = chance.some(cases_of(book), size.cases)
    placed = tuple(Bet(PlayerId(each.player), BoxName(each.box), Chips(each.stake)) for each in bets)
    engine = None if limits is None else _engine_limits(limits)
    drill = Drill(
        book=book.id,
        layout=layout.id,
        digest=book.digest,
        level=level,
        seed=seed,
        currency=CURRENCIES.get(book.jurisdiction, NO_CURRENCY),
        denominations=DENOMINATIONS,
        limits=limits,
        players=players,
        bets=bets,
        dice=roll.faces,
        calls=_calls(book, roll, chance),
        situations=tuple(_situation(each, chance) for each in cases),
        par_s=_par(bets, len(cases), level),
    )
    return MadeDrill(drill, roll, placed, engine, tuple(cases))


# ---------------------------------------------------------------------- the felt of a drill


def _boxes(layout: Layout, level: int) -> tuple[BoxName, ...]:
    """The boxes of a level. A layout that has fewer than two of them goes on with those of the next level."""
    if level >= 3:
        return tuple(layout.boxes)
    groups = frozenset() if level == 1 else _SINGLES_TOTALS
    even = _even_money(layout)
    boxes = tuple(name for name, box in layout.boxes.items() if name in even or box.group in groups)
    return boxes if len(boxes) > 1 else _boxes(layout, level + 1)


def _even_money(layout: Layout) -> frozenset[BoxName]:
    """The boxes that pay 1 to 1 whenever they win."""
    more = {box.name for row in layout.rows if row.pays != 1 for box in row.boxes}
    return frozenset(layout.boxes.keys() - more)


def _roll(layout: Layout, boxes: Sequence[BoxName], chance: _Chance) -> Roll:
    """A roll on which some box pays; sometimes a triple, on which most boxes lose."""
    if chance.below(_TRIPLE_ONE_IN) == 0:
        return chance.pick([roll for roll in ALL_ROLLS if roll.is_triple])
    return chance.pick([roll for roll in ALL_ROLLS if any(box in layout.winners[roll.index] for box in boxes)])


def _bets(  # noqa: PLR0917 - the parts of one drill, each made by the step before
    layout: Layout,
    boxes: Sequence[BoxName],
    roll: Roll,
    players: tuple[DrillPlayer, ...],
    size: _Size,
    chance: _Chance,
) -> tuple[DrillBet, ...]:
    won = layout.winners[roll.index]
    chosen = [
        *chance.some([box for box in boxes if box in won], size.winning),
        *chance.some([box for box in boxes if box not in won], size.losing),
    ]
    bets = []
    for box in chance.some(chosen, len(chosen)):
        for player in chance.some(players, 1 + chance.below(size.together)):
            units = 1 + chance.below(size.chips)
            if player.value:
                bets.append(DrillBet(player.name, box, units * player.value, units))
            else:
                bets.append(DrillBet(player.name, box, units * UNIT))
    return tuple(bets)


def _crowded(
    layout: Layout, roll: Roll, players: tuple[DrillPlayer, ...], bets: tuple[DrillBet, ...], chance: _Chance
) -> tuple[tuple[DrillBet, ...], TableLimits]:
    """One box over its maximum, perhaps with a bet below the minimum, and a pair over its differential, if any."""
    minimum = 5 * UNIT
    even = _even_money(layout)
    kept = [each for each in bets if each.stake >= minimum and each.box not in OPPOSITE_OF]
    paying = [box for box in layout.winners[roll.index] if box not in even]
    others = [name for name, box in layout.boxes.items() if box.group == "total"] or list(layout.boxes)
    shared = chance.pick(paying or others)
    kept = [each for each in kept if each.box != shared]
    crowd = [DrillBet(each.name, shared, (10 + chance.below(40)) * UNIT) for each in players[:3]]
    if chance.below(2):
        crowd.append(DrillBet(players[3].name, shared, (1 + chance.below(4)) * UNIT))
    total = sum(each.stake for each in crowd)
    most = total * (50 + chance.below(40)) // 100 // UNIT * UNIT
    limits = TableLimits(
        unit=UNIT,
        default=BoxLimit(minimum, 100_000),
        kinds={layout.boxes[shared].kind: BoxLimit(minimum, most)},
    )
    pairs = [pair for pair, both in OPPOSITE_BOXES.items() if layout.boxes.keys() >= {*both}]
    if not pairs:
        return (*kept, *crowd), limits
    pair = chance.pick(pairs)
    sides = chance.some(OPPOSITE_BOXES[pair], 2)
    light = (5 + chance.below(20)) * UNIT
    differential = (20 + chance.below(30)) * UNIT
    heavy = [(15 + chance.below(60)) * UNIT, light + differential + chance.below(40) * UNIT]
    pressed = [
        DrillBet(players[0].name, sides[0], heavy[0]),
        DrillBet(players[1].name, sides[0], heavy[1]),
        DrillBet(players[2].name, sides[1], light),
    ]
    return (*kept, *crowd, *pressed), structs.replace(limits, differential={str(pair): differential})


def _engine_limits(limits: TableLimits) -> Limits:
    return make_limits(
        unit=limits.unit,
        default={"min": limits.default.min, "max": limits.default.max},
        kinds={kind: {"min": each.min, "max": each.max} for kind, each in limits.kinds.items()},
        differential=dict(limits.differential),
    )


def _calls(book: RuleBook, roll: Roll, chance: _Chance) -> tuple[str, ...]:
    """The right call among wrong ones: one die misread, or a double or triple not called as such."""
    calls = book.procedure.calls
    right = result_call(calls, roll)
    low, middle, high = roll.low_to_high
    unnamed = calls.plain.format(low=low, middle=middle, high=high, total=roll.total)
    near = [other for other in ALL_ROLLS if sum(a != b for a, b in zip(other.faces, roll.faces, strict=True)) == 1]
    misread = dict.fromkeys(result_call(calls, other) for other in near)
    wrong = [call for call in misread if call != right]
    first = [unnamed] if unnamed != right else []
    offered = [right, *first, *chance.some(wrong, _CALLS_OFFERED - 1 - len(first))]
    return tuple(chance.some(offered, len(offered)))


def _situation(case: Case, chance: _Chance) -> Situation:
    offered = [case.right, *chance.some(case.wrong, _OPTIONS_OFFERED - 1)]
    choices = tuple(Choice(str(each), OUTCOME_TEXTS[each]) for each in chance.some(offered, len(offered)))
    return Situation(case.id, case.text, choices)


def _par(bets: Sequence[DrillBet], cases: int, level: int) -> int:
    """Seconds for a trained dealer: some for each box, for the arithmetic of each bet, and for each case."""
    boxes = len({each.box for each in bets})
    return 10 + 3 * boxes + (6 + 2 * level) * len(bets) + 10 * cases
