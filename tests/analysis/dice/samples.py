"""Rolls and counts that the tests of dice share."""

from __future__ import annotations

from hypothesis import strategies as st

from taisai.core.dice import ALL_ROLLS

ROLLS = st.lists(st.sampled_from(ALL_ROLLS), max_size=40)
