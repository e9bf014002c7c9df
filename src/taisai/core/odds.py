"""Odds: the exact mathematics of a layout, by summing over all 216 rolls.

Enters: a layout, or bets on it. Leaves: probability, return, house edge, variance and hit frequency as exact fractions;
the worst case for the house; layouts side by side. Returns below 75 % are marked (GLI-19 §4.7.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Final, NamedTuple

from taisai.core.bets import Bet
from taisai.core.boxes import Box, BoxName
from taisai.core.dice import ALL_ROLLS, COMBINATION_WAYS, Roll
from taisai.core.money import Chips, Odds
from taisai.core.rulebook import Layout
from taisai.core.settlement import settle

RETURN_FLOOR: Final = Fraction(3, 4)
"""Bets that return less on average are flagged."""

_LISTED: Final = 6
_ROLL_COUNT: Final = len(ALL_ROLLS)


class PayWays(NamedTuple):
    """On how many of the 216 rolls, or of the rolls times the draws, a box pays these odds."""

    pays: Odds
    ways: int


class BoxOdds(NamedTuple):
    """The mathematics of one box, for a stake of one."""

    box: Box
    bet: str
    clauses: tuple[str, ...]
    pay_ways: tuple[PayWays, ...]
    ways: int
    out_of: int
    """216 rolls, times the weight of the draw table where a draw may raise the box."""
    probability: Fraction
    """Of winning; also the hit frequency."""
    returned: Fraction
    """Expected return to the player, stake included."""
    edge: Fraction
    """What the house keeps on average: 1 - returned."""
    variance: Fraction
    """Of the player's net result."""

    @property
    def is_below_floor(self) -> bool:
        """Whether the return is under 75 %."""
        return self.returned < RETURN_FLOOR

    @property
    def of_rolls(self) -> str:
        """What `ways` are counted in where it is not the 216 rolls: ` of 21600`."""
        return "" if self.out_of == _ROLL_COUNT else f" of {self.out_of}"


def box_odds(layout: Layout, name: BoxName) -> BoxOdds:
    """The odds of one box."""
    ways_of: dict[Odds, int] = {}
    raised = any(name in draw.raised for draw in layout.draws)
    outcomes = layout.outcomes if raised else ((1, layout),)
    out_of = _ROLL_COUNT * sum(weight for weight, _ in outcomes)
    for weight, drawn in outcomes:
        for won in drawn.winners:
            if (row := won.get(name)) is not None:
                ways_of[row.pays] = ways_of.get(row.pays, 0) + weight
    paid = sum(ways_of.values())
    ways = paid - ways_of.get(0, 0)
    returned = Fraction(sum((pays + 1) * count for pays, count in ways_of.items())) / out_of
    square = Fraction(sum(pays**2 * count for pays, count in ways_of.items()) + out_of - paid) / out_of
    rows = layout.rows_of(name)
    return BoxOdds(
        box=layout.boxes[name],
        bet=rows[0].bet,
        clauses=tuple(dict.fromkeys(clause for row in rows for clause in row.clauses)),
        out_of=out_of,
        pay_ways=tuple(PayWays(pays, count) for pays, count in sorted(ways_of.items())),
        ways=ways,
        probability=Fraction(ways, out_of),
        returned=returned,
        edge=1 - returned,
        variance=square - (returned - 1) ** 2,
    )


def layout_odds(layout: Layout) -> tuple[BoxOdds, ...]:
    """The odds of every box, in the layout's order."""
    return tuple(box_odds(layout, name) for name in layout.boxes)


def flags_of(layout: Layout) -> Iterator[str]:
    """What people should look at before they sign a layout: returns under 75 %, boxes that were perhaps forgotten."""
    low = [each.box.name for each in layout_odds(layout) if each.is_below_floor]
    if low:
        yield f"less than 75 % is returned by {_listed(low)}"
    for family in dict.fromkeys(box.definition for box in layout.boxes.values()):
        every = [box.name for box in family.boxes()]
        missing = [name for name in every if name not in layout.boxes]
        # A layout may offer a few of many; where it has most of a family, the others may be a slip.
        if missing and 2 * len(missing) < len(every):
            yield f"not on the layout: {_listed(missing)}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} others" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


class RollResult(NamedTuple):
    """What the player's bets come to on one roll: positive when the player wins."""

    roll: Roll
    net: Chips
    draw: str = ""
    """The draw of the round, where the layout has draws."""


class BetsOdds(NamedTuple):
    """The mathematics of a set of bets played together."""

    bets: tuple[Bet, ...]
    staked: Chips
    results: tuple[RollResult, ...]
    """All 216 rolls, in order; where the layout has draws, for each of them."""
    hit_frequency: Fraction
    """Probability that at least one bet wins."""
    ahead: Fraction
    """Probability that the whole comes out above what was staked."""
    returned: Fraction
    """Expected return for each unit staked."""
    edge: Fraction
    expected_net: Fraction
    """The player's expected result in minor units."""
    variance: Fraction
    """Of that result."""
    distribution: tuple[tuple[Chips, int], ...]
    """Net result and on how many of `out_of`, ascending."""
    out_of: int
    """216 rolls, times the weight of the draw table."""
    house_worst: RollResult
    """The roll that costs the house most (the first of several)."""
    house_best: RollResult

    @property
    def exposure(self) -> Chips:
        """What the house can lose on one roll, at worst; 0 when it cannot lose."""
        return Chips(max(self.house_worst.net, 0))

    @property
    def is_below_floor(self) -> bool:
        """Whether the return is under 75 %."""
        return self.returned < RETURN_FLOOR


def bets_odds(layout: Layout, bets: Sequence[Bet], at_risk: Sequence[Chips] | None = None) -> BetsOdds:
    """The odds of a set of bets together, and the house's worst case over all rolls."""
    staked = sum(bet.stake for bet in bets)
    hits = out_of = 0
    results = []
    counts: dict[Chips, int] = {}
    for weight, drawn in layout.outcomes:
        out_of += weight * _ROLL_COUNT
        for roll in ALL_ROLLS:
            totals = settle(drawn, roll, bets, at_risk).totals
            hits += weight * (totals.winnings > 0)
            results.append(RollResult(roll, net := Chips(totals.returned - staked), drawn.draw))
            counts[net] = counts.get(net, 0) + weight
    expected = Fraction(sum(net * ways for net, ways in counts.items()), out_of)
    returned = 1 + expected / staked if staked else Fraction(1)
    return BetsOdds(
        bets=tuple(bets),
        staked=Chips(staked),
        results=tuple(results),
        hit_frequency=Fraction(hits, out_of),
        ahead=Fraction(sum(ways for net, ways in counts.items() if net > 0), out_of),
        returned=returned,
        edge=1 - returned,
        expected_net=expected,
        variance=Fraction(sum(net * net * ways for net, ways in counts.items()), out_of) - expected**2,
        distribution=tuple(sorted(counts.items())),
        out_of=out_of,
        house_worst=max(results, key=lambda result: result.net),
        house_best=min(results, key=lambda result: result.net),
    )


class Spread(NamedTuple):
    """How far what bets return lies from its average, over all 216 rolls; both rounded up to whole money."""

    deviation: int
    farthest: int


def spread_of(layout: Layout, at_risk: Mapping[BoxName, int]) -> Spread:
    """The spread of what these boxes return."""
    ways: dict[Odds, int] = {}
    for combination, count in COMBINATION_WAYS:
        if layout.whole_pays is not None:
            table = layout.whole_pays[combination.index]
            net: Odds = sum((table[box] or -1) * amount for box, amount in at_risk.items())
        else:
            net = sum((layout.back(box, combination) - 1) * amount for box, amount in at_risk.items())
        ways[net] = ways.get(net, 0) + count
    total = sum(net * count for net, count in ways.items())
    # 216 and its square are kept as factors, so that whole odds stay whole numbers up to the last root.
    squares = sum((_ROLL_COUNT * net - total) ** 2 * count for net, count in ways.items())
    farthest: Odds = max(max(_ROLL_COUNT * net - total, total - _ROLL_COUNT * net) for net in ways)
    variance = int(-(-squares // _ROLL_COUNT**3))
    return Spread(isqrt(variance - 1) + 1 if variance else 0, int(-(-farthest // _ROLL_COUNT)))


class Comparison(NamedTuple):
    """One box on several layouts; None where a layout does not have it."""

    name: BoxName
    sides: tuple[BoxOdds | None, ...]

    @property
    def differs(self) -> bool:
        """Whether some layout does not have the box, or two pay it differently."""
        return len({None if side is None else side.pay_ways for side in self.sides}) > 1


def compare(*layouts: Layout) -> tuple[Comparison, ...]:
    """Layouts box by box: those of the first in its order, then those that only later ones have."""
    names = dict.fromkeys(name for layout in layouts for name in layout.boxes)
    return tuple(
        Comparison(name, tuple(box_odds(layout, name) if name in layout.boxes else None for layout in layouts))
        for name in names
    )


def percent(share: Fraction, places: int = 2) -> str:
    """A share as people read it, rounded half away from zero: `2.78 %`."""
    scaled = abs(share) * 100 * 10**places
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    sign = "-" if share < 0 and whole else ""
    return f"{sign}{whole // 10**places}.{whole % 10**places:0{places}d} %"


def percent_chance(chance: Fraction, places: int = 4) -> str:
    """A chance as people read it; one that is only near none or near certain does not read as 0 or 100 %."""
    least = Fraction(1, 100 * 10**places)
    if 0 < chance < least / 2:
        return f"under {percent(least, places)}"
    if 1 - least / 2 < chance < 1:
        return f"over {percent(1 - least, places)}"
    return percent(chance, places)
