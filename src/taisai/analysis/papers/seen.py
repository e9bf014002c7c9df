"""What really was at risk at a table: the traffic of a PAR sheet, from the table's own record.

Enters: the events of one table, in order. Leaves: rounds, turnover, what the house should have won and did, how far
that spreads, and which bets were played; by layout, for a table may have had several.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt

from taisai.analysis.papers.par import HOLD_ROUNDS, ParLine, normal_hold
from taisai.core.faults import InputFault
from taisai.table import events as e


@dataclass(slots=True)
class Played:
    """What was played on one layout."""

    rounds: int = 0
    at_risk: int = 0
    won: int = 0
    """What the house won."""
    expected_216: int = 0
    """What it should have won on average, times 216."""
    variance: int = 0
    hits: int = 0
    """Rounds in which some bet won."""
    unknown: int = 0
    """Rounds whose spread is not on record: those of version 0.1."""
    by_box: dict[str, int] = field(default_factory=dict)
    """What was at risk in each box."""


class Seen:
    """Reads the events of one table."""

    def __init__(self) -> None:
        self.by_layout: dict[str, Played] = {}
        self._layout = ""
        self._bets: tuple[tuple[str, int], ...] = ()

    def see(self, what: e.EventBody) -> None:
        """The next event."""
        match what:
            case e.TableSetUp():
                self._layout = f"{what.book}/{what.layout}"
            case e.BetsClosed():
                self._bets = tuple((bet.box, bet.at_risk) for bet in what.bets)
            case e.RoundConcluded():
                self._concluded(self.by_layout.setdefault(self._layout, Played()), what)
            case _:
                pass

    def _concluded(self, played: Played, what: e.RoundConcluded) -> None:
        played.rounds += 1
        played.at_risk += what.at_risk
        played.won += what.staked - what.returned
        played.expected_216 += 216 * what.staked - what.expected_216
        played.variance += what.deviation**2
        played.hits += what.winnings > 0
        played.unknown += bool(what.at_risk) and not what.deviation
        for box, amount in self._bets:
            played.by_box[box] = played.by_box.get(box, 0) + amount


def seen_line(name: str, played: Played) -> ParLine:
    """The line of a table's real traffic: averages over its rounds."""
    if not played.at_risk:
        raise InputFault("--table", f"{name} has no round with anything at risk on this layout")
    if played.unknown:
        raise InputFault("--table", f"{played.unknown:,} rounds are of version 0.1, which did not record their spread")
    edge = Fraction(played.expected_216, 216 * played.at_risk)
    mean_risk = Fraction(played.at_risk, played.rounds)
    variance = Fraction(played.variance, played.rounds) / mean_risk**2
    return ParLine(
        name=f"{name}: {played.rounds:,} rounds",
        boxes=len(played.by_box),
        pays="",
        ways="",
        hit=Fraction(played.hits, played.rounds),
        returned=1 - edge,
        edge=edge,
        variance=variance,
        holds=tuple(normal_hold(rounds, float(edge), sqrt(variance / rounds)) for rounds in HOLD_ROUNDS),
    )


def seen_facts(played: Played) -> tuple[tuple[str, str], ...]:
    """What came of the traffic, in words."""
    actual, deviation = played.won / played.at_risk, sqrt(played.variance)
    away = (played.won - played.expected_216 / 216) / deviation if deviation else 0.0
    most = sorted(played.by_box.items(), key=lambda item: -item[1])[:12]
    shares = ", ".join(f"{box} {amount / played.at_risk * 100:.1f} %" for box, amount in most)
    return (
        ("turnover", f"{played.at_risk:,} at risk in {played.rounds:,} rounds"),
        ("hold", f"{actual * 100:.3f} %, {away:+.2f} standard deviations from what is expected"),
        ("bets by what was at risk", shares + (", ..." if len(played.by_box) > len(most) else "")),
    )
