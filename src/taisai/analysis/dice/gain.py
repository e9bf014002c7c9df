"""What a player could gain who saw the last roll.

Enters: a layout, and how often dice keep their faces through a shake and how often each face comes, or which face
follows which. Leaves: for each last roll the best box and what it brings on average, exactly, as fractions; the
retention from which on some bet is worth while.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations
from math import lcm
from typing import Final, NamedTuple

from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, FACES, Roll
from taisai.core.faults import InputFault
from taisai.core.money import Odds
from taisai.core.rulebook import Layout

PARTS: Final = 1_000_000
"""Shares that were estimated are rounded to parts of this before exact arithmetic."""
FAIR: Final = (Fraction(1, 6),) * 6


class BestBet(NamedTuple):
    """The best box after a roll, and what a stake of one brings on average: negative when no bet is worth while."""

    last: Roll
    """From low to high: no box looks at the order."""
    box: BoxName
    gain: Fraction


class Gain(NamedTuple):
    """What can be gained from dice that keep their faces, or fall unevenly."""

    layout: str
    retention: Fraction | None
    """None where it is known which face follows which."""
    best: BestBet
    """After the roll that helps the player most."""
    often: Fraction
    """Share of rounds with a bet that is worth while."""
    mean: Fraction
    """Gain a round of who stakes one whenever it is worth while, and else nothing."""
    after: tuple[BestBet, ...]
    """The best box after each of the 56 combinations; of the 216 rolls where each die goes its own way."""


class _Returns:
    """Average returns of every box, in whole numbers: fractions of one denominator, exact and fast."""

    def __init__(self, layout: Layout, faces: Sequence[Fraction]) -> None:
        self._unit = lcm(*(share.denominator for share in faces))
        ways = [int(share * self._unit) for share in faces]
        # For the dice that keep their faces, from low to high: what comes back, times the unit for each die that falls.
        self._back: dict[tuple[int, ...], dict[BoxName, Odds]] = {}
        for roll in ALL_ROLLS:
            chance = 1
            # The last dice stay, the first ones fall anew: none of them, one, two or all three.
            for falling in range(4):
                kept = roll.faces[falling:]
                if falling:
                    chance *= ways[roll.faces[falling - 1] - 1]
                if kept == tuple(sorted(kept)):
                    into = self._back.setdefault(kept, {})
                    for box, row in layout.winners[roll.index].items():
                        into[box] = into.get(box, 0) + chance * (row.pays + 1)

    def best(self, last: Roll, keep: Fraction) -> BestBet:
        """The best box after a roll."""
        stays, falls = keep.numerator, keep.denominator - keep.numerator
        back: dict[BoxName, Odds] = {}
        for count in range(4):
            weight = (stays * self._unit) ** count * falls ** (3 - count)
            for kept in combinations(last.low_to_high, count):
                for box, amount in self._back[kept].items():
                    back[box] = back.get(box, 0) + weight * amount
        box = max(back, key=lambda name: back[name])
        return BestBet(last, box, Fraction(back[box], (keep.denominator * self._unit) ** 3) - 1)


def gain(layout: Layout, retention: Fraction, faces: Sequence[Fraction] = FAIR) -> Gain:
    """What a player gains who knows the last roll, the retention of the dice and the share of every face.

    All three dice are taken to be alike, and the last roll to have come as often as its faces say.
    """
    if not 0 <= retention <= 1:
        raise InputFault("retention", f"is a share from 0 to 1, got {float(retention):g}")
    if len(faces) != len(FACES) or sum(faces) != 1 or min(faces) < 0:
        raise InputFault("faces", "needs the shares of six faces, together 1")
    returns = _Returns(layout, faces)
    after = tuple(returns.best(last, retention) for last in ALL_COMBINATIONS)
    by_last = {bet.last: bet.gain for bet in after}
    often = mean = Fraction(0)
    for roll in ALL_ROLLS:
        low, middle, high = roll.low_to_high
        won = by_last[ALL_ROLLS[36 * low + 6 * middle + high - 43]]
        if won > 0:
            chance = faces[low - 1] * faces[middle - 1] * faces[high - 1]
            often += chance
            mean += chance * won
    return Gain(layout.name, retention, max(after, key=lambda bet: bet.gain), often, mean, after)


def moves_gain(layout: Layout, moves: Sequence[Sequence[Sequence[float]]]) -> Gain:
    """What a player gains who saw a roll and knows for each of the three dice which face follows which.

    `moves` has for each die, by face before and face now, how often it comes. Each roll is taken to come equally often.
    """
    ways = [[_parts(row) for row in die] for die in moves]
    alike = all(die == ways[0] for die in ways)
    backs = [[(box, row.pays + 1) for box, row in layout.winners[roll.index].items()] for roll in ALL_ROLLS]
    after, counts = [], []
    for last in ALL_COMBINATIONS if alike else ALL_ROLLS:
        one, two, three = (ways[die][face - 1] for die, face in enumerate(last.faces))
        back: dict[BoxName, Odds] = {}
        for roll, wins in zip(ALL_ROLLS, backs, strict=True):
            a, b, c = roll.faces
            chance = one[a - 1] * two[b - 1] * three[c - 1]
            for box, amount in wins:
                back[box] = back.get(box, 0) + chance * amount
        box = max(back, key=lambda name: back[name])
        after.append(BestBet(last, box, Fraction(back[box], PARTS**3) - 1))
        counts.append(len(set(permutations(last.faces))) if alike else 1)
    often = Fraction(sum(count for count, bet in zip(counts, after, strict=True) if bet.gain > 0), len(ALL_ROLLS))
    won = sum((count * bet.gain for count, bet in zip(counts, after, strict=True) if bet.gain > 0), Fraction(0))
    best = max(after, key=lambda bet: bet.gain)
    return Gain(layout.name, None, best, often, won / len(ALL_ROLLS), tuple(after))


def _parts(shares: Sequence[float]) -> list[int]:
    """Shares as whole numbers of `PARTS` that add up to it."""
    parts = [round(share * PARTS) for share in shares]
    if len(parts) != len(FACES) or min(parts) < 0 or abs(sum(parts) - PARTS) > len(parts):
        raise InputFault("moves", "needs the shares of six faces after each face, together 1")
    parts[parts.index(max(parts))] += PARTS - sum(parts)
    return parts


def break_even(layout: Layout, parts: int = 10_000) -> Fraction:
    """The least retention of fair dice, in parts of 1/10,000, from which on some bet is worth while after some roll."""
    returns = _Returns(layout, FAIR)

    def pays(part: int) -> bool:
        return any(returns.best(last, Fraction(part, parts)).gain >= 0 for last in ALL_COMBINATIONS)

    # With all dice kept every box that lies under them wins; halves from there find where it begins.
    none, some = 0, parts
    if pays(none):
        return Fraction(0)
    while some - none > 1:
        middle = (none + some) // 2
        none, some = (none, middle) if pays(middle) else (middle, some)
    return Fraction(some, parts)
