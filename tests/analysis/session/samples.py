"""Games, and how near two numbers are."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from taisai.analysis.session.exact import (
    Game,
    Number,
    game_of,
)
from taisai.books import open_shelf
from taisai.core.bets import parse_bets
from taisai.core.odds import bets_odds


@cache
def game_on(layout_name: str, bets: str) -> Game:
    """A round of these bets on a layout of the shelf."""
    layout = open_shelf(environment={}).layout(layout_name)
    return game_of(bets_odds(layout, parse_bets(layout, bets)))


SMALL = Game(1000, ((-1000, 111), (1000, 105)))
"""Small for 1000 on every layout."""


def is_near(one: Number, two: Number, within: float) -> bool:
    """Whether two numbers differ by no more; without rounding, so that 0 means the same."""
    return abs(Fraction(one) - Fraction(two)) <= within
