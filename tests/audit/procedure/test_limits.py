"""Limits read a second time: by how much a box is over, and of which limit."""

from __future__ import annotations

import pytest

from taisai.audit.procedure.limits import limits_on

SIGN = {
    "unit": 100,
    "default": {"min": 100, "max": 1000},
    "kinds": {"total": {"min": 100, "max": 500}, "total:4": {"min": 200, "max": 300}},
    "differential": {"big-small": 400},
}


@pytest.mark.clause("rws-tai-sai-v6 §1.3")
@pytest.mark.clause("rws-tai-sai-v6 §5.1")
@pytest.mark.parametrize(
    ("totals", "box", "excess"),
    [
        ({"big": 900}, "big", ("differential", 500)),
        ({"big": 900, "small": 500}, "big", None),
        ({"big": 1600, "small": 1300}, "big", ("maximum", 600)),
        ({"total:9": 600}, "total:9", ("maximum", 100)),
        ({"total:4": 400}, "total:4", ("maximum", 100)),
        ({}, "total:4", None),
    ],
)
def test_a_box_is_over_its_limits(totals: dict[str, int], box: str, excess: tuple[str, int] | None) -> None:
    """The limit that a box is over by more, of its own sign, its kind's or the default."""
    limits = limits_on(SIGN, ("big", "small", "total:4", "total:9"), differential=True)
    assert limits.excess(totals, box, {}) == excess
    assert limits_on(SIGN, ("big",), differential=False).excess({"big": 900}, "big", {}) is None


def test_groups_and_maxima_for_each_player_are_read_from_the_sign() -> None:
    """A group's limits are those of its boxes; a maximum for each player leaves the box open to the others."""
    sign = {
        "unit": 5,
        "default": {"min": 10, "max": 500, "per": "player"},
        "kinds": {"total:4/17/double:1/2": {"min": 5, "max": 100, "per": "box"}},
        "differential": {},
    }
    limits = limits_on(sign, ("small", "total:4", "total:17", "total:9", "double:2"), differential=True)
    assert limits.most == {"total:4": 100, "total:17": 100, "double:2": 100}
    assert limits.most_each == {"small": 500, "total:9": 500}
    stakes = {"small": {"ann": 700, "bob": 400, "cas": 505}}
    assert limits.beyond(stakes["small"], "small") == {"ann": 200, "cas": 5}
    assert limits.excess({"small": 1605}, "small", stakes) == ("maximum", 205)
    assert limits.excess({"small": 400}, "small", {"small": {"bob": 400}}) is None
