"""The marks of tests: which follow from where a test stands, and the order in which tests run.

`browser`, `postgres` and `slow` are what `make quick` leaves out. A test under tests/browser is `browser`. A test with
a parameter that names the store `postgresql` is `postgres`; others that start a PostgreSQL server say so themselves,
and tests/postgres.py refuses a test that does not. `slow` is for tests that take more than five seconds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import PurePath
from typing import Final

SLOW_S: Final = 5.0
"""A test that takes longer should carry the mark `slow`."""

LATER: Final = ("postgres", "browser", "slow")
"""These run after all others, in this order: a plain mistake shows within the first minute."""


def implied(path: PurePath, params: Mapping[str, object]) -> set[str]:
    """The marks of a test that follow from its file, relative to tests/, and from its parameters."""
    marks = set()
    if path.parts[0] == "browser":
        marks.add("browser")
    if any(value in ("postgres", "postgresql") for value in params.values() if isinstance(value, str)):
        marks.add("postgres")
    return marks


def rank(marks: Collection[str]) -> int:
    """The place of a test with these marks in the order of tests: fast ones first."""
    return max((place for place, name in enumerate(LATER, start=1) if name in marks), default=0)
