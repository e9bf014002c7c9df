"""Rectangles."""

from __future__ import annotations

from itertools import chain

from taisai.felt.geometry import Rect


def test_rects() -> None:
    """Areas that share an edge do not overlap; what two share is counted."""
    one, two = Rect(0, 0, 4, 2), Rect(4, 0, 4, 2)
    assert not one.overlaps(two)
    assert one.shared(two) == 0
    assert one.shared(Rect(3, 1, 9, 9)) == 1
    assert one.inset(9) == Rect(9, 9, 0, 0)
    assert list(chain(one.part(0.5, 0, 0.5, 1))) == [2, 0, 2, 2]
