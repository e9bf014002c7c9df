"""Recent command ids: enough are remembered, and not without end."""

from __future__ import annotations

from taisai.floor.recent import KnownCommands


def test_ids_given_at_the_start_are_known() -> None:
    """A table that is loaded knows the ids of its journal."""
    known = KnownCommands(["a", "b"], 10)
    assert "a" in known
    assert "c" not in known
    known.add("c")
    assert "c" in known


def test_the_last_ids_are_known_and_old_ones_forgotten() -> None:
    """At any time the last `kept` ids are known, and never more than twice as many."""
    kept = 7
    known = KnownCommands([], kept)
    ids = [f"c{number}" for number in range(100)]
    for place, each in enumerate(ids, 1):
        known.add(each)
        remembered = [one for one in ids if one in known]
        assert remembered[-min(kept, place) :] == ids[max(0, place - kept) : place]
        assert len(remembered) <= 2 * kept
