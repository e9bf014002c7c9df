"""A second opinion on a round, from the recount, quickly enough for millions of rounds.

Enters: a layout, dice, stakes and limits. Leaves: what each bet should have had at risk, won and got back, by the
implementation that shares no code with the first. Every answer of the recount is asked once and kept: there are only
so many boxes and rolls.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from taisai.audit import recount

Dice = tuple[int, int, int]


class SecondLine(NamedTuple):
    """One bet by the second settlement."""

    stake: int
    at_risk: int
    pays: int | None
    winnings: int
    returned: int


def knows(layout: str) -> bool:
    """Whether the recount has this layout: a casino's own book is not among its clauses."""
    return layout in recount.LAYOUTS


@cache
def _winners(layout: str, low_to_high: Dice) -> dict[str, int]:
    """The winning boxes of a roll and what each pays."""
    found = ((box, recount.pays(layout, box, low_to_high)) for box in recount.boxes(layout))
    return {box: odds for box, odds in found if odds is not None}


def winners(layout: str, dice: Dice) -> dict[str, int]:
    """The boxes that should light, and their odds to 1."""
    low, middle, high = sorted(dice)
    return _winners(layout, (low, middle, high))


def _within(stakes: Mapping[tuple[str, str], int], limits: Mapping[str, Any]) -> bool:
    """Whether no box can be over any limit: then all that was staked is at risk, and the recount need not share out."""
    smallest = min((limit["max"] for limit in (limits["default"], *limits["kinds"].values())), default=0)
    if limits["differential"]:
        smallest = min(smallest, *limits["differential"].values())
    return sum(stakes.values()) <= smallest


def at_risk(
    layout: str, stakes: Mapping[tuple[str, str], int], limits: Mapping[str, Any]
) -> Mapping[tuple[str, str], int]:
    """What of each bet was at risk, by player and box; `stakes` are in order of first placing."""
    return stakes if _within(stakes, limits) else recount.at_risk(layout, stakes, limits)


def settled(
    layout: str, dice: Dice, stakes: Mapping[tuple[str, str], int], limits: Mapping[str, Any]
) -> dict[tuple[str, str], SecondLine]:
    """Every bet, by player and box."""
    won = winners(layout, dice)
    lines = {}
    for key, risk in at_risk(layout, stakes, limits).items():
        stake, odds = stakes[key], won.get(key[1])
        if odds is None:
            lines[key] = SecondLine(stake, risk, None, 0, stake - risk)
        else:
            lines[key] = SecondLine(stake, risk, odds, risk * odds, stake + risk * odds)
    return lines
