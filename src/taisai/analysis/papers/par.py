"""The PAR sheet: what a laboratory asks for first of a game.

Enters: a layout, and bets on it, the traffic of a table, or what really was at risk. Leaves: for each of them pay
table, ways, return, edge, hit frequency, variance, volatility index, N0, the interval in which the hold lies after so
many rounds, and the worst roll; with the digest of the book and the version of the program.

Volatility index: 1.645 standard deviations of the result for each unit staked, the half width of a 90 % interval of one
round. N0: the rounds after which the expected win is one standard deviation, variance / edge².
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import inf, lcm, sqrt
from statistics import NormalDist
from typing import Final

from taisai.analysis.papers.paper import Paper, Sheet
from taisai.analysis.risk.chain import Chain
from taisai.analysis.risk.hold import hold_quantiles
from taisai.analysis.session.exact import Game, game_of
from taisai.analysis.session.free import float_weights
from taisai.core.faults import InputFault
from taisai.core.odds import BetsOdds, BoxOdds, layout_odds, percent
from taisai.core.rulebook import Layout, RuleBook

HOLD_ROUNDS: Final = (100, 1_000, 10_000, 100_000, 1_000_000)
"""Numbers of rounds for which the interval of the hold is given."""
HOLD_LEVEL: Final = Fraction(99, 100)
"""The chance with which the hold lies in its interval, if the dice are fair."""
VOLATILITY: Final = 1.645
_TAILS: Final = ((1 - HOLD_LEVEL) / 2, (1 + HOLD_LEVEL) / 2)


@dataclass(frozen=True, slots=True)
class HoldInterval:
    """Where the hold lies after so many rounds with the chance `HOLD_LEVEL`."""

    rounds: int
    low: float
    high: float
    computed: bool
    """Whether it comes from the whole distribution; otherwise from the normal curve."""


@dataclass(frozen=True, slots=True)
class ParLine:
    """One bet, or bets that are all alike, or a mix of bets."""

    name: str
    boxes: int
    pays: str
    ways: str
    hit: Fraction
    returned: Fraction
    edge: Fraction
    variance: Fraction
    """Of the player's result for each unit staked."""
    holds: tuple[HoldInterval, ...]

    @property
    def deviation(self) -> float:
        """The standard deviation for each unit staked."""
        return sqrt(self.variance)

    @property
    def volatility(self) -> float:
        """The volatility index."""
        return VOLATILITY * self.deviation

    @property
    def n0(self) -> float:
        """Rounds after which the expected win is one standard deviation."""
        return float(self.variance / self.edge**2) if self.edge else inf


@dataclass(frozen=True, slots=True)
class ParSheet:
    """A PAR sheet."""

    layout: str
    title: str
    subject: str
    """What it is about: every box, a set of bets, a traffic, a table."""
    book: str
    book_version: str
    effective: str
    digest: str
    software: str
    lines: tuple[ParLine, ...]
    worst: str
    """The roll that costs the house most, and how much."""


def box_lines(layout: Layout) -> tuple[ParLine, ...]:
    """Every box of a layout; those that pay and win alike share a line."""
    alike: dict[tuple[str, object], list[BoxOdds]] = {}
    for odds in layout_odds(layout):
        alike.setdefault((odds.bet, odds.pay_ways), []).append(odds)
    return tuple(_box_line(group) for group in alike.values())


def _box_line(group: Sequence[BoxOdds]) -> ParLine:
    odds = group[0]
    scale = reduce(lcm, (Fraction(each.pays).denominator for each in odds.pay_ways), 1)
    lost = odds.out_of - sum(each.ways for each in odds.pay_ways)
    ways = {int(each.pays * scale): each.ways for each in odds.pay_ways}
    ways[-scale] = ways.get(-scale, 0) + lost
    few = ", ".join(each.box.name for each in group[:3])
    name = few if len(group) <= 3 else f"{odds.bet} ({len(group)} boxes)"
    return ParLine(
        name=name,
        boxes=len(group),
        pays=" / ".join(f"{each.pays} to 1" for each in odds.pay_ways),
        ways=" / ".join(str(each.ways) for each in odds.pay_ways) + odds.of_rolls,
        hit=odds.probability,
        returned=odds.returned,
        edge=odds.edge,
        variance=odds.variance,
        holds=_holds(Game(scale, tuple(sorted((net, count) for net, count in ways.items() if count)))),
    )


def bets_line(odds: BetsOdds) -> ParLine:
    """A set of bets played together."""
    return ParLine(
        name="  ".join(f"{bet.box} {bet.stake}" for bet in odds.bets),
        boxes=len(odds.bets),
        pays="",
        ways=str(int(odds.hit_frequency * odds.out_of)),
        hit=odds.hit_frequency,
        returned=odds.returned,
        edge=odds.edge,
        variance=odds.variance / odds.staked**2,
        holds=_holds(game_of(odds)),
    )


def _holds(game: Game) -> tuple[HoldInterval, ...]:
    return tuple(_hold(game, rounds) for rounds in HOLD_ROUNDS)


def _hold(game: Game, rounds: int) -> HoldInterval:
    turnover = rounds * game.staked
    try:
        low, high = float_weights(game.ways, rounds).quantiles(_TAILS)
    except InputFault:
        mean, deviation = -float(game.mean) / game.staked, sqrt(game.variance / rounds) / game.staked
        return normal_hold(rounds, mean, deviation)
    return HoldInterval(rounds, -high / turnover, -low / turnover, computed=True)


def normal_hold(rounds: int, mean: float, deviation: float) -> HoldInterval:
    """The interval of the normal curve with the mean and deviation of the hold."""
    reach = NormalDist().inv_cdf(float(_TAILS[1])) * deviation
    return HoldInterval(rounds, mean - reach, mean + reach, computed=False)


def traffic_line(name: str, chain: Chain) -> ParLine:
    """A table's traffic, plans at their first step."""
    turnover = chain.turnover[0]
    if not turnover:
        raise InputFault("traffic", "nothing is at risk: every bet is refused, or nobody comes")
    first = chain._replace(states=(tuple(move._replace(then=0) for move in chain.states[0]),))
    edge = chain.mean() / turnover
    hit = Fraction(sum(each.ways for each in chain.risked if each.net < each.risk), chain.total)
    return ParLine(
        name=name,
        boxes=0,
        pays="",
        ways="",
        hit=hit,
        returned=1 - edge,
        edge=edge,
        variance=first.variance() / turnover**2,
        holds=tuple(_chain_hold(first, rounds) for rounds in HOLD_ROUNDS),
    )


def _chain_hold(chain: Chain, rounds: int) -> HoldInterval:
    try:
        found = hold_quantiles(chain, rounds, _TAILS)
    except InputFault:
        found = None
    if found is None:
        turnover = float(chain.turnover[0])
        return normal_hold(rounds, float(chain.mean()) / turnover, sqrt(chain.variance() / rounds) / turnover)
    (_, low), (_, high) = found.holds
    return HoldInterval(rounds, low, high, computed=True)


def sheet_of(
    book: RuleBook, layout: Layout, lines: Iterable[ParLine], *, subject: str, worst: str, software: str
) -> ParSheet:
    """The sheet of these lines."""
    return ParSheet(
        layout=layout.name,
        title=layout.title,
        subject=subject,
        book=book.title,
        book_version=book.version,
        effective="not dated" if book.effective is None else book.effective.isoformat(),
        digest=book.digest,
        software=software,
        lines=tuple(lines),
        worst=worst,
    )


def paper_of(sheet: ParSheet, more: Iterable[tuple[str, str]] = ()) -> Paper:
    """The sheet as a paper; `more` are facts besides, as its signature."""
    par = Sheet(
        "Pay table and odds of one round",
        (
            "bet", "pays", "ways of 216", "hit frequency", "return", "edge", "variance", "st. dev.",
            "volatility index", "N0",
        ),
        tuple(
            (
                line.name, line.pays, line.ways, percent(line.hit), percent(line.returned, 4), percent(line.edge, 4),
                f"{float(line.variance):.4f}", f"{line.deviation:.4f}", f"{line.volatility:.3f}", rounds_text(line.n0),
            )
            for line in sheet.lines
        ),
        "Ways, return, edge and variance are exact over all 216 rolls, for each unit staked. Volatility index: 1.645 "
        "standard deviations. N0: rounds after which the expected win is one standard deviation.",
    )  # fmt: skip
    holds = Sheet(
        f"Hold after so many rounds: where it lies {float(HOLD_LEVEL) * 100:g} % of the time",
        ("bet", *(f"{rounds:,}" for rounds in HOLD_ROUNDS)),
        tuple((line.name, *map(interval_text, line.holds)) for line in sheet.lines),
        "Win divided by what was at risk. * from the normal curve: the whole distribution is too large to be computed.",
    )
    facts = (
        ("layout", f"{sheet.layout}, {sheet.title}"),
        ("about", sheet.subject),
        ("rule book", f"{sheet.book}, version {sheet.book_version}, effective {sheet.effective}"),
        ("digest of the rule book", sheet.digest),
        ("worst roll for the house", sheet.worst),
        ("software", sheet.software),
        *more,
    )
    return Paper(f"PAR sheet: {sheet.layout}", facts, (par, holds), signed_by=("Game mathematician", "Test laboratory"))


def rounds_text(rounds: float) -> str:
    """A number of rounds as people read it."""
    return "none" if rounds == inf else f"{rounds:,.0f}"


def interval_text(interval: HoldInterval) -> str:
    """An interval of the hold as people read it."""
    mark = "" if interval.computed else " *"
    return f"{interval.low * 100:.2f} to {interval.high * 100:.2f} %{mark}"
