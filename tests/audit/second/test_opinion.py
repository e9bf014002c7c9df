"""The second opinion says what the recount says, however quickly."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from taisai.audit import recount
from taisai.audit.second.opinion import SecondLine, knows, settled, winners

A = "rws-tai-sai-v6/A"
STAKES = {("ann", "small"): 8000, ("bob", "small"): 4000, ("ann", "triple:2"): 100}


def limits(stake_max: int, **differential: int) -> dict[str, Any]:
    """Limits with one minimum and maximum for all boxes."""
    pairs = {name.replace("_", "-"): amount for name, amount in differential.items()}
    return {"unit": 1, "default": {"min": 100, "max": stake_max}, "kinds": {}, "differential": pairs}


def recounted(dice: tuple[int, int, int], within: dict[str, Any]) -> dict[tuple[str, str], SecondLine]:
    """The same bets by the recount itself."""
    bets = [{"player": player, "box": box, "stake": stake} for (player, box), stake in STAKES.items()]
    answer = recount.settle({"layout": A, "dice": list(dice), "limits": within, "bets": bets})
    return {
        (bet["player"], bet["box"]): SecondLine(*(bet[key] for key in SecondLine._fields)) for bet in answer["bets"]
    }


def test_only_the_recounts_own_layouts_are_known() -> None:
    """The recount has the layouts that were typed into it, and no casino's own."""
    assert all(knows(layout) for layout in recount.LAYOUTS)
    assert not knows("harbour-sic-bo/A")


@pytest.mark.parametrize("layout", recount.LAYOUTS)
def test_the_order_of_the_dice_does_not_matter(layout: str) -> None:
    """Every roll has the winners that the recount finds, in whichever order its dice lie."""
    for one, two, three in product(range(1, 7), repeat=3):
        dice = (one, two, three)
        expected = {box: odds for box in recount.boxes(layout) if (odds := recount.pays(layout, box, dice)) is not None}
        assert winners(layout, dice) == expected


@pytest.mark.parametrize("within", [limits(100_000), limits(10_000), limits(50_000, big_small=5000)])
@pytest.mark.parametrize("dice", [(1, 3, 6), (2, 2, 2), (4, 5, 6)])
def test_bets_are_settled_as_by_the_recount(dice: tuple[int, int, int], within: dict[str, Any]) -> None:
    """With all at risk, over a maximum, and over a differential, every bet gets what the recount gives it."""
    assert settled(A, dice, STAKES, within) == recounted(dice, within)
