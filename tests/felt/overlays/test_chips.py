"""Chips on the felt: one stack a box, all players together, each in a colour of their own."""

from __future__ import annotations

import pytest

from taisai.books import Shelf
from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import BoxName
from taisai.core.faults import InputFault
from taisai.core.money import CHIPS_MAX, Chips
from taisai.core.rulebook import Layout
from taisai.felt import areas_of, draw, plan_for
from taisai.felt.palette import CHIPS
from tests.felt.reading import SVG, covered_by, root_of, text_of, with_class


def bet(player: str, box: str, stake: int) -> Bet:
    """A bet in one line."""
    return Bet(PlayerId(player), BoxName(box), Chips(stake))


def test_players_share_a_stack(shelf: Shelf) -> None:
    """The amount is that of all players, with a disc of each player's colour; no box without a bet has chips."""
    bets = [bet("ann", "small", 100), bet("bo", "small", 50), bet("bo", "total:9", 25)]
    stacks = with_class(root_of(draw(shelf.layout("rws-tai-sai-v6/A"), bets=bets)), "chip")
    assert [stack.attrib["data-box"] for stack in stacks] == ["small", "total:9"]
    amounts = [text_of(text) for stack in stacks for text in with_class(stack, "amount")]
    assert amounts == ["150", "25"]
    fills = [{circle.get("fill") for circle in stack.iter(f"{SVG}circle")} for stack in stacks]
    assert {CHIPS[0], CHIPS[1]} <= fills[0]
    assert CHIPS[1] in fills[1]
    assert CHIPS[0] not in fills[1]


def test_amounts_are_written_as_the_caller_likes(shelf: Shelf) -> None:
    """Minor units become money by the caller's own words."""
    svg = draw(
        shelf.layout("rws-mini-dice-v3/A"),
        bets=[bet("ann", "field", 1250)],
        amount=lambda chips: f"${chips // 100}.{chips % 100:02d}",
    )
    (stack,) = with_class(root_of(svg), "chip")
    assert text_of(with_class(stack, "amount")[0]) == "$12.50"


@pytest.mark.parametrize("stake", [1, 250, 98_765, CHIPS_MAX])
def test_amounts_keep_to_their_area(layout: Layout, stake: int) -> None:
    """However much lies in a box, the amount stays in it."""
    bets = [bet(f"player {number % 7}", name, stake) for number, name in enumerate([*layout.boxes, *layout.boxes])]
    places = {area.box.name: area.rect for area in areas_of(plan_for(layout)) if area.copy == 1}
    stacks = with_class(root_of(draw(layout, bets=bets)), "chip")
    assert len(stacks) == len(layout.boxes)
    for stack in stacks:
        (amount,) = with_class(stack, "amount")
        assert places[BoxName(stack.attrib["data-box"])].holds(covered_by(amount), 0.05)


@pytest.mark.clause("rws-tai-sai-v6 §I8")
def test_a_box_with_two_areas_has_one_stack(shelf: Shelf) -> None:
    """Two areas of one box are one box: its chips are shown once."""
    svg = draw(shelf.layout("rws-tai-sai-v6/E"), bets=[bet("ann", "big", 100), bet("bo", "big", 100)])
    assert len(with_class(root_of(svg), "chip")) == 1


def test_a_crowd_is_drawn_as_a_low_stack(shelf: Shelf) -> None:
    """More than five players make no higher a stack; the amount counts all of them."""
    bets = [bet(f"player {number}", "field", 10) for number in range(40)]
    (stack,) = with_class(root_of(draw(shelf.layout("rws-mini-dice-v3/A"), bets=bets)), "chip")
    assert text_of(with_class(stack, "amount")[0]) == "400"
    assert len([circle for circle in stack.iter(f"{SVG}circle") if circle.get("stroke-dasharray")]) == 5


def test_a_bet_elsewhere_is_refused(shelf: Shelf) -> None:
    """A box that the layout does not have is named."""
    with pytest.raises(InputFault, match="field"):
        draw(shelf.layout("rws-tai-sai-v6/A"), bets=[bet("ann", "field", 10)])
