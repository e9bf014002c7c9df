"""What a player gains who saw the last roll, against summing over all rolls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from taisai.analysis.dice.gain import FAIR, break_even, gain, moves_gain
from taisai.books import open_shelf
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, Roll
from taisai.core.faults import InputFault
from taisai.core.odds import layout_odds
from taisai.core.rulebook import Layout

LAYOUTS = ("rws-tai-sai-v6/C", "rws-mini-dice-v3/A", "nz-division-9/1")
UNEVEN = tuple(Fraction(ways, 20) for ways in (5, 3, 3, 3, 3, 3))


@pytest.fixture(params=LAYOUTS)
def layout(request: pytest.FixtureRequest) -> Layout:
    """Layouts of three books."""
    return open_shelf(environment={}).layout(request.param)


def brute(layout: Layout, last: Roll, keep: Fraction, faces: Sequence[Fraction]) -> Fraction:
    """The best gain after a roll: the chance of each of the 216 next ones, die by die."""
    gains = dict.fromkeys(layout.boxes, Fraction(-1))
    for roll in ALL_ROLLS:
        chance = Fraction(1)
        for old, new in zip(last.faces, roll.faces, strict=True):
            chance *= (1 - keep) * faces[new - 1] + (keep if old == new else 0)
        for box, row in layout.winners[roll.index].items():
            gains[box] += chance * (row.pays + 1)
    return max(gains.values())


@pytest.mark.parametrize("keep", [Fraction(0), Fraction(1, 50), Fraction(2, 7), Fraction(1)])
@pytest.mark.parametrize("faces", [FAIR, UNEVEN])
def test_gains_are_exact(layout: Layout, keep: Fraction, faces: tuple[Fraction, ...]) -> None:
    """After any roll the best gain is what summing over all next rolls gives, to the last digit."""
    found = gain(layout, keep, faces)
    for place in (0, 7, 30, 55):
        last = ALL_COMBINATIONS[place]
        assert found.after[place].last == last
        assert found.after[place].gain == brute(layout, last, keep, faces)
    assert found.best.gain == max(bet.gain for bet in found.after)


def test_fair_dice_give_nothing(layout: Layout) -> None:
    """With fair dice the best gain is the lowest house edge, and no bet is worth while."""
    found = gain(layout, Fraction(0))
    assert found.best.gain == -min(box.edge for box in layout_odds(layout))
    assert found.often == found.mean == 0


def test_dice_that_never_move_give_the_best_odds(layout: Layout) -> None:
    """With full retention the player wins the box that pays most on the last roll, in every round."""
    found = gain(layout, Fraction(1))
    most = [max(layout.pay_table[roll.index].values()) for roll in ALL_ROLLS]
    assert found.often == 1
    assert found.mean == Fraction(sum(most), 216)
    assert found.best.gain == max(most)


def test_break_even_is_the_first_that_pays(layout: Layout) -> None:
    """Just under the break-even retention no bet is worth while, at it one is."""
    least = break_even(layout)
    assert 0 < least < Fraction(5, 100)
    assert gain(layout, least).best.gain >= 0
    assert gain(layout, least - Fraction(1, 10_000)).best.gain < 0


def test_a_layout_that_gives_money_away_needs_no_retention(layout: Layout) -> None:
    """Where a box pays more than it should, the player needs no retention to gain."""
    winners = tuple({box: replace(row, pays=1000) for box, row in won.items()} for won in layout.winners)
    generous = replace(layout, winners=winners)
    assert break_even(generous) == 0


@pytest.mark.parametrize(
    ("retention", "faces", "field"),
    [
        (Fraction(-1, 100), FAIR, "retention"),
        (Fraction(2), FAIR, "retention"),
        (Fraction(0), FAIR[:5], "faces"),
        (Fraction(0), (*FAIR[:5], Fraction(1, 3)), "faces"),
    ],
)
def test_what_is_no_chance_is_refused(retention: Fraction, faces: tuple[Fraction, ...], field: str) -> None:
    """A retention or shares that cannot be are faults of their field."""
    with pytest.raises(InputFault) as caught:
        gain(open_shelf(environment={}).layout(LAYOUTS[0]), retention, faces)
    assert caught.value.field == field


def test_faces_that_follow_each_other_are_worth_what_they_are(layout: Layout) -> None:
    """Keeping a face is one way to follow it: both ways to compute it agree; dice of their own by brute force."""
    keep = Fraction(1, 4)
    kept = tuple(tuple(float(keep) + (1 - float(keep)) / 6 if a == b else 0.125 for b in range(6)) for a in range(6))
    one, two = gain(layout, keep), moves_gain(layout, [kept] * 3)
    assert (two.often, two.retention, [each.box for each in two.after]) == (one.often, None, [b.box for b in one.after])
    assert float(two.mean) == pytest.approx(float(one.mean))
    fair = ((1 / 6,) * 6,) * 6
    tips = tuple(tuple(1.0 if b == (a + 1) % 6 else 0.0 for b in range(6)) for a in range(6))
    own = moves_gain(layout, [tips, tips, fair])
    assert len(own.after) == 216
    last = own.after[0]
    chances = {roll: (roll.faces[:2] == (2, 2)) / 6 for roll in ALL_ROLLS}
    returns = {
        box: sum(chance * ((layout.pays(box, roll) or -1) + 1) for roll, chance in chances.items())
        for box in layout.boxes
    }
    assert last.last.faces == (1, 1, 1)
    assert float(last.gain) == pytest.approx(max(returns.values()) - 1, abs=1e-3)
    assert moves_gain(layout, [fair] * 3).mean == gain(layout, Fraction(0)).mean


def test_shares_that_are_none_are_refused(layout: Layout) -> None:
    """Rows that do not add up to 1 are refused."""
    with pytest.raises(InputFault, match="moves: needs the shares of six faces after each face, together 1"):
        moves_gain(layout, [((0.5,) * 6,) * 6] * 3)
