"""Rolls and counts that the tests of dice share."""

from __future__ import annotations

from hypothesis import strategies as st

from taisai.analysis.dice.gathering import Thrown
from taisai.core.dice import ALL_ROLLS

ROLLS = st.lists(st.sampled_from(ALL_ROLLS), max_size=40)


def told(thrown: tuple[Thrown, ...]) -> list[tuple[str, list[tuple[int, int, int]], list[bool]]]:
    """Sets of dice as plain lists."""
    return [
        (each.name, [ALL_ROLLS[index].faces for index in each.rolls.tolist()], each.follows.tolist()) for each in thrown
    ]
