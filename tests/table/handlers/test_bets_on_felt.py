"""Bets on the felt go back as they came: newest first, in the chips that they are."""

from __future__ import annotations

import msgspec

from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.parts import Handed
from taisai.table.refusals import Code
from taisai.table.state import RoundPhase
from tests.table.driver import (
    NZ,
    TAI_SAI,
    opened,
    player,
)


def test_felt_and_mixed_stacks_go_back_as_they_came_when_void() -> None:
    """Value and colour, placed, called and found: each part returns in its kind, also after the close."""
    for phase in (RoundPhase.BETTING, RoundPhase.CLOSED):
        deal = opened(NZ, ann=5000)
        deal.do(c.TakeColour("ann", "red", 25, 500))
        deal.begin().bet("ann", "small", 50, "red").bet("ann", "small", 20).felt("ann", "small", 75, "red")
        deal.do(c.PlaceBet("ann", "small", 100, c.How.CALL))
        deal.up_to(phase)
        void = deal.void(Fact.NOT_FLAT)
        assert void.handed == (Handed("ann", "small", 245, 125, "red"),)
        assert (deal.state.balance("colour:red"), deal.state.balance("player:ann")) == (500, 4500)


def test_a_withdrawal_of_a_mixed_stack_gives_the_newest_chips_back() -> None:
    """Newest first, value and colour alike, in whole colour chips."""
    deal = opened(TAI_SAI, ann=5000)
    deal.do(c.TakeColour("ann", "red", 25, 500))
    deal.begin().bet("ann", "small", 100).bet("ann", "small", 75, "red").bet("ann", "small", 20)
    refusal = deal.refused(c.WithdrawBet("ann", "small", 60), Code.BAD_VALUE, player("ann"))
    assert refusal.allowed == "multiples of 25"
    deal.do(c.WithdrawBet("ann", "small", 70), player("ann"))
    assert deal.last(e.BetWithdrawn).handed == Handed("ann", "small", 70, 50, "red")
    assert deal.state.round.stacks == (
        deal.state.round.stacks[0],
        msgspec.structs.replace(deal.state.round.stacks[1], amount=25),
    )
