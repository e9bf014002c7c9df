"""Settlement: what a roll does to the bets.

Enters: a layout, a roll, the bets as fixed at the close. Leaves: for each bet what it pays, wins and gives back. One
look-up in the layout's pay table a bet; sentences and clauses are made by `explain` on demand. Serves
`nz-division-9` §4.10, §6.5; `rws-open-cover-v3` §4.1; `rws-tai-sai-v6` §3.9, §3.10, §4.1, §5.4, §5.12;
`rws-mini-dice-v3` §4.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from taisai.core.bets import Bet
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_ROLLS, DICE_COUNT, FACES, Roll
from taisai.core.faults import InputFault, shown
from taisai.core.money import Chips, odds_number, winnings_of
from taisai.core.rulebook import Layout

Outcome = tuple[int | str | None, int, int]
"""Odds to 1 or None when lost, winnings, and all that goes back to the player. Odds that are no whole number are text,
`0.95`; a push is 0."""


class Ruling(NamedTuple):
    """One bet settled. `returned` is what was not at risk and, if won, what was at risk and the winnings."""

    bet: Bet
    at_risk: Chips
    pays: int | str | None
    winnings: Chips
    returned: Chips


class Totals(NamedTuple):
    """Sums over the bets of a settlement."""

    staked: Chips
    at_risk: Chips
    winnings: Chips
    returned: Chips


class Settlement(NamedTuple):
    """The bets of a round with their outcomes. `roll` is None when the round is void."""

    layout: Layout
    roll: Roll | None
    bets: Sequence[Bet]
    at_risk: Sequence[Chips] | None
    """Parallel to the bets; None when every stake is wholly at risk."""
    outcomes: list[Outcome]
    """Parallel to the bets."""

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """Each bet with its outcome, in order."""
        at_risk = self.at_risk if self.at_risk is not None else [bet.stake for bet in self.bets]
        return tuple(
            Ruling(bet, risk, pays, Chips(winnings), Chips(returned))
            for bet, risk, (pays, winnings, returned) in zip(self.bets, at_risk, self.outcomes, strict=True)
        )

    @property
    def totals(self) -> Totals:
        """Staked, at risk, won and returned, over all bets."""
        staked = sum(bet.stake for bet in self.bets)
        return Totals(
            Chips(staked),
            Chips(staked if self.at_risk is None else sum(self.at_risk)),
            Chips(sum(winnings for _, winnings, _ in self.outcomes)),
            Chips(sum(returned for _, _, returned in self.outcomes)),
        )


def drawn_layout(layout: Layout, draw: str | None, field_name: str = "draw") -> Layout:
    """The layout by which a round is settled: after the draw of that name, where the layout draws odds."""
    if not draw and not layout.draws:
        return layout
    found = layout.drawn.get(draw or "")
    if found is None:
        known = ", ".join(layout.drawn) or "none, this layout draws no odds"
        raise InputFault(field_name, f"the draw of the round, one of {known}; got {shown(draw)}")
    return found


_LOST: Outcome = (None, 0, 0)


def settle(layout: Layout, roll: Roll, bets: Sequence[Bet], at_risk: Sequence[Chips] | None = None) -> Settlement:
    """Settle bets on a roll. `at_risk`, parallel to the bets, comes from `fix_stakes`; by default all stakes are.

    A bet in a box that the layout does not have is an `InputFault`, never a losing bet.
    """
    if layout.whole_pays is None:
        return Settlement(layout, roll, bets, at_risk, _in_parts(layout, roll, bets, at_risk))
    odds = layout.whole_pays[roll.index]
    try:
        if at_risk is None:
            # One comprehension and one shared tuple for losers: the figures in bench/ rest on this loop.
            outcomes: list[Outcome] = [
                (pays, won := stake * pays, won + stake) if (pays := odds[box]) else _LOST for _, box, stake in bets
            ]
        else:
            outcomes = [
                (pays, risk * pays, stake + risk * pays) if (pays := odds[box]) else (None, 0, stake - risk)
                for (_, box, stake), risk in zip(bets, at_risk, strict=True)
            ]
    except KeyError as missing:
        raise InputFault("bets", f"layout {layout.name} has no box {shown(missing.args[0])}") from None
    return Settlement(layout, roll, bets, at_risk, outcomes)


def _in_parts(layout: Layout, roll: Roll, bets: Sequence[Bet], at_risk: Sequence[Chips] | None) -> list[Outcome]:
    """Outcomes where some odds are fractions or a push."""
    outcomes: list[Outcome] = []
    for (_, box, stake), risk in zip(bets, at_risk or [bet.stake for bet in bets], strict=True):
        if box not in layout.boxes:
            raise InputFault("bets", f"layout {layout.name} has no box {shown(box)}")
        pays = layout.pays(box, roll)
        won = 0 if pays is None else winnings_of(risk, pays, layout.rounding)
        outcomes.append((None, 0, stake - risk) if pays is None else (odds_number(pays), won, stake + won))
    return outcomes


def settle_void(layout: Layout, bets: Sequence[Bet]) -> Settlement:
    """A void round returns every bet whole (`rws-tai-sai-v6` §5.12): nothing was at risk."""
    nothing = [Chips(0)] * len(bets)
    return Settlement(layout, None, bets, nothing, [(None, 0, bet.stake) for bet in bets])


class Decision(StrEnum):
    """What is certain of a box while not all dice are known."""

    WON = "won"
    LOST = "lost"
    OPEN = "open"


def decided(layout: Layout, known: Sequence[int]) -> Mapping[BoxName, Decision]:
    """What the faces known so far decide, box by box (`rws-tai-sai-v6` §5.4, interpretation I5)."""
    # bool is an int to Python, and True would pass for a one.
    if len(known) > DICE_COUNT or any(type(face) is not int or face not in FACES for face in known):
        raise InputFault("known", f"at most three faces from 1 to 6, got {shown(list(known))}")
    # The order of the dice does not matter, so take the known ones as the first.
    winners = [layout.winners[roll.index] for roll in ALL_ROLLS if roll.faces[: len(known)] == tuple(known)]
    decisions = {}
    for box in layout.boxes:
        wins = sum(box in won for won in winners)
        decisions[box] = Decision.WON if wins == len(winners) else Decision.OPEN if wins else Decision.LOST
    return decisions


def is_established(layout: Layout, known: Sequence[int]) -> bool:
    """Whether any available bet has conclusively won or lost: if so, an interrupted round is concluded, else void."""
    return any(decision is not Decision.OPEN for decision in decided(layout, known).values())
