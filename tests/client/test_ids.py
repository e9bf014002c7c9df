"""Command ids: in the order of time, never twice."""

from __future__ import annotations

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from taisai.client import CommandIds


@given(times=st.lists(st.integers(0, 2**47), min_size=1, max_size=50))
def test_ids_grow_whatever_the_clock_does(times: list[int]) -> None:
    """Each id is greater than the one before, as text and as a number, though the clock stands still or goes back."""
    clock = iter(times)
    made = CommandIds(lambda: next(clock))
    ids = [made() for _ in times]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)


def test_ids_are_uuids_of_version_7() -> None:
    """The form is RFC 9562's: the time in front, version and variant in their places."""
    found = UUID(CommandIds(lambda: 0x0123456789AB)())
    assert (found.version, found.variant) == (7, "specified in RFC 4122")
    assert found.int >> 80 == 0x0123456789AB


def test_more_ids_than_a_millisecond_holds() -> None:
    """When the counter is full the next millisecond is borrowed, and the order stands."""
    made = CommandIds(lambda: 1_000)
    ids = [made() for _ in range(10_000)]
    assert ids == sorted(ids)
    assert len(set(ids)) == 10_000
    assert UUID(ids[-1]).int >> 80 == 1_002


def test_two_makers_differ() -> None:
    """Two programs in the same millisecond do not make the same id."""
    one, two = CommandIds(lambda: 5), CommandIds(lambda: 5)
    assert one() != two()
